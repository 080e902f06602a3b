//! The list of what the checker shares with the search, in the first lines of the crate, against its imports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of the crate");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let all = paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    all.filter(|path| path.file_name().is_some_and(|name| name != "tests.rs")).collect()
}

/// What of a line is code, outside of tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(" ")
}

/// Every item that a tree of imports or a path names, such as `a::{B, c::D}`, up to its first capital letter.
fn items(prefix: &str, tree: &str, found: &mut BTreeSet<String>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{') {
        let (mut depth, mut from) = (1, 0);
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && c == ',' {
                items(prefix, &inner[from..at], found);
                from = at + 1;
            }
            if depth == 0 {
                return;
            }
        }
        return;
    }
    let name: String = tree.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return;
    }
    let path = format!("{prefix}::{name}");
    let rest = &tree[name.len()..];
    match rest.strip_prefix("::") {
        Some(rest) if name.starts_with(|c: char| c.is_lowercase()) => items(&path, rest, found),
        _ => drop(found.insert(path)),
    }
}

fn named(text: &str, found: &mut BTreeSet<String>) {
    for root in ["velamen_core", "velamen_dp"] {
        for rest in text.split(&format!("{root}::")).skip(1) {
            items(root, rest, found);
        }
    }
}

#[test]
fn what_is_shared_is_listed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = BTreeSet::new();
    for file in files(&source) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        named(&code(&text), &mut used);
    }
    let root = std::fs::read_to_string(source.join("lib.rs")).expect("the crate's root");
    let mut listed = BTreeSet::new();
    let doc = root.lines().take_while(|line| line.starts_with("//!"));
    named(&doc.collect::<Vec<_>>().join("\n"), &mut listed);
    assert_eq!(used, listed, "used, and listed in the first lines of lib.rs");
}
