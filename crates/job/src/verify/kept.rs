//! Whether a released value can be that of a record which meets the manifest's conditions.
//!
//! What cannot be decided counts as met: the label of a class that a hierarchy does not list, and missing or suppressed cells.

use std::collections::BTreeMap;

use velamen_core::frequency::{RestColumn, Role};
use velamen_core::hierarchy::{NULL, Rule, TOP};
use velamen_core::label::Range;
use velamen_core::recoding::Recoding;
use velamen_engine::{CellTest, Condition};
use velamen_recipe::kept::conditions;
use velamen_report::Manifest;
use velamen_report::manifest::AttributeEntry;

/// The most values of a domain that are looked at.
const MOST_VALUES: u64 = 1 << 16;

/// Whether a column shows a value that no kept record has.
pub(super) fn fails(manifest: &Manifest, entry: &AttributeEntry, column: &RestColumn) -> bool {
    // Sections that are no conditions are refused elsewhere.
    let mut conditions = conditions(&manifest.kept).unwrap_or_default();
    conditions.retain(|condition| condition.column == column.name);
    let is_changed = entry.pseudonym.is_some() || entry.date_shift.is_some();
    if conditions.is_empty() || is_changed {
        return false;
    }
    let asked = Asked::of(entry, &conditions);
    let shows = |value: &&String| !is_empty(manifest, entry, value);
    column.values.iter().filter(shows).any(|value| !asked.can_be_met_by(value))
}

/// Whether a cell says nothing: suppressed, or missing where suppressed records have no value either.
fn is_empty(manifest: &Manifest, entry: &AttributeEntry, value: &str) -> bool {
    let is_qi = entry.role == Role::QuasiIdentifier;
    let suppressed = is_qi || manifest.suppresses_records();
    suppressed && (value == TOP || value == NULL)
}

/// The conditions on a column, and what its labels stand for.
struct Asked<'a> {
    conditions: &'a [Condition],
    rule: Option<Rule>,
    /// By label the values of the domain that it covers, where the hierarchy lists them.
    covered: BTreeMap<String, Vec<String>>,
    is_qi: bool,
    /// Whether a value is an average.
    aggregates: bool,
}

impl<'a> Asked<'a> {
    fn of(entry: &AttributeEntry, conditions: &'a [Condition]) -> Self {
        // A hierarchy that does not read is the checker's to refuse.
        let rule = entry.hierarchy.as_ref().and_then(|hierarchy| Rule::try_from(hierarchy).ok());
        let is_qi = entry.role == Role::QuasiIdentifier;
        let covered = rule.as_ref().filter(|_| is_qi).map(covered).unwrap_or_default();
        let aggregates = entry.recoding == Some(Recoding::Aggregates);
        Self { conditions, rule, covered, is_qi, aggregates }
    }

    fn can_be_met_by(&self, label: &str) -> bool {
        let mut tests = self.conditions.iter().map(|condition| &condition.test);
        match self.covered.get(label) {
            None if self.is_qi => tests.all(|test| self.overlaps(label, test)),
            None => tests.all(|test| self.meets(label, test)),
            Some(leaves) => leaves.iter().any(|leaf| tests.clone().all(|test| test.meets(Some(leaf)))),
        }
    }

    /// Whether a value that is released as recorded meets it. Codes and dates are released in one spelling, and listed in any.
    fn meets(&self, value: &str, test: &CellTest) -> bool {
        let text = Some(value).filter(|value| *value != NULL);
        match (&self.rule, test) {
            (Some(rule @ Rule::Standard(_)), CellTest::Among(values)) => {
                test.meets(text) || values.iter().any(|one| rule.coded(one).as_deref() == Some(value))
            }
            (Some(Rule::Standard(_)), CellTest::Not(_)) => true,
            _ => test.meets(text),
        }
    }

    /// Whether a label that no hierarchy lists can cover a value that meets it.
    fn overlaps(&self, label: &str, test: &CellTest) -> bool {
        match (Range::read(label), test) {
            (Some(range), CellTest::Between(least, greatest)) => {
                range.bounds().is_none_or(|(low, high)| low <= *greatest && high >= *least)
            }
            (Some(_), _) => true,
            (None, CellTest::Between(least, greatest)) if self.aggregates => {
                label.parse::<f64>().map_or(true, |mean| *least <= mean && mean <= *greatest)
            }
            (None, _) if self.aggregates => true,
            (None, _) if matches!(self.rule, Some(Rule::Flat | Rule::Interval(_) | Rule::Coded(_))) => {
                test.meets(Some(label))
            }
            // A label of a mask or of a code's chapter is no value of the column.
            (None, _) => true,
        }
    }
}

/// Labels at all levels with the values that they cover.
fn covered(rule: &Rule) -> BTreeMap<String, Vec<String>> {
    let mut covered: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Rule::Table(_) = rule else { return covered };
    for leaf in rule.whole_domain(MOST_VALUES).unwrap_or_default() {
        for level in 0..=rule.top() {
            covered.entry(rule.label_at(&leaf, level)).or_default().push(leaf.clone());
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use velamen_contract::manifest::WhereSection;

    use super::*;

    /// Whether a label can be that of a kept record.
    fn can(entry: Value, section: Value, label: &str) -> bool {
        let entry: AttributeEntry = serde_json::from_value(entry).unwrap();
        let mut section: WhereSection = serde_json::from_value(section).unwrap();
        section.column = "a".into();
        Asked::of(&entry, &conditions(&[section]).unwrap()).can_be_met_by(label)
    }

    #[test]
    fn a_range_is_seen_to_lie_outside_of_a_condition() {
        let adults = || json!({ "column": "", "min": 18.0, "max": 64.0 });
        let ages =
            || json!({ "role": "quasi-identifier", "hierarchy": { "interval": [10], "min": 0, "max": 99 } });
        for (label, met) in
            [("[10-19]", true), ("[60-69]", true), ("[0-9]", false), ("[70-79]", false), ("17", false)]
        {
            assert_eq!(can(ages(), adults(), label), met, "{label}");
        }
        assert!(!can(ages(), adults(), ">=90") && can(ages(), adults(), ">=60"));
        let mean = json!({ "role": "quasi-identifier", "recoding": "aggregates" });
        assert!(can(mean.clone(), adults(), "40.5") && !can(mean, adults(), "70.5"));
    }

    #[test]
    fn a_group_is_met_by_any_of_its_values() {
        let rows = json!({ "rows": [["A", "west", "*"], ["B", "west", "*"], ["C", "east", "*"]] });
        let towns = || json!({ "role": "quasi-identifier", "hierarchy": rows });
        let section = || json!({ "column": "", "among": ["B"] });
        let met = |label| can(towns(), section(), label);
        assert!(met("west") && met("B") && !met("east") && !met("A"));
        assert!(can(towns(), json!({ "column": "", "not": ["A", "B"] }), "east"));
        assert!(!can(towns(), json!({ "column": "", "not": ["A", "B"] }), "west"));
    }

    #[test]
    fn a_recorded_value_meets_its_condition_in_any_spelling_of_a_code() {
        let plain = || json!({ "role": "sensitive" });
        assert!(can(plain(), json!({ "column": "", "among": ["x"] }), "x"));
        assert!(!can(plain(), json!({ "column": "", "among": ["x"] }), "y"));
        assert!(!can(plain(), json!({ "column": "", "min": 1.0 }), "unknown"));
        assert!(!can(plain(), json!({ "column": "", "not": [""] }), ""));
    }
}
