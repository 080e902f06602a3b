//! The truthful version of a release (Lee 2017, Tables 8 and 9).
//!
//! From a release and its catalog alone: for a catalog row (G, s, c), in each class of G min(c,
//! count of s) records of value s get their quasi-identifiers suppressed; then c of those
//! suppressed are dropped. In the end there are as many records as in the original, and no record
//! states quasi-identifiers other than its person's own. Where records of a class and value differ in
//! insensitive attributes, the first in canonical order are taken.

use std::collections::{BTreeMap, HashMap};

use super::CatalogRow;

/// A distinct released record, as far as the truthful version looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthfulRow {
    /// The class id; `None` if suppressed already.
    pub class: Option<u64>,
    /// The code of the sensitive value.
    pub sensitive: u32,
    /// How many records.
    pub count: u64,
}

/// What remains of each row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remaining {
    /// Records that stay as they are.
    pub kept: u64,
    /// Records that stay with all quasi-identifiers `*`.
    pub suppressed: u64,
}

/// Applies the catalog to the rows of a release, in their order.
///
/// Time: O(rows + catalog · classes named).
#[must_use]
pub fn truthful(rows: &[TruthfulRow], catalog: &[CatalogRow], values: &[String]) -> Vec<Remaining> {
    let codes: HashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
    let mut of_cell: HashMap<(u64, u32), Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        if let Some(class) = row.class {
            of_cell.entry((class, row.sensitive)).or_default().push(index);
        }
    }
    let mut remaining: Vec<Remaining> = rows
        .iter()
        .map(|row| match row.class {
            Some(_) => Remaining { kept: row.count, suppressed: 0 },
            None => Remaining { kept: 0, suppressed: row.count },
        })
        .collect();
    for entry in catalog {
        let Some(&sensitive) = codes.get(entry.value.as_str()) else { continue };
        let mut suppressed: BTreeMap<usize, u64> = BTreeMap::new();
        for class in entry.classes.iter() {
            let mut left = entry.count;
            for &row in of_cell.get(&(*class, sensitive)).into_iter().flatten() {
                let taken = left.min(remaining[row].kept);
                remaining[row].kept -= taken;
                *suppressed.entry(row).or_default() += taken;
                left -= taken;
            }
        }
        let mut dropped = entry.count;
        for (row, taken) in suppressed {
            let gone = dropped.min(taken);
            dropped -= gone;
            remaining[row].suppressed += taken - gone;
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_5_with_table_8_gives_table_9() {
        // Values: 0 Anemia, 1 Diabetes, 2 Pneumonia.
        let row = |class, sensitive, count| TruthfulRow { class: Some(class), sensitive, count };
        let rows = [row(1, 0, 1), row(1, 1, 2), row(1, 2, 1), row(2, 1, 2), row(2, 2, 2)];
        let values = ["Anemia", "Diabetes", "Pneumonia"].map(String::from);
        let catalog = [CatalogRow { classes: [1, 2].into(), value: "Diabetes".into(), count: 1 }];
        let left = truthful(&rows, &catalog, &values);
        let kept: Vec<u64> = left.iter().map(|r| r.kept).collect();
        assert_eq!(kept, [1, 1, 1, 1, 2]);
        assert_eq!(left.iter().map(|r| r.suppressed).sum::<u64>(), 1);
        assert_eq!(left.iter().map(|r| r.kept + r.suppressed).sum::<u64>(), 7);
    }
}
