//! Tables, pictures and wishes of the page.

use maud::{Markup, html};
use velamen_report::chart::{Series, horizontal_bars};

use super::arms::{ARMS, BEFORE, DEFAULT, WHOLE};
use super::run::MEASURES;
use super::{KS, Row};
use crate::output::{Figure, ResultTable, cell};
use crate::{Section, Trend, text};

pub(super) const TITLE: &str = "Counterfeits that protect";

pub(super) fn introduction(name: &str, seeds: u64) -> Markup {
    html! {
        p {
            "On " (name) ", h = 0.3, " (seeds) " seeds of each arm that draws; the pictures show means, the tables also the \
            worst run. The adversary has the release alone: it combines the law of class sizes, the catalog, and what goes \
            with the quasi-identifiers in classes that are surely real. It is one adversary; a stronger one may exist."
        }
        p {
            "Below, what is wanted of the default beside the worst of its runs. Without counterfeits there is nothing to tell, \
            and the first figures are missing."
        }
    }
}

/// All figures, and the wishes.
pub(super) fn section(rows: &[Row]) -> Section {
    let mut figures: Vec<Figure> = (0..MEASURES.len()).map(|measure| picture(rows, measure)).collect();
    let mut all = picture(rows, 0);
    all.file = "all".into();
    all.title = "All figures".into();
    all.note = "The bars are the AUC; the table has everything.".into();
    all.table = table(rows, &(0..MEASURES.len()).collect::<Vec<_>>());
    figures.insert(0, all);
    Section { figures, trends: KS.iter().flat_map(|&k| wishes(rows, k)).collect() }
}

fn picture(rows: &[Row], measure: usize) -> Figure {
    let (file, what) = MEASURES[measure];
    let names: Vec<String> = ARMS.iter().map(|arm| arm.name.to_owned()).collect();
    let of = |k: u64, name: &str| found(rows, name, k, measure).map_or(f64::NAN, |[mean, _]| mean);
    let series = KS
        .map(|k| Series { name: format!("k = {k}"), values: names.iter().map(|name| of(k, name)).collect() });
    Figure {
        file: file.into(),
        title: file.into(),
        note: format!("{what}."),
        table: table(rows, &[measure]),
        svg: horizontal_bars(file, what, &names, &series),
    }
}

fn table(rows: &[Row], measures: &[usize]) -> ResultTable {
    let columns = measures.iter().flat_map(|&measure| {
        let name = MEASURES[measure].0;
        [format!("{name}: mean"), format!("{name}: worst")]
    });
    let header = ["method".to_owned(), "k".to_owned()].into_iter().chain(columns);
    let row = |row: &Row| {
        let cells = measures.iter().flat_map(|&measure| match &row.runs {
            Ok(runs) => runs.of(measure).map(cell),
            Err(_) => [String::new(), String::new()],
        });
        let problem = row.runs.as_ref().err().cloned().unwrap_or_default();
        [row.arm.name.to_owned(), row.k.to_string()].into_iter().chain(cells).chain([problem]).collect()
    };
    ResultTable {
        header: header.chain(["no release".to_owned()]).collect(),
        rows: rows.iter().map(row).collect(),
    }
}

/// The mean and the worst of a figure of an arm.
fn found(rows: &[Row], name: &str, k: u64, measure: usize) -> Option<[f64; 2]> {
    let row = rows.iter().find(|row| row.arm.name == name && row.k == k)?;
    Some(row.runs.as_ref().ok()?.of(measure))
}

/// What the default is to reach: at most these figures.
fn wishes(rows: &[Row], k: u64) -> Vec<Trend> {
    let mean =
        |arm: &str, measure: &str| found(rows, arm, k, place(measure)).map_or(f64::NAN, |[mean, _]| mean);
    let limits = [
        ("auc", 0.6),
        ("auc-knowing", 0.68),
        ("fewer-than-k", 1.05),
        ("guess-gain", 0.01),
        ("counterfeits", 0.05),
        ("suppressed", 0.01),
        ("rce", mean(WHOLE, "rce")),
        ("variation", mean(BEFORE, "variation")),
    ];
    let wish = |&(measure, limit): &(&str, f64)| {
        let [mean, worst] = found(rows, DEFAULT, k, place(measure)).unwrap_or([f64::NAN; 2]);
        let measured = format!("{} on average, {} at worst", text(mean), text(worst));
        let (figure, wished) = (format!("{measure}, k = {k}"), format!("at most {}", text(limit)));
        Trend::new(&figure, &wished, &measured, worst <= limit)
    };
    limits.iter().map(wish).collect()
}

fn place(measure: &str) -> usize {
    MEASURES.iter().position(|(name, _)| *name == measure).unwrap_or(0)
}

impl Row {
    /// One line for the terminal.
    #[must_use]
    pub fn line(&self) -> String {
        let name = format!("{:<26} k = {:<3}", self.arm.name, self.k);
        match &self.runs {
            Ok(runs) => {
                let shown = |measure: usize| {
                    let [mean, worst] = runs.of(measure);
                    mean.is_finite()
                        .then(|| format!("{} {} ({})", MEASURES[measure].0, text(mean), text(worst)))
                };
                format!("{name} {}", (0..MEASURES.len()).filter_map(shown).collect::<Vec<_>>().join(", "))
            }
            Err(problem) => format!("{name} no release: {problem}"),
        }
    }
}
