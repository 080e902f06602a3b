//! The sources that are no Rust: scripts and pages of the studio and of the web, and the Python package.

use std::path::Path;

use super::root;
use super::seen::Code;
use crate::circles::sources;

/// What such a source is: the ends of its name.
const KINDS: [&str; 3] = ["js", "html", "py"];

/// What is made by a program, and not read here: a library of others, and what the JSON Schema of recipes says in Python.
const MADE: [&str; 4] = [
    "htmx.min.js",
    "web/src/static/wasi.js",
    "python/python/velamen/methods.py",
    "python/python/velamen/models.py",
];

/// Every such source, by its path below `crates`.
pub(super) fn foreign() -> Vec<(String, Code)> {
    let crates = root().join("crates");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&crates).expect("the crates") {
        let name = entry.expect("a crate").file_name().to_string_lossy().into_owned();
        for folder in ["src", "python"].map(|below| format!("{name}/{below}")) {
            found.extend(below(&crates, &folder));
        }
    }
    found.retain(|(file, _)| !MADE.iter().any(|made| file.ends_with(made)));
    found
}

fn below(crates: &Path, folder: &str) -> Vec<(String, Code)> {
    let path = crates.join(folder);
    let kinds = KINDS.iter().filter(|_| path.is_dir());
    let files = kinds.flat_map(|kind| sources(&path, kind));
    files.map(|(file, text)| (format!("{folder}/{file}"), Code::of(&like_rust(&text)))).collect()
}

/// The text without Python's documentation and comments, with all names between plain quotation marks.
fn like_rust(text: &str) -> String {
    let code: String = text.split("\"\"\"").step_by(2).collect();
    let is_comment = |line: &&str| line.trim_start().starts_with("# ");
    let code =
        code.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n").replace("${", "{");
    ['\'', '`'].into_iter().fold(code, |code, quote| requoted(&code, quote))
}

/// The same with plain quotation marks around what could be a name.
fn requoted(text: &str, quote: char) -> String {
    let is_name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-{}".contains(c));
    let parts: Vec<&str> = text.split(quote).collect();
    let mut all = String::new();
    for (at, part) in parts.iter().enumerate() {
        let is_beside = is_name(part) || at > 0 && is_name(parts[at - 1]);
        let mark = if is_beside { '"' } else { quote };
        all.extend((at > 0).then_some(mark));
        all += part;
    }
    all
}

#[test]
fn all_three_languages_are_read() {
    let files = foreign();
    for kind in KINDS {
        let count = files.iter().filter(|(file, _)| file.ends_with(&format!(".{kind}"))).count();
        assert!(count > 1, "{count} files end with .{kind}");
    }
}

#[test]
fn names_between_any_marks_are_seen() {
    let thing = super::seen::Thing::named("k-anonymity");
    for snippet in [
        "if (model === 'k-anonymity') show();",
        "const asked = `k-${rest}`;",
        "<option value=\"k-anonymity\">",
        "if model == \"k-anonymity\":\n    pass",
        "from .models import KAnonymity",
    ] {
        assert!(thing.seen(&Code::of(&like_rust(snippet))).is_some(), "{snippet}");
    }
    for snippet in
        ["\"\"\"Such as \"k-anonymity\".\"\"\"\nx = 1", "# KAnonymity\nx = 1", "// it's k_anonymity"]
    {
        assert_eq!(thing.seen(&Code::of(&like_rust(snippet))), None, "{snippet}");
    }
}
