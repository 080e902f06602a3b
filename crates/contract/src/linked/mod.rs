//! What a release of linked tables promises, as types: the form of its `release.json`, and the names that recipes and
//! releases share. Data only.

pub mod not_covered;
mod promise;
mod table;
mod units;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use promise::{Counts, Dates, SetPromise, Tier, Unit};
pub use table::{Column, Table};
pub use units::{UNITS, is_unit};

use crate::manifest::{About, PresetEntry};

/// The number of the form of a manifest of linked tables.
pub const FORMAT: u64 = 1;

/// The folder of the released tables in a release.
pub const DATA: &str = "data";

/// The `meta` of a released resource of FHIR: that it was anonymized, in HL7's terms.
pub const SECURITY: &str = r#"{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"ANONYED"}]}"#;

/// How files of resources end, as FHIR's bulk data name them.
pub const RESOURCES: &str = "ndjson";

/// The file of the labels of released values in a release.
pub const LABELS: &str = "labels.csv";

/// What dates are relative to: the first day of each person is written as this.
pub const FIRST_DAY: &str = "2000-01-01";

/// The manifest of a release of linked tables. A table's name is its place in `tables`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinkedManifest {
    /// The number of this form, by which a manifest of linked tables is known.
    pub linked: u64,
    /// The version that made the release.
    pub velamen: String,
    /// What the custodian says of it.
    #[serde(default, skip_serializing_if = "About::is_empty")]
    pub about: About,
    /// The published rule that it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PresetEntry>,
    /// What kind of folder the tables came from.
    pub shape: Shape,
    /// For whom the release is.
    pub tier: Tier,
    /// How it was made.
    pub method: ThinStatement,
    /// The persons.
    pub persons: Persons,
    /// What became of dates.
    pub dates: Dates,
    /// The first and the last day that the data are about, as declared; with a shift released days keep away from both by
    /// as many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<[String; 2]>,
    /// The columns, as `table.column`, in which no code is that of a public event: ICD-10 V00–Y98, Z37–Z38, P00–P96, R95–R99.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public_events: Vec<String>,
    /// The names and codes of units that the custodian declared, beside those of [`UNITS`]; of another system than UCUM as `system|code`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// The privacy models, in the recipe's order.
    pub privacy: Vec<SetPromise>,
    /// The least number of persons of every released code that is in no set.
    pub code_floor: u64,
    /// What holds of numbers of rows.
    pub counts: Counts,
    /// What holds of ages; absent where no birth is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ages: Option<Ages>,
    /// What the promises are not about: at least the sentences of [`not_covered::ALWAYS`], and with a shift those of
    /// [`not_covered::OF_A_SHIFT`].
    pub not_covered: Vec<String>,
    /// How many codes of each `table.column` stand at an ancestor.
    #[serde(default)]
    pub generalized_codes: IndexMap<String, u64>,
    /// The files beside the tables.
    #[serde(default)]
    pub documents: Vec<String>,
    /// The released tables.
    pub tables: IndexMap<String, Table>,
}

/// What kind of folder linked tables come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The tables that a recipe names.
    Tables,
    /// The OMOP Common Data Model 5.4.
    Omop,
    /// FHIR R4 in NDJSON or bundles.
    Fhir,
    /// The CSV export of Synthea.
    Synthea,
}

/// How a release of linked tables was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ThinStatement {
    /// The method's name.
    pub name: String,
    /// The method that chose what person columns show.
    pub demographics: String,
}

/// The persons of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Persons {
    /// The table with a row for each.
    pub table: String,
    /// Released persons.
    pub records: u64,
    /// Persons of the original who were left out.
    pub suppressed: u64,
}

/// The most significant digits that a released number may have.
pub const MOST_DIGITS: u8 = 3;

/// What holds of ages: whoever would be `top` years old or older by the end of the year `until` shows `oldest`.
///
/// The labels of the birth column are read as years of birth: `1930`, `1930-1934`, `<=1931` (also `≤ 1931` and
/// `1931 or earlier`), `>=2020` (also `≥ 2020` and `2020 or later`), or `*`. Square brackets around a label are left out. No
/// label except that of `oldest` covers a year up to `until − top`; that of `oldest` covers that year.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ages {
    /// The person table's column of the birth, or of its year.
    pub column: String,
    /// The least age that is not told from a greater one.
    pub top: u32,
    /// The year by whose end ages are counted.
    pub until: i32,
    /// The released value of all who reach that age.
    pub oldest: String,
}

impl LinkedManifest {
    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a manifest holds only plain data");
        text.push('\n');
        text
    }

    /// Whether a manifest's text is one of linked tables.
    #[must_use]
    pub fn is_linked(text: &str) -> bool {
        #[derive(Deserialize)]
        struct Form {
            linked: Option<u64>,
        }
        serde_json::from_str::<Form>(text).is_ok_and(|form| form.linked.is_some())
    }

    /// The table of persons.
    #[must_use]
    pub fn person_table(&self) -> Option<&Table> {
        self.tables.get(&self.persons.table)
    }

    /// The tables in which having a row is a person column: whether somebody died.
    pub fn facts(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().filter(|(_, table)| table.is_person_column).map(|(name, _)| name.as_str())
    }

    /// The largest number of persons that a promise asks for.
    #[must_use]
    pub fn k(&self) -> u64 {
        self.privacy.iter().map(SetPromise::k).max().unwrap_or(1)
    }
}
