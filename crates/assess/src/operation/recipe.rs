//! The recipe of a request: a file, or text that a caller holds.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use velamen_dp::Seed;
use velamen_patients::LinkedRecipe;
use velamen_recipe::{JobError, Origin, Overrides, Recipe, Resolved, text_of};

use super::table::{Call, Table};

/// A recipe that a request names: its file, or `{"text": TOML, "path": FILE, "set": [KEY=VALUE, …]}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum TheRecipe {
    /// A file.
    File(PathBuf),
    /// A text.
    Text(RecipeText),
}

/// A recipe's text.
#[derive(Debug, Clone, Deserialize)]
pub struct RecipeText {
    /// The text, in TOML.
    pub text: String,
    /// The file that it would stand in: messages name it, and paths in it are relative to its folder.
    pub path: PathBuf,
    /// Changed entries.
    #[serde(default)]
    pub set: Vec<String>,
}

impl From<PathBuf> for TheRecipe {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl JsonSchema for TheRecipe {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TheRecipe".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "object"], "format": "recipe" })
    }
}

impl TheRecipe {
    /// Its file, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Text(text) => &text.path,
        }
    }

    /// Whether it is one of linked tables.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::recipe`] if it is no text.
    pub fn is_linked(&self) -> Result<bool, JobError> {
        match self {
            Self::File(path) => Ok(velamen_patients::is_linked(&text_of(path)?)),
            Self::Text(text) => Ok(velamen_patients::is_linked(&text.text)),
        }
    }

    /// The recipe of linked tables over tables that take the place of its own: a folder, or what a caller holds.
    ///
    /// # Errors
    /// [`JobError::recipe`] if it is wrong, [`JobError::usage`] if no tables are named anywhere, or the given ones are not
    /// those of the recipe.
    pub fn linked_over(
        &self,
        tables: Option<&Table>,
        overrides: &Overrides,
        call: &Call<'_>,
    ) -> Result<LinkedRecipe, JobError> {
        let origin = call.origin_of(tables)?;
        if origin.is_none() {
            self.refuse_no_input()?;
        }
        let mut linked = self.linked_with(&with_file(origin.as_ref(), overrides))?;
        if let Some(folder) = call.given_folder(tables) {
            linked.take_given(folder)?;
        }
        Ok(linked)
    }

    /// The recipe of linked tables with what is changed of it. What a caller holds may lack an input and an output.
    ///
    /// # Errors
    /// [`JobError::recipe`] if it is wrong.
    pub fn linked_with(&self, overrides: &Overrides) -> Result<LinkedRecipe, JobError> {
        let Self::Text(RecipeText { text, path, set }) = self else {
            return LinkedRecipe::load(self.path(), overrides);
        };
        let usual = [("input", "input.folder=\".\""), ("output", "output.path=\"release\"")];
        let absent = usual.into_iter().filter(|(section, _)| self.is_without(section));
        let absent = absent.map(|(_, entry)| entry.to_owned());
        let set = absent.chain(set.iter().chain(&overrides.set).cloned()).collect();
        let overrides = Overrides { set, ..overrides.clone() };
        let base = path.parent().unwrap_or(Path::new(""));
        let mut linked = LinkedRecipe::parse(text, path, base, &overrides)?;
        linked.in_memory.release = overrides.output.is_none() && self.is_without("output");
        Ok(linked)
    }

    /// The recipe with what is changed of it.
    ///
    /// # Errors
    /// [`JobError::recipe`] if it is wrong.
    pub fn written(&self, overrides: &Overrides) -> Result<Recipe, JobError> {
        match self {
            Self::File(path) => Recipe::load(path, overrides),
            Self::Text(recipe) => recipe.read(&recipe.text, overrides),
        }
    }

    /// The recipe over a table, its own where none is given.
    ///
    /// # Errors
    /// [`JobError::recipe`] if it is wrong, [`JobError::usage`] if no table is named anywhere.
    pub fn over(&self, table: Option<&Origin>, overrides: &Overrides) -> Result<Resolved, JobError> {
        if table.is_none() {
            self.refuse_no_input()?;
        }
        self.resolved(table, overrides)
    }

    /// The same, whether or not a table is named anywhere.
    pub(super) fn resolved(
        &self,
        table: Option<&Origin>,
        overrides: &Overrides,
    ) -> Result<Resolved, JobError> {
        self.written_over(table, overrides)?.resolve()
    }

    /// The recipe with what is changed of it, over a table where one is given.
    pub(super) fn written_over(
        &self,
        table: Option<&Origin>,
        overrides: &Overrides,
    ) -> Result<Recipe, JobError> {
        Ok(over_batches(self.written(&with_file(table, overrides))?, table))
    }

    /// All mistakes, the first one as [`Self::resolved`] finds it.
    pub(super) fn mistakes(&self, table: Option<&Origin>, overrides: &Overrides) -> Vec<JobError> {
        let overrides = with_file(table, overrides);
        match self {
            Self::File(path) => Recipe::mistakes(path, &overrides),
            Self::Text(recipe) => Recipe::mistakes_of(&recipe.text, &|text| {
                let written = recipe.read(text, &overrides)?;
                over_batches(written, table).resolve().map(drop)
            }),
        }
    }

    /// Refuses a recipe without `[input]` that a caller holds: it is for tables that are given.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub fn refuse_no_input(&self) -> Result<(), JobError> {
        match self.is_without("input") {
            false => Ok(()),
            true => {
                Err(JobError::usage("the recipe names no input").mend("give a table, or [input] with a path"))
            }
        }
    }

    /// Whether a caller holds it and it lacks a section, of which no entry was set.
    pub(super) fn is_without(&self, section: &str) -> bool {
        let Self::Text(RecipeText { text, set, .. }) = self else { return false };
        let given: toml::Table = toml::from_str(text).unwrap_or_default();
        !given.contains_key(section) && !set.iter().any(|pair| pair.starts_with(section))
    }
}

/// The overrides with a table's file in the place of the recipe's.
fn with_file(table: Option<&Origin>, overrides: &Overrides) -> Overrides {
    let file = table.and_then(Origin::file).map(Path::to_owned);
    Overrides { input: file.or_else(|| overrides.input.clone()), ..overrides.clone() }
}

fn over_batches(mut written: Recipe, table: Option<&Origin>) -> Recipe {
    if let Some(Origin::Batches(batches)) = table {
        written.batches = Some(batches.clone());
    }
    written
}

impl RecipeText {
    /// A text in the place of its own.
    fn read(&self, text: &str, overrides: &Overrides) -> Result<Recipe, JobError> {
        let set = self.set.iter().chain(&overrides.set).cloned().collect();
        let overrides = Overrides { set, ..overrides.clone() };
        let base = self.path.parent().unwrap_or(Path::new(""));
        Recipe::parse(text, &self.path, base, &overrides)
    }
}

/// The recipe's seed, or a fresh one.
pub(super) fn seed_of(recipe: &Resolved) -> Result<Seed, JobError> {
    recipe.seed.clone().map_or_else(fresh_seed, Ok)
}

/// A seed of the machine's randomness.
pub(super) fn fresh_seed() -> Result<Seed, JobError> {
    Seed::fresh().map_err(|error| JobError::unusable(error.to_string()))
}
