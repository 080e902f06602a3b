//! The public report of a release, made again from its folder.

use std::path::Path;

use velamen_checker::{Finding, State};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use crate::output_file;
use crate::outputs::{self, Read, parent};
use crate::published::Published;
use crate::session::pages::PUBLIC_PAGE;
use crate::session::pictures;
use crate::verify::{conclusion, verify};

/// What is compared after a release is made.
const COMPARED: [&str; 11] = [
    "manifest",
    "noise",
    "data",
    "files",
    "parameters",
    "format",
    "utility",
    "adversary",
    "original-figures",
    "documents",
    "report",
];

/// Whether nothing but the page is missing in a folder.
fn lacks_page(finding: &Finding) -> bool {
    let none = |key: &str| finding.reached[key].as_array().is_some_and(Vec::is_empty);
    finding.promise == "files"
        && none("changed")
        && none("foreign")
        && finding.reached["missing"]
            .as_array()
            .is_some_and(|missing| missing.iter().all(|name| name == PUBLIC_PAGE))
}

/// Writes the public report of a release folder to a file: the page that `anonymize` put into the folder, from
/// what every recipient has. The release is checked anew, with the population's table if there is one; the findings
/// are on the page and returned. Where a wrong page is replaced, they are those of the folder with the new one.
///
/// # Errors
/// [`JobError`] of reading the release or writing the file.
pub fn write_report(
    folder: &Path,
    output: &Path,
    population: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    refuse_data(folder, output)?;
    let findings = verify(folder, population, context)?;
    // A file that does not read is the promise that it breaks, as in `verify`.
    let published = Published::load(folder, None, context)
        .map_err(|error| conclusion(&findings).err().unwrap_or(error))?;
    // What is stated of the files is compared after a release is made, so that its own page does not tell it.
    let compared = |finding: &Finding| COMPARED.contains(&&*finding.promise);
    let fine = |state: State| matches!(state, State::Held | State::Stated);
    // The page that is there is the one that is replaced.
    let told = |finding: &&Finding| {
        !compared(finding) || (!fine(finding.state) && finding.promise != "report" && !lacks_page(finding))
    };
    let told: Vec<Finding> = findings.iter().filter(told).cloned().collect();
    write_page(output, pictures::public(&published.manifest, &told, &published.release).as_bytes())?;
    let of_page =
        |finding: &Finding| !fine(finding.state) && ["report", "files"].contains(&&*finding.promise);
    match is_own(folder, output) && findings.iter().any(of_page) {
        true => verify(folder, population, context),
        false => Ok(findings),
    }
}

/// Whether a file is the page of a release folder.
fn is_own(folder: &Path, output: &Path) -> bool {
    let in_folder = || parent(output).canonicalize().ok() == folder.canonicalize().ok();
    output.file_name().is_some_and(|name| name == PUBLIC_PAGE) && in_folder()
}

/// Writes the page of a release folder to a file, in place of a page and of nothing else.
///
/// # Errors
/// [`JobError::usage`] if something else would be replaced, [`JobError::io`].
pub fn replace_page(folder: &Path, output: &Path, page: &[u8]) -> Result<(), JobError> {
    refuse_data(folder, output)?;
    write_page(output, page)
}

fn write_page(output: &Path, page: &[u8]) -> Result<(), JobError> {
    output_file::write(output, |path| {
        std::fs::write(path, page).map_err(|error| JobError::io(path, "write the report", &error))
    })
}

/// A page replaces a page, and nothing else of a release or beside it.
fn refuse_data(folder: &Path, output: &Path) -> Result<(), JobError> {
    let read = Read::release(folder);
    outputs::refuse(output, if is_own(folder, output) { &[] } else { std::slice::from_ref(&read) })?;
    let is_page = |text: &[u8]| text.trim_ascii_start().to_ascii_lowercase().starts_with(b"<!doctype html");
    let is_file = output.metadata().is_ok_and(|there| there.is_file());
    match is_file.then(|| beginning(output)) {
        Some(Ok(text)) if !is_page(&text) => {
            let problem = format!("{}: exists and is no page; a report would replace it", output.display());
            Err(JobError::usage(problem).mend("name another file"))
        }
        _ => Ok(()),
    }
}

/// The first bytes of a file, enough to tell a page.
fn beginning(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(1024).read_to_end(&mut text)?;
    Ok(text)
}
