//! `[tables.NAME]` and its columns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_recipe::{HierarchySection, IdentifierLike};

/// `[tables.NAME]`
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TableSection {
    /// Its file, from the input folder on; of a known shape the standard's.
    pub path: Option<PathBuf>,
    /// Of a database what gives its rows; left out: the table of its name.
    pub query: Option<String>,
    /// The first and the last day that its rows are about, where it begins later or ends earlier than others.
    pub window: Option<[String; 2]>,
    /// The column of its keys.
    pub key: Option<String>,
    /// Whose rows its rows are.
    pub parent: Option<ParentSection>,
    /// Whether it is left out.
    pub drop: bool,
    /// Whether having a row in it is a person column, as in a table of deaths.
    pub is_person_column: Option<bool>,
    /// Whether rows that no released row refers to are left out, as visits that lost all their codes are.
    pub is_referred_to: Option<bool>,
    /// What becomes of rows whose parent is not there.
    pub orphans: Orphans,
    /// The part each column plays.
    pub attributes: BTreeMap<String, ColumnSection>,
}

/// `parent = { table = "patients", column = "patient_id" }`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParentSection {
    /// The table of the parents.
    pub table: String,
    /// The column with their keys.
    pub column: String,
}

/// What becomes of a row whose parent is not there, and of a reference to a row that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orphans {
    /// The run is refused.
    #[default]
    Refuse,
    /// The row is left out; the reference is emptied.
    Drop,
}

/// What becomes of codes of public events: ICD-10 V01–Y98, Z37–Z38, P00–P96 and R95–R99, in columns whose hierarchy is that
/// of ICD-10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PublicEvents {
    /// Their rows are left out.
    #[default]
    Drop,
    /// They are released as others are.
    Keep,
}

/// The part that a column of linked tables plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnRole {
    /// Left out.
    Identifier,
    /// A person column.
    QuasiIdentifier,
    /// Codes of which somebody may know some.
    Set,
    /// Codes of which each is to be that of enough persons.
    Code,
    /// Numbers.
    Value,
    /// Dates.
    Date,
    /// The key of a row of another table.
    Reference,
    /// Released as recorded.
    Insensitive,
}

/// `[tables.NAME.attributes.COLUMN]`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ColumnSection {
    /// The part that it plays; of a known shape the standard's.
    pub role: Option<ColumnRole>,
    /// How its values are generalized.
    pub hierarchy: Option<CodeHierarchy>,
    /// What stands between the codes of a cell. A list of Parquet or NDJSON is a cell by itself; its codes are released with
    /// this between them, `;` if left out.
    pub items: Option<String>,
    /// The most significant digits of a number, 1 to 3.
    #[schemars(range(min = 1, max = 3))]
    pub digits: Option<u8>,
    /// The columns by which numbers are told apart: code and unit.
    pub by: Option<Vec<String>>,
    /// The bounds of a number's bands, ascending.
    pub bands: Option<Vec<f64>>,
    /// The table that a reference leads to.
    pub table: Option<String>,
    /// Whether it is the day or the year of a birth.
    #[serde(default)]
    pub birth: bool,
    /// The level of a person column.
    pub level: Option<u8>,
    /// That it may be released although it looks like what names a person.
    pub identifier_like: Option<IdentifierLike>,
}

/// How values of a column of linked tables are generalized.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum CodeHierarchy {
    /// The vocabulary tables of an OMOP export.
    Omop(OmopHierarchy),
    /// As in a recipe of one table.
    Of(HierarchySection),
}

/// `hierarchy = { omop = "vocabulary" }`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OmopHierarchy {
    /// The folder of CONCEPT_ANCESTOR and CONCEPT_RELATIONSHIP.
    pub omop: PathBuf,
}

impl<'de> Deserialize<'de> for CodeHierarchy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let is_omop = value.get("omop").is_some();
        let read = match is_omop {
            true => serde_json::from_value(value).map(Self::Omop),
            false => serde_json::from_value(value).map(Self::Of),
        };
        read.map_err(serde::de::Error::custom)
    }
}

impl ColumnSection {
    /// The file or folder that its hierarchy names.
    pub(crate) fn named_file(&self) -> Option<&Path> {
        match self.hierarchy.as_ref()? {
            CodeHierarchy::Omop(omop) => Some(&omop.omop),
            CodeHierarchy::Of(section) => section.file(),
        }
    }

    /// The same, to be changed.
    pub(super) fn file(&mut self) -> Option<&mut PathBuf> {
        match self.hierarchy.as_mut()? {
            CodeHierarchy::Omop(omop) => Some(&mut omop.omop),
            CodeHierarchy::Of(section) => section.path(),
        }
    }
}
