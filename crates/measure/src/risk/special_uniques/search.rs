//! SUDA2: the search for minimal sample uniques.
//!
//! An *item* is a value of an attribute; its *support* the records of a table that have it. For a table T and
//! items in the order of their support, every MSU has one item i of lowest rank, its *anchor*; the rest of
//! it is an MSU of the table T(i) of the records with i, of items of higher rank. So the search goes down
//! from every anchor, with one attribute less each time. What it leaves out, because no MSU can have it:
//!
//! - items that all records of a table have (uniform support);
//! - items of lower rank than the anchor, which were anchors before;
//! - items that are unique by themselves: they are MSUs, and their sets are not minimal;
//! - sets larger than an item's support: for each other item of an MSU some record has all of the set but
//!   that item.
//!
//! A set found in T(i) and i together are alone in T. They need not be minimal, as the set may be alone in T
//! without i; then it, or a part, is found from another anchor. So of the sets found for a record those that
//! contain another are dropped.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use velamen_core::context::{Context, Interrupted};

use super::Msu;
use crate::risk::leak::Columns;

/// The most attributes.
pub const MOST_ATTRIBUTES: usize = u64::BITS as usize;

/// All MSUs of up to `up_to` attributes, ascending by entry, then by size.
///
/// # Errors
/// [`Interrupted`].
///
/// # Panics
/// With more than [`MOST_ATTRIBUTES`] columns.
pub fn search(columns: Columns<'_>, up_to: usize, context: &Context<'_>) -> Result<Vec<Msu>, Interrupted> {
    // More than one record is as good as two, and these are not of one owner.
    let weights: Vec<u32> = columns.counts.iter().map(|&count| count.min(2) as u32).collect();
    let own = |(entry, &weight): (u32, &u32)| if weight > 1 { MANY } else { entry + 1 };
    let owners: Vec<u32> = (0..).zip(&weights).map(own).collect();
    UniquesSearch { weights: &weights, owners: &owners }.run(columns, up_to, context)
}

/// As [`search`] where each entry is one person's: a set of values is unique if one person alone has it, in however many
/// entries.
///
/// # Errors
/// [`Interrupted`].
///
/// # Panics
/// With more than [`MOST_ATTRIBUTES`] columns.
pub fn search_people(
    columns: Columns<'_>,
    people: &[u32],
    up_to: usize,
    context: &Context<'_>,
) -> Result<Vec<Msu>, Interrupted> {
    let weights = vec![1; people.len()];
    let owners: Vec<u32> = people.iter().map(|person| person + 1).collect();
    UniquesSearch { weights: &weights, owners: &owners }.run(columns, up_to, context)
}

/// The owner of what several people have; 0 is nobody.
const MANY: u32 = u32::MAX;

/// What is counted of an item.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Its support; afterwards its rank.
    number: u32,
    /// Who alone has it, counted from 1.
    owner: u32,
}
/// Some records of a table: their items by attribute, row by row, 0 where an item cannot belong to an MSU.
struct RankedTable {
    /// Which attribute each column is.
    attributes: Vec<usize>,
    /// Which entry each row is.
    entries: Vec<u32>,
    items: Vec<u32>,
}

impl RankedTable {
    /// All entries, and how many items there are.
    fn whole(columns: Columns<'_>) -> (Self, usize) {
        let width = columns.codes.len();
        let mut items = vec![0; width * columns.counts.len()];
        let mut first = 1;
        for (c, codes) in columns.codes.iter().enumerate() {
            for (row, &code) in codes.iter().enumerate() {
                items[row * width + c] = first + code;
            }
            first += codes.iter().max().map_or(0, |most| most + 1);
        }
        let entries = (0..columns.counts.len() as u32).collect();
        (Self { attributes: (0..width).collect(), entries, items }, first as usize)
    }

    fn rows(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.entries.iter().copied().zip(self.items.chunks_exact(self.attributes.len().max(1)))
    }
}

/// A table whose items are numbered from 1 by support, the least first, with the places of each.
struct Ranked {
    table: RankedTable,
    /// By item its support.
    supports: Vec<u32>,
    /// Places of items in the table, item after item.
    places: Vec<u32>,
    /// By item where its places begin; one entry more for the end.
    starts: Vec<usize>,
}

impl Ranked {
    fn anchors(&self) -> usize {
        self.supports.len() - 1
    }

    fn places(&self, item: usize) -> &[u32] {
        &self.places[self.starts[item]..self.starts[item + 1]]
    }

    /// The records with the anchor, and their items of higher rank.
    fn with(&self, anchor: usize) -> RankedTable {
        let places = self.places(anchor);
        let width = self.table.attributes.len();
        let own = places[0] as usize % width;
        let row = |place: &u32| {
            let row = *place as usize / width;
            &self.table.items[row * width..(row + 1) * width]
        };
        let higher = |item: u32| item as usize > anchor;
        let used = |column: &usize| *column != own && places.iter().any(|place| higher(row(place)[*column]));
        let columns: Vec<usize> = (0..width).filter(used).collect();
        let kept = |item: u32| if higher(item) { item } else { 0 };
        RankedTable {
            attributes: columns.iter().map(|&column| self.table.attributes[column]).collect(),
            entries: places.iter().map(|&place| self.table.entries[place as usize / width]).collect(),
            items: places.iter().flat_map(|place| columns.iter().map(|&c| kept(row(place)[c]))).collect(),
        }
    }

    /// The attribute of an item.
    fn attribute(&self, item: usize) -> usize {
        self.table.attributes[self.places(item)[0] as usize % self.table.attributes.len()]
    }
}

struct UniquesSearch<'a> {
    /// By entry 1 or 2 records.
    weights: &'a [u32],
    /// By entry who has it, counted from 1, or [`MANY`].
    owners: &'a [u32],
}

impl UniquesSearch<'_> {
    /// All MSUs.
    fn run(
        &self,
        columns: Columns<'_>,
        up_to: usize,
        context: &Context<'_>,
    ) -> Result<Vec<Msu>, Interrupted> {
        assert!(columns.codes.len() <= MOST_ATTRIBUTES, "sets of attributes are bits of a word");
        let (table, items) = RankedTable::whole(columns);
        let mut found = Vec::new();
        let ranked = self.ranked(table, &mut vec![Seen::default(); items + 1], &mut found);
        if up_to > 1 {
            let (done, total) = (AtomicU64::new(0), ranked.anchors() as u64);
            let below = |scratch: &mut Vec<Seen>, anchor: usize| {
                context.check()?;
                let mut found = Vec::new();
                self.below(&ranked, anchor, up_to, scratch, &mut found);
                context.progress.step("special uniques", done.fetch_add(1, Ordering::Relaxed) + 1, total);
                Ok(found)
            };
            let anchors = (1..=ranked.anchors()).into_par_iter();
            let parts = anchors.map_init(|| vec![Seen::default(); items + 1], below);
            let parts: Vec<Vec<Msu>> = parts.collect::<Result<_, Interrupted>>()?;
            found.extend(parts.into_iter().flatten());
        }
        Ok(minimal(found))
    }

    /// The MSUs of up to `up_to` attributes whose item of lowest rank is `anchor`, and sets that contain one
    /// without it.
    fn below(&self, of: &Ranked, anchor: usize, up_to: usize, scratch: &mut [Seen], found: &mut Vec<Msu>) {
        let table = of.with(anchor);
        let more = up_to.min(of.supports[anchor] as usize) - 1;
        let own = 1u64 << of.attribute(anchor);
        let with_anchor = |msu: Msu| Msu { attributes: msu.attributes | own, ..msu };
        found.extend(self.within(table, more, scratch).into_iter().map(with_anchor));
    }

    /// The MSUs of a table of up to `up_to` attributes.
    fn within(&self, table: RankedTable, up_to: usize, scratch: &mut [Seen]) -> Vec<Msu> {
        let mut found = Vec::new();
        if table.attributes.is_empty() {
            return found;
        }
        if up_to == 1 {
            self.count(&table, scratch);
            Self::singles(&table, scratch, &mut found);
            table.items.iter().for_each(|&item| scratch[item as usize] = Seen::default());
            return found;
        }
        let ranked = self.ranked(table, scratch, &mut found);
        for anchor in 1..=ranked.anchors() {
            self.below(&ranked, anchor, up_to, scratch, &mut found);
        }
        // Two items of which none is alone in the table are minimal.
        if up_to > 2 { minimal(found) } else { found }
    }

    /// Adds up the support of each item, and sees whether it is of one owner.
    fn count(&self, table: &RankedTable, scratch: &mut [Seen]) {
        for (entry, items) in table.rows() {
            let (weight, owner) = (self.weights[entry as usize], self.owners[entry as usize]);
            for &item in items {
                let seen = &mut scratch[item as usize];
                seen.number += weight;
                seen.owner = if seen.owner == 0 || seen.owner == owner { owner } else { MANY };
            }
        }
        scratch[0] = Seen::default();
    }

    /// The items that are unique by themselves.
    fn singles(table: &RankedTable, scratch: &[Seen], found: &mut Vec<Msu>) {
        for (entry, items) in table.rows() {
            for (&item, &attribute) in items.iter().zip(&table.attributes) {
                if item > 0 && scratch[item as usize].owner != MANY {
                    found.push(Msu { entry, attributes: 1 << attribute });
                }
            }
        }
    }

    /// The table without what can belong to no larger MSU; items that are alone are found. `scratch` holds
    /// zeros before and after.
    fn ranked(&self, mut table: RankedTable, scratch: &mut [Seen], found: &mut Vec<Msu>) -> Ranked {
        self.count(&table, scratch);
        Self::singles(&table, scratch, found);
        let all: u32 = table.entries.iter().map(|&entry| self.weights[entry as usize]).sum();
        let mut order: Vec<(u32, u32)> = Vec::new();
        for &item in &table.items {
            let Seen { number, owner } = std::mem::take(&mut scratch[item as usize]);
            if owner == MANY && number < all {
                order.push((number, item));
            }
        }
        order.sort_unstable();
        for (rank, &(_, item)) in (1..).zip(&order) {
            scratch[item as usize].number = rank;
        }
        table.items.iter_mut().for_each(|item| *item = scratch[*item as usize].number);
        order.iter().for_each(|&(_, item)| scratch[item as usize] = Seen::default());
        let supports = std::iter::once(0).chain(order.into_iter().map(|(support, _)| support)).collect();
        sorted(table, supports)
    }
}

/// Sorts the places of a table by their items.
fn sorted(table: RankedTable, supports: Vec<u32>) -> Ranked {
    let mut starts = vec![0; supports.len() + 1];
    for &item in table.items.iter().filter(|item| **item > 0) {
        starts[item as usize + 1] += 1;
    }
    for item in 1..starts.len() {
        starts[item] += starts[item - 1];
    }
    let mut next = starts.clone();
    let mut places = vec![0; starts[supports.len()]];
    for (place, &item) in (0..).zip(&table.items).filter(|(_, item)| **item > 0) {
        places[next[item as usize]] = place;
        next[item as usize] += 1;
    }
    Ranked { table, supports, places, starts }
}

/// The sets that contain no other of the same entry.
fn minimal(mut found: Vec<Msu>) -> Vec<Msu> {
    found.par_sort_unstable_by_key(|msu| (msu.entry, msu.size(), msu.attributes));
    let mut kept: Vec<Msu> = Vec::with_capacity(found.len());
    let mut first = 0;
    for msu in found {
        if kept.last().is_some_and(|last| last.entry != msu.entry) {
            first = kept.len();
        }
        let contains = |other: &Msu| other.attributes & !msu.attributes == 0;
        if !kept[first..].iter().any(contains) {
            kept.push(msu);
        }
    }
    kept
}
