//! The persons of one class and what they are left with.

use super::rank::Ranked;
use crate::Sets;
use crate::asked::Asked;

/// An item that a person loses, as the person's number in the class and the item's rank.
pub(crate) type Loss = (u32, u32);

/// A person who has an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Having<'a> {
    pub(crate) person: u32,
    /// Where the item stands among the items of the class.
    pub(crate) place: usize,
    /// The person's items behind it: those that are commoner.
    pub(crate) behind: &'a [u32],
}

/// The persons of one class. Their items are ranks, as [`Ranked`] has them; sets only shrink.
#[derive(Debug)]
pub(crate) struct Group {
    /// The sets as they were: where each person's items begin.
    start: Sets,
    /// What the persons are left with, each at the begin of their place in `start`.
    items: Vec<u32>,
    lengths: Vec<u32>,
    names: Vec<u32>,
    counts: Vec<u32>,
    /// Who had each rank at the start.
    postings: Sets,
}

impl Group {
    /// The class of persons with these nodes, without those of fewer than k.
    pub(crate) fn new(image: &Sets, asked: &Asked) -> Self {
        let Ranked { sets, names, counts } = Ranked::of(image, asked);
        let lengths = (0..sets.persons()).map(|person| sets.of(person).len() as u32).collect();
        Self { items: sets.items().to_vec(), lengths, names, counts, postings: sets.turned(), start: sets }
    }

    pub(crate) fn persons(&self) -> usize {
        self.lengths.len()
    }

    /// How many different items there were at the start.
    pub(crate) fn ranks(&self) -> usize {
        self.names.len()
    }

    /// How many places there are for items of persons.
    pub(crate) fn places(&self) -> usize {
        self.items.len()
    }

    /// A person's items, the rarest first.
    pub(crate) fn of(&self, person: usize) -> &[u32] {
        let start = self.start.range(person).start;
        &self.items[start..start + self.lengths[person] as usize]
    }

    /// The node of each rank.
    pub(crate) fn names(&self) -> &[u32] {
        &self.names
    }

    /// The persons who have an item.
    pub(crate) fn having(&self, item: usize) -> impl Iterator<Item = Having<'_>> {
        self.postings.of(item).iter().filter_map(move |&person| {
            let set = self.of(person as usize);
            let at = set.binary_search(&(item as u32)).ok()?;
            let place = self.start.range(person as usize).start + at;
            Some(Having { person, place, behind: &set[at + 1..] })
        })
    }

    /// The person and the rank at a place.
    pub(crate) fn loss(&self, place: usize) -> Loss {
        (self.start.person(place) as u32, self.items[place])
    }

    /// Removes items from persons, and then from everybody the items that fewer than k are left with. No set of items gets
    /// rare by the second: it has nobody any more.
    pub(crate) fn remove(&mut self, losses: &[Loss], k: u32) {
        for &(person, rank) in losses {
            self.take(person, rank);
        }
        for &(_, rank) in losses {
            if (1..k).contains(&self.counts[rank as usize]) {
                self.drop_everywhere(rank);
            }
        }
    }

    fn drop_everywhere(&mut self, rank: u32) {
        let persons: Vec<u32> = self.having(rank as usize).map(|having| having.person).collect();
        persons.into_iter().for_each(|person| self.take(person, rank));
    }

    fn take(&mut self, person: u32, rank: u32) {
        let start = self.start.range(person as usize).start;
        let length = &mut self.lengths[person as usize];
        let set = &mut self.items[start..start + *length as usize];
        if let Ok(at) = set.binary_search(&rank) {
            set.copy_within(at + 1.., at);
            *length -= 1;
            self.counts[rank as usize] -= 1;
        }
    }

    /// The nodes that each person is left with, ascending.
    pub(crate) fn named(&self) -> Sets {
        Sets::gather(self.persons(), |person, nodes| {
            let start = nodes.len();
            nodes.extend(self.of(person).iter().map(|&rank| self.names[rank as usize]));
            nodes[start..].sort_unstable();
        })
    }
}
