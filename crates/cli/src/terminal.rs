//! What people read: results on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::Write;

use serde_json::Value;

/// A line of the result. A closed pipe ends the output, not the run.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A remark beside the result.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
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
