//! How many persons have each set of items, by following every set from its first item on.
//!
//! All places of items are sorted by class and item. Those of one item are the persons who have it; what follows in their
//! lists is sorted again for the second item, and so on; the last item is counted. No set is stored, so that memory
//! follows from pairs of person and item, not from the number of sets.

use rayon::prelude::*;

use super::source::Host;

/// The items of persons, each person's ascending and once.
pub(super) struct Sets {
    starts: Vec<usize>,
    items: Vec<u32>,
    /// How many different items there are.
    distinct: usize,
}

/// An item in a person's list, and where the list goes on after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    class: u32,
    item: u32,
    person: u32,
    next: u32,
}

impl Sets {
    /// From pairs of person and item, in any order and any number of times.
    pub(super) fn new(mut pairs: Vec<(u32, u32)>, persons: usize, distinct: usize) -> Self {
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut starts = Vec::with_capacity(persons.saturating_add(1));
        starts.push(0);
        let mut of_persons = pairs.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut end = 0_usize;
        for person in 0..persons {
            let is_next = |run: &&[(u32, u32)]| run.first().is_some_and(|pair| pair.0 as usize == person);
            end = end.saturating_add(of_persons.next_if(is_next).map_or(0, <[_]>::len));
            starts.push(end);
        }
        Self { starts, items: pairs.into_iter().map(|pair| pair.1).collect(), distinct }
    }

    fn of(&self, person: u32) -> &[u32] {
        let (first, second) = (person as usize, (person as usize).saturating_add(1));
        let ends = self.starts.get(first).zip(self.starts.get(second));
        ends.and_then(|(start, end)| self.items.get(*start..*end)).unwrap_or_default()
    }

    /// What a person has after a place.
    fn after(&self, place: Place) -> &[u32] {
        self.of(place.person).get(place.next as usize..).unwrap_or_default()
    }

    /// The places of the items of a person that come `from` there on.
    fn places(&self, class: u32, person: u32, from: u32) -> impl Iterator<Item = Place> {
        let rest = self.of(person).get(from as usize..).unwrap_or_default();
        let next = from.saturating_add(1)..;
        rest.iter().zip(next).map(move |(item, next)| Place { class, item: *item, person, next })
    }

    /// The number of persons of the set of at most `m` items that fewest persons of one class have, of those that
    /// somebody has. `classes` gives each person's. Where `host` ends the check, the number says nothing.
    pub(super) fn fewest(&self, classes: Option<&[u32]>, m: u8, host: &dyn Host) -> Option<u64> {
        let persons = self.starts.len().saturating_sub(1) as u32;
        let class =
            |person: u32| classes.map_or(0, |of| of.get(person as usize).copied().unwrap_or(u32::MAX));
        let all = (0..persons).flat_map(|person| self.places(class(person), person, 0));
        let mut places: Vec<Place> = Vec::with_capacity(self.items.len());
        places.extend(all);
        places.par_sort_unstable();
        let runs: Vec<&[Place]> = places.chunk_by(|a, b| (a.class, a.item) == (b.class, b.item)).collect();
        let of_run = |counts: &mut Counts<'_>, run: &&[Place]| self.fewest_from(run, m, counts);
        runs.par_iter().map_init(|| Counts::new(self.distinct, host), of_run).min()
    }

    /// The same of the sets that begin with the items that all of `persons` have, and at most `m` − 1 more.
    fn fewest_from(&self, persons: &[Place], m: u8, counts: &mut Counts<'_>) -> u64 {
        let here = persons.len() as u64;
        let further = match m {
            _ if counts.host.is_stopped() => None,
            0 | 1 => None,
            2 => counts.fewest(persons.iter().flat_map(|place| self.after(*place))),
            _ => {
                let next = persons.iter().flat_map(|place| self.places(0, place.person, place.next));
                let mut next: Vec<Place> = next.collect();
                next.sort_unstable_by_key(|place| place.item);
                let runs = next.chunk_by(|a, b| a.item == b.item);
                runs.map(|run| self.fewest_from(run, m.saturating_sub(1), counts)).min()
            }
        };
        // Nobody has more without what is here.
        further.unwrap_or(here)
    }
}

/// Counts of items, all 0 between two uses.
struct Counts<'a> {
    of_items: Vec<u32>,
    seen: Vec<u32>,
    host: &'a dyn Host,
}

impl<'h> Counts<'h> {
    fn new(distinct: usize, host: &'h dyn Host) -> Self {
        Self { of_items: vec![0; distinct], seen: Vec::new(), host }
    }

    /// How often the rarest item comes.
    fn fewest<'a>(&mut self, items: impl Iterator<Item = &'a u32>) -> Option<u64> {
        for item in items {
            if let Some(count) = self.of_items.get_mut(*item as usize) {
                if *count == 0 {
                    self.seen.push(*item);
                }
                *count = count.saturating_add(1);
            }
        }
        let counts = &mut self.of_items;
        let of_seen =
            self.seen.drain(..).filter_map(|item| counts.get_mut(item as usize).map(std::mem::take));
        of_seen.min().map(u64::from)
    }
}
