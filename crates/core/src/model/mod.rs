//! Privacy models, one file each, found by name in [`REGISTRY`].

mod k_anonymity;

pub use k_anonymity::KAnonymity;

use std::fmt;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use thiserror::Error;

/// What a model sees of an equivalence class.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// |E|, counterfeits included where there are any.
    pub size: u64,
    /// (sensitive code, count), ascending by code; empty where no model needs it.
    pub sensitive: &'a [(u32, u64)],
}

/// A privacy model that each class meets or fails by itself.
///
/// Law: if every class of a node meets the model, so does every class of a more general node
/// (monotone under generalization without suppression); the search prunes by it.
pub trait ClassModel: fmt::Debug + Send + Sync {
    /// Whether the class meets the model.
    fn holds(&self, class: &Class<'_>) -> bool;

    /// The parameters, as the recipe gives them.
    fn parameters(&self) -> Value;

    /// The least size that a class can have and meet the model.
    fn least_size(&self) -> u64;
}

/// A parameter outside its range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{model}: {problem}")]
pub struct ParameterError {
    /// The model's or method's name.
    pub model: String,
    /// What is wrong and what is expected.
    pub problem: String,
}

/// A model under the name that recipes use.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in `[[privacy]] model = "…"`.
    pub name: &'static str,
    /// One sentence for catalogues and help.
    pub summary: &'static str,
    /// Reads and checks the parameters (the recipe's table without `model`).
    pub parse: fn(Value) -> Result<Arc<dyn ClassModel>, ParameterError>,
    /// The JSON Schema of the parameters.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Every model, by name.
pub const REGISTRY: &[Entry] = &[k_anonymity::ENTRY];

/// The entry of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.name == name)
}

/// Reads typed parameters and checks them.
fn parse_as<P, M>(name: &str, value: Value) -> Result<Arc<dyn ClassModel>, ParameterError>
where
    P: serde::de::DeserializeOwned,
    M: ClassModel + TryFrom<P, Error = String> + 'static,
{
    let refuse = |problem: String| ParameterError { model: name.into(), problem };
    let parameters: P = serde_json::from_value(value).map_err(|e| refuse(e.to_string()))?;
    M::try_from(parameters).map(|model| Arc::new(model) as Arc<dyn ClassModel>).map_err(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_file_is_registered() {
        let mut names: Vec<&str> = REGISTRY.iter().map(|e| e.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), REGISTRY.len());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model");
        for file in std::fs::read_dir(folder).unwrap() {
            let stem = file.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-");
            assert!(stem == "mod" || names.contains(&stem.as_str()), "{stem} is not in REGISTRY");
        }
    }
}
