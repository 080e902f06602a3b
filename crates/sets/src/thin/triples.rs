//! Sets of three items: which are too rare, and which items of a person must go for it.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::count::bits::Suspects;
use crate::count::group::{Group, Loss};
use crate::count::square::{Square, Triple};
use crate::count::tally::Tally;
use crate::watch::{Stopped, Watch};

/// The most rare triples of persons that the first sweep holds for the second: 12 bytes each. What is above it is counted a
/// second time, to the same result.
const ROOM: usize = 1 << 24;

/// Items whose rare triples the second sweep finds at a time.
const BATCH: usize = 64;

/// What persons lose, sorted, if of each suspect and rare triple of a person one item goes. All pairs must be those of k
/// persons.
///
/// Two sweeps over the items, each as the rarest of three. The first counts for each item of a person its rare triples;
/// the second removes, triple by triple in the order of ranks, the item with most of them, if the triple is still whole.
pub(super) fn losses(
    group: &Group,
    suspects: &Suspects,
    k: u32,
    watch: &Watch<'_>,
) -> Result<Vec<Loss>, Stopped> {
    match k {
        0..=0xff => Sweep { group, suspects, enough: u8::enough(k), watch, room: ROOM }.losses(),
        0x100..=0xffff => Sweep { group, suspects, enough: u16::enough(k), watch, room: ROOM }.losses(),
        _ => Sweep { group, suspects, enough: u32::enough(k), watch, room: ROOM }.losses(),
    }
}

/// The rare triples of which an item is the rarest.
enum Found {
    Held(Vec<Triple>),
    /// Too many of them: they must be counted again.
    Many,
}

struct Sweep<'a, T> {
    group: &'a Group,
    suspects: &'a Suspects,
    enough: T,
    watch: &'a Watch<'a>,
    /// The most triples that are held.
    room: usize,
}

impl<T: Tally> Sweep<'_, T> {
    fn losses(&self) -> Result<Vec<Loss>, Stopped> {
        let (violations, mut found) = self.first()?;
        if found.iter().all(|found| matches!(found, Found::Held(triples) if triples.is_empty())) {
            return Ok(Vec::new());
        }
        let hit = self.second(&violations, &mut found)?;
        let mut losses: Vec<Loss> = hit.into_iter().map(|place| self.group.loss(place as usize)).collect();
        losses.par_sort_unstable();
        Ok(losses)
    }

    /// How many rare triples each item of a person is in, and the triples themselves as far as there is room.
    fn first(&self) -> Result<(Vec<AtomicU32>, Vec<Found>), Stopped> {
        let violations: Vec<AtomicU32> = (0..self.group.places()).map(|_| AtomicU32::new(0)).collect();
        let held = AtomicUsize::new(0);
        let found = (0..self.group.ranks())
            .into_par_iter()
            .with_max_len(1)
            .map_init(
                || Square::new(self.group.ranks()),
                |square, item| {
                    let triples = self.rare(square, item)?;
                    for &place in triples.iter().flatten() {
                        violations[place as usize].fetch_add(1, Ordering::Relaxed);
                    }
                    let room = held.fetch_add(triples.len(), Ordering::Relaxed) + triples.len() <= self.room;
                    Ok(if room { Found::Held(triples) } else { Found::Many })
                },
            )
            .collect::<Result<_, _>>()?;
        Ok((violations, found))
    }

    /// The places of the items that go.
    fn second(&self, violations: &[AtomicU32], found: &mut [Found]) -> Result<Vec<u32>, Stopped> {
        let mut alive = vec![true; self.group.places()];
        let mut gone = Vec::new();
        for (batch, found) in found.chunks_mut(BATCH).enumerate() {
            let triples = found
                .par_iter_mut()
                .with_max_len(1)
                .enumerate()
                .map_init(
                    || Square::new(self.group.ranks()),
                    |square, (item, found)| match found {
                        Found::Held(triples) => Ok(std::mem::take(triples)),
                        Found::Many => self.rare(square, batch * BATCH + item),
                    },
                )
                .collect::<Result<Vec<_>, _>>()?;
            gone.extend(triples.iter().flatten().filter_map(|triple| hit(triple, violations, &mut alive)));
        }
        Ok(gone)
    }

    /// The rare triples of which `item` is the rarest, person by person.
    fn rare(&self, square: &mut Square<T>, item: usize) -> Result<Vec<Triple>, Stopped> {
        if !self.suspects.any(item) {
            return Ok(Vec::new());
        }
        self.watch.check()?;
        Ok(square.rare(self.group, item, self.suspects.behind(item), self.enough))
    }
}

/// Removes one item of a triple that is still whole: the one in most rare triples; among equals the rarest.
fn hit(triple: &Triple, violations: &[AtomicU32], alive: &mut [bool]) -> Option<u32> {
    if triple.iter().any(|&place| !alive[place as usize]) {
        return None;
    }
    let order = |&&place: &&u32| (violations[place as usize].load(Ordering::Relaxed), Reverse(place));
    let worst = *triple.iter().max_by_key(order)?;
    alive[worst as usize] = false;
    Some(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Asked, Sets};

    /// Persons with six of twenty items each, in a pattern that repeats seldom.
    fn group() -> Group {
        let items = |person: u32| (1..=6).map(move |at| (person, (person * at * at + person / 7 * at) % 20));
        let sets = Sets::from_pairs(200, (0..200).flat_map(items).collect());
        Group::new(&sets, &Asked { k: 1, m: 3, largest_set: 128 })
    }

    #[test]
    fn triples_that_are_not_held_are_found_again() {
        let (group, watch) = (group(), Watch::never());
        let losses = |room| {
            Sweep { group: &group, suspects: &Suspects::All, enough: 3_u8, watch: &watch, room }.losses()
        };
        let all = losses(ROOM).expect("nobody stops");
        assert!(all.len() > 20, "{} losses", all.len());
        assert_eq!(losses(0), Ok(all.clone()));
        assert_eq!(losses(10), Ok(all));
    }

    #[test]
    fn larger_counters_count_the_same() {
        let (group, watch) = (group(), Watch::never());
        fn losses<T: Tally>(group: &Group, enough: T, watch: &Watch<'_>) -> Result<Vec<Loss>, Stopped> {
            Sweep { group, suspects: &Suspects::All, enough, watch, room: ROOM }.losses()
        }
        let small = losses(&group, 3_u8, &watch);
        assert_eq!(small, losses(&group, 3_u16, &watch));
        assert_eq!(small, losses(&group, 3_u32, &watch));
    }

    #[test]
    fn a_triple_that_is_broken_costs_nothing_more() {
        let violations = [1, 3, 3, 9].map(AtomicU32::new);
        let mut alive = vec![true; 4];
        assert_eq!(hit(&[0, 1, 2], &violations, &mut alive), Some(1));
        assert_eq!(alive, [true, false, true, true]);
        assert_eq!(hit(&[1, 2, 3], &violations, &mut alive), None);
        assert_eq!(hit(&[0, 2, 3], &violations, &mut alive), Some(3));
    }
}
