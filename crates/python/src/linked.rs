//! Releases of linked tables: several tables in, several tables out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use velamen_checker::Finding;
use velamen_contract::linked::LinkedManifest;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::source::Batches;
use velamen_job::{Folders, Job};
use velamen_patients::{Outcome, Survived};
use velamen_recipe::{JobError, Overrides, custodian_of};

use crate::arrow::{Records, typed};
use crate::error::{raised, usage};
use crate::folder::Folder;
use crate::options::{Anonymizing, Common};
use crate::recipe::Recipe;
use crate::released::listed;
use crate::run::run_in;
use crate::tables::{GivenTables, Temporary};

/// A folder's files by their paths in it.
type Files = BTreeMap<String, Vec<u8>>;

/// A certified release of linked tables.
#[pyclass(frozen, module = "velamen._velamen")]
pub(crate) struct LinkedRelease {
    place: Place,
    manifest: LinkedManifest,
    findings: Vec<Finding>,
    survived: Survived,
    warnings: Vec<String>,
}

/// Where its files are.
enum Place {
    /// The public files, and the custodian's.
    Memory(Box<[Files; 2]>),
    Folder(PathBuf),
}

/// Makes a release of linked tables: in folders where an output is named, else in memory.
#[pyfunction]
pub(crate) fn anonymize_linked(
    py: Python<'_>,
    tables: Option<&Bound<'_, PyAny>>,
    recipe: &Recipe,
    options: Anonymizing,
    common: Common,
) -> PyResult<LinkedRelease> {
    let Anonymizing { output, seed, overwrite, after, redraw } = options;
    if after.is_some() || redraw {
        let problem = Problem::new("after: not for linked tables").mend("leave it out");
        return Err(usage(py, problem));
    }
    let path = tables.and_then(|tables| tables.extract::<PathBuf>().ok());
    let given = tables.filter(|_| path.is_none()).map(GivenTables::of).transpose()?;
    let temporary = Temporary::new(py, given.as_ref())?;
    let in_memory = output.is_none();
    let place = output.unwrap_or_else(|| temporary.release());
    let overrides = Overrides { input: path, output: Some(place.clone()), seed, ..Overrides::default() };
    let drawn = Seed::fresh().map_err(|error| raised(py, &JobError::unusable(error.to_string())))?;
    let (warned, files) = run_in(py, Job::seeded(drawn), (&common, &temporary), |context| {
        let outcome = made(recipe, given.as_ref(), &temporary, (&overrides, overwrite), context)?;
        let files = in_memory.then(|| both(&outcome.release)).transpose()?;
        Ok((outcome, files))
    })?;
    let Outcome { manifest, findings, survived, warnings, .. } = warned;
    let warnings = warnings.iter().map(|warning| temporary.hidden(warning)).collect();
    let place = files.map_or(Place::Folder(place), |files| Place::Memory(Box::new(files)));
    Ok(LinkedRelease { place, manifest, findings, survived, warnings })
}

/// The run, over the tables that are given or the recipe's own.
fn made(
    recipe: &Recipe,
    given: Option<&GivenTables>,
    temporary: &Temporary,
    (overrides, overwrite): (&Overrides, bool),
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let named = recipe.named();
    if given.is_none() && overrides.input.is_none() {
        named.refuse_no_input()?;
    }
    let mut linked = named.linked_with(overrides)?;
    if let Some(given) = given {
        given.write(temporary, context)?;
        linked.take_given(&temporary.tables())?;
    }
    velamen_patients::anonymize(&linked, recipe.path(), overwrite, context)
}

/// The files of a release, and those of the custodian.
fn both(release: &Path) -> Result<[Files; 2], JobError> {
    Ok([read(release)?, read(&custodian_of(release))?])
}

/// A folder's files, those of the folders in it too.
fn read(folder: &Path) -> Result<Files, JobError> {
    let mut files = Files::new();
    collect(folder, "", &mut files).map_err(|error| JobError::io(folder, "read", &error))?;
    Ok(files)
}

fn collect(folder: &Path, before: &str, files: &mut Files) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{before}{}", path.file_name().unwrap_or_default().to_string_lossy());
        match path.is_dir() {
            true => collect(&path, &format!("{name}/"), files)?,
            false => {
                files.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(())
}

/// Writes files into a folder that is there.
fn write(folder: &Path, files: &Files) -> Result<(), JobError> {
    for (name, bytes) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, bytes));
        written.map_err(|error| JobError::io(&path, "write", &error))?;
    }
    Ok(())
}

#[pymethods]
impl LinkedRelease {
    /// `release.json`.
    fn manifest(&self) -> String {
        self.manifest.to_json()
    }

    /// What the checker found, as JSON.
    fn findings(&self) -> String {
        listed(&self.findings)
    }

    /// How much of the original survived, as JSON: for the custodian.
    fn survived(&self) -> String {
        serde_json::to_value(self.survived).unwrap_or_default().to_string()
    }

    /// What the custodian should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Its folder, where it has one.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        match &self.place {
            Place::Memory(_) => None,
            Place::Folder(path) => Some(path.clone()),
        }
    }

    /// The custodian's folder, where the release has one.
    #[getter]
    fn custodian(&self) -> Option<PathBuf> {
        self.path().map(|path| custodian_of(&path))
    }

    /// The released files by their paths in the release.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        match &self.place {
            Place::Memory(held) => {
                for (name, bytes) in &held[0] {
                    files.set_item(name, PyBytes::new(py, bytes))?;
                }
            }
            Place::Folder(path) => {
                for (name, bytes) in read(path).map_err(|error| raised(py, &error))? {
                    files.set_item(name, PyBytes::new(py, &bytes))?;
                }
            }
        }
        Ok(files)
    }

    /// The page for recipients.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let bytes = self.file("report.html").map_err(|error| raised(py, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Brings a release in memory to a folder, with the custodian's beside it.
    fn keep(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let Place::Memory(held) = &self.place else {
            return Err(usage(py, Problem::new("the release has a folder already").mend("copy that")));
        };
        py.detach(|| {
            let folders = Folders::at(&folder, false, &[])?;
            write(folders.release(), &held[0])?;
            write(folders.custodian(), &held[1])?;
            folders.publish()
        })
        .map_err(|error| raised(py, &error))?;
        Ok(Self {
            place: Place::Folder(folder),
            manifest: self.manifest.clone(),
            findings: self.findings.clone(),
            survived: self.survived,
            warnings: self.warnings.clone(),
        })
    }

    /// The names of the released tables.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.manifest.tables.keys().cloned().collect()
    }

    /// The rows of a table.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Records> {
        let Some(table) = self.manifest.tables.get(name) else {
            return Err(PyKeyError::new_err(name.to_owned()));
        };
        let read = || -> Result<Batches, JobError> { typed(&self.file(&table.file)?, &table.columns) };
        py.detach(read).map(Records).map_err(|error| raised(py, &error))
    }
}

impl LinkedRelease {
    /// One of its files.
    fn file(&self, name: &str) -> Result<Vec<u8>, JobError> {
        match &self.place {
            Place::Memory(held) => Ok(held[0].get(name).cloned().unwrap_or_default()),
            Place::Folder(folder) => {
                let path = folder.join(name);
                std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))
            }
        }
    }

    /// Its folder, or one that holds its files for as long as it is held; the custodian's beside it for who attacks it.
    pub(crate) fn folder(&self, py: Python<'_>, for_custodian: bool) -> PyResult<Folder> {
        let held = match &self.place {
            Place::Folder(path) => return Ok(Folder { path: path.clone(), held: None }),
            Place::Memory(held) => held,
        };
        let temporary = Temporary::new(py, None)?;
        let release = temporary.release();
        let given = [(release.clone(), &held[0]), (custodian_of(&release), &held[1])];
        for (folder, files) in given.into_iter().take(1 + usize::from(for_custodian)) {
            let made = std::fs::create_dir(&folder).map_err(|error| JobError::io(&folder, "make", &error));
            made.and_then(|()| write(&folder, files)).map_err(|error| raised(py, &error))?;
        }
        Ok(Folder { path: release, held: Some(temporary.into_folder()) })
    }
}
