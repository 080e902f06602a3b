//! Which keys of `[method]` each method knows. A key that it does not know is refused, since it would
//! change nothing.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use toml::Table;
use velamen_core::method::ipa::Guarantee;

use super::nearest::did_you_mean;
use super::{MethodName, MethodSection};

/// Keys that every method knows.
const ANY: &[&str] = &["name", "seed"];
const SEARCH: &[&str] =
    &["metric", "aggregate", "gs-factor", "monotone", "normalised", "suppression-limit", "assume-monotone"];
const LOCAL: &[&str] = &["local-recoding", "cell-suppression"];
const BUDGET: &[&str] = &["budget-steps", "budget-seconds"];
const ROWS: &[&str] = &["recoding", "budget-steps"];
const PUBLISHED: &[&str] = &[
    "guarantee",
    "threshold",
    "epsilon-suppression",
    "epsilon-insertion",
    "epsilon-value",
    "epsilon-candidates",
];
const PRIVATE: &[&str] = &[
    "guarantee",
    "drop-insensitive",
    "candidates-share",
    "insertion-share",
    "suppression-share",
    "least-class",
    "least-count",
    "false-cells",
];

/// A method's own keys, `ipa`'s under both guarantees.
fn own(name: MethodName) -> &'static [&'static [&'static str]] {
    match name {
        MethodName::HCeiling => &[&["h", "parts", "padding", "draw", "rce"]],
        MethodName::Optimal
        | MethodName::Suppression
        | MethodName::Exhaustive
        | MethodName::Datafly
        | MethodName::TopDown
        | MethodName::Relocation => &[SEARCH, LOCAL],
        MethodName::BestFirst | MethodName::Genetic => &[SEARCH, LOCAL, BUDGET],
        MethodName::Mondrian => &[&["partitioning"]],
        MethodName::Mdav => &[&["average"]],
        MethodName::Iab | MethodName::Greedy | MethodName::ExhaustiveRows => &[ROWS],
        MethodName::SafePub => &[&["search", "search-share", "search-steps"]],
        MethodName::CeMiClustering => &[&["lambda", "seeds"]],
        MethodName::CeClustering
        | MethodName::EntropyLClustering
        | MethodName::TClosenessClustering
        | MethodName::KMember => &[&["seeds"]],
        MethodName::Ipa => &[PUBLISHED, PRIVATE],
        MethodName::ContingencyTable => &[&["drop-insensitive", "least-count"]],
    }
}

/// Every method with its name in recipes.
const ALL: [MethodName; 22] = [
    MethodName::HCeiling,
    MethodName::Optimal,
    MethodName::Suppression,
    MethodName::Relocation,
    MethodName::Exhaustive,
    MethodName::Datafly,
    MethodName::TopDown,
    MethodName::BestFirst,
    MethodName::Genetic,
    MethodName::Mondrian,
    MethodName::Mdav,
    MethodName::Iab,
    MethodName::Greedy,
    MethodName::ExhaustiveRows,
    MethodName::SafePub,
    MethodName::CeMiClustering,
    MethodName::CeClustering,
    MethodName::EntropyLClustering,
    MethodName::TClosenessClustering,
    MethodName::KMember,
    MethodName::Ipa,
    MethodName::ContingencyTable,
];

impl MethodName {
    /// Its name in recipes.
    pub(super) fn text(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }

    fn known(self) -> impl Iterator<Item = &'static str> {
        own(self).iter().copied().flatten().copied()
    }
}

/// The keys of a `[method]` table that its method does not know, each with what is wrong; none where the
/// method itself is not known.
pub(super) fn foreign(method: &Table) -> Vec<(String, String)> {
    let of_text = |name: &str| ALL.into_iter().find(|method| method.text() == name);
    let name = method.get("name").map_or(Some(MethodName::default()), |name| of_text(name.as_str()?));
    let Some(name) = name else { return Vec::new() };
    let is_known = |key: &str| ANY.contains(&key) || name.known().any(|known| known == key);
    method.keys().filter(|key| !is_known(key)).map(|key| (key.clone(), problem(name, key))).collect()
}

fn problem(name: MethodName, key: &str) -> String {
    let others: Vec<String> =
        ALL.into_iter().filter(|method| method.known().any(|k| k == key)).map(MethodName::text).collect();
    let knows: Vec<&str> = name.known().collect();
    let knows = format!("{} knows: {}", name.text(), knows.join(", "));
    match others.is_empty() {
        true => format!(
            "method: unknown field `{key}`{}; {knows}",
            did_you_mean(key, name.known().chain(["seed"]))
        ),
        false => format!("method: `{key}` is a key of {}; {knows}", others.join(", ")),
    }
}

impl MethodSection {
    /// Refuses keys that mean nothing beside others.
    pub(super) fn refuse_idle(&self, given: &[&str]) -> Result<(), String> {
        let published = self.guarantee == Guarantee::Published;
        let (kept, other, guarantee) = match published {
            true => (PUBLISHED, PRIVATE, "published"),
            false => (PRIVATE, PUBLISHED, "differential-privacy"),
        };
        let idle = given.iter().find(|key| other.contains(key) && !kept.contains(key));
        match idle.filter(|_| self.name == MethodName::Ipa) {
            Some(key) => Err(format!(
                "`{key}` means nothing under guarantee = \"{guarantee}\", which knows: {}",
                kept.join(", ")
            )),
            None => Ok(()),
        }
    }
}

/// The schema of `[method]`: for each method its own keys, out of the properties of all.
pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mut all = <MethodSection as schemars::JsonSchema>::json_schema(generator).to_value();
    let properties = all["properties"].take();
    let names = <MethodName as schemars::JsonSchema>::json_schema(generator).to_value();
    let described = |name: &str| {
        let mut variants = names["oneOf"].as_array().into_iter().flatten();
        variants
            .find(|variant| variant["const"] == name)
            .map_or(Value::Null, |variant| variant["description"].clone())
    };
    let of = |name: MethodName| {
        let mut own = serde_json::Map::new();
        own.insert("name".into(), json!({ "const": name.text() }));
        for key in name.known().chain(["seed"]) {
            own.insert(key.into(), properties[key].clone());
        }
        let required: &[&str] = if name == MethodName::default() { &[] } else { &["name"] };
        json!({
            "type": "object",
            "title": name.text(),
            "description": described(&name.text()),
            "properties": own,
            "required": required,
            "additionalProperties": false,
        })
    };
    let methods: Vec<Value> = ALL.into_iter().map(of).collect();
    let mut schema = serde_json::Map::new();
    schema.insert("description".into(), "A method and its own keys.".into());
    schema.insert("oneOf".into(), methods.into());
    schema.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_is_known_to_a_method_and_every_known_key_is_one() {
        let schema = schemars::schema_for!(MethodSection).to_value();
        let keys: BTreeSet<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let known: BTreeSet<&str> =
            ALL.into_iter().flat_map(MethodName::known).chain(ANY.iter().copied()).collect();
        assert_eq!(keys, known);
    }

    #[test]
    fn foreign_keys_are_told_from_unknown_ones() {
        let of = |text: &str| {
            foreign(&toml::from_str(text).unwrap()).pop().map(|(_, problem)| problem).unwrap_or_default()
        };
        assert!(
            of("name = \"optimal\"\nh = 0.3").contains("`h` is a key of h-ceiling; optimal knows: metric")
        );
        assert!(of("name = \"mondrian\"\nsuppression-limit = 0.1").contains("is a key of optimal"));
        assert!(of("name = \"optimal\"\nmetrik = 1").contains("did you mean `metric`?"));
        assert!(of("padding = \"exact\"\nseed = 1").is_empty());
        assert!(of("name = \"nope\"\nh = 1").is_empty());
    }
}
