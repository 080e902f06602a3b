//! Functions of R, which call the program.

use std::path::Path;

use serde_json::Value;
use velamen_assess::operation::{Entry, Kind, Property};

use super::{argument, arguments, wrapped};

/// R calls the command line: what that leaves out, R leaves out.
pub(super) const FRONT: &str = "command line";

/// Names that R's own packages have, and those of our functions.
const NAMES: [(&str, &str); 2] = [("diff", "diff_releases"), ("profile", "profile_table")];

const HEAD: &str = "\
# The operations as functions, each written from its definition. This file is not edited:
# INSTA_UPDATE=always cargo nextest run -p velamen-testsuite fronts writes it again.
";

pub(super) fn name(entry: &Entry) -> &'static str {
    NAMES.iter().find(|(name, _)| *name == entry.name).map_or(entry.name, |(_, other)| other)
}

/// All functions.
pub(super) fn functions(entries: &[&Entry]) -> String {
    entries.iter().fold(HEAD.to_owned(), |text, entry| text + "\n" + &function(entry))
}

pub(super) fn usage(entry: &Entry) -> String {
    let (before, after) = arguments(entry, FRONT);
    let before = before.iter().map(argument);
    let after = after.iter().map(|property| format!("{} = {}", argument(property), default(property)));
    before.chain(after).collect::<Vec<_>>().join(", ")
}

fn default(property: &Property) -> String {
    match (&property.default, &property.kind) {
        (_, Kind::Names(format)) if format == "set" => "list()".into(),
        (Value::Bool(true), _) => "TRUE".into(),
        (Value::Bool(false), _) => "FALSE".into(),
        (Value::Number(number), _) => number.to_string(),
        (Value::String(text), _) => format!("{text:?}"),
        _ => "NULL".into(),
    }
}

fn function(entry: &Entry) -> String {
    let (before, after) = arguments(entry, FRONT);
    let all: Vec<&Property> = before.iter().chain(&after).collect();
    let tables = all.iter().flat_map(|property| tables(property)).collect::<Vec<_>>().join(", ");
    let mut words = vec![format!("\"{}\"", entry.name)];
    words.extend(
        entry.properties().iter().filter(|one| all.iter().any(|other| other.name == one.name)).map(said),
    );
    let head = wrapped(&format!("{} <- function({}) {{", name(entry), usage(entry)), "  ", 119);
    format!(
        "{}\n  with_tables(list({tables}), function(path) {{\n    told(c(\n{}\n    ))\n  }})\n}}\n",
        head.trim_start(),
        wrapped(&words.join(", "), "      ", 119)
    )
}

/// The tables of an argument, by names.
fn tables(property: &Property) -> Vec<String> {
    let name = argument(property);
    match &property.kind {
        Kind::Table | Kind::TableOrRelease | Kind::Release => vec![format!("{name} = {name}")],
        Kind::Beside => [("release", 1), ("original", 2)]
            .map(|(part, place)| format!("{name}_{part} = if (length({name})) {name}[[{place}]]"))
            .to_vec(),
        _ => Vec::new(),
    }
}

/// The words of the command line for an argument.
fn said(property: &Property) -> String {
    let name = argument(property);
    let value = match &property.kind {
        Kind::Table | Kind::TableOrRelease | Kind::Release => format!("path${name}"),
        _ => name.clone(),
    };
    match &property.kind {
        Kind::Beside => {
            format!(
                "valued(\"--with\", path${name}_release), valued(\"--second-original\", path${name}_original)"
            )
        }
        _ if property.required && !property.flag => value,
        Kind::Names(format) if format == "set" => format!("settings({name})"),
        Kind::Names(_) => format!("listed(\"--{}\", {name})", property.name),
        Kind::Switch => format!("if ({name}) \"--{}\"", property.name),
        _ => format!("valued(\"--{}\", {value})", property.name),
    }
}

/// After this line, the names in the package's `NAMESPACE`; what somebody wrote stands before it.
const EXPORTS: &str = "\n# The operations, written from their definitions as R/operations.R is.\n";

/// The package's names: those that somebody wrote, and the functions.
pub(super) fn namespace(entries: &[&Entry]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../r/NAMESPACE");
    let text = std::fs::read_to_string(path).expect("the namespace of the R package");
    let own = text.split_once(EXPORTS).map_or(&*text, |(own, _)| own);
    let mut names: Vec<&str> = entries.iter().map(|entry| name(entry)).collect();
    names.sort_unstable();
    let names = wrapped(&format!("export({})", names.join(", ")), "  ", 119);
    format!("{own}{EXPORTS}{}\n", names.trim_start())
}
