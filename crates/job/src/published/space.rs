//! The leaves of an attribute as places on a scale, and what labels cover of them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{Definition, NULL, Rule, Side, TOP};
use velamen_core::label::{Open, Range, number, position};
use velamen_core::recoding::{Recoding, ReleasedValue};
use velamen_measure::fidelity::{Cover, Run};

/// The places under each label of a level.
type Nodes = FxHashMap<String, Vec<Run>>;

/// The leaves of an attribute, each at its place.
#[derive(Debug)]
pub struct Space {
    leaves: Leaves,
    /// How many places there are, that of the missing value included.
    places: u64,
    /// How many leaves come first and are numbers, ascending; 0 where the leaves are no numbers.
    numbers: u64,
    /// The place of the missing value.
    missing: Option<u64>,
    /// Leaves that have no place: codes with a mask that do not occur.
    hidden: f64,
}

#[derive(Debug)]
enum Leaves {
    /// min + place / scale.
    Steps { min: f64, scale: f64 },
    /// Codes of so many digits.
    Digits(usize),
    Listed {
        labels: Vec<String>,
        places: BTreeMap<String, u64>,
        /// Of a hierarchy's table: by level, from the first above the leaves, what its labels cover.
        nodes: Vec<Nodes>,
    },
}

impl Space {
    /// The leaves of a released quasi-identifier; `originals` are the values of the original, `domain` is
    /// the number of all leaves.
    pub fn of(attribute: &PromisedAttribute, originals: &[String], domain: u64) -> Self {
        let missing = attribute.null_leaf || originals.iter().any(|value| value == NULL);
        match &attribute.hierarchy {
            Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
                let scale = 10f64.powi((*decimals).min(9) as i32);
                let places = ((max - min) * scale).round() as u64 + 1;
                Self::stepped(Leaves::Steps { min: *min, scale }, places, places, missing)
            }
            Definition::Mask { mask: Side::Right, length, alphabet: 10, .. } if *length < 18 => {
                Self::stepped(Leaves::Digits(*length), 10u64.pow(*length as u32), 0, missing)
            }
            Definition::Table { rows } => {
                let defined = rows.iter().any(|row| row[0] == NULL);
                let null = (missing && !defined).then(|| NULL.to_owned());
                Self::listed(rows.iter().map(|row| row[0].clone()).chain(null).collect(), rows)
            }
            other => {
                let space = Self::listed(originals.to_vec(), &[]);
                let hidden = domain.saturating_sub(space.places) as f64;
                // Codes of digits are no numbers.
                let flat = matches!(other, Definition::Flat { .. });
                Self { hidden, numbers: if flat { space.numbers } else { 0 }, ..space }
            }
        }
    }

    /// The values themselves.
    pub fn flat(values: Vec<String>) -> Self {
        Self::listed(values, &[])
    }

    fn stepped(leaves: Leaves, places: u64, numbers: u64, missing: bool) -> Self {
        let null = missing.then_some(places);
        Self { leaves, places: places + u64::from(missing), numbers, missing: null, hidden: 0.0 }
    }

    /// Numbers by size and the missing value last; text as it comes.
    fn listed(mut labels: Vec<String>, rows: &[Vec<String>]) -> Self {
        let given = |label: &String| label != NULL;
        let numeric =
            labels.iter().any(given) && labels.iter().filter(|l| given(l)).all(|l| position(l).is_some());
        if numeric {
            let size = |label: &String| position(label).unwrap_or(f64::INFINITY);
            labels.sort_by(|a, b| size(a).total_cmp(&size(b)).then_with(|| a.cmp(b)));
        }
        let places: BTreeMap<String, u64> = labels.iter().cloned().zip(0..).collect();
        let nodes = nodes(rows, &places);
        // The missing value is after all numbers, and of a table's text after all of its rows.
        let missing = places.get(NULL).copied();
        let numbers = if numeric { labels.iter().filter(|l| given(l)).count() as u64 } else { 0 };
        let count = labels.len() as u64;
        Self {
            leaves: Leaves::Listed { labels, places, nodes },
            places: count,
            numbers,
            missing,
            hidden: 0.0,
        }
    }

    /// How many places there are.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// How many leaves come first and are numbers.
    pub fn numbers(&self) -> u64 {
        self.numbers
    }

    /// The place of the missing value.
    pub fn missing(&self) -> Option<u64> {
        self.missing
    }

    /// The number at one of the first [`Self::numbers`] places.
    pub fn number(&self, place: u64) -> f64 {
        match &self.leaves {
            Leaves::Steps { min, scale } => min + place as f64 / scale,
            Leaves::Digits(_) => place as f64,
            Leaves::Listed { labels, .. } => position(&labels[place as usize]).unwrap_or(f64::NAN),
        }
    }

    /// The value at a place.
    pub fn label(&self, place: u64) -> String {
        match &self.leaves {
            _ if Some(place) == self.missing => NULL.to_owned(),
            Leaves::Steps { scale, .. } => {
                format!("{:.*}", scale.log10().round() as usize, self.number(place))
            }
            Leaves::Digits(length) => format!("{place:0length$}"),
            Leaves::Listed { labels, .. } => labels[place as usize].clone(),
        }
    }

    /// The mean of the numbers that a value covers; `None` where there are none.
    pub fn mean(&self, cover: &Cover) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for run in cover.runs().iter().filter(|run| run.first < self.numbers) {
            let (first, last) = (run.first, run.last.min(self.numbers - 1));
            let places = (last - first + 1) as f64;
            sum += match &self.leaves {
                Leaves::Listed { .. } => (first..=last).map(|place| self.number(place)).sum(),
                _ => places * f64::midpoint(self.number(first), self.number(last)),
            };
            count += places;
        }
        (count > 0.0).then(|| sum / count)
    }

    /// How many places steps or digits have; `None` where leaves are listed.
    pub fn steps(&self) -> Option<u64> {
        match &self.leaves {
            Leaves::Steps { .. } => Some(self.numbers),
            Leaves::Digits(length) => Some(10u64.pow(*length as u32)),
            Leaves::Listed { .. } => None,
        }
    }

    /// The places of listed leaves that a condition holds of; of a missing value none does.
    pub fn places_where(&self, holds: impl Fn(&str) -> bool) -> Option<Vec<Run>> {
        let Leaves::Listed { labels, .. } = &self.leaves else { return None };
        let holding = labels.iter().zip(0..).filter(|(label, _)| *label != NULL && holds(label));
        Some(Cover::new(holding.map(|(_, place)| Run::point(place)).collect(), 0.0).runs().to_vec())
    }

    /// The places of numbers from `low` to `high`, both included, of steps or digits.
    pub fn between(&self, low: f64, high: f64) -> Option<Run> {
        let places = self.steps()?;
        let (min, scale) = match &self.leaves {
            Leaves::Steps { min, scale } => (*min, *scale),
            _ => (0.0, 1.0),
        };
        // A number that is a place's own must not miss it by its representation.
        let first = ((low - min) * scale - 1e-6).ceil().max(0.0);
        let last = ((high - min) * scale + 1e-6).floor().min(places as f64 - 1.0);
        (first <= last).then_some(Run { first: first as u64, last: last as u64 })
    }

    /// What a value of the original covers: a leaf, or numbers coded as one value.
    pub fn leaf(&self, label: &str) -> Option<Cover> {
        if label == NULL {
            return self.missing.map(Cover::point);
        }
        let run = match &self.leaves {
            Leaves::Listed { places, .. } => Run::point(*places.get(label)?),
            Leaves::Digits(length) => {
                let plain = label.len() == *length && label.bytes().all(|byte| byte.is_ascii_digit());
                Run::point(label.parse().ok().filter(|_| plain)?)
            }
            Leaves::Steps { .. } => self.coded(label)?,
        };
        Some(Cover::new(vec![run], 0.0))
    }

    /// A number, or all from or up to one.
    fn coded(&self, label: &str) -> Option<Run> {
        let (low, high) = match Open::read(label) {
            Some((open, bound)) => Range::Open(open, bound).bounds()?,
            None => (number(label)?, number(label)?),
        };
        self.between(low, high)
    }

    /// What the released values of an attribute cover; `None` where one does not tell.
    ///
    /// Time: O(leaves · levels) for all of them, and a search for each.
    pub fn released(
        &self,
        attribute: &PromisedAttribute,
        rule: &Rule,
        values: &[ReleasedValue],
    ) -> Option<Vec<Cover>> {
        let mut ruled = Ruled { rule, levels: BTreeMap::new() };
        values.iter().map(|value| self.covered(attribute, &mut ruled, value)).collect()
    }

    fn covered(
        &self,
        attribute: &PromisedAttribute,
        ruled: &mut Ruled<'_>,
        value: &ReleasedValue,
    ) -> Option<Cover> {
        let label = value.label.as_str();
        if label == TOP {
            let all = Run { first: 0, last: self.places.max(1) - 1 };
            return Some(Cover::new(vec![all], self.places as f64 + self.hidden));
        }
        let at = attribute.level.filter(|level| *level > 0).and_then(|level| self.node(label, level.into()));
        at.or_else(|| self.leaf(label))
            .or_else(|| self.lowest_node(label))
            .or_else(|| self.masked(attribute, label))
            .or_else(|| self.range(attribute, label))
            .or_else(|| self.under(ruled, value))
            .or_else(|| self.nearest(attribute, label))
    }

    /// The leaves of a table's node.
    fn node(&self, label: &str, level: usize) -> Option<Cover> {
        let Leaves::Listed { nodes, .. } = &self.leaves else { return None };
        nodes.get(level - 1)?.get(label).map(|runs| Cover::new(runs.clone(), 0.0))
    }

    fn lowest_node(&self, label: &str) -> Option<Cover> {
        let Leaves::Listed { nodes, .. } = &self.leaves else { return None };
        (1..=nodes.len()).find_map(|level| self.node(label, level))
    }

    /// A code of digits, the last of them masked.
    fn masked(&self, attribute: &PromisedAttribute, label: &str) -> Option<Cover> {
        let Definition::Mask { length, .. } = &attribute.hierarchy else { return None };
        let hidden = label.chars().filter(|character| *character == '*').count();
        if hidden == 0 || label.chars().count() != *length || !matches!(self.leaves, Leaves::Digits(_)) {
            return None;
        }
        let end = |digit: &str| self.leaf(&label.replace('*', digit)).and_then(|cover| cover.leaf());
        Some(Cover::new(vec![Run { first: end("0")?, last: end("9")? }], 0.0))
    }

    /// A value of a rule that lists no leaves: those of the original under it have a place.
    fn under(&self, ruled: &mut Ruled<'_>, value: &ReleasedValue) -> Option<Cover> {
        let Leaves::Listed { labels, .. } = &self.leaves else { return None };
        let nodes = ruled.levels.entry(value.level).or_insert_with(|| {
            let given = labels.iter().zip(0..).filter(|(leaf, _)| *leaf != NULL);
            by_label(given.map(|(leaf, place)| (ruled.rule.label_at(leaf, value.level), place)))
        });
        let runs = nodes.get(&value.label).cloned().unwrap_or_default();
        (value.leaves > 0).then(|| Cover::new(runs, value.leaves as f64))
    }

    /// A range of numbers, or of text by code point.
    fn range(&self, attribute: &PromisedAttribute, label: &str) -> Option<Cover> {
        let range = Range::read(label)?;
        let runs = match range.bounds() {
            Some((low, high)) if self.numbers > 0 => match self.between(low, high) {
                Some(run) => vec![run],
                None => self.numbers_between(low, high)?,
            },
            _ if attribute.recoding == Recoding::Ranges => self.places_where(|leaf| range.has(leaf))?,
            _ => return None,
        };
        (!runs.is_empty()).then(|| Cover::new(runs, 0.0))
    }

    /// The places of listed numbers from `low` to `high`, both included; they come first, and ascend.
    fn numbers_between(&self, low: f64, high: f64) -> Option<Vec<Run>> {
        let Leaves::Listed { labels, .. } = &self.leaves else { return None };
        let numbers = &labels[..self.numbers as usize];
        let below = |bound: &dyn Fn(f64) -> bool| {
            numbers.partition_point(|label| position(label).is_some_and(bound)) as u64
        };
        let (first, end) = (below(&|at| at < low), below(&|at| at <= high));
        Some(if first < end { vec![Run { first, last: end - 1 }] } else { Vec::new() })
    }

    /// The leaf nearest to a number that stands for a class's values.
    fn nearest(&self, attribute: &PromisedAttribute, label: &str) -> Option<Cover> {
        let wanted = number(label).filter(|_| attribute.recoding == Recoding::Aggregates)?;
        let last = self.numbers.checked_sub(1)?;
        let place = match &self.leaves {
            Leaves::Steps { min, scale } => ((wanted - min) * scale).round().max(0.0) as u64,
            Leaves::Digits(_) => return None,
            Leaves::Listed { labels, .. } => {
                // Of equal numbers the first; of two that are as near the lower.
                let first = |holds: &dyn Fn(f64) -> bool| {
                    labels[..=last as usize].partition_point(|label| position(label).is_some_and(holds))
                        as u64
                };
                let above = first(&|at| at < wanted);
                let below = above.checked_sub(1).map(|at| self.number(at)).map(|near| first(&|at| at < near));
                let off = |place: &u64| (self.number(*place) - wanted).abs();
                below
                    .into_iter()
                    .chain((above <= last).then_some(above))
                    .min_by(|a, b| off(a).total_cmp(&off(b)))?
            }
        };
        Some(Cover::point(place.min(last)))
    }
}

/// A rule that lists no leaves, with the places under its labels by level, as far as they were asked for.
struct Ruled<'a> {
    rule: &'a Rule,
    levels: BTreeMap<u8, Nodes>,
}

/// What the labels of a table's rows cover, by level from the first above the leaves.
fn nodes(rows: &[Vec<String>], places: &BTreeMap<String, u64>) -> Vec<Nodes> {
    let levels = rows.first().map_or(0, Vec::len);
    let mut by_place: Vec<(&Vec<String>, u64)> =
        rows.iter().filter_map(|row| Some((row, *places.get(&row[0])?))).collect();
    by_place.sort_unstable_by_key(|(_, place)| *place);
    let at = |level: usize| {
        let labelled = by_place.iter().filter_map(|(row, place)| Some((row.get(level)?.clone(), *place)));
        by_label(labelled)
    };
    (1..levels).map(at).collect()
}

/// Ascending places by their label, neighbours as one run.
fn by_label(labelled: impl Iterator<Item = (String, u64)>) -> Nodes {
    let mut nodes = Nodes::default();
    for (label, place) in labelled {
        let runs = nodes.entry(label).or_default();
        match runs.last_mut().filter(|run| run.last + 1 == place) {
            Some(run) => run.last = place,
            None => runs.push(Run::point(place)),
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(json: &str, level: Option<u8>, recoding: Recoding) -> PromisedAttribute {
        let hierarchy = serde_json::from_str(json).unwrap();
        let name = "a".to_owned();
        PromisedAttribute { name, level, recoding, hierarchy, ..PromisedAttribute::default() }
    }

    /// The value behind a label, its level and leaves given.
    fn value(label: &str, level: u8, leaves: u64) -> ReleasedValue {
        ReleasedValue { label: label.into(), leaves, level }
    }

    fn covered(space: &Space, attribute: &PromisedAttribute, value: &ReleasedValue) -> Option<Cover> {
        let rule = Rule::try_from(&attribute.hierarchy).unwrap();
        space.released(attribute, &rule, std::slice::from_ref(value)).map(|covers| covers[0].clone())
    }

    /// Of a label that says all by itself.
    fn plain(space: &Space, attribute: &PromisedAttribute, label: &str) -> Option<Cover> {
        covered(space, attribute, &value(label, 0, 0))
    }

    fn strings(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    #[test]
    fn intervals_are_steps() {
        let age = attribute(r#"{"interval":[5,20],"min":10,"max":99}"#, Some(1), Recoding::FullDomain);
        let space = Space::of(&age, &strings(&["", "31", ">=90"]), 0);
        assert_eq!((space.places(), space.numbers(), space.missing()), (91, 90, Some(90)));
        let covered = |label| plain(&space, &age, label).unwrap().runs().to_vec();
        assert_eq!(covered("[30-34]"), [run(20, 24)]);
        assert_eq!(
            (covered(">=90"), covered("*"), covered("")),
            (vec![run(80, 89)], vec![run(0, 90)], vec![run(90, 90)])
        );
        assert_eq!(space.leaf(">=90").unwrap().runs(), [run(80, 89)]);
        assert!((space.mean(&plain(&space, &age, "*").unwrap()).unwrap() - 54.5).abs() < 1e-12);
        assert_eq!((space.label(20), plain(&space, &age, "x")), ("30".into(), None));
    }

    #[test]
    fn tables_are_listed_with_the_leaves_that_do_not_occur() {
        let json = r#"{"rows":[["9","low","*"],["10","high","*"],["2","low","*"]]}"#;
        let score = attribute(json, None, Recoding::Ranges);
        let space = Space::of(&score, &strings(&["2", "10"]), 0);
        assert_eq!((space.places(), space.numbers(), space.label(1)), (3, 3, "9".into()));
        assert_eq!(plain(&space, &score, "low").unwrap().runs(), [run(0, 1)]);
        assert_eq!(plain(&space, &score, "[3-12]").unwrap().runs(), [run(1, 2)]);
        let colour = attribute(r#"{"rows":[["red","*"],["blue","*"]]}"#, None, Recoding::Nodes);
        let space = Space::of(&colour, &strings(&["blue"]), 0);
        assert_eq!((space.numbers(), space.label(0)), (0, "red".into()));
    }

    #[test]
    fn masks_cover_codes_that_do_not_occur() {
        let zip = attribute(r#"{"mask":"right","length":3}"#, Some(1), Recoding::FullDomain);
        let space = Space::of(&zip, &strings(&["105", "107"]), 0);
        assert_eq!(plain(&space, &zip, "10*").unwrap().runs(), [run(100, 109)]);
        let left = attribute(r#"{"mask":"left","length":3,"alphabet":36}"#, Some(1), Recoding::FullDomain);
        let space = Space::of(&left, &strings(&["A5K", "B5K", "B6K"]), 46_656);
        let cover = covered(&space, &left, &value("*5K", 1, 36)).unwrap();
        assert_eq!(cover.runs(), [run(0, 1)]);
        assert!((cover.elsewhere() - 34.0 / 36.0).abs() < 1e-12);
        let all = plain(&space, &left, "*").unwrap();
        assert!((all.elsewhere() - (1.0 - 3.0 / 36f64.powi(3))).abs() < 1e-12);
    }

    #[test]
    fn ranges_of_text_and_means() {
        let ward = attribute(r#"{"domain":3}"#, None, Recoding::Ranges);
        let space = Space::of(&ward, &strings(&["a", "c", "d"]), 0);
        assert_eq!(plain(&space, &ward, "[b..d]").unwrap().runs(), [run(1, 2)]);
        let mean = attribute(r#"{"domain":3}"#, None, Recoding::Aggregates);
        let space = Space::of(&mean, &strings(&["", "1", "5", "9"]), 0);
        assert_eq!(plain(&space, &mean, "6.25").unwrap().leaf(), Some(1));
        assert_eq!(space.missing(), Some(3));
    }
}
