//! The table every method works on: distinct combinations of codes with their counts.

mod columns;
mod counted;

pub use columns::Column;
pub use counted::{Counted, Counts};

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::hierarchy::Hierarchy;
use crate::lattice::Lattice;

/// The order of two rows of columns of codes.
#[inline]
pub(crate) fn compared(columns: &[Vec<u32>], a: usize, b: usize) -> Ordering {
    let mut codes = columns.iter().map(|codes| codes[a].cmp(&codes[b]));
    codes.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

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
    /// Shows which records are of the same person, where a person can have several: not released; k
    /// counts persons.
    Person,
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
    /// [`Role::Sensitive`], [`Role::Insensitive`] or [`Role::Person`].
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

    /// The position of the column of that name, if there is one.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The position of the column that names the person, if there is one.
    #[must_use]
    pub fn person(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.role == Role::Person)
    }

    /// The codes of one combination.
    #[must_use]
    pub fn row(&self, index: usize) -> Vec<u32> {
        self.codes.iter().map(|column| column[index]).collect()
    }
}

/// The population that a table is a sample of: distinct combinations of quasi-identifiers.
#[derive(Debug, Clone, Default)]
pub struct PopulationTable {
    /// Per quasi-identifier, the leaf code in each entry, as in the sample's table.
    pub codes: Vec<Vec<u32>>,
    /// How many records each entry stands for.
    pub counts: Vec<u64>,
}

/// Records that are in no entry of a table, since they are not as its domains declare: of methods whose
/// promise must not depend on whether such a record exists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strays {
    /// Records with a quasi-identifier outside its domain, by value of the sensitive column; one number
    /// where there is none.
    pub outside: Vec<u64>,
    /// Records whose sensitive value is outside its domain.
    pub dropped: u64,
    /// Records that cannot be read.
    pub malformed: u64,
}

impl Strays {
    /// Notes records with a quasi-identifier outside its domain and that sensitive value.
    pub fn add_outside(&mut self, value: usize, records: u64) {
        if self.outside.len() <= value {
            self.outside.resize(value + 1, 0);
        }
        self.outside[value] += records;
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
    /// The population, where it is known.
    pub population: Option<PopulationTable>,
    /// What is in no entry; nothing but for private methods.
    pub strays: Strays,
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
        tally(&self.codes[qi], &self.counts, self.qis[qi].hierarchy.width(0))
    }

    /// The table over wider hierarchies: `hierarchies[q]` has all leaves of attribute `q`'s and maybe
    /// more, `places[q]` gives where each old leaf code is.
    #[must_use]
    pub fn over(mut self, hierarchies: Vec<Hierarchy>, places: &[Vec<u32>]) -> Self {
        for ((qi, hierarchy), (codes, places)) in
            self.qis.iter_mut().zip(hierarchies).zip(self.codes.iter_mut().zip(places))
        {
            qi.hierarchy = hierarchy;
            codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        }
        self
    }

    /// The same attributes and domains without a record: what is public where all domains are.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self {
            qis: self.qis.clone(),
            rest: self.rest.clone(),
            codes: vec![Vec::new(); self.qis.len()],
            rest_index: Vec::new(),
            counts: Vec::new(),
            population: None,
            strays: Strays::default(),
        }
    }

    /// The table without a column of the rest; combinations that become equal are merged.
    ///
    /// Time: O(entries · log entries).
    #[must_use]
    pub fn without(&self, column: usize) -> Self {
        let mut columns = self.rest.columns.clone();
        columns.remove(column);
        let row = |rest: usize| {
            let mut row = self.rest.row(rest);
            row.remove(column);
            row
        };
        let rows: Vec<Vec<u32>> = (0..self.rest.len).map(row).collect();
        let mut distinct: Vec<&Vec<u32>> = rows.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let place: Vec<u32> = rows.iter().map(|row| distinct.partition_point(|d| *d < row) as u32).collect();
        let codes = (0..columns.len()).map(|c| distinct.iter().map(|row| row[c]).collect()).collect();
        let rest = Rest { columns, codes, len: distinct.len() };
        self.merged(rest, |entry| place[self.rest_index[entry] as usize])
    }

    /// As [`Self::without`], and by entry of this table its entry there.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn without_and_where(&self, column: usize) -> (Self, Vec<u32>) {
        let without = self.without(column);
        let rows: FxHashMap<Vec<u32>, u32> =
            (0..without.len()).map(|entry| (without.values(entry, None), entry as u32)).collect();
        let places = (0..self.len()).map(|entry| rows[&self.values(entry, Some(column))]).collect();
        (without, places)
    }

    /// The codes of an entry: its quasi-identifiers, then its rest, without one of its columns.
    fn values(&self, entry: usize, without: Option<usize>) -> Vec<u32> {
        let mut rest = self.rest.row(self.rest_index[entry] as usize);
        if let Some(column) = without {
            rest.remove(column);
        }
        self.codes.iter().map(|codes| codes[entry]).chain(rest).collect()
    }

    /// The table with another rest, entries merged where they have become equal.
    fn merged(&self, rest: Rest, rest_of: impl Fn(usize) -> u32) -> Self {
        let key = |entry: usize| {
            let mut key: Vec<u32> = self.codes.iter().map(|column| column[entry]).collect();
            key.push(rest_of(entry));
            key
        };
        let mut entries: Vec<(Vec<u32>, u64)> =
            (0..self.len()).map(|entry| (key(entry), self.counts[entry])).collect();
        entries.sort_unstable();
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let column = |c: usize| entries.iter().map(|entry| entry.0[c]).collect();
        Self {
            qis: self.qis.clone(),
            rest,
            codes: (0..self.qis.len()).map(column).collect(),
            rest_index: column(self.qis.len()),
            counts: entries.iter().map(|entry| entry.1).collect(),
            population: self.population.clone(),
            strays: self.strays.clone(),
        }
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

/// By code, how often it counts. Neighbours often have the same code: four sums side by side need not wait for each
/// other.
fn tally(codes: &[u32], counts: &[u64], width: usize) -> Vec<u64> {
    let mut lanes = [(); 4].map(|()| vec![0; width]);
    for (codes, counts) in codes.chunks(4).zip(counts.chunks(4)) {
        for ((lane, &code), &count) in lanes.iter_mut().zip(codes).zip(counts) {
            lane[code as usize] += count;
        }
    }
    (0..width).map(|code| lanes.iter().map(|lane| lane[code]).sum()).collect()
}
