//! The recipe: one TOML file that says everything about a release.

mod budget;
mod builder;
mod database;
pub mod derived;
pub mod domain;
mod engine;
pub mod hierarchy;
mod identities;
pub mod impossible;
mod input;
pub mod kept;
pub mod keys;
mod method;
mod missing;
mod mistakes;
mod models;
pub mod nearest;
mod output;
mod parse;
pub mod places;
pub mod plain;
mod population;
mod preset;
mod privacy;
mod reads;
mod report;
mod resolve;
mod said;
mod shield;
pub mod unnamed;
mod words;

pub use budget::{BudgetSection, ResolvedBudget, TotalSection};
pub use builder::RecipeBuilder;
pub use database::{Origin, Target};
pub use domain::TO_LIST;
pub use engine::is_object;
pub use engine::{ClusterEngine, EngineKind, EngineSection};
pub use hierarchy::{HierarchySection, Made, ZipPopulations};
pub use identities::ISO;
pub use identities::{DateShift, DateShiftSection, Identities, KeySection};
pub use impossible::ImpossibleSection;
pub use input::{Decimal, RecordedReading, SheetSection};
pub use method::{AskedMethod, MethodSection};
pub use output::{Formulas, OutputSection, custodian_of};
pub use population::ResolvedPopulation;
pub use preset::safe_harbor_level;
pub use privacy::PrivacySection;
pub use reads::Read;
pub use report::ReportSection;
pub use resolve::Resolved;
pub use unnamed::{IdentifierLike, Unnamed};
pub use unnamed::{key, quoted};
pub use velamen_contract::manifest::Rows;
pub use velamen_contract::manifest::{
    About, DerivedSection, Missing, Preset, PresetEntry, Pseudonym, WhereSection,
};
pub use velamen_core::attribute::Attribute as ResolvedAttribute;
pub use velamen_core::error::{Class, Code, Mistake, Mistake as JobError, Problem};
pub use velamen_search::model::Asked as AskedModel;
pub use words::Words;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use places::Places;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_core::frequency::Role;
use velamen_core::step::Step;
use velamen_engine::source::Batches;

/// A recipe as it is written. Paths are relative to the recipe's folder.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// A published rule whose settings are added.
    #[serde(default)]
    pub preset: Option<Preset>,
    /// What becomes of columns that no attribute names; left out: they are refused.
    #[serde(default)]
    pub unnamed: Option<Unnamed>,
    /// Where the records come from.
    pub input: InputSection,
    /// The secret key of pseudonyms and date shifts.
    #[serde(default)]
    pub key: Option<KeySection>,
    /// The population that the records are a sample of, for models that look at it.
    #[serde(default)]
    pub population: Option<PopulationSection>,
    /// Columns that follow from others of the input; each has its role under `attributes`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub derived: BTreeMap<String, DerivedSection>,
    /// What records meet that are kept, all of it; left out: all are kept.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<WhereSection>,
    /// The part each attribute plays.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeSection>,
    /// The privacy models that must hold, all of them.
    #[serde(default)]
    pub privacy: Vec<PrivacySection>,
    /// Pairs of values that nobody has, and no counterfeit gets.
    #[serde(default)]
    pub impossible: Vec<ImpossibleSection>,
    /// What all differentially private releases of the table may cost together.
    #[serde(default)]
    pub budget: Option<BudgetSection>,
    /// How the release is found.
    #[serde(default)]
    #[schemars(schema_with = "method::schema")]
    pub method: MethodSection,
    /// Where the release goes.
    pub output: OutputSection,
    /// What the report measures the release by.
    #[serde(default)]
    pub report: ReportSection,
    /// Who reads the table, and what the run may take.
    #[serde(default)]
    pub engine: EngineSection,
    /// The recipe's file, which need not exist: what messages call it.
    #[serde(skip)]
    pub file: PathBuf,
    /// Where all this stands.
    #[serde(skip)]
    pub places: Places,
    /// What of the file the command line left out.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// The records, where they are in memory.
    #[serde(skip)]
    pub batches: Option<Arc<Batches>>,
}

/// `[input]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InputSection {
    /// The table's file.
    pub path: Option<PathBuf>,
    /// In place of a file: `postgresql://host:port/name` or `sqlite:path`, without a password.
    pub database: Option<String>,
    /// The query that gives the records, where there is a database.
    pub query: Option<String>,
    /// csv, tsv, parquet, arrow, feather, ndjson, xlsx or ods, text formats also with .gz or .zst; left out:
    /// found out from the file.
    pub format: Option<String>,
    /// The delimiter of csv, one character; left out: found out from the header.
    pub delimiter: Option<String>,
    /// Whether the first line of csv, or the first row of a sheet, names the columns; `true` even if it looks like
    /// a record. Left out: it does, and is refused if it looks like one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The names of the columns, where there is no header; left out: 1, 2, ….
    pub columns: Option<Vec<String>>,
    /// Whether white space around the cells of csv is dropped.
    #[serde(default)]
    pub trim: bool,
    /// Which sheet of a workbook, by name or number from 1; left out: the only one.
    pub sheet: Option<SheetSection>,
    /// How many lines of csv, or rows of a sheet, stand above the line that names the columns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skip_lines: u64,
    /// How text is encoded, such as `windows-1252`; left out: as UTF-8.
    pub encoding: Option<String>,
    /// What stands before the decimals of numbers.
    #[serde(default)]
    pub decimal: Decimal,
    /// Cells that mean a missing value; the empty cell always does.
    #[serde(default)]
    pub null: Vec<String>,
    /// The share of records that a random sample keeps, above 0 and at most 1, of at most 9 decimals.
    #[schemars(range(min = 0, max = 1))]
    pub sample: Option<f64>,
    /// What a missing quasi-identifier value matches.
    #[serde(default)]
    pub missing: Missing,
    /// That every record of the table is of another person, though it does not look so.
    pub rows: Option<Rows>,
}

/// What is left out where nothing stands above a table.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(lines: &u64) -> bool {
    *lines == 0
}

fn yes() -> bool {
    true
}

/// `[population]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PopulationSection {
    /// A table with the same quasi-identifiers that contains the input's records.
    pub path: Option<PathBuf>,
    /// Its format, as for the input.
    pub format: Option<String>,
    /// Its delimiter, as for the input.
    pub delimiter: Option<String>,
    /// The number of records of the population, where there is no table of it.
    pub size: Option<u64>,
}

/// `[attributes.NAME]`
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AttributeSection {
    /// The part that the attribute plays.
    pub role: Role,
    /// How its values are generalized; left out: a value or `*`.
    pub hierarchy: Option<HierarchySection>,
    /// All values that a sensitive attribute can have, whether they occur or not: a list, or a file with
    /// one value a line. Where records are invented, a quasi-identifier may have it, too.
    pub domain: Option<DomainSection>,
    /// Where records are invented: that a missing value is one of its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<bool>,
    /// How much its figure counts in the metric; weights are divided by the largest.
    #[schemars(range(min = 0))]
    pub weight: Option<f64>,
    /// The one level it may be released at.
    pub level: Option<u8>,
    /// The least level it may be released at.
    pub min_level: Option<u8>,
    /// The highest level it may be released at.
    pub max_level: Option<u8>,
    /// Numbers from here up are released as `>=top`.
    pub top: Option<f64>,
    /// Numbers up to here are released as `<=bottom`.
    pub bottom: Option<f64>,
    /// What the ends of released ranges are multiples of: a number, or "day", "month", "quarter", "year", "10 years".
    #[schemars(default)]
    pub step: Option<Step>,
    /// Identifiers: what is released in place of the value; left out: the attribute is dropped.
    pub pseudonym: Option<Pseudonym>,
    /// Dates: all dates of a person are moved by the same random number of days.
    pub date_shift: Option<DateShiftSection>,
    /// That it is meant to be released although it looks like a direct identifier.
    pub identifier_like: Option<IdentifierLike>,
    /// Numbers that repeat: that each record is of another person all the same.
    pub rows: Option<Rows>,
    /// With the role `person`: of each person at most so many records are kept, drawn at random.
    pub records_per_person: Option<NonZeroU32>,
    /// What it is, for recipients: one line of the codebook.
    pub description: Option<String>,
    /// The unit of its values, for recipients: "years".
    pub unit: Option<String>,
}

impl AttributeSection {
    /// An attribute of that role, without wishes.
    #[must_use]
    pub fn of(role: Role) -> Self {
        Self {
            role,
            hierarchy: None,
            domain: None,
            missing: None,
            weight: None,
            level: None,
            min_level: None,
            max_level: None,
            top: None,
            bottom: None,
            step: None,
            pseudonym: None,
            date_shift: None,
            identifier_like: None,
            rows: None,
            records_per_person: None,
            description: None,
            unit: None,
        }
    }
}

/// The declared values of an attribute.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a list of texts, the path of a file with one value a line, or numbers { min, max, step, bins }"
)]
pub enum DomainSection {
    /// The values; an empty text is the missing value.
    Values(Vec<String>),
    /// A file with one value a line.
    File(PathBuf),
    /// Numbers in even steps.
    Numbers(NumberDomain),
}

/// All numbers from a least to a greatest in even steps.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NumberDomain {
    /// The least number.
    pub min: f64,
    /// The greatest number.
    pub max: f64,
    /// How far numbers are apart; 1 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Where records are invented: bins whose records are counted together. A record gets a number of its bin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<NumberBins>,
}

/// Bins of numbers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected how many bins of equal width, or the numbers that the second and further bins begin with"
)]
pub enum NumberBins {
    /// How many, as equal as can be.
    Equal(u32),
    /// The numbers that all bins but the first begin with.
    Starts(Vec<f64>),
}

/// A seed as recipes write it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a whole number from 0, or 64 hexadecimal digits in quotes")]
pub enum SeedSection {
    /// A whole number.
    Number(u64),
    /// 64 hexadecimal digits.
    Text(String),
}

/// The identifier of the schema; its number rises when a recipe that was right becomes wrong.
pub const SCHEMA_ID: &str = "urn:velamen:schema:recipe:1";

/// The first lines of recipes that velamen writes: where editors find the schema.
pub const SCHEMA_LINES: &str = "\
#:schema ./recipe.schema.json
# Editors complete and check this file once `velamen schema > recipe.schema.json` has been run beside it.
";

/// What the command line changes about a recipe.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Replaces `input.path`, or the database; relative to the working folder.
    pub input: Option<PathBuf>,
    /// Replaces `output.path`; relative to the working folder.
    pub output: Option<PathBuf>,
    /// Replaces `method.seed`.
    pub seed: Option<String>,
    /// `key=value` pairs, keys with dots, values in TOML or as plain text.
    pub set: Vec<String>,
}

/// The text of a recipe's file.
///
/// # Errors
/// [`JobError::io`] if it cannot be read, [`JobError::recipe`] with its line if it is no UTF-8.
pub fn text_of(path: &Path) -> Result<String, JobError> {
    refuse_table(path)?;
    let text = std::fs::read(path).map_err(|error| JobError::io(path, "read the recipe", &error))?;
    String::from_utf8(text).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
        let problem = JobError::recipe(path, "the recipe is not UTF-8 text").mend("convert it to UTF-8");
        problem.at(velamen_core::error::Place::line(path, line as u64))
    })
}

/// Refuses a table by the name of its file: nothing in it would be understood.
fn refuse_table(path: &Path) -> Result<(), JobError> {
    match velamen_engine::FileFormat::named(path) {
        // Not a mistake of a recipe: there is none to correct.
        Some(_) if path.is_file() => {
            let shown = path.display();
            Err(JobError::usage(format!("{shown}: this is a table, where a recipe is expected"))
                .mend(format!("let `velamen profile {shown}` write a first recipe by --recipe FILE"))
                .coded(Code::ARGUMENT))
        }
        _ => Ok(()),
    }
}

/// A recipe of another form than that of one table, with where its keys stand. Paths are as they were written.
///
/// # Errors
/// [`JobError::recipe`] with line and column if it is wrong, [`JobError::usage`] if a `key=value` of `--set` is.
pub fn of_form<T: serde::de::DeserializeOwned>(
    text: &str,
    path: &Path,
    set: &[String],
) -> Result<(T, Places), JobError> {
    parse::of_form(text, path, set)
}

impl Recipe {
    fn refuse(&self, path: &Path, at: &[&str], problem: impl Into<Problem>) -> JobError {
        self.places.refuse(path, at, problem)
    }

    /// Reads a recipe's file.
    ///
    /// # Errors
    /// [`JobError::io`] if it cannot be read, [`JobError::recipe`] with line and column if it is wrong.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, JobError> {
        let base = path.parent().unwrap_or(Path::new(""));
        parse::recipe(&text_of(path)?, path, base, overrides)
    }

    /// Reads a recipe's text as if it stood in the file of that name, which need not exist: paths in it are relative
    /// to the file's folder.
    ///
    /// # Errors
    /// [`JobError::recipe`] with line and column if it is wrong.
    pub fn from_text(text: &str, path: &Path) -> Result<Self, JobError> {
        parse::recipe(text, path, path.parent().unwrap_or(Path::new("")), &Overrides::default())
    }

    /// Reads a recipe whose records and release are in memory: `[input]` and `[output]` can be left out, paths in it
    /// are relative to the working folder. [`Self::over`] gives it the records.
    ///
    /// # Errors
    /// [`JobError::recipe`] with line and column if it is wrong.
    pub fn in_memory(text: &str) -> Result<Self, JobError> {
        Self::parse(text, Path::new("recipe"), Path::new(""), &Overrides::default())
    }

    /// Reads a recipe's text, whose paths are relative to `base`; `path` is what messages call it. `[input]` and
    /// `[output]` can be left out, as in [`Self::in_memory`].
    ///
    /// # Errors
    /// [`JobError::recipe`] with line and column if it is wrong, [`JobError::usage`] if an override is.
    pub fn parse(text: &str, path: &Path, base: &Path, overrides: &Overrides) -> Result<Self, JobError> {
        parse::with_usual(text, path, base, overrides)
    }

    /// The recipe over records in memory, whatever its `[input]` names.
    #[must_use]
    pub fn over(self, batches: Batches) -> Self {
        Self { batches: Some(Arc::new(batches)), ..self }
    }

    /// Makes every path absolute, so that the recipe can be written elsewhere.
    pub fn absolute(&mut self) -> std::io::Result<()> {
        parse::resolve_paths(self, &std::env::current_dir()?);
        Ok(())
    }

    /// The JSON Schema of recipes.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        schema["$id"] = SCHEMA_ID.into();
        schema["title"] = "Velamen recipe".into();
        schema
    }
}
