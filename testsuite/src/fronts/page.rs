//! The page of the reference.

use std::fmt::Write;

use serde_json::Value;
use velamen_assess::operation::{Entry, Kind, Property};

use super::answer_name;

const HEAD: &str = "\
# Operations

```sh
velamen risk patients.csv --qi age,sex,zip --json
```

Every operation below is a command, a function in [Python](python.md) and a function in [R](r.md), with the same options, defaults
and answers. This page is written from the definitions of the operations.

- In Python and R, `-` in a name is `_`: `--up-to` is `up_to`. In R, `profile` is `profile_table` and `diff` is `diff_releases`.
- With `--json` the command prints the answer. Python returns it as an object, and R as a list.
";

/// The page of all operations.
pub(super) fn page(entries: &[&Entry]) -> String {
    entries.iter().fold(HEAD.to_owned(), |text, entry| text + "\n" + &section(entry))
}

fn section(entry: &Entry) -> String {
    let mut text = format!("## `{}`\n\n{}.", entry.name, entry.summary);
    if !entry.details.is_empty() {
        let _ = write!(text, " {}", entry.details);
    }
    text += "\n\n| option | value | if left out | meaning |\n| --- | --- | --- | --- |\n";
    for property in entry.properties() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            option(&property),
            property.kind.words(),
            left_out(&property),
            cell(&property.description)
        );
    }
    let _ = write!(
        text,
        "\nIts answer is `{}`.\n\n| key | value | meaning |\n| --- | --- | --- |\n",
        answer_name(entry)
    );
    for (key, value, meaning) in answer(entry) {
        let _ = writeln!(text, "| `{key}` | {value} | {} |", cell(&meaning));
    }
    text
}

fn option(property: &Property) -> String {
    let label = format!("`{}`", property.label());
    match (&property.argument, property.absent.as_deref(), &property.kind) {
        (_, _, Kind::Beside) => "`--with`, `--second-original`; in functions `second`".into(),
        (Some(name), Some("command line"), _) => format!("`{name}` in Python"),
        (Some(name), _, _) => format!("{label}; in functions `{name}`"),
        (_, Some("python"), _) => format!("{label}, not in Python"),
        _ => label,
    }
}

fn left_out(property: &Property) -> String {
    match &property.default {
        _ if property.required => "is required".into(),
        Value::Bool(_) | Value::Null | Value::Array(_) => String::new(),
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

/// The keys of an answer; of one of several kinds, the keys of all.
pub(super) fn answer(entry: &Entry) -> Vec<(String, String, String)> {
    let schema = (entry.answer)();
    let whole = schema.as_value();
    let items = resolved(whole, &whole["items"]);
    let several = whole["anyOf"].as_array().into_iter().flatten().map(|one| resolved(whole, one));
    let mut keys: Vec<(String, String, String)> = Vec::new();
    for object in [whole, items].into_iter().chain(several) {
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            if keys.iter().all(|(known, ..)| known != key) {
                let meaning = value["description"].as_str().unwrap_or_default().replace('\n', " ");
                keys.push((key.clone(), typed(whole, value), meaning));
            }
        }
    }
    keys
}

/// What a reference stands for.
fn resolved<'a>(whole: &'a Value, schema: &'a Value) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &whole["$defs"][name])
}

fn typed(whole: &Value, schema: &Value) -> String {
    let schema = resolved(whole, schema);
    let kinds = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let kinds = kinds.iter().map(|kind| match *kind {
        "integer" => "whole number",
        "string" => "text",
        "boolean" => "true or false",
        "array" => "list",
        other => other,
    });
    let words = kinds.collect::<Vec<_>>().join(" or ");
    if words.is_empty() { "object".into() } else { words }
}

/// A text as a cell of a table has it: links of the code's documentation are words.
fn cell(text: &str) -> String {
    text.replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}
