//! Answers of counting queries on both tables, and how far they differ.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use velamen_core::error::Problem;
use velamen_core::label::position;
use velamen_measure::fidelity::{Cover, Run};

use super::grammar::{Condition, Literal, Name, Parsed, Test, Wrong};
use crate::compare::sides::{Attribute, ORIGINAL, RELEASED, Sides};

/// A query over the attributes of both tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoundQuery {
    /// Attribute → what all its conditions allow.
    regions: BTreeMap<usize, AllowedPlaces>,
    group_by: Vec<usize>,
}

/// The places that conditions allow.
#[derive(Debug, Clone, PartialEq)]
struct AllowedPlaces {
    runs: Vec<Run>,
    /// Whether values are named one by one: leaves without a place are none of them.
    named: bool,
}

impl AllowedPlaces {
    /// The share of a value's leaves that are allowed. Leaves without a place cannot be compared; with a
    /// range they count as those that have one do.
    fn share(&self, cover: &Cover) -> f64 {
        let placed = if self.named { 1.0 } else { 1.0 - cover.elsewhere() };
        if placed > 0.0 { cover.share(&self.runs) / placed } else { 0.0 }
    }

    fn meet(&self, other: &Self) -> Self {
        Self { runs: common(&self.runs, &other.runs), named: self.named || other.named }
    }
}

/// What a query came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The original's count, over all groups.
    pub(super) original: f64,
    /// The estimate from the release, over all groups: those, too, that the original does not have.
    pub(super) released: f64,
    /// The mean over the groups of |released − original| / original; `None` where the original has no
    /// such record.
    pub(super) relative_error: Option<f64>,
}

impl BoundQuery {
    /// Finds the attributes and reads the values.
    pub(super) fn new(parsed: &Parsed, sides: &Sides) -> Result<Self, Wrong> {
        let mut regions: BTreeMap<usize, AllowedPlaces> = BTreeMap::new();
        for condition in &parsed.conditions {
            let attribute = find(sides, &condition.attribute)?;
            let allowed = region(&sides.attributes[attribute], condition)?;
            let both = regions.get(&attribute).map(|known| known.meet(&allowed));
            regions.insert(attribute, both.unwrap_or(allowed));
        }
        let group_by: Vec<usize> =
            parsed.group_by.iter().map(|name| find(sides, name)).collect::<Result<_, _>>()?;
        let twice = (1..group_by.len()).find(|&i| group_by[..i].contains(&group_by[i]));
        match (twice, group_by.len()) {
            (Some(i), _) => Err(wrong(parsed.group_by[i].column, "the attribute is grouped by twice")),
            (None, 3..) => Err(wrong(parsed.group_by[2].column, "at most two attributes can be grouped by")),
            _ => Ok(Self { regions, group_by }),
        }
    }

    /// The share of the records of some combinations that the conditions allow.
    pub(super) fn share_of(&self, sides: &Sides, entries: &[usize]) -> f64 {
        let table = &sides.tables[ORIGINAL];
        let share = |entry: usize, a: usize, region: &AllowedPlaces| {
            region.share(&sides.attributes[a].covers[ORIGINAL][table.codes[a][entry] as usize])
        };
        let of =
            |&entry: &usize| self.regions.iter().map(|(&a, region)| share(entry, a, region)).product::<f64>();
        entries.iter().map(of).sum::<f64>() / entries.len() as f64
    }

    /// Both answers.
    ///
    /// Time: O(combinations + values of the groups · leaves of the original under them).
    pub(super) fn answer(&self, sides: &Sides) -> Answer {
        let original = self.groups(sides, ORIGINAL);
        let released = self.groups(sides, RELEASED);
        let estimates = self.estimates(sides, &original, &released);
        let (mut errors, mut groups, mut counted) = (0.0, 0.0, 0.0);
        for (&(_, count), estimate) in original.iter().zip(&estimates).filter(|((_, count), _)| *count > 0.0)
        {
            errors += (estimate - count).abs() / count;
            groups += 1.0;
            counted += count;
        }
        let relative_error = (groups > 0.0).then(|| errors / groups);
        let expected = match self.group_by[..] {
            [] => total(&released),
            _ => self.expected(sides),
        };
        Answer { original: counted, released: expected, relative_error }
    }

    /// What the release lets one expect over all groups.
    fn expected(&self, sides: &Sides) -> f64 {
        let ungrouped = Self { regions: self.regions.clone(), group_by: Vec::new() };
        total(&ungrouped.groups(sides, RELEASED))
    }

    /// By attribute with a condition, the share of each value that is allowed. The attributes that are
    /// grouped by are not among the release's: there the group decides.
    fn shares(&self, sides: &Sides, side: usize) -> Vec<(usize, Vec<f64>)> {
        let asked = self.regions.iter().filter(|(a, _)| side == ORIGINAL || !self.group_by.contains(a));
        let of = |(&a, region): (&usize, &AllowedPlaces)| {
            (a, sides.attributes[a].covers[side].iter().map(|cover| region.share(cover)).collect())
        };
        asked.map(of).collect()
    }

    /// Records by the codes of the attributes that are grouped by, in the order of their first record.
    fn groups(&self, sides: &Sides, side: usize) -> Vec<((u32, u32), f64)> {
        let (table, shares) = (&sides.tables[side], self.shares(sides, side));
        let key = |entry: usize| {
            let code = |i: usize| self.group_by.get(i).map_or(0, |&a| table.codes[a][entry]);
            (code(0), code(1))
        };
        let columns: Vec<(&[u32], &[f64])> =
            shares.iter().map(|(a, share)| (&table.codes[*a][..], &share[..])).collect();
        // Most conditions leave nothing of most records: then the others need not be asked.
        let count = |(entry, weight): (usize, &f64)| {
            let left = |count: f64, (codes, share): &(&[u32], &[f64])| {
                Some(count * share[codes[entry] as usize]).filter(|count| *count > 0.0)
            };
            columns.iter().try_fold(*weight, left).unwrap_or(0.0)
        };
        if self.group_by.is_empty() {
            let all: f64 = table.weights.iter().enumerate().map(count).sum();
            return if all > 0.0 { vec![((0, 0), all)] } else { Vec::new() };
        }
        let mut at: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut groups = Vec::new();
        for (entry, weight) in table.weights.iter().enumerate() {
            let count = count((entry, weight));
            if count > 0.0 {
                let place = *at.entry(key(entry)).or_insert_with(|| {
                    groups.push((key(entry), 0.0));
                    groups.len() - 1
                });
                groups[place].1 += count;
            }
        }
        groups
    }

    /// What the released groups let one expect of each original group.
    fn estimates(
        &self,
        sides: &Sides,
        original: &[((u32, u32), f64)],
        released: &[((u32, u32), f64)],
    ) -> Vec<f64> {
        let under: Vec<LeavesUnder<'_>> = (self.group_by.iter())
            .map(|&a| LeavesUnder::new(&sides.attributes[a], self.regions.get(&a)))
            .collect();
        let leaves =
            |i: usize, code: u32| under.get(i).map_or_else(|| vec![(0, 1.0)], |under| under.of(code));
        // First one attribute is spread, then the other, each value's leaves found once: those of all values at a time
        // can be far more than the records.
        let mut released = released.to_vec();
        released.sort_by_key(|((x, _), _)| *x);
        let mut at: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut half: Vec<((u32, u32), f64)> = Vec::new();
        for same in released.chunk_by(|a, b| a.0.0 == b.0.0) {
            let leaves = leaves(0, same[0].0.0);
            for &((_, y), count) in same {
                for &(leaf, share) in &leaves {
                    let place = *at.entry((leaf, y)).or_insert_with(|| {
                        half.push(((leaf, y), 0.0));
                        half.len() - 1
                    });
                    half[place].1 += count * share;
                }
            }
        }
        half.sort_by_key(|((_, y), _)| *y);
        let place: FxHashMap<(u32, u32), usize> =
            original.iter().enumerate().map(|(i, (group, _))| (*group, i)).collect();
        let mut estimates = vec![0.0; original.len()];
        for same in half.chunk_by(|a, b| a.0.1 == b.0.1) {
            let leaves = leaves(1, same[0].0.1);
            for &((first, _), count) in same {
                for &(second, share) in &leaves {
                    if let Some(&group) = place.get(&(first, second)) {
                        estimates[group] += count * share;
                    }
                }
            }
        }
        estimates
    }
}

/// Records over all groups.
fn total(groups: &[((u32, u32), f64)]) -> f64 {
    groups.iter().map(|(_, count)| count).sum()
}

fn wrong(column: usize, problem: impl Into<Problem>) -> Wrong {
    Wrong { column, problem: problem.into() }
}

fn find(sides: &Sides, name: &Name) -> Result<usize, Wrong> {
    sides.attributes.iter().position(|attribute| attribute.name == name.text).ok_or_else(|| {
        let names: Vec<&str> = sides.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        wrong(
            name.column,
            Problem::new("no attribute of both tables").mend(format!("they are: {}", names.join(", "))),
        )
    })
}

/// The original's codes under released ones, with the share of the released value's leaves that they are.
struct LeavesUnder<'a> {
    attribute: &'a Attribute,
    region: Option<&'a AllowedPlaces>,
    /// The original's codes by the places that they begin at.
    order: Vec<u32>,
}

impl<'a> LeavesUnder<'a> {
    fn new(attribute: &'a Attribute, region: Option<&'a AllowedPlaces>) -> Self {
        let unordered = Self { attribute, region, order: Vec::new() };
        let mut order: Vec<u32> = (0..attribute.covers[ORIGINAL].len() as u32).collect();
        order.sort_by_key(|&code| unordered.ends(code));
        Self { order, ..unordered }
    }

    fn ends(&self, code: u32) -> (u64, u64) {
        let runs = self.attribute.covers[ORIGINAL][code as usize].runs();
        (runs.first().map_or(0, |run| run.first), runs.last().map_or(0, |run| run.last))
    }

    fn share(&self, cover: &Cover, code: u32) -> f64 {
        let runs = self.attribute.covers[ORIGINAL][code as usize].runs();
        match self.region {
            Some(region) => cover.share(&common(runs, &region.runs)),
            None => cover.share(runs),
        }
    }

    fn of(&self, released: u32) -> Vec<(u32, f64)> {
        let cover = &self.attribute.covers[RELEASED][released as usize];
        let mut found: Vec<(u32, f64)> = Vec::new();
        for run in cover.runs() {
            let from = self.order.partition_point(|&code| self.ends(code).1 < run.first);
            let inside = self.order[from..].iter().take_while(|&&code| self.ends(code).0 <= run.last);
            found.extend(inside.map(|&code| (code, self.share(cover, code))));
        }
        found.dedup_by_key(|(code, _)| *code);
        found
    }
}

/// The places in both.
fn common(a: &[Run], b: &[Run]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut from = 0;
    for own in a {
        from += b[from..].partition_point(|run| run.last < own.first);
        runs.extend(
            b[from..].iter().take_while(|run| run.first <= own.last).filter_map(|run| meet(own, run)),
        );
    }
    runs
}

fn meet(a: &Run, b: &Run) -> Option<Run> {
    let run = Run { first: a.first.max(b.first), last: a.last.min(b.last) };
    (run.first <= run.last).then_some(run)
}

/// The places outside, up to `places`.
fn outside(runs: &[Run], places: u64) -> Vec<Run> {
    let (mut next, mut gaps) = (0, Vec::new());
    for run in runs {
        if run.first > next {
            gaps.push(Run { first: next, last: run.first - 1 });
        }
        next = run.last + 1;
    }
    if next < places {
        gaps.push(Run { first: next, last: places - 1 });
    }
    gaps
}

/// The places that a condition allows; a missing value meets none.
fn region(attribute: &Attribute, condition: &Condition) -> Result<AllowedPlaces, Wrong> {
    let space = &attribute.space;
    let numeric = space.numbers() > 0 || space.steps().is_some();
    let literals = match &condition.test {
        Test::Between(low, high) => vec![low, high],
        Test::In(values) => values.iter().collect(),
        Test::AtLeast(value) | Test::AtMost(value) => vec![value],
    };
    if let Some(literal) = literals.iter().find(|literal| numeric && literal.number.is_none()) {
        let problem =
            Problem::new(format!("the values of `{}` are numbers", attribute.name)).expected("a number");
        return Err(wrong(literal.column, problem));
    }
    let named = matches!(condition.test, Test::In(_)) && !condition.negated;
    let Some(places) = space.steps() else {
        let holds = |label: &str| listed(label, &condition.test, numeric) != condition.negated;
        return Ok(AllowedPlaces { runs: space.places_where(holds).unwrap_or_default(), named });
    };
    let number = |literal: &Literal| literal.number.unwrap_or(f64::NAN);
    let between = |low, high| space.between(low, high).into_iter().collect::<Vec<Run>>();
    let runs = match &condition.test {
        Test::Between(low, high) => between(number(low), number(high)),
        Test::AtLeast(value) => between(number(value), f64::INFINITY),
        Test::AtMost(value) => between(f64::NEG_INFINITY, number(value)),
        Test::In(values) => {
            let runs = values.iter().filter_map(|value| space.between(number(value), number(value)));
            Cover::new(runs.collect(), 0.0).runs().to_vec()
        }
    };
    Ok(AllowedPlaces { runs: if condition.negated { outside(&runs, places) } else { runs }, named })
}

/// Whether a test holds of a listed leaf: numbers by size, text by code point.
fn listed(label: &str, test: &Test, numeric: bool) -> bool {
    // Read once, and of numbers alone: a hierarchy can have very many labels.
    let own = numeric.then(|| position(label)).flatten();
    let order = |literal: &Literal| match (own, literal.number) {
        (Some(own), Some(number)) => own.partial_cmp(&number).unwrap_or(Ordering::Equal),
        _ => label.cmp(&literal.text),
    };
    match test {
        Test::Between(low, high) => order(low).is_ge() && order(high).is_le(),
        Test::In(values) => values.iter().any(|value| order(value).is_eq()),
        Test::AtLeast(value) => order(value).is_ge(),
        Test::AtMost(value) => order(value).is_le(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    #[test]
    fn runs_meet_and_leave_gaps() {
        let (a, b) = ([run(0, 4), run(8, 9)], [run(3, 8), run(9, 20)]);
        assert_eq!(common(&a, &b), [run(3, 4), run(8, 8), run(9, 9)]);
        assert_eq!(outside(&a, 12), [run(5, 7), run(10, 11)]);
        assert_eq!(outside(&[], 3), [run(0, 2)]);
        assert!(outside(&[run(0, 2)], 3).is_empty());
    }
}
