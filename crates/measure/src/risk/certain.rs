//! Records that the catalog proves to be real.
//!
//! # Summary
//! Lemma 1 guards counterfeits, not real records: in a class that was filled up a value of which the catalog
//! counts no counterfeit in the class's group is real for sure, and the others of the class are the fewer.
//!
//! # Definition
//! Of the classes in a group of the catalog that can hold counterfeits, the records of values without a row of
//! that group. Where the real records of each class are promised to have so many values as the class shows, a value that one
//! record has there, too. Classes in no group are without counterfeits altogether, and are not counted.
//!
//! # Complexity
//! O(records of the release's cells).
//!
//! # References
//! Lee 2017 for the catalog; the count is ours.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::release::Release;

use super::minimality::released_cells;

/// What the catalog proves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Certain {
    /// Records of classes of a group that can hold counterfeits.
    pub records: u64,
    /// How many of them are provably real.
    pub provably_real: u64,
    /// The classes that these are in.
    pub classes: u64,
}

/// The provably real records of a release, of whose classes those of at most `largest` records can hold counterfeits, and have
/// real records of at least so many `values`; up to 1: nothing is known of that.
#[must_use]
pub fn certain(release: &Release, largest: u64, values: u64) -> Certain {
    let cells = released_cells(release);
    let mut certain = Certain::default();
    for rows in release.catalog.chunk_by(|a, b| a.classes == b.classes) {
        let counted: BTreeSet<&str> = rows.iter().map(|row| row.value.as_str()).collect();
        let classes = rows[0].classes.iter().map(|&id| id as usize - 1);
        for class in classes.filter(|&class| release.sizes[class] <= largest) {
            let tight = values > 1 && cells[class].len() as u64 <= values;
            let sure = |value: &str, count: u64| !counted.contains(value) || (tight && count == 1);
            let real = cells[class].iter().filter(|(value, count)| sure(value, **count));
            let real: u64 = real.map(|(_, count)| count).sum();
            certain.records += release.sizes[class];
            certain.provably_real += real;
            certain.classes += u64::from(real > 0);
        }
    }
    certain
}

#[cfg(test)]
mod tests {
    use velamen_core::frequency::{Rest, RestColumn, Role};
    use velamen_core::release::{CatalogRow, Row};

    use super::*;

    #[test]
    fn values_without_a_row_are_real() {
        // Classes {a: 2, b: 1}, {a: 1, c: 2}, {a: 4} and {c: 1}; the catalog tells of one a in the first three.
        let values = ["a", "b", "c"].map(String::from).to_vec();
        let columns = vec![RestColumn { name: "s".into(), role: Role::Sensitive, values }];
        let row = |class, rest, count| Row { class, rest, count };
        let release = Release {
            rest: Rest { columns, codes: vec![vec![0, 1, 2]], len: 3 },
            sizes: vec![3, 3, 4, 1],
            rows: vec![row(0, 0, 2), row(0, 1, 1), row(1, 0, 1), row(1, 2, 2), row(2, 0, 4), row(3, 2, 1)],
            catalog: vec![CatalogRow { classes: [1, 2, 3].into(), value: "a".into(), count: 1 }],
            ..Release::default()
        };
        assert_eq!(certain(&release, 4, 1), Certain { records: 10, provably_real: 3, classes: 2 });
        assert_eq!(certain(&release, 3, 1), Certain { records: 6, provably_real: 3, classes: 2 });
        // Where two values are promised, those of {a: 2, b: 1} and {a: 1, c: 2} are real, and so the a that is alone.
        let two = Certain { records: 10, provably_real: 4, classes: 2 };
        assert_eq!((certain(&release, 4, 2), certain(&release, 4, 1).provably_real), (two, 3));
        assert_eq!(certain(&Release { catalog: Vec::new(), ..release }, 4, 1), Certain::default());
    }
}
