//! The recipe's section for the searches that count rows, and shields: k-anonymity of some
//! quasi-identifiers together.

use serde_json::{Map, Value, json};
use velamen_core::frequency::Role;
use velamen_core::method::iab::{Reach, Search, USUAL_BUDGET};
use velamen_core::model::Entry;

use super::nearest::did_you_mean;
use super::{AskedModel, Method, MethodName, Recipe};

/// The one model that these searches keep.
const MODEL: &str = "k-anonymity";

/// One of the three searches with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct RowSearch {
    /// The name in the recipe.
    pub name: MethodName,
    /// How tables are looked through.
    pub search: Search,
    /// What one generalization changes.
    pub reach: Reach,
    /// The most tables that are made.
    pub budget: u64,
}

/// Puts the key `attributes` into the schema of the model that takes it.
pub(super) fn add_shield(entry: &Entry, schema: &mut Value) {
    if entry.name == MODEL {
        let description = "iab, greedy and exhaustive-rows: the quasi-identifiers that records must share; left \
                           out: all.";
        schema["properties"]["attributes"] = json!({
            "type": "array", "items": { "type": "string" }, "minItems": 1, "description": description,
        });
    }
}

impl Recipe {
    /// The shield among a model's parameters, which are left without it.
    pub(super) fn shield(
        &self,
        entry: &Entry,
        parameters: &mut Map<String, Value>,
    ) -> Result<Option<Vec<String>>, String> {
        let Some(named) = (entry.name == MODEL).then(|| parameters.remove("attributes")).flatten() else {
            return Ok(None);
        };
        let names: Vec<String> = serde_json::from_value(named)
            .map_err(|_| "`attributes` is a list of names, such as [\"age\", \"zip\"]".to_owned())?;
        if names.is_empty() {
            return Err(
                "`attributes` is empty: name the quasi-identifiers that records must share, or leave it \
                        out for all"
                    .into(),
            );
        }
        for (number, name) in names.iter().enumerate() {
            let role = self.attributes.get(name).map(|section| section.role);
            if role != Some(Role::QuasiIdentifier) {
                let known = self.attributes.iter().filter(|(_, other)| other.role == Role::QuasiIdentifier);
                let near = did_you_mean(name, known.map(|(name, _)| name.as_str()));
                return Err(format!(
                    "`attributes`: `{name}` does not have the role \"quasi-identifier\"{near}"
                ));
            }
            if names[..number].contains(name) {
                return Err(format!("`attributes` names `{name}` twice"));
            }
        }
        Ok(Some(names))
    }

    /// Refuses shields where a method looks at all quasi-identifiers together.
    pub(super) fn shields_by_method(&self, models: &[AskedModel]) -> Result<(), String> {
        let counts_rows =
            matches!(self.method.name, MethodName::Iab | MethodName::Greedy | MethodName::ExhaustiveRows);
        if counts_rows || models.iter().all(|asked| asked.shield.is_none()) {
            return Ok(());
        }
        Err("k-anonymity of some `attributes` is kept by the methods that count rows only: choose name = \
             \"iab\", or drop `attributes`"
            .into())
    }

    pub(super) fn row_search(&self, name: MethodName, models: &[AskedModel]) -> Result<Method, String> {
        self.refuse_persons()?;
        if let Some(other) = models.iter().find(|asked| asked.entry.name != MODEL) {
            return Err(format!(
                "the searches that count rows keep {MODEL} only, not `{}`; choose name = \"optimal\" with metric = \
                 \"rows-retained\"",
                other.entry.name
            ));
        }
        if self.population.is_some() {
            return Err(
                "the searches that count rows look at no population: drop the section `population`".into()
            );
        }
        let section = &self.method;
        let budget = section.budget_steps.unwrap_or(USUAL_BUDGET);
        if budget == 0 {
            return Err("budget-steps must be above 0".into());
        }
        let search = match name {
            MethodName::Greedy => Search::Greedy,
            MethodName::ExhaustiveRows => Search::Exhaustive,
            _ => Search::Iab,
        };
        Ok(Method::Rows(RowSearch { name, search, reach: section.recoding, budget }))
    }
}
