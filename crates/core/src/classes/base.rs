//! The cells of the untouched data.
//!
//! A table's entries ascend by the attributes as the input has them; keys have the steepest first. Entries that are brought
//! in order by the attributes before the longest rest of the key that keeps the input's order, one after the other from the
//! last on, ascend by key: mostly one or two passes of counting instead of a sort.

use rayon::prelude::*;

use super::Cell;
use super::coding::Coding;
use super::raise::merge;
use crate::frequency::FrequencyTable;
use crate::key::{Field, Key, Layout};

/// More passes take longer than sorting.
const MOST_PASSES: usize = 3;

/// The entries of a table and what their keys are made of.
struct Entries<'a> {
    table: &'a FrequencyTable,
    layout: &'a Layout,
    /// The attributes as they stand in the key.
    order: &'a [usize],
    coding: Option<&'a Coding>,
}

/// A table's cells, ascending by key.
///
/// Time: O(entries · attributes), and O(entries · log entries) where a sort is needed.
pub(super) fn base<const W: usize>(
    table: &FrequencyTable,
    layout: &Layout,
    order: &[usize],
    coding: Option<&Coding>,
) -> Vec<Cell<W>> {
    let entries = Entries { table, layout, order, coding };
    let passes = entries.passes();
    let mut cells = if passes > 0 && entries.is_worth(passes) {
        entries.in_passes(passes)
    } else {
        let mut cells = entries.all();
        // On all cores: nothing else runs before the search has its cells.
        if !cells.is_sorted_by_key(|cell| cell.key) {
            cells.par_sort_unstable_by_key(|cell| cell.key);
        }
        cells
    };
    merge(&mut cells);
    cells
}

impl Entries<'_> {
    fn key<const W: usize>(&self, codes: &[Vec<u32>], entry: usize, own: Option<u32>) -> Key<W> {
        let mut key = Key::ZERO;
        for (field, &q) in self.layout.fields().iter().zip(self.order) {
            key.set(*field, codes[q][entry]);
        }
        if let Some(own) = own {
            key.set(self.layout.fields()[self.order.len()], own);
        }
        key
    }

    fn cell<const W: usize>(&self, entry: usize) -> Cell<W> {
        let own = self.coding.map(|coding| coding.of_rest[self.table.rest_index[entry] as usize]);
        Cell { key: self.key(&self.table.codes, entry, own), count: self.table.counts[entry] }
    }

    /// The cells in the order of the table, those of the population after them.
    fn all<const W: usize>(&self) -> Vec<Cell<W>> {
        let mut cells: Vec<Cell<W>> =
            (0..self.table.len()).into_par_iter().map(|entry| self.cell(entry)).collect();
        let mark = self.coding.and_then(Coding::population);
        if let (Some(mark), Some(population)) = (mark, &self.table.population) {
            let key = |entry| self.key(&population.codes, entry, Some(mark));
            let cell = |entry| Cell { key: key(entry), count: population.counts[entry] };
            cells.extend((0..population.counts.len()).map(cell));
        }
        cells
    }

    /// How many attributes stand before those that keep the input's order.
    fn passes(&self) -> usize {
        let falls = self.order.windows(2).rposition(|pair| pair[0] > pair[1]);
        falls.map_or(0, |last| last + 1)
    }

    fn width(&self, position: usize) -> usize {
        self.table.qis[self.order[position]].hierarchy.width(0)
    }

    /// Whether so many passes take less time than a sort.
    fn is_worth(&self, passes: usize) -> bool {
        let widths: usize = (0..passes).map(|position| self.width(position)).sum();
        passes <= MOST_PASSES && widths <= self.table.len() / 8 && self.table.population.is_none()
    }

    /// The cells by the first attribute in parts, each of which is brought in order by itself.
    fn in_passes<const W: usize>(&self, passes: usize) -> Vec<Cell<W>> {
        let first = &self.table.codes[self.order[0]];
        let (part_of, sizes) = parted(first, self.width(0), 2 * rayon::current_num_threads());
        // Memory is cleared by the system when it is first written: on all cores.
        let room = (0..first.len()).into_par_iter().map(|_| Cell { key: Key::ZERO, count: 0 });
        let mut cells: Vec<Cell<W>> = room.collect();
        let mut parts = Vec::with_capacity(sizes.len());
        let mut left = &mut cells[..];
        for size in sizes {
            let (own, others) = left.split_at_mut(size);
            parts.push(own);
            left = others;
        }
        parts.into_par_iter().enumerate().for_each(|(part, cells)| {
            let own = (0..first.len()).filter(|&entry| part_of[first[entry] as usize] == part as u32);
            cells.iter_mut().zip(own).for_each(|(cell, entry)| *cell = self.cell(entry));
            let mut before = cells.to_vec();
            for position in (0..passes).rev() {
                before.copy_from_slice(cells);
                in_order_of(&before, (self.layout.fields()[position], self.width(position)), cells);
            }
            // Codes of the other columns, or of a table whose codes were made others, may stand otherwise.
            if !cells.is_sorted_by_key(|cell| cell.key) {
                cells.sort_unstable_by_key(|cell| cell.key);
            }
        });
        cells
    }
}

/// By code the part it is in, neighbours in one, and how many of these codes each part has.
fn parted(codes: &[u32], width: usize, parts: usize) -> (Vec<u32>, Vec<usize>) {
    let mut occurs = vec![0usize; width];
    codes.iter().for_each(|&code| occurs[code as usize] += 1);
    let (mut sizes, mut before) = (vec![0; parts], 0);
    let part_of = occurs.iter().map(|&times| {
        let part = (before * parts / codes.len().max(1)).min(parts - 1);
        sizes[part] += times;
        before += times;
        part as u32
    });
    (part_of.collect(), sizes)
}

/// The cells by one field's code; those of equal code stay as they stand.
fn in_order_of<const W: usize>(from: &[Cell<W>], (field, width): (Field, usize), to: &mut [Cell<W>]) {
    let mut next = vec![0usize; width];
    from.iter().for_each(|cell| next[cell.key.get(field) as usize] += 1);
    let mut sum = 0;
    for place in &mut next {
        sum += std::mem::replace(place, sum);
    }
    for cell in from {
        let place = &mut next[cell.key.get(field) as usize];
        to[*place] = *cell;
        *place += 1;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::coding::{key_bits, steepest_first};
    use super::super::raise::sort_and_merge;
    use super::*;
    use crate::frequency::{QuasiIdentifier, Rest, RestColumn, Role, Strays};
    use crate::hierarchy::{Hierarchy, Rule};

    /// A table of these rows: quasi-identifiers, then the code of the rest.
    fn table(widths: &[usize], rows: Vec<Vec<u32>>) -> FrequencyTable {
        let leaves = |&width: &usize| (0..width).map(|leaf| format!("{leaf:02}")).collect();
        let (rest, qis) = widths.split_last().unwrap();
        let hierarchies = qis.iter().map(|width| Rule::Flat.over(leaves(width), false).1);
        over(hierarchies.collect(), *rest, rows)
    }

    /// The same over these hierarchies, with so many values of the rest.
    pub(in super::super) fn over(
        hierarchies: Vec<Hierarchy>,
        rest: usize,
        mut rows: Vec<Vec<u32>>,
    ) -> FrequencyTable {
        rows.sort_unstable();
        rows.dedup();
        let column = |c: usize| rows.iter().map(|row| row[c]).collect::<Vec<u32>>();
        let values = (0..rest).map(|value| value.to_string()).collect();
        let sensitive = RestColumn { name: "s".into(), role: Role::Sensitive, values };
        let attributes = hierarchies.len();
        let qi = |hierarchy| QuasiIdentifier { name: String::new(), hierarchy };
        FrequencyTable {
            qis: hierarchies.into_iter().map(qi).collect(),
            rest: Rest { columns: vec![sensitive], codes: vec![(0..rest as u32).collect()], len: rest },
            codes: (0..attributes).map(column).collect(),
            rest_index: column(attributes),
            counts: (1..=rows.len() as u64).collect(),
            population: None,
            strays: Strays::default(),
        }
    }

    fn cases() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>, bool)> {
        proptest::collection::vec(1usize..12, 2..6).prop_flat_map(|widths| {
            let row: Vec<_> = widths.iter().map(|&width| 0..width as u32).collect();
            (Just(widths), proptest::collection::vec(row, 1..400), any::<bool>())
        })
    }

    proptest! {
        #[test]
        fn passes_give_what_a_sort_gives((widths, rows, sensitive) in cases()) {
            let table = table(&widths, rows);
            let coding = sensitive.then(|| Coding::new(&table, &[0]).unwrap());
            let order = steepest_first(&table);
            let layout = Layout::new(&key_bits(&table, &order, coding.as_ref()));
            let entries = Entries { table: &table, layout: &layout, order: &order, coding: coding.as_ref() };
            let mut sorted: Vec<Cell<1>> = entries.all();
            sort_and_merge(&mut sorted);
            prop_assert_eq!(&base::<1>(&table, &layout, &order, coding.as_ref()), &sorted);
            // However few the entries: in passes, too.
            let mut passed = entries.in_passes::<1>(entries.passes());
            prop_assert!(passed.is_sorted_by_key(|cell| cell.key));
            merge(&mut passed);
            prop_assert_eq!(passed, sorted);
        }
    }
}
