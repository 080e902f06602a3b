//! Findings and figures as lines of text: what `velamen verify` prints, and the page of the browser shows.

use std::borrow::Cow;

use serde_json::Value;
use velamen_checker::{Finding, State};

use crate::in_people::reached;
use crate::unrounded::never_rounded;

/// So many columns have the word of a finding's state, and the name of its promise.
const STATE: usize = 11;
const PROMISE: usize = 19;

/// A finding as one line: its state, its promise, what was asked and what was reached.
///
/// ```
/// use serde_json::json;
/// use velamen_checker::Finding;
///
/// let finding = Finding::of("k-anonymity", json!({ "k": 5 }), json!({ "k": 7 }), true);
/// let line = "held         k-anonymity         asked k = 5; reached k = 7";
/// assert_eq!(velamen_report::printed::line(&finding), line);
/// ```
#[must_use]
pub fn line(finding: &Finding) -> String {
    format!("{}{}", state(finding.state), after_state(finding))
}

/// The word of a state.
#[must_use]
pub const fn state(state: State) -> &'static str {
    match state {
        State::Held => "held",
        State::Broken => "BROKEN",
        State::NotChecked => "not checked",
        State::Stated => "stated",
    }
}

/// What follows that word in [`line()`].
#[must_use]
pub fn after_state(finding: &Finding) -> String {
    let pad = STATE - state(finding.state).len();
    format!("{:pad$}  {:<PROMISE$} {}", "", finding.promise, figures(finding))
}

/// What was asked and what was reached.
#[must_use]
pub fn figures(finding: &Finding) -> String {
    format!("asked {}; reached {}", plain(&finding.asked), reached(finding, plain))
}

/// A figure or several without the signs of JSON: `k = 5`, `yes`, `one per class`.
#[must_use]
pub fn plain(value: &Value) -> String {
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
            let fields = fields.iter().map(|(name, value)| {
                let shown = never_rounded(name, value).map_or_else(|| plain(value), exact);
                format!("{} = {shown}", name.replace('-', " "))
            });
            fields.collect::<Vec<_>>().join(", ")
        }
    }
}

/// The shortest text that is read back as the number, with a power of ten where it is small.
fn exact(number: f64) -> String {
    let is_small = number != 0.0 && number.abs() < 1e-6;
    if is_small || number.abs() >= 1e15 { format!("{number:e}") } else { number.to_string() }
}

/// Six decimals, without the zeros at the end; where these would show nothing but is no error of rounding, powers of ten.
fn rounded(number: f64) -> String {
    if (1e-14..1e-6).contains(&number.abs()) {
        return format!("{number:e}");
    }
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// A text in which nothing recolours, hides or turns round what is shown: names of a table can hold such characters,
/// which get their number in a form that JSON reads as well.
#[must_use]
pub fn plain_text(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(steers) {
        return text;
    }
    let one = |c: char| if steers(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(one).collect())
}

fn steers(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
