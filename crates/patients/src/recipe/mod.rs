//! The recipe of linked tables, as it is written.

mod given;
mod section;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::Language;
use velamen_contract::linked::{Counts, Dates, SetPromise, Shape, Tier};
use velamen_contract::manifest::{About, Preset};
use velamen_core::error::Problem;
use velamen_engine::FileFormat;
use velamen_recipe::places::Places;
use velamen_recipe::{JobError, KeySection, Overrides, Rows, of_form, text_of};

use crate::formats::has_types;

pub use given::{InMemory, given_file};
pub use section::{
    CodeHierarchy, ColumnRole, ColumnSection, Orphans, ParentSection, PublicEvents, TableSection,
};

/// A recipe of linked tables. Paths are relative to its folder.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkedRecipe {
    /// A published rule whose conditions are asked for.
    #[serde(default)]
    pub preset: Option<Preset>,
    /// Where the tables are.
    pub input: InputSection,
    /// What holds of persons over all tables.
    #[serde(default)]
    pub persons: PersonsSection,
    /// The tables, by name; of a known shape those alone that deviate.
    #[serde(default)]
    pub tables: BTreeMap<String, TableSection>,
    /// The columns of the only table, where there is one.
    #[serde(default)]
    pub attributes: BTreeMap<String, ColumnSection>,
    /// The privacy models that must hold, all of them.
    #[serde(default)]
    pub privacy: Vec<SetPromise>,
    /// How the release is found.
    #[serde(default)]
    pub method: MethodSection,
    /// The secret key of released keys and shifts; left out: drawn anew for each run.
    #[serde(default)]
    pub key: Option<KeySection>,
    /// Where the release goes.
    pub output: OutputSection,
    /// What the custodian says of the release.
    #[serde(default)]
    pub report: ReportSection,
    /// Where all this stands.
    #[serde(skip)]
    pub places: Places,
    /// What of a run is in the caller's memory.
    #[serde(skip)]
    pub in_memory: InMemory,
}

/// `[input]` of linked tables.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputSection {
    /// The folder of the tables, or one that is packed as ZIP.
    pub folder: Option<PathBuf>,
    /// The only table, in place of a folder.
    pub path: Option<PathBuf>,
    /// In place of a folder: `postgresql://host:port/name` or `sqlite:path`, without a password.
    pub database: Option<String>,
    /// How the tables' text is encoded, such as `windows-1252`; left out: as UTF-8.
    pub encoding: Option<String>,
    /// What kind of folder it is; left out: the tables that the recipe names.
    pub shape: Option<Shape>,
    /// `independent`: each row of the table of persons is of another person.
    pub rows: Option<Rows>,
}

/// `[persons]`
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PersonsSection {
    /// For whom the release is.
    pub tier: Tier,
    /// What becomes of dates; left out: their year.
    pub dates: Option<Dates>,
    /// The first and the last day that the data are about: declared, never read off the data.
    pub window: Option<[String; 2]>,
    /// What becomes of codes of public events, such as births and accidents, which newspapers tell of.
    pub public_events: PublicEvents,
    /// Extensions of FHIR's patients that become person columns: `us-core-race`, `us-core-ethnicity`, `us-core-birthsex`.
    pub extensions: Vec<String>,
    /// Names of units of FHIR, and codes of UCUM, that may be released beside those that are usual in medicine; of another system as `system|code`.
    pub units: Vec<String>,
    /// What holds of numbers of rows.
    pub counts: Counts,
    /// The least age that is not told from a greater one; 90 if left out.
    pub top_age: Option<u32>,
}

/// `[method]` of linked tables.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MethodSection {
    /// The method: thin.
    pub name: String,
    /// How it is chosen what person columns show: optimal, datafly or samarati for one level each, mondrian for values that differ from class to class.
    pub demographics: String,
    /// The share of persons that may be left out; 0.05 if left out, and at least what two classes of fewer than k need.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_limit: Option<f64>,
    /// The most codes of a person; the rarest go first.
    #[schemars(range(min = 1))]
    pub largest_set: usize,
}

/// The method of linked tables.
pub const THIN: &str = "thin";

/// Chooses the levels of person columns by what they lose.
pub const OPTIMAL: &str = "optimal";

/// Climbs in the column of most values, until few enough persons are left out.
pub const DATAFLY: &str = "datafly";

/// Chooses levels of the least sum.
pub const SAMARATI: &str = "samarati";

/// Cuts persons into classes, each with ranges and values of its own.
pub const MONDRIAN: &str = "mondrian";

/// All that choose what person columns show.
pub const DEMOGRAPHICS: [&str; 4] = [OPTIMAL, DATAFLY, SAMARATI, MONDRIAN];

impl Default for MethodSection {
    fn default() -> Self {
        Self { name: THIN.into(), demographics: OPTIMAL.into(), suppression_limit: None, largest_set: 128 }
    }
}

/// `[output]` of linked tables.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSection {
    /// The release folder; `.custodian` is appended for what must not be published.
    pub path: PathBuf,
    /// The format of the tables, csv or parquet; left out: csv. Resources of FHIR stay NDJSON.
    pub format: Option<String>,
}

/// `[report]` of linked tables.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSection {
    /// The heading.
    pub title: Option<String>,
    /// Who makes the release.
    pub institution: Option<String>,
    /// What the release is for.
    pub purpose: Option<String>,
    /// Whom to ask.
    pub contact: Option<String>,
    /// The day of the release.
    pub date: Option<String>,
    /// The language of the page; English unless it is set.
    pub language: Option<Language>,
}

impl ReportSection {
    /// What is said of the release.
    #[must_use]
    pub fn about(&self) -> About {
        let Self { title, institution, purpose, contact, date, language } = self.clone();
        About { title, institution, purpose, contact, date, language: language.unwrap_or_default() }
    }
}

/// Whether a recipe's text is one of linked tables: it names a folder, its shape, tables or persons, or a column of the role `set`.
#[must_use]
pub fn is_linked(text: &str) -> bool {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return false };
    let input = |key: &str| table.get("input").and_then(|input| input.get(key)).is_some();
    let folder = input("folder") || input("shape");
    let is_set = |column: &toml::Value| column.get("role").and_then(toml::Value::as_str) == Some("set");
    let columns = table.get("attributes").and_then(toml::Value::as_table);
    let sections = ["tables", "persons"].iter().any(|section| table.contains_key(*section));
    folder || sections || columns.is_some_and(|columns| columns.values().any(is_set))
}

impl LinkedRecipe {
    /// The JSON Schema of such recipes.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        schema["title"] = "Velamen recipe of linked tables".into();
        schema
    }

    /// Reads a recipe's file, with what the command line changes.
    ///
    /// # Errors
    /// [`JobError::io`] if it cannot be read, [`JobError::recipe`] with line and column if it is wrong.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, JobError> {
        Self::parse(&text_of(path)?, path, path.parent().unwrap_or(Path::new("")), overrides)
    }

    /// Reads a recipe's text; its paths are relative to `base`.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(text: &str, path: &Path, base: &Path, overrides: &Overrides) -> Result<Self, JobError> {
        let (mut recipe, places) = of_form::<Self>(text, path, &overrides.set)?;
        recipe.places = places;
        recipe.resolve_paths(base);
        if overrides.seed.is_some() {
            return Err(JobError::usage("--seed: linked tables take no seed")
                .mend("what is drawn follows from [key]"));
        }
        if let Some(input) = &overrides.input {
            let input = Some(input.clone());
            match recipe.input.path {
                Some(_) => recipe.input.path = input,
                None => (recipe.input.folder, recipe.input.database) = (input, None),
            }
        }
        if let Some(output) = &overrides.output {
            recipe.output.path.clone_from(output);
        }
        Ok(recipe)
    }

    /// The format of released tables that are no resources.
    ///
    /// # Errors
    /// [`JobError::recipe`] for one that they cannot have.
    pub(crate) fn format(&self, path: &Path) -> Result<FileFormat, JobError> {
        let Some(name) = &self.output.format else { return Ok(FileFormat::default()) };
        let refuse = |problem: Problem| self.places.refuse(path, &["output", "format"], problem);
        if self.input.shape == Some(Shape::Fhir) {
            return Err(refuse(Problem::new("resources of FHIR are NDJSON").mend("leave `format` out")));
        }
        let known = name.parse().ok().filter(|format| *format == FileFormat::default() || has_types(*format));
        let wrong = || refuse(Problem::new("not a format of released tables").expected("csv or parquet"));
        let format: FileFormat = known.ok_or_else(wrong)?;
        match format.format.lacks {
            None => Ok(format),
            Some(feature) => {
                Err(refuse(Problem::new(format!("this build was made without the feature {feature}"))))
            }
        }
    }

    fn resolve_paths(&mut self, base: &Path) {
        let Self { input, tables, attributes, key, output, .. } = self;
        let columns = tables.values_mut().flat_map(|table| table.attributes.values_mut());
        let files = columns.chain(attributes.values_mut()).filter_map(ColumnSection::file);
        let given = [input.folder.as_mut(), input.path.as_mut(), Some(&mut output.path)];
        let key = key.as_mut().and_then(|key| key.file.as_mut());
        for path in files.chain(given.into_iter().flatten()).chain(key) {
            *path = base.join(&*path);
        }
    }
}
