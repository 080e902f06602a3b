//! Where the release goes.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_engine::FileFormat;

use super::nearest::did_you_mean;

/// `[output]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputSection {
    /// The release folder; `.custodian` is appended for what must not be published.
    pub path: PathBuf,
    /// As the input's when left out.
    pub format: Option<String>,
    /// What becomes of cells of delimited text that a spreadsheet would run as formulas.
    #[serde(default)]
    pub formulas: Formulas,
    /// A database that gets the released records, too: `postgresql://host:port/name` or `sqlite:path`.
    pub database: Option<String>,
    /// The new table there, `table` or `schema.table`.
    pub table: Option<String>,
    /// Whether both folders are on the disk, safe from a power cut, before they appear under their names.
    #[serde(default = "super::yes")]
    pub sync: bool,
}

/// The folder beside a release for what must not be published.
#[must_use]
pub fn custodian_of(release: &Path) -> PathBuf {
    let mut name = release.file_name().unwrap_or_default().to_os_string();
    name.push(".custodian");
    release.with_file_name(name)
}

/// What becomes of cells that begin like a formula and are no number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Formulas {
    /// An apostrophe is put in front, which spreadsheets take for text.
    #[default]
    Escape,
    /// They are written as they are.
    Keep,
}

/// A format of releases by its name.
pub(super) fn written_format(name: &str) -> Result<FileFormat, String> {
    let format = format_of(name)?;
    match format.format.is_written() {
        true => Ok(format),
        false => Err(format!("`{name}` is read, not written; choose \"csv\" or \"parquet\"")),
    }
}

/// A file format by its name.
pub(super) fn format_of(name: &str) -> Result<FileFormat, String> {
    FileFormat::from_str(name)
        .map_err(|problem| problem + &did_you_mean(name, velamen_engine::format::names()))
}
