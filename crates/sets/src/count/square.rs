//! Sets of three items.

use super::bits::bit;
use super::group::Group;
use super::tally::Tally;

const NOWHERE: u32 = u32::MAX;

/// Three items of a person, as places among all items of the class, ascending.
pub(crate) type Triple = [u32; 3];

/// An item behind the given one: its number among all those, and its place.
#[derive(Debug, Clone, Copy)]
struct Other {
    number: u32,
    place: u32,
}

/// Counts pairs among the items behind a given one.
pub(crate) struct Square<T> {
    /// Of each rank that is met its number among them.
    numbers: Vec<u32>,
    /// The ranks that are met, ascending.
    met: Vec<u32>,
    /// The items behind the given one, person by person, and where each person's end.
    others: Vec<Other>,
    /// The place of the given item, and where the person's `others` end.
    persons: Vec<(u32, usize)>,
    /// Of each two numbers x < y how many persons have both, at y(y − 1)/2 + x.
    triangle: Vec<T>,
}

impl<T: Tally> Square<T> {
    /// Room for counts of so many ranks.
    pub(crate) fn new(ranks: usize) -> Self {
        Self {
            numbers: vec![NOWHERE; ranks],
            met: Vec::new(),
            others: Vec::new(),
            persons: Vec::new(),
            triangle: Vec::new(),
        }
    }

    /// The triples with `item` as the rarest that fewer than `enough` persons have, person by person. Only the items of
    /// `only` are looked at behind it, if that is given.
    pub(crate) fn rare(
        &mut self,
        group: &Group,
        item: usize,
        only: Option<&[u64]>,
        enough: T,
    ) -> Vec<Triple> {
        self.count(group, item, only);
        let mut rare = Vec::new();
        let mut start = 0;
        for &(place, end) in &self.persons {
            let others = &self.others[start..end];
            for (later, commoner) in others.iter().enumerate() {
                let row = row(&mut self.triangle, commoner.number);
                let few = others[..later].iter().filter(|rarer| row[rarer.number as usize] < enough);
                rare.extend(few.map(|rarer| [place, rarer.place, commoner.place]));
            }
            start = end;
        }
        rare
    }

    /// The least number of persons who have a triple with `item` as the rarest.
    pub(crate) fn least(&mut self, group: &Group, item: usize) -> Option<T> {
        self.count(group, item, None);
        self.triangle.iter().copied().filter(|&count| count > T::default()).min()
    }

    fn count(&mut self, group: &Group, item: usize, only: Option<&[u64]>) {
        self.read(group, item, only);
        self.number();
        let mut start = 0;
        for &(_, end) in &self.persons {
            let others = &self.others[start..end];
            for (later, commoner) in others.iter().enumerate() {
                let row = row(&mut self.triangle, commoner.number);
                others[..later].iter().for_each(|rarer| row[rarer.number as usize].increment());
            }
            start = end;
        }
    }

    /// Reads the suspect items behind `item`, of the persons who have two of them.
    fn read(&mut self, group: &Group, item: usize, only: Option<&[u64]>) {
        self.others.clear();
        self.persons.clear();
        for having in group.having(item) {
            let start = self.others.len();
            for (place, &number) in (having.place as u32 + 1..).zip(having.behind) {
                if only.is_none_or(|row| bit(row, number)) {
                    self.others.push(Other { number, place });
                }
            }
            if self.others.len() < start + 2 {
                self.others.truncate(start);
            } else {
                self.persons.push((having.place as u32, self.others.len()));
            }
        }
    }

    /// Numbers the items that were read, in the order of ranks, and makes room for their pairs.
    fn number(&mut self) {
        for other in &self.others {
            if self.numbers[other.number as usize] == NOWHERE {
                self.numbers[other.number as usize] = 0;
                self.met.push(other.number);
            }
        }
        self.met.sort_unstable();
        (0..).zip(&self.met).for_each(|(number, &rank)| self.numbers[rank as usize] = number);
        self.others.iter_mut().for_each(|other| other.number = self.numbers[other.number as usize]);
        self.triangle.clear();
        self.triangle.resize(self.met.len() * self.met.len().saturating_sub(1) / 2, T::default());
        self.met.drain(..).for_each(|rank| self.numbers[rank as usize] = NOWHERE);
    }
}

/// The counts of all pairs whose larger number is `number`.
fn row<T>(triangle: &mut [T], number: u32) -> &mut [T] {
    let number = number as usize;
    let start = number * number.saturating_sub(1) / 2;
    &mut triangle[start..start + number]
}
