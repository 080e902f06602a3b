//! What a run takes, by figures of its table: constants that were measured, see docs/performance.md.

use velamen_engine::Most;

use crate::recipe::Method;

/// What a table is, as far as costs follow from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    /// Records.
    pub(crate) records: f64,
    /// Distinct combinations of all columns.
    pub(crate) combinations: f64,
    /// Distinct combinations of the columns that are no quasi-identifiers.
    pub(crate) rest: f64,
    /// Columns that are released.
    pub(crate) columns: f64,
    /// Distinct values of all columns together.
    pub(crate) values: f64,
    /// The length of these values, in bytes.
    pub(crate) text: f64,
}

/// Bytes of memory by what they follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Memory {
    /// The program, its buffers and tables, and what the method needs of any table.
    fixed: f64,
    /// Of a distinct combination.
    combination: f64,
    /// Of a cell of a distinct combination.
    cell: f64,
    /// Of a distinct combination of the columns that are no quasi-identifiers.
    rest: f64,
}

/// A distinct value, in the dictionaries of all workers and the tables made of them.
const VALUE: f64 = 400.0;

/// A byte of a distinct value: its text is held by the workers, by the table, and again by what is written and read back.
const TEXT: f64 = 5.0;

/// A byte of a distinct value while the table is only looked at: its text once, and what is noted of each value.
const LOOKED_AT: f64 = 4.0;

/// The searches for one level by attribute, and all that keep no more than one node at a time.
const SEARCHES: Memory = Memory { fixed: 24e6, combination: 50.0, cell: 7.0, rest: 30.0 };

/// As the searches, with noise by class and value for the nodes that are looked at at once.
const IPA: Memory = Memory { fixed: 64e6, combination: 120.0, cell: 7.0, rest: 30.0 };

/// Counterfeits and the groups of the catalog, for the nodes that are looked at at once.
const H_CEILING: Memory = Memory { fixed: 24e6, combination: 400.0, cell: 20.0, rest: 30.0 };

/// Records by class.
const CLASSES: Memory = Memory { fixed: 24e6, combination: 200.0, cell: 20.0, rest: 30.0 };

impl Memory {
    /// The constants of a method.
    pub(crate) fn of(method: &Method) -> Self {
        match method {
            Method::FullDomain { local: None, .. } => SEARCHES,
            Method::IpaPublished(..) | Method::IpaPrivate(..) => IPA,
            Method::HCeiling(..) => H_CEILING,
            _ => CLASSES,
        }
    }

    /// The most memory that a run holds at once.
    pub(crate) fn peak(self, size: &Size) -> f64 {
        self.fixed + VALUE * size.values + TEXT * size.text + self.followers(size)
    }

    fn followers(self, size: &Size) -> f64 {
        let Self { combination, cell, rest, .. } = self;
        size.combinations * (combination + cell * size.columns) + size.rest * rest
    }

    /// The combinations of so many columns, and the bytes of distinct values, beyond either of which a run needs
    /// more than `most`, whatever else it holds.
    pub(crate) fn most(self, most: u64, columns: usize) -> Most {
        let columns = columns as f64;
        let one = Size { records: 1.0, combinations: 1.0, rest: 0.0, columns, values: 0.0, text: 0.0 };
        let left = (most as f64 - self.fixed).max(0.0);
        Most { combinations: (left / self.followers(&one)) as u64, text: (left / TEXT) as u64 }
    }
}

/// The most that a look at the table may hold where so many bytes are free.
pub(crate) fn most_looked_at(free: u64) -> Most {
    let left = (free as f64 - SEARCHES.fixed).max(0.0);
    Most { combinations: u64::MAX, text: (left / LOOKED_AT) as u64 }
}

/// What reading, writing and reading back take, in looks at the table: mostly what follows from records.
const PASSES: f64 = 1.5;

/// Seconds of a run, where they follow from its table; `pass` is what the look at it took, which tells how fast
/// the machine is and the format is read.
pub(crate) fn cpu_seconds(method: &Method, size: &Size, nodes: f64, pass: Option<f64>) -> Option<f64> {
    // Nanoseconds of a combination, and of a combination at a node.
    let (once, by_node) = match method {
        Method::FullDomain { local: None, .. } => (600.0, 1.0),
        Method::HCeiling(..) => (2000.0, 40.0),
        Method::IpaPublished(..) => (600.0, 2.0),
        Method::IpaPrivate(..) => (600.0, 2.0),
        _ => return None,
    };
    Some(PASSES * pass? + size.combinations * (once + by_node * nodes) * 1e-9)
}
