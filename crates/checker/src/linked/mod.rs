//! The independent checker of linked tables: does a release keep, over all its tables, what its manifest promises?
//!
//! It reads the released folder alone, each table twice: first the keys, which say whose each row is, then all cells. It
//! shares nothing with what made the release except the manifest's types, and the engine's reader where tables are Parquet ([`Host`]). A broken promise names the table, column and row
//! of its first fault, never a cell.
//!
//! | finding | reached |
//! | --- | --- |
//! | [`COLUMNS`] | files, headers, roles, labels of person columns, constants and empty cells are as listed |
//! | [`RECORDS`] | rows and persons |
//! | [`KEYS`] | each key is new; each reference resolves, within the person |
//! | [`ORDER`] | rows ascend by person, then by content |
//! | a privacy model's name | the least number of persons of a combination of person columns, or of a set of items |
//! | [`CODE_FLOOR`] | the least number of persons of a code outside the sets |
//! | [`PUBLIC_EVENTS`] | columns that are said to have no code of a public event have none |
//! | [`COUNTS`] | of a table, the persons who have most rows, or the number of rows that fewest have |
//! | [`VALUES`] | the least number of persons of the least or greatest number of a group |
//! | [`DATES`], [`SHIFT`] | dates are of the form that is stated; how shifts were drawn shows in no release |
//! | [`AGES`] | the oldest share one value, and no number is an age of theirs |
//! | [`TRACES`] | rows that would have lost all that referred to them are gone; each empty cell is that of enough persons |
//! | [`NOT_COVERED`] | what is not promised is said |
//! | [`METHOD`] | stated: the shape, the window, who was left out, which codes climbed |
//! | [`LABELS`] | the file of labels agrees with the manifest |
//!
//! # Cost
//! Two readings of each table, tables beside each other. Memory follows from pairs of person and item (20 bytes each), and from
//! rows (12 bytes each, 32 more if keys are UUIDs). Pairs of person and code in other columns take 8 bytes each. Counting sets of m
//! items takes Σ C(|set|, m) steps over persons.

mod ages;
mod certify;
mod classes;
mod codes;
mod counts;
mod date;
mod empties;
mod events;
mod extension;
mod faults;
mod fhir;
mod folder;
mod itemsets;
mod keys;
mod labels;
mod line;
mod number;
mod owners;
mod periods;
mod plan;
mod r4;
mod recorded;
mod rows;
mod seen;
mod source;
#[cfg(test)]
mod tests;
mod units;
mod unreadable;
mod watch;
mod years;

pub use certify::{certify, certify_with};
pub use rows::{Row, Source};
pub use source::{Alone, Host};
pub use unreadable::Unreadable;

/// Files, headers, roles, person columns, constants and empty cells.
pub const COLUMNS: &str = "columns";
/// The numbers of rows and persons.
pub const RECORDS: &str = "records";
/// Keys and references.
pub const KEYS: &str = "keys";
/// What no released table shows.
pub const METHOD: &str = "method";
/// The order of rows.
pub const ORDER: &str = "order";
/// Codes that are in no set.
pub const CODE_FLOOR: &str = "code-floor";
/// Codes of events that newspapers report.
pub const PUBLIC_EVENTS: &str = "public-events";
/// Numbers of rows of persons.
pub const COUNTS: &str = "counts";
/// Numbers and their bands.
pub const VALUES: &str = "values";
/// The form of dates.
pub const DATES: &str = "dates";
/// How shifts were drawn: the custodian's word.
pub const SHIFT: &str = "shift";
/// Years of birth of the oldest.
pub const AGES: &str = "ages";
/// Rows that nothing refers to any more, and empty cells that mark a person.
pub const TRACES: &str = "traces";
/// What is not promised.
pub const NOT_COVERED: &str = "not-covered";
/// The file of labels.
pub const LABELS: &str = "labels";
