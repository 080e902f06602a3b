//! Guards the one way that dependencies between the crates of the workspace run.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// What stands on definitions alone: the checker never knows the search.
const ROOMS: &[&str] = &["search", "checker", "measure", "engine"];

/// Crate → the crates that it may use besides those below them; from the ground up.
const MAY: [(&str, &[&str]); 20] = [
    ("dp", &[]),
    ("marginals", &["dp"]),
    ("core", &["dp"]),
    ("contract", &["core"]),
    ("search", &["contract", "marginals"]),
    ("checker", &["contract"]),
    ("measure", &["core"]),
    ("engine", &["core"]),
    ("sql", &["engine"]),
    ("database", &["engine"]),
    ("cluster", &["sql", "database"]),
    ("synth", &["dp"]),
    ("recipe", &["search", "database"]),
    ("report", &["recipe", "checker", "measure"]),
    ("job", &["report", "cluster"]),
    ("sets", &[]),
    ("analysis", &[]),
    ("patients", &["job", "sets"]),
    ("assess", &["patients", "analysis"]),
    ("reproduce", &["assess", "synth"]),
];

/// Front ends: they may use everything but each other. Some of the names are kept for what does not exist yet.
const FRONT: [&str; 5] = ["velamen", "velamen-cli", "velamen-python", "velamen-studio", "velamen-web"];

/// The experiments are a dependency of the command line alone.
const EXPERIMENTS: (&str, &str) = ("velamen-reproduce", "velamen-cli");

/// One binary: the command line starts the studio; and one page of the browser has its pages.
const STARTED: (&str, [&str; 2]) = ("velamen-studio", ["velamen-cli", "velamen-web"]);

/// The wheel has the command line as its own command.
const CARRIED: (&str, &str) = ("velamen-cli", "velamen-python");

/// For its tests alone a room may use another: labels that Mondrian writes are put to the checker's reader.
const IN_TESTS: (&str, &str) = ("velamen-search", "velamen-checker");

/// May use everything, and is used by nobody.
const BESIDE: [&str; 2] = ["velamen-testsuite", "xtask"];

fn short(name: &str) -> Option<&str> {
    name.strip_prefix("velamen-").filter(|name| MAY.iter().any(|(known, _)| known == name))
}

/// Whether a room may use another, by itself or by way of those that it may use.
fn below(from: &str, to: &str) -> bool {
    let (_, may) = MAY.iter().find(|(name, _)| *name == from).expect("a room");
    may.iter().any(|next| *next == to || below(next, to))
}

fn allowed(from: &str, to: &str) -> bool {
    if BESIDE.contains(&from) {
        return !BESIDE.contains(&to);
    }
    if to == EXPERIMENTS.0 {
        return from == EXPERIMENTS.1;
    }
    if to == STARTED.0 {
        return STARTED.1.contains(&from);
    }
    if to == CARRIED.0 {
        return from == CARRIED.1;
    }
    match (short(from), short(to)) {
        // A leaf beside the chain; the studio and Python have it for their samples.
        (_, Some("synth")) => [EXPERIMENTS.0, STARTED.0, "velamen-python"].contains(&from),
        (None, Some(_)) => FRONT.contains(&from),
        (Some(from), Some(to)) => below(from, to),
        (_, None) => false,
    }
}

/// Crate → the crates of the workspace that it names, for whatever purpose but [`IN_TESTS`].
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
        let of_tests =
            |d: &&Value| d["kind"] == "dev" && package["name"] == IN_TESTS.0 && d["name"] == IN_TESTS.1;
        let local = dependencies.iter().filter(|d| d["path"].is_string() && !of_tests(d));
        local.map(|d| text(&d["name"])).collect()
    };
    packages.iter().map(|package| (text(&package["name"]), local(package))).collect()
}

#[test]
fn dependencies_run_one_way() {
    let edges = edges();
    for (room, _) in MAY {
        assert!(edges.contains_key(&format!("velamen-{room}")), "no crate velamen-{room}");
    }
    for (from, used) in &edges {
        let known = short(from).is_some() || FRONT.contains(&&**from) || BESIDE.contains(&&**from);
        assert!(known, "{from} has no place in the house; see ARCHITECTURE.md");
        for to in used {
            assert!(allowed(from, to), "{from} must not use {to}; see ARCHITECTURE.md");
        }
    }
}

#[test]
fn rooms_of_definitions_alone_do_not_know_each_other() {
    for from in ROOMS {
        for to in ROOMS {
            assert!(!below(from, to), "{from} → {to}");
        }
    }
}

#[test]
fn a_wrong_edge_would_be_seen() {
    for (from, to) in [
        ("velamen-core", "velamen-engine"),
        ("velamen-core", "velamen-contract"),
        ("velamen-contract", "velamen-search"),
        ("velamen-engine", "velamen-contract"),
        ("velamen-measure", "velamen-contract"),
        ("velamen-checker", "velamen-search"),
        ("velamen-measure", "velamen-search"),
        ("velamen-engine", "velamen-search"),
        ("velamen-database", "velamen-sql"),
        ("velamen-engine", "velamen-engine"),
        ("velamen-recipe", "velamen-checker"),
        ("velamen-recipe", "velamen-job"),
        ("velamen-report", "velamen-job"),
        ("velamen-job", "velamen-assess"),
        ("velamen-assess", "velamen-reproduce"),
        ("velamen-engine", "velamen-synth"),
        ("velamen-job", "velamen-synth"),
        ("velamen", "velamen-synth"),
        ("velamen-python", "velamen-reproduce"),
        ("velamen-synth", "velamen-core"),
        ("velamen-studio", "velamen-python"),
        ("velamen-studio", "velamen-cli"),
        ("velamen", "velamen-cli"),
        ("velamen-studio", "velamen-reproduce"),
        ("velamen-python", "velamen-studio"),
        ("velamen-web", "velamen-cli"),
        ("velamen-cli", "velamen-web"),
        ("velamen-cli", "velamen-synth"),
        ("velamen-job", "xtask"),
    ] {
        assert!(!allowed(from, to), "{from} → {to}");
    }
    for (from, to) in [
        ("velamen", "velamen-dp"),
        ("velamen-checker", "velamen-dp"),
        ("velamen-report", "velamen-contract"),
        ("velamen-reproduce", "velamen-synth"),
        ("velamen-cli", "velamen-reproduce"),
        ("velamen-python", "velamen-assess"),
        ("velamen-python", "velamen-cli"),
        ("velamen-cli", "velamen-studio"),
        ("velamen-web", "velamen-studio"),
        ("velamen-studio", "velamen-synth"),
        ("velamen-python", "velamen-synth"),
        ("xtask", "velamen-job"),
    ] {
        assert!(allowed(from, to), "{from} → {to}");
    }
}
