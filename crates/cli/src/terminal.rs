//! What people read: results on standard output, everything else on standard error.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{Error, Write};
use std::sync::OnceLock;

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// What kept the result from being written.
static UNWRITTEN: OnceLock<Error> = OnceLock::new();

/// A line of the result. A full disk or closed pipe ends the output, not the run: [`unwritten`] tells of it.
pub(crate) fn line(text: impl Display) {
    if UNWRITTEN.get().is_none() {
        keep(writeln!(std::io::stdout(), "{}", shown(&text.to_string())));
    }
}

/// What kept some of the result from being written, when all of it was tried.
pub(crate) fn unwritten() -> Option<&'static Error> {
    keep(std::io::stdout().flush());
    UNWRITTEN.get()
}

/// The first failure is the one that counts.
pub(crate) fn keep(written: std::io::Result<()>) {
    if let Err(error) = written {
        let _ = UNWRITTEN.set(error);
    }
}

/// How many columns of a terminal a text takes: two for each Korean syllable.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A text with spaces behind it up to a width.
pub(crate) fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A text with spaces before it up to a width.
pub(crate) fn right(text: &str, to: usize) -> String {
    format!("{}{text}", " ".repeat(to.saturating_sub(width(text))))
}

/// A remark beside the result.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", shown(&text.to_string()));
}

/// Names of a table can hold what recolours, hides or turns round a terminal's text: such characters are
/// shown by their number, in a form that JSON reads as well.
fn shown(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let one = |c: char| if steers(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(one).collect())
}

/// A warning.
pub(crate) fn warning(text: impl Display) {
    note(format_args!("warning: {text}"));
}

/// What ended the run.
pub(crate) fn error(text: impl Display) {
    note(format_args!("error: {text}"));
}

/// A figure or several without the signs of JSON: `k = 5`, `yes`, `one per class`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) if number.is_f64() => rounded(number.as_f64().unwrap_or(f64::NAN)),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| format!("{} = {}", name.replace('-', " "), plain(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Six decimals, without the zeros at the end.
fn rounded(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}
