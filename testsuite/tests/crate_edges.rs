//! Guards the one way that dependencies between the crates of the workspace run.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// Each crate may use those of the rows above it. Crates of one row may not use each other.
const CHAIN: [&[&str]; 7] = [
    &["velamen-dp"],
    &["velamen-core"],
    &["velamen-engine"],
    &["velamen-sql", "velamen-database"],
    &["velamen-cluster"],
    &["velamen-job"],
    &["velamen", "velamen-python", "velamen-web"],
];

/// A leaf beside the chain: what it may use and who may use it.
const SYNTH: (&str, &str, &str) = ("velamen-synth", "velamen-dp", "velamen-job");

/// May use everything, and is used by nobody.
const BESIDE: [&str; 2] = ["velamen-testsuite", "xtask"];

fn rank(name: &str) -> Option<usize> {
    CHAIN.iter().position(|row| row.contains(&name))
}

fn allowed(from: &str, to: &str) -> bool {
    if BESIDE.contains(&from) {
        return !BESIDE.contains(&to);
    }
    if from == SYNTH.0 {
        return to == SYNTH.1;
    }
    if to == SYNTH.0 {
        return from == SYNTH.2;
    }
    matches!((rank(from), rank(to)), (Some(from), Some(to)) if to < from)
}

/// Crate → the crates of the workspace that it names, for whatever purpose.
fn edges() -> BTreeMap<String, Vec<String>> {
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let metadata: Value = serde_json::from_slice(&run.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let text = |value: &Value| value.as_str().expect("a name").to_owned();
    let local = |package: &Value| {
        let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
        dependencies.iter().filter(|d| d["path"].is_string()).map(|d| text(&d["name"])).collect()
    };
    packages.iter().map(|package| (text(&package["name"]), local(package))).collect()
}

#[test]
fn dependencies_run_one_way() {
    let edges = edges();
    for required in ["velamen-dp", "velamen-core", "velamen-engine", "velamen-job", "velamen"] {
        assert!(edges.contains_key(required), "no crate {required}");
    }
    for (from, used) in &edges {
        let known = rank(from).is_some() || from == SYNTH.0 || BESIDE.contains(&from.as_str());
        assert!(known, "{from} has no place in the chain; see ARCHITECTURE.md");
        for to in used {
            assert!(allowed(from, to), "{from} must not use {to}; see ARCHITECTURE.md");
        }
    }
}

#[test]
fn a_wrong_edge_would_be_seen() {
    for (from, to) in [
        ("velamen-core", "velamen-engine"),
        ("velamen-database", "velamen-sql"),
        ("velamen-engine", "velamen-engine"),
        ("velamen-engine", "velamen-synth"),
        ("velamen", "velamen-synth"),
        ("velamen-synth", "velamen-core"),
        ("velamen-web", "velamen-python"),
        ("velamen-job", "xtask"),
    ] {
        assert!(!allowed(from, to), "{from} → {to}");
    }
    for (from, to) in [("velamen", "velamen-dp"), ("velamen-job", "velamen-synth"), ("xtask", "velamen-job")]
    {
        assert!(allowed(from, to), "{from} → {to}");
    }
}
