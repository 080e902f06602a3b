//! Signatures of releases.

use std::path::PathBuf;

use pyo3::prelude::*;
use velamen_core::error::Problem;
use velamen_job::sign::{SIGNATURE, password};

use crate::error::{raised, usage};
use crate::folder::Folder;
use crate::options::Common;
use crate::run::{run, unseeded};

/// Signs a release's folder; the path of the signature. An encrypted key's password is where the program looks for it.
#[pyfunction]
pub(crate) fn sign(
    py: Python<'_>,
    release: Folder,
    key: PathBuf,
    population: Option<PathBuf>,
    common: Common,
) -> PyResult<PathBuf> {
    if release.held.is_some() {
        return Err(usage(
            py,
            Problem::new("the release is in memory").mend("keep(folder) writes it; then sign it"),
        ));
    }
    run(py, unseeded(), &common, |context| {
        velamen_job::sign::sign(release.path(), &key, password(), population.as_deref(), context)
    })?;
    Ok(release.path().join(SIGNATURE))
}

/// Makes a pair of keys: the paths of the secret and of the public one.
#[pyfunction]
pub(crate) fn new_keys(py: Python<'_>, name: PathBuf) -> PyResult<(PathBuf, PathBuf)> {
    // Encrypting a key takes a second or so.
    let made = py.detach(|| velamen_job::sign::new_keys(&name, password()));
    let [secret, public] = made.map_err(|error| raised(py, &error))?;
    Ok((secret, public))
}
