//! Released tables to files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use rayon::prelude::*;
use velamen_contract::linked::{Column, Shape};
use velamen_core::context::Context;
use velamen_engine::FileFormat;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_recipe::JobError;

use crate::fhir;
use crate::formats::has_types;
use crate::plan::Plan;
use crate::release::{Out, Released};

/// Rows between two looks at whether the run is to stop.
const ROWS_AT_A_TIME: usize = 1 << 12;

/// Writes each table into a folder, several at a time.
///
/// # Errors
/// [`JobError::io`], [`JobError::interrupted`].
pub(crate) fn write(
    tables: &[Released],
    plan: &Plan,
    folder: &Path,
    context: &Context<'_>,
) -> Result<(), JobError> {
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "make", &error))?;
    tables.par_iter().try_for_each(|table| {
        let path = folder.join(&table.file);
        match (plan.shape, FileFormat::named(&path).filter(|format| has_types(*format))) {
            (Shape::Fhir, _) => fhir::write(table, plan.dates, &path, context),
            (_, Some(format)) => Ok(typed(table, plan.shape).write(&path, format, b',', context)?),
            (Shape::Tables | Shape::Omop | Shape::Synthea, None) => one(table, &path, context),
        }
    })
}

fn one(table: &Released, path: &Path, context: &Context<'_>) -> Result<(), JobError> {
    let failed = |error: csv::Error| {
        let error = std::io::Error::other(error.to_string());
        JobError::io(path, "write", &error)
    };
    let file = File::create(path).map_err(|error| JobError::io(path, "write", &error))?;
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 20, file));
    writer.write_record(table.columns.iter().map(|(name, ..)| name)).map_err(failed)?;
    let mut text = String::new();
    for rows in table.order.chunks(ROWS_AT_A_TIME) {
        context.check()?;
        for &row in rows {
            let (own, person) = (table.numbers[row as usize], table.of_persons.at(row));
            for (_, _, out) in &table.columns {
                writer.write_field(out.cell(row, own, person, &mut text)).map_err(failed)?;
            }
            writer.write_record(None::<&[u8]>).map_err(failed)?;
        }
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}

/// A table of which each column has a type.
fn typed(table: &Released, shape: Shape) -> OutTable {
    let columns: Vec<(OutColumn, Vec<u32>)> =
        table.columns.par_iter().map(|column| column_of(table, column, shape)).collect();
    let (columns, codes) = columns.into_iter().unzip();
    OutTable { columns, codes, counts: vec![1; table.order.len()] }
}

/// A column with its distinct texts in their order, and the text of each row.
fn column_of(
    table: &Released,
    (name, column, out): &(String, Column, Out),
    shape: Shape,
) -> (OutColumn, Vec<u32>) {
    let (mut numbers, mut codes, mut text) =
        (BTreeMap::new(), Vec::with_capacity(table.order.len()), String::new());
    for &row in &table.order {
        let cell = out.cell(row, table.numbers[row as usize], table.of_persons.at(row), &mut text);
        let next = numbers.len() as u32;
        codes.push(match numbers.get(cell) {
            Some(number) => *number,
            None => *numbers.entry(cell.to_owned()).or_insert(next),
        });
    }
    let mut places = vec![0; numbers.len()];
    numbers.values().zip(0..).for_each(|(&number, place)| places[number as usize] = place);
    codes.iter_mut().for_each(|code| *code = places[*code as usize]);
    let labels: Vec<String> = numbers.into_keys().collect();
    let kind = kind(name, column, shape, &labels);
    (OutColumn { name: name.clone(), labels, kind }, codes)
}

/// Keys, references, and concepts and years of OMOP are whole numbers. Everything else is text, as the checker counts it.
fn kind(name: &str, column: &Column, shape: Shape, labels: &[String]) -> ColumnKind {
    let name = name.to_ascii_lowercase();
    let of_omop = shape == Shape::Omop && (name.ends_with("_concept_id") || name == "year_of_birth");
    let is_number = matches!(column, Column::Key | Column::Reference { .. }) || of_omop;
    let is_whole = |label: &String| {
        label.is_empty() || label.parse::<i64>().is_ok_and(|number| number.to_string() == *label)
    };
    if is_number && labels.iter().all(is_whole) { ColumnKind::Integer } else { ColumnKind::Text }
}
