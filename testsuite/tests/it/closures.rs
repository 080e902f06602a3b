//! Guards that a step of some length is a named function below its caller: a closure that is bound before its use makes a
//! reader read backwards. Short ones, and those that stand where they are used, are no matter.

use std::collections::BTreeMap;
use std::path::Path;

use super::circles::{root, sources};

/// The most lines of a closure that is bound to a name.
const MOST_LINES: usize = 3;

/// How many closures of more lines a crate has at most. A number may only fall: name a function and lower it.
const CEILINGS: [(&str, usize); 25] = [
    ("analysis", 0),
    ("assess", 67),
    ("checker", 2),
    ("cli", 13),
    ("cluster", 4),
    ("contract", 0),
    ("core", 19),
    ("database", 0),
    ("dp", 0),
    ("engine", 28),
    ("job", 53),
    ("marginals", 0),
    ("measure", 46),
    ("patients", 31),
    ("python", 0),
    ("recipe", 22),
    ("report", 12),
    ("reproduce", 44),
    ("search", 75),
    ("sets", 0),
    ("sql", 7),
    ("studio", 20),
    ("synth", 7),
    ("velamen", 0),
    ("web", 0),
];

/// The lines of each closure that is bound to a name, in the code before a file's tests.
fn bound(text: &str) -> Vec<usize> {
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().collect();
    let begins = (0..lines.len()).filter(|at| begins(&lines, *at));
    begins.map(|at| length(&lines[at..])).collect()
}

/// Whether a closure is bound from that line on: `let name = |…|`, or with the bars on the next line.
fn begins(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim_start();
    let Some((pattern, value)) = line.strip_prefix("let ").and_then(|rest| rest.split_once('=')) else {
        return false;
    };
    let value = if value.trim().is_empty() { lines.get(at + 1).copied().unwrap_or_default() } else { value };
    let value = value.trim_start();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ' ';
    let named = pattern.split(':').next().is_some_and(|name| name.chars().all(is_name));
    named && (value.starts_with('|') || value.starts_with("move |"))
}

/// The lines of the statement that begins there: up to a semicolon no deeper than the closure's first line.
fn length(lines: &[&str]) -> usize {
    let first = if lines[0].ends_with('=') { lines.get(1) } else { lines.first() };
    let deepest = first.map_or(0, |line| depth(line));
    let ends = |line: &&str| line.ends_with(';') && depth(line) <= deepest;
    lines.iter().position(ends).map_or(lines.len(), |end| end + 1)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// How many long ones each crate has.
fn counted() -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let files = sources(&folder.join("src"), "rs");
        let production = files.iter().filter(|(file, _)| !is_test(Path::new(file)));
        let long = production.flat_map(|(_, text)| bound(text)).filter(|lines| *lines > MOST_LINES);
        counts.insert(name, long.count());
    }
    counts
}

fn is_test(file: &Path) -> bool {
    file.to_string_lossy().ends_with("tests.rs") || file.iter().any(|part| part == "tests")
}

#[test]
fn long_closures_before_their_use_become_fewer() {
    let counts = counted();
    let names: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(names, CEILINGS.map(|(name, _)| name), "every crate has a ceiling");
    for (name, ceiling) in CEILINGS {
        let found = counts[name];
        assert!(
            found <= ceiling,
            "{name} has {found} closures of more than {MOST_LINES} lines, {ceiling} before"
        );
    }
}

#[test]
fn what_is_long_and_bound_would_be_counted() {
    let long = "fn f() {\n    let step = |a: u32| {\n        let b = a + 1;\n        b * 2\n    };\n    step(1);\n}\n";
    assert_eq!(bound(long), [4]);
    assert_eq!(bound(&long.replace("step = |", "mut step = move |")), [4]);
    assert_eq!(bound("    let step: &dyn Fn(u32) -> u32 =\n        |a| a;\n    step(1);\n"), [2]);
    assert!(bound("    let all = list.iter().map(|a| {\n        a\n    });\n").is_empty());
    assert!(bound(&format!("#[cfg(test)]\nmod tests {{\n{long}}}\n")).is_empty());
}
