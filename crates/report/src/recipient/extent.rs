//! The numbers or days that a released label stands for.

use std::collections::BTreeMap;

use velamen_core::hierarchy::kind::{Dates, Days, Form};
use velamen_core::hierarchy::{Definition, TOP};
use velamen_core::label::{Open, Range, number, position};

use crate::manifest::AttributeEntry;

/// Least, greatest and middle number, or first and last day; `None` where an end is open and no domain bounds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    /// Numbers, both ends included.
    Numbers(Option<f64>, Option<f64>),
    /// Days as in ISO 8601, both included.
    Days(String, String),
}

impl Extent {
    /// Low, high and mid as cells. Days have no middle.
    #[must_use]
    pub fn cells(&self) -> [String; 3] {
        let shown = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        match self {
            Self::Numbers(low, high) => {
                let mid = low.zip(*high).map(|(low, high)| f64::midpoint(low, high));
                [shown(*low), shown(*high), shown(mid)]
            }
            Self::Days(first, last) => [first.clone(), last.clone(), String::new()],
        }
    }

    /// Whether it is more than one number or day.
    #[must_use]
    pub fn is_range(&self) -> bool {
        match self {
            Self::Numbers(low, high) => low.is_none() || low != high,
            Self::Days(first, last) => first != last,
        }
    }
}

/// Reads the labels of one attribute.
pub(super) enum Reader {
    /// Numbers, with the ends of the domain where they are known.
    Numbers {
        min: Option<f64>,
        max: Option<f64>,
    },
    /// A table whose leaves are numbers: the least and greatest of each label.
    Table(BTreeMap<String, (f64, f64)>),
    Days {
        rule: Days,
        min: String,
        max: String,
    },
    /// Labels stand for no numbers.
    Text,
}

/// The numbers that somebody computes with who has the release: the middles of labels, open ends closed as the README's code
/// does.
pub struct Middles {
    reader: Reader,
    /// What closes an open end: that of the domain.
    ends: Option<(f64, f64)>,
}

impl Middles {
    /// Those of an attribute with this hierarchy, and numbers coded as one value below and above.
    #[must_use]
    pub fn of(hierarchy: Option<&Definition>, coded: (Option<f64>, Option<f64>)) -> Self {
        let flat = Definition::default();
        let hierarchy = hierarchy.unwrap_or(&flat);
        Self { reader: Reader::new(Some(hierarchy), coded), ends: domain(hierarchy) }
    }

    /// The middle of a label; `None` where it stands for no numbers.
    #[must_use]
    pub fn of_label(&self, label: &str) -> Option<f64> {
        let Extent::Numbers(low, high) = self.reader.extent(label)? else { return None };
        let (low, high) = (low.or(self.ends.map(|ends| ends.0)), high.or(self.ends.map(|ends| ends.1)));
        Some(f64::midpoint(low.or(high)?, high.or(low)?))
    }
}

/// The ends that a hierarchy gives its numbers.
pub(super) fn domain(hierarchy: &Definition) -> Option<(f64, f64)> {
    match hierarchy {
        Definition::Interval { min, max, .. } | Definition::Cuts { min, max, .. } => Some((*min, *max)),
        _ => None,
    }
}

impl Reader {
    pub(super) fn of(entry: &AttributeEntry) -> Self {
        Self::new(entry.hierarchy.as_ref(), (entry.bottom, entry.top))
    }

    fn new(hierarchy: Option<&Definition>, (bottom, top): (Option<f64>, Option<f64>)) -> Self {
        match hierarchy {
            Some(Definition::Interval { min, max, .. } | Definition::Cuts { min, max, .. }) => {
                // Coded ends take in what lies beyond the domain.
                let (min, max) = (Some(*min), Some(*max));
                Self::Numbers { min: min.filter(|_| bottom.is_none()), max: max.filter(|_| top.is_none()) }
            }
            Some(Definition::Table { rows }) => of_table(rows).map_or(Self::Text, Self::Table),
            // Numbers if its labels are.
            Some(Definition::Flat { .. }) => Self::Numbers { min: None, max: None },
            Some(definition) => definition.form().and_then(of_days).unwrap_or(Self::Text),
            None => Self::Text,
        }
    }

    /// What a label stands for; `None` where that is no number and no day.
    pub(super) fn extent(&self, label: &str) -> Option<Extent> {
        match self {
            Self::Text => None,
            Self::Days { min, max, .. } if label == TOP => Some(Extent::Days(min.clone(), max.clone())),
            Self::Days { rule, .. } => rule.days_of(label).map(|(first, last)| Extent::Days(first, last)),
            Self::Table(labels) => match labels.get(label) {
                Some((low, high)) => Some(Extent::Numbers(finite(*low), finite(*high))),
                None => of_numbers(label, None, None),
            },
            Self::Numbers { min, max } => of_numbers(label, *min, *max),
        }
    }
}

fn of_days(dates: Dates) -> Option<Reader> {
    let rule = dates.structure().ok()?;
    Some(Reader::Days { rule, min: dates.min, max: dates.max })
}

fn finite(number: f64) -> Option<f64> {
    Some(number).filter(|number| number.is_finite())
}

fn of_numbers(label: &str, min: Option<f64>, max: Option<f64>) -> Option<Extent> {
    if label == TOP {
        return (min.is_some() || max.is_some()).then_some(Extent::Numbers(min, max));
    }
    let (low, high) = match number(label) {
        Some(number) => (number, number),
        None => Range::read(label)?.bounds()?,
    };
    Some(Extent::Numbers(finite(low).or(min), finite(high).or(max)))
}

/// Whether a label is a code of which the end is hidden, such as `11**`.
fn is_masked(label: &str) -> bool {
    let shown = label.trim_end_matches('*');
    !shown.is_empty() && shown.len() < label.len() && shown.bytes().all(|byte| byte.is_ascii_digit())
}

/// The least and greatest leaf under every label of a table; `None` unless every leaf but a missing one is a number. Codes are no
/// numbers, whatever they look like: nobody computes the mean of postal codes.
fn of_table(rows: &[Vec<String>]) -> Option<BTreeMap<String, (f64, f64)>> {
    if rows.iter().flatten().any(|label| is_masked(label)) {
        return None;
    }
    let mut labels: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.first().is_some_and(|leaf| !leaf.is_empty())) {
        let leaf = row.first()?;
        let at = position(leaf)?;
        let (low, high) = match Open::read(leaf) {
            Some((Open::Above, _)) => (at, f64::INFINITY),
            Some((Open::Below, _)) => (f64::NEG_INFINITY, at),
            None => (at, at),
        };
        for label in row {
            let known = labels.entry(label.clone()).or_insert((low, high));
            *known = (known.0.min(low), known.1.max(high));
        }
    }
    Some(labels)
}
