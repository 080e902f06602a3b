//! Person columns as they are cut in many dimensions at once.
//!
//! A column is cut by its hierarchy as one of a single table. In OMOP and FHIR, where a cell holds one code or one year, it is a
//! tree of its hierarchy's values. So it is where a preset asks for a least level, and where the hierarchy ends in several values.
//! The labels of a tree are marked, since its values are names even if they look like numbers. Births of the oldest are in no range:
//! a dimension of its own says who belongs to them.

use std::collections::BTreeMap;

use velamen_contract::linked::Shape;
use velamen_core::hierarchy::{Cuts, IntervalRule, NULL, Rule, TOP, TableRule};

use super::attribute::{Attribute, YEARS, year};
use crate::loaded::Coded;

/// What stands before each value of a tree.
const MARK: char = '=';

/// Who belongs to the oldest, and who does not.
pub(super) const OLD: [&str; 2] = ["=old", "=other"];

/// A column as it is cut: a text for each value of the original, and their hierarchy.
pub(super) struct Dimension {
    pub(super) texts: Vec<String>,
    pub(super) rule: Rule,
    is_tree: bool,
}

/// A value of the original from its level on, each as it is released.
type Climb = Vec<String>;

impl Dimension {
    /// A column that is no birth.
    pub(super) fn plain(attribute: &Attribute, coded: &Coded, rule: Option<&Rule>, shape: Shape) -> Self {
        let rule = rule.unwrap_or(&Rule::Flat);
        let texts: Vec<String> =
            coded.texts.iter().map(|text| rule.coded(text).unwrap_or_else(|| text.clone())).collect();
        if attribute.least == 0 && rule.height().is_some() && has_ranges(shape) {
            return Self { texts, rule: rule.clone(), is_tree: false };
        }
        Self::tree(texts.iter().map(|text| climb(rule, text, attribute.least)).collect())
    }

    /// Years of birth after `cut`: in ranges, or in the bands of the hierarchy that are wider than a year. Others count as missing.
    pub(super) fn years(coded: &Coded, rule: &Rule, cut: i32, shape: Shape) -> Self {
        let is_day = coded.texts.iter().any(|text| text.len() > 4);
        let text = |year: i32| if is_day { format!("{year}-01-01") } else { year.to_string() };
        let known: Vec<i32> = YEARS.filter(|&year| year > cut && rule.contains(&text(year))).collect();
        let born = |value: &String| year(value).filter(|year| known.contains(year));
        if has_ranges(shape) {
            let texts =
                coded.texts.iter().map(|value| born(value).map_or(NULL.into(), |year| year.to_string()));
            return Self { texts: texts.collect(), rule: of_years(rule, is_day, &known), is_tree: false };
        }
        let bands = |level: u8| bands(&known, &|year| rule.label_at(&text(year), level));
        let bands: Vec<BTreeMap<i32, String>> = (0..rule.top()).map(bands).collect();
        let wider =
            bands.into_iter().skip_while(|bands| bands.iter().all(|(year, band)| year.to_string() == *band));
        let wider: Vec<_> = wider.collect();
        let climb = |year: i32| wider.iter().map(|bands| bands[&year].clone()).chain([TOP.into()]).collect();
        Self::tree(coded.texts.iter().map(|value| born(value).map_or_else(Vec::new, climb)).collect())
    }

    /// Whether a birth is one of the oldest.
    pub(super) fn oldest(coded: &Coded, cut: i32) -> Self {
        let is_old = |text: &String| year(text).is_some_and(|year| year <= cut);
        let text = |text: &String| vec![OLD[usize::from(!is_old(text))][1..].to_owned(), TOP.into()];
        Self::tree(coded.texts.iter().map(text).collect())
    }

    /// From each value's way up; a missing value has none.
    fn tree(climbs: Vec<Climb>) -> Self {
        let marked = |label: &String| if label == TOP { TOP.to_owned() } else { format!("{MARK}{label}") };
        let rows: Vec<Climb> = climbs.iter().map(|climb| climb.iter().map(marked).collect()).collect();
        let texts = rows.iter().map(|row| row.first().cloned().unwrap_or_default()).collect();
        let mut named: BTreeMap<String, Climb> = BTreeMap::new();
        for mut row in rows.into_iter().filter(|row| row.first().is_some_and(|leaf| leaf != TOP)) {
            if row.last().is_none_or(|top| top != TOP) {
                row.push(TOP.to_owned());
            }
            named.insert(row[0].clone(), row);
        }
        let rule = TableRule::new(named.into_values().collect()).map_or(Rule::Flat, Rule::Table);
        Self { texts, rule, is_tree: true }
    }

    /// A label of its own as it is released; nothing for a missing value.
    pub(super) fn shown<'a>(&self, label: &'a str) -> &'a str {
        if self.is_tree { label.strip_prefix(MARK).unwrap_or(label) } else { label }
    }
}

/// A value from its least level on; a missing one has no way up.
fn climb(rule: &Rule, text: &str, least: u8) -> Climb {
    let levels = (least..=rule.top()).filter(|_| text != NULL);
    levels.map(|level| rule.label_at(text, level)).collect()
}

/// Whether a cell can hold a range or a set of values.
pub(super) fn has_ranges(shape: Shape) -> bool {
    matches!(shape, Shape::Tables | Shape::Synthea)
}

/// Years as numbers: by the intervals of the recipe, or by tens where it has days.
fn of_years(rule: &Rule, is_day: bool, known: &[i32]) -> Rule {
    if let (Rule::Interval(_), false) = (rule, is_day) {
        return rule.clone();
    }
    let ends = known.first().zip(known.last());
    let tens = ends.map(|(first, last)| {
        IntervalRule::new(Cuts::Sizes(vec![10]), i64::from(*first) / 10 * 10, i64::from(*last), 0)
    });
    tens.and_then(Result::ok).map_or(Rule::Flat, Rule::Interval)
}

/// The band of each year at a level, by its first and its last year.
fn bands(years: &[i32], label: &dyn Fn(i32) -> String) -> BTreeMap<i32, String> {
    let labels: Vec<String> = years.iter().map(|&year| label(year)).collect();
    let mut ends: BTreeMap<&str, (i32, i32)> = BTreeMap::new();
    for (&year, label) in years.iter().zip(&labels) {
        let (low, high) = ends.entry(label).or_insert((year, year));
        (*low, *high) = ((*low).min(year), (*high).max(year));
    }
    years.iter().zip(&labels).map(|(&year, label)| (year, band(ends[label.as_str()]))).collect()
}

/// A band's name.
fn band((low, high): (i32, i32)) -> String {
    if low == high { low.to_string() } else { format!("{low}-{high}") }
}
