//! The resources of a release as rows in memory.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_contract::linked::{DATA, LinkedManifest, Shape};
use velamen_recipe::JobError;

use super::flatten::{Asked, Days, flattened};
use super::held::Held;
use crate::stop::Stop;

/// The rows of a release's resources by kind; nothing where it has tables.
///
/// # Errors
/// As [`flattened`].
pub(crate) fn rows_of(
    release: &Path,
    manifest: &LinkedManifest,
    stop: Stop<'_>,
) -> Result<Option<BTreeMap<String, Held>>, JobError> {
    let data = release.join(DATA);
    let rows = || flattened(&data, &data, asked(), stop).map(|mut resources| resources.take_rows());
    (manifest.shape == Shape::Fhir).then(rows).transpose()
}

fn asked() -> Asked {
    Asked { days: Days::Whole, ..Asked::default() }
}
