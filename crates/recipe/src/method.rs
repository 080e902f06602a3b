//! From the recipe's method section to a method with checked parameters.

use std::path::Path;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_search::method;
use velamen_search::method::{Entry, Facts, KeyError, Method, Particulars, Records, Task};

use super::nearest::{did_you_mean, one_of};
use super::said::Said;
use super::{AskedModel, Recipe, ResolvedAttribute, SeedSection};
use crate::{Code, JobError};

/// The model of differential privacy.
const PRIVATE: &str = velamen_contract::model::BY_DRAWS.name;

/// `[method]`: a name, the method's own keys, and a seed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MethodSection {
    /// A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<SeedSection>,
    /// The method's name, and keys that it knows.
    #[serde(flatten)]
    pub keys: Map<String, Value>,
}

impl MethodSection {
    /// The section of a method without keys of its own.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self { seed: None, keys: [("name".to_owned(), name.into())].into_iter().collect() }
    }

    /// What holds of the method's releases; of a method that is not known what holds of most.
    pub(super) fn facts(&self) -> Facts {
        method::released_facts(&self.keys).unwrap_or(Facts::SEARCH)
    }
}

/// The method that a recipe asks for.
#[derive(Debug, Clone)]
pub struct AskedMethod {
    /// Its registry entry.
    pub entry: &'static Entry,
    /// It, with checked parameters.
    pub method: Arc<dyn Method>,
    /// What holds of its releases.
    pub facts: Facts,
}

impl AskedMethod {
    /// Its name in recipes and manifests.
    pub fn name(&self) -> &'static str {
        self.entry.written()
    }

    /// Whether the release is made of noisy counts, not of records.
    pub fn is_noisy(&self) -> bool {
        self.facts.is_noisy()
    }

    /// Whether the release is differentially private.
    pub fn is_private(&self) -> bool {
        self.facts.private
    }

    /// Why insensitive columns are dropped, where they are.
    pub fn drops_insensitive(&self) -> Option<&'static str> {
        self.method.particulars().drops_insensitive
    }

    /// What only some methods have.
    pub fn particulars(&self) -> Particulars {
        self.method.particulars()
    }
}

impl Recipe {
    /// The method with its keys, once nothing of the recipe goes beyond what it can do.
    pub(super) fn method(
        &self,
        path: &Path,
        attributes: &[ResolvedAttribute],
        models: &[AskedModel],
    ) -> Result<AskedMethod, JobError> {
        let of_method = |problem: Problem| self.of_method(path, problem);
        let of_key = |error: KeyError| self.of_key(path, &error);
        let (entry, own) = method::find(&self.method.keys).map_err(of_key)?;
        let facts = (entry.facts)(&self.method.keys);
        refuse_private(&facts, models).map_err(of_method)?;
        refuse_shields(&facts, models).map_err(of_method)?;
        self.refuse_levels(&facts).map_err(of_method)?;
        let task = Task::new(attributes, models);
        let method = (entry.parse)(own, &task).map_err(of_key)?;
        self.refuse_persons(&facts).map_err(of_method)?;
        if self.population.is_some() && !facts.population {
            let name = entry.written();
            let problem =
                Problem::new(format!("{name} looks at no population")).mend("drop the section `population`");
            return Err(of_method(problem));
        }
        Ok(AskedMethod { entry, method, facts })
    }

    /// Refuses a method that there is not, before anything is asked that depends on it.
    pub(super) fn refuse_unknown_method(&self, path: &Path) -> Result<(), JobError> {
        method::find(&self.method.keys).map(drop).map_err(|error| self.of_key(path, &error))
    }

    /// What is wrong with a key of the method's section.
    fn of_key(&self, path: &Path, error: &KeyError) -> JobError {
        let problem = said(error);
        let Some(key) = &error.key else { return self.of_method(path, problem) };
        let place = ["method", key];
        match self.places.flag(&place).filter(|_| error.unreadable) {
            Some(flag) => JobError::usage(problem.after(&format!("{flag}: method: "))).coded(Code::SET),
            None => self.refuse(path, &place, problem.after("method: ")).coded(code_of(error)),
        }
    }

    /// What is wrong with the method's section; a problem of an attribute says so itself.
    fn of_method(&self, path: &Path, problem: Problem) -> JobError {
        let is_whole = problem.attribute().is_some();
        self.refuse(path, &["method"], if is_whole { problem } else { problem.after("method: ") })
    }

    /// Refuses levels where classes have levels of their own.
    fn refuse_levels(&self, facts: &Facts) -> Result<(), Problem> {
        let asked = |attribute: &super::AttributeSection| {
            attribute.level.or(attribute.min_level).or(attribute.max_level).is_some()
        };
        match self.attributes.iter().find(|(_, attribute)| !facts.levels && asked(attribute)) {
            Some((name, _)) => {
                let problem = "`level`, `min-level` and `max-level` need one level for the whole table";
                Err(Problem::of(&["level", "min-level", "max-level"], problem)
                    .mend(
                        "drop them, or \
                               choose name = \"optimal\" or h-ceiling with parts = \"full-domain\"",
                    )
                    .in_attribute(name))
            }
            None => Ok(()),
        }
    }

    /// Refuses persons of several records where k counts records.
    fn refuse_persons(&self, facts: &Facts) -> Result<(), Problem> {
        // Methods of invented records bound what a person does to their counts.
        let counts = facts.persons || facts.records == Records::Invented;
        if !counts && self.attributes.values().any(|attribute| attribute.role == Role::Person) {
            // Only the searches row by row look at sets of quasi-identifiers.
            let (why, other) = match facts.shields {
                true => (
                    "the method works row by row: it keeps distinct rows, and does not see that several are one person's",
                    "choose name = \"optimal\", with metric = \"rows-retained\" for the most distinct rows",
                ),
                false => ("the method counts records", "choose name = \"optimal\""),
            };
            let problem =
                Problem::new(format!("{why}; the role \"person\" asks it to count people")).mend(other);
            return Err(Problem::of(&["name"], problem));
        }
        Ok(())
    }
}

/// The code of a mistake in a key: names of methods and metrics have pages of their own.
fn code_of(error: &KeyError) -> Code {
    match (&error.unknown, error.key.as_deref()) {
        (Some(_), Some("name")) => Code::UNKNOWN_METHOD,
        (Some(_), Some("metric")) => Code::UNKNOWN_METRIC,
        _ => Code::METHOD_KEY,
    }
}

/// What is wrong, with the word that was probably meant.
fn said(error: &KeyError) -> Problem {
    match (&error.unknown, &error.key) {
        (Some((word, known)), _) => one_of(error.problem.clone(), word, known),
        (None, Some(key)) if error.unreadable => {
            Said::of(error.problem.text()).explained().after(&format!("`{key}`: "))
        }
        (None, _) => error.problem.clone(),
    }
}

/// Refuses to promise differential privacy of a method that has none.
fn refuse_private(facts: &Facts, models: &[AskedModel]) -> Result<(), Problem> {
    if facts.private || !facts.models || !models.iter().any(|asked| asked.entry.terms.facts.private) {
        return Ok(());
    }
    let names: Vec<String> = having(|facts| facts.private).map(|name| format!("\"{name}\"")).collect();
    let (last, others) = names.split_last().map_or(("", &names[..]), |(last, others)| (last, others));
    let problem = Problem::new(format!("`{PRIVATE}` is kept by {} methods only", names.len()))
        .mend(format!("choose name = {} or {last}", others.join(", ")));
    Err(Problem::of(&["name"], problem))
}

/// Refuses shields where a method looks at all quasi-identifiers together.
fn refuse_shields(facts: &Facts, models: &[AskedModel]) -> Result<(), Problem> {
    if facts.shields || models.iter().all(|asked| asked.shield.is_none()) {
        return Ok(());
    }
    let name = having(|facts| facts.shields).next().unwrap_or_default();
    let problem =
        Problem::new("k-anonymity of some `attributes` is kept by the methods that count rows only")
            .mend(format!("choose name = \"{name}\", or drop `attributes`"));
    Err(Problem::of(&["name"], problem))
}

/// The methods of whose releases something holds, unless a key says otherwise.
fn having(holds: impl Fn(&Facts) -> bool) -> impl Iterator<Item = &'static str> {
    let entries = method::REGISTRY.iter().filter(move |entry| holds(&(entry.facts)(&Map::new())));
    entries.map(|entry| entry.name)
}

/// The keys of a `[method]` section that its method does not know, each with what is wrong; none where the
/// method itself is not known.
pub(super) fn foreign(section: &Map<String, Value>) -> Vec<(String, Problem)> {
    let Ok((entry, own)) = method::find(section) else { return Vec::new() };
    let known = entry.known_keys();
    let is_known = |key: &str| key == "seed" || known.iter().any(|known| known == key);
    own.keys()
        .filter(|key| !is_known(key))
        .map(|key| (key.clone(), foreign_key(entry, &known, key, section.contains_key("name"))))
        .collect()
}

fn foreign_key(entry: &Entry, known: &[String], key: &str, is_named: bool) -> Problem {
    let expected = format!("a key of {}: {}", entry.written(), known.join(", "));
    let mut others: Vec<&str> = method::REGISTRY
        .iter()
        .filter(|other| other.known_keys().iter().any(|known| known == key))
        .map(Entry::written)
        .collect();
    others.dedup();
    let problem = match entry.alias {
        _ if others.is_empty() => {
            let near = did_you_mean(key, known.iter().map(String::as_str).chain(["seed"]));
            Problem::new(format!("method: unknown field `{key}`")).mend_if(near)
        }
        Some(own) if others.contains(&own.name) => {
            format!("method: `{key}` means nothing under {} = \"{}\"", own.key, own.value).into()
        }
        _ if !is_named => {
            let means = format!("the recipe names no method, which means {}", entry.written());
            return Problem::new(format!("method: `{key}` is a key of {}, and {means}", others.join(", ")))
                .mend(format!("add name = \"{}\" under [method]", others[0]));
        }
        _ => format!("method: `{key}` is a key of {}", others.join(", ")).into(),
    };
    problem.expected(expected)
}

/// The schema of `[method]`: of each method its name and its own keys.
pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let seed = generator.subschema_for::<SeedSection>().to_value();
    let methods: Vec<Value> =
        method::REGISTRY.iter().map(|entry| method_schema(entry, &seed, generator)).collect();
    let mut schema = Map::new();
    schema.insert("description".into(), "A method and its own keys.".into());
    // Beside the alternatives, for editors that complete no alternatives.
    let mut names: Vec<&str> = method::REGISTRY.iter().map(Entry::written).collect();
    names.dedup();
    schema.insert("properties".into(), json!({ "name": { "enum": names } }));
    schema.insert("oneOf".into(), methods.into());
    schema.into()
}

fn method_schema(entry: &Entry, seed: &Value, generator: &mut SchemaGenerator) -> Value {
    let mut own = Map::new();
    own.insert("name".into(), json!({ "const": entry.written() }));
    if let Some(alias) = entry.alias {
        own.insert(alias.key.into(), json!({ "const": alias.value }));
    }
    let keys = super::privacy::inlined((entry.schema)(generator), generator);
    for (key, value) in keys["properties"].as_object().into_iter().flatten() {
        own.entry(key).or_insert_with(|| value.clone());
    }
    let mut seed = seed.clone();
    seed["description"] =
        "A whole number or 64 hexadecimal digits; left out: fresh, kept in the custodian's folder.".into();
    own.insert("seed".into(), seed);
    let mut required: Vec<&str> = Vec::new();
    required.extend((entry.name != method::USUAL.name).then_some("name"));
    // Left out, the key means the entry whose own name it is.
    required.extend(entry.alias.filter(|alias| alias.name != entry.name).map(|alias| alias.key));
    json!({
        "type": "object",
        "title": entry.name,
        "description": entry.summary,
        "properties": own,
        "required": required,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_keys_are_told_from_unknown_ones() {
        let of = |section: Value| {
            foreign(section.as_object().unwrap())
                .pop()
                .map(|(_, problem)| problem.to_string())
                .unwrap_or_default()
        };
        let foreign = of(json!({ "name": "optimal", "h": 0.3 }));
        assert!(
            foreign.contains("`h` is a key of h-ceiling; expected a key of optimal: metric"),
            "{foreign}"
        );
        assert!(
            of(json!({ "name": "mondrian", "suppression-limit": 0.1 }))
                .contains("is a key of optimal, h-ceiling")
        );
        assert!(of(json!({ "name": "optimal", "metrik": 1 })).contains("did you mean `metric`?"));
        assert!(of(json!({ "name": "h-ceiling", "padding": "exact", "seed": 1 })).is_empty());
        let unnamed = of(json!({ "padding": "exact", "seed": 1 }));
        assert!(
            unnamed.contains("names no method") && unnamed.contains("add name = \"h-ceiling\""),
            "{unnamed}"
        );
        assert!(of(json!({ "name": "nope", "h": 1 })).is_empty());
        let idle = of(json!({ "name": "ipa", "guarantee": "published", "false-cells": 1 }));
        assert!(
            idle.contains("means nothing under guarantee = \"published\"; expected a key of ipa: "),
            "{idle}"
        );
        let idle = of(json!({ "name": "ipa", "threshold": 2 }));
        assert!(idle.contains("means nothing under guarantee = \"differential-privacy\""), "{idle}");
    }
}
