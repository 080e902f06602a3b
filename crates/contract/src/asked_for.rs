//! What a promise asks for.

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The attribute that a model looks at.
const ATTRIBUTE: &str = "attribute";
/// The attributes of a shield.
const SHIELD: &str = "attributes";

/// Parameters of a model: data of a type that knows its own names.
pub trait Parameters: DeserializeOwned + JsonSchema {}

impl<P: DeserializeOwned + JsonSchema> Parameters for P {}

/// What a promise asks for, as `release.json` has it: the parameters of its model, and what these are about.
#[derive(Debug, Clone, Copy)]
pub struct AskedFor<'a>(pub &'a Value);

/// What a promise asks for: a model's parameters, with what they are about.
#[must_use]
pub fn asked_for(mut parameters: Value, attribute: Option<&str>, shield: Option<&[String]>) -> Value {
    if let Some(attribute) = attribute {
        parameters[ATTRIBUTE] = attribute.into();
    }
    if let Some(shield) = shield {
        parameters[SHIELD] = shield.into();
    }
    parameters
}

impl<'a> AskedFor<'a> {
    /// The sensitive attribute that the promise is about.
    #[must_use]
    pub fn attribute(self) -> Option<&'a str> {
        self.0.get(ATTRIBUTE)?.as_str()
    }

    /// The names of a shield's attributes, where the promise is not about all quasi-identifiers; as they stand, since a
    /// forged manifest can have anything there.
    #[must_use]
    pub fn shield(self) -> Option<&'a Value> {
        self.0.get(SHIELD)
    }

    /// All but what it is about, as a recipe gives a model's parameters; `None` if it is no table.
    #[must_use]
    pub fn all_parameters(self) -> Option<Value> {
        let mut all = self.0.as_object()?.clone();
        all.retain(|key, _| ![ATTRIBUTE, SHIELD].contains(&key.as_str()));
        Some(all.into())
    }

    /// The parameters of a model, whatever else stands beside them; `None` if they do not read.
    #[must_use]
    pub fn parameters<P: Parameters>(self) -> Option<P> {
        let schema = SchemaGenerator::default().into_root_schema_for::<P>();
        let known = schema.get("properties")?.as_object()?;
        let asked = self.0.as_object()?.iter().filter(|(key, _)| known.contains_key(*key));
        let asked: Map<String, Value> = asked.map(|(key, value)| (key.clone(), value.clone())).collect();
        serde_json::from_value(asked.into()).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::k_map::{Estimate, KMapParams};

    #[test]
    fn parameters_are_read_beside_what_they_are_about() {
        let asked =
            json!({ "k": 5, "estimate": "poisson", "attribute": "a", "attributes": ["b"], "other": 1 });
        let asked = AskedFor(&asked);
        let read: KMapParams = asked.parameters().unwrap();
        assert_eq!((read.k, read.estimate, read.significance), (5, Some(Estimate::Poisson), 0.05));
        assert_eq!((asked.attribute(), asked.shield()), (Some("a"), Some(&json!(["b"]))));
        assert_eq!(asked.all_parameters(), Some(json!({ "k": 5, "estimate": "poisson", "other": 1 })));
    }

    #[test]
    fn what_is_not_of_its_type_does_not_read() {
        for asked in [
            json!({}),
            json!({ "k": "5" }),
            json!({ "k": 5.5 }),
            json!({ "k": 5, "estimate": null }),
            json!(5),
        ] {
            assert!(AskedFor(&asked).parameters::<KMapParams>().is_none(), "{asked}");
        }
    }
}
