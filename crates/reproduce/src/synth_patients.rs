//! Folders of made-up patients.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError};
use velamen_synth::patients::{Omop, TABLES, Table};

/// How many blocks are drawn beside each other for each thread.
const AHEAD: usize = 2;

/// What is to be written.
#[derive(Debug, Clone)]
pub struct Patients {
    /// How many persons.
    pub persons: u64,
    /// The folder, which must not exist.
    pub output: PathBuf,
}

/// Writes a folder in the shape of the OMOP Common Data Model; the context's seed is that of the persons. The folder appears
/// when it is whole.
///
/// # Errors
/// [`JobError::io`] if the folder exists or cannot be written, [`JobError::interrupted`].
pub fn write_patients(request: &Patients, context: &Context<'_>) -> Result<(), JobError> {
    let target = &request.output;
    if target.exists() {
        let problem =
            Problem::new(format!("{}: already exists", target.display())).mend("name another folder");
        return Err(JobError::unusable(problem).coded(Code::OUTPUT_EXISTS));
    }
    let parent = target.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix(".velamen-").tempdir_in(parent);
    let folder = folder.map_err(|error| JobError::io(parent, "create a folder in", &error))?;
    fill(folder.path(), &Omop::new(request.persons, context.seed), context)?;
    std::fs::rename(folder.keep(), target).map_err(|error| JobError::io(target, "make", &error))
}

fn fill(folder: &Path, omop: &Omop, context: &Context<'_>) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "write", &error);
    let mut files = Vec::new();
    for table in TABLES {
        files.push((table, begun(&folder.join(table.file()), table, omop).map_err(failed)?));
    }
    let ahead = (rayon::current_num_threads() * AHEAD) as u64;
    for first in (0..omop.blocks()).step_by(ahead as usize) {
        context.check()?;
        let blocks = (first..(first + ahead).min(omop.blocks())).into_par_iter();
        let drawn: Vec<_> = blocks.map(|block| omop.block(block)).collect();
        for rows in drawn {
            for (table, file) in &mut files {
                file.write_all(rows.of(*table)).map_err(failed)?;
            }
        }
    }
    files.iter_mut().try_for_each(|(_, file)| file.flush()).map_err(failed)
}

/// A table's file with its header and the rows that no person is in.
fn begun(path: &Path, table: Table, omop: &Omop) -> std::io::Result<BufWriter<File>> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    writeln!(file, "{}", table.header())?;
    file.write_all(&omop.once(table))?;
    Ok(file)
}
