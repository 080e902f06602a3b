//! Privacy models, one file each, found by name in [`REGISTRY`].
//!
//! A recipe's parameters become a [`Model`]; bound to a table's [`Distribution`] it becomes a
//! [`Judge`]: of one equivalence class at a time, or of all kept classes together.

mod alpha_k_anonymity;
mod asked;
mod average_risk;
mod basic_beta_likeness;
mod catalog_risk;
mod class;
mod delta_disclosure;
mod delta_presence;
mod differential_privacy;
mod distinct_l_diversity;
mod enhanced_beta_likeness;
mod entropy_l_diversity;
mod information_leak;
mod k_anonymity;
mod k_map;
mod ms_bounding;
mod p_sensitive_k_anonymity;
mod population_uniqueness;
mod records_at_risk;
mod recursive_cl_diversity;
mod sample_uniqueness;
pub(crate) mod spelling;
mod t_closeness;

pub use asked::Asked;
pub use class::{Class, Distribution};
pub use velamen_core::people;

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;
use velamen_contract::model::Terms;
use velamen_core::error::Problem;
use velamen_core::registry::{Named, Registry};

/// Rounding that comparisons of shares and distances forgive: a class that meets a bound exactly
/// meets it, however the sum was rounded.
const ROUNDING: f64 = 1e-12;

/// The population that the table is a sample of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Population {
    /// Its number of records.
    pub size: u64,
    /// Whether its classes are known, not its size only.
    pub table: bool,
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

    /// Whether what is asked of a class's values holds, however many records it has: the part of the model that
    /// the real records of a class have to meet by themselves, where counterfeits count for its size.
    fn holds_of_values(&self, class: &Class<'_>) -> bool {
        self.holds(class)
    }

    /// How many records of a class that fails are suppressed at least at every node below, where the
    /// class is split: a bound that lets failures of models that survive merging exclude nodes although
    /// records may be suppressed.
    ///
    /// Law: however the class is split, the parts that hold have at most the other records.
    fn least_lost(&self, _class: &Class<'_>) -> u64 {
        0
    }
}

/// The least whole number that is at least `records`, up to rounding, and not above the class's size.
fn at_least(records: f64, class: &Class<'_>) -> u64 {
    let least = (records * (1.0 - 1e-9) - 1e-6).ceil();
    if least > 0.0 { (least as u64).min(class.size) } else { 0 }
}

/// Records to remove until one value's `count` is at most the share `most`: of s removed ones, count
/// − s ≤ most · (|E| − s).
fn excess(count: u64, most: f64, class: &Class<'_>) -> f64 {
    if most >= 1.0 { 0.0 } else { (count as f64 - most * class.size as f64) / (1.0 - most) }
}

/// Records to remove until no value's share is above the most that it may be.
fn lost_beyond(class: &Class<'_>, most: impl Fn(u32) -> f64) -> u64 {
    let lost = class.sensitive.iter().map(|&(value, count)| excess(count, most(value), class));
    at_least(lost.fold(0.0, f64::max), class)
}

/// Bounds on how much more frequent a value may become in a class than it is in the table, relative to its share there.
#[derive(Debug)]
struct RelativeGain {
    /// By value its share in the table, and the most that it may gain.
    values: Vec<(f64, f64)>,
}

impl RelativeGain {
    /// The most that a value may gain follows from its share.
    fn new(distribution: &Distribution<'_>, most: impl Fn(f64) -> f64) -> Self {
        Self { values: distribution.shares().into_iter().map(|share| (share, most(share))).collect() }
    }
}

impl ClassModel for RelativeGain {
    fn holds(&self, class: &Class<'_>) -> bool {
        let size = class.size as f64;
        class.sensitive.iter().all(|&(value, count)| {
            let ((p, most), q) = (self.values[value as usize], count as f64 / size);
            q <= p || (q - p) / p <= most + ROUNDING
        })
    }

    /// A value's share in the parts that hold is at most its bound, so it is in all of them together.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        lost_beyond(class, |value| {
            let (p, most) = self.values[value as usize];
            p * (1.0 + most)
        })
    }
}

/// How many classes have each size, ascending by size; sizes and numbers at least 1.
pub type Sizes = [(u64, u64)];

/// A model that all kept classes meet or fail together. No class at all meets every model.
pub trait TableModel: fmt::Debug + Send + Sync {
    /// Whether kept classes of these sizes meet the model.
    fn holds(&self, sizes: &Sizes) -> bool;
}

/// A model bound to a table.
#[derive(Debug, Clone)]
pub enum Judge {
    /// It looks at each class by itself; a class that fails is suppressed whole.
    Class(Arc<dyn ClassModel>),
    /// It looks at all kept classes; until it holds, the smallest are suppressed.
    Table(Arc<dyn TableModel>),
}

impl Judge {
    fn class(model: impl ClassModel + 'static) -> Self {
        Self::Class(Arc::new(model))
    }

    fn table(model: impl TableModel + 'static) -> Self {
        Self::Table(Arc::new(model))
    }
}

/// A model with checked parameters.
pub trait Model: fmt::Debug + Send + Sync {
    /// The parameters, as the recipe gives them.
    fn parameters(&self) -> Value;

    /// The model for one table.
    ///
    /// # Errors
    /// What of the parameters does not fit the attribute.
    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String>;

    /// A size that every class needs to meet the model.
    fn least_size(&self) -> u64 {
        1
    }

    /// The highest risk that a catalog of counterfeits may leave, where the model is about it. A method with a
    /// catalog keeps it; a class by itself does not show it.
    fn catalog_risk(&self) -> Option<f64> {
        None
    }
}

/// Parameters that are a model once they are checked. What more is needed of a table, a model takes when it is bound.
trait Checkable: Serialize + DeserializeOwned + fmt::Debug + Clone + Send + Sync + 'static {
    /// Refuses what is outside its range.
    ///
    /// # Errors
    /// What is wrong, and what is expected.
    fn check(&self) -> Result<(), Problem>;

    /// As [`Model::bind`].
    ///
    /// # Errors
    /// What of the parameters does not fit the attribute.
    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String>;

    /// As [`Model::least_size`].
    fn least_size(&self) -> u64 {
        1
    }

    /// As [`Model::catalog_risk`].
    fn catalog_risk(&self) -> Option<f64> {
        None
    }
}

/// Parameters that were checked.
#[derive(Debug)]
struct Checked<P>(P);

impl<P: Checkable> Model for Checked<P> {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        self.0.bind(distribution)
    }

    fn least_size(&self) -> u64 {
        self.0.least_size()
    }

    fn catalog_risk(&self) -> Option<f64> {
        self.0.catalog_risk()
    }
}

/// A parameter outside its range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{model}: {problem}")]
pub struct ParameterError {
    /// The model's or method's name.
    pub model: String,
    /// What is wrong and what is expected.
    pub problem: Problem,
    /// Whether they do not read at all: the problem is what serde says.
    pub unreadable: bool,
}

/// A model under the name that recipes use.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name, its words, and what holds of it.
    pub terms: &'static Terms,
    /// What a search may conclude from it.
    pub monotonicity: Monotonicity,
    /// Reads and checks the parameters (the recipe's table without `model` and `attribute`).
    pub parse: fn(Value) -> Result<Arc<dyn Model>, ParameterError>,
    /// The JSON Schema of the parameters.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl Entry {
    /// The parameters that every run states and a release leaves out, by name; none of parameters that do not read, which are
    /// for others to refuse.
    #[must_use]
    pub fn unsaid(&self, stated: &Value) -> Vec<String> {
        let whole = (self.parse)(stated.clone()).map(|model| model.parameters()).unwrap_or_default();
        let keys = whole.as_object().into_iter().flat_map(|whole| whole.keys());
        keys.filter(|key| stated.get(key.as_str()).is_none()).cloned().collect()
    }
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.terms.name
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.terms.name)
    }
}

/// The model that asks for nothing but the size of classes.
pub(crate) const BY_SIZE: Entry = k_anonymity::ENTRY;

/// Every model, by name.
pub static REGISTRY: Registry<Entry> = Registry::new(&[
    BY_SIZE,
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
    k_map::ENTRY,
    delta_presence::ENTRY,
    average_risk::ENTRY,
    records_at_risk::ENTRY,
    sample_uniqueness::ENTRY,
    information_leak::ENTRY,
    catalog_risk::ENTRY,
    population_uniqueness::ENTRY,
    differential_privacy::ENTRY,
]);

/// The entry of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.find(name)
}

/// A model as a search uses it: bound to a table, with the attribute it looks at.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The model.
    pub judge: Judge,
    /// The column of the rest that it looks at, if any.
    pub column: Option<usize>,
    /// What a search may conclude.
    pub monotonicity: Monotonicity,
    /// Whether it also judges classes that only the population has.
    pub population: bool,
}

/// Reads typed parameters and checks them: [`Entry::parse`] of a model of that name.
///
/// # Errors
/// [`ParameterError`] if they do not read, or if the model refuses them.
pub fn parse_as<P, M>(name: &str, value: Value) -> Result<Arc<dyn Model>, ParameterError>
where
    P: DeserializeOwned,
    M: Model + TryFrom<P, Error = Problem> + 'static,
{
    let refuse = |problem, unreadable| ParameterError { model: name.into(), problem, unreadable };
    let parameters: P =
        serde_json::from_value(value).map_err(|error| refuse(error.to_string().into(), true))?;
    let model = M::try_from(parameters).map_err(|problem| refuse(problem, false))?;
    Ok(Arc::new(model))
}

/// Reads and checks parameters that are a model by themselves.
fn parse_checked<P: Checkable>(name: &str, value: Value) -> Result<Arc<dyn Model>, ParameterError> {
    let refuse = |problem, unreadable| ParameterError { model: name.into(), problem, unreadable };
    let parameters: P =
        serde_json::from_value(value).map_err(|error| refuse(error.to_string().into(), true))?;
    parameters.check().map_err(|problem| refuse(problem, false))?;
    Ok(Arc::new(Checked(parameters)))
}

/// A model's parameters for manifests.
fn to_value(parameters: &impl Serialize) -> Value {
    serde_json::to_value(parameters).unwrap_or_default()
}

/// The schema of a parameter type.
pub fn schema_of<P: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<P>()
}

/// A k that protects somebody.
fn check_k(k: u64) -> Result<(), Problem> {
    match k {
        0 | 1 => Err(Problem::of(&["k"], format!("k = {k} protects nobody")).expected("at least 2")),
        _ => Ok(()),
    }
}

/// A number above 0.
fn check_positive(name: &str, number: f64) -> Result<(), Problem> {
    match number > 0.0 && number.is_finite() {
        true => Ok(()),
        false => Err(Problem::of(&[name], format!("{name} must be a number above 0"))),
    }
}

/// An l that asks for more than one value.
fn check_l(l: u64) -> Result<(), Problem> {
    match l >= 2 {
        true => Ok(()),
        false => Err(Problem::of(&["l"], "l must be at least 2")),
    }
}

/// A share below 1.
fn check_from_zero(name: &str, share: f64) -> Result<(), Problem> {
    match (0.0..1.0).contains(&share) {
        true => Ok(()),
        false => Err(Problem::of(&[name], format!("{name} is a share, from 0 and below 1"))),
    }
}

/// A share above 0.
fn check_share(name: &str, share: f64) -> Result<(), Problem> {
    if share > 0.0 && share <= 1.0 {
        Ok(())
    } else {
        Err(Problem::of(&[name], format!("{name} is a share, above 0 and at most 1")))
    }
}

/// For the models' own tests: a model over a table's counts.
#[cfg(test)]
pub(crate) fn bound(name: &str, parameters: Value, counts: &[u64]) -> Arc<dyn ClassModel> {
    let values: Vec<String> = (0..counts.len()).map(|value| value.to_string()).collect();
    let model = (find(name).unwrap().parse)(parameters).unwrap();
    let distribution = Distribution { values: &values, counts, ..Distribution::default() };
    match model.bind(&distribution).unwrap() {
        Judge::Class(model) => model,
        Judge::Table(_) => panic!("{name} judges no class"),
    }
}

/// For the models' own tests: whether classes of these sizes hold.
#[cfg(test)]
fn table_holds(name: &str, parameters: Value, sizes: &Sizes) -> bool {
    let model = (find(name).unwrap().parse)(parameters).unwrap();
    match model.bind(&Distribution::default()).unwrap() {
        Judge::Table(model) => model.holds(sizes),
        Judge::Class(_) => panic!("{name} judges classes"),
    }
}

/// For the models' own tests: whether a class of these counts holds.
#[cfg(test)]
fn holds(model: &Arc<dyn ClassModel>, counts: &[u64]) -> bool {
    let sensitive: Vec<(u32, u64)> = (0..).zip(counts.iter().copied()).filter(|cell| cell.1 > 0).collect();
    model.holds(&Class::new(counts.iter().sum(), &sensitive))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_unique_and_every_file_is_registered() {
        let mut names: Vec<&str> = REGISTRY.iter().map(|e| e.terms.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), REGISTRY.iter().count());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/model");
        for file in std::fs::read_dir(folder).unwrap() {
            let stem = file.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-");
            let shared = ["mod", "asked", "class", "people", "spelling"].contains(&stem.as_str());
            assert!(
                shared || names.contains(&stem.as_str()),
                "no model of REGISTRY is called {stem}, as its file is"
            );
        }
    }

    #[test]
    fn the_size_that_a_model_needs_is_what_its_terms_say() {
        let asked = [
            ("k-anonymity", json!({ "k": 7 })),
            ("alpha-k-anonymity", json!({ "alpha": 0.5, "k": 4 })),
            ("p-sensitive-k-anonymity", json!({ "p": 2, "k": 4 })),
            ("distinct-l-diversity", json!({ "l": 3 })),
            ("entropy-l-diversity", json!({ "l": 2.4 })),
            ("recursive-cl-diversity", json!({ "c": 2.0, "l": 3 })),
            ("t-closeness", json!({ "t": 0.4 })),
            ("average-risk", json!({ "risk": 0.1 })),
            ("catalog-risk", json!({ "risk": 0.3 })),
        ];
        for (name, asked) in asked {
            let entry = find(name).unwrap();
            let model = (entry.parse)(asked.clone()).unwrap();
            assert_eq!(model.least_size(), entry.terms.least_size(&asked), "{name}");
        }
    }
}
