//! Guards that no production code takes an entry of a list by its place: a new entry before it would be taken in its stead.

use std::collections::BTreeSet;

use super::circles::of_crates;
use super::circles::tokens::tokens_and_texts;

/// Calls that take one entry by its place.
const BY_PLACE: [&str; 6] = ["nth", "next", "last", "first", "get", "skip"];

/// Calls of such a list that come before.
const OF_ALL: [&str; 3] = ["iter", "names", "into_iter"];

/// Whose list has fixed places, and why.
const MEANT: [(&str, &str, &str); 1] =
    [("synth/src/stroke.rs", "OLDEST", "a table of figures, of men and of women")];

/// How an entry is taken by its place, if one is.
fn by_place(text: &str) -> Vec<String> {
    let code = Code { tokens: tokens_and_texts(text) };
    let locals: BTreeSet<&str> = (0..code.tokens.len()).filter_map(|at| code.local(at)).collect();
    let is_list = |at: usize| is_constant(code.at(at)) || locals.contains(code.at(at));
    let found = (0..code.tokens.len()).filter(|at| is_list(*at) && code.takes(*at));
    found.map(|at| code.tokens[at..code.tokens.len().min(at + 8)].join(" ")).collect()
}

struct Code {
    tokens: Vec<String>,
}

impl Code {
    fn at(&self, place: usize) -> &str {
        self.tokens.get(place).map_or("", String::as_str)
    }

    /// The local that holds all entries of a list: `let all: Vec<_> = REGISTRY.iter().collect();`.
    fn local(&self, at: usize) -> Option<&str> {
        let name = (self.at(at) == "let").then(|| at + 1 + usize::from(self.at(at + 1) == "mut"))?;
        let length = self.tokens[name..].iter().position(|token| token == ";")?;
        let is_all = |at: usize| is_constant(self.at(at)) && self.call(at + 1, &OF_ALL);
        let calls = |call: &str| self.tokens[name..name + length].iter().any(|token| token.starts_with(call));
        (calls("collect") && !calls("filter") && (name..name + length).any(is_all)).then(|| self.at(name))
    }

    /// Whether an entry is taken of what stands there: `[2]`, `.first()`, `.iter().nth(2)`.
    fn takes(&self, at: usize) -> bool {
        let after = if self.call(at + 1, &OF_ALL) { at + 5 } else { at + 1 };
        self.is_place(after) || self.call(after, &BY_PLACE) && self.is_fixed(after + 3)
    }

    fn is_place(&self, at: usize) -> bool {
        self.at(at) == "[" && is_number(self.at(at + 1)) && self.at(at + 2) == "]"
    }

    /// Whether a call has no argument, or a number; what a cell or a lock holds is no entry.
    fn is_fixed(&self, at: usize) -> bool {
        self.at(at) == ")" && self.at(at - 2) != "get" || is_number(self.at(at)) && self.at(at + 1) == ")"
    }

    fn call(&self, at: usize, names: &[&str]) -> bool {
        self.at(at) == "." && names.contains(&self.at(at + 1)) && self.at(at + 2) == "("
    }
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_constant(token: &str) -> bool {
    token.len() > 1
        && token.starts_with(|c: char| c.is_ascii_uppercase())
        && !token.contains(|c: char| c.is_ascii_lowercase())
}

/// What production code takes by its place: each with its file.
fn all() -> Vec<(String, String)> {
    let in_file = |(file, text): (String, String)| {
        by_place(&text).into_iter().map(move |taken| (file.clone(), taken)).collect::<Vec<_>>()
    };
    of_crates().into_iter().flat_map(in_file).collect()
}

fn is_meant(file: &str, taken: &str) -> bool {
    MEANT.iter().any(|(meant, list, _)| *meant == file && taken.split(' ').next() == Some(list))
}

#[test]
fn no_entry_is_taken_by_its_place() {
    let found = all().into_iter().filter(|(file, taken)| !is_meant(file, taken));
    let wrong: Vec<String> = found.map(|(file, taken)| format!("{file}: {taken}")).collect();
    assert!(wrong.is_empty(), "find it by a name or a fact:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_meant_is_still_taken() {
    let found = all();
    for (file, list, reason) in MEANT {
        let mut of_file = found.iter().filter(|(other, _)| other == file);
        let is_used = of_file.any(|(_, taken)| taken.split(' ').next() == Some(list));
        assert!(is_used, "{file} takes none of {list}, strike it: {reason}");
    }
}

#[test]
fn a_place_would_be_seen() {
    for snippet in [
        "let usual = BUILT_IN[3].name;",
        "let entry = &method::REGISTRY[2];",
        "let entry = REGISTRY.iter().nth(2);",
        "let entry = REGISTRY.iter().next();",
        "let name = TERMS.names().last();",
        "let first = METHODS.first();",
        "let second = METHODS.get(1);",
        "let all: Vec<&Entry> = REGISTRY.iter().collect(); run(all[2]);",
    ] {
        assert_eq!(by_place(snippet).len(), 1, "{snippet}");
    }
    for snippet in [
        "let entry = REGISTRY.find(name);",
        "let values: Vec<u64> = counts.iter().collect(); let first = values[0];",
        "let facts: Vec<&Entry> = REGISTRY.iter().filter(has).collect(); run(facts[0]);",
        "let spoken = SPOKEN.get();",
        "let entry = ENTRIES.get(at); let other = ENTRIES[at];",
        "for entry in REGISTRY.iter() { run(entry); }",
        "#[cfg(test)]\nmod tests { fn f() { REGISTRY[2].name; } }",
    ] {
        assert!(by_place(snippet).is_empty(), "{snippet}");
    }
}
