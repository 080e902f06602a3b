//! Pairs of values that nobody has, such as a cancer of the prostate and the sex female.
//!
//! # Summary
//! Whoever knows that nobody has a pair takes a record that has it for a counterfeit. So a recipe names such pairs, and
//! no counterfeit gets one.
//!
//! # Definition
//! An entry names values of a quasi-identifier and sensitive values. A *leaf* is named by itself, by a label above it in
//! its hierarchy, or by numbers that it lies between. A pair of a class and a sensitive value is *excluded* where an
//! entry names the sensitive value and every leaf of the domain under the class's label. A label that stands at two
//! levels covers what it covers at both. Where the leaves of the domain cannot be listed (no hierarchy, masks, codes,
//! more than [`MOST_LEAVES`]), a label excludes what it excludes as a value, or if an entry names it.
//!
//! A *sensitive value* is named by itself, by a label above it in its hierarchy, by a code of ICD-10 that it begins with
//! (`C61` names `C61.9`), or by a range of categories (`O00-O99`).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::attribute::Attribute;
use crate::classes::ClassTable;
use crate::frequency::FrequencyTable;
use crate::hierarchy::{NULL, Rule, TOP};
use crate::label::{Range, number, position};

/// The most leaves of a domain that are listed.
pub const MOST_LEAVES: u64 = 100_000;

/// The most entries: one bit each.
pub const MOST_ENTRIES: usize = 128;

/// Values of a quasi-identifier, and sensitive values that nobody of these has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Impossible {
    /// The quasi-identifier.
    pub attribute: String,
    /// Its values, or labels above them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Numbers from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// Numbers up to here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Sensitive values, labels above them, codes or ranges of codes.
    pub sensitive: Vec<String>,
    /// The attribute of these values, where records are invented and no attribute is sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The list that it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
    /// Its place in the recipe.
    #[serde(skip)]
    pub place: usize,
}

impl Impossible {
    /// Whether it names a value of the quasi-identifier.
    #[must_use]
    pub fn has(&self, rule: &Rule, leaf: &str) -> bool {
        let listed = |label: &str| self.values.iter().any(|value| value == label);
        listed(leaf) || above(rule, leaf).any(|label| listed(&label)) || self.has_number(leaf)
    }

    fn has_number(&self, leaf: &str) -> bool {
        let own = number(leaf).map(|number| (number, number));
        let bounds = own.or_else(|| Range::read(leaf)?.bounds());
        let given = self.from.is_some() || self.to.is_some();
        given
            && bounds.is_some_and(|(low, high)| {
                self.from.is_none_or(|from| from <= low) && self.to.is_none_or(|to| high <= to)
            })
    }

    /// Whether it names a sensitive value.
    #[must_use]
    pub fn names(&self, rule: &Rule, value: &str) -> bool {
        self.sensitive.iter().any(|entry| names(entry, rule, value))
    }
}

/// Whether an entry of `sensitive` names a value.
#[must_use]
pub fn names(entry: &str, rule: &Rule, value: &str) -> bool {
    entry == value || names_code(entry, value) == Some(true) || above(rule, value).any(|label| label == entry)
}

/// Whether an entry is a code or a range of categories that the code of a value is under; `None` where either is none.
fn names_code(entry: &str, value: &str) -> Option<bool> {
    let value = code(value)?;
    match categories(entry) {
        Some((first, last)) => Some((&*first..=&*last).contains(&&value[..CATEGORY])),
        None => Some(value.starts_with(&code(entry)?)),
    }
}

/// Whether a text has the form of a code of ICD-10, or of a range of its categories.
#[must_use]
pub fn is_code(entry: &str) -> bool {
    code(entry).is_some() || categories(entry).is_some()
}

/// The characters of a category of ICD-10.
const CATEGORY: usize = 3;

/// The most characters of a code.
const LONGEST: usize = 7;

/// A text of the form of a code of ICD-10, in capital letters and without the dot.
fn code(text: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let code = match upper.split_once('.') {
        Some((category, rest)) if category.len() == CATEGORY && !rest.is_empty() => {
            format!("{category}{rest}")
        }
        Some(_) => return None,
        None => upper,
    };
    let [letter, digit, rest @ ..] = code.as_bytes() else { return None };
    let formed = letter.is_ascii_uppercase() && digit.is_ascii_digit();
    let rest = rest.iter().all(u8::is_ascii_alphanumeric) && (CATEGORY..=LONGEST).contains(&code.len());
    (formed && rest).then_some(code)
}

/// The ends of a range of categories.
fn categories(text: &str) -> Option<(String, String)> {
    let (first, last) = text.split_once('-')?;
    let category = |text: &str| code(text).filter(|code| code.len() == CATEGORY);
    Some((category(first)?, category(last)?)).filter(|(first, last)| first <= last)
}

/// The labels above a leaf but `*`.
fn above<'a>(rule: &'a Rule, leaf: &'a str) -> impl Iterator<Item = String> + 'a {
    (1..=rule.top()).map(|level| rule.label_at(leaf, level)).filter(|label| label != TOP)
}

/// The entries of a recipe over one table.
#[derive(Debug)]
pub struct Pairs {
    attributes: Vec<Named>,
    /// Per entry, whether it names each sensitive code.
    values: Vec<Vec<bool>>,
}

/// A set of entries, one bit each.
type Entries = u128;

/// A quasi-identifier of some entries.
#[derive(Debug)]
struct Named {
    qi: usize,
    rule: Arc<Rule>,
    /// The entries that name all that a label covers.
    labels: FxHashMap<String, Entries>,
    /// Numbers of a domain that is listed, with the entries that name them.
    numbers: Vec<(f64, Entries)>,
    /// What the entries list.
    listed: Vec<(Entries, Vec<String>)>,
}

impl Pairs {
    /// The entries over a table; `None` where there are none. Attributes that the table lacks exclude nothing.
    ///
    /// Time: O(entries · (leaves · levels + sensitive values)).
    #[must_use]
    pub fn new(
        entries: &[Impossible],
        attributes: &[Attribute],
        table: &FrequencyTable,
        sensitive: usize,
    ) -> Option<Self> {
        if entries.is_empty() {
            return None;
        }
        let flat = Arc::new(Rule::Flat);
        let rule_of = |name: &str| {
            let found = attributes.iter().find(|attribute| attribute.name == name);
            found.map_or_else(|| Arc::clone(&flat), |attribute| Arc::clone(&attribute.rule))
        };
        let column = &table.rest.columns[sensitive];
        let rule = rule_of(&column.name);
        let named =
            |entry: &Impossible| column.values.iter().map(|value| entry.names(&rule, value)).collect();
        let of_qi = |(qi, attribute): (usize, &crate::frequency::QuasiIdentifier)| {
            let own = (0..MOST_ENTRIES).zip(entries).filter(|(_, entry)| entry.attribute == attribute.name);
            let own: Vec<(Entries, &Impossible)> = own.map(|(bit, entry)| (1 << bit, entry)).collect();
            let leaves = attribute.hierarchy.labels(0);
            (!own.is_empty()).then(|| Named::new(qi, rule_of(&attribute.name), leaves, &own))
        };
        Some(Self {
            attributes: table.qis.iter().enumerate().filter_map(of_qi).collect(),
            values: entries.iter().map(named).collect(),
        })
    }

    /// What is excluded of classes, given the labels of a quasi-identifier by code.
    ///
    /// Time: O(classes · attributes with entries + labels).
    #[must_use]
    pub fn excluded<'a>(&self, labels: impl Fn(usize) -> Vec<&'a str>, classes: &ClassTable) -> Excluded {
        let of_code = |named: &Named| {
            (named.qi, labels(named.qi).into_iter().map(|label| named.under(label)).collect::<Vec<_>>())
        };
        let by_code: Vec<(usize, Vec<Entries>)> = self.attributes.iter().map(of_code).collect();
        let mut places: FxHashMap<Entries, u32> = FxHashMap::default();
        let mut excluded = Excluded { set: Vec::with_capacity(classes.len()), sets: Vec::new() };
        for class in 0..classes.len() {
            let codes = classes.codes(class);
            let entries = by_code.iter().fold(0, |all, (qi, of_code)| all | of_code[codes[*qi] as usize]);
            let place = *places.entry(entries).or_insert_with(|| {
                excluded.sets.push(self.named_by(entries));
                excluded.sets.len() as u32 - 1
            });
            excluded.set.push(place);
        }
        excluded
    }

    /// Whether each sensitive code is named by some of these entries.
    fn named_by(&self, entries: Entries) -> Vec<bool> {
        (0..self.values.first().map_or(0, Vec::len)).map(|code| self.is_named(entries, code)).collect()
    }

    fn is_named(&self, entries: Entries, code: usize) -> bool {
        (0..).zip(&self.values).any(|(bit, named)| entries & (1 << bit) != 0 && named[code])
    }

    /// The original records that have such a pair.
    #[must_use]
    pub fn records(&self, table: &FrequencyTable, sensitive: usize) -> u64 {
        let of_leaf = |named: &Named| -> Vec<Entries> {
            table.qis[named.qi].hierarchy.labels(0).iter().map(|leaf| named.under(leaf)).collect()
        };
        let by_leaf: Vec<Vec<Entries>> = self.attributes.iter().map(of_leaf).collect();
        let value = |entry: usize| table.rest.codes[sensitive][table.rest_index[entry] as usize] as usize;
        let has = |&entry: &usize| {
            let entries = self.of_record(table, &by_leaf, entry);
            entries != 0 && self.is_named(entries, value(entry))
        };
        (0..table.len()).filter(has).map(|entry| table.counts[entry]).sum()
    }

    /// The entries that name a quasi-identifier's value of a record, given those of each leaf.
    #[inline]
    fn of_record(&self, table: &FrequencyTable, by_leaf: &[Vec<Entries>], entry: usize) -> Entries {
        let leaves = self.attributes.iter().zip(by_leaf);
        leaves.fold(0, |all, (named, of_leaf)| all | of_leaf[table.codes[named.qi][entry] as usize])
    }
}

impl Named {
    /// `leaves` occur in the table.
    fn new(qi: usize, rule: Arc<Rule>, leaves: &[String], own: &[(Entries, &Impossible)]) -> Self {
        let of = |leaf: &str| {
            own.iter().filter(|(_, entry)| entry.has(&rule, leaf)).fold(0, |all, (bit, _)| all | bit)
        };
        let mut labels: FxHashMap<String, Entries> = FxHashMap::default();
        let mut numbers = Vec::new();
        let domain = rule.whole_domain(MOST_LEAVES);
        let mut add = |leaf: &str, levels: u8| {
            let entries = of(leaf);
            for level in 0..=levels {
                let under = labels.entry(rule.label_at(leaf, level)).or_insert(Entries::MAX);
                *under &= entries;
            }
            numbers.extend(position(leaf).filter(|_| levels > 0).map(|number| (number, entries)));
        };
        for leaf in domain.iter().flatten() {
            add(leaf, rule.top());
        }
        for leaf in leaves.iter().filter(|leaf| domain.is_none() || *leaf == NULL) {
            add(leaf, if domain.is_none() { 0 } else { rule.top() });
        }
        let listed = own.iter().map(|(bit, entry)| (*bit, entry.values.clone())).collect();
        Self { qi, rule, labels, numbers, listed }
    }

    /// The entries that name every leaf under a label.
    fn under(&self, label: &str) -> Entries {
        let known = self.labels.get(label).or_else(|| self.labels.get(&self.rule.canonical(label)));
        known.copied().or_else(|| self.between(label)).unwrap_or_else(|| {
            let named = self.listed.iter().filter(|(_, values)| values.iter().any(|value| value == label));
            named.fold(0, |all, (bit, _)| all | bit)
        })
    }

    /// The entries that name every number of a range that is no label of the hierarchy.
    fn between(&self, label: &str) -> Option<Entries> {
        let (low, high) = Range::read(label)?.bounds()?;
        let within = self.numbers.iter().filter(|(number, _)| (low..=high).contains(number));
        within.map(|(_, entries)| *entries).reduce(|all, entries| all & entries)
    }
}

/// The sensitive values that no counterfeit of a class can have.
#[derive(Debug)]
pub struct Excluded {
    /// Per class an index into the sets.
    set: Vec<u32>,
    /// Per sensitive code.
    sets: Vec<Vec<bool>>,
}

impl Excluded {
    /// Whether a class excludes a sensitive value.
    #[must_use]
    pub fn has(&self, class: u32, value: u32) -> bool {
        self.sets[self.set[class as usize] as usize][value as usize]
    }

    /// The classes without the records of excluded pairs, which conceal no counterfeit; `None` where there are none.
    /// Sizes stay as they are.
    #[must_use]
    pub fn possible(&self, classes: &ClassTable) -> Option<ClassTable> {
        let has = |class: usize, value: u32| self.has(class as u32, value);
        let any =
            (0..classes.len()).any(|class| classes.sensitive(class).iter().any(|cell| has(class, cell.0)));
        any.then(|| classes.without(has))
    }
}
