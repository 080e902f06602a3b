//! What a released label covers: the values of its attribute's domain, as leaves that a query sees.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "what a label covers is a list of ranges, most often of one"
)]

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{Definition, NULL, Rule, Side, TOP};
use velamen_core::label::{self, number};
use velamen_core::recoding::Recoding;
use velamen_job::published::rule;
use velamen_recipe::JobError;
use velamen_sql::{Leaves, Scalar, Use, Values};

use super::pieces;
use super::table::Released;

/// The most values of one attribute that are looked at one by one.
pub(super) const MOST: u64 = 1_000_000;

/// The most places that a code is filled up with to find a value under a label.
const LONGEST: usize = 16;

/// Stands for a value that no released record shows.
pub(super) const UNSEEN: u32 = u32::MAX;

/// The values that the records of a column can have had.
#[derive(Debug, Default)]
pub(super) struct Domain {
    /// The text of each leaf; empty for the missing value.
    pub(super) texts: Vec<String>,
    /// Where leaves stand for many numbers: a number within, the least and the greatest.
    pub(super) spans: Option<Vec<Option<(f64, f64, f64)>>>,
    /// How much each leaf counts when a cell's records are spread over its leaves.
    pub(super) weights: Vec<f64>,
    /// Per released label the leaves that it covers, ascending and disjoint.
    pub(super) covers: Vec<Vec<Range<u32>>>,
    /// Per released label whether it covers values besides that no leaf stands for.
    pub(super) unseen: Vec<bool>,
    /// Whether values are never read as numbers.
    pub(super) codes: bool,
}

/// A column as queries see it.
pub(super) struct Scope<'a> {
    pub(super) released: &'a Released,
    /// What the manifest says of it, for quasi-identifiers.
    pub(super) attribute: Option<&'a PromisedAttribute>,
    /// The numbers that the query writes.
    pub(super) literals: &'a [f64],
    /// Whether the query does no more than compare it with them, or add it up.
    pub(super) compared: bool,
    /// The least level of its hierarchy that the query asks for, 0 for the values themselves.
    pub(super) level: u8,
}

impl Domain {
    pub(super) fn new(scope: &Scope<'_>) -> Result<Self, JobError> {
        match scope.attribute {
            None => Ok(Self::as_released(scope.released)),
            // An average is a value that nobody need have had: it is all there is.
            Some(attribute) if attribute.recoding == Recoding::Aggregates => {
                Ok(Self::as_released(scope.released))
            }
            Some(attribute) => Self::covered(scope, attribute),
        }
    }

    fn as_released(released: &Released) -> Self {
        let one = |code: u32| vec![code..code + 1];
        Self {
            texts: released.labels.clone(),
            weights: vec![1.0; released.labels.len()],
            covers: (0..released.labels.len() as u32).map(one).collect(),
            unseen: vec![false; released.labels.len()],
            ..Self::default()
        }
    }

    fn covered(scope: &Scope<'_>, attribute: &PromisedAttribute) -> Result<Self, JobError> {
        match &attribute.hierarchy {
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
                pieces::bounded(scope, attribute, (*min, *max, *decimals))
            }
            Definition::Table { rows } => Ok(Self::of_table(scope.released, attribute, rows)),
            Definition::Mask { length, alphabet, mask, .. } => {
                let domain = Self::of_mask(scope.released, attribute, *length, *alphabet, *mask);
                Ok(domain.with_stand_ins(scope, attribute, &rule(attribute)?))
            }
            Definition::Flat { domain } if pieces::has_ranges(scope.released) && scope.compared => {
                Ok(pieces::unbounded(scope, *domain))
            }
            Definition::Flat { domain } => Ok(Self::of_values(scope.released, *domain)),
            Definition::Icd10 { .. }
            | Definition::Atc { .. }
            | Definition::UsZip { .. }
            | Definition::Prefix { .. }
            | Definition::Date { .. } => {
                let rule = rule(attribute)?;
                Ok(Self::of_codes(scope.released, attribute, &rule).with_stand_ins(scope, attribute, &rule))
            }
        }
    }

    /// Rows of a table, and what a label covers at its level, or at any where there is none.
    fn of_table(released: &Released, attribute: &PromisedAttribute, rows: &[Vec<String>]) -> Self {
        let mut texts: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
        let null = rows.len();
        if attribute.null_leaf {
            texts.push(NULL.into());
        }
        // Where there is no one level, a label covers what it covers at any.
        let mut under: HashMap<&str, BTreeSet<usize>> = HashMap::new();
        for (leaf, row) in rows.iter().enumerate() {
            let levels = attribute
                .level
                .map_or(0..row.len(), |level| usize::from(level)..row.len().min(usize::from(level) + 1));
            for label in &row[levels] {
                under.entry(label).or_default().insert(leaf);
            }
        }
        let covers = |label: &String| {
            if label == TOP {
                return vec![0..texts.len() as u32];
            }
            let mut leaves = under.get(&**label).cloned().unwrap_or_default();
            if label == NULL && attribute.null_leaf {
                leaves.insert(null);
            }
            if let Some(range) = label::Range::read(label).filter(|_| attribute.recoding == Recoding::Ranges)
            {
                leaves.extend((0..texts.len()).filter(|&leaf| range.has(&texts[leaf])));
            }
            ranges(leaves.into_iter())
        };
        Self::listed(released.labels.iter().map(covers).collect(), texts)
    }

    /// Codes of digits one by one; of longer or other codes only those that are shown.
    fn of_mask(
        released: &Released,
        attribute: &PromisedAttribute,
        length: usize,
        alphabet: u64,
        side: Side,
    ) -> Self {
        let all = if alphabet <= 10 { 10u64.checked_pow(length.min(99) as u32) } else { None };
        let listed = all.filter(|&all| all <= MOST);
        let mut texts: Vec<String> = match listed {
            Some(all) => (0..all).map(|code| format!("{code:0length$}")).collect(),
            None => released.labels.iter().filter(|label| is_code(label, length)).cloned().collect(),
        };
        if attribute.null_leaf {
            texts.push(NULL.into());
        }
        let covers = |label: &String| match listed {
            _ if label == TOP => vec![0..texts.len() as u32],
            Some(_) if label == NULL => ranges(texts.len() - 1..texts.len()),
            Some(_) => codes_under(label, side),
            None => {
                let shown = shown(label, side);
                ranges((0..texts.len()).filter(|&leaf| is_shown(&texts[leaf], shown, side)))
            }
        };
        let covers = released.labels.iter().map(covers).collect();
        let hidden = |label: &String| listed.is_none() && label.contains('*');
        let unseen = released.labels.iter().map(hidden).collect();
        Self { unseen, codes: true, ..Self::listed(covers, texts) }
    }

    /// Codes and dates one by one; where they cannot be listed, those that are shown and unseen ones.
    fn of_codes(released: &Released, attribute: &PromisedAttribute, rule: &Rule) -> Self {
        let listed = rule.whole_domain(MOST);
        let complete = listed.is_some();
        let shown =
            || released.labels.iter().filter(|label| **label != NULL && rule.contains(label)).cloned();
        let mut texts: Vec<String> = listed.unwrap_or_else(|| shown().collect());
        let levels = attribute.level.map_or(0..=rule.top(), |level| level..=level);
        let mut under: HashMap<String, BTreeSet<usize>> = HashMap::new();
        for (leaf, text) in texts.iter().enumerate() {
            for level in levels.clone() {
                under.entry(rule.label_at(text, level)).or_default().insert(leaf);
            }
        }
        if attribute.null_leaf {
            under.entry(NULL.into()).or_default().insert(texts.len());
            texts.push(NULL.into());
        }
        let covers = |label: &String| match under.get(label) {
            Some(leaves) if label != TOP => ranges(leaves.iter().copied()),
            // What is no label of the hierarchy may stand for anything.
            _ => vec![0..texts.len() as u32],
        };
        // A code can be the label of a level above, too, as a diagnosis without a fourth character.
        let alone = |label: &String| {
            *label == NULL || levels.clone().all(|level| level == 0 || rule.label_at(label, level) != *label)
        };
        let is_value = |label: &String| (*label == NULL || rule.contains(label)) && alone(label);
        let unseen = released.labels.iter().map(|label| !(complete || is_value(label))).collect();
        let covers = released.labels.iter().map(covers).collect();
        Self { unseen, codes: true, ..Self::listed(covers, texts) }
    }

    /// Where a query asks for no finer level than the released one, a label tells all that it asks for: one leaf
    /// stands for all values under it, seen or not.
    fn with_stand_ins(mut self, scope: &Scope<'_>, attribute: &PromisedAttribute, rule: &Rule) -> Self {
        let Some(level) = attribute.level.filter(|&level| level > 0 && level <= scope.level) else {
            return self;
        };
        for (code, label) in scope.released.labels.iter().enumerate().filter(|(_, label)| *label != TOP) {
            if let (true, Some(value)) = (self.unseen[code], value_under(rule, label, level)) {
                self.covers[code].push(self.texts.len() as u32..self.texts.len() as u32 + 1);
                self.unseen[code] = false;
                self.texts.push(value);
                self.weights.push(1.0);
            }
        }
        self
    }

    /// The values that are shown; `*` and ranges can cover others where not all are.
    fn of_values(released: &Released, domain: u64) -> Self {
        let is_value = |label: &&String| *label != TOP && label::Range::read(label).is_none();
        let texts: Vec<String> = released.labels.iter().filter(is_value).cloned().collect();
        let complete = texts.len() as u64 >= domain;
        let place: HashMap<&str, u32> = texts.iter().map(String::as_str).zip(0..).collect();
        let covers = |label: &String| {
            let range = label::Range::read(label);
            let inside = |leaf: &usize| label == TOP || range.is_some_and(|range| range.has(&texts[*leaf]));
            match place.get(&**label) {
                Some(&place) => vec![place..place + 1],
                None => ranges((0..texts.len()).filter(inside)),
            }
        };
        let covers = released.labels.iter().map(covers).collect();
        let unseen = released.labels.iter().map(|label| !(complete || is_value(&label))).collect();
        Self { unseen, ..Self::listed(covers, texts) }
    }

    fn listed(covers: Vec<Vec<Range<u32>>>, texts: Vec<String>) -> Self {
        let (weights, unseen) = (vec![1.0; texts.len()], vec![false; covers.len()]);
        Self { texts, weights, covers, unseen, ..Self::default() }
    }

    /// The values as the engine takes them.
    pub(super) fn values(&self) -> Values {
        match &self.spans {
            Some(spans) => Values::Number(spans.iter().map(|span| span.map(|span| span.0)).collect()),
            None if self.codes => Values::Text(self.texts.iter().map(|text| present(text)).collect()),
            None => typed(&self.texts),
        }
    }

    /// What expressions use of the column.
    pub(super) fn leaves(&self, uses: &[(String, Use)], rule: Option<&Rule>) -> Leaves {
        let values = |used: &Use| match (used.level, rule) {
            (Some(level), Some(rule)) => {
                let label = |text: &String| present(&rule.label_at(text, level));
                Values::Text(self.texts.iter().map(label).collect())
            }
            _ => self.values(),
        };
        let uses = uses.iter().map(|(name, used)| (name.clone(), values(used))).collect();
        Leaves { size: self.texts.len(), uses }
    }

    /// The least, the greatest and a middle number of the values of a leaf that stands for many.
    pub(super) fn span(&self, leaf: u32) -> Option<(f64, f64, f64)> {
        let (_, low, high) = self.spans.as_ref()?[leaf as usize]?;
        let middle = f64::midpoint(low, high);
        Some((low, high, if middle.is_finite() { middle } else { 0.0 }))
    }

    /// The leaves that a label covers, the one for unseen values last.
    pub(super) fn of_label(&self, label: u32) -> Vec<u32> {
        let mut leaves: Vec<u32> = self.covers[label as usize].iter().cloned().flatten().collect();
        if self.unseen[label as usize] {
            leaves.push(UNSEEN);
        }
        leaves
    }
}

/// A value with a label at a level: a code that begins as the label does, its rest as short and low as can be.
fn value_under(rule: &Rule, label: &str, level: u8) -> Option<String> {
    let first = label.split('-').next().unwrap_or(label);
    let shown = first.trim_end_matches('*');
    let zeros = |number| format!("{shown}{}", "0".repeat(number));
    let substance = "A01AA01".get(shown.len()..).map(|rest| format!("{shown}{rest}"));
    let masked = std::iter::once(label.replace('*', "0"));
    let mut values = (0..=LONGEST).map(zeros).chain(substance).chain(masked);
    values.find(|value| rule.contains(value) && rule.label_at(value, level) == *label)
}

/// What an expression does with a column beyond comparing it with literals; it may be added up as it is.
pub(super) fn compares(
    scalar: &Scalar,
    column: usize,
    columns: &[velamen_sql::ColumnInfo],
    added_up: bool,
) -> bool {
    scalar.compares_only(column, columns) || (added_up && scalar.is_column())
}

/// Texts as numbers, if all are and none is a code with leading zeros.
pub(super) fn typed(texts: &[String]) -> Values {
    let shown = || texts.iter().filter(|text| *text != NULL);
    let plain = |text: &&String| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        !code && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number(text).is_some()
    };
    if shown().next().is_none() || !shown().all(|text| plain(&text)) {
        return Values::Text(texts.iter().map(|text| present(text)).collect());
    }
    if shown().all(|text| text.parse::<i64>().is_ok()) {
        return Values::Whole(texts.iter().map(|text| text.parse().ok()).collect());
    }
    Values::Number(texts.iter().map(|text| number(text)).collect())
}

fn present(text: &str) -> Option<String> {
    (text != NULL).then(|| text.to_owned())
}

/// The ranges of ascending places.
pub(super) fn ranges(places: impl Iterator<Item = usize>) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for place in places.map(|place| place as u32) {
        match ranges.last_mut().filter(|range| range.end == place) {
            Some(range) => range.end += 1,
            None => ranges.push(place..place + 1),
        }
    }
    ranges
}

/// The codes of digits, by number, that a masked one can be.
fn codes_under(label: &str, side: Side) -> Vec<Range<u32>> {
    let shown = shown(label, side);
    let hidden = 10u32.pow((label.len() - shown.len()) as u32);
    let number: u32 = shown.parse().unwrap_or(0);
    match side {
        Side::Right => vec![number * hidden..(number + 1) * hidden],
        Side::Left if hidden == 1 => vec![number..number + 1],
        Side::Left => {
            let step = 10u32.pow(shown.len() as u32);
            ranges((0..hidden).map(|front| (front * step + number) as usize))
        }
    }
}

fn is_code(label: &str, length: usize) -> bool {
    label.chars().count() == length && !label.contains('*')
}

/// What a masked code shows.
fn shown(label: &str, side: Side) -> &str {
    match side {
        Side::Right => label.trim_end_matches('*'),
        Side::Left => label.trim_start_matches('*'),
    }
}

fn is_shown(text: &str, shown: &str, side: Side) -> bool {
    match side {
        Side::Right => text.starts_with(shown),
        Side::Left => text.ends_with(shown),
    }
}
