//! Guards how methods stand in `crates/search`: the kit knows no method, and families do not know each other.

use super::circles::{Uses, root, rust, sources};

/// A family that builds on a method of another, and how.
const BUILDS_ON: [(&str, &str, &str); 3] = [
    ("h_ceiling", "local/mondrian/", "classes of their own are parts of a space that Mondrian cuts"),
    ("one_level", "local/mondrian/", "local recoding parts classes with Mondrian's cuts"),
    ("rows", "h_ceiling/entry.rs", "fake records after IAB are those of h-ceiling"),
];

/// The folder of a file below `method`; `None` for the registry and what is no method.
fn family(file: &str) -> Option<&str> {
    file.strip_prefix("method/")?.split_once('/').map(|(family, _)| family)
}

/// Whether a family, or the kit, may use a file.
fn may(from: &str, file: &str) -> bool {
    match family(file) {
        Some(to) if to == from => true,
        Some(to) => from != "kit" && (to == "kit" || builds_on(from, file)),
        // Entries and methods are what the registry has; the kit lies below them.
        None => from != "kit" || !file.starts_with("method/"),
    }
}

fn builds_on(from: &str, file: &str) -> bool {
    BUILDS_ON.iter().any(|(family, on, _)| *family == from && file.starts_with(&format!("method/{on}")))
}

/// What files below `method` use that they must not.
fn wrong(uses: &Uses) -> Vec<String> {
    let mut found = Vec::new();
    for (file, used) in uses {
        let Some(from) = family(file) else { continue };
        found.extend(
            used.keys().filter(|other| !may(from, other)).map(|other| format!("{file} uses {other}")),
        );
    }
    found
}

fn search() -> Uses {
    rust::uses(&sources(&root().join("crates/search/src"), "rs"))
}

#[test]
fn the_kit_knows_no_family_and_families_do_not_know_each_other() {
    let uses = search();
    assert!(uses.keys().filter(|file| family(file) == Some("kit")).count() > 10, "{:?}", uses.keys());
    let found = wrong(&uses);
    assert!(found.is_empty(), "see ARCHITECTURE.md:\n{}", found.join("\n"));
}

#[test]
fn what_a_family_builds_on_is_used() {
    let uses = search();
    for (from, on, reason) in BUILDS_ON {
        let is_used = uses.iter().any(|(file, used)| {
            family(file) == Some(from) && used.keys().any(|other| other.starts_with(&format!("method/{on}")))
        });
        assert!(is_used, "{from} no longer builds on {on}, strike it: {reason}");
    }
}

#[test]
fn a_wrong_use_would_be_seen() {
    for (from, file, holds) in [
        ("kit", "method/kit/task.rs", true),
        ("kit", "model/mod.rs", true),
        ("kit", "method/mod.rs", false),
        ("kit", "method/local/mdav.rs", false),
        ("rows", "method/kit/keys.rs", true),
        ("rows", "method/mod.rs", true),
        ("rows", "method/rows/iab/mod.rs", true),
        ("rows", "method/local/mdav.rs", false),
        ("h_ceiling", "method/local/mondrian/cut.rs", true),
        ("h_ceiling", "method/local/mdav.rs", false),
        ("private", "method/local/mondrian/cut.rs", false),
    ] {
        assert_eq!(may(from, file), holds, "{from} → {file}");
    }
}
