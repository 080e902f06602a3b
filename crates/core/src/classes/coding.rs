//! How records become keys: the sensitive columns as one code, the attributes steepest first.

use crate::frequency::FrequencyTable;
use crate::key::{Layout, bits_for};

/// The sensitive columns that cells are kept apart by, as one code.
#[derive(Debug, Clone)]
pub struct Coding {
    columns: Vec<usize>,
    /// Per combination of the rest, its code.
    pub(super) of_rest: Vec<u32>,
    /// Per column, from a code to the column's own.
    decode: Vec<Vec<u32>>,
    pub(super) width: usize,
}

impl Coding {
    /// A coding of these columns of the rest; `None` for no column. The code of a single column is
    /// the column's own.
    #[must_use]
    pub fn new(table: &FrequencyTable, columns: &[usize]) -> Option<Self> {
        let (of_rest, decode): (Vec<u32>, Vec<Vec<u32>>) = match columns {
            [] => return None,
            [one] => {
                let values = table.rest.columns[*one].values.len() as u32;
                (table.rest.codes[*one].clone(), vec![(0..values).collect()])
            }
            several => {
                let tuple =
                    |rest: usize| several.iter().map(|&c| table.rest.codes[c][rest]).collect::<Vec<u32>>();
                let mut distinct: Vec<Vec<u32>> = (0..table.rest.len).map(tuple).collect();
                distinct.sort_unstable();
                distinct.dedup();
                let code = |rest| distinct.partition_point(|t| *t < tuple(rest)) as u32;
                let of_rest = (0..table.rest.len).map(code).collect();
                (of_rest, (0..several.len()).map(|i| distinct.iter().map(|t| t[i]).collect()).collect())
            }
        };
        let width = decode[0].len();
        Some(Self { columns: columns.to_vec(), of_rest, decode, width })
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
    let steepness = |q: usize| {
        let hierarchy = &table.qis[q].hierarchy;
        hierarchy.width(0) as f64 / hierarchy.width(1.min(hierarchy.top())).max(1) as f64
    };
    let mut order: Vec<usize> = (0..table.qis.len()).collect();
    order.sort_by(|&a, &b| steepness(b).total_cmp(&steepness(a)).then(a.cmp(&b)));
    order
}
