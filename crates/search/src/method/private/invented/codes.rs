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
    Ok(written(table, levels.released, &columns))
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

fn written(table: &FrequencyTable, node: &Node, columns: &[Vec<u32>]) -> Release {
    let attribute =
        |(qi, &level): (&QuasiIdentifier, &u8)| ReleasedAttribute::at_level(&qi.name, &qi.hierarchy, level);
    let qis = table.qis.iter().zip(&node.0).map(attribute).collect();
    let mut release = Release { qis, rest: Rest { len: 1, ..Rest::default() }, ..Release::default() };
    for (codes, count) in alike(columns) {
        release.codes.extend(codes);
        let class = release.sizes.len() as u32;
        release.sizes.push(count);
        release.rows.push(Row { class, rest: 0, count });
    }
    release.by_labels()
}

/// The distinct records, ascending, and how many there are of each.
fn alike(columns: &[Vec<u32>]) -> Vec<(Vec<u32>, u64)> {
    let bits: Vec<u32> = columns.iter().map(|column| bits(column)).collect();
    let records = columns.first().map_or(0, Vec::len);
    let record = |place: usize| columns.iter().map(move |column| column[place]);
    if bits.iter().sum::<u32>() > u128::BITS {
        let mut order: Vec<usize> = (0..records).collect();
        order.par_sort_unstable_by(|&a, &b| record(a).cmp(record(b)));
        let alike = order.chunk_by(|&a, &b| record(a).eq(record(b)));
        return alike.map(|alike| (record(alike[0]).collect(), alike.len() as u64)).collect();
    }
    // Numbers in the records' order are sorted in a fraction of the time.
    let mut keys: Vec<u128> =
        (0..records).into_par_iter().map(|place| packed(record(place), &bits)).collect();
    keys.par_sort_unstable();
    keys.chunk_by(|a, b| a == b).map(|alike| (unpacked(alike[0], &bits), alike.len() as u64)).collect()
}

/// Codes of so many binary places each, as one number.
fn packed(codes: impl Iterator<Item = u32>, bits: &[u32]) -> u128 {
    codes.zip(bits).fold(0, |key, (code, bits)| key << bits | u128::from(code))
}

fn unpacked(mut key: u128, bits: &[u32]) -> Vec<u32> {
    let mut codes: Vec<u32> = Vec::with_capacity(bits.len());
    for &bits in bits.iter().rev() {
        codes.push((key & ((1 << bits) - 1)) as u32);
        key >>= bits;
    }
    codes.reverse();
    codes
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
        let packed = alike(&columns);
        assert_eq!((packed.len(), packed.iter().map(|(_, count)| count).sum::<u64>()), (27, 200));
        assert!(packed.is_sorted());
        // Five columns of 32 bits are too wide for a number.
        columns.extend(vec![vec![u32::MAX; 200]; 4]);
        let wide = alike(&columns);
        let narrow: Vec<(Vec<u32>, u64)> =
            wide.into_iter().map(|(codes, count)| (codes[..3].to_vec(), count)).collect();
        assert_eq!(narrow, packed);
        assert_eq!(alike(&[]), []);
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
