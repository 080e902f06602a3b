//! Releases that were made: in a folder, or in memory.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use velamen_assess::operation::findings;
use velamen_checker::Finding;
use velamen_core::error::Problem;
use velamen_job::{Kept, Outcome};
use velamen_recipe::{JobError, custodian_of};
use velamen_report::Manifest;

use crate::arrow::Records;
use crate::error::{TEMPORARY, raised, usage};
use crate::folder::Folder;
use crate::options::Common;
use crate::run::{run, unseeded};

/// A certified release.
#[pyclass(frozen, module = "velamen._velamen")]
pub(crate) struct Release {
    place: ReleaseFiles,
    manifest: Manifest,
    findings: Vec<Finding>,
    warnings: Vec<String>,
}

/// Where its files are.
enum ReleaseFiles {
    Memory(Box<Kept>),
    Folder(PathBuf),
}

#[pymethods]
impl Release {
    /// `release.json`.
    fn manifest(&self) -> String {
        self.manifest.to_json()
    }

    /// What the checker found, as JSON.
    fn findings(&self) -> String {
        listed(&self.findings)
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
            ReleaseFiles::Memory(_) => None,
            ReleaseFiles::Folder(path) => Some(path.clone()),
        }
    }

    /// The custodian's folder, where the release has one.
    #[getter]
    fn custodian(&self) -> Option<PathBuf> {
        self.path().map(|path| custodian_of(&path))
    }

    /// The released files by name.
    fn files<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        match &self.place {
            ReleaseFiles::Memory(kept) => {
                for (name, bytes) in kept.files() {
                    files.set_item(name, PyBytes::new(py, bytes))?;
                }
            }
            ReleaseFiles::Folder(path) => {
                for (name, bytes) in read_all(path).map_err(|error| raised(py, &error))? {
                    files.set_item(name, PyBytes::new(py, &bytes))?;
                }
            }
        }
        Ok(files)
    }

    /// The page for recipients.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let bytes = match &self.place {
            ReleaseFiles::Memory(kept) => kept.files().get("report.html").cloned().unwrap_or_default(),
            ReleaseFiles::Folder(path) => {
                let path = path.join("report.html");
                std::fs::read(&path).map_err(|error| raised(py, &JobError::io(&path, "read", &error)))?
            }
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Brings a release in memory to a folder, with the custodian's beside it.
    fn keep(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let ReleaseFiles::Memory(kept) = &self.place else {
            return Err(usage(py, Problem::new("the release has a folder already").mend("copy that")));
        };
        py.detach(|| kept.publish(&folder)).map_err(|error| raised(py, &error))?;
        Ok(Self {
            place: ReleaseFiles::Folder(folder),
            manifest: self.manifest.clone(),
            findings: self.findings.clone(),
            warnings: self.warnings.clone(),
        })
    }

    /// The released records.
    fn records(&self, py: Python<'_>) -> PyResult<Records> {
        let common = Common { threads: None, progress: None };
        let batches = run(py, unseeded(), &common, |context| match &self.place {
            ReleaseFiles::Memory(kept) => {
                let data = kept.files().get(&self.manifest.data.file).cloned().unwrap_or_default();
                velamen_job::records_of(&self.manifest, data, context)
            }
            ReleaseFiles::Folder(path) => velamen_job::records(path, context),
        });
        batches.map(Records)
    }
}

impl Release {
    /// Its folder, or one that holds its public files for as long as it is held.
    pub(crate) fn folder(&self, py: Python<'_>) -> PyResult<Folder> {
        let kept = match &self.place {
            ReleaseFiles::Folder(path) => return Ok(Folder { path: path.clone(), held: None }),
            ReleaseFiles::Memory(kept) => kept,
        };
        let failed = |error: std::io::Error| {
            raised(py, &JobError::unusable(format!("a temporary folder: cannot write: {error}")))
        };
        let held = tempfile::Builder::new().prefix(TEMPORARY).tempdir().map_err(failed)?;
        for (name, bytes) in kept.files() {
            std::fs::write(held.path().join(name), bytes).map_err(failed)?;
        }
        Ok(Folder { path: held.path().to_owned(), held: Some(held) })
    }

    pub(crate) fn of_outcome(outcome: Outcome) -> Self {
        let Outcome { manifest, findings, release, warnings, .. } = outcome;
        Self { place: ReleaseFiles::Folder(release), manifest, findings, warnings }
    }

    pub(crate) fn of_kept(kept: Kept) -> Self {
        let (manifest, findings) = (kept.manifest().clone(), kept.findings().to_vec());
        let warnings = kept.warnings().to_vec();
        Self { place: ReleaseFiles::Memory(Box::new(kept)), manifest, findings, warnings }
    }
}

fn read_all(folder: &std::path::Path) -> Result<Vec<(String, Vec<u8>)>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read", &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() {
            files.push((name, std::fs::read(&path).map_err(failed)?));
        }
    }
    files.sort();
    Ok(files)
}

/// Findings as JSON.
pub(crate) fn listed(found: &[Finding]) -> String {
    serde_json::to_value(findings(found)).unwrap_or_default().to_string()
}
