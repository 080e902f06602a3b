//! The released table as columns.

use velamen_checker::CLASS_ID;
use velamen_core::hierarchy::{NULL, TOP};
use velamen_core::release::{Release, SUPPRESSED};
use velamen_engine::ColumnRequest;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_search::method::Suppress;

use crate::table::OpenedTable;

/// The release as columns: `ClassID`, then the released columns in the order of the input.
pub(super) fn of(
    release: &Release,
    requests: &[&ColumnRequest],
    source: &OpenedTable,
    suppress: Suppress,
) -> OutTable {
    let ids = release.sizes.len();
    let labels = (1..=ids).map(|id| id.to_string()).chain(std::iter::once(String::new())).collect();
    let class = |class: u32| if class == SUPPRESSED { ids as u32 } else { class };
    let mut table = OutTable {
        columns: vec![OutColumn { name: CLASS_ID.into(), labels, kind: ColumnKind::Integer }],
        codes: vec![release.rows.iter().map(|row| class(row.class)).collect()],
        counts: release.rows.iter().map(|row| row.count).collect(),
    };
    for request in requests {
        let (column, codes) = match release.qis.iter().position(|qi| qi.name == request.name) {
            Some(q) => qi_column(release, q),
            None => match suppress {
                Suppress::Record if release.suppressed > 0 => {
                    suppressed_column(release, &request.name, source.kind(request.index))
                }
                Suppress::Record | Suppress::QuasiIdentifiers => {
                    rest_column(release, &request.name, source.kind(request.index))
                }
            },
        };
        table.columns.push(column);
        table.codes.push(codes);
    }
    table
}

fn qi_column(release: &Release, q: usize) -> (OutColumn, Vec<u32>) {
    let qi = &release.qis[q];
    let labels = qi.values.iter().map(|value| value.label.clone());
    let labels: Vec<String> = labels.chain(std::iter::once("*".to_owned())).collect();
    let star = qi.values.len() as u32;
    let code = |class: u32| if class == SUPPRESSED { star } else { release.class(class as usize)[q] };
    let codes = release.rows.iter().map(|row| code(row.class)).collect();
    (OutColumn { name: qi.name.clone(), labels, kind: ColumnKind::Text }, codes)
}

/// A column of which suppressed records show nothing: `*`, or a missing value where the column's type has no `*`.
fn suppressed_column(release: &Release, name: &str, kind: ColumnKind) -> (OutColumn, Vec<u32>) {
    let (mut column, mut codes) = rest_column(release, name, kind);
    let nothing = column.labels.len() as u32;
    column.labels.push(if column.kind.is_text() { TOP } else { NULL }.to_owned());
    let rows = release.rows.iter().zip(&mut codes);
    rows.filter(|(row, _)| row.class == SUPPRESSED).for_each(|(_, code)| *code = nothing);
    (column, codes)
}

fn rest_column(release: &Release, name: &str, kind: ColumnKind) -> (OutColumn, Vec<u32>) {
    let column = release.rest.columns.iter().position(|column| column.name == name);
    let column = column.expect("every released column is a quasi-identifier or in the rest");
    let codes = release.rows.iter().map(|row| release.rest.codes[column][row.rest as usize]).collect();
    let labels = release.rest.columns[column].values.clone();
    (OutColumn { name: name.into(), labels, kind }, codes)
}
