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
//! None.
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
use serde::Serialize;

use crate::risk::leak::Columns;

/// The classes of a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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

/// The classes by powers of two, from ascending (size, classes); bins without a class are left out.
#[must_use]
pub fn bins(sizes: &[(u64, u64)]) -> Vec<Bin> {
    let top = |size: u64| size.checked_next_power_of_two().unwrap_or(u64::MAX);
    let of_bin = |part: &[(u64, u64)]| {
        let to = top(part[0].0);
        let records = part.iter().map(|(size, classes)| size * classes).sum();
        Bin { from: to / 2 + 1, to, classes: part.iter().map(|(_, classes)| classes).sum(), records }
    };
    sizes.chunk_by(|a, b| top(a.0) == top(b.0)).map(of_bin).collect()
}

/// The sizes of the classes if one attribute is left out.
#[must_use]
pub fn without(columns: Columns<'_>, attribute: usize) -> Vec<(u64, u64)> {
    let mut parts = vec![0u32; columns.counts.len()];
    for (_, codes) in columns.codes.iter().enumerate().filter(|(other, _)| *other != attribute) {
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (part, &code) in parts.iter_mut().zip(codes) {
            let next = known.len() as u32;
            *part = *known.entry((*part, code)).or_insert(next);
        }
    }
    let mut sizes = vec![0; columns.counts.len()];
    parts.iter().zip(columns.counts).for_each(|(&part, count)| sizes[part as usize] += count);
    by_size(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_end_at_powers_of_two() {
        let sizes = by_size([1, 1, 2, 3, 4, 5, 8, 8, 9, 0]);
        assert_eq!(sizes, [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1), (8, 2), (9, 1)]);
        let bin = |from, to, classes, records| Bin { from, to, classes, records };
        let expected =
            [bin(1, 1, 2, 2), bin(2, 2, 1, 2), bin(3, 4, 2, 7), bin(5, 8, 3, 21), bin(9, 16, 1, 9)];
        assert_eq!(bins(&sizes), expected);
        assert!(bins(&[]).is_empty());
        assert_eq!(bins(&[(u64::MAX, 1)])[0].to, u64::MAX);
    }

    #[test]
    fn classes_merge_where_an_attribute_is_left_out() {
        let (codes, counts) = ([vec![0, 0, 1, 1], vec![0, 1, 0, 1]], [1, 2, 3, 4]);
        let columns = Columns { codes: &codes, counts: &counts };
        assert_eq!(without(columns, 0), [(4, 1), (6, 1)]);
        assert_eq!(without(columns, 1), [(3, 1), (7, 1)]);
        assert_eq!(without(Columns { codes: &codes[..1], counts: &counts }, 0), [(10, 1)]);
    }
}
