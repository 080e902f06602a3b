//! What the original records show of a release's sensitive columns: whose value is certain, and what the suppressed had. For
//! the custodian only.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use velamen_core::frequency::Counted;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::release::{Release, SUPPRESSED};
use velamen_report::Manifest;
use velamen_report::certain::{Certain, Group, kinds};
use velamen_report::language::{t, text};
use velamen_report::number::count;

/// The most values that the page lists of the suppressed records; the record has all.
const SHOWN: usize = 24;

/// What is known of one sensitive column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OfColumn {
    name: String,
    /// People in groups whose original records tell their value.
    certain: Certain,
    /// The suppressed records by value.
    suppressed: BTreeMap<String, u64>,
    /// What is counted: people, or records.
    counted: &'static str,
}

/// What is known of each sensitive column. Counterfeits are taken out: released class, value, how many. `people` are those of
/// each class, suppressed ones last, where the table says whose the records are.
///
/// Complexity: O(rows + cells) a column.
pub(super) fn of_columns(
    table: &Counted<'_>,
    release: &Release,
    manifest: &Manifest,
    counterfeits: &[(usize, &str, u64)],
    people: Option<&[BTreeSet<u32>]>,
) -> Vec<OfColumn> {
    let first = table.rest.sensitive().next();
    let mut columns: Vec<usize> = table.rest.sensitive().collect();
    // Of another column than the catalog's nobody says what counterfeits have.
    columns.retain(|column| counterfeits.is_empty() || Some(*column) == first);
    let one = |column: usize| {
        let name = &table.rest.columns[column].name;
        let place = release.rest.columns.iter().position(|of| of.name == *name)?;
        let (values, groups) = groups(release, place, counterfeits);
        let definition = manifest.attributes.get(name).and_then(|entry| entry.hierarchy.as_ref());
        let rule = definition.and_then(|definition| Rule::try_from(definition).ok());
        Some(OfColumn {
            name: name.clone(),
            certain: Certain::of(&kinds(values, rule.as_ref(), &groups), |of| counted(of, &groups, people)),
            suppressed: suppressed(table, column, (values, &groups)),
            counted: if people.is_some() { "people" } else { "records" },
        })
    };
    columns.into_iter().filter_map(one).collect()
}

/// The people of some groups, each once, or their records.
fn counted(of: &[usize], groups: &[Group], people: Option<&[BTreeSet<u32>]>) -> u64 {
    match people {
        Some(people) => {
            let all: BTreeSet<u32> = of.iter().flat_map(|&group| people[group].iter().copied()).collect();
            all.len() as u64
        }
        None => of.iter().flat_map(|&group| groups[group].values()).sum(),
    }
}

/// The original records of each released class by the codes of a column's released values.
fn groups<'a>(
    release: &'a Release,
    column: usize,
    counterfeits: &[(usize, &str, u64)],
) -> (&'a [String], Vec<Group>) {
    let values = &release.rest.columns[column].values;
    let mut groups = vec![Group::new(); release.sizes.len()];
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        let code = release.rest.codes[column][row.rest as usize];
        *groups[row.class as usize].entry(code).or_default() += row.count;
    }
    let codes: BTreeMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
    for (class, value, number) in counterfeits {
        if let Some(records) = codes.get(value).and_then(|code| groups[*class].get_mut(code)) {
            *records = records.saturating_sub(*number);
        }
    }
    groups.iter_mut().for_each(|group| group.retain(|_, records| *records > 0));
    (values, groups)
}

/// The records of the table that are in no group, by value.
fn suppressed(
    table: &Counted<'_>,
    column: usize,
    (values, groups): (&[String], &[Group]),
) -> BTreeMap<String, u64> {
    let of_table = &table.rest.columns[column].values;
    let mut left: BTreeMap<&str, u64> =
        of_table.iter().map(String::as_str).zip(table.rest_marginal(column).iter().copied()).collect();
    for (&code, &records) in groups.iter().flatten() {
        if let Some(left) = left.get_mut(values[code as usize].as_str()) {
            *left = left.saturating_sub(records);
        }
    }
    let left = left.into_iter().filter(|(_, records)| *records > 0);
    left.map(|(value, records)| (value.to_owned(), records)).collect()
}

impl OfColumn {
    /// Its part of the custodian's record.
    pub(super) fn recorded(&self) -> (String, Value) {
        let Certain { value, parent, near } = self.certain;
        let certain = json!({ "one-value": value, "one-parent": parent, "near-numbers": near, "counted": self.counted });
        (self.name.clone(), json!({ "certain": certain, "suppressed": self.suppressed }))
    }

    /// The same for the page.
    pub(super) fn told(&self) -> Vec<String> {
        let Certain { value, parent, near } = self.certain;
        let kinds = [
            (value, t("has one value")),
            (parent, t("has values with one parent in the hierarchy")),
            (near, t("has numbers within 5 % of the range")),
        ];
        let mut some = kinds.into_iter().filter(|(number, _)| *number > 0);
        let first = self.certain_of(some.next());
        let more: String =
            some.map(|(number, what)| text!(" Of {} more it {}.", count(number), what)).collect();
        let suppressed = (!self.suppressed.is_empty()).then(|| self.of_suppressed());
        [first + &more].into_iter().chain(suppressed).collect()
    }

    /// Of how many people or records the value is certain, and what their groups have.
    fn certain_of(&self, of: Option<(u64, &str)>) -> String {
        let name = &self.name;
        match (of, self.counted == "people") {
            (None, _) => text!("By their original records, the {} is certain of nobody.", name),
            (Some((1, what)), true) => {
                text!("By their original records, the {} is certain of 1 person: her group {}.", name, what)
            }
            (Some((1, what)), false) => {
                text!("By their original records, the {} is certain of 1 record: its group {}.", name, what)
            }
            (Some((number, what)), true) => {
                text!(
                    "By their original records, the {} is certain of {} people: their group {}.",
                    name,
                    count(number),
                    what
                )
            }
            (Some((number, what)), false) => {
                text!(
                    "By their original records, the {} is certain of {} records: their group {}.",
                    name,
                    count(number),
                    what
                )
            }
        }
    }

    /// The suppressed records by value, the commonest first.
    fn of_suppressed(&self) -> String {
        let mut values: Vec<(&String, u64)> =
            self.suppressed.iter().map(|(value, &records)| (value, records)).collect();
        values.sort_by_key(|&(_, records)| std::cmp::Reverse(records));
        let all: u64 = values.iter().map(|(_, records)| records).sum();
        let others = values.split_off(values.len().min(SHOWN));
        let shown = |value: &str| if value == NULL { t("(missing)").to_owned() } else { value.to_owned() };
        let mut listed: Vec<String> =
            values.iter().map(|(value, records)| format!("{} ({})", shown(value), count(*records))).collect();
        if !others.is_empty() {
            let records: u64 = others.iter().map(|(_, records)| records).sum();
            listed.push(text!("{} other values ({})", count(others.len() as u64), count(records)));
        }
        let listed = listed.join(", ");
        match all {
            1 => text!("The 1 suppressed record had of {}: {}.", self.name, listed),
            _ => text!("The {} suppressed records had of {}: {}.", count(all), self.name, listed),
        }
    }
}
