//! How records become keys: the sensitive columns as one code, the attributes steepest first.

use rustc_hash::FxHashMap;

use crate::frequency::{FrequencyTable, Role};
use crate::hierarchy::Hierarchy;
use crate::key::{Layout, bits_for};

/// The columns of the rest that cells are kept apart by, as one code; one more code marks the
/// population's records, where the table has a population.
#[derive(Debug, Clone)]
pub struct Coding {
    columns: Vec<usize>,
    /// Per combination of the rest, its code.
    pub(super) of_rest: Vec<u32>,
    /// Per column, from a code to the column's own.
    decode: Vec<Vec<u32>>,
    /// Per code, the least code that differs from it by person only.
    released: Vec<u32>,
    /// The number of codes, the population's included.
    pub(super) width: usize,
    /// The code of the population's records.
    population: Option<u32>,
}

impl Coding {
    /// A coding of these columns of the rest; `None` where there is nothing to keep apart. The code of
    /// a single column is the column's own.
    #[must_use]
    pub fn new(table: &FrequencyTable, columns: &[usize]) -> Option<Self> {
        if columns.is_empty() && table.population.is_none() {
            return None;
        }
        let (of_rest, decode, codes) = match columns {
            [one] => {
                let values = table.rest.columns[*one].values.len();
                (table.rest.codes[*one].clone(), vec![(0..values as u32).collect()], values)
            }
            several => tuples(table, several),
        };
        let population = table.population.as_ref().map(|_| codes as u32);
        let width = codes + usize::from(population.is_some());
        let person = columns.iter().position(|&c| table.rest.columns[c].role == Role::Person);
        let released = released(&decode, person, codes);
        Some(Self { columns: columns.to_vec(), of_rest, decode, released, width, population })
    }

    /// One code for all codes whose released columns are equal: those that differ by person only.
    #[must_use]
    pub fn released(&self, code: u32) -> u32 {
        self.released[code as usize]
    }

    /// The code that marks records of the population, where there is one.
    #[must_use]
    pub fn population(&self) -> Option<u32> {
        self.population
    }

    /// The distinct pairs of two columns' own codes in the cells of a class, ascending.
    ///
    /// # Panics
    /// If the coding was not made for both columns.
    pub fn pairs(&self, columns: (usize, usize), cells: &[(u32, u64)], pairs: &mut Vec<(u32, u32)>) {
        let position = |column| {
            self.columns.iter().position(|&c| c == column).expect("the coding was made for the column")
        };
        let (first, second) = (&self.decode[position(columns.0)], &self.decode[position(columns.1)]);
        pairs.clear();
        pairs.extend(cells.iter().map(|&(code, _)| (first[code as usize], second[code as usize])));
        pairs.sort_unstable();
        pairs.dedup();
    }

    /// Adds up the (code, count) cells of a class by one column's own code, ascending.
    pub fn histogram(&self, column: usize, cells: &[(u32, u64)], histogram: &mut Vec<(u32, u64)>) {
        let position =
            self.columns.iter().position(|&c| c == column).expect("the coding was made for the column");
        histogram.clear();
        histogram.extend(cells.iter().map(|&(code, count)| (self.decode[position][code as usize], count)));
        histogram.sort_unstable();
        histogram.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}

/// Per code, the least code of the same values in all columns but the person's.
fn released(decode: &[Vec<u32>], person: Option<usize>, codes: usize) -> Vec<u32> {
    if person.is_none() {
        return (0..codes as u32).collect();
    }
    let shown = |code: u32| -> Vec<u32> {
        let columns = decode.iter().enumerate().filter(|(column, _)| Some(*column) != person);
        columns.map(|(_, decode)| decode[code as usize]).collect()
    };
    let mut least: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    (0..codes as u32).map(|code| *least.entry(shown(code)).or_insert(code)).collect()
}

/// Codes for the tuples of several columns: by combination of the rest, back to each column, how many.
fn tuples(table: &FrequencyTable, columns: &[usize]) -> (Vec<u32>, Vec<Vec<u32>>, usize) {
    let tuple = |rest: usize| columns.iter().map(|&c| table.rest.codes[c][rest]).collect::<Vec<u32>>();
    let mut distinct: Vec<Vec<u32>> = (0..table.rest.len).map(tuple).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let code = |rest| distinct.partition_point(|t| *t < tuple(rest)) as u32;
    let of_rest = (0..table.rest.len).map(code).collect();
    let decode = (0..columns.len()).map(|i| distinct.iter().map(|t| t[i]).collect()).collect();
    (of_rest, decode, distinct.len())
}

/// The key layout of a table's quasi-identifiers and, if asked for, sensitive attributes.
#[must_use]
pub fn layout(table: &FrequencyTable, coding: Option<&Coding>) -> Layout {
    Layout::new(&key_bits(table, &steepest_first(table), coding))
}

pub(super) fn key_bits(table: &FrequencyTable, order: &[usize], coding: Option<&Coding>) -> Vec<u32> {
    let qis = order.iter().map(|&q| bits_for(table.qis[q].hierarchy.width(0)));
    qis.chain(coding.map(|coding| bits_for(coding.width))).collect()
}

/// Attributes by how much one level shrinks them, steepest first: prefix nodes get small soonest.
pub(super) fn steepest_first(table: &FrequencyTable) -> Vec<usize> {
    let steepness = |q: usize| steepness(&table.qis[q].hierarchy);
    let mut order: Vec<usize> = (0..table.qis.len()).collect();
    order.sort_by(|&a, &b| steepness(b).total_cmp(&steepness(a)).then(a.cmp(&b)));
    order
}

/// By how much one level shrinks an attribute.
fn steepness(hierarchy: &Hierarchy) -> f64 {
    hierarchy.width(0) as f64 / hierarchy.width(1.min(hierarchy.top())).max(1) as f64
}
