//! Releases of linked tables that were made: in a folder, or in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use velamen_checker::Finding;
use velamen_contract::linked::LinkedManifest;
use velamen_core::error::Problem;
use velamen_engine::source::Batches;
use velamen_job::Folders;
use velamen_patients::{Outcome, Survived};
use velamen_recipe::{JobError, custodian_of};

use crate::arrow::{Records, typed};
use crate::error::{raised, usage};
use crate::folder::Folder;
use crate::released::listed;
use crate::temporary::Temporary;

/// A folder's files by their paths in it.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

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
    /// Of a run; its files, and the custodian's, if they are to be in memory.
    pub(crate) fn of_outcome(outcome: Outcome, files: Option<[Files; 2]>) -> Self {
        let Outcome { manifest, findings, survived, warnings, release, .. } = outcome;
        let place = files.map_or(Place::Folder(release), |files| Place::Memory(Box::new(files)));
        Self { place, manifest, findings, survived, warnings }
    }

    /// The files of a release in a folder, and those of the custodian.
    pub(crate) fn files_of(release: &Path) -> Result<[Files; 2], JobError> {
        Ok([read(release)?, read(&custodian_of(release))?])
    }

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
        let temporary = Temporary::new(py, Vec::new())?;
        let release = temporary.release();
        let given = [(release.clone(), &held[0]), (custodian_of(&release), &held[1])];
        for (folder, files) in given.into_iter().take(1 + usize::from(for_custodian)) {
            let made = std::fs::create_dir(&folder).map_err(|error| JobError::io(&folder, "make", &error));
            made.and_then(|()| write(&folder, files)).map_err(|error| raised(py, &error))?;
        }
        Ok(Folder { path: release, held: Some(temporary.into_folder()) })
    }
}
