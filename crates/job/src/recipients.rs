//! The files that tell recipients how to use a release, and whether those of a folder are they.

use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::release::Release;
use velamen_engine::FileFormat;
use velamen_engine::format::Programs;
use velamen_engine::formula::escape;
use velamen_recipe::JobError;
use velamen_report::Manifest;
use velamen_report::recipient::{self, CODEBOOK, Counted, Documents, LABELS, MEASURED, README, Reading};

use crate::active::in_file;

/// The version that makes releases.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Names and bytes of the files, in the order of the manifest.
pub(crate) fn files(manifest: &Manifest, release: &Release) -> Result<Vec<(String, Vec<u8>)>, JobError> {
    let Documents { readme, codebook, labels, metadata } =
        Documents::of(manifest, release, &reading(manifest)?)?;
    let mut files =
        vec![(README.to_owned(), readme.into_bytes()), (CODEBOOK.to_owned(), table(CODEBOOK, &codebook)?)];
    if !labels.is_empty() {
        files.push((LABELS.to_owned(), table(LABELS, &labels)?));
    }
    if let Some(measured) = manifest.method.measurements() {
        files.push((
            MEASURED.to_owned(),
            recipient::measured(&measured, release, &Counted::of(&measured, manifest))?.into_bytes(),
        ));
    }
    files.extend(metadata.map(|(name, text)| (name, text.into_bytes())));
    Ok(files)
}

/// How programs read the released file.
fn reading(manifest: &Manifest) -> Result<Reading, JobError> {
    let format: FileFormat = manifest.data.format.parse().map_err(JobError::data)?;
    let usual = format.format.facts.delimited.map(|delimited| char::from(delimited.usual).to_string());
    let delimiter = manifest.data.delimiter.clone().filter(|_| usual.is_some()).or(usual);
    let written = delimiter.as_deref().unwrap_or_default().replace('\\', "\\\\").replace('\t', "\\t");
    let line = |text: &str| text.replace("{file}", &manifest.data.file).replace("{delimiter}", &written);
    let Programs { pandas, polars, r, duckdb } = format.format.programs;
    let [pandas, polars, r, duckdb] = [pandas, polars, r, duckdb].map(line);
    Ok(Reading { delimiter, pandas, polars, r, duckdb })
}

/// The code that reads a release's folder, as its README has it, by program.
#[cfg(feature = "reports")]
pub(crate) fn programs(manifest: &Manifest, release: &Release) -> Vec<(String, String)> {
    if manifest.documents.is_empty() && !manifest.is_current() {
        return Vec::new();
    }
    let programs = reading(manifest).and_then(|reading| recipient::programs(manifest, release, &reading));
    let programs = programs.unwrap_or_default().into_iter();
    programs.map(|snippet| (snippet.program.to_owned(), snippet.code)).collect()
}

/// Rows as delimited text; what a spreadsheet would run as a formula is written as in the released file.
fn table(name: &str, rows: &[Vec<String>]) -> Result<Vec<u8>, JobError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let cells = row.iter().map(|cell| escape(cell).into_owned());
        writer
            .write_record(cells)
            .map_err(|error| JobError::unusable(format!("{name}: cannot write: {error}")))?;
    }
    writer
        .into_inner()
        .map_err(|error| JobError::unusable(format!("{name}: cannot write: {}", error.error())))
}

/// Whether the files of a folder are those that follow from manifest and released records; `None` for a release that
/// was made without them.
pub(crate) fn compare(
    manifest: &Manifest,
    release: &Release,
    folder: &Path,
) -> Result<Option<Finding>, JobError> {
    if manifest.documents.is_empty() && !manifest.is_current() {
        return Ok(None);
    }
    let made = files(manifest, release)?;
    let is_there = |(name, bytes): &&(String, Vec<u8>)| {
        let path = folder.join(name);
        // A link can lead to a device that never ends.
        let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
        is_file && std::fs::read(path).is_ok_and(|found| found == *bytes)
    };
    let changed: Vec<&str> =
        made.iter().filter(|file| !is_there(file)).map(|(name, _)| name.as_str()).collect();
    let listed = made.iter().map(|(name, _)| name).eq(&manifest.documents);
    let asked = json!({ "changed": [] });
    let holds = changed.is_empty() && listed;
    let active: Vec<String> = changed.iter().flat_map(|name| run_by(&folder.join(name), name)).collect();
    if !active.is_empty() {
        let reached = json!({ "changed": changed, "active": active });
        return Ok(Some(Finding::of("documents", asked, reached, false)));
    }
    // Another version may word its files otherwise: that they differ shows nothing.
    let is_ours = manifest.velamen == VERSION && manifest.is_current();
    if !holds && !is_ours {
        // Whoever changed the files can have changed the version, too: it is called what the release says.
        let by: String = manifest.velamen.chars().filter(char::is_ascii_graphic).take(40).collect();
        let what = if changed.is_empty() { "their list".to_owned() } else { changed.join(", ") };
        let why = format!(
            "{what}: not what velamen {VERSION} writes; the release says that velamen {by} made it, which can check this"
        );
        return Ok(Some(Finding::not_checked("documents", asked, &why)));
    }
    Ok(Some(Finding::of("documents", asked, json!({ "changed": changed }), holds)))
}

/// What a file runs or loads; nothing of one that cannot be read.
fn run_by(path: &Path, name: &str) -> Vec<String> {
    let is_file = path.symlink_metadata().is_ok_and(|there| there.is_file());
    let bytes = if is_file { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    in_file(name, &bytes)
}
