//! Several sensitive attributes over their declared domains, each to be counted by itself.
//!
//! # Definition
//! The table keeps the combinations of values that occur, over the whole domain of every attribute: no product of the domains is
//! formed, so that these may be large. [`alone`] is the table of one attribute, in which every record counts once.

use velamen_core::frequency::{FrequencyTable, Rest, RestColumn, Strays};

use super::joint::{Declared, Places, numbered};

/// A table whose sensitive columns are over their declared domains, and where each of its old combinations is; `None` where a
/// value is not declared.
pub(super) fn declared(mut table: FrequencyTable, domains: Vec<Declared>) -> (FrequencyTable, Rest, Places) {
    let rows: Vec<Option<Vec<u32>>> =
        (0..table.rest.len).map(|row| place(&table.rest, row, &domains)).collect();
    let mut numbers = 0u32..;
    let places: Places = rows.iter().map(|row| row.as_ref().and_then(|_| numbers.next())).collect();
    let len = rows.iter().flatten().count();
    let codes = (0..domains.len()).map(|column| rows.iter().flatten().map(|row| row[column]).collect());
    let codes = codes.collect();
    let columns = table.rest.columns.iter().zip(domains);
    let columns = columns.map(|(column, (values, _))| RestColumn { values, ..column.clone() }).collect();
    let rest = Rest { columns, codes, len };
    let name = table.rest.columns[0].name.clone();
    numbered(&mut table, name);
    (table, rest, places)
}

/// Where in its attribute's domain each value of a row is.
fn place(rest: &Rest, row: usize, domains: &[Declared]) -> Option<Vec<u32>> {
    domains.iter().zip(&rest.codes).map(|((_, places), codes)| places[codes[row] as usize]).collect()
}

/// The table with one column of its rest and no other. An entry can occur several times.
pub(in crate::method) fn alone(table: &FrequencyTable, column: usize) -> FrequencyTable {
    let codes = &table.rest.codes[column];
    let values = &table.rest.columns[column];
    let len = values.values.len();
    let mut strays = Strays { outside: Vec::new(), ..table.strays.clone() };
    for (row, &records) in table.strays.outside.iter().enumerate() {
        strays.add_outside(codes[row] as usize, records);
    }
    FrequencyTable {
        rest: Rest { columns: vec![values.clone()], codes: vec![(0..len as u32).collect()], len },
        rest_index: table.rest_index.iter().map(|&row| codes[row as usize]).collect(),
        strays,
        ..table.clone()
    }
}
