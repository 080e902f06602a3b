//! Counterfeits spread evenly over the values of a group.
//!
//! # Summary
//! Chance gives a group of the catalog more counterfeits of one value than of another, in proportion to its records, and
//! none at all of many: a row then shows which records are rather real, and the records of a value without a row
//! are real for sure. So some counterfeits of values that got many take a value that got few or none.
//!
//! # Definition
//! Let a group have R real records in classes that can hold counterfeits, r of them with value s, and C counterfeits, c of
//! them of s. The *share due* to s is C · r / R. A value *lacks* if c = 0, or c is below its due by more than ½;
//! it can *give* if c is at least 2 and above its due by more than ½. For each value that lacks, those without a
//! counterfeit first, as long as it does: from the class of a random record that has it, outwards in the order
//! of nearness ([`super::kin`]), the first counterfeit of a value that can give takes the value. It has to be
//! concealed there (Lemma 1) and possible, and at most [`MOST_LOOKS`] counterfeits are looked at.
//!
//! Values stay near to where they are at home, and what was kept of an earlier release is left as it was. What is
//! not covered the custodian's report counts.
//!
//! # Complexity
//! O(cells of the groups + counterfeits · [`MOST_LOOKS`]).
//!
//! # References
//! None: it is ours.

use std::collections::BTreeMap;

use velamen_core::classes::ClassTable;
use velamen_core::plan::Counterfeits;
use velamen_dp::{Stream, below};

use super::pool::{Surroundings, add};

/// Counterfeits that are looked at for one that may take a value.
const MOST_LOOKS: usize = 64;

/// Half a counterfeit: a value is not nearer to its due with one more or less.
const HALF: f64 = 0.5;

/// What a group has of a value.
#[derive(Debug, Default)]
struct Held {
    /// The classes that have it, with their records.
    holders: Vec<(u32, u64)>,
    real: u64,
    counterfeits: u64,
}

/// A group while its counterfeits change values.
struct Spreading<'a> {
    near: Surroundings<'a>,
    /// The places of its classes' counterfeits in the list of all, by who is near, with where they stand in that order.
    places: Vec<(u32, usize)>,
    held: BTreeMap<u32, Held>,
    /// Counterfeits by real record.
    due: f64,
}

/// Spreads the counterfeits of each group; nothing where nobody knows who is near. `classes` hold what conceals.
pub(super) fn cover(
    classes: &ClassTable,
    counterfeits: &mut [Counterfeits],
    groups: &[Vec<u32>],
    near: Surroundings<'_>,
    stream: &mut Stream,
) {
    let of_class: BTreeMap<u32, usize> = counterfeits.iter().map(|c| c.class).zip(0..).collect();
    for group in groups {
        if let Some(mut spreading) = Spreading::new(classes, counterfeits, group, &of_class, near) {
            spreading.run(counterfeits, stream);
        }
    }
}

impl<'a> Spreading<'a> {
    fn new(
        classes: &ClassTable,
        counterfeits: &[Counterfeits],
        group: &[u32],
        of_class: &BTreeMap<u32, usize>,
        near: Surroundings<'a>,
    ) -> Option<Self> {
        let kin = near.kin?;
        let mut held: BTreeMap<u32, Held> = BTreeMap::new();
        for &class in group {
            for &(value, count) in classes.sensitive(class as usize) {
                let held = held.entry(value).or_default();
                held.holders.push((class, count));
                held.real += count;
            }
        }
        let own = group.iter().filter_map(|class| Some((kin.place(*class), *of_class.get(class)?)));
        let mut places: Vec<(u32, usize)> = own.collect();
        places.sort_unstable();
        for &(value, count) in places.iter().flat_map(|&(_, place)| &counterfeits[place].values) {
            held.entry(value).or_default().counterfeits += count;
        }
        let real: u64 = held.values().map(|held| held.real).sum();
        let all: u64 = held.values().map(|held| held.counterfeits).sum();
        Some(Self { near, places, held, due: all as f64 / real.max(1) as f64 })
    }

    fn run(&mut self, counterfeits: &mut [Counterfeits], stream: &mut Stream) {
        let (without, with): (Vec<u32>, Vec<u32>) =
            self.held.keys().partition(|value| self.held[value].counterfeits == 0);
        for value in without.into_iter().chain(with) {
            while self.lacks(value) {
                let Some((place, before)) = self.giver(value, counterfeits, stream) else { break };
                change(&mut counterfeits[place].values, before, value);
                self.held.entry(before).and_modify(|held| held.counterfeits -= 1);
                self.held.entry(value).and_modify(|held| held.counterfeits += 1);
            }
        }
    }

    /// How far a value is above its due.
    fn excess(&self, value: u32) -> f64 {
        let held = &self.held[&value];
        held.counterfeits as f64 - self.due * held.real as f64
    }

    fn lacks(&self, value: u32) -> bool {
        let held = &self.held[&value];
        held.real > 0 && (held.counterfeits == 0 || self.excess(value) < -HALF)
    }

    fn can_give(&self, value: u32) -> bool {
        self.held[&value].counterfeits > 1 && self.excess(value) > HALF
    }

    /// The counterfeit, by place and value, that takes a value.
    fn giver(&self, value: u32, counterfeits: &[Counterfeits], stream: &mut Stream) -> Option<(usize, u32)> {
        let kin = self.near.kin?;
        let held = &self.held[&value];
        let mut record = below(stream, held.real);
        let home = held.holders.iter().find(|(_, count)| {
            let here = record < *count;
            record = record.saturating_sub(*count);
            here
        });
        let from = self.places.partition_point(|&(at, _)| at < kin.place(home.map_or(0, |home| home.0)));
        let outwards = outwards(from, self.places.len()).take(MOST_LOOKS).map(|at| self.places[at].1);
        let mut fitting = outwards.filter(|&place| self.fits(&counterfeits[place], value));
        fitting.find_map(|place| {
            let given = counterfeits[place].values.iter().map(|cell| cell.0);
            given
                .filter(|&before| before != value)
                .find(|&before| self.can_give(before))
                .map(|before| (place, before))
        })
    }

    /// Whether one more counterfeit of a class can have a value.
    fn fits(&self, counterfeits: &Counterfeits, value: u32) -> bool {
        let Counterfeits { class, values } = counterfeits;
        let kept = self.near.kept.is_some_and(|kept| kept[*class as usize].is_some());
        let possible = !self.near.excluded.is_some_and(|pairs| pairs.has(*class, value));
        let own = values.iter().find(|cell| cell.0 == value).map_or(0, |cell| cell.1);
        let held = &self.held[&value];
        let here = held.holders.binary_search_by_key(class, |holder| holder.0);
        let others = held.real - here.map_or(0, |at| held.holders[at].1);
        !kept && possible && own < others
    }
}

/// 0 to `end`, from a place outwards.
fn outwards(from: usize, end: usize) -> impl Iterator<Item = usize> {
    let up = (from..end).map(Some).chain(std::iter::repeat(None));
    let down = (0..from).rev().map(Some).chain(std::iter::repeat(None));
    up.zip(down).take_while(|pair| *pair != (None, None)).flat_map(|(up, down)| up.into_iter().chain(down))
}

/// One counterfeit has another value.
fn change(values: &mut Vec<(u32, u64)>, before: u32, after: u32) {
    if let Some(cell) = values.iter_mut().find(|cell| cell.0 == before) {
        cell.1 -= 1;
    }
    values.retain(|cell| cell.1 > 0);
    add(values, after);
}
