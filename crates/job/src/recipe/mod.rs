//! The recipe: one TOML file that says everything about a release.

mod budget;
mod clustering;
mod database;
pub(crate) mod domain;
mod engine;
pub(crate) mod hierarchy;
mod iab;
mod identities;
mod ipa_private;
mod ipa_published;
mod method;
mod method_keys;
mod missing;
pub(crate) mod nearest;
mod output;
mod parse;
pub(crate) mod places;
mod population;
mod preset;
mod reads;
mod report;
mod resolve;
mod safe_pub;
pub(crate) mod unnamed;

pub use budget::{BudgetSection, ResolvedBudget, TotalSection};
pub use clustering::Clusters;
pub(crate) use engine::is_object;
pub use engine::{ClusterEngine, EngineKind, EngineSection};
pub use hierarchy::{HierarchySection, Made, ZipPopulations};
pub use iab::RowSearch;
pub(crate) use identities::ISO;
pub use identities::{DateShift, DateShiftSection, Identities, KeySection, Pseudonym};
pub use method::Method;
pub use missing::Missing;
pub use output::{Formulas, OutputSection};
pub use population::ResolvedPopulation;
pub use preset::{Preset, PresetEntry};
pub use report::ReportSection;
pub use resolve::{AskedModel, Resolved, ResolvedAttribute};
pub use unnamed::{IdentifierLike, Unnamed};
pub(crate) use unnamed::{key, quoted};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use velamen_core::frequency::Role;
use velamen_core::method::clustering::Seeds;
use velamen_core::method::h_ceiling::Draw;
use velamen_core::method::h_ceiling::local::Parts;
use velamen_core::method::h_ceiling::padding::Padding;
use velamen_core::method::iab::Reach;
use velamen_core::method::ipa::Guarantee;
use velamen_core::method::mdav::Aggregate as Average;
use velamen_core::method::mondrian::Partitioning;
use velamen_core::method::safe_pub::Search;
use velamen_core::metric::Aggregate;
use velamen_core::metric::rce::Reading;
use velamen_core::model;

use crate::error::JobError;
use places::Places;

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
    /// The part each attribute plays.
    #[serde(default)]
    pub attributes: BTreeMap<String, AttributeSection>,
    /// The privacy models that must hold, all of them.
    #[serde(default)]
    pub privacy: Vec<PrivacySection>,
    /// What all differentially private releases of the table may cost together.
    #[serde(default)]
    pub budget: Option<BudgetSection>,
    /// How the release is found.
    #[serde(default)]
    #[schemars(schema_with = "method_keys::schema")]
    pub method: MethodSection,
    /// Where the release goes.
    pub output: OutputSection,
    /// What the report measures the release by.
    #[serde(default)]
    pub report: ReportSection,
    /// Who reads the table, and what the run may take.
    #[serde(default)]
    pub engine: EngineSection,
    /// Where all this stands.
    #[serde(skip)]
    pub(crate) places: Places,
    /// What of the file the command line left out.
    #[serde(skip)]
    pub(crate) notes: Vec<String>,
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
    /// csv, tsv, parquet, arrow, feather or ndjson, text formats also with .gz or .zst; left out:
    /// found out from the file.
    pub format: Option<String>,
    /// The delimiter of csv, one character; left out: found out from the header.
    pub delimiter: Option<String>,
    /// Whether the first record of csv names the columns.
    #[serde(default = "yes")]
    pub header: bool,
    /// The names of the columns, where there is no header.
    pub columns: Option<Vec<String>>,
    /// Whether white space around the cells of csv is dropped.
    #[serde(default)]
    pub trim: bool,
    /// Cells that mean a missing value; the empty cell always does.
    #[serde(default)]
    pub null: Vec<String>,
    /// The share of records that a random sample keeps, above 0 and at most 1, of at most 9 decimals.
    #[schemars(range(min = 0, max = 1))]
    pub sample: Option<f64>,
    /// What a missing quasi-identifier value matches.
    #[serde(default)]
    pub missing: Missing,
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
    /// one value a line.
    pub domain: Option<DomainSection>,
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
    /// Identifiers: what is released in place of the value; left out: the attribute is dropped.
    pub pseudonym: Option<Pseudonym>,
    /// Dates: all dates of a person are moved by the same random number of days.
    pub date_shift: Option<DateShiftSection>,
    /// That it is meant to be released although it looks like a direct identifier.
    pub identifier_like: Option<IdentifierLike>,
}

impl AttributeSection {
    /// An attribute of that role, without wishes.
    #[must_use]
    pub fn of(role: Role) -> Self {
        Self {
            role,
            hierarchy: None,
            domain: None,
            weight: None,
            level: None,
            min_level: None,
            max_level: None,
            top: None,
            bottom: None,
            pseudonym: None,
            date_shift: None,
            identifier_like: None,
        }
    }
}

/// The declared values of a sensitive attribute.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a list of texts, or the path of a file with one value a line")]
pub enum DomainSection {
    /// The values; an empty text is the missing value.
    Values(Vec<String>),
    /// A file with one value a line.
    File(PathBuf),
}

/// `[[privacy]]`
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PrivacySection {
    /// The model's name.
    pub model: String,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
}

impl JsonSchema for PrivacySection {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PrivacySection".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let all: Vec<Value> = model::REGISTRY.iter().map(|entry| model_schema(entry, generator)).collect();
        let mut schema = Map::new();
        schema.insert("description".into(), "A privacy model and its parameters.".into());
        schema.insert("oneOf".into(), all.into());
        schema.into()
    }
}

/// The parameters of a model with its name beside them, all in one object.
fn model_schema(entry: &model::Entry, generator: &mut SchemaGenerator) -> Value {
    let parameters = (entry.schema)(generator).to_value();
    let name = parameters["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let definition = name.and_then(|name| generator.definitions_mut().shift_remove(name));
    let mut schema = definition.unwrap_or(parameters);
    schema["title"] = entry.name.into();
    schema["description"] = entry.summary.into();
    schema["properties"]["model"] = json!({ "const": entry.name });
    if entry.sensitive {
        let description = "The sensitive attribute; may be left out where there is only one.";
        schema["properties"]["attribute"] = json!({ "type": "string", "description": description });
    }
    iab::add_shield(entry, &mut schema);
    let required = schema["required"].as_array().into_iter().flatten().cloned();
    schema["required"] = std::iter::once("model".into()).chain(required).collect();
    schema
}

/// The methods that recipes can name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Bounded generalization with counterfeit records and a catalog.
    #[default]
    HCeiling,
    /// The full-domain generalization of least loss, proven optimal.
    Optimal,
    /// As `optimal`; outlier records are suppressed up to the limit.
    Suppression,
    /// As `optimal`, but outlier records take the values of another class: untruthful, a baseline.
    Relocation,
    /// Every node of the lattice, without bounds; the custodian gets all figures.
    Exhaustive,
    /// Sweeney's greedy walk up.
    Datafly,
    /// A greedy walk down from the top.
    TopDown,
    /// Bounds in best-first order, with a budget: for lattices too large to finish.
    BestFirst,
    /// Nodes crossed and mutated.
    Genetic,
    /// Multidimensional partitioning: the space is cut as long as the models hold on every side.
    Mondrian,
    /// Microaggregation: clusters of similar records released by their means. Untruthful.
    Mdav,
    /// Arca & Hewett: generalizes shields so that as many distinct rows as can be are left.
    Iab,
    /// The baseline of `iab` that takes the table of fewest violations.
    Greedy,
    /// The baseline of `iab` that makes every table.
    ExhaustiveRows,
    /// A random sample, generalized to a privately chosen node: differentially private.
    SafePub,
    /// Blocks of little conditional entropy and mutual information.
    CeMiClustering,
    /// Blocks of little conditional entropy.
    CeClustering,
    /// Blocks near entropy l-diversity, then of little conditional entropy.
    EntropyLClustering,
    /// Blocks near t-closeness, then of little conditional entropy.
    TClosenessClustering,
    /// Blocks whose values are generalized to low levels.
    KMember,
    /// Informative attribute preserving anonymization: generalized quasi-identifiers, raw sensitive values,
    /// noisy counts of both together.
    Ipa,
    /// A noisy count of every combination of values, expanded into records: a baseline.
    ContingencyTable,
}

/// `[method]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MethodSection {
    /// The method's name.
    pub name: MethodName,
    /// h-ceiling: the most that any record may be generalized, 0 to 1; left out: found by RCE.
    #[schemars(range(min = 0, max = 1))]
    pub h: Option<f64>,
    /// h-ceiling: what the classes are.
    pub parts: Parts,
    /// h-ceiling: how far small classes are padded.
    pub padding: Padding,
    /// h-ceiling: where the sensitive values of counterfeits come from.
    pub draw: Draw,
    /// h-ceiling: how the reconstruction error is read.
    pub rce: Reading,
    /// What the searches minimise.
    pub metric: Option<String>,
    /// How the metric puts attributes together; left out: its own way.
    pub aggregate: Option<Aggregate>,
    /// The metric's generalization/suppression factor: 0 makes suppression count no more than
    /// generalization, 1 makes generalization free.
    #[schemars(range(min = 0, max = 1))]
    pub gs_factor: Option<f64>,
    /// Whether precision and entropy leave out what suppression adds.
    pub monotone: bool,
    /// Whether entropy is divided by that of the original attribute.
    pub normalised: bool,
    /// The share of records that may be suppressed or relocated, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_limit: Option<f64>,
    /// The searches: whether models are taken to be monotone where they are not: faster, but the node
    /// found need not be optimal.
    pub assume_monotone: bool,
    /// best-first and genetic: the most nodes that are grouped; iab, greedy and exhaustive-rows: the most
    /// tables that are made.
    #[schemars(range(min = 1))]
    pub budget_steps: Option<u64>,
    /// best-first and genetic: the most seconds that the search takes; what is found then depends on the
    /// machine.
    #[schemars(range(min = 0))]
    pub budget_seconds: Option<f64>,
    /// The searches: whether the search is repeated on the suppressed records, so that classes get
    /// levels of their own.
    pub local_recoding: bool,
    /// The searches: as `local-recoding`, with the original values and `*` alone.
    pub cell_suppression: bool,
    /// mondrian: whether records of equal values stay together.
    pub partitioning: Partitioning,
    /// iab, greedy and exhaustive-rows: whether an attribute has one level, or a subtree of its hierarchy can
    /// be generalized alone.
    pub recoding: Reach,
    /// mdav: what a cluster's numbers become.
    pub average: Average,
    /// safe-pub: how the levels are found.
    pub search: Search,
    /// safe-pub: the share of epsilon that the search may spend, above 0 and below 1; 0.1 if left out.
    #[schemars(range(min = 0, max = 1))]
    pub search_share: Option<f64>,
    /// safe-pub: in how many draws, where the lattice is too large for one; 50 if left out.
    #[schemars(range(min = 1))]
    pub search_steps: Option<u64>,
    /// ce-mi-clustering: what a bit of mutual information counts beside one of conditional entropy; 1 if
    /// left out, as published.
    #[schemars(range(min = 0, max = 1024))]
    pub lambda: Option<f64>,
    /// The clusterings: which record a block begins with; left out: `farthest` for k-member, else `random`.
    pub seeds: Option<Seeds>,
    /// ipa: what the release promises.
    pub guarantee: Guarantee,
    /// ipa, published: classes of up to about so many records are suppressed; 2 if left out.
    #[schemars(range(min = 2))]
    pub threshold: Option<u64>,
    /// ipa, published: the ε of the noisy threshold; 0.1 if left out.
    pub epsilon_suppression: Option<f64>,
    /// ipa, published: the ε of the number of counterfeits; 0.3 if left out.
    pub epsilon_insertion: Option<f64>,
    /// ipa, published: the ε of their values; 0.3 if left out.
    pub epsilon_value: Option<f64>,
    /// ipa, published: the ε of the choice of levels; 0.3 if left out.
    pub epsilon_candidates: Option<f64>,
    /// ipa and contingency-table: whether insensitive columns are dropped; else they are refused.
    pub drop_insensitive: bool,
    /// ipa: the share of epsilon for the choice of the levels, above 0 and below 1; 0.1 if left out. Nothing
    /// is spent where only one node is allowed.
    #[schemars(range(min = 0, max = 1))]
    pub candidates_share: Option<f64>,
    /// ipa: the share of epsilon for the counts; left out: what the others leave.
    #[schemars(range(min = 0, max = 1))]
    pub insertion_share: Option<f64>,
    /// ipa: the share of epsilon for the counts of suppressed records, above 0 and below 1; 0.1 if left out.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_share: Option<f64>,
    /// ipa: records that share levels and sensitive value with fewer others count as lost when nodes are
    /// scored; left out: the least count of the node.
    #[schemars(range(min = 1))]
    pub least_class: Option<u64>,
    /// ipa and contingency-table: the least noisy count that is released; left out: for ipa it follows from
    /// `false-cells` or from delta, for contingency-table it is 1.
    #[schemars(range(min = 1))]
    pub least_count: Option<u64>,
    /// ipa: how many combinations without a record may be released on average; 1 if left out.
    #[schemars(range(min = 0))]
    pub false_cells: Option<f64>,
    /// A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    pub seed: Option<SeedSection>,
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

impl Recipe {
    fn refuse(&self, path: &Path, at: &[&str], problem: impl Into<String>) -> JobError {
        self.places.refuse(path, at, problem)
    }

    /// Reads a recipe's file.
    ///
    /// # Errors
    /// [`JobError::Io`] if it cannot be read, [`JobError::Recipe`] with line and column if it is wrong.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, JobError> {
        let text = std::fs::read(path).map_err(|error| JobError::io(path, "read the recipe", &error))?;
        let text = String::from_utf8(text).map_err(|error| {
            let line = error.as_bytes()[..error.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
            JobError::recipe(path, format!("line {line}: the recipe is not UTF-8 text; convert it to UTF-8"))
        })?;
        let base = path.parent().unwrap_or(Path::new(""));
        parse::recipe(&text, path, base, overrides)
    }

    /// Makes every path absolute, so that the recipe can be written elsewhere.
    pub(crate) fn absolute(&mut self) -> std::io::Result<()> {
        parse::resolve_paths(self, &std::env::current_dir()?);
        Ok(())
    }

    /// The JSON Schema of recipes.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        schema["title"] = "Velamen recipe".into();
        schema
    }
}
