//! How many equivalence classes there are of each size.
//!
//! # Summary
//! The sizes of a table's classes, all of them or by powers of two, and what they become if one attribute is
//! left out.
//!
//! # Definition
//! A class is the records that share the values of all attributes. Bin b holds the classes of 2^(b − 1) + 1
//! to 2^b records: 1, 2, 3–4, 5–8, …
//!
//! # Parameters
//! [`Columns`], or the sizes.
//!
//! # Returns
//! Pairs (size, classes of that size), ascending; [`Bin`]s.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! O(classes · attributes).
//!
//! # References
//! None.
//!
//! # Deviations
//! None.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::{Context, Interrupted};

use crate::risk::leak::Columns;

/// The classes of a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Bin {
    /// The least size.
    pub from: u64,
    /// The largest size.
    pub to: u64,
    /// How many classes.
    pub classes: u64,
    /// Their records.
    pub records: u64,
}

/// (size, how many classes have it), ascending; sizes of 0 are left out.
#[must_use]
pub fn by_size(sizes: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
    sizes.into_iter().filter(|size| *size > 0).for_each(|size| *classes.entry(size).or_default() += 1);
    classes.into_iter().collect()
}

/// The classes by powers of two, each given as its size and its records, which differ where a class cannot be
/// told from others; bins without a class are left out.
#[must_use]
pub fn bins(classes: impl Iterator<Item = (u64, u64)>) -> Vec<Bin> {
    let mut bins: BTreeMap<u64, Bin> = BTreeMap::new();
    for (size, records) in classes.filter(|(size, _)| *size > 0) {
        let to = size.checked_next_power_of_two().unwrap_or(u64::MAX);
        let bin = bins.entry(to).or_insert(Bin { from: to / 2 + 1, to, classes: 0, records: 0 });
        bin.classes += 1;
        bin.records += records;
    }
    bins.into_values().collect()
}

/// By attribute, the part that each entry is in if it is left out.
///
/// Time: O(classes · attributes), as what comes before an attribute and what comes after it are each
/// partitioned once.
///
/// # Errors
/// [`Interrupted`].
pub fn without_each(columns: Columns<'_>, context: &Context<'_>) -> Result<Vec<Vec<u32>>, Interrupted> {
    let whole = vec![0; columns.counts.len()];
    let mut before = vec![whole.clone()];
    for codes in columns.codes {
        context.check()?;
        before.push(parted(&before[before.len() - 1], codes));
    }
    let (mut after, mut without) = (whole, Vec::new());
    for (attribute, codes) in columns.codes.iter().enumerate().rev() {
        context.check()?;
        without.push(parted(&before[attribute], &after));
        after = parted(&after, codes);
    }
    without.reverse();
    Ok(without)
}

/// The parts of what two partitions tell apart together.
fn parted(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let part = |pair: (&u32, &u32)| {
        let next = known.len() as u32;
        *known.entry((*pair.0, *pair.1)).or_insert(next)
    };
    one.iter().zip(other).map(part).collect()
}

/// The sizes of parts, (size, how many), ascending, from the part and the records of each entry.
#[must_use]
pub fn sizes_of(parts: &[u32], counts: &[u64]) -> Vec<(u64, u64)> {
    let mut sizes = vec![0; counts.len()];
    parts.iter().zip(counts).for_each(|(&part, count)| sizes[part as usize] += count);
    by_size(sizes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use velamen_dp::Seed;

    use super::*;
    use velamen_core::context::Silent;

    #[test]
    fn bins_end_at_powers_of_two() {
        let sizes = by_size([1, 1, 2, 3, 4, 5, 8, 8, 9, 0]);
        assert_eq!(sizes, [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1), (8, 2), (9, 1)]);
        let bin = |from, to, classes, records| Bin { from, to, classes, records };
        let expected =
            [bin(1, 1, 2, 2), bin(2, 2, 1, 2), bin(3, 4, 2, 7), bin(5, 8, 3, 21), bin(9, 16, 1, 9)];
        assert_eq!(bins([1, 1, 2, 3, 4, 5, 8, 8, 9, 0].map(|size| (size, size)).into_iter()), expected);
        assert_eq!(bins(std::iter::empty()), []);
        assert_eq!(bins(std::iter::once((u64::MAX, 1)))[0].to, u64::MAX);
        // Two classes of one record each that agree with 3 and 4 records.
        assert_eq!(bins([(3, 1), (4, 1)].into_iter()), [bin(3, 4, 2, 2)]);
    }

    #[test]
    fn classes_merge_where_an_attribute_is_left_out() {
        let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let (codes, counts) = ([vec![0, 0, 1, 1], vec![0, 1, 0, 1], vec![5, 5, 5, 6]], [1, 2, 3, 4]);
        let columns = |attributes| Columns { codes: &codes[..attributes], counts: &counts, weights: None };
        let without = |attributes| -> Vec<Vec<(u64, u64)>> {
            let parts = without_each(columns(attributes), &context).unwrap();
            parts.iter().map(|parts| sizes_of(parts, &counts)).collect()
        };
        assert_eq!(without(1), [[(10, 1)]]);
        assert_eq!(without(2), [[(4, 1), (6, 1)], [(3, 1), (7, 1)]]);
        // Without the first: (0, 5), (1, 5), (0, 5), (1, 6).
        assert_eq!(without(3)[0], [(2, 1), (4, 2)]);
        assert_eq!(without(3)[2], [(1, 1), (2, 1), (3, 1), (4, 1)]);
    }
}
