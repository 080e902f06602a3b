//! The table every method works on: distinct combinations of codes with their counts.

use crate::hierarchy::Hierarchy;
use crate::lattice::Lattice;

/// The part that an attribute plays.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person by itself: never released.
    Identifier,
    /// An adversary may know it and link on it: generalized.
    QuasiIdentifier,
    /// What the adversary must not learn and the analyst wants: released as it is.
    Sensitive,
    /// Released as it is; takes no part.
    Insensitive,
}

/// A quasi-identifier: its hierarchy over the values that occur.
#[derive(Debug, Clone)]
pub struct QuasiIdentifier {
    /// The attribute's name.
    pub name: String,
    /// Codes, labels and leaf counts at every level.
    pub hierarchy: Hierarchy,
}

/// A released column that is no quasi-identifier: sensitive or insensitive.
#[derive(Debug, Clone)]
pub struct RestColumn {
    /// The attribute's name.
    pub name: String,
    /// [`Role::Sensitive`] or [`Role::Insensitive`].
    pub role: Role,
    /// The values, in canonical order; a code is an index into it.
    pub values: Vec<String>,
}

/// The distinct combinations of the columns that are no quasi-identifiers.
#[derive(Debug, Clone, Default)]
pub struct Rest {
    /// The columns, in the order of the input.
    pub columns: Vec<RestColumn>,
    /// Per column, the code in each combination. Combinations ascend by their codes.
    pub codes: Vec<Vec<u32>>,
    /// The number of combinations; 1 (the empty one) where there is no column.
    pub len: usize,
}

impl Rest {
    /// The positions of the sensitive columns.
    pub fn sensitive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&c| self.columns[c].role == Role::Sensitive)
    }

    /// The codes of one combination.
    #[must_use]
    pub fn row(&self, index: usize) -> Vec<u32> {
        self.codes.iter().map(|column| column[index]).collect()
    }
}

/// Distinct (quasi-identifier, rest) combinations, ascending, with their counts.
#[derive(Debug, Clone)]
pub struct FrequencyTable {
    /// The quasi-identifiers, in the order of the input.
    pub qis: Vec<QuasiIdentifier>,
    /// The other released columns.
    pub rest: Rest,
    /// Per quasi-identifier, the leaf code in each entry.
    pub codes: Vec<Vec<u32>>,
    /// The combination of the rest in each entry.
    pub rest_index: Vec<u32>,
    /// How many records each entry stands for, at least 1.
    pub counts: Vec<u64>,
}

impl FrequencyTable {
    /// The number of distinct combinations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether the table has no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// n: the number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The lattice of the quasi-identifiers.
    #[must_use]
    pub fn lattice(&self) -> Lattice {
        Lattice::new(self.qis.iter().map(|qi| qi.hierarchy.top()).collect())
    }

    /// How many records have each leaf code of a quasi-identifier.
    #[must_use]
    pub fn marginal(&self, qi: usize) -> Vec<u64> {
        let mut counts = vec![0; self.qis[qi].hierarchy.width(0)];
        for (&code, &count) in self.codes[qi].iter().zip(&self.counts) {
            counts[code as usize] += count;
        }
        counts
    }

    /// How many records have each code of a column of the rest.
    #[must_use]
    pub fn rest_marginal(&self, column: usize) -> Vec<u64> {
        let mut counts = vec![0; self.rest.columns[column].values.len()];
        for (&rest, &count) in self.rest_index.iter().zip(&self.counts) {
            counts[self.rest.codes[column][rest as usize] as usize] += count;
        }
        counts
    }
}
