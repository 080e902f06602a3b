//! `[[privacy]]`: a model's name, and its parameters as the registry describes them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use velamen_search::model;

use crate::shield;

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
        // Beside the alternatives, for editors that complete no alternatives.
        let names: Vec<&str> = model::REGISTRY.names().collect();
        schema.insert("properties".into(), json!({ "model": { "enum": names } }));
        schema.insert("oneOf".into(), all.into());
        schema.into()
    }
}

/// A schema in place of the reference to its definition.
pub(super) fn inlined(schema: Schema, generator: &mut SchemaGenerator) -> Value {
    let schema = schema.to_value();
    let name = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let definition = name.and_then(|name| generator.definitions_mut().shift_remove(name));
    definition.unwrap_or(schema)
}

/// The parameters of a model with its name beside them, all in one object.
fn model_schema(entry: &model::Entry, generator: &mut SchemaGenerator) -> Value {
    let mut schema = inlined((entry.schema)(generator), generator);
    schema["title"] = entry.terms.name.into();
    schema["description"] = entry.terms.summary.into();
    schema["properties"]["model"] = json!({ "const": entry.terms.name });
    if entry.terms.facts.sensitive {
        let description = "The sensitive attribute; may be left out where there is only one.";
        schema["properties"]["attribute"] = json!({ "type": "string", "description": description });
    }
    shield::add_shield(entry, &mut schema);
    let required = schema["required"].as_array().into_iter().flatten().cloned();
    schema["required"] = std::iter::once("model".into()).chain(required).collect();
    schema
}
