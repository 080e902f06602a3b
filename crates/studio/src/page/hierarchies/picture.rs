//! The live picture: the levels of a hierarchy over the column's values, and the column's distribution at each.

use std::collections::BTreeMap;
use std::path::Path;

use maud::{Markup, html};
use velamen_core::hierarchy::{CodedRule, Definition, HierarchyError, IntervalRule, Rule};
use velamen_recipe::hierarchy::{USUAL_LEAST, settle};
use velamen_recipe::{AttributeSection, HierarchySection, JobError, Made};
use velamen_report::language::{say, t, text};

use crate::column::Column;
use crate::page::{count, fixed, percent};

/// The most bars of one level.
const MOST_BARS: usize = 12;

/// The least share of the width that a part is drawn with.
const LEAST: f64 = 0.0015;

/// The height of a level, in pixels.
const HEIGHT: usize = 28;

/// The most levels that are drawn.
const MOST_LEVELS: usize = 16;

/// A hierarchy over a column.
pub(super) struct Picture {
    levels: Vec<Level>,
    /// Records with a value, all of the hierarchy's domain.
    records: u64,
    /// Values that the hierarchy has no place for.
    pub(super) outside: Vec<String>,
    outside_records: u64,
    missing: u64,
    /// Whether labels may be shown at each level: those that recipe or file list, and what says no value.
    labels: Labels,
}

/// Which labels are shown before the person asks for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Labels {
    All,
    /// Intervals and spans, which are no cells.
    AboveValues,
    None,
}

struct Level {
    parts: Vec<Part>,
    /// The mean degree of generalization of the records.
    loss: f64,
}

/// A label's share of the records, in the order of the tree.
struct Part {
    label: String,
    records: u64,
    values: usize,
}

/// The definition that a section stands for, over a column.
pub(super) fn definition(
    section: &HierarchySection,
    path: &Path,
    column: &Column,
) -> Result<(Definition, Option<f64>), JobError> {
    let wrong = |error: &dyn std::fmt::Display| JobError::usage(error.to_string());
    if let HierarchySection::Made(Made::Bins(bins)) = section {
        let unit = 10f64.powi(bins.decimals.min(9) as i32);
        let mut units: BTreeMap<i64, u64> = BTreeMap::new();
        for (value, records) in &column.values {
            let read: Option<f64> = value.parse().ok().filter(|value: &f64| value.is_finite());
            let read = read.ok_or_else(|| JobError::usage("bins need a column of numbers"))?;
            *units.entry((read * unit).round() as i64).or_default() += records;
        }
        let units: Vec<(i64, u64)> = units.into_iter().collect();
        let definition = bins.definition(&units, USUAL_LEAST).map_err(|error| wrong(&error))?;
        return Ok((definition, None));
    }
    let settled = settle(path, section, None, &JobError::usage)?;
    let definition = settled.definition.unwrap_or_default();
    Ok((definition, settled.top))
}

/// The rule of a section for an attribute, coded where the recipe says so.
pub(super) fn rule(
    section: Option<&HierarchySection>,
    attribute: &AttributeSection,
    path: &Path,
    column: &Column,
) -> Result<Rule, JobError> {
    let wrong = |error: HierarchyError| JobError::usage(error.to_string());
    let (rule, own_top) = match section {
        None => (Rule::Flat, None),
        Some(section) => {
            let (definition, top) = definition(section, path, column)?;
            (Rule::try_from(&definition).map_err(wrong)?, top)
        }
    };
    let (bottom, top) = (attribute.bottom, own_top.or(attribute.top));
    let inner: Option<IntervalRule> = match rule {
        rule if bottom.is_none() && top.is_none() => return Ok(rule),
        Rule::Interval(rule) => Some(rule),
        Rule::Flat => None,
        rule => return Ok(rule),
    };
    CodedRule::new(inner, bottom, top).map(Rule::Coded).map_err(wrong)
}

/// Which labels of a rule are shown before the person asks for values.
pub(super) fn labels_of(rule: &Rule, values_asked: bool) -> Labels {
    match rule {
        _ if values_asked => Labels::All,
        // Its labels stand in the recipe or its file.
        Rule::Table(_) => Labels::All,
        Rule::Interval(_) | Rule::Coded(_) => Labels::AboveValues,
        _ => Labels::None,
    }
}

impl Picture {
    pub(super) fn new(rule: &Rule, column: &Column, labels: Labels) -> Self {
        let mut inside: BTreeMap<String, u64> = BTreeMap::new();
        let (mut outside, mut outside_records) = (Vec::new(), 0);
        for (value, records) in &column.values {
            match rule.contains(value) {
                true => {
                    *inside.entry(rule.coded(value).unwrap_or_else(|| value.clone())).or_default() += records
                }
                false => {
                    outside.push(value.clone());
                    outside_records += records;
                }
            }
        }
        let (leaves, hierarchy) = rule.over(inside.keys().cloned().collect(), false);
        let top = hierarchy.top();
        let path =
            |leaf: u32| -> Vec<u32> { (0..=top).rev().map(|level| hierarchy.code(level, leaf)).collect() };
        let mut order: Vec<u32> = (0..leaves.len() as u32).collect();
        order.sort_by_cached_key(|&leaf| path(leaf));
        let records = inside.values().sum();
        let level = |level: u8| {
            let mut parts: Vec<(u32, Part)> = Vec::new();
            let mut lost = 0.0;
            for &leaf in &order {
                let (code, own) = (hierarchy.code(level, leaf), inside[&leaves[leaf as usize]]);
                lost += own as f64 * hierarchy.degree(level, code);
                match parts.last_mut().filter(|(last, _)| *last == code) {
                    Some((_, part)) => {
                        part.records += own;
                        part.values += 1;
                    }
                    None => {
                        let label = hierarchy.label(level, code).to_owned();
                        parts.push((code, Part { label, records: own, values: 1 }));
                    }
                }
            }
            let parts = parts.into_iter().map(|(_, part)| part).collect();
            Level { parts, loss: lost / (records as f64).max(1.0) }
        };
        let levels = (0..=top).map(level).collect();
        Self { levels, records, outside, outside_records, missing: column.missing, labels }
    }

    fn shows(&self, level: usize) -> bool {
        match self.labels {
            Labels::All => true,
            Labels::AboveValues => level > 0,
            Labels::None => level + 1 == self.levels.len(),
        }
    }

    pub(super) fn view(&self, name: &str) -> Markup {
        html! {
            @if !self.outside.is_empty() {
                p.care {
                    (say!(
                        "{} ({} records) have no place in this hierarchy: the run would stop at the first of them.",
                        html! { strong { (say!("{} of the column's values", count(self.outside.len() as u64))) } },
                        count(self.outside_records)
                    ))
                }
            }
            @if self.records > 0 {
                figure.levels {
                    (self.tree(name))
                    figcaption.note {
                        (say!("One row a level, {} on top; a part is as wide as its share of the {} records.", html! { code { "*" } }, count(self.records)))
                        @if self.has_narrow_parts() { " " (t("Parts too narrow to draw are grey.")) }
                        @if self.missing > 0 { " " (say!("Another {} have no value.", count(self.missing))) }
                    }
                }
                h3 { (t("The column at each level")) }
                div.distributions tabindex="0" role="region" aria-label=(say!("Distribution of {} at each level", name)) {
                    @for (number, level) in self.levels.iter().enumerate().take(MOST_LEVELS) { (self.distribution(number, level)) }
                }
            }
        }
    }

    fn has_narrow_parts(&self) -> bool {
        let is_narrow = |part: &Part| (part.records as f64) < LEAST * self.records as f64;
        self.levels.iter().any(|level| level.parts.iter().any(is_narrow))
    }

    /// The levels above each other, parts above their parts.
    fn tree(&self, name: &str) -> Markup {
        let drawn = self.levels.len().min(MOST_LEVELS);
        let height = drawn * HEIGHT;
        let says: Vec<String> = self.levels.iter().rev().map(|level| level.parts.len().to_string()).collect();
        let label = text!("Levels of {} from the top, in parts: {}", name, says.join(", "));
        html! {
            div.tree-rows {
                ol aria-hidden="true" { @for number in (0..self.levels.len()).rev().take(drawn) { li { (say!("level {}", number)) } } }
                svg.tree width="100%" height=(height) role="img" aria-label=(label) {
                    @for (number, level) in self.levels.iter().enumerate().rev().take(drawn) {
                        (self.bar(level, self.levels.len() - 1 - number, self.shows(number)))
                    }
                }
            }
        }
    }

    fn bar(&self, level: &Level, row: usize, labelled: bool) -> Markup {
        let (top, mut before) = (row * HEIGHT, 0);
        let share = |records: u64| records as f64 / self.records.max(1) as f64;
        let places: Vec<(f64, &Part)> = (level.parts.iter())
            .map(|part| {
                let place = share(before);
                before += part.records;
                (place, part)
            })
            .filter(|(_, part)| share(part.records) >= LEAST)
            .collect();
        html! {
            rect.rest x="0" y=(top) width="100%" height=(HEIGHT - 2) {}
            @for (number, (place, part)) in places.iter().enumerate() {
                @let width = share(part.records);
                svg x=(length(*place)) y=(top) width=(length(width)) height=(HEIGHT - 2) {
                    rect.part.other[number % 2 == 1] width="100%" height="100%" {}
                    @let letters = part.label.chars().count() as f64;
                    @if labelled && width * 560.0 > 8.0 * letters {
                        // On a narrow page fewer labels fit.
                        text.tight[width * 260.0 <= 8.0 * letters] x="50%" y="18" text-anchor="middle" { (part.label) }
                    }
                }
            }
        }
    }

    fn distribution(&self, number: usize, level: &Level) -> Markup {
        let most = level.parts.iter().map(|part| part.records).max().unwrap_or(1).max(1);
        let least = level.parts.iter().map(|part| part.records).min().unwrap_or(0);
        let mut shown: Vec<&Part> = level.parts.iter().collect();
        let others = shown.len().saturating_sub(MOST_BARS);
        if others > 0 {
            shown.sort_by_key(|part| std::cmp::Reverse(part.records));
            shown.truncate(MOST_BARS);
        }
        html! {
            table.distribution {
                caption {
                    strong { (say!("Level {}", number)) } ": "
                    @if level.parts.len() == 1 { (t("1 value")) } @else { (say!("{} values", count(level.parts.len() as u64))) }
                    br;
                    span.note { (say!("rarest value: {} · loss {}", records(least), fixed(level.loss, 3))) }
                }
                tbody {
                    @for (place, part) in shown.iter().enumerate() {
                        tr {
                            th scope="row" {
                                @if self.shows(number) { (part.label) } @else { span.note { (say!("value {}", place + 1)) } }
                                @if part.values > 1 { span.note { " (" (say!("{} values", count(part.values as u64))) ")" } }
                            }
                            td {
                                svg.bar width="100%" height="10" aria-hidden="true" {
                                    rect.part width=(length(part.records as f64 / most as f64)) height="100%" {}
                                }
                            }
                            td.number { (percent(part.records as f64 / self.records.max(1) as f64)) }
                        }
                    }
                    @if others > 0 { tr { td.note colspan="3" { (say!("and {} more", count(others as u64))) } } }
                }
            }
        }
    }
}

/// So many records, in words.
fn records(number: u64) -> String {
    if number == 1 { t("1 record").to_owned() } else { text!("{} records", count(number)) }
}

/// A share as SVG takes lengths.
fn length(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[(&str, u64)]) -> Column {
        Column {
            values: values.iter().map(|(value, records)| ((*value).to_owned(), *records)).collect(),
            missing: 0,
        }
    }

    fn section(json: &str) -> HierarchySection {
        serde_json::from_str(json).unwrap()
    }

    fn picture(json: &str, column: &Column) -> Picture {
        let attribute = AttributeSection::of(velamen_core::frequency::Role::QuasiIdentifier);
        let rule = rule(Some(&section(json)), &attribute, Path::new("recipe.toml"), column).unwrap();
        Picture::new(&rule, column, labels_of(&rule, false))
    }

    fn parts(picture: &Picture, level: usize) -> Vec<(&str, u64, usize)> {
        let parts = picture.levels[level].parts.iter();
        parts.map(|part| (part.label.as_str(), part.records, part.values)).collect()
    }

    #[test]
    fn levels_are_counted_over_the_column() {
        let ages = column(&[("3", 1), ("9", 2), ("17", 4), ("30", 8)]);
        let picture = picture(r#"{"interval":[10,20],"min":0,"max":39}"#, &ages);
        assert_eq!(picture.levels.len(), 4);
        let sums =
            |level: usize| parts(&picture, level).iter().map(|part| (part.1, part.2)).collect::<Vec<_>>();
        assert_eq!(sums(1), [(3, 2), (4, 1), (8, 1)]);
        assert_eq!(sums(2), [(7, 3), (8, 1)]);
        assert_eq!(sums(3), [(15, 4)]);
        assert_eq!((picture.levels[0].loss, picture.levels[3].loss), (0.0, 1.0));
    }

    #[test]
    fn parts_of_a_part_stand_together() {
        let letters = column(&[("a", 1), ("b", 1), ("c", 1)]);
        let picture = picture(r#"{"rows":[["a","x","*"],["b","y","*"],["c","x","*"]]}"#, &letters);
        assert_eq!(parts(&picture, 0), [("a", 1, 1), ("c", 1, 1), ("b", 1, 1)]);
        assert_eq!(parts(&picture, 1), [("x", 2, 2), ("y", 1, 1)]);
    }

    #[test]
    fn values_without_a_place_are_counted() {
        let letters = column(&[("a", 5), ("z", 7)]);
        let picture = picture(r#"{"rows":[["a","*"]]}"#, &letters);
        assert_eq!(
            (picture.outside.as_slice(), picture.outside_records, picture.records),
            (&["z".to_owned()][..], 7, 5)
        );
    }

    #[test]
    fn bins_are_read_off_the_column() {
        let picture = picture(r#"{"equal-frequency":[2]}"#, &column(&[("1", 5), ("2", 5), ("8", 10)]));
        assert_eq!(parts(&picture, 1).iter().map(|part| part.1).collect::<Vec<_>>(), [10, 10]);
    }

    /// Until the person asks, no value of a cell is on the page.
    #[test]
    fn values_are_shown_once_asked_for() {
        let codes = column(&[("4711", 5), ("4799", 7)]);
        let hidden = picture(r#"{"mask":"right","length":4}"#, &codes).view("zip").into_string();
        assert!(!hidden.contains("47"), "{hidden}");
        let numbers =
            picture(r#"{"interval":[100],"min":4700,"max":4799}"#, &codes).view("zip").into_string();
        assert!(!numbers.contains("4711"), "{numbers}");
    }
}
