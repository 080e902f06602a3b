//! The figures and the page.

use maud::{Markup, html};
use velamen_core::frequency::FrequencyTable;
use velamen_core::number::count;
use velamen_report::chart::{Series, horizontal_bars};

use super::{ANCHORS, Anchor, Row};
use crate::output::{Figure, ResultTable, cell};
use crate::{Section, Trend, text};

pub(super) const TITLE: &str = "Differentially private tables";

/// How an error is called, and what it is.
const ERRORS: [(&str, &str); 2] =
    [("pairs", "Mean distance of pairs of attributes"), ("triples", "Mean distance of triples")];

pub(super) fn introduction(table: &FrequencyTable, seeds: u64) -> Markup {
    html! {
        p {
            (count(table.records())) " records of " (table.qis.len()) " attributes, δ = 10⁻⁹, the mean of " (seeds)
            " runs. The distance of a set of attributes is half the sum, over all combinations of its values, of how far the \
             shares of records differ: 0 where they are the original’s, 1 where nothing is. The figures of others were \
             measured on Adult with the same budget; with another table their rows mean nothing."
        }
    }
}

/// All figures; `alone` are the errors of columns that have the original's values and nothing in common.
pub(super) fn section(rows: &[Row], alone: [f64; 2]) -> Section {
    let figures = (0..ERRORS.len()).map(|which| figure(rows, alone, which)).collect();
    let anchored = ANCHORS.iter().filter_map(|anchor| {
        let row = rows.iter().find(|row| row.method == anchor.method && row.epsilon == anchor.epsilon)?;
        Some(of_anchor(row, anchor))
    });
    let bounded = rows.iter().map(|row| of_columns(row, alone));
    Section { figures, trends: anchored.chain(bounded).collect() }
}

fn name(row: &Row) -> String {
    format!("{}, ε = {}", row.method.name(), row.epsilon)
}

fn errors(row: &Row) -> [f64; 2] {
    [row.pairs, row.triples]
}

fn of_anchor(row: &Row, anchor: &Anchor) -> Trend {
    let met = row.pairs <= anchor.pairs * anchor.slack && row.triples <= anchor.triples * anchor.slack;
    let of = |pairs: f64, triples: f64| format!("pairs {}, triples {}", text(pairs), text(triples));
    let published = format!("{}: {}", anchor.whose, of(anchor.pairs, anchor.triples));
    Trend::new(&name(row), &published, &of(row.pairs, row.triples), met)
}

/// Noise is worth it only where the release is nearer than columns without any relation.
fn of_columns(row: &Row, alone: [f64; 2]) -> Trend {
    let met = errors(row).iter().zip(alone).all(|(error, alone)| *error < alone);
    let published = format!("independent columns: pairs {}, triples {}", text(alone[0]), text(alone[1]));
    Trend::new(
        &name(row),
        &published,
        &format!("pairs {}, triples {}", text(row.pairs), text(row.triples)),
        met,
    )
}

fn figure(rows: &[Row], alone: [f64; 2], which: usize) -> Figure {
    let (file, what) = ERRORS[which];
    let lines: Vec<(String, f64)> = rows
        .iter()
        .map(|row| (name(row), errors(row)[which]))
        .chain([("independent columns, no noise".to_owned(), alone[which])])
        .collect();
    let names: Vec<String> = lines.iter().map(|line| line.0.clone()).collect();
    let series = [Series { name: String::new(), values: lines.iter().map(|line| line.1).collect() }];
    Figure {
        file: file.into(),
        title: what.into(),
        note: format!("{what}: 0 is as the original, 1 has nothing in common with it."),
        table: ResultTable {
            header: vec!["what".into(), "distance".into()],
            rows: lines.iter().map(|line| vec![line.0.clone(), cell(line.1)]).collect(),
        },
        svg: horizontal_bars(what, "Distance", &names, &series),
    }
}
