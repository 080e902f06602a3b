//! The table as clustering sees it: tuples of quasi-identifiers, and cells of a tuple and a
//! sensitive value, both in canonical order.

use std::ops::Range;

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::Member;

/// Distinct tuples and cells with their counts.
#[derive(Debug)]
pub(super) struct Cells {
    /// m: the quasi-identifiers.
    pub(super) width: usize,
    /// Leaf codes, one tuple after the other.
    codes: Vec<u32>,
    /// N_x: the records of each tuple.
    pub(super) size: Vec<u64>,
    /// Where the cells of a tuple begin; one more than there are tuples.
    first: Vec<u32>,
    /// The tuple of each cell.
    pub(super) tuple: Vec<u32>,
    /// The sensitive value of each cell; 0 throughout where there is none.
    pub(super) value: Vec<u32>,
    /// The records of each cell.
    pub(super) count: Vec<u64>,
    /// The records of each cell by entry, one cell after the other.
    members: Vec<Member>,
    /// Where the members of a cell begin.
    first_member: Vec<u32>,
    /// n: all records.
    pub(super) records: u64,
    /// How many records have each sensitive value.
    pub(super) totals: Vec<u64>,
}

impl Cells {
    /// The cells of a table by a column of the rest, if one is looked at.
    ///
    /// Time: O(entries · (attributes + log entries)).
    pub(super) fn new(table: &FrequencyTable, column: Option<usize>) -> Self {
        let value =
            |entry: u32| column.map_or(0, |c| table.rest.codes[c][table.rest_index[entry as usize] as usize]);
        let mut cells = Self::empty(table, column);
        let entries: Vec<u32> = (0..table.len() as u32).collect();
        let same = |a: &u32, b: &u32| table.codes.iter().all(|c| c[*a as usize] == c[*b as usize]);
        for run in entries.chunk_by(same) {
            let mut members: Vec<(u32, u32)> = run.iter().map(|&entry| (value(entry), entry)).collect();
            members.sort_unstable();
            cells.codes.extend(table.codes.iter().map(|codes| codes[run[0] as usize]));
            for cell in members.chunk_by(|a, b| a.0 == b.0) {
                let members = cell.iter().map(|&(_, entry)| (entry, table.counts[entry as usize]));
                cells.push(cell[0].0, members);
            }
            let first = cells.first[cells.size.len()] as usize;
            cells.size.push(cells.count[first..].iter().sum());
            cells.first.push(cells.count.len() as u32);
        }
        cells
    }

    fn empty(table: &FrequencyTable, column: Option<usize>) -> Self {
        Self {
            width: table.qis.len(),
            codes: Vec::new(),
            size: Vec::new(),
            first: vec![0],
            tuple: Vec::new(),
            value: Vec::new(),
            count: Vec::new(),
            members: Vec::new(),
            first_member: vec![0],
            records: table.records(),
            totals: column.map_or_else(|| vec![table.records()], |column| table.rest_marginal(column)),
        }
    }

    /// A cell of the tuple that is being read.
    fn push(&mut self, value: u32, members: impl Iterator<Item = Member>) {
        let from = self.members.len();
        self.members.extend(members);
        self.first_member.push(self.members.len() as u32);
        self.tuple.push(self.size.len() as u32);
        self.value.push(value);
        self.count.push(self.members[from..].iter().map(|member| member.1).sum());
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.count.len()
    }

    /// The number of tuples.
    pub(super) fn tuples(&self) -> usize {
        self.size.len()
    }

    /// The codes of a tuple.
    pub(super) fn codes(&self, tuple: u32) -> &[u32] {
        &self.codes[tuple as usize * self.width..][..self.width]
    }

    /// The codes of a cell's tuple.
    pub(super) fn codes_of(&self, cell: u32) -> &[u32] {
        self.codes(self.tuple[cell as usize])
    }

    /// The cells of a tuple.
    pub(super) fn of(&self, tuple: u32) -> Range<u32> {
        self.first[tuple as usize]..self.first[tuple as usize + 1]
    }

    /// The members of a cell.
    fn members(&self, cell: u32) -> &[Member] {
        let cell = cell as usize;
        &self.members[self.first_member[cell] as usize..self.first_member[cell + 1] as usize]
    }
}

/// Which records are in no block yet.
#[derive(Debug)]
pub(super) struct Stock<'a> {
    cells: &'a Cells,
    /// By cell, how many records are left.
    pub(super) left: Vec<u64>,
    /// All of them.
    pub(super) records: u64,
    /// By sensitive value, how many records are left.
    pub(super) of_value: Vec<u64>,
    /// Sums of `left` over runs of cells, as in Fenwick's tree.
    sums: Vec<u64>,
}

impl<'a> Stock<'a> {
    pub(super) fn new(cells: &'a Cells) -> Self {
        let left = cells.count.clone();
        let mut sums = left.clone();
        for at in 0..sums.len() {
            let above = at | (at + 1);
            if above < sums.len() {
                sums[above] += sums[at];
            }
        }
        Self { cells, left, records: cells.records, of_value: cells.totals.clone(), sums }
    }

    /// The cell of the record at a place among those left, in canonical order.
    ///
    /// Time: O(log cells).
    pub(super) fn at(&self, mut place: u64) -> u32 {
        let mut cell = 0;
        for bit in (0..usize::BITS - self.sums.len().leading_zeros()).rev() {
            let next = cell + (1 << bit);
            if next <= self.sums.len() && self.sums[next - 1] <= place {
                place -= self.sums[next - 1];
                cell = next;
            }
        }
        cell as u32
    }

    /// Takes a record of a cell that has one left: the first by entry.
    pub(super) fn take(&mut self, cell: u32) -> u32 {
        let mut taken = self.cells.count[cell as usize] - self.left[cell as usize];
        self.left[cell as usize] -= 1;
        self.records -= 1;
        self.of_value[self.cells.value[cell as usize] as usize] -= 1;
        let mut at = cell as usize;
        while at < self.sums.len() {
            self.sums[at] -= 1;
            at |= at + 1;
        }
        let holds = |&&(_, count): &&Member| {
            let here = taken < count;
            taken = taken.saturating_sub(count);
            here
        };
        self.cells.members(cell).iter().find(holds).expect("the cell has a record left").0
    }

    /// All records that are left.
    pub(super) fn members(&self) -> Vec<Member> {
        let of_cell = |cell: u32| {
            let mut taken = self.cells.count[cell as usize] - self.left[cell as usize];
            self.cells.members(cell).iter().map(move |&(entry, count)| {
                let gone = taken.min(count);
                taken -= gone;
                (entry, count - gone)
            })
        };
        (0..self.cells.len() as u32).flat_map(of_cell).filter(|member| member.1 > 0).collect()
    }

    /// Whether a tuple has a record left.
    pub(super) fn has(&self, tuple: u32) -> bool {
        self.cells.of(tuple).any(|cell| self.left[cell as usize] > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::local::clustering::tests::table_1;

    #[test]
    fn records_are_found_by_place_and_taken_once() {
        let table = table_1();
        let cells = Cells::new(&table, Some(0));
        let mut stock = Stock::new(&cells);
        let everyone: Vec<u32> = (0..9).map(|place| stock.at(place)).collect();
        let expected: Vec<u32> =
            (0..cells.len() as u32).flat_map(|c| vec![c; cells.count[c as usize] as usize]).collect();
        assert_eq!(everyone, expected);
        let mut taken: Vec<u32> = (0..9u64)
            .map(|round| {
                let cell = stock.at(round * 5 % stock.records);
                stock.take(cell)
            })
            .collect();
        taken.sort_unstable();
        let entries: Vec<u32> =
            (0..table.len() as u32).flat_map(|e| vec![e; table.counts[e as usize] as usize]).collect();
        assert_eq!((taken, stock.records), (entries, 0));
    }
}
