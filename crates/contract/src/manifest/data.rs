//! The released file.

use serde::{Deserialize, Serialize};

/// The released file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFile {
    /// Its name in the release folder.
    pub file: String,
    /// Its format.
    pub format: String,
    /// The types of its columns, in their order, in formats that have types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// The delimiter of delimited text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// Whether cells that a spreadsheet would run as formulas have an apostrophe in front.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escaped: bool,
    /// Whether there are such cells and they are written as they are, by the recipe's wish.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub formulas_kept: bool,
}
