//! The pages' texts in other languages than English.
//!
//! The English text is the key, and stands where it is shown: [`t`] gives it in the language that is spoken, `say!` and
//! `text!` fill in values. What has no line in a catalogue stays English. Data is never looked up: names of attributes,
//! models, methods and metrics, values, codes and paths are the same in every language.

mod catalogue;
pub mod messages;

use std::cell::Cell;

#[cfg(feature = "pages")]
use maud::{Markup, PreEscaped, html};
pub use velamen_contract::Language;

thread_local! {
    // A page is made by one thread from beginning to end, by hundreds of functions: that each passed the language on would
    // say nothing but this.
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// Makes a page, or a part of one, in a language. Whatever was spoken before is spoken again afterwards.
pub fn speaking<T>(language: Language, work: impl FnOnce() -> T) -> T {
    let _before = Before(SPOKEN.replace(language));
    work()
}

/// Gives the language back, also after a panic.
struct Before(Language);

impl Drop for Before {
    fn drop(&mut self) {
        SPOKEN.set(self.0);
    }
}

/// The language that is spoken on this thread.
#[must_use]
pub fn spoken() -> Language {
    SPOKEN.get()
}

/// A text in the language that is spoken, or as it is where the catalogue does not have it.
#[must_use]
pub fn t(english: &str) -> &str {
    match spoken() {
        Language::English => english,
        Language::German => catalogue::german(english).unwrap_or(english),
    }
}

/// A text of the crates below, whole or with figures in it, in the language that is spoken; as it is where that has no line.
#[must_use]
pub fn of_below(english: &str) -> String {
    let page = t(english);
    let message = || messages::message(english).unwrap_or_else(|| english.to_owned());
    if page == english { message() } else { page.to_owned() }
}

/// All texts of a language's catalogue, English first; none of English.
pub fn texts(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    catalogue::lines(language)
}

/// A text that is looked up where it is shown, and not where it stands: the test of the catalogue sees it.
#[must_use]
pub const fn mark(english: &'static str) -> &'static str {
    english
}

/// A text with values at its places, as part of a page: `{}` is the next one, `{0}` the first, as other languages need
/// them in another order.
#[cfg(feature = "pages")]
#[macro_export]
macro_rules! say {
    ($english:expr $(, $value:expr)* $(,)?) => {
        $crate::language::said($english, &[$(maud::html! { ($value) }),*])
    };
}

/// A text with values at its places, for attributes and sentences.
#[macro_export]
macro_rules! text {
    ($english:expr $(, $value:expr)* $(,)?) => {
        $crate::language::filled($english, &[$($value.to_string()),*])
    };
}

#[cfg(feature = "pages")]
pub use crate::say;
pub use crate::text;

/// What `say!` gives.
#[cfg(feature = "pages")]
#[must_use]
pub fn said(english: &str, values: &[Markup]) -> Markup {
    let values: Vec<&str> = values.iter().map(|value| value.0.as_str()).collect();
    // The words are escaped as text, the values were.
    PreEscaped(parts(t(english), &values, |words| html! { (words) }.0))
}

/// What `text!` gives.
#[must_use]
pub fn filled(english: &str, values: &[String]) -> String {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    parts(t(english), &values, str::to_owned)
}

/// A text that was made in English, in the language that is spoken: the line of the first of the patterns that it fits, with what
/// stands at their places after `value`. Names between backticks are data. `None` if it fits none.
pub fn refilled(english: &str, patterns: &[&str], value: impl Fn(&str) -> String) -> Option<String> {
    refilled_as(english, patterns.iter().map(|pattern| (*pattern, t(pattern))), value)
}

/// The same by lines that have both languages.
fn refilled_as<'l>(
    english: &str,
    mut lines: impl Iterator<Item = (&'l str, &'l str)>,
    value: impl Fn(&str) -> String,
) -> Option<String> {
    let (other, found) = lines.find_map(|(pattern, other)| Some((other, fitted(english, pattern)?)))?;
    let value = |&(found, is_name): &(&str, bool)| if is_name { found.to_owned() } else { value(found) };
    let values: Vec<String> = found.iter().map(value).collect();
    Some(parts(other, &values.iter().map(String::as_str).collect::<Vec<_>>(), str::to_owned))
}

/// What stands at the places of a pattern in a text, and whether each is a name between backticks.
fn fitted<'a>(text: &'a str, pattern: &str) -> Option<Vec<(&'a str, bool)>> {
    let mut words = pattern.split("{}");
    let first = words.next()?;
    let mut rest = text.strip_prefix(first)?;
    let mut found = Vec::new();
    let (mut before, mut words) = (first, words.peekable());
    while let Some(next) = words.next() {
        let end = if words.peek().is_none() { rest.len().checked_sub(next.len()) } else { rest.find(next) };
        let (value, after) = rest.split_at_checked(end?)?;
        rest = after.strip_prefix(next)?;
        found.push((value, before.ends_with('`')));
        before = next;
    }
    (rest.is_empty() && found.iter().all(|(value, _)| !value.is_empty())).then_some(found)
}

/// The words of a pattern with values at its places.
fn parts(pattern: &str, values: &[&str], words: impl Fn(&str) -> String) -> String {
    let mut rest = pattern;
    let mut out = String::new();
    let mut next = values.iter();
    while let Some((before, place, after)) = first_place(rest) {
        let value = if place.is_empty() {
            next.next()
        } else {
            place.parse().ok().and_then(|n: usize| values.get(n))
        };
        out += &words(before);
        out += value.copied().unwrap_or_default();
        rest = after;
    }
    out + &words(rest)
}

/// What stands before the first place, its number, and what stands behind it.
fn first_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (place, after) = rest.split_once('}')?;
    Some((before, place, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_at_their_places() {
        assert_eq!(filled("{} of {}", &["1".into(), "2".into()]), "1 of 2");
        assert_eq!(filled("{1} before {0}", &["1".into(), "2".into()]), "2 before 1");
        assert_eq!(said("a & {}", &[html! { b { "<" } }]).0, "a &amp; <b>&lt;</b>");
    }

    #[test]
    fn a_text_is_filled_in_again() {
        let patterns = ["its name contains `{}`", "{} of {} are {}", "nothing"];
        let refilled = |text: &str| refilled(text, &patterns, |value| format!("<{value}>"));
        assert_eq!(refilled("3 of 40 are blue").unwrap(), "<3> of <40> are <blue>");
        assert_eq!(refilled("its name contains `a of b`").unwrap(), "its name contains `a of b`");
        assert_eq!(refilled("nothing").unwrap(), "nothing");
        for other in ["its name contains ``", "nothing more", "3 of 40", "", "3 of 40 are "] {
            assert_eq!(refilled(other), None, "{other}");
        }
    }

    #[test]
    fn a_language_is_spoken_as_long_as_it_is_asked_for() {
        assert_eq!(t("Records"), "Records");
        let german = speaking(Language::German, || (t("Records"), t("nothing that any page says")));
        assert_eq!(german, ("Datensätze", "nothing that any page says"));
        let broken = std::panic::catch_unwind(|| speaking(Language::German, || panic!("as a page might")));
        assert!(broken.is_err() && spoken() == Language::English);
    }
}
