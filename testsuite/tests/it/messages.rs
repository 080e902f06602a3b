//! A guard that what is known of a mistake is read off its fields, never off its message.

use std::path::{Path, PathBuf};

/// How messages are taken apart: calls that ask a text for words that only messages have, or that ask an error's own text.
const TAKEN_APART: [&str; 16] = [
    "split_once(\": \")",
    "split_once(\"; \")",
    "split_once(\". Hint",
    "split_once(\"Hint: \")",
    "strip_prefix(\"line \")",
    "strip_prefix(\"attribute `\")",
    "starts_with(\"attribute `\")",
    "starts_with(\"unknown field",
    "starts_with(\"invalid \")",
    "error.to_string().contains(",
    "error.to_string().starts_with(",
    "message().contains(",
    "message().starts_with(",
    "message.starts_with(",
    "problem.starts_with(",
    "problem.contains(",
];

/// Where it is done all the same, and why.
const REASONS: [(&str, &str, &str); 5] = [
    ("core/src/error/code.rs", "split_once(\": \")", "the heading of a page of ours, not a message"),
    (
        "core/src/error/mod.rs",
        "split_once(\"; \")",
        "problems that were written with their advice in one sentence",
    ),
    (
        "core/src/error/mod.rs",
        "message().contains(",
        "whether a reader sees the key is a question about the text",
    ),
    ("recipe/src/said.rs", "message.starts_with(", "serde and the TOML parser give no fields"),
    ("recipe/src/said.rs", "starts_with(\"invalid \")", "serde and the TOML parser give no fields"),
];

/// The Rust files below a folder that are no tests.
fn production(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && name != "tests" {
            production(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The lines of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn has_reason(path: &Path, call: &str) -> bool {
    REASONS.iter().any(|(file, of, _)| *of == call && path.ends_with(file))
}

#[test]
fn no_code_takes_a_message_apart() {
    let mut files = Vec::new();
    for folder in
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")).expect("the crates")
    {
        production(&folder.expect("a crate").path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files were found", files.len());
    let mut found = Vec::new();
    for path in &files {
        let code = code(path);
        let calls = TAKEN_APART.iter().filter(|call| code.contains(**call) && !has_reason(path, call));
        found.extend(calls.map(|call| format!("{}: {call}", path.display())));
    }
    assert!(found.is_empty(), "give the mistake a field and read that:\n{}", found.join("\n"));
}

#[test]
fn every_reason_is_needed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for (file, call, reason) in REASONS {
        assert!(code(&crates.join(file)).contains(call), "{file}: {call} ({reason}) is not there any more");
    }
}
