//! Many quasi-identifiers: keys of several words, and lattices that are too large.

use std::time::{Duration, Instant};

use crate::common::Folder;
use crate::common::wide::Wide;

/// A table of `width` quasi-identifiers with few values, and a recipe for it.
fn folder(width: usize, values: u64, method: &str) -> Folder {
    Wide { width, records: 400, values, line: "" }.folder(method)
}

#[test]
fn twelve_quasi_identifiers_work() {
    for method in
        ["name = \"optimal\"\nsuppression-limit = 0.1", "name = \"h-ceiling\"\nadversary-limit = 1\nseed = 1"]
    {
        let folder = folder(12, 4, method);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
    }
}

#[test]
fn keys_of_several_words_work() {
    // 12 × 9 bits are more than one word holds.
    for method in
        ["name = \"optimal\"\nsuppression-limit = 0.1", "name = \"h-ceiling\"\nadversary-limit = 1\nseed = 1"]
    {
        let folder = folder(12, 400, method);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
    }
}

#[test]
fn a_lattice_of_2_to_the_40_is_refused_where_every_node_is_looked_at() {
    for method in ["name = \"exhaustive\"", "name = \"h-ceiling\"\nadversary-limit = 1\nseed = 1"] {
        let folder = folder(40, 3, method);
        let began = Instant::now();
        folder.refused(&["anonymize", "recipe.toml"], 5, &["lattice", "coarsen or drop"]);
        assert!(began.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_lattice_of_2_to_the_40_is_searched_within_the_budget() {
    for method in ["best-first", "iterated-local-search"] {
        let folder = folder(40, 3, &format!("name = \"{method}\"\nbudget-steps = 300"));
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
    }
}

#[test]
fn optimal_says_where_it_could_not_prove_its_node() {
    let folder = folder(40, 3, "name = \"optimal\"\nsuppression-limit = 1\nseed = 3");
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("too many nodes for a proof"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["proven"], false);
    assert!(folder.read("release/report.html").contains("A better one may exist."));
    let search = &folder.json("release.custodian/custodian.json")["search"];
    assert!(search["at-least"].as_f64() < search["value"].as_f64(), "{search}");
    let local = folder.read("release/data.csv");
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--threads", "1"]);
    assert_eq!(folder.read("release/data.csv"), local, "one seed, one release");
}
