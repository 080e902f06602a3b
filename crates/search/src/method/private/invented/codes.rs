//! Records as codes of the released level, and how many there are of each combination of few attributes.

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest};
use velamen_core::lattice::Node;
use velamen_core::release::{Release, ReleasedAttribute, Row};
use velamen_dp::{Stream, below};

use super::Zeros;
use crate::method::MethodError;

/// The levels at which records are counted, and those at which they are released: of a bin a value. And what no record is.
#[derive(Debug, Clone, Copy)]
pub(in crate::method::private) struct Levels<'a> {
    /// What is counted.
    pub(in crate::method::private) counted: &'a Node,
    /// What is released; nowhere higher.
    pub(in crate::method::private) released: &'a Node,
    /// Combinations of counted values that no record has.
    pub(in crate::method::private) zeros: &'a Zeros,
}

/// All combinations are possible.
static NO_ZEROS: Zeros = Zeros::NONE;

impl<'a> Levels<'a> {
    /// By attribute both levels.
    pub(super) fn each(self) -> impl Iterator<Item = (u8, u8)> {
        self.counted.0.iter().copied().zip(self.released.0.iter().copied())
    }

    /// Records are released as they are counted.
    pub(in crate::method::private) fn of(node: &'a Node) -> Self {
        Self { counted: node, released: node, zeros: &NO_ZEROS }
    }
}

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

    /// Gives the records other values: `places[a]` is by old value the new one, of `sizes[a]`.
    pub(in crate::method::private) fn merge(&mut self, places: &[Vec<u32>], sizes: Vec<usize>) {
        for (codes, places) in self.columns.iter_mut().zip(places) {
            codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        }
        self.sizes = sizes;
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

/// A release of records in codes of what was counted, of a table that is read for its hierarchies alone. Each gets any of the
/// released values under its own, all alike.
pub(in crate::method::private) fn release(
    table: &FrequencyTable,
    levels: Levels<'_>,
    mut columns: Vec<Vec<u32>>,
    stream: &mut Stream,
    context: &Context<'_>,
) -> Result<Release, MethodError> {
    for ((qi, column), levels) in table.qis.iter().zip(&mut columns).zip(levels.each()) {
        context.check()?;
        spread(qi, levels, column, stream);
    }
    context.check()?;
    Ok(written(table, levels.released, columns))
}

/// Codes of one level in place of those of a higher one.
fn spread(qi: &QuasiIdentifier, (counted, released): (u8, u8), column: &mut [u32], stream: &mut Stream) {
    if counted == released {
        return;
    }
    let mut under: Vec<Vec<u32>> = vec![Vec::new(); qi.hierarchy.width(counted)];
    for leaf in 0..qi.hierarchy.width(0) as u32 {
        let value = qi.hierarchy.code(released, leaf);
        let values = &mut under[qi.hierarchy.code(counted, leaf) as usize];
        if values.last() != Some(&value) {
            values.push(value);
        }
    }
    for code in column {
        let values = &under[*code as usize];
        *code = values[below(stream, values.len() as u64) as usize];
    }
}

fn written(table: &FrequencyTable, node: &Node, columns: Vec<Vec<u32>>) -> Release {
    let attribute =
        |(qi, &level): (&QuasiIdentifier, &u8)| ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level);
    let qis = table.qis.iter().zip(&node.0).map(attribute).collect();
    let Alike { codes, counts } = Alike::of(columns);
    let rows = (0u32..).zip(&counts).map(|(class, &count)| Row { class, rest: 0, count }).collect();
    let rest = Rest { len: 1, ..Rest::default() };
    Release { qis, rest, codes, sizes: counts, rows, ..Release::default() }.by_labels()
}

/// The distinct records, ascending, one after the other, and how many there are of each.
#[derive(Debug, PartialEq, Eq)]
struct Alike {
    codes: Vec<u32>,
    counts: Vec<u64>,
}

impl Alike {
    fn of(columns: Vec<Vec<u32>>) -> Self {
        let bits: Vec<u32> = columns.iter().map(|column| bits(column)).collect();
        let records = columns.first().map_or(0, Vec::len);
        let record = |place: usize| columns.iter().map(move |column| column[place]);
        let mut alike = Self { codes: Vec::new(), counts: Vec::new() };
        if bits.iter().sum::<u32>() > u128::BITS {
            let mut order: Vec<usize> = (0..records).collect();
            order.par_sort_unstable_by(|&a, &b| record(a).cmp(record(b)));
            let chunks = order.chunk_by(|&a, &b| record(a).eq(record(b)));
            chunks.for_each(|chunk| alike.push(record(chunk[0]), chunk.len()));
            return alike;
        }
        // Numbers in the records' order are sorted in a fraction of the time.
        let mut keys: Vec<u128> =
            (0..records).into_par_iter().map(|place| packed(record(place), &bits)).collect();
        drop(columns);
        keys.par_sort_unstable();
        let distinct = keys.chunk_by(|a, b| a == b).count();
        alike.codes.reserve_exact(distinct * bits.len());
        alike.counts.reserve_exact(distinct);
        let chunks = keys.chunk_by(|a, b| a == b);
        chunks.for_each(|chunk| alike.push(unpacked(chunk[0], &bits), chunk.len()));
        alike
    }

    fn push(&mut self, record: impl IntoIterator<Item = u32>, count: usize) {
        self.codes.extend(record);
        self.counts.push(count as u64);
    }
}

/// Codes of so many binary places each, as one number.
fn packed(codes: impl Iterator<Item = u32>, bits: &[u32]) -> u128 {
    codes.zip(bits).fold(0, |key, (code, bits)| key << bits | u128::from(code))
}

/// The codes of such a number.
fn unpacked(key: u128, bits: &[u32]) -> impl Iterator<Item = u32> {
    let below = bits.iter().scan(bits.iter().sum::<u32>(), |left, bits| {
        *left -= bits;
        Some((*left, *bits))
    });
    below.map(move |(below, bits)| (key.checked_shr(below).unwrap_or(0) & ((1 << bits) - 1)) as u32)
}

/// Binary places of the largest code.
fn bits(column: &[u32]) -> u32 {
    column.iter().max().map_or(0, |&most| u32::BITS - most.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::hierarchy::{Definition, Rule};
    use velamen_dp::Seed;

    #[test]
    fn distinct_records_ascend_however_they_are_sorted() {
        let mut stream = Seed::from_number(4).stream(0);
        let mut columns: Vec<Vec<u32>> =
            (0..3).map(|_| (0..200).map(|_| below(&mut stream, 3) as u32).collect()).collect();
        let packed = Alike::of(columns.clone());
        assert_eq!((packed.counts.len(), packed.counts.iter().sum::<u64>()), (27, 200));
        assert!(packed.codes.chunks(3).is_sorted());
        // Five columns of 32 bits are too wide for a number.
        columns.extend(vec![vec![u32::MAX; 200]; 4]);
        let wide = Alike::of(columns);
        let narrow = wide.codes.chunks(7).flat_map(|record| record[..3].to_vec()).collect();
        assert_eq!(Alike { codes: narrow, counts: wide.counts }, packed);
        assert_eq!(Alike::of(Vec::new()), Alike { codes: Vec::new(), counts: Vec::new() });
    }

    /// Each class has one row, of the one combination of no further columns.
    #[test]
    fn equal_records_are_one_row() {
        let table = super::super::super::mst::tests::table(&[2, 3], vec![Vec::new(), Vec::new()]);
        let release = written(&table, &Node(vec![0, 0]), vec![vec![1, 0, 1], vec![2, 0, 2]]);
        let rows: Vec<(u32, u32, u64)> =
            release.rows.iter().map(|row| (row.class, row.rest, row.count)).collect();
        assert_eq!(
            (&release.codes[..], &release.sizes[..]),
            (&[0, 0, 1, 1][..], &[1, 2][..]),
            "codes are of the values that there are"
        );
        assert_eq!((rows, release.rest.len), (vec![(0, 0, 1), (1, 0, 2)], 1));
    }

    #[test]
    fn records_of_a_bin_get_its_values_alike() {
        let definition = Definition::Cuts { cuts: vec![vec![2.0]], min: 0.0, max: 9.0, decimals: 0 };
        let rule = Rule::try_from(&definition).unwrap();
        let (_, hierarchy) = rule.over(rule.whole_domain(10).unwrap(), false);
        let qi = QuasiIdentifier { name: "age".into(), hierarchy };
        let mut column = vec![0; 1000];
        column.extend(vec![1; 8000]);
        spread(&qi, (1, 0), &mut column, &mut Seed::from_number(3).stream(0));
        let (low, high) = column.split_at(1000);
        assert!(low.iter().all(|value| *value < 2) && high.iter().all(|value| (2..10).contains(value)));
        for value in 0..10 {
            let (expected, records) = if value < 2 { (500.0, low) } else { (1000.0, high) };
            let count = records.iter().filter(|code| **code == value).count() as f64;
            // A standard deviation of 16 or 30: P(|Z| > 4.5) = 7e-6.
            assert!((count - expected).abs() < 140.0, "{value}: {count}");
        }
        let mut same = vec![1, 0];
        spread(&qi, (1, 1), &mut same, &mut Seed::from_number(3).stream(0));
        assert_eq!(same, [1, 0]);
    }
}
