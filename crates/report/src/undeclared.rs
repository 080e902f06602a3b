//! Sensitive attributes on the public page: their cells stand in the data and the catalog alone.
//!
//! A value that the recipe declared is public knowledge and is shown: a row of a hierarchy or a domain, a code of a
//! standard. Of the others the page shows what an analysis needs without a cell: numbers as ranges on a grid, other values by
//! how frequent they are.

use std::collections::BTreeSet;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, Rule};
use velamen_core::label::number;

use super::Distribution;
use super::distribution::step;
use super::shares::{HIDDEN, MISSING};
use crate::language::text;
use crate::manifest::AttributeEntry;
use crate::number::grouped_text;

/// What the page says where values were replaced.
pub(super) const NOTE: &str = crate::language::mark(
    "Sensitive values stand in the data alone, unless the recipe declares them. Numbers are shown \
                               in ranges here; other values are numbered, the most frequent first.",
);

/// Other values than numbers are shown one by one up to so many.
const MOST_NUMBERED: usize = 9;

/// Fewer different numbers are shown as other values are: they may be codes.
const FEWEST_NUMBERS: usize = 13;

/// Ranges of numbers that are aimed at.
const RANGES: f64 = 12.0;

/// How many different numbers a range has room for, at least.
const ROOM: f64 = 5.0;

/// The values that a recipe declared of an attribute.
enum Declared {
    Listed(BTreeSet<String>),
    Standard(Box<Rule>),
    None,
}

impl Declared {
    fn of(definition: Option<&Definition>) -> Self {
        match definition {
            Some(Definition::Table { rows }) => {
                Self::Listed(rows.iter().filter_map(|row| row.first().cloned()).collect())
            }
            Some(standard @ Definition::Kind(of)) if of.facts().listed => {
                Rule::try_from(standard).map_or(Self::None, |rule| Self::Standard(Box::new(rule)))
            }
            // The ends of a domain, the length of a code and the form of a date declare no value.
            _ => Self::None,
        }
    }

    fn has(&self, label: &str) -> bool {
        match self {
            Self::Listed(values) => values.contains(label),
            Self::Standard(rule) => rule.contains(label),
            Self::None => false,
        }
    }
}

/// One value, or several as one: its label, share before, share after.
type Row = (String, f64, f64);

/// The distribution without sensitive values that the recipe did not declare, and whether there were any. `entry` is the
/// attribute's in the manifest.
pub(super) fn public(entry: Option<&AttributeEntry>, of: Distribution) -> (Distribution, bool) {
    let Some(entry) = entry.filter(|entry| entry.role != Role::QuasiIdentifier) else { return (of, false) };
    let declared = Declared::of(entry.hierarchy.as_ref());
    let share = |shares: &[f64], place: usize| shares.get(place).copied().unwrap_or(0.0);
    let rows = (0..).zip(&of.labels);
    let rows = rows.map(|(at, label)| (label.clone(), share(&of.before, at), share(&of.after, at)));
    let (mut shown, hidden): (Vec<Row>, Vec<Row>) =
        rows.partition(|(label, ..)| [MISSING, HIDDEN].contains(&&**label) || declared.has(label));
    if hidden.is_empty() {
        return (of, false);
    }
    let mut all = ranges(&hidden).unwrap_or_else(|| numbered(hidden));
    all.append(&mut shown);
    let told = !of.before_name.is_empty();
    let distribution = Distribution {
        labels: all.iter().map(|row| row.0.clone()).collect(),
        before: if told { all.iter().map(|row| row.1).collect() } else { Vec::new() },
        after: all.iter().map(|row| row.2).collect(),
        ..of
    };
    (distribution, true)
}

/// Numbers in ranges whose ends are multiples of 1, 2 or 5 times a power of ten, none of one number alone; `None` if a
/// value is no number, or they are few.
fn ranges(rows: &[Row]) -> Option<Vec<Row>> {
    let numbers: Vec<f64> = rows.iter().map(|row| number(&row.0)).collect::<Option<_>>()?;
    let (least, most) =
        (numbers.iter().copied().reduce(f64::min)?, numbers.iter().copied().reduce(f64::max)?);
    if rows.len() < FEWEST_NUMBERS {
        return None;
    }
    let decimals = rows.iter().map(|row| row.0.split_once('.').map_or(0, |(_, part)| part.len())).max()?;
    let unit = 10f64.powi(-i32::try_from(decimals).ok()?);
    let step = step(((most - least) / RANGES).max(ROOM * unit));
    let (first, last) = ((least / step).floor(), (most / step).floor());
    if !(step.is_finite() && last - first <= 3.0 * RANGES) {
        return None;
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let end = |at: f64| grouped_text(&format!("{:.digits$}", at * step));
    let label = |at: f64| text!("{} to below {}", end(at), end(at + 1.0));
    let mut bins: Vec<Row> =
        (0..=(last - first) as usize).map(|at| (label(first + at as f64), 0.0, 0.0)).collect();
    for (number, row) in numbers.iter().zip(rows) {
        let bin = &mut bins[((number / step).floor() - first) as usize];
        (bin.1, bin.2) = (bin.1 + row.1, bin.2 + row.2);
    }
    bins.retain(|(_, before, after)| *before > 0.0 || *after > 0.0);
    Some(bins)
}

/// Values by how frequent they are, without themselves.
fn numbered(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by(|a, b| b.2.total_cmp(&a.2).then(b.1.total_cmp(&a.1)));
    let others = rows.split_off(rows.len().min(MOST_NUMBERED));
    for (number, row) in (1..).zip(&mut rows) {
        row.0 = text!("value {}", number);
    }
    if !others.is_empty() {
        let sum = |share: fn(&Row) -> f64| others.iter().map(share).sum();
        rows.push((text!("all others ({})", others.len()), sum(|row| row.1), sum(|row| row.2)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(labels: &[&str], entry: Value) -> Vec<String> {
        let entry = serde_json::from_value(entry).unwrap();
        let after = vec![1.0 / labels.len() as f64; labels.len()];
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        let of = Distribution { attribute: "code".into(), labels, after, ..Distribution::default() };
        public(Some(&entry), of).0.labels
    }

    #[test]
    fn sensitive_values_are_shown_if_they_were_declared() {
        let rows = json!({ "role": "sensitive", "hierarchy": { "rows": [["I63", "*"], ["J18", "*"]] } });
        assert_eq!(shown(&["I63", "J18", MISSING], rows.clone()), ["I63", "J18", MISSING]);
        assert_eq!(shown(&["I63", "Z99", MISSING], rows), ["value 1", "I63", MISSING]);
        let standard = json!({ "role": "sensitive", "hierarchy": { "icd-10": "who" } });
        assert_eq!(shown(&["I63", "own words"], standard), ["value 1", "I63"]);
        let insensitive = json!({ "role": "insensitive" });
        assert_eq!(shown(&["b", "a"], insensitive), ["value 1", "value 2"]);
        let qi = json!({ "role": "quasi-identifier", "level": 0 });
        assert_eq!(shown(&["b", "a"], qi), ["b", "a"]);
    }

    /// So many numbers from one on, so far apart.
    fn of_numbers(count: u32, from: f64, apart: f64, entry: Value) -> Vec<String> {
        let labels: Vec<String> = (0..count).map(|n| format!("{}", from + f64::from(n) * apart)).collect();
        shown(&labels.iter().map(String::as_str).collect::<Vec<_>>(), entry)
    }

    #[test]
    fn numbers_are_ranges_on_a_grid_and_never_one_number() {
        let plain = || json!({ "role": "sensitive" });
        assert_eq!(of_numbers(14, 1.0, 1.0, plain()), ["0 to below 5", "5 to below 10", "10 to below 15"]);
        let costs = of_numbers(20, 4102.25, 9000.5, plain());
        assert_eq!((costs.len(), &*costs[0]), (9, "0 to below 20,000"));
        // A range declares nothing.
        let domain = json!({ "role": "sensitive", "hierarchy": { "interval": [5], "min": 0, "max": 99 } });
        assert_eq!(of_numbers(13, 37.0, 5.0, domain)[0], "35 to below 40");
        assert_eq!(of_numbers(13, 0.5, 0.25, plain())[0], "0.5 to below 1.0");
        // Few numbers may be codes, and one word makes all of them words.
        assert_eq!(of_numbers(2, 0.0, 1.0, plain()), ["value 1", "value 2"]);
        assert_eq!(shown(&["12", "x"], plain()), ["value 1", "value 2"]);
    }

    #[test]
    fn many_values_are_the_first_and_the_others() {
        let labels: Vec<String> = (0..30).map(|n| format!("Marker {n}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let all = shown(&labels, json!({ "role": "sensitive" }));
        assert_eq!((all.len(), &*all[0], &*all[9]), (10, "value 1", "all others (21)"));
    }
}
