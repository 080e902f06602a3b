//! What the program says in messages, in other languages than English: a file each, beside the catalogue of the pages.
//!
//! Messages are made in English, in crates that know no other language. Here they are taken apart at the places of their
//! figures and names. What has no line stays English, below a line in the language that says what its code means.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use velamen_contract::Language;

use super::{refilled_as, spoken, t};

/// The messages of a language, as its file has them.
#[derive(Default, Deserialize)]
struct File {
    codes: HashMap<String, String>,
    messages: HashMap<String, String>,
    parts: HashMap<String, String>,
}

/// The same to look them up.
struct Messages {
    codes: HashMap<String, String>,
    messages: Vec<Line>,
    parts: Vec<Line>,
}

/// An English text with `{}` at its places, and the same in the language.
type Line = (String, String);

static GERMAN: LazyLock<Messages> = LazyLock::new(|| read(include_str!("de-messages.toml")));

/// A file of the program's own: that it reads is a test.
fn read(text: &str) -> Messages {
    let File { codes, messages, parts } = toml::from_str(text).unwrap_or_default();
    Messages { codes, messages: longest_first(messages), parts: longest_first(parts) }
}

/// One text can fit several lines: that with the most words is meant.
fn longest_first(lines: HashMap<String, String>) -> Vec<Line> {
    let mut lines: Vec<Line> = lines.into_iter().collect();
    lines.sort_by_cached_key(|(english, _)| (Reverse(english.replace("{}", "").len()), english.clone()));
    lines
}

fn messages() -> Option<&'static Messages> {
    match spoken() {
        Language::English => None,
        Language::German => Some(&GERMAN),
    }
}

/// What a mistake of a code is and what to do, in a line; `None` in English, where the message says it.
#[must_use]
pub fn headline(code: &str) -> Option<&'static str> {
    messages()?.codes.get(code).map(String::as_str)
}

/// A message in the language that is spoken; `None` if it has no line for it. In English it is what it was.
#[must_use]
pub fn message(english: &str) -> Option<String> {
    let Some(known) = messages() else { return Some(english.to_owned()) };
    said(english, known)
}

/// What stands behind a place is looked at before the whole: lines that begin with a figure would take the place for one.
fn said(english: &str, known: &Messages) -> Option<String> {
    placed(english, known).or_else(|| line(english, known))
}

/// Words, or a phrase with figures, in the language that is spoken; what has no line stays as it is.
#[must_use]
pub fn words(english: &str) -> String {
    messages().map_or_else(|| english.to_owned(), |known| part(english, known))
}

/// A message that a line says whole.
fn line(english: &str, known: &Messages) -> Option<String> {
    refilled_as(english, pairs(&known.messages), |found| part(found, known))
}

/// A message behind a place, which has a line of its own or is a name.
fn placed(english: &str, known: &Messages) -> Option<String> {
    let (place, rest) = english.split_once(": ")?;
    let name = || (!place.contains(' ')).then(|| place.to_owned());
    let place = line(place, known).or_else(name)?;
    Some(format!("{place}: {}", said(rest, known)?))
}

/// What stands at a place of a message: a figure, words that have a line, a list of such, or a name.
fn part(english: &str, known: &Messages) -> String {
    let is_figure = |sign: char| sign.is_ascii_digit() || " .,%\u{202f}".contains(sign);
    if english.chars().all(is_figure) {
        // What has two points is a version.
        let is_version = english.matches('.').count() > 1;
        return if is_version { english.to_owned() } else { english.chars().map(turned).collect() };
    }
    if let Some((first, others)) = english.split_once("), ") {
        return format!("{}, {}", part(&format!("{first})"), known), part(others, known));
    }
    let pieces = || english.split(", ");
    let listed = || pieces().map(|piece| phrase(piece, known)).collect::<Option<Vec<_>>>();
    let keyed = || pieces().map(|piece| of_key(piece, known)).collect::<Option<Vec<_>>>();
    let list = || listed().or_else(keyed).map(|list| list.join(", "));
    phrase(english, known).or_else(list).unwrap_or_else(|| t(english).to_owned())
}

/// What a line of the parts says whole.
fn phrase(english: &str, known: &Messages) -> Option<String> {
    refilled_as(english, pairs(&known.parts), |found| part(found, known))
}

/// `t = 0.25`: the key stays, and a figure is written as in the language.
fn of_key(english: &str, known: &Messages) -> Option<String> {
    let (key, value) = english.split_once(" = ")?;
    let is_figure = value.starts_with(|sign: char| sign.is_ascii_digit());
    Some(format!("{key} = {}", if is_figure { part(value, known) } else { value.to_owned() }))
}

/// The other mark before decimals, and between thousands.
fn turned(sign: char) -> char {
    match sign {
        ',' => '.',
        '.' => ',',
        other => other,
    }
}

/// All lines of a language by the part of its file: codes, messages, and what stands at their places.
#[must_use]
pub fn lines(language: Language) -> [Vec<(&'static str, &'static str)>; 3] {
    let Messages { codes, messages, parts } = match language {
        Language::English => return [const { Vec::new() }; 3],
        Language::German => &*GERMAN,
    };
    let codes = codes.iter().map(|(code, line)| (code.as_str(), line.as_str()));
    [codes.collect(), pairs(messages).collect(), pairs(parts).collect()]
}

fn pairs(lines: &[Line]) -> impl Iterator<Item = (&str, &str)> {
    lines.iter().map(|(english, other)| (english.as_str(), other.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::speaking;

    fn german(english: &str) -> Option<String> {
        speaking(Language::German, || message(english))
    }

    #[test]
    fn the_files_read() {
        toml::from_str::<File>(include_str!("de-messages.toml")).unwrap();
    }

    #[test]
    fn every_code_has_its_line() {
        let codes: Vec<String> = velamen_core::error::code::ALL.iter().map(ToString::to_string).collect();
        let [mut lines, ..] = lines(Language::German);
        lines.sort_unstable();
        assert_eq!(lines.iter().map(|(code, _)| (*code).to_owned()).collect::<Vec<_>>(), codes);
        assert_eq!(headline("E0303"), None);
        assert!(speaking(Language::German, || headline("E0303")).unwrap().contains("Verkleinern Sie k"));
    }

    #[test]
    fn messages_are_said_with_their_places_and_figures() {
        let small = german("the table has 1200 records, fewer than k = 5000: no class can have k records");
        assert!(small.unwrap().starts_with("die Tabelle hat 1200 Datensätze, weniger als k = 5000:"));
        let placed =
            german("line 12 (record 11), column `sex of`: the value is not in the attribute's hierarchy");
        let here = "Zeile 12 (Datensatz 11), Spalte `sex of`: der Wert kommt in der Hierarchie des Merkmals nicht vor";
        assert_eq!(placed.unwrap(), here);
        let fields = german("line 3 (record 2): 1 fields");
        assert_eq!(fields.unwrap(), "Zeile 3 (Datensatz 2): Anzahl der Felder: 1");
        let names = german("privacy 1: k-anonymity: k = 0 protects nobody");
        assert_eq!(names.unwrap(), "Zusage 1: k-anonymity: k = 0 schützt niemanden");
        let lacking = german(
            "a whole number from 0 to 99. The hierarchy lacks 1 different value of the column, in 10 records",
        );
        assert!(lacking.unwrap().ends_with("fehlt: 1 verschiedener Wert der Spalte (10 Datensätze)"));
        let asked = speaking(Language::German, || words("t = 0.25, distance = equal"));
        assert_eq!(asked, "t = 0,25, distance = equal");
        let why = "a release of format 3: not compared are the types of the columns, where ranges end; make it again with velamen 0.2.0";
        let why = speaking(Language::German, || words(why));
        assert!(
            why.contains("die Typen der Spalten, wo Bereiche enden") && why.contains("velamen 0.2.0"),
            "{why}"
        );
        assert_eq!(german("something new: of which nobody knows"), None);
        assert_eq!(message("something new").as_deref(), Some("something new"));
    }
}
