//! Reading a manifest from a release's folder, and the files that it is written to.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use velamen_contract::linked::LinkedManifest;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError, plain};

use crate::manifest::{AttributeEntry, FILE, FORMAT, Manifest, Stated};
use crate::{apart, strict};

/// Reads the manifest of a release folder.
///
/// # Errors
/// [`JobError::io`] if there is none, [`JobError::data`] if it does not read, [`JobError::promise`] if a hierarchy that it
/// names is another.
pub fn load(folder: &Path) -> Result<Manifest, JobError> {
    let path = folder.join(FILE);
    plain::folder(folder)?;
    path.metadata().map_err(|error| unread(folder, &path, &error))?;
    let text = plain::read(&path, "read the manifest")?;
    refuse_linked(&text, &path)?;
    let wrong = |error| {
        JobError::data(format!("{}: not a release's manifest: {error}", path.display())).coded(Code::MANIFEST)
    };
    let format: Format = serde_json::from_slice(&text).map_err(wrong)?;
    let at = format!("{}: ", path.display());
    known_format(&format).map_err(|problem| JobError::data(problem.after(&at)).coded(Code::MANIFEST))?;
    let mut stated: Stated = serde_json::from_slice(&text).map_err(wrong)?;
    refuse_unlike(&stated, &text)
        .map_err(|problem| JobError::promise(problem.after(&at)).coded(Code::RELEASE_BROKEN))?;
    let mut attributes = std::mem::take(&mut stated.attributes);
    apart::put_back(&mut attributes, folder)?;
    let attributes = attributes.into_iter().map(attribute).collect::<Result<_, JobError>>()?;
    Ok(stated.with_attributes(attributes))
}

/// Refuses a release of linked tables, which commands over one table do not read.
fn refuse_linked(text: &[u8], path: &Path) -> Result<(), JobError> {
    if !std::str::from_utf8(text).is_ok_and(LinkedManifest::is_linked) {
        return Ok(());
    }
    let problem =
        Problem::new(format!("{}: a release of linked tables, and this looks at one table", path.display()));
    Err(JobError::usage(problem.mend("use `velamen verify` or `velamen measure`, which know them")))
}

fn attribute((name, entry): (String, Value)) -> Result<(String, AttributeEntry), JobError> {
    match serde_json::from_value(entry) {
        Ok(entry) => Ok((name, entry)),
        Err(error) => {
            Err(JobError::promise(format!("{FILE}: attribute `{name}`: {error}")).coded(Code::RELEASE_BROKEN))
        }
    }
}

/// Refuses a text that says something twice, or, in the form that is written now, anything that this program does not
/// write: nobody would compare it.
fn refuse_unlike(manifest: &Stated, text: &[u8]) -> Result<(), Problem> {
    let Some(stated) = strict::once(text) else {
        return Err(
            Problem::new("a key stands twice in one object").mend("take the release from its source again")
        );
    };
    if !manifest.is_current() {
        return Ok(());
    }
    let unlike = strict::unlike(&stated, manifest);
    if !unlike.is_empty() {
        let unlike = unlike.join(", ");
        return Err(Problem::new(format!("not as format {FORMAT} is written: {unlike}"))
            .mend("take the release from its source again"));
    }
    match strict::unsaid(manifest) {
        None => Ok(()),
        Some((model, parameter)) => Err(Problem::new(format!(
            "privacy: the promise of {model} does not state `{parameter}`, which format {FORMAT} always \
                does, so that nobody knows what was promised"
        ))
        .mend("take the release from its source again")),
    }
}

/// Whether the manifest of a folder is, byte for byte, what this program writes of what it says. Of forms that are no longer
/// written nothing is compared.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if it does not read.
pub fn is_as_written(folder: &Path) -> Result<bool, JobError> {
    let path = folder.join(FILE);
    let text = plain::read(&path, "read the manifest")?;
    let Ok(text) = std::str::from_utf8(&text) else { return Ok(false) };
    let stated: Stated = serde_json::from_str(text)
        .map_err(|error| JobError::data(format!("{}: not a release's manifest: {error}", path.display())))?;
    Ok(!stated.is_current() || strict::is_as_written(text, &stated))
}

/// The files of a manifest, by name: itself, and hierarchies that are too large to stand in it.
#[must_use]
pub fn files(manifest: &Manifest) -> Vec<(String, Vec<u8>)> {
    let (attributes, mut files) = apart::take(&manifest.attributes);
    let written = manifest.without_attributes().with_attributes(attributes);
    files.push((FILE.to_owned(), written.to_json().into_bytes()));
    files
}

/// Why a manifest cannot be read: a folder without one is no release.
fn unread(folder: &Path, path: &Path, error: &std::io::Error) -> JobError {
    let problem = match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {}", path.display()),
        std::io::ErrorKind::NotADirectory => "it is a file, and a release is a folder".to_owned(),
        _ => return JobError::io(path, "read the manifest", error),
    };
    JobError::unusable(format!("{}: is not a release: {problem}", folder.display())).coded(Code::NO_RELEASE)
}

/// The number of a manifest's form, whatever else it has.
#[derive(Deserialize)]
struct Format {
    format: Option<Value>,
}

/// Refuses the form of a later version, in which fields may mean something else.
fn known_format(manifest: &Format) -> Result<(), Problem> {
    match manifest.format.as_ref().map(Value::as_u64) {
        None | Some(Some(1..=FORMAT)) => Ok(()),
        Some(Some(later)) if later > FORMAT => Err(Problem::new(format!(
            "its format is {later}, and this version of velamen reads up to format {FORMAT}"
        ))
        .mend("use the version that made the release, or a later one")),
        Some(_) => {
            Err(Problem::new("format: a wrong value").expected(format!("a whole number from 1 to {FORMAT}")))
        }
    }
}
