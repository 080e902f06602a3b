//! Values of which a group of the catalog holds no counterfeit.
//!
//! # Summary
//! Lemma 1 guards counterfeits. It does nothing for the records of a value that the catalog does not name: in a
//! class that can hold counterfeits these are real for sure. So some counterfeits of values of which a group has
//! several take such a value instead.
//!
//! # Definition
//! For each group and each value s that real records of its classes have and no counterfeit, in the order of
//! the codes: of the counterfeits whose value the group has another counterfeit of, and in whose class s would be
//! concealed (Lemma 1: another class of the group has it), those of the [`NEAREST`] classes to a class that has s
//! are candidates, and a random one becomes s. At most [`SHARE`] of a group's counterfeits change, since values drawn
//! near by look real, and these were not. What is left uncovered the report counts.
//!
//! # Complexity
//! O(cells of the groups + changed · counterfeits of the group).
//!
//! # References
//! None: it is ours.

use std::collections::BTreeMap;

use velamen_core::classes::ClassTable;
use velamen_core::plan::Counterfeits;
use velamen_dp::{Stream, below};

use super::pool::{Surroundings, add};

/// Candidates among which chance decides.
const NEAREST: usize = 8;

/// One counterfeit in so many may change.
const SHARE: u64 = 8;

/// A counterfeit: its place among all classes' counterfeits, and its value.
type Place = (usize, u32);

/// Covers what can be covered; nothing where nobody knows who is near. `classes` hold what conceals.
pub(super) fn cover(
    classes: &ClassTable,
    counterfeits: &mut [Counterfeits],
    groups: &[Vec<u32>],
    near: Surroundings<'_>,
    stream: &mut Stream,
) {
    let Some(kin) = near.kin else { return };
    let of_class: BTreeMap<u32, usize> = counterfeits.iter().map(|c| c.class).zip(0..).collect();
    for group in groups {
        let own: Vec<usize> = group.iter().filter_map(|class| of_class.get(class).copied()).collect();
        let mut holders: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &class in group {
            classes
                .sensitive(class as usize)
                .iter()
                .for_each(|&(s, _)| holders.entry(s).or_default().push(class));
        }
        let mut listed: BTreeMap<u32, u64> = BTreeMap::new();
        for &(value, count) in own.iter().flat_map(|&place| &counterfeits[place].values) {
            *listed.entry(value).or_default() += count;
        }
        let mut left = listed.values().sum::<u64>() / SHARE;
        holders.retain(|value, _| !listed.contains_key(value));
        for (&value, held) in &holders {
            if left == 0 {
                break;
            }
            let fits = |class: u32| {
                let concealed = held.iter().any(|&holder| holder != class);
                concealed && !near.excluded.is_some_and(|pairs| pairs.has(class, value))
            };
            let distance = |class: u32| held.iter().map(|&holder| kin.distance(holder, class)).min();
            let candidates = candidates(counterfeits, &own, &listed, fits, distance);
            if candidates.is_empty() {
                continue;
            }
            let (place, before) = candidates[below(stream, candidates.len() as u64) as usize];
            change(&mut counterfeits[place].values, before, value);
            listed.entry(before).and_modify(|count| *count -= 1);
            left -= 1;
        }
    }
}

/// The counterfeits that may take a value of these holders, those of the nearest classes.
fn candidates(
    counterfeits: &[Counterfeits],
    own: &[usize],
    listed: &BTreeMap<u32, u64>,
    fits: impl Fn(u32) -> bool,
    distance: impl Fn(u32) -> Option<u32>,
) -> Vec<Place> {
    let mut nearest: Vec<(u32, Place)> = Vec::new();
    for &place in own {
        let Counterfeits { class, values } = &counterfeits[place];
        let spare = values.iter().map(|cell| cell.0).find(|value| listed.get(value).is_some_and(|&n| n > 1));
        if let (true, Some(value)) = (fits(*class), spare) {
            nearest.push((distance(*class).unwrap_or(u32::MAX), (place, value)));
        }
    }
    nearest.sort_unstable();
    nearest.into_iter().take(NEAREST).map(|(_, place)| place).collect()
}

/// One counterfeit has another value.
fn change(values: &mut Vec<(u32, u64)>, before: u32, after: u32) {
    if let Some(cell) = values.iter_mut().find(|cell| cell.0 == before) {
        cell.1 -= 1;
    }
    values.retain(|cell| cell.1 > 0);
    add(values, after);
}
