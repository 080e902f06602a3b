//! `codebook.csv`: one row per column of the released file.

use velamen_core::frequency::Role;

use super::LABELS;
use super::types::{Column, Kind};

pub(super) fn rows(columns: &[Column]) -> Vec<Vec<String>> {
    let header = ["column", "role", "type", "unit", "shown", "how to read it", "missing", "description"]
        .map(str::to_owned)
        .to_vec();
    std::iter::once(header).chain(columns.iter().map(row)).collect()
}

fn row(column: &Column) -> Vec<String> {
    vec![
        column.name.clone(),
        role(column.role).to_owned(),
        column.kind.name().to_owned(),
        column.unit.clone().unwrap_or_default(),
        column.shown.clone(),
        reading(column),
        missing(column).to_owned(),
        column.description.clone().unwrap_or_default(),
    ]
}

pub(super) fn role(role: Option<Role>) -> &'static str {
    match role {
        None => "class",
        Some(Role::QuasiIdentifier) => "quasi-identifier",
        Some(Role::Sensitive) => "sensitive",
        Some(Role::Insensitive) => "insensitive",
        Some(Role::Identifier | Role::Person) => "pseudonym",
    }
}

fn missing(column: &Column) -> &'static str {
    match (column.missing, column.role) {
        (true, None) => "empty: the record is suppressed",
        (true, Some(_)) => "empty",
        (false, _) => "none",
    }
}

fn reading(column: &Column) -> String {
    match column.kind {
        _ if !column.extents.is_empty() => {
            format!("as text; {LABELS} lists what each label stands for: low, high, mid")
        }
        Kind::WholeNumber | Kind::Number if column.role.is_some() => "as a number".to_owned(),
        Kind::WholeNumber => "as a number, or as text".to_owned(),
        Kind::Date => "as a date, YYYY-MM-DD".to_owned(),
        _ if column.role == Some(Role::QuasiIdentifier) => "as text; * stands for any value".to_owned(),
        _ => "as text".to_owned(),
    }
}
