//! Values of JSON in words.

use serde_json::Value;
use velamen_core::number::{count, number, percent};

use super::pick::Shown;

/// A figure in words.
pub(super) fn shown(value: &Value, how: Shown) -> String {
    match (how, value) {
        (Shown::Percent, Value::Number(share)) => percent(share.as_f64().unwrap_or(f64::NAN)),
        (Shown::Met, Value::Bool(met)) => if *met { "met" } else { "not met" }.into(),
        (Shown::States, Value::Array(rows)) if !rows.is_empty() => {
            rows.iter().map(with_state).collect::<Vec<_>>().join(", ")
        }
        _ => plain(value),
    }
}

/// The first cell of a row, and its last, which is a state.
fn with_state(row: &Value) -> String {
    let cells = row.as_array().map_or(&[][..], Vec::as_slice);
    match (cells.first(), cells.last()) {
        (Some(first), Some(state)) => format!("{} ({})", plain(first), plain(state).replace('-', " ")),
        _ => plain(row),
    }
}

/// A value by its type; of a table, the first cell of each row.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::Bool(truth) => if *truth { "yes" } else { "no" }.into(),
        Value::String(text) => text.clone(),
        Value::Number(figure) => match figure.as_u64() {
            Some(whole) => count(whole),
            None => number(figure.as_f64().unwrap_or(f64::NAN)),
        },
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => {
            let first = |item: &Value| plain(item.get(0).unwrap_or(item));
            items.iter().map(first).collect::<Vec<_>>().join(", ")
        }
        Value::Object(fields) => {
            let field =
                |(key, value): (&String, &Value)| format!("{} {}", key.replace('-', " "), plain(value));
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
    }
}

/// A text with the figures in the place of their names in braces.
pub(super) fn with_figures(text: &str, figure: impl Fn(&str) -> Option<String>) -> String {
    let mut rest = text;
    let mut whole = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        whole.push_str(before);
        whole.push_str(&figure(name).unwrap_or_else(|| "–".into()));
        rest = behind;
    }
    whole + rest
}
