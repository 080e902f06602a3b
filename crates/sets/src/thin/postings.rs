//! Who has an item, and which of their items are commoner.

use super::group::Group;

/// A person's item, as a place among all items of the class, and where that person's items end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spot {
    at: u32,
    end: u32,
}

impl Spot {
    /// The place of the item itself.
    pub(super) fn at(self) -> usize {
        self.at as usize
    }

    /// The person's items behind it: those that are commoner.
    pub(super) fn behind(self, items: &[u32]) -> &[u32] {
        &items[self.at as usize + 1..self.end as usize]
    }
}

/// Of each item the spots at which persons have it, person by person.
#[derive(Debug)]
pub(super) struct Postings {
    offsets: Vec<usize>,
    spots: Vec<Spot>,
}

impl Postings {
    /// The spots of the items that are `wanted`, where at least `behind` of the person's items follow.
    pub(super) fn of(group: &Group, behind: usize, wanted: impl Fn(usize) -> bool) -> Self {
        let wanted: Vec<bool> = (0..group.ranks()).map(wanted).collect();
        let mut offsets = Vec::with_capacity(wanted.len() + 1);
        offsets.push(0);
        for (&wanted, &count) in wanted.iter().zip(&group.counts) {
            offsets.push(offsets[offsets.len() - 1] + if wanted { count as usize } else { 0 });
        }
        let mut next = offsets.clone();
        let mut spots = vec![Spot::default(); offsets[wanted.len()]];
        for person in 0..group.sets.persons() {
            let range = group.sets.range(person);
            for at in range.start..range.end.saturating_sub(behind).max(range.start) {
                let item = group.sets.items()[at] as usize;
                if wanted[item] {
                    spots[next[item]] = Spot { at: at as u32, end: range.end as u32 };
                    next[item] += 1;
                }
            }
        }
        Self::filled(offsets, &next, spots)
    }

    /// Closes the gaps of spots that too few items follow.
    fn filled(offsets: Vec<usize>, ends: &[usize], mut spots: Vec<Spot>) -> Self {
        let mut closed = Vec::with_capacity(offsets.len());
        closed.push(0);
        let mut filled = 0;
        for (&start, &end) in offsets.iter().zip(&ends[..offsets.len() - 1]) {
            spots.copy_within(start..end, filled);
            filled += end - start;
            closed.push(filled);
        }
        spots.truncate(filled);
        Self { offsets: closed, spots }
    }

    /// The spots of an item.
    pub(super) fn spots(&self, item: usize) -> &[Spot] {
        &self.spots[self.offsets[item]..self.offsets[item + 1]]
    }
}
