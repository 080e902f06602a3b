//! Privacy models, one file each, found by name in [`REGISTRY`].
//!
//! A recipe's parameters become a [`Model`]; bound to a table's [`Distribution`] it becomes a
//! [`ClassModel`], which judges one equivalence class at a time.

mod alpha_k_anonymity;
mod basic_beta_likeness;
mod delta_disclosure;
mod distinct_l_diversity;
mod enhanced_beta_likeness;
mod entropy_l_diversity;
mod k_anonymity;
mod ms_bounding;
mod p_sensitive_k_anonymity;
mod recursive_cl_diversity;
mod t_closeness;

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::hierarchy::Hierarchy;

/// Rounding that comparisons of shares and distances forgive: a class that meets a bound exactly
/// meets it, however the sum was rounded.
const ROUNDING: f64 = 1e-12;

/// What a model sees of an equivalence class.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// |E|, counterfeits included where there are any.
    pub size: u64,
    /// (sensitive code, count), ascending by code, counts at least 1; empty where the model looks
    /// at no attribute.
    pub sensitive: &'a [(u32, u64)],
}

/// The sensitive attribute in the whole table, suppressed records included.
#[derive(Debug, Clone, Copy)]
pub struct Distribution<'a> {
    /// The values, by code.
    pub values: &'a [String],
    /// How many records have each value; 0 for values of the domain that do not occur.
    pub counts: &'a [u64],
    /// The attribute's hierarchy over the values, if it has one.
    pub hierarchy: Option<&'a Hierarchy>,
}

impl Distribution<'_> {
    /// p: the share of each value.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let total: u64 = self.counts.iter().sum();
        self.counts.iter().map(|&count| count as f64 / total.max(1) as f64).collect()
    }
}

/// What holds of classes that merge, and so what a search may conclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Monotonicity {
    /// Nothing: every node must be judged by itself.
    None,
    /// Classes that hold merge into one that holds. Prunes where nothing is suppressed.
    Merge,
    /// A class that holds still does with any records added. Prunes with suppression, too.
    Superset,
}

/// A model that each class meets or fails by itself.
pub trait ClassModel: fmt::Debug + Send + Sync {
    /// Whether the class meets the model.
    ///
    /// Law: what the entry's [`Monotonicity`] says.
    fn holds(&self, class: &Class<'_>) -> bool;
}

/// A model with checked parameters.
pub trait Model: fmt::Debug + Send + Sync {
    /// The parameters, as the recipe gives them.
    fn parameters(&self) -> Value;

    /// The model for one table.
    ///
    /// # Errors
    /// What of the parameters does not fit the attribute.
    fn bind(&self, distribution: &Distribution<'_>) -> Result<Arc<dyn ClassModel>, String>;

    /// A size that every class needs to meet the model.
    fn least_size(&self) -> u64 {
        1
    }
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
    /// What a search may conclude from it.
    pub monotonicity: Monotonicity,
    /// Whether it looks at a sensitive attribute, named by `attribute` in the recipe.
    pub sensitive: bool,
    /// Reads and checks the parameters (the recipe's table without `model` and `attribute`).
    pub parse: fn(Value) -> Result<Arc<dyn Model>, ParameterError>,
    /// The JSON Schema of the parameters.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Every model, by name.
pub const REGISTRY: &[Entry] = &[
    k_anonymity::ENTRY,
    alpha_k_anonymity::ENTRY,
    p_sensitive_k_anonymity::ENTRY,
    distinct_l_diversity::ENTRY,
    entropy_l_diversity::ENTRY,
    recursive_cl_diversity::ENTRY,
    t_closeness::ENTRY,
    delta_disclosure::ENTRY,
    basic_beta_likeness::ENTRY,
    enhanced_beta_likeness::ENTRY,
    ms_bounding::ENTRY,
];

/// The entry of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.name == name)
}

/// A model as a search uses it: bound to a table, with the attribute it looks at.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The judge of classes.
    pub model: Arc<dyn ClassModel>,
    /// The column of the rest that it looks at, if any.
    pub column: Option<usize>,
    /// What a search may conclude.
    pub monotonicity: Monotonicity,
}

/// Reads typed parameters and checks them.
fn parse_as<P, M>(name: &str, value: Value) -> Result<Arc<dyn Model>, ParameterError>
where
    P: DeserializeOwned,
    M: Model + TryFrom<P, Error = String> + 'static,
{
    let refuse = |problem: String| ParameterError { model: name.into(), problem };
    let parameters: P = serde_json::from_value(value).map_err(|e| refuse(e.to_string()))?;
    M::try_from(parameters).map(|model| Arc::new(model) as Arc<dyn Model>).map_err(refuse)
}

/// A model's parameters for manifests.
fn to_value(parameters: &impl Serialize) -> Value {
    serde_json::to_value(parameters).unwrap_or_default()
}

/// The schema of a parameter type.
fn schema_of<P: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<P>()
}

/// A k that protects somebody.
fn check_k(k: u64) -> Result<(), String> {
    if k < 2 { Err(format!("k = {k} protects nobody; k must be at least 2")) } else { Ok(()) }
}

/// A number above 0.
fn check_positive(name: &str, number: f64) -> Result<(), String> {
    if number > 0.0 && number.is_finite() { Ok(()) } else { Err(format!("{name} must be a number above 0")) }
}

/// A share above 0.
fn check_share(name: &str, share: f64) -> Result<(), String> {
    if share > 0.0 && share <= 1.0 {
        Ok(())
    } else {
        Err(format!("{name} is a share, above 0 and at most 1"))
    }
}

/// For the models' own tests: a model over a table's counts.
#[cfg(test)]
fn bound(name: &str, parameters: Value, counts: &[u64]) -> Arc<dyn ClassModel> {
    let values: Vec<String> = (0..counts.len()).map(|value| value.to_string()).collect();
    let model = (find(name).unwrap().parse)(parameters).unwrap();
    model.bind(&Distribution { values: &values, counts, hierarchy: None }).unwrap()
}

/// For the models' own tests: whether a class of these counts holds.
#[cfg(test)]
fn holds(model: &Arc<dyn ClassModel>, counts: &[u64]) -> bool {
    let sensitive: Vec<(u32, u64)> = (0..).zip(counts.iter().copied()).filter(|cell| cell.1 > 0).collect();
    model.holds(&Class { size: counts.iter().sum(), sensitive: &sensitive })
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
