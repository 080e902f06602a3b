//! Released tables to files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use rayon::prelude::*;
use velamen_contract::linked::Shape;
use velamen_recipe::JobError;

use crate::fhir;
use crate::plan::Plan;
use crate::release::Released;

/// Writes each table into a folder, several at a time.
///
/// # Errors
/// [`JobError::io`].
pub(crate) fn write(tables: &[Released], plan: &Plan, folder: &Path) -> Result<(), JobError> {
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "make", &error))?;
    tables.par_iter().try_for_each(|table| match plan.shape {
        Shape::Fhir => fhir::write(table, plan.dates, &folder.join(&table.file)),
        Shape::Tables | Shape::Omop | Shape::Synthea => one(table, &folder.join(&table.file)),
    })
}

fn one(table: &Released, path: &Path) -> Result<(), JobError> {
    let failed = |error: csv::Error| {
        let error = std::io::Error::other(error.to_string());
        JobError::io(path, "write", &error)
    };
    let file = File::create(path).map_err(|error| JobError::io(path, "write", &error))?;
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 20, file));
    writer.write_record(table.columns.iter().map(|(name, ..)| name)).map_err(failed)?;
    let mut text = String::new();
    for &row in &table.order {
        let (own, person) = (table.numbers[row as usize], table.of_persons.at(row));
        for (_, _, out) in &table.columns {
            writer.write_field(out.cell(row, own, person, &mut text)).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}
