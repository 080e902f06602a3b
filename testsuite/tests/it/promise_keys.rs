//! Guards that no crate but the contract reads a key of a promise by its name: who asks for one asks by a type.

use std::collections::{BTreeMap, BTreeSet};

use super::circles::tokens::tokens_and_texts;
use super::circles::{root, sources};

/// What holds keys of promises, under the names that code has for it.
const HOLDERS: [&str; 6] = ["asked", "reached", "parameters", "method", "entries", "privacy"];

/// Fields and calls that a local takes such keys from.
const SOURCES: [&str; 3] = ["asked", "reached", "parameters"];

/// Keys that nothing but promises has: whoever reads one has a promise before it.
const KEYS: [&str; 9] = ["k", "l", "t", "c", "alpha", "beta", "delta", "epsilon", "significance"];

/// Calls that read a key of a JSON object.
const READS: [&str; 10] = [
    "get",
    "get_mut",
    "pointer",
    "pointer_mut",
    "remove",
    "remove_entry",
    "contains_key",
    "get_key_value",
    "entry",
    "get_or_insert_null",
];

/// Crates that may read keys: the contract itself, and the experiments, which read their own releases.
const READERS: [&str; 2] = ["contract", "reproduce"];

/// Files in which such a name means something else, and what.
const OTHERWISE: [(&str, &str); 6] = [
    (
        "checker/src/finding.rs",
        "the reason of a finding without a check, which this file alone writes and reads",
    ),
    (
        "job/src/verify/padded.rs",
        "`pad-to` of the method: what follows from it is worked out apart from the method",
    ),
    ("assess/src/advise/changes.rs", "the k that a recipe has written, of whatever model"),
    (
        "recipe/src/models.rs",
        "a section of a recipe, from which `attribute` is taken before its model reads the rest",
    ),
    (
        "recipe/src/shield.rs",
        "a section of a recipe, from which `attributes` is taken before its model reads the rest",
    ),
    ("job/src/public_report.rs", "files that are missing, as `verify` found it"),
];

/// A key that is read by its name: `asked["k"]`, `promise.reached.get("k")`, `model.parameters()["k"]`.
fn read_by_name(text: &str) -> Option<String> {
    let code = Code::of(text);
    let start = (0..code.tokens.len()).find(|start| code.reads(*start))?;
    Some(code.tokens[start..code.tokens.len().min(start + 6)].join(" "))
}

struct Code {
    tokens: Vec<String>,
    /// Names for what holds keys: the usual ones, and locals that are taken from there.
    holders: BTreeSet<String>,
    /// Constants of the file that are texts.
    constants: BTreeMap<String, String>,
}

impl Code {
    fn of(text: &str) -> Self {
        let mut code = Self {
            tokens: tokens_and_texts(text),
            holders: HOLDERS.into_iter().map(str::to_owned).collect(),
            constants: BTreeMap::new(),
        };
        code.constants = (0..code.tokens.len()).filter_map(|at| code.constant(at)).collect();
        let locals: Vec<String> = (0..code.tokens.len()).filter_map(|at| code.local(at)).collect();
        code.holders.extend(locals);
        code
    }

    fn at(&self, place: usize) -> &str {
        self.tokens.get(place).map_or("", String::as_str)
    }

    /// The local that is bound there to something of [`SOURCES`] as a whole: `let promised = &promise.asked;`.
    fn local(&self, at: usize) -> Option<String> {
        let name = (self.at(at) == "let").then(|| at + 1 + usize::from(self.at(at + 1) == "mut"))?;
        let length = self.tokens[name..].iter().position(|token| token == ";")?;
        let end = self.ends_with_call(name + length);
        let is_source = SOURCES.contains(&self.at(end - 1)) && self.at(end - 2) == ".";
        is_source.then(|| self.at(name).to_owned())
    }

    /// The constant that is bound there to a text.
    fn constant(&self, at: usize) -> Option<(String, String)> {
        let length = (self.at(at) == "const").then(|| self.tokens[at..].iter().position(|t| t == ";"))??;
        let value = Some(self.at(at + length - 1)).filter(|value| value.starts_with('"'))?;
        Some((self.at(at + 1).to_owned(), value.to_owned()))
    }

    /// The end of a statement without calls that change nothing, such as `.clone()`.
    fn ends_with_call(&self, end: usize) -> usize {
        let is_call = end > 4 && self.at(end - 1) == ")" && self.at(end - 2) == "(";
        match is_call && ["clone", "to_owned", "as_object"].contains(&self.at(end - 3)) {
            true => self.ends_with_call(end - 4),
            false if is_call => end - 2,
            false => end,
        }
    }

    /// Whether a key is read of what stands there.
    fn reads(&self, start: usize) -> bool {
        let called = self.at(start + 1) == "(" && self.at(start + 2) == ")";
        let next = start + if called { 3 } else { 1 };
        let Some(key) = self.key(next) else { return false };
        self.holders.contains(self.at(start)) || KEYS.contains(&key) && is_name(self.at(start))
    }

    /// The key that is read by what follows: `["k"]`, `.get("k")`, `.pointer("/k")`.
    fn key(&self, next: usize) -> Option<&str> {
        let is_call = self.at(next) == "." && READS.contains(&self.at(next + 1)) && self.at(next + 2) == "(";
        let place = if self.at(next) == "[" { next + 1 } else { next + 3 };
        let key = Some(self.at(place)).filter(|_| is_call || place == next + 1)?;
        let key = self.constants.get(key).map_or(key, String::as_str);
        key.strip_prefix('"').map(|key| key.trim_end_matches('"').trim_start_matches('/'))
    }
}

fn is_name(token: &str) -> bool {
    token.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ')' || c == ']')
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
        r#"let promised = &promise.asked; promised["k"].as_u64();"#,
        r#"let mut taken = promise.parameters().clone(); taken.remove("size");"#,
        r#"promise.asked.get_mut("k");"#,
        r#"promise.asked.pointer("/k").and_then(Value::as_u64);"#,
        r#"let k = section["k"].as_u64();"#,
        r#"const KEY: &str = "k"; fn f() { promise.asked[KEY].as_u64(); }"#,
        r#"let k = one.written.remove("k");"#,
        r#"if fields.contains_key("epsilon") { return; }"#,
        r#"let t = row(0)["t"].as_f64();"#,
        r#"for promise in &manifest.privacy { promise.asked["t"].as_f64(); }"#,
    ] {
        assert!(read_by_name(snippet).is_some(), "{snippet}");
    }
    for snippet in [
        "let KAnonymityParams { k } = case.parameters()?;",
        r#"let text = "asked[\"k\"]";"#,
        "let value = asked.get(key);",
        r#"let size = figures["records"].as_u64();"#,
        r#"let asked = promise.asked.len(); sizes.get("records");"#,
        r#"let letters = ["k", "l"];"#,
        r#"#[cfg(test)]\nmod tests { fn f() { asked["k"]; } }"#,
    ] {
        let snippet = snippet.replace("\\n", "\n");
        assert_eq!(read_by_name(&snippet), None, "{snippet}");
    }
}
