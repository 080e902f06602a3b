//! Several sensitive attributes over their declared domains as one, whose values are all combinations of theirs.
//!
//! # Definition
//! A record has one combination of values, so that one record more or less changes one count, as with one attribute. The combinations
//! are numbered in mixed radix: the last attribute counts fastest. They follow from the declared domains alone.
//!
//! # Complexity
//! O(combinations · attributes), at most 2²⁰ combinations.

use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Rest, RestColumn, Role};

use super::error::MethodError;

/// Where in its whole domain each value is; `None` for one that is not there.
pub(super) type Places = Vec<Option<u32>>;

/// A column's declared values, and where in them each of its own is.
pub(super) type Declared = (Vec<String>, Places);

/// The most combinations of the sensitive attributes' values.
const MOST: usize = 1 << 20;

/// A table with the combinations of its sensitive columns as its first column, which stands for them until [`apart`], and where
/// each of its old combinations is; `None` where a value is not declared.
///
/// # Errors
/// [`MethodError::Unfit`] for too many combinations.
pub(super) fn joined(
    mut table: FrequencyTable,
    domains: &[Declared],
) -> Result<(FrequencyTable, Rest, Places), MethodError> {
    let widths: Vec<usize> = domains.iter().map(|(values, _)| values.len()).collect();
    let len = product(&widths).ok_or_else(|| too_many(&table.rest.columns))?;
    let places = (0..table.rest.len).map(|row| place(&table.rest, row, domains)).collect();
    let rest = combinations(&table.rest.columns, domains, (&widths, len));
    numbered(&mut table, rest.columns[0].name.clone());
    Ok((table, rest, places))
}

/// Puts a number for each combination in place of the table's sensitive columns.
pub(super) fn numbered(table: &mut FrequencyTable, name: String) {
    // A record outside the domain of a quasi-identifier was counted by the first attribute alone.
    table.strays.dropped += std::mem::take(&mut table.strays.outside).iter().sum::<u64>();
    let rows = table.rest.len;
    let numbers = RestColumn { name, role: Role::Sensitive, values: vec![String::new(); rows] };
    table.rest = Rest { columns: vec![numbers], codes: vec![(0..rows as u32).collect()], len: rows };
}

/// How many combinations there are; `None` for too many.
fn product(widths: &[usize]) -> Option<usize> {
    widths.iter().try_fold(1usize, |len, width| len.checked_mul(*width).filter(|len| *len <= MOST))
}

/// The number of the combination of a row of the rest.
fn place(rest: &Rest, row: usize, domains: &[Declared]) -> Option<u32> {
    domains.iter().zip(&rest.codes).try_fold(0u32, |number, ((values, places), codes)| {
        Some(number * values.len() as u32 + places[codes[row] as usize]?)
    })
}

/// Every combination, with its number as the first column.
fn combinations(columns: &[RestColumn], domains: &[Declared], (widths, len): (&[usize], usize)) -> Rest {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let values = (0..len).map(|number| number.to_string()).collect();
    let number = RestColumn { name: names.join(BETWEEN), role: Role::Sensitive, values };
    let own = columns.iter().zip(domains);
    let own = own.map(|(column, (values, _))| RestColumn { values: values.clone(), ..column.clone() });
    let digits = (0..widths.len()).map(|place| {
        let faster: usize = widths[place + 1..].iter().product();
        (0..len).map(|number| (number / faster % widths[place]) as u32).collect()
    });
    Rest {
        columns: std::iter::once(number).chain(own).collect(),
        codes: std::iter::once((0..len as u32).collect()).chain(digits).collect(),
        len,
    }
}

/// A table whose several sensitive columns have one before them that stands for them until [`apart`]: the combinations of their
/// values that occur. A table with one or none is left as it is.
///
/// It must have no column that is neither quasi-identifier nor sensitive.
pub(in crate::method) fn occurring(mut table: FrequencyTable) -> FrequencyTable {
    let rest = &mut table.rest;
    if rest.sensitive().count() < 2 {
        return table;
    }
    let names: Vec<&str> = rest.columns.iter().map(|column| &*column.name).collect();
    let values = (0..rest.len).map(|row| labels(&rest.columns, &rest.codes, row)).collect();
    let column = RestColumn { name: names.join(BETWEEN), role: Role::Sensitive, values };
    rest.columns.insert(0, column);
    rest.codes.insert(0, (0..rest.len as u32).collect());
    table
}

/// The same with every combination of the values that occur, whether a record has it or not, and by column the codes of each
/// combination.
///
/// # Errors
/// [`MethodError::Unfit`] for too many combinations.
pub(in crate::method) fn every(mut table: FrequencyTable) -> Result<FrequencyTable, MethodError> {
    let rest = &table.rest;
    let widths: Vec<usize> = rest.columns.iter().map(|column| column.values.len()).collect();
    let len = product(&widths).ok_or_else(|| too_many(&rest.columns))?;
    let identity = |column: &RestColumn| (0..column.values.len() as u32).map(Some).collect();
    let domains: Vec<Declared> =
        rest.columns.iter().map(|column| (column.values.clone(), identity(column))).collect();
    let places: Places = (0..rest.len).map(|row| place(rest, row, &domains)).collect();
    let mut all = combinations(&rest.columns, &domains, (&widths, len));
    all.columns[0].values = (0..len).map(|row| labels(&all.columns[1..], &all.codes[1..], row)).collect();
    let moved = table.rest_index.iter().map(|&row| places[row as usize].unwrap_or_default());
    table.rest_index = moved.collect();
    table.rest = all;
    Ok(table)
}

/// Between the names, or the values, of attributes that are one.
const BETWEEN: &str = " × ";

/// The values of a combination.
fn labels(columns: &[RestColumn], codes: &[Vec<u32>], row: usize) -> String {
    let values = columns.iter().zip(codes);
    values.map(|(column, codes)| &*column.values[codes[row] as usize]).collect::<Vec<_>>().join(BETWEEN)
}

/// The columns without the one that stands for them, where several were joined.
pub(in crate::method) fn apart(mut rest: Rest) -> Rest {
    if rest.sensitive().count() > 1 {
        rest.columns.remove(0);
        rest.codes.remove(0);
    }
    rest
}

fn too_many(columns: &[RestColumn]) -> MethodError {
    let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
    let problem = Problem::new(format!(
        "the sensitive attributes {} have more than {MOST} combinations of values",
        names.join(", ")
    ));
    MethodError::Unfit(problem.mend("declare fewer values, or release fewer of them"))
}
