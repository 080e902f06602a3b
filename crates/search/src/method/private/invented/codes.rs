//! Records as codes of the released level, and how many there are of each combination of few attributes.

use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::lattice::Node;
use velamen_core::release::{Release, ReleasedAttribute, Row};

/// Distinct records in codes, with their counts.
#[derive(Debug, Clone)]
pub(in crate::method::private) struct Codes {
    /// The number of values of each attribute.
    pub(in crate::method::private) sizes: Vec<usize>,
    columns: Vec<Vec<u32>>,
    counts: Vec<u64>,
}

impl Codes {
    /// A table's records at a node.
    pub(in crate::method::private) fn of(table: &FrequencyTable, node: &Node) -> Self {
        let columns = table.qis.iter().zip(&node.0).zip(&table.codes);
        Self {
            sizes: table.qis.iter().zip(&node.0).map(|(qi, &level)| qi.hierarchy.width(level)).collect(),
            columns: columns.map(|((qi, &level), codes)| at_level(qi, level, codes)).collect(),
            counts: table.counts.clone(),
        }
    }

    /// The same records with other values: `places[a]` is by old value the new one, of `sizes[a]`.
    pub(in crate::method::private) fn merged(&self, places: &[Vec<u32>], sizes: Vec<usize>) -> Self {
        let columns = self.columns.iter().zip(places);
        let moved = |(codes, places): (&Vec<u32>, &Vec<u32>)| {
            codes.iter().map(|&code| places[code as usize]).collect()
        };
        Self { sizes, columns: columns.map(moved).collect(), counts: self.counts.clone() }
    }

    /// How many records there are of each combination of these attributes, the last one's values fastest.
    pub(in crate::method::private) fn counts(&self, set: &[usize]) -> Vec<i64> {
        let mut counts = vec![0i64; set.iter().map(|&a| self.sizes[a]).product()];
        for (record, &count) in self.counts.iter().enumerate() {
            let place =
                set.iter().fold(0, |place, &a| place * self.sizes[a] + self.columns[a][record] as usize);
            counts[place] = counts[place].saturating_add_unsigned(count);
        }
        counts
    }
}

fn at_level(qi: &QuasiIdentifier, level: u8, leaves: &[u32]) -> Vec<u32> {
    leaves.iter().map(|&leaf| qi.hierarchy.code(level, leaf)).collect()
}

/// A release of records in codes of a node, of a table that is read for its hierarchies alone.
pub(in crate::method::private) fn release(
    table: &FrequencyTable,
    node: &Node,
    columns: &[Vec<u32>],
) -> Release {
    let attribute =
        |(qi, &level): (&QuasiIdentifier, &u8)| ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level);
    let qis = table.qis.iter().zip(&node.0).map(attribute).collect();
    let mut release = Release { qis, rest: table.rest.clone(), ..Release::default() };
    let record = |place: usize| columns.iter().map(move |column| column[place]);
    let mut order: Vec<usize> = (0..columns.first().map_or(0, Vec::len)).collect();
    order.sort_unstable_by(|&a, &b| record(a).cmp(record(b)));
    for alike in order.chunk_by(|&a, &b| record(a).eq(record(b))) {
        release.codes.extend(record(alike[0]));
        let (class, count) = (release.sizes.len() as u32, alike.len() as u64);
        release.sizes.push(count);
        release.rows.push(Row { class, rest: 0, count });
    }
    release.by_labels()
}
