//! Guards that no crate but the contract reads a key of a promise by its name: who asks for one asks by a type.

use super::circles::tokens::tokens_and_texts;
use super::circles::{root, sources};

/// What holds keys of promises, under the names that code has for it.
const HOLDERS: [&str; 6] = ["asked", "reached", "parameters", "method", "entries", "privacy"];

/// Crates that may read keys: the contract itself, and the experiments, which read their own releases.
const READERS: [&str; 2] = ["contract", "reproduce"];

/// Files in which such a name means something else, and what.
const OTHERWISE: [(&str, &str); 2] = [
    ("assess/src/advise/changes.rs", "the k that a recipe has written, of whatever model"),
    ("job/src/public_report.rs", "files that are missing, as `verify` found it"),
];

/// A key that is read by its name: `asked["k"]`, `promise.reached.get("k")`, `model.parameters()["k"]`.
fn read_by_name(text: &str) -> Option<String> {
    let tokens = tokens_and_texts(text);
    let at = |place: usize| tokens.get(place).map_or("", String::as_str);
    let reads = |start: &usize| {
        let called = at(start + 1) == "(" && at(start + 2) == ")";
        let next = start + if called { 3 } else { 1 };
        let indexed = at(next) == "[" && at(next + 1).starts_with('"');
        let got =
            [at(next), at(next + 1), at(next + 2)] == [".", "get", "("] && at(next + 3).starts_with('"');
        HOLDERS.contains(&at(*start)) && (indexed || got)
    };
    let start = (0..tokens.len()).find(reads)?;
    Some(tokens[start..tokens.len().min(start + 6)].join(" "))
}

#[test]
fn keys_of_promises_are_read_in_the_contract_alone() {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for (file, text) in sources(&folder.join("src"), "rs") {
            let file = format!("{name}/src/{file}");
            let may = READERS.contains(&name.as_str()) || OTHERWISE.iter().any(|(place, _)| *place == file);
            wrong.extend(read_by_name(&text).filter(|_| !may).map(|found| format!("{file}: {found}")));
        }
    }
    assert!(wrong.is_empty(), "ask by a type of velamen-contract:\n{}", wrong.join("\n"));
}

#[test]
fn what_means_something_else_is_still_there() {
    for (file, meaning) in OTHERWISE {
        let text = std::fs::read_to_string(root().join("crates").join(file)).expect("a source file");
        assert!(read_by_name(&text).is_some(), "strike {file}: {meaning}");
    }
}

#[test]
fn a_key_would_be_seen() {
    for snippet in [
        r#"let k = promise.asked["k"].as_u64();"#,
        r#"let k = promise.asked.get("k").and_then(Value::as_u64);"#,
        r#"let found = finding.reached["needed-class-size"].as_u64();"#,
        r#"let k = asked.model.parameters()["k"].as_u64();"#,
        r#"let limit = manifest.method.entries().get("suppression-limit");"#,
        r#"for promise in &manifest.privacy { promise.asked["t"].as_f64(); }"#,
    ] {
        assert!(read_by_name(snippet).is_some(), "{snippet}");
    }
    for snippet in [
        "let KAnonymityParams { k } = case.parameters()?;",
        r#"let text = "asked[\"k\"]";"#,
        "let value = asked.get(key);",
        r#"#[cfg(test)]\nmod tests { fn f() { asked["k"]; } }"#,
    ] {
        let snippet = snippet.replace("\\n", "\n");
        assert_eq!(read_by_name(&snippet), None, "{snippet}");
    }
}
