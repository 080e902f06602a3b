//! Manifests that leave a parameter out: whoever reads the usual value in its place takes another promise for kept than the one
//! that the release was made with.

use std::collections::{BTreeMap, BTreeSet};

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};
use velamen_search::{method, model};

use super::forged::{Forged, OPTIMAL};
use super::forger;

const POPULATION: &str = "[population]\nsize = 20000\n";
const POISSON: &str = "model = \"k-map\"\nk = 5\nestimate = \"poisson\"\nsignificance = 0.2\n";

/// A promise of each model with parameters that a recipe can leave out, and what it needs of the recipe.
const MODELS: [(&str, &str); 4] = [
    (POISSON, POPULATION),
    ("model = \"population-uniqueness\"\nshare = 0.5\nestimator = \"pitman\"\n", POPULATION),
    ("model = \"t-closeness\"\nt = 0.9\ndistance = \"ordered\"\n", ""),
    ("model = \"delta-presence\"\nmin = 0.5\nmax = 1\n", "[population]\npath = \"patients.csv\"\n"),
];

/// A parameter that is not always stated: a k-map without it is one by the population's table, which `verify` asks for.
const ESTIMATE: &str = "estimate";

const MANIFEST: &str = "release.json";

fn asked(promise: &str, more: &str) -> Forged {
    Forged::made(&format!("{more}[[privacy]]\n{promise}{OPTIMAL}"), "")
}

fn manifest(forged: &Forged) -> Value {
    serde_json::from_str(&forged.read(MANIFEST)).unwrap()
}

/// The parameters of a model that a recipe can leave out, by its schema.
fn optional(entry: &model::Entry) -> BTreeSet<String> {
    let mut generator = SchemaGenerator::default();
    let schema = (entry.schema)(&mut generator).to_value();
    let own = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    let schema = own.map_or(schema.clone(), |own| generator.definitions()[own].clone());
    let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
    let all = schema["properties"].as_object().unwrap().keys();
    all.filter(|key| !required.contains(&&json!(key))).cloned().collect()
}

/// Takes a key out of an object of a manifest.
fn without(forged: &Forged, place: &str, key: &str) {
    forged.manifest(|manifest| {
        let there = manifest.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
        assert!(there.shift_remove(key).is_some(), "no {place}/{key}");
    });
}

fn is_unsaid(forged: &Forged, model: &str, key: &str) {
    without(forged, "/privacy/0/asked", key);
    forged.is_broken(&format!("the promise of {model} does not state `{key}`"));
}

#[test]
fn a_model_without_a_parameter_that_every_run_states() {
    let mut tried: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (promise, more) in MODELS {
        let forged = asked(promise, more);
        let stated = forged.read(MANIFEST);
        let model = manifest(&forged)["privacy"][0]["model"].as_str().unwrap().to_owned();
        let all = optional(model::find(&model).unwrap());
        for key in all.iter().filter(|key| *key != ESTIMATE) {
            is_unsaid(&forged, &model, key);
            forged.write(MANIFEST, &stated);
        }
        tried.insert(model, all);
    }
    for (name, method) in forger::recipes().iter().filter(|(name, _)| ["ipa", "safe-pub"].contains(name)) {
        let folder = tempfile::tempdir().unwrap();
        let forged = Forged::with(&forger::made(folder.path(), name, method).unwrap());
        is_unsaid(&forged, "differential-privacy", "delta");
    }
    tried.insert("differential-privacy".into(), ["delta".to_owned()].into());
    let all = model::REGISTRY.iter().map(|entry| (entry.terms.name.to_owned(), optional(entry)));
    assert_eq!(tried, all.filter(|(_, optional)| !optional.is_empty()).collect());
}

/// Nobody says that such a release is kept, whatever its population.
#[test]
fn a_k_map_without_its_estimate_is_one_by_the_population() {
    let forged = asked(POISSON, POPULATION);
    without(&forged, "/privacy/0/asked", ESTIMATE);
    // Nor does the page follow from it.
    assert_eq!(forged.code(), 3, "{}", forged.broken());
    assert!(forged.broken().contains("report"), "{}", forged.broken());
}

/// And `verify` says that it read them.
#[test]
fn earlier_forms_have_the_usual_values() {
    let forged = asked(POISSON, POPULATION);
    without(&forged, "/privacy/0/asked", "significance");
    for format in [json!(1), json!(2), Value::Null] {
        forged.manifest(|manifest| manifest["format"] = format.clone());
        assert_eq!(forged.code(), 8, "{format}: {}", forged.broken());
        assert!(forged.broken().contains("k-map.significance"), "{format}: {}", forged.broken());
    }
}

/// Of the methods that the forger's kit has no release of: the section, and what it needs of the recipe.
fn further() -> [(&'static str, String); 4] {
    const K: &str = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n";
    let toward =
        |model: &str, name: &str| format!("[[privacy]]\nmodel = {model}\n{K}[method]\nname = \"{name}\"\n");
    [
        ("iab", format!("{K}[method]\nname = \"iab\"\n")),
        ("entropy-l", toward("\"entropy-l-diversity\"\nl = 1.5", "entropy-l-clustering")),
        ("t-closeness", toward("\"t-closeness\"\nt = 0.9", "t-closeness-clustering")),
        ("published", "[method]\nname = \"ipa\"\nguarantee = \"published\"\nseed = 4\n".to_owned()),
    ]
}

/// Keys that a run does not always state: without them the release states less, or the usual.
const SOMETIMES: [&str; 2] = ["group-classes", "local-recoding"];

/// The keys of a release's method section without which `verify` takes it for kept all the same.
fn needless(forged: &Forged) -> Vec<String> {
    let stated = forged.read(MANIFEST);
    let section: Map<String, Value> = manifest(forged)["method"].as_object().unwrap().clone();
    let is_needless = |key: &&String| {
        without(forged, "/method", key);
        // Others compare the page and the files for recipients, which a forger makes again.
        let broken = forged.broken();
        let mut found = broken.rsplit(": ").next().unwrap_or_default().split(", ");
        let needless = found.all(|promise| ["report", "documents", ""].contains(&promise));
        forged.write(MANIFEST, &stated);
        needless
    };
    section.keys().filter(is_needless).filter(|key| !SOMETIMES.contains(&key.as_str())).cloned().collect()
}

#[test]
fn a_method_without_a_parameter_that_every_run_states() {
    const BEYOND: &str = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]\nname = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\n";
    let (folder, mut tried) = (tempfile::tempdir().unwrap(), BTreeSet::new());
    for (name, method) in forger::recipes().into_iter().chain(further()).chain([("beyond", BEYOND.into())]) {
        let files = forger::made(folder.path(), name, &method).unwrap_or_else(|| panic!("{name} is refused"));
        let forged = Forged::with(&files);
        let section = manifest(&forged)["method"].as_object().unwrap().clone();
        tried.insert(method::find(&section).unwrap().0.name);
        assert_eq!(forged.code(), 0, "{name}: {}", forged.broken());
        assert_eq!(needless(&forged), Vec::<String>::new(), "{name}");
    }
    assert_eq!(tried, method::REGISTRY.names().collect());
}

/// An option that is usual is not stated; without one that is not, its figure is another.
#[test]
fn a_metric_without_an_option_that_its_figure_has() {
    for (k, option) in [(30, "gs-factor = 0.05"), (60, "aggregate = \"max\"")] {
        let metric = format!("name = \"optimal\"\nmetric = \"lm\"\nsuppression-limit = 0.9\n{option}\n");
        let forged =
            Forged::of(&format!("[[privacy]]\nmodel = \"k-anonymity\"\nk = {k}\n[method]\n{metric}"), "");
        without(&forged, "/method", option.split(' ').next().unwrap());
        forged.is_broken("utility");
    }
}
