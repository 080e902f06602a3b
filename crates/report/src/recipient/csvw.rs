//! Metadata of delimited text for programs: [CSV on the Web](https://www.w3.org/TR/tabular-metadata/).

use serde_json::{Value, json};

use super::codebook::role;
use super::types::{Column, Kind};
use crate::Manifest;

/// The file's name and text; `None` for formats that have types of their own.
pub(super) fn of(
    manifest: &Manifest,
    columns: &[Column],
    delimiter: Option<&str>,
) -> Option<(String, String)> {
    let file = &manifest.data.file;
    let delimiter = delimiter?;
    let metadata = json!({
        "@context": "http://www.w3.org/ns/csvw",
        "url": file,
        "dc:title": manifest.about.title.as_deref().unwrap_or(super::TITLE),
        "dialect": { "delimiter": delimiter, "header": true, "encoding": "utf-8" },
        "tableSchema": { "columns": columns.iter().map(column).collect::<Vec<Value>>() },
    });
    let text = serde_json::to_string_pretty(&metadata).expect("metadata is plain data");
    Some((format!("{file}-metadata.json"), text + "\n"))
}

fn column(column: &Column) -> Value {
    json!({
        "titles": column.name,
        "name": variable(&column.name),
        "datatype": datatype(column.kind),
        "required": !column.missing,
        "dc:description": described(column),
    })
}

/// The custodian's words, then role, what is shown, and unit.
fn described(column: &Column) -> String {
    let said = column.description.as_deref().map_or(String::new(), |words| format!("{words}. "));
    let unit = column.unit.as_deref().map_or(String::new(), |unit| format!("; unit: {unit}"));
    format!("{said}{}: {}{unit}", role(column.role), column.shown)
}

fn datatype(kind: Kind) -> &'static str {
    match kind {
        Kind::WholeNumber => "integer",
        Kind::Number => "number",
        Kind::Date => "date",
        Kind::NumberRange | Kind::DateRange | Kind::Text => "string",
    }
}

/// A name of URI templates: other characters are written as their bytes.
fn variable(name: &str) -> String {
    let written: String = name.bytes().map(encoded).collect();
    if written.starts_with('_') { format!("c{written}") } else { written }
}

fn encoded(byte: u8) -> String {
    match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        // Not at the beginning: such names are reserved.
        b'_' => "_".to_owned(),
        byte => format!("%{byte:02X}"),
    }
}
