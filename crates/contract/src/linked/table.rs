//! A released table and its columns.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A released table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Table {
    /// Its file, from the release folder on: `data/PERSON.csv`. The ending says its format.
    pub file: String,
    /// Its rows.
    pub records: u64,
    /// The column that refers to the person table, in every table but that one. A table whose rows belong to persons by way
    /// of another table names the column that refers to that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether having a row is a person column: the table of deaths.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_person_column: bool,
    /// Whether each row has a released row that refers to it, or more: a visit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_referred_to: bool,
    /// The first and the last day that its rows are about, where it has a window of its own, inside that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<[String; 2]>,
    /// Columns of codes, numbers and references in which cells were emptied. An empty cell of such a column is that of at least k persons,
    /// beside each code of its row, too.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub emptied: BTreeSet<String>,
    /// Its columns, in the file's order.
    pub columns: IndexMap<String, Column>,
}

/// What a released column holds. Empty cells are allowed in all but keys, parents and quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Column {
    /// The table's own key: 1 to the number of rows, or UUIDs in small letters (`8-4-4-4-12`).
    Key,
    /// The key of a row of a released table. Of a row of a person it never points to another person's.
    Reference {
        /// The table.
        table: String,
    },
    /// A person column.
    QuasiIdentifier {
        /// Its level, 0 as recorded.
        level: u8,
        /// The number of levels; 0 where each class has a value of its own, and `level` is 0, too.
        levels: u8,
        /// What each released value stands for.
        labels: IndexMap<String, String>,
    },
    /// Codes that somebody may know.
    Set {
        /// What stands between items of a cell; absent where a cell is an item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        items: Option<String>,
    },
    /// Codes of which each is that of enough persons.
    Code,
    /// Numbers whose ends, for each code and unit, are those of enough persons.
    Value {
        /// The columns of the same table by which numbers are told apart: code and unit.
        by: Vec<String>,
        /// The most significant digits.
        digits: u8,
    },
    /// Numbers by the names of declared bands. A band from `a` to below `b` is named `[a, b)`, both as Rust's `Display` writes
    /// a number: `[0, 2.5)`.
    Band {
        /// The least number of each band, ascending; the last is the end of the last band.
        bounds: Vec<f64>,
        /// The columns of the same table by which bands are told apart: each band of a code and unit is that of enough persons.
        #[serde(default)]
        by: Vec<String>,
    },
    /// Dates, `YYYY-MM-DD`.
    Date,
    /// One value in all rows.
    Constant {
        /// The value.
        value: String,
    },
    /// As recorded: called insensitive in the recipe.
    Insensitive,
}
