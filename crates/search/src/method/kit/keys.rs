//! A method's own keys: read into its parameters, or refused by name.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;
use velamen_core::error::Problem;

/// What of a method section is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct KeyError {
    /// The key, where the problem is one key's.
    pub key: Option<String>,
    /// What is wrong and what is expected.
    pub problem: Problem,
    /// Whether the value is of the wrong kind, so that it cannot be read at all.
    pub unreadable: bool,
    /// A word that is not known, and those that are.
    pub unknown: Option<(String, Vec<&'static str>)>,
}

impl KeyError {
    /// Of one key.
    #[must_use]
    pub fn of(key: &str, problem: impl Into<Problem>) -> Self {
        Self { key: Some(key.to_owned()), ..problem.into().into() }
    }

    /// Of a key whose value should be one of the known words.
    #[must_use]
    pub fn unknown(key: &str, problem: String, word: &str, known: Vec<&'static str>) -> Self {
        Self { unknown: Some((word.to_owned(), known)), ..Self::of(key, problem) }
    }
}

impl From<Problem> for KeyError {
    fn from(problem: Problem) -> Self {
        Self { key: None, problem, unreadable: false, unknown: None }
    }
}

impl From<String> for KeyError {
    fn from(problem: String) -> Self {
        Problem::from(problem).into()
    }
}

impl From<&str> for KeyError {
    fn from(problem: &str) -> Self {
        Problem::from(problem).into()
    }
}

/// As serde says it, since it is read as such.
const FINITE: &str = "invalid value, expected a finite number";

/// Reads keys into parameters, all of which can be left out.
///
/// # Errors
/// [`KeyError`] names the key that is unknown or whose value is of the wrong kind.
pub fn read<P: DeserializeOwned + JsonSchema>(keys: Map<String, Value>) -> Result<P, KeyError> {
    let known = names::<P>();
    // Numbers that are none arrive as null.
    if let Some((key, _)) = keys.iter().find(|(_, value)| value.is_null()) {
        return Err(KeyError { unreadable: true, ..KeyError::of(key, FINITE) });
    }
    if let Some(key) = keys.keys().find(|key| !known.contains(key)) {
        return Err(KeyError::of(key, format!("unknown key `{key}`")));
    }
    let wrong = |key: &&String| {
        let others =
            keys.iter().filter(|(name, _)| name != key).map(|(name, value)| (name.clone(), value.clone()));
        parsed::<P>(others.collect()).is_ok()
    };
    match parsed(keys.clone()) {
        Ok(parameters) => Ok(parameters),
        Err(problem) => {
            let key = keys.keys().find(wrong).cloned();
            Err(KeyError { key, unreadable: true, ..problem.into() })
        }
    }
}

fn parsed<P: DeserializeOwned>(keys: Map<String, Value>) -> Result<P, String> {
    serde_json::from_value(Value::Object(keys)).map_err(|error| error.to_string())
}

/// The names of the keys that make up parameters.
#[must_use]
pub fn names<P: JsonSchema>() -> Vec<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<P>();
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map_or_else(Vec::new, |keys| keys.keys().cloned().collect())
}

/// No keys of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoKeys {}

/// The schema of parameters.
pub fn schema<P: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<P>()
}
