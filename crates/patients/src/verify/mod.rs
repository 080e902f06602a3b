//! Reads a release of linked tables back and checks every promise with the independent checker.

mod originals;
mod preset;

use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_contract::linked::{FORMAT, LinkedManifest};
use velamen_contract::manifest::FILE;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_job::{CUSTODIAN_FILE, files_finding, in_file, recorded, replace_page};
use velamen_recipe::JobError;

use crate::checked::certify;
use crate::documents::{DOCUMENTS, PAGE, VERSION};
use crate::run::files;
use crate::shown::Gaps;

/// The manifest of a folder, where it is a release of linked tables.
///
/// # Errors
/// [`JobError::data`] if it is one whose manifest cannot be understood.
pub fn load(folder: &Path) -> Result<Option<LinkedManifest>, JobError> {
    let path = folder.join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    if !LinkedManifest::is_linked(&text) {
        return Ok(None);
    }
    let wrong = |problem: Problem| JobError::data(problem.after(&format!("{}: ", path.display())));
    let manifest: LinkedManifest = serde_json::from_str(&text)
        .map_err(|error| wrong(Problem::new(format!("not the manifest of a release: {error}"))))?;
    if manifest.linked > FORMAT {
        return Err(wrong(Problem::new("made by a later version").mend("verify it with that version")));
    }
    Ok(Some(manifest))
}

/// Checks a release folder of linked tables; the findings say what is known of each promise.
///
/// # Errors
/// [`JobError::data`] or [`JobError::io`] if a table cannot be read.
pub fn verify(
    folder: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let checked = certify(folder, manifest, context)?;
    let mut findings = checked.clone();
    if let Some(preset) = &manifest.preset {
        findings.push(preset::finding(preset, (folder, manifest, &checked), context));
    }
    findings.push(files_finding(folder)?);
    findings.push(documents(folder, manifest, &checked, context));
    Ok(findings)
}

/// Writes the page of a release again, from what every recipient has: the release is checked anew.
///
/// # Errors
/// As [`verify`], and those of writing the file.
pub fn write_report(
    folder: &Path,
    manifest: &LinkedManifest,
    output: &Path,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let checked = certify(folder, manifest, context)?;
    let gaps = Gaps::read(folder, manifest, context)?;
    let page = files(manifest, &checked, gaps).into_iter().find(|(name, _)| *name == PAGE);
    let (_, page) = page.expect("a release has a page");
    replace_page(folder, output, &page)?;
    Ok(checked)
}

/// The same, and with the custodian's folder whether `release.json` is that of the run, the finding `recorded`, and whether the released
/// rows are those of the original: the finding `originals`, which holds if it counts no fault.
///
/// | fault | a released row or cell for which this does not hold |
/// | --- | --- |
/// | `rows` | the row is that of one original row, of which no other is; rows of a table without keys: of the same parent, and no more than the original has |
/// | `persons` | its parent's key leads to the parent of its original row |
/// | `references` | a key leads to the row that the original cell leads to |
/// | `person-columns` | the value is one that `climbed.csv` has for the original one; if it has none, the original one |
/// | `codes` | so are codes; a code outside of sets, or of an insensitive column, is the original one; a cell can be empty |
/// | `numbers` | with d significant digits \|released − original\| ≤ ½·10^(⌊log₁₀ \|original\|⌋ + 1 − d), or it is the least (greatest) of its group and the original one is below (above); a band is the one of the original number |
/// | `dates` | the day is the original one changed as `dates` says: with a shift, moved by the days that `shifts.csv` has of the person, at most N; relative, by whole units since one of the person's original days, the same for all their rows |
/// | `emptied` | a column in which cells were emptied is stated as one, and no other is, by `emptied-cells` of `custodian.json`; references can also have lost the rows that they lead to |
///
/// Rows of tables that are made anew have no original and are not looked at; relative dates of tables without keys are not
/// either. What cannot be looked at because a file is missing is not checked, with the reason.
///
/// # Errors
/// As [`verify`], and [`JobError::data`] if an original table cannot be read.
pub fn verify_with(
    folder: &Path,
    manifest: &LinkedManifest,
    custodian: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let mut findings = verify(folder, manifest, context)?;
    if let Some(custodian) = custodian {
        findings.push(recorded(folder, custodian)?);
        let found = originals::finding(folder, manifest, custodian, context);
        findings.push(found.or_else(|error| originals::unread(error, &findings))?);
    }
    Ok(findings)
}

/// Whether the manifest is that of the run; not checked where nobody recorded it.
fn recorded(folder: &Path, custodian: &Path) -> Result<Finding, JobError> {
    match custodian.join(CUSTODIAN_FILE).is_file() {
        true => recorded::finding(folder, custodian),
        false => {
            let why = "the custodian's folder has no custodian.json";
            Ok(Finding::not_checked("recorded", json!({ "changed": [] }), why))
        }
    }
}

/// Whether the files beside the tables are those that follow from manifest, findings and released days.
fn documents(
    folder: &Path,
    manifest: &LinkedManifest,
    checked: &[Finding],
    context: &Context<'_>,
) -> Finding {
    // Tables that cannot be read have no days; the other findings say so.
    let gaps = Gaps::read(folder, manifest, context).unwrap_or(Gaps { with_three_days: 0, alone: 0 });
    let made = files(manifest, checked, gaps);
    let is_there = |(name, bytes): &&(&str, Vec<u8>)| {
        std::fs::read(folder.join(name)).is_ok_and(|found| found == *bytes)
    };
    let mut changed: Vec<&str> = made.iter().filter(|file| !is_there(file)).map(|(name, _)| *name).collect();
    let unlisted = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let unlisted: Vec<String> =
        unlisted.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let known = |name: &str| {
        let others = [FILE, "data", "SHA256SUMS", "SHA256SUMS.minisig"];
        DOCUMENTS.contains(&name) || others.contains(&name)
    };
    changed.extend(unlisted.iter().map(String::as_str).filter(|name| !known(name)));
    let asked = json!({ "changed": [] });
    let active: Vec<String> = changed.iter().flat_map(|name| run_by(folder, name)).collect();
    if !active.is_empty() {
        let reached = json!({ "changed": changed, "active": active });
        return Finding::of("documents", asked, reached, false);
    }
    let holds = changed.is_empty() && manifest.documents == DOCUMENTS;
    if !holds && manifest.velamen != VERSION {
        let why = "made by another version, which can check them";
        return Finding::not_checked("documents", asked, why);
    }
    Finding::of("documents", asked, json!({ "changed": changed }), holds)
}

/// What a file of a folder runs or loads, whichever version wrote it.
fn run_by(folder: &Path, name: &str) -> Vec<String> {
    let path = folder.join(name);
    let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
    let bytes = if is_file { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    in_file(name, &bytes)
}
