//! The columns of the released file, and what stands in them.

use std::collections::BTreeSet;

use velamen_checker::CLASS_ID;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, TOP};
use velamen_core::label::number;
use velamen_core::release::Release;
use velamen_recipe::JobError;

use super::extent::{Extent, Reader, domain};
use super::shown::{shown_of, values as released};
use crate::Manifest;
use crate::manifest::AttributeEntry;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    WholeNumber,
    Number,
    Date,
    NumberRange,
    DateRange,
    Text,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::WholeNumber => "whole number",
            Self::Number => "number",
            Self::Date => "date",
            Self::NumberRange => "number range",
            Self::DateRange => "date range",
            Self::Text => "text",
        }
    }
}

/// A column of the released file.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// `None` for the class id.
    pub(super) role: Option<Role>,
    pub(super) kind: Kind,
    /// What is shown of its values, in words.
    pub(super) shown: String,
    /// What the custodian says of it.
    pub(super) description: Option<String>,
    /// The unit of its values.
    pub(super) unit: Option<String>,
    /// Whether cells are empty.
    pub(super) missing: bool,
    /// The labels that stand for numbers or days, ascending; empty where each is itself.
    pub(super) extents: Vec<(String, Extent)>,
    /// The ends of the domain of numbers, without what is coded beyond them.
    pub(super) domain: Option<(f64, f64)>,
    /// Whether its records differ in it, besides those that show nothing.
    pub(super) differs: bool,
}

/// The columns in the order of the file.
pub(super) fn columns(manifest: &Manifest, release: &Release) -> Result<Vec<Column>, JobError> {
    let class = Column {
        name: CLASS_ID.into(),
        role: None,
        kind: Kind::WholeNumber,
        shown: "the number of the group of records that share all quasi-identifiers".into(),
        description: None,
        unit: None,
        missing: release.suppressed > 0,
        extents: Vec::new(),
        domain: None,
        differs: true,
    };
    let mut columns = vec![class];
    for (name, entry) in &manifest.attributes {
        columns.push(column(manifest, name, entry, release));
    }
    Ok(columns)
}

fn column(manifest: &Manifest, name: &str, entry: &AttributeEntry, release: &Release) -> Column {
    let values = values(name, release);
    let reader = if entry.role == Role::QuasiIdentifier { Reader::of(entry) } else { Reader::Text };
    let given = || values.iter().copied().filter(|value| *value != NULL);
    let mut extents: Vec<(String, Extent)> =
        given().filter_map(|label| Some((label.to_owned(), reader.extent(label)?))).collect();
    let covered = extents.len() == given().count();
    if !extents.iter().any(|(_, extent)| extent.is_range()) {
        extents.clear();
    }
    extents.sort_by(|(a, x), (b, y)| {
        key(x).partial_cmp(&key(y)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b))
    });
    let kind = match extents.first() {
        Some((_, Extent::Numbers(..))) if covered => Kind::NumberRange,
        Some((_, Extent::Days(..))) if covered => Kind::DateRange,
        // Codes are text, whatever they look like.
        _ if entry.role == Role::QuasiIdentifier && matches!(reader, Reader::Text) => Kind::Text,
        _ => kind(&given().collect::<Vec<_>>()),
    };
    Column {
        name: name.to_owned(),
        role: Some(entry.role),
        kind,
        shown: shown_of(manifest, (name, entry), &released(release, name)),
        description: entry.description.clone(),
        unit: entry.unit.clone(),
        missing: values.contains(NULL),
        differs: given().filter(|value| *value != TOP).count() > 1,
        extents,
        domain: entry.hierarchy.as_ref().and_then(domain),
    }
}

/// By where a label begins and ends; what has no number comes first.
fn key(extent: &Extent) -> (f64, f64, String, String) {
    match extent {
        Extent::Numbers(low, high) => {
            (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY), String::new(), String::new())
        }
        Extent::Days(first, last) => (0.0, 0.0, first.clone(), last.clone()),
    }
}

/// The values of a column that are in a released record.
fn values<'r>(name: &str, release: &'r Release) -> BTreeSet<&'r str> {
    if let Some(q) = release.qis.iter().position(|qi| qi.name == name) {
        let codes: BTreeSet<u32> = (0..release.sizes.len()).map(|class| release.class(class)[q]).collect();
        let star = (release.suppressed > 0).then_some(TOP);
        return codes.into_iter().map(|code| release.qis[q].label(code)).chain(star).collect();
    }
    let Some(c) = release.rest.columns.iter().position(|column| column.name == name) else {
        return BTreeSet::new();
    };
    let codes: BTreeSet<u32> =
        release.rows.iter().map(|row| release.rest.codes[c][row.rest as usize]).collect();
    codes.into_iter().map(|code| release.rest.columns[c].values[code as usize].as_str()).collect()
}

/// What all values are.
fn kind(values: &[&str]) -> Kind {
    let all = |is: fn(&str) -> bool| !values.is_empty() && values.iter().all(|value| is(value));
    match () {
        () if all(is_whole) => Kind::WholeNumber,
        () if all(is_number) => Kind::Number,
        () if all(is_day) => Kind::Date,
        () => Kind::Text,
    }
}

/// Codes such as 007 are text: as a number they lose their zeros.
fn is_whole(value: &str) -> bool {
    value.parse::<i64>().is_ok_and(|number| number.to_string() == value)
}

fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    plain && !padded && digits.starts_with(|first: char| first.is_ascii_digit()) && number(value).is_some()
}

fn is_day(value: &str) -> bool {
    let shape = value.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let part = |range: std::ops::Range<usize>| value.get(range).and_then(|text| text.parse::<u32>().ok());
    value.len() == 10
        && shape
        && part(5..7).is_some_and(|month| (1..=12).contains(&month))
        && part(8..10).is_some_and(|day| (1..=31).contains(&day))
}
