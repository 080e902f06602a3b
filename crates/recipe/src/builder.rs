//! A recipe from typed parts, the same as its text.

use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::{Table, Value};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Ages, Definition, Ordered};

use super::{AttributeSection, HierarchySection, Made, Recipe};
use crate::JobError;

/// What messages call a recipe that has no file.
const NAME: &str = "recipe";

/// Collects a recipe's sections. [`build`](Self::build) reads the text that they make as it reads a file's: what is wrong in
/// one is wrong in the other, in the same words.
///
/// ```
/// use serde_json::json;
/// use velamen_contract::model::k_anonymity::KAnonymityParams;
/// use velamen_core::hierarchy::Definition;
/// use velamen_recipe::Recipe;
///
/// let ages = Definition::Interval { interval: vec![10.0, 20.0], min: 0.0, max: 99.0, decimals: 0 };
/// let recipe = Recipe::builder()
///     .quasi_identifier("age", ages)
///     .sensitive("diagnosis")
///     .privacy("k-anonymity", KAnonymityParams { k: 5 })
///     .method("optimal", json!({ "suppression-limit": 0.1 }))
///     .build()?;
/// assert_eq!(recipe.privacy[0].parameters["k"], 5);
///
/// let wrong = Recipe::builder().method("optimal", json!({ "suppression": 0.1 })).build();
/// assert!(wrong.unwrap_err().to_string().contains("suppression-limit"));
/// # Ok::<_, velamen_recipe::JobError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct RecipeBuilder {
    text: Table,
    /// The first part that TOML cannot hold.
    wrong: Option<Problem>,
}

impl RecipeBuilder {
    /// The table's file, relative to the working folder. Left out: the records are in memory, given by [`Recipe::over`].
    pub fn input(self, path: impl Into<PathBuf>) -> Self {
        self.set(&["input", "path"], path.into())
    }

    /// The release's folder, relative to the working folder. Left out: the release is made in memory.
    pub fn output(self, path: impl Into<PathBuf>) -> Self {
        self.set(&["output", "path"], path.into())
    }

    /// A column and all that a recipe can say of it.
    pub fn attribute(self, name: &str, section: AttributeSection) -> Self {
        self.set(&["attributes", name], section)
    }

    /// A column that an adversary may know, and how its values are generalized.
    pub fn quasi_identifier(self, name: &str, hierarchy: impl Into<HierarchySection>) -> Self {
        let hierarchy = Some(hierarchy.into());
        self.attribute(name, AttributeSection { hierarchy, ..AttributeSection::of(Role::QuasiIdentifier) })
    }

    /// A column that an adversary must not learn.
    pub fn sensitive(self, name: &str) -> Self {
        self.attribute(name, AttributeSection::of(Role::Sensitive))
    }

    /// A column that is released unchanged and takes no part.
    pub fn insensitive(self, name: &str) -> Self {
        self.attribute(name, AttributeSection::of(Role::Insensitive))
    }

    /// A column that names a person: it is dropped.
    pub fn identifier(self, name: &str) -> Self {
        self.attribute(name, AttributeSection::of(Role::Identifier))
    }

    /// One more privacy model that must hold, with its parameters: the model's struct, or JSON.
    pub fn privacy(mut self, model: &str, parameters: impl Serialize) -> Self {
        let Some(mut section) = self.table(&["privacy"], parameters) else { return self };
        section.insert("model".into(), model.into());
        let models = self.text.entry("privacy").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(models) = models {
            models.push(section.into());
        }
        self
    }

    /// The method, with its own keys and the `seed`, if it is fixed, as JSON; `json!({})` for none.
    pub fn method(mut self, name: &str, keys: impl Serialize) -> Self {
        let Some(mut section) = self.table(&["method"], keys) else { return self };
        section.insert("name".into(), name.into());
        self.text.insert("method".into(), section.into());
        self
    }

    /// Any key of a recipe by its place, such as `["report", "title"]`; it replaces what stands there.
    pub fn set(mut self, place: &[&str], value: impl Serialize) -> Self {
        let Some(value) = self.value(place, value) else { return self };
        let Some((last, tables)) = place.split_last() else { return self };
        let mut table = &mut self.text;
        for name in tables {
            let inner = table.entry(*name).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(inner) = inner else {
                self.refuse(place, "a key above it is no table");
                return self;
            };
            table = inner;
        }
        table.insert((*last).to_owned(), value);
        self
    }

    /// The recipe as text.
    ///
    /// # Errors
    /// [`JobError::recipe`] if a part cannot stand in TOML.
    pub fn to_toml(&self) -> Result<String, JobError> {
        match &self.wrong {
            Some(problem) => Err(JobError::recipe(Path::new(NAME), problem.clone())),
            None => toml::to_string(&self.text)
                .map_err(|error| JobError::recipe(Path::new(NAME), error.to_string())),
        }
    }

    /// The recipe, as [`Recipe::in_memory`] reads the text.
    ///
    /// # Errors
    /// [`JobError::recipe`] if it is wrong; lines are those of [`to_toml`](Self::to_toml).
    pub fn build(self) -> Result<Recipe, JobError> {
        Recipe::in_memory(&self.to_toml()?)
    }

    fn value(&mut self, place: &[&str], value: impl Serialize) -> Option<Value> {
        match Value::try_from(value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refuse(place, &error.to_string());
                None
            }
        }
    }

    fn table(&mut self, place: &[&str], value: impl Serialize) -> Option<Table> {
        match self.value(place, value)? {
            Value::Table(table) => Some(table),
            _ => {
                self.refuse(place, "a table of keys is expected");
                None
            }
        }
    }

    /// Keeps the first mistake.
    fn refuse(&mut self, place: &[&str], problem: &str) {
        self.wrong.get_or_insert_with(|| Problem::new(format!("{}: {problem}", place.join("."))));
    }
}

impl Recipe {
    /// A recipe from typed parts.
    pub fn builder() -> RecipeBuilder {
        RecipeBuilder::default()
    }
}

impl From<Definition> for HierarchySection {
    fn from(definition: Definition) -> Self {
        Self::Inline(definition)
    }
}

impl From<Ages> for HierarchySection {
    fn from(ages: Ages) -> Self {
        Self::Made(Made::Ages(ages))
    }
}

impl From<Ordered> for HierarchySection {
    fn from(ordered: Ordered) -> Self {
        Self::Made(Made::Ordered(ordered))
    }
}

/// A file.
impl From<&str> for HierarchySection {
    fn from(file: &str) -> Self {
        Self::File(file.into())
    }
}

/// A file.
impl From<PathBuf> for HierarchySection {
    fn from(file: PathBuf) -> Self {
        Self::File(file)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = r#"
        [input]
        path = "patients.csv"
        [attributes."admitted on"]
        role = "quasi-identifier"
        hierarchy = "hierarchies/days.csv"
        max-level = 2
        [attributes.age]
        role = "quasi-identifier"
        hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
        [attributes.diagnosis]
        role = "sensitive"
        [attributes.name]
        role = "identifier"
        [attributes.ward]
        role = "insensitive"
        [[privacy]]
        model = "k-anonymity"
        k = 5
        [[privacy]]
        model = "t-closeness"
        t = 0.3
        attribute = "diagnosis"
        [method]
        name = "optimal"
        suppression-limit = 0.02
        seed = 42
        [report]
        title = "A \"title\""
        [output]
        path = "release"
    "#;

    fn built() -> RecipeBuilder {
        let ages = Definition::Interval { interval: vec![5.0, 10.0, 20.0], min: 0.0, max: 99.0, decimals: 0 };
        let days = AttributeSection {
            hierarchy: Some("hierarchies/days.csv".into()),
            max_level: Some(2),
            ..AttributeSection::of(Role::QuasiIdentifier)
        };
        Recipe::builder()
            .input("patients.csv")
            .attribute("admitted on", days)
            .quasi_identifier("age", ages)
            .sensitive("diagnosis")
            .identifier("name")
            .insensitive("ward")
            .privacy("k-anonymity", json!({ "k": 5 }))
            .privacy("t-closeness", json!({ "t": 0.3, "attribute": "diagnosis" }))
            .method("optimal", json!({ "suppression-limit": 0.02, "seed": 42 }))
            .set(&["report", "title"], "A \"title\"")
            .output("release")
    }

    fn plain(recipe: &Recipe) -> serde_json::Value {
        serde_json::to_value(recipe).unwrap()
    }

    #[test]
    fn parts_make_the_recipe_that_the_text_makes() {
        let (parts, text) = (built().build().unwrap(), Recipe::in_memory(TEXT).unwrap());
        assert_eq!(plain(&parts), plain(&text));
        let again = Recipe::in_memory(&built().to_toml().unwrap()).unwrap();
        assert_eq!(plain(&again), plain(&text));
    }

    #[test]
    fn parts_are_refused_as_the_text_is() {
        let said = |builder: RecipeBuilder| builder.build().unwrap_err().to_string();
        let wrong = said(built().method("optimal", json!({ "supression-limit": 0.1 })));
        assert!(wrong.contains("did you mean `suppression-limit`?"), "{wrong}");
        let wrong = said(built().set(&["attributes", "age", "max-levle"], 1));
        assert!(wrong.contains("max-levle"), "{wrong}");
    }

    #[test]
    fn the_first_part_that_is_no_toml_is_named() {
        let builder = built().privacy("k-map", json!({ "k": null })).set(&["input", "path", "file"], 1);
        let wrong = builder.build().unwrap_err().to_string();
        assert!(wrong.starts_with("recipe: privacy: "), "{wrong}");
        let wrong = built().set(&["input", "path", "file"], 1).build().unwrap_err().to_string();
        assert!(wrong.contains("input.path.file: a key above it is no table"), "{wrong}");
        let wrong = built().privacy("k-map", 5).build().unwrap_err().to_string();
        assert!(wrong.contains("privacy: a table of keys is expected"), "{wrong}");
    }
}
