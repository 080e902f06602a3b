//! Shields: k-anonymity of some quasi-identifiers together.

use serde_json::{Map, Value, json};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_search::model::Entry;

use super::Recipe;
use super::nearest::did_you_mean;

/// The key that names a shield.
const KEY: &[&str] = &["attributes"];

/// Puts the key `attributes` into the schema of the model that takes it.
pub(super) fn add_shield(entry: &Entry, schema: &mut Value) {
    if entry.terms.facts.shields {
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
    ) -> Result<Option<Vec<String>>, Problem> {
        let Some(named) = (entry.terms.facts.shields).then(|| parameters.remove("attributes")).flatten()
        else {
            return Ok(None);
        };
        let names: Vec<String> = serde_json::from_value(named)
            .map_err(|_| Problem::of(KEY, "`attributes` is a list of names, such as [\"age\", \"zip\"]"))?;
        if names.is_empty() {
            let mend = "name the quasi-identifiers that records must share, or leave it out for all";
            return Err(Problem::of(KEY, "`attributes` is empty").mend(mend));
        }
        for (number, name) in names.iter().enumerate() {
            let role = self.attributes.get(name).map(|section| section.role);
            if role != Some(Role::QuasiIdentifier) {
                let known = self.attributes.iter().filter(|(_, other)| other.role == Role::QuasiIdentifier);
                let near = did_you_mean(name, known.map(|(name, _)| name.as_str()));
                let problem = format!("`attributes`: `{name}` does not have the role \"quasi-identifier\"");
                return Err(Problem::of(KEY, problem).naming(name).mend_if(near));
            }
            if names[..number].contains(name) {
                return Err(Problem::of(KEY, format!("`attributes` names `{name}` twice")).naming(name));
            }
        }
        Ok(Some(names))
    }
}
