//! Functions of Python.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use velamen_assess::operation::{Entry, Kind, Property};

use super::{answer_name, argument, arguments, spoken, wrapped};

/// As the tables of `argument` in [`Property`] have it.
const FRONT: &str = "python";

const HEAD: &str = r#""""The operations as functions, each written from its definition; ``print(velamen.risk.__doc__)`` shows one.

This file is not edited: ``INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts`` writes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._answer import answer, pair
from ._call import Path, Progress, inner, names, records_of, seed_text
from ._result import Quiet
from ._types import FolderOrRelease, LinkedTables, Table, TableOrRelease
from .recipe import Recipe, core_of
"#;

/// What every function takes besides.
const COMMON: &str = "    - ``threads``: At most so many cores; the result is the same with any number.
    - ``progress``: ``True`` shows progress; a function gets (step, done, total), and an exception of it stops the run.
";

/// The module of all operations.
#[must_use]
pub fn module(entries: &[&Entry]) -> String {
    let known: Vec<String> = classes();
    let (mut own, mut functions) = (Vec::new(), String::new());
    let mut new = String::new();
    let entries: Vec<&&Entry> = entries.iter().filter(|entry| !is_written(entry.name)).collect();
    for entry in &entries {
        let name = answer_name(entry);
        match known.contains(&name) {
            true => own.push(name),
            false => new += &class(entry),
        }
        functions += &function(entry);
    }
    own.sort();
    let list = own.iter().map(|name| format!("    {name},\n")).collect::<String>();
    let results = if own.is_empty() { String::new() } else { format!("from .results import (\n{list})\n") };
    let mut all: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    all.sort_unstable();
    let all = all.iter().map(|name| format!("    \"{name}\",\n")).collect::<String>();
    format!("{HEAD}{results}\n__all__ = [\n{all}]\n{new}{functions}")
}

/// A file of the package.
fn package(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/python/python/velamen");
    std::fs::read_to_string(folder.join(name)).expect("a file of the Python package")
}

/// Whether somebody wrote the function, since it takes more than requests have.
fn is_written(name: &str) -> bool {
    package("functions.py").contains(&format!("\ndef {name}("))
}

/// The classes of results that somebody wrote.
fn classes() -> Vec<String> {
    let text = package("results.py");
    let names = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    names.map(str::to_owned).collect()
}

/// A class for an answer that has none of its own. What it shows by itself holds nothing of the answer.
fn class(entry: &Entry) -> String {
    let schema = (entry.answer)();
    let mut text = format!("\n\n@dataclass(frozen=True, repr=False)\nclass {}(Quiet):\n", answer_name(entry));
    let about = schema.get("description").and_then(Value::as_str).unwrap_or(entry.summary);
    let _ = writeln!(text, "    \"\"\"{}\"\"\"\n", about.replace('\n', " "));
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let (must, may): (Vec<_>, Vec<_>) = properties.partition(|(name, _)| required.contains(&name.as_str()));
    for (name, property) in must {
        let _ = writeln!(text, "    {}: {}", name.replace('-', "_"), typed(property));
        describe(property, &mut text);
    }
    for (name, property) in may {
        let _ = writeln!(text, "    {}: {} | None = None", name.replace('-', "_"), typed(property));
        describe(property, &mut text);
    }
    text
}

fn describe(property: &Value, text: &mut String) {
    if let Some(about) = property["description"].as_str() {
        let _ = writeln!(text, "    \"\"\"{}\"\"\"", about.replace('\n', " "));
    }
}

/// The type of an answer's property.
fn typed(schema: &Value) -> &'static str {
    match schema["type"].as_str() {
        Some("integer") => "int",
        Some("number") => "float",
        Some("boolean") => "bool",
        Some("string") => "str",
        Some("array") => "tuple[Any, ...]",
        _ => "Any",
    }
}

fn function(entry: &Entry) -> String {
    let (before, after) = arguments(entry, FRONT);
    let mut text = format!("\n\ndef {}(\n", entry.name);
    for property in &before {
        let _ = writeln!(text, "    {}: {},", argument(property), annotation(property));
    }
    text += "    *,\n";
    for property in &after {
        let noqa = if property.name == "l" { "  # noqa: E741, the literature's name" } else { "" };
        let (name, kind, default) = (argument(property), annotation(property), default(property));
        let _ = writeln!(text, "    {name}: {kind} = {default},{noqa}");
    }
    text += "    threads: int | None = None,\n    progress: Progress = False,\n";
    let _ = writeln!(text, ") -> {}:", answer_name(entry));
    text += &docstring(entry, before.iter().chain(&after));
    text += "    request = {\n";
    for property in before.iter().chain(&after) {
        let _ = writeln!(text, "        \"{}\": {},", property.name, converted(property));
    }
    let _ = writeln!(
        text,
        "    }}\n    return answer({}, \"{}\", request, threads, progress)",
        answer_name(entry),
        entry.name
    );
    text
}

fn docstring<'a>(entry: &Entry, properties: impl Iterator<Item = &'a Property>) -> String {
    let mut text = format!("    \"\"\"{}.\n\n", entry.summary);
    if !entry.details.is_empty() {
        let _ = writeln!(text, "{}\n", wrapped(&spoken(entry.details, "``"), "    ", 119));
    }
    for property in properties {
        let about = format!("``{}``: {}", argument(property), spoken(&property.description, "``"));
        let first = wrapped(&about, "      ", 119);
        let _ = writeln!(text, "    - {}", first.trim_start());
    }
    text += COMMON;
    for (number, line) in entry.python.lines().enumerate() {
        let _ = writeln!(text, "{}    {line}", if number == 0 { "\n" } else { "" });
    }
    text + "    \"\"\"\n"
}

fn annotation(property: &Property) -> String {
    let kind = match &property.kind {
        Kind::Table if property.name == "table" => "TableOrRelease",
        Kind::Table if property.several => "Table | LinkedTables",
        Kind::Table => "Table",
        Kind::TableOrRelease => "TableOrRelease",
        Kind::Release => "FolderOrRelease",
        Kind::Beside => "tuple[FolderOrRelease, Table]",
        Kind::Recipe => "Recipe",
        Kind::Path => "Path",
        Kind::Names(_) => "str | Sequence[str]",
        Kind::Switch => "bool",
        Kind::Whole { .. } => "int",
        Kind::Number => "float",
        Kind::Text(format) if format == "seed" => "int | str",
        Kind::Text(format) if format == "sample-size" => "float | int | str",
        Kind::Choice(_) | Kind::Text(_) => "str",
    };
    if property.nullable || property.first { format!("{kind} | None") } else { kind.to_owned() }
}

fn default(property: &Property) -> String {
    match (&property.default, &property.kind) {
        (Value::Bool(true), _) => "True".into(),
        (Value::Bool(false), _) => "False".into(),
        (Value::Array(_), _) => "()".into(),
        (Value::String(text), Kind::Text(format)) if format == "seed" && text.parse::<u64>().is_ok() => {
            text.clone()
        }
        (Value::Null, _) => "None".into(),
        (value, _) => value.to_string(),
    }
}

fn converted(property: &Property) -> String {
    let name = argument(property);

    match &property.kind {
        Kind::Table => format!("records_of({name})"),
        Kind::TableOrRelease | Kind::Release => format!("inner({name})"),
        Kind::Beside => format!("pair({name})"),
        Kind::Recipe if property.nullable => format!("None if {name} is None else core_of({name})"),
        Kind::Recipe => format!("core_of({name})"),
        Kind::Names(_) => format!("names({name})"),
        Kind::Text(format) if format == "seed" || format == "sample-size" => format!("seed_text({name})"),
        _ => name,
    }
}
