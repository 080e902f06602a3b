//! Folders of made-up patients.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError};
use velamen_synth::patients::{KINDS, Omop, SYNTHEA, TABLES, Table};

/// How many blocks are drawn beside each other for each thread.
const AHEAD: usize = 2;

/// The shape of a folder of made-up patients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatientsShape {
    /// The OMOP Common Data Model 5.4.
    Omop,
    /// FHIR R4, one resource a line.
    Fhir,
    /// Synthea's CSV folder.
    Synthea,
}

/// What is to be written.
#[derive(Debug, Clone)]
pub struct Patients {
    /// How many persons.
    pub persons: u64,
    /// The shape of the folder.
    pub shape: PatientsShape,
    /// The folder, which must not exist.
    pub output: PathBuf,
}

/// Writes a folder; the context's seed is that of the persons. The folder appears
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
    fill(folder.path(), &Omop::new(request.persons, context.seed), request.shape, context)?;
    std::fs::rename(folder.keep(), target).map_err(|error| JobError::io(target, "make", &error))
}

/// A file with what it begins with.
type Begun = (String, Vec<u8>);

/// The files of a folder, and their rows block by block.
struct Folder<'a> {
    files: Vec<Begun>,
    block: Box<dyn Fn(u64) -> Vec<Vec<u8>> + Sync + 'a>,
}

fn folder(omop: &Omop, shape: PatientsShape) -> Folder<'_> {
    let header = |header: &str| format!("{header}\n").into_bytes();
    match shape {
        PatientsShape::Omop => {
            let begun = |table: Table| [header(table.header()), omop.once(table)].concat();
            let files = TABLES.iter().map(|&table| (table.file(), begun(table))).collect();
            Folder { files, block: Box::new(|block| rows_of(omop, block)) }
        }
        PatientsShape::Fhir => {
            let files = KINDS.iter().map(|kind| (format!("{kind}.ndjson"), Vec::new())).collect();
            Folder { files, block: Box::new(|block| omop.fhir(block)) }
        }
        PatientsShape::Synthea => {
            let files = SYNTHEA.iter().map(|(name, names)| (format!("{name}.csv"), header(names))).collect();
            Folder { files, block: Box::new(|block| omop.synthea(block)) }
        }
    }
}

/// The rows of a block, table by table.
fn rows_of(omop: &Omop, block: u64) -> Vec<Vec<u8>> {
    let rows = omop.block(block);
    TABLES.iter().map(|&table| rows.of(table).to_vec()).collect()
}

fn fill(path: &Path, omop: &Omop, shape: PatientsShape, context: &Context<'_>) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "write", &error);
    let Folder { files: begun, block } = folder(omop, shape);
    let mut files = Vec::new();
    for (name, begins) in begun {
        let file = File::create(path.join(name)).map_err(failed)?;
        let mut file = BufWriter::with_capacity(1 << 20, file);
        file.write_all(&begins).map_err(failed)?;
        files.push(file);
    }
    let ahead = (rayon::current_num_threads() * AHEAD) as u64;
    for first in (0..omop.blocks()).step_by(ahead as usize) {
        context.check()?;
        let blocks = (first..(first + ahead).min(omop.blocks())).into_par_iter();
        let drawn: Vec<Vec<Vec<u8>>> = blocks.map(&block).collect();
        for rows in &drawn {
            for (file, rows) in files.iter_mut().zip(rows) {
                file.write_all(rows).map_err(failed)?;
            }
        }
    }
    files.iter_mut().try_for_each(|file| file.flush()).map_err(failed)
}
