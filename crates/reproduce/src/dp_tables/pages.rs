//! The figures and the page.

use maud::{Markup, html};
use velamen_core::frequency::FrequencyTable;
use velamen_core::number::count;
use velamen_report::chart::{Series, horizontal_bars};

use super::anchors::{ADULT_14, ANCHORS, Anchor};
use super::error::Errors;
use super::{Row, Tested};
use crate::output::{Figure, ResultTable, cell};
use crate::{Section, Trend, text};

pub(super) const TITLE: &str = "Differentially private tables";

/// A figure of a row: its file, what it is, and what is good.
type Column = (&'static str, &'static str, &'static str);

const ERRORS: [Column; 3] = [
    (
        "pairs",
        "Mean distance of pairs of attributes",
        "0 is as the original, 1 has nothing in common with it",
    ),
    ("triples", "Mean distance of triples", "0 is as the original, 1 has nothing in common with it"),
    ("k-marginal", "k-marginal score, k = 2", "1000 is as the original, 0 has nothing in common with it"),
];
const SECONDS: Column = (
    "seconds",
    "Seconds of a run",
    "from the table in memory to the records in memory, on the machine of the run",
);

/// Seconds that a method may take on Adult-14 with ε = 1.
const WANTED: [(Tested, f64); 2] = [(Tested::Mst, 0.1), (Tested::Aim, 1.0)];

pub(super) fn introduction(tables: &[&FrequencyTable], seeds: u64) -> Markup {
    html! {
        p {
            @for table in tables {
                (count(table.records())) " records of " (table.qis.len()) " attributes; "
            }
            "δ = 10⁻⁹; the mean of " (seeds) " runs. The distance of a set of attributes is half the sum, over all combinations of \
             its values, of how far the shares of records differ: 0 where they are the original’s, 1 where nothing is. The \
             k-marginal score is 1000 less a thousand times the mean distance of pairs, with long columns of numbers in twenty \
             groups of equal size. The figures of others were measured on Adult with the same budget, and stand beside no other \
             table."
        }
    }
}

/// All figures of a table; `alone` are the errors of columns that have the original's values and nothing in common.
pub(super) fn section(table: &str, rows: &[Row], alone: Errors) -> Section {
    let mut figures: Vec<Figure> = (0..ERRORS.len()).map(|which| figure(table, rows, alone, which)).collect();
    let seconds = rows.iter().map(|row| (name(row), row.seconds)).collect();
    figures.push(drawn(table, SECONDS, seconds));
    let anchored = ANCHORS.iter().filter(|anchor| anchor.table == table).filter_map(|anchor| {
        let row = rows.iter().find(|row| row.method == anchor.method && row.epsilon == anchor.epsilon)?;
        Some(of_anchor(row, anchor))
    });
    let bounded = rows.iter().filter(|row| row.method != Tested::Independent).filter_map(|row| {
        let alone =
            rows.iter().find(|other| other.method == Tested::Independent && other.epsilon == row.epsilon)?;
        Some(of_columns(table, row, alone))
    });
    let timed = WANTED.iter().filter(|_| table == ADULT_14.table).filter_map(|&(method, most)| {
        let row = rows.iter().find(|row| row.method == method && row.epsilon == 1.0)?;
        Some(of_seconds(table, row, most))
    });
    Section { figures, trends: anchored.chain(bounded).chain(timed).collect() }
}

fn name(row: &Row) -> String {
    format!("{}, ε = {}", row.method.name(), row.epsilon)
}

fn said(errors: Errors) -> String {
    format!("pairs {:.4}, triples {:.4}, K {:.0}", errors.pairs, errors.triples, errors.k)
}

fn of_anchor(row: &Row, anchor: &Anchor) -> Trend {
    let published = format!("{}: {}", anchor.whose, said(anchor.errors));
    Trend::new(&titled(anchor.table, row), &published, &said(row.errors), anchor.is_met(row.errors))
}

/// Never worse than columns by themselves that the same budget was spent on.
fn of_columns(table: &str, row: &Row, alone: &Row) -> Trend {
    let met = row.errors.pairs <= alone.errors.pairs && row.errors.triples <= alone.errors.triples;
    let published = format!("independent: {}", said(alone.errors));
    Trend::new(&titled(table, row), &published, &said(row.errors), met)
}

fn of_seconds(table: &str, row: &Row, most: f64) -> Trend {
    let measured = format!("{} s", text(row.seconds));
    let published = format!("at most {most} s");
    Trend::new(&titled(table, row), &published, &measured, row.seconds <= most).timed()
}

fn titled(table: &str, row: &Row) -> String {
    format!("{table}, {}", name(row))
}

fn figure(table: &str, rows: &[Row], alone: Errors, which: usize) -> Figure {
    let of = |errors: Errors| [errors.pairs, errors.triples, errors.k][which];
    let lines = rows.iter().map(|row| (name(row), of(row.errors)));
    let lines = lines.chain([("independent columns, no noise".to_owned(), of(alone))]).collect();
    drawn(table, ERRORS[which], lines)
}

fn drawn(table: &str, (file, what, note): Column, lines: Vec<(String, f64)>) -> Figure {
    let names: Vec<String> = lines.iter().map(|line| line.0.clone()).collect();
    let series = [Series { name: String::new(), values: lines.iter().map(|line| line.1).collect() }];
    Figure {
        file: format!("{}-{file}", table.to_lowercase().replace(' ', "-")),
        title: format!("{table}: {what}"),
        note: format!("{what}: {note}."),
        table: ResultTable {
            header: vec!["what".into(), file.into()],
            rows: lines.iter().map(|line| vec![line.0.clone(), cell(line.1)]).collect(),
        },
        svg: horizontal_bars(what, what, &names, &series),
    }
}
