//! The public report of a release, made again from its folder.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::release::certify::Finding;

use crate::anonymize::pictures;
use crate::error::JobError;
use crate::output_file;
use crate::published::Published;
use crate::verify::verify;

/// Writes the public report of a release folder to a file: the page that `anonymize` put into the folder, from
/// what every recipient has. The release is checked anew; the findings are on the page and returned.
///
/// # Errors
/// [`JobError`] of reading the release or writing the file.
pub fn write_report(folder: &Path, output: &Path, context: &Context<'_>) -> Result<Vec<Finding>, JobError> {
    let findings = verify(folder, None, context)?;
    let published = Published::load(folder, None, context)?;
    // What is stated of the files is compared after a release is made, so that its own page does not tell it.
    let told: Vec<Finding> =
        findings.iter().filter(|finding| finding.promise != "manifest" || !finding.holds).cloned().collect();
    let page = pictures::public(&published.manifest, &told, &published.release);
    output_file::write(output, |path| {
        std::fs::write(path, &page).map_err(|error| JobError::io(path, "write the report", &error))
    })?;
    Ok(findings)
}
