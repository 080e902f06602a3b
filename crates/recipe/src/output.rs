//! Where the release goes.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_engine::FileFormat;

use super::Recipe;
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
    /// Files that go with the release, such as `["contract.pdf"]`: each is copied into the folder under its own name, and
    /// release.json has its SHA-256.
    #[serde(default)]
    pub attach: Vec<PathBuf>,
    /// Whether both folders are on the disk, safe from a power cut, before they appear under their names.
    #[serde(default = "super::yes")]
    pub sync: bool,
}

/// Names of files that a run writes into a release, or that signing does: no attached file can have them.
const OWN: [&str; 8] = [
    "release.json",
    "report.html",
    "readme.md",
    "codebook.csv",
    "labels.csv",
    "catalog.csv",
    "measurements.json",
    "custodian.json",
];
/// How names of a release's own files begin, besides.
const OWN_BEGINNINGS: [&str; 3] = ["data.", "hierarchy-", "sha256sums"];

impl Recipe {
    /// The attached files by the names that they get, and where they lie.
    pub(super) fn attached(&self, recipe: &Path) -> Result<Vec<(String, PathBuf)>, Problem> {
        let base = recipe.parent().unwrap_or(Path::new(""));
        let mut attached: Vec<(String, PathBuf)> = Vec::new();
        for file in &self.output.attach {
            let name = file.file_name().and_then(|name| name.to_str()).filter(|name| is_free(name));
            let name = name.ok_or_else(|| {
                Problem::new(format!("{}: its name is one of a release's own, or hidden", file.display()))
                    .mend("rename it")
            })?;
            if attached.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(
                    Problem::new(format!("`{name}`: two attached files have this name")).mend("rename one")
                );
            }
            attached.push((name.to_owned(), base.join(file)));
        }
        Ok(attached)
    }
}

/// Whether a release has no file of that name of its own, and none can be hidden under it.
fn is_free(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_own = OWN.contains(&&*lower) || OWN_BEGINNINGS.iter().any(|begin| lower.starts_with(begin));
    let is_litter = ["thumbs.db", "desktop.ini"].contains(&&*lower);
    !is_own && !is_litter && !name.starts_with('.') && !name.chars().any(char::is_control)
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
pub(super) fn written_format(name: &str) -> Result<FileFormat, Problem> {
    let format = format_of(name)?;
    match format.format.is_written() {
        true => Ok(format),
        false => {
            Err(Problem::new(format!("`{name}` is read, not written")).mend("choose \"csv\" or \"parquet\""))
        }
    }
}

/// A file format by its name.
pub(super) fn format_of(name: &str) -> Result<FileFormat, Problem> {
    FileFormat::from_str(name)
        .map_err(|problem| problem.mend_if(did_you_mean(name, velamen_engine::format::names())))
}
