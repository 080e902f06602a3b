//! Sets of three items: which are too rare, and which items of a person must go for it.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::group::Group;
use super::postings::{Postings, Spot};
use super::tally::Tally;
use super::{Stopped, Watch};

/// The most rare triples of persons that the first sweep holds for the second: 12 bytes each. What is above it is counted a
/// second time, to the same result.
const HELD: usize = 1 << 24;

/// Items whose rare triples the second sweep finds at a time.
const BATCH: usize = 64;

const NOWHERE: u32 = u32::MAX;

/// A person's rare triple: the places of its three items among all items of the class, ascending.
type Triple = [u32; 3];

/// Which pairs of a person and an item stay, if of each rare triple of a person one item goes. None if there is no rare
/// triple. All pairs must be those of k persons.
///
/// Two sweeps over the items, each as the rarest of three. The first counts for each item of a person its rare triples;
/// the second removes, triple by triple in the order of ranks, the item with most of them, if the triple is still whole.
pub(super) fn thin(group: &mut Group, k: u32, watch: Watch<'_>) -> Result<Option<Vec<bool>>, Stopped> {
    let alive = match k {
        0..=0xff => sweep::<u8>(group, k, watch)?,
        0x100..=0xffff => sweep::<u16>(group, k, watch)?,
        _ => sweep::<u32>(group, k, watch)?,
    };
    group.touched.iter_mut().for_each(|touched| touched.triples = false);
    Ok(alive)
}

fn sweep<T: Tally>(group: &Group, k: u32, watch: Watch<'_>) -> Result<Option<Vec<bool>>, Stopped> {
    let postings = Postings::of(group, 2, |item| group.touched[item].triples);
    let sweep = Sweep { group, postings: &postings, enough: T::enough(k), watch };
    let (violations, mut found) = sweep.first()?;
    if found.iter().all(|found| matches!(found, Found::Held(triples) if triples.is_empty())) {
        return Ok(None);
    }
    Ok(Some(sweep.second(&violations, &mut found)?))
}

/// The rare triples of which an item is the rarest.
enum Found {
    Held(Vec<Triple>),
    /// Too many of them: they must be counted again.
    Many,
}

struct Sweep<'a, T> {
    group: &'a Group,
    postings: &'a Postings,
    enough: T,
    watch: Watch<'a>,
}

impl<T: Tally> Sweep<'_, T> {
    /// How many rare triples each item of a person is in, and the triples themselves as far as there is room.
    fn first(&self) -> Result<(Vec<AtomicU32>, Vec<Found>), Stopped> {
        let violations: Vec<AtomicU32> = (0..self.group.sets.len()).map(|_| AtomicU32::new(0)).collect();
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
                    let room = held.fetch_add(triples.len(), Ordering::Relaxed) + triples.len() <= HELD;
                    Ok(if room { Found::Held(triples) } else { Found::Many })
                },
            )
            .collect::<Result<_, _>>()?;
        Ok((violations, found))
    }

    /// Which items stay.
    fn second(&self, violations: &[AtomicU32], found: &mut [Found]) -> Result<Vec<bool>, Stopped> {
        let mut alive = vec![true; self.group.sets.len()];
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
            triples.iter().flatten().for_each(|triple| hit(triple, violations, &mut alive));
        }
        Ok(alive)
    }

    /// The rare triples of which `item` is the rarest, person by person.
    fn rare(&self, square: &mut Square<T>, item: usize) -> Result<Vec<Triple>, Stopped> {
        self.watch.check()?;
        Ok(square.rare(self.group.sets.items(), self.postings.spots(item), self.enough))
    }
}

/// Removes one item of a triple that is still whole: the one in most rare triples; among equals the rarest.
fn hit(triple: &Triple, violations: &[AtomicU32], alive: &mut [bool]) {
    if triple.iter().any(|&place| !alive[place as usize]) {
        return;
    }
    let rank = |&&place: &&u32| (violations[place as usize].load(Ordering::Relaxed), Reverse(place));
    if let Some(&worst) = triple.iter().max_by_key(rank) {
        alive[worst as usize] = false;
    }
}

/// Counts pairs among the items behind a given one.
struct Square<T> {
    /// Of each rank that is met its number among them.
    numbers: Vec<u32>,
    /// The ranks that are met, ascending.
    met: Vec<u32>,
    /// Of each two numbers x < y how many persons have both, at y(y − 1)/2 + x.
    triangle: Vec<T>,
    set: Vec<u32>,
}

impl<T: Tally> Square<T> {
    fn new(ranks: usize) -> Self {
        Self { numbers: vec![NOWHERE; ranks], met: Vec::new(), triangle: Vec::new(), set: Vec::new() }
    }

    fn rare(&mut self, items: &[u32], spots: &[Spot], enough: T) -> Vec<Triple> {
        self.meet(items, spots);
        for spot in spots {
            self.number(spot.behind(items));
            for (later, &commoner) in self.set.iter().enumerate() {
                let row = row(&mut self.triangle, commoner);
                self.set[..later].iter().for_each(|&rarer| row[rarer as usize].increment());
            }
        }
        let mut rare = Vec::new();
        for spot in spots {
            self.number(spot.behind(items));
            for (later, &commoner) in self.set.iter().enumerate() {
                let row = row(&mut self.triangle, commoner);
                for (earlier, _) in
                    self.set[..later].iter().enumerate().filter(|&(_, &rarer)| row[rarer as usize] < enough)
                {
                    rare.push(
                        [spot.at(), spot.at() + 1 + earlier, spot.at() + 1 + later].map(|place| place as u32),
                    );
                }
            }
        }
        self.met.drain(..).for_each(|rank| self.numbers[rank as usize] = NOWHERE);
        rare
    }

    /// Numbers the items that come behind the spots.
    fn meet(&mut self, items: &[u32], spots: &[Spot]) {
        for &rank in spots.iter().flat_map(|spot| spot.behind(items)) {
            if self.numbers[rank as usize] == NOWHERE {
                self.numbers[rank as usize] = 0;
                self.met.push(rank);
            }
        }
        self.met.sort_unstable();
        for (number, &rank) in (0..).zip(&self.met) {
            self.numbers[rank as usize] = number;
        }
        self.triangle.clear();
        self.triangle.resize(self.met.len() * self.met.len().saturating_sub(1) / 2, T::default());
    }

    /// The numbers of a person's items: ascending, as the ranks are.
    fn number(&mut self, ranks: &[u32]) {
        self.set.clear();
        self.set.extend(ranks.iter().map(|&rank| self.numbers[rank as usize]));
    }
}

/// The counts of all pairs whose larger number is `number`.
fn row<T>(triangle: &mut [T], number: u32) -> &mut [T] {
    let number = number as usize;
    let start = number * number.saturating_sub(1) / 2;
    &mut triangle[start..start + number]
}
