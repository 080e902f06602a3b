//! Shields: k-anonymity of some quasi-identifiers together.

use serde_json::{Map, Value, json};
use velamen_core::frequency::Role;
use velamen_search::model::Entry;

use super::Recipe;
use super::nearest::did_you_mean;

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
    ) -> Result<Option<Vec<String>>, String> {
        let Some(named) = (entry.terms.facts.shields).then(|| parameters.remove("attributes")).flatten()
        else {
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
}
