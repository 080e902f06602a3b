//! One column: its type, its missing values, what it may identify.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::written::dates::DateFormat;
use velamen_core::written::missing::is_listed;
use velamen_core::written::number;
use velamen_measure::profile::finding::{Column, Finding};
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::missing::Marker;
use velamen_measure::profile::{Cells, finding, kind, missing};
use velamen_measure::risk::leak::Columns;
use velamen_measure::risk::quasi_identifiers::SetFigures;

use super::remarks;
use super::suggest::{self, Suggestion};

/// What is told of a column.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// Its type, markers of missing values aside.
    #[serde(flatten)]
    pub kind: Kind,
    /// The share of the values that fit the type.
    pub fits: f64,
    /// Distinct values, markers included.
    pub distinct: usize,
    /// Records without value.
    pub missing: u64,
    /// Cells that look like missing values without being empty.
    pub suspected_missing: Vec<Marker>,
    /// Distinct values over records; a missing value is one of them.
    pub distinction: f64,
    /// The share of pairs of records that it tells apart.
    pub separation: f64,
    /// Records that are alone with their value; people where the profile counts people.
    pub unique: u64,
    /// The leak, ΔS/S₀.
    pub leak: f64,
    /// Records that have the rarest value; people where the profile counts people.
    pub rarest: u64,
    /// Suspected direct identifiers, the surest first.
    pub findings: Vec<Finding>,
    /// What it could be in a recipe.
    pub suggestion: Suggestion,
    /// Values, if they may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// What should be known of it.
    #[serde(skip)]
    pub(crate) remark: Option<String>,
    /// Whether values have white space around them.
    #[serde(skip)]
    pub(crate) padded: bool,
    /// The suspected markers as the cells have them.
    #[serde(skip)]
    pub(crate) marker_texts: Vec<String>,
    /// Whether its cells are numbers with a decimal comma.
    #[serde(skip)]
    pub(crate) has_commas: bool,
    /// Whether it says that the records are from the United States.
    #[serde(skip)]
    pub(crate) is_american: bool,
    /// Values that could be markers elsewhere, and are none here.
    #[serde(skip)]
    pub(crate) plain_markers: Vec<String>,
}

/// Values of a column.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Values {
    /// The least: of numbers by size, of dates by day, else by code point.
    pub least: String,
    /// The greatest.
    pub greatest: String,
    /// The most frequent.
    pub most_frequent: String,
    /// Its records.
    pub records: u64,
}

impl ColumnProfile {
    /// Looks at a column's values, none of them empty, and `missing` records without.
    pub(super) fn of(name: &str, cells: Cells<'_>, missing: u64, show_values: bool) -> Self {
        let suspected_missing = missing::markers(cells);
        let is_marker = |value: &str| suspected_missing.iter().any(|marker| means(marker, value));
        let kept: Vec<(&str, u64)> = cells.0.iter().filter(|(value, _)| !is_marker(value)).copied().collect();
        let marker_texts = cells.values().filter(|value| is_marker(value)).map(str::to_owned).collect();
        let present = Cells(&kept);
        let (kind, fits) = kind::of(present);
        let findings = finding::findings(Column { name, kind: &kind, cells: present });
        let suggestion = suggest::suggestion(name, &kind, present, missing, &findings);
        let (figures, leak, rarest) = figures(cells, missing);
        let remark = remarks::remark(name, &kind, present);
        let records = cells.records() + missing;
        Self {
            name: name.to_owned(),
            fits,
            distinct: cells.distinct(),
            missing,
            suspected_missing,
            distinction: figures.distinction(records),
            separation: figures.separation(records),
            unique: figures.unique,
            leak,
            rarest,
            findings,
            suggestion,
            values: show_values.then(|| values(&kind, cells)).flatten(),
            marker_texts,
            remark,
            plain_markers: present.values().filter(|value| is_listed(value)).map(str::to_owned).collect(),
            has_commas: remarks::have_commas(present),
            is_american: suggest::is_american(name, present),
            kind,
            padded: cells.values().any(|value| value.trim_ascii().len() < value.len()),
        }
    }
}

/// Whether a value is a marker, numbers in any spelling.
fn means(marker: &Marker, value: &str) -> bool {
    let number = |text: &str| number::parse(text).map(|number| number.value);
    marker.marker == value || number(marker.marker).is_some_and(|of| number(value) == Some(of))
}

/// What the column tells apart by itself, a missing value being one of its values.
fn figures(cells: Cells<'_>, missing: u64) -> (SetFigures, f64, u64) {
    let counts: Vec<u64> =
        cells.0.iter().map(|(_, count)| *count).chain((missing > 0).then_some(missing)).collect();
    let codes = vec![(0..counts.len() as u32).collect::<Vec<u32>>()];
    let leak = Columns { codes: &codes, counts: &counts, weights: None }.of(&[0]).normalised;
    let rarest = counts.iter().copied().min().unwrap_or(0);
    (SetFigures::of(counts), leak, rarest)
}

fn values(kind: &Kind, cells: Cells<'_>) -> Option<Values> {
    let (most_frequent, records) = cells.0.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)))?;
    let (least, greatest) = ends(kind, cells)?;
    Some(Values {
        least: least.into(),
        greatest: greatest.into(),
        most_frequent: (*most_frequent).into(),
        records: *records,
    })
}

/// The least and the greatest value of a column's type; values of no type are in canonical order.
fn ends<'a>(kind: &Kind, cells: Cells<'a>) -> Option<(&'a str, &'a str)> {
    let Kind::Date { format, time, .. } = kind else {
        return cells.values().next().zip(cells.values().last());
    };
    let format = DateFormat::all().find(|known| known.pattern() == *format && known.time == *time)?;
    let days = || cells.values().filter_map(|value| Some((format.parse(value)?, value)));
    Some((days().min()?.1, days().max()?.1))
}
