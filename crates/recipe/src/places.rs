//! Where the keys of a recipe stand: the line of a mistake that is found after the text was parsed.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use velamen_core::error::{Place, Problem};

use crate::{Code, JobError};

/// The table whose values are never shown.
const SECRET: &str = "key";

/// A place in a recipe: `["privacy", "0", "k"]`.
type Keys = Vec<String>;

/// The lines of a recipe's keys, and what the command line put in their place.
#[derive(Debug, Clone, Default)]
pub struct Places {
    lines: BTreeMap<Keys, usize>,
    /// The flags of `--set` with the keys that they change.
    flags: Vec<(Keys, String)>,
}

impl Places {
    /// Of a text, as far as it can be read.
    pub(super) fn of(text: &str) -> Self {
        let lines = Lines::of(text);
        let line = |(keys, start): (Keys, usize)| (keys, lines.at(start));
        Self { lines: keys(text).into_iter().map(line).collect(), flags: Vec::new() }
    }

    /// Notes what a `key=value` of `--set` changes.
    pub(super) fn set(&mut self, pair: &str) {
        let keys = key_and_value(pair).map_or_else(Vec::new, |(keys, _)| keys);
        self.flags.push((keys, shown(pair)));
    }

    /// The refusal of what stands at a place, or below it at the first of the keys that the problem names. A problem of an
    /// attribute is there, wherever it was found.
    pub fn refuse(&self, path: &Path, at: &[&str], problem: impl Into<Problem>) -> JobError {
        let problem = problem.into();
        let at = self.place_of(at, &problem);
        let keys: Vec<&str> = at.iter().map(String::as_str).collect();
        let flag = self.flag(&keys).map(str::to_owned);
        let line = self.line(&at).filter(|_| flag.is_none()).map(|line| line as u64);
        let code = code_of(&keys);
        let place = Place { file: Some(path.to_owned()), line, flag, keys: at };
        JobError::of_recipe(path, &problem).at(place).coded(code)
    }

    /// Where a problem is that was found at a place.
    fn place_of(&self, at: &[&str], problem: &Problem) -> Keys {
        let attributes = ["attributes".to_owned()];
        let at = match problem.attribute().filter(|name| self.has(&attributes, name)) {
            Some(name) => vec!["attributes".to_owned(), name.to_owned()],
            None => at.iter().map(|key| (*key).to_owned()).collect(),
        };
        self.narrowed(at, problem.keys())
    }

    /// The flag of `--set` that changed a place, if one did.
    pub(super) fn flag(&self, at: &[&str]) -> Option<&str> {
        let here = |keys: &Keys| at.len() >= keys.len() && keys.iter().zip(at).all(|(key, at)| key == at);
        self.flags.iter().rev().find(|(keys, _)| here(keys)).map(|(_, flag)| flag.as_str())
    }
    /// The line of a place, or of what it is in.
    fn line(&self, at: &[String]) -> Option<usize> {
        (1..=at.len()).rev().find_map(|length| self.lines.get(&at[..length]).copied())
    }

    /// Goes on to the keys below that a problem names, the one named first.
    fn narrowed(&self, mut at: Keys, named: &[String]) -> Keys {
        while let Some(key) = named.iter().find(|key| self.has(&at, key)) {
            at.push(key.clone());
        }
        at
    }

    /// Whether the recipe has a key at a place, or the command line put one there.
    fn has(&self, at: &[String], key: &str) -> bool {
        let all = self.lines.keys().chain(self.flags.iter().map(|(keys, _)| keys));
        all.into_iter().any(|keys| keys.len() > at.len() && keys.starts_with(at) && keys[at.len()] == key)
    }
}

/// The code of a mistake in a recipe, by the place of it.
fn code_of(keys: &[&str]) -> Code {
    let key = |at: usize| keys.get(at).copied();
    match (key(0), key(2)) {
        (Some("attributes"), Some("hierarchy")) => Code::HIERARCHY,
        (Some("attributes"), _) => Code::ATTRIBUTE,
        (Some("privacy"), _) => Code::PRIVACY,
        (Some("method"), _) => Code::METHOD,
        (Some("input"), _) => Code::INPUT,
        (Some("population"), _) => Code::POPULATION,
        (Some("output"), _) => Code::OUTPUT,
        (Some("preset"), _) => Code::PRESET,
        (Some("key"), _) => Code::KEY,
        (Some("budget"), _) => Code::BUDGET,
        (Some("engine"), _) => Code::ENGINE,
        (Some("report"), _) => Code::REPORT,
        (Some("impossible"), _) => Code::IMPOSSIBLE,
        (Some("unnamed"), _) => Code::UNNAMED_COLUMNS,
        _ => Code::RECIPE,
    }
}

/// The parts of a dotted key and its value; a part in quotes is read as TOML reads it.
pub fn key_and_value(pair: &str) -> Option<(Vec<String>, &str)> {
    let (mut keys, mut rest) = (Vec::new(), pair);
    loop {
        let (key, after) = part(rest.trim_start())?;
        keys.push(key);
        let after = after.trim_start();
        match after.strip_prefix('=') {
            Some(value) => return Some((keys, value)),
            None => rest = after.strip_prefix('.')?,
        }
    }
}

/// The first part of a dotted key, and what follows it.
fn part(text: &str) -> Option<(String, &str)> {
    let end = match text.chars().next()? {
        '\'' => text[1..].find('\'')? + 2,
        '"' => {
            let mut escaped = false;
            let closing = |(_, character): &(usize, char)| {
                let closes = *character == '"' && !escaped;
                escaped = *character == '\\' && !escaped;
                closes
            };
            text.char_indices().skip(1).find(closing)?.0 + 1
        }
        _ => {
            let end = text.find(['.', '='])?;
            return Some((text[..end].trim_end().to_owned(), &text[end..]));
        }
    };
    let (quoted, rest) = text.split_at(end);
    let table: toml::Table = toml::from_str(&format!("{quoted} = 0")).ok()?;
    Some((table.keys().next()?.clone(), rest))
}

/// A flag of `--set`, without what may be a secret.
pub(super) fn shown(pair: &str) -> String {
    match pair.split_once('=') {
        Some((key, _)) if is_secret(pair) || is_seed(key) => format!("--set {}=…", key.trim()),
        _ => format!("--set {pair}"),
    }
}

/// Whether a pair's key leads to the table of secrets, however it is spelled, or would if its quotes were closed.
fn is_secret(pair: &str) -> bool {
    let begins = pair.trim_start_matches([' ', '\t', '"', '\'']).starts_with(SECRET);
    begins || part(pair.trim_start()).is_some_and(|(first, _)| first == SECRET)
}

/// Whether a dotted key ends in a seed, wherever it stands.
fn is_seed(key: &str) -> bool {
    key.rsplit('.').next().is_some_and(|last| last.trim().trim_matches(['"', '\'']) == "seed")
}

/// Where the lines of a text end: a declared domain can have a million values, each with a place.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line at a byte, counted from 1.
    fn at(&self, start: usize) -> usize {
        self.0.partition_point(|end| *end < start) + 1
    }
}

/// The line at a byte, counted from 1.
pub(super) fn line_at(text: &str, start: usize) -> usize {
    text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1
}

/// Whether what stands at a byte of a text may be the secret key, or next to it.
pub(super) fn may_be_secret(text: &str, start: usize) -> bool {
    let before = keys(text).into_iter().filter(|(_, place)| *place <= start).max_by_key(|(_, place)| *place);
    let line = text.lines().nth(line_at(text, start) - 1).unwrap_or_default();
    let spelled = line.trim_start_matches(['[', ' ', '\t', '"', '\'']).starts_with(SECRET);
    spelled || before.is_some_and(|(keys, _)| keys[0] == SECRET)
}

/// The key that what stands at a byte of a text belongs to, on its line; none where the text cannot be read so far.
pub(super) fn key_at(text: &str, start: usize) -> Keys {
    let lines = Lines::of(text);
    let line = lines.at(start);
    let on_line: Vec<(Keys, usize)> =
        keys(text).into_iter().filter(|(_, place)| lines.at(*place) == line).collect();
    let before = on_line.iter().filter(|(_, place)| *place <= start).max_by_key(|(_, place)| *place);
    // The bracket of a header stands before its keys.
    let found = before.or_else(|| on_line.iter().max_by_key(|(keys, _)| keys.len()));
    found.map_or_else(Keys::new, |(keys, _)| keys.clone())
}

/// Where the next key of that name stands, from a byte on.
pub(super) fn next_key(text: &str, name: &str, from: usize) -> Option<usize> {
    let named = |(at, start): (Keys, usize)| (start >= from && at.last()? == name).then_some(start);
    keys(text).into_iter().filter_map(named).min()
}

/// Every key of a text with the byte at which it stands; the elements of lists have numbers.
fn keys(text: &str) -> Vec<(Keys, usize)> {
    let (table, _) = DeTable::parse_recoverable(text);
    let mut found = Vec::new();
    of_table(&mut Vec::new(), table.get_ref(), &mut found);
    found
}

fn of_table(at: &mut Keys, table: &DeTable<'_>, found: &mut Vec<(Keys, usize)>) {
    for (key, value) in table {
        at.push(key.get_ref().to_string());
        found.push((at.clone(), key.span().start));
        of_value(at, value.get_ref(), found);
        at.pop();
    }
}

fn of_value(at: &mut Keys, value: &DeValue<'_>, found: &mut Vec<(Keys, usize)>) {
    match value {
        DeValue::Table(table) => of_table(at, table, found),
        DeValue::Array(values) => {
            for (number, value) in values.iter().enumerate() {
                at.push(number.to_string());
                found.push((at.clone(), value.span().start));
                of_value(at, value.get_ref(), found);
                at.pop();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[input]\npath = \"x\"\n\n[attributes.\"a b\"]\nrole = \"q\"\nhierarchy = { interval = [5],\n  max = 3 }\n\
                        [[privacy]]\nmodel = \"k\"\n\n[[privacy]]\nmodel = \"l\"\nl = 2\n";

    fn said(places: &Places, at: &[&str], problem: Problem) -> String {
        places.refuse(Path::new("r.toml"), at, problem).to_string()
    }

    #[test]
    fn problems_are_located() {
        let mut places = Places::of(TEXT);
        assert_eq!(said(&places, &["attributes", "a b"], "nothing".into()), "r.toml: line 4: nothing");
        let role = || Problem::of(&["role"], "a role is");
        assert_eq!(said(&places, &["attributes", "a b"], role()), "r.toml: line 5: a role is");
        let most = Problem::of(&["max"], "`max`");
        assert_eq!(said(&places, &["attributes", "a b"], most.clone()), "r.toml: line 4: `max`");
        assert_eq!(said(&places, &["attributes", "a b", "hierarchy"], most), "r.toml: line 7: `max`");
        assert_eq!(said(&places, &["privacy", "1"], "l-diversity".into()), "r.toml: line 11: l-diversity");
        let l = || Problem::of(&["attribute", "l"], "l must");
        assert_eq!(said(&places, &["privacy", "1"], l()), "r.toml: line 13: l must");
        assert_eq!(said(&places, &["method"], Problem::of(&["h"], "h")), "r.toml: h");
        assert_eq!(
            said(&places, &["method"], role().in_attribute("a b")),
            "r.toml: line 5: attribute `a b`: a role is"
        );
        places.set("privacy.1.l=7");
        assert_eq!(said(&places, &["privacy", "1"], l()), "r.toml: --set privacy.1.l=7: l must");
        assert_eq!(
            said(&places, &["privacy", "1"], Problem::of(&["model"], "model")),
            "r.toml: line 12: model"
        );
    }

    #[test]
    fn lines_are_those_that_counting_gives() {
        for text in ["", "\n", "a\n\nb", TEXT] {
            let lines = Lines::of(text);
            assert!((0..=text.len()).all(|start| lines.at(start) == line_at(text, start)), "{text:?}");
        }
    }

    /// Each value of a long list has a place. Counting the lines before each would take minutes here.
    #[test]
    fn a_long_domain_is_read_at_once() {
        let values = vec!["\"C000000\""; 300_000].join(",\n");
        let text = format!("[attributes.code]\ndomain = [\n{values}\n]\n[method]\nname = \"ipa\"\n");
        let places = Places::of(&text);
        assert_eq!(said(&places, &["method"], Problem::of(&["name"], "name")), "r.toml: line 300005: name");
    }

    #[test]
    fn what_stands_somewhere_belongs_to_a_key() {
        let at = |word: &str| key_at(TEXT, TEXT.find(word).unwrap()).join(".");
        assert_eq!(at("\"q\""), "attributes.a b.role");
        assert_eq!(at("5]"), "attributes.a b.hierarchy.interval.0");
        assert_eq!(at("3 }"), "attributes.a b.hierarchy.max");
        assert_eq!(at("\"l\""), "privacy.1.model");
        assert_eq!(at("[attributes"), "attributes.a b");
        assert_eq!(key_at("x = [\n\n", 6), Keys::new());
    }

    #[test]
    fn secrets_are_known_by_any_spelling() {
        for text in [
            "key = \"@\"",
            "[key]\nvalue = \"@\"",
            "[ \"k\\u0065y\" ]\n\nx = [\n'@']",
            "key.x = '@'",
            "[key]\n@",
        ] {
            assert!(may_be_secret(text, text.find('@').unwrap()), "{text}");
        }
        let text = "[key]\nfile = \"a\"\n[input]\npath = \"@\"";
        assert!(!may_be_secret(text, text.find('@').unwrap()));
        assert_eq!(shown(" key.file=x"), "--set key.file=…");
        for pair in ["\"k\\u0065y\"=x", "'key'.file=x", "\"key\" . file=x", "\"key=x", "key x=x"] {
            assert!(!shown(pair).contains("=x"), "{pair}");
        }
        assert_eq!(shown("method.h=7"), "--set method.h=7");
    }
}
