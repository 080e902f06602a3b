//! What a run takes, by figures of its table: constants that were measured, see docs/performance.md.

use velamen_engine::Most;
use velamen_search::method::search::{MOST_CHOICES, MOST_KNOWN};
use velamen_search::method::{Cost, Time};

/// What a table is, as far as costs follow from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TableSize {
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
    /// Rows times levels of the hierarchies that list their values.
    pub(crate) listed: f64,
    /// What the search of the lattice holds and takes.
    pub(crate) search: SearchExtent,
}

/// How far the lattice is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SearchExtent {
    /// Nodes of the lattice.
    pub(crate) nodes: f64,
    /// Nodes that are looked at, at most, where the method has a budget of them.
    pub(crate) looked_at: Option<f64>,
    /// Whether it keeps what it looked at.
    pub(crate) keeps: bool,
    /// Seconds that the search takes at most.
    pub(crate) seconds: Option<f64>,
}

/// A value of a level of a hierarchy's table: in the recipe, the rule, the levels, the manifest and its checker.
const LISTED: f64 = 400.0;

/// What is kept of a combination by the nodes that others are made of, where the lattice has ten times as many nodes.
const KEPT: f64 = 700.0;

/// The most that is kept of them.
const MOST_KEPT: f64 = 350e6;

/// The nodes of a lattice of which nothing is kept, as a power of ten.
const UNKEPT: f64 = 2.5;

/// What is noted of a node that is looked at.
const NOTED: f64 = 500.0;

/// What a search with a budget keeps of a combination.
const BUDGETED: f64 = 80.0;

/// A cell of a combination where several chains look at nodes, and the most that all take.
const LOOKED_AT_CELL: f64 = 100.0;
const MOST_CHAINED: f64 = 130e6;

/// The nodes and choices that a search with a budget remembers at once.
const MOST_NOTED: f64 = (MOST_CHOICES + MOST_KNOWN) as f64;

impl SearchExtent {
    fn bytes(self, size: &TableSize) -> f64 {
        if !self.keeps {
            return (LOOKED_AT_CELL * size.combinations * size.columns).min(MOST_CHAINED);
        }
        let kept = KEPT * size.combinations * (self.nodes.max(1.0).log10() - UNKEPT).max(0.0);
        let noted = |most: f64| NOTED * most.min(self.nodes).min(MOST_NOTED) + BUDGETED * size.combinations;
        kept.min(MOST_KEPT) + self.looked_at.map_or(0.0, noted)
    }
}

impl TableSize {
    /// A combination, and nothing besides.
    const ONE: Self = Self {
        records: 1.0,
        combinations: 1.0,
        rest: 0.0,
        columns: 0.0,
        values: 0.0,
        text: 0.0,
        listed: 0.0,
        search: SearchExtent::NONE,
    };
}

impl SearchExtent {
    /// Nothing is searched.
    pub(crate) const NONE: Self = Self { nodes: 1.0, looked_at: None, keeps: true, seconds: None };
}

/// A distinct value, in the dictionaries of all workers and the tables made of them.
const VALUE: f64 = 400.0;

/// A byte of a distinct value: its text is held by the workers, by the table, and again by what is written and read back.
const TEXT: f64 = 5.0;

/// A byte of a distinct value while the table is only looked at: its text once, and what is noted of each value.
const LOOKED_AT: f64 = 4.0;

/// What memory and time follow from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs(pub(crate) Cost);

impl Costs {
    /// The most memory that a run holds at once.
    pub(crate) fn peak(self, size: &TableSize) -> f64 {
        self.0.fixed
            + VALUE * size.values
            + TEXT * size.text
            + LISTED * size.listed
            + size.search.bytes(size)
            + self.followers(size)
    }

    fn followers(self, size: &TableSize) -> f64 {
        let Cost { combination, cell, rest, .. } = self.0;
        size.combinations * (combination + cell * size.columns) + size.rest * rest
    }

    /// The combinations of so many columns, and the bytes of distinct values, beyond either of which a run needs
    /// more than `most`, whatever else it holds.
    pub(crate) fn most(self, most: u64, columns: usize) -> Most {
        let columns = columns as f64;
        let one = TableSize { columns, ..TableSize::ONE };
        let left = (most as f64 - self.0.fixed).max(0.0);
        Most { combinations: (left / self.followers(&one)) as u64, text: (left / TEXT) as u64 }
    }
}

/// The most that a look at the table may hold where so many bytes are free.
pub(crate) fn most_looked_at(free: u64) -> Most {
    let left = (free as f64 - Cost::SEARCH.fixed).max(0.0);
    Most { combinations: u64::MAX, text: (left / LOOKED_AT) as u64 }
}

/// What reading, writing and reading back take, in looks at the table: mostly what follows from records.
const PASSES: f64 = 1.5;

/// Nanoseconds of a value of a hierarchy's table, which is written to the manifest, read back and checked.
const LISTED_VALUE: f64 = 1100.0;

/// Nanoseconds of a combination at a node that a search with a budget groups.
const LOOKED_AT_NODE: f64 = 15.0;

/// Nanoseconds of a combination at a look of a search that keeps nothing of it.
const LOOK: f64 = 25.0;

/// Nodes from which on nobody knows how many a search without a budget looks at.
const MANY: f64 = 1e6;

/// Seconds of a run, where they follow from its table; `pass` is what the look at it took, which shows how fast
/// the machine is and the format is read.
pub(crate) fn cpu_seconds(cost: Cost, size: &TableSize, pass: Option<f64>) -> Option<f64> {
    let time = cost.time?;
    let SearchExtent { nodes, looked_at, keeps, seconds } = size.search;
    let look = if keeps { LOOKED_AT_NODE } else { LOOK };
    let to_the_end = (nodes <= MANY).then_some(time.by_node * nodes);
    let budget = looked_at.map(|most| look * most.min(nodes));
    let search = to_the_end.into_iter().chain(budget).reduce(f64::min);
    let search = search.map(|by_node| size.combinations * (by_node + cuts(time, size)) * 1e-9);
    let search = search.into_iter().chain(seconds).reduce(f64::min)?;
    let once = size.combinations * time.once + size.listed * LISTED_VALUE;
    Some(PASSES * pass? + once * 1e-9 + search)
}

/// Nanoseconds of a combination in all cuts down to single ones.
fn cuts(time: Time, size: &TableSize) -> f64 {
    match size.combinations <= time.most_cut as f64 {
        true => time.by_cut * size.columns * size.combinations.max(1.0).log2(),
        false => 0.0,
    }
}
