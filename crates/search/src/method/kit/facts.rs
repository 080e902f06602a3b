//! What is true of a method's releases, as data: what others ask before they rely on them.

/// Facts of one method with its parameters. Each has at least two readers; refusals, reports and
/// everything that reads a release ask here, and compare no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Whether every value of an attribute goes to one level.
    pub one_level: bool,
    /// Whether a recipe can name the levels of an attribute.
    pub levels: bool,
    /// What becomes of the records.
    pub records: Records,
    /// Who are told of the counterfeits that it makes.
    pub counterfeits: Counterfeits,
    /// Whether it is differentially private, so that nothing may depend on a single record.
    pub private: bool,
    /// Whether it needs privacy models to keep.
    pub models: bool,
    /// Whether k can count persons of several records.
    pub persons: bool,
    /// Whether missing values can match any value.
    pub wildcards: bool,
    /// Whether models can look at some of the quasi-identifiers.
    pub shields: bool,
    /// Whether a population may be given.
    pub population: bool,
    /// The most nodes of the lattice that it can search; `None` for any number.
    pub most_nodes: Option<u128>,
}

/// What becomes of the original records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// Each is released or suppressed, its released values cover the original ones.
    Truthful,
    /// As truthful, but of a random sample of which small classes are dropped.
    Sampled,
    /// Outliers take the values of other records.
    Relocated,
    /// Values are averages that nobody need have.
    Aggregated,
    /// None is released: counts with noise are written out as records.
    Noisy {
        /// The step of the budget that the cells' noise is drawn in.
        counted: &'static str,
        /// The other steps.
        others: &'static [&'static str],
    },
    /// None is released: records are invented that follow noisy counts of few attributes at a time.
    Invented,
}

/// Whether there can be counterfeits, and who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counterfeits {
    /// None are made.
    None,
    /// The catalog shows how many there are.
    Catalogued,
    /// The release does not tell.
    Untold,
}

impl Facts {
    /// What holds of the searches for one level by attribute; the others say what differs.
    pub const SEARCH: Self = Self {
        one_level: true,
        levels: true,
        records: Records::Truthful,
        counterfeits: Counterfeits::None,
        private: false,
        models: true,
        persons: true,
        wildcards: true,
        shields: false,
        population: true,
        most_nodes: None,
    };

    /// What holds where classes have values of their own.
    pub const CLASSES: Self = Self { one_level: false, levels: false, wildcards: false, ..Self::SEARCH };

    /// Whether released values cover the original ones, but for counterfeits.
    #[must_use]
    pub fn is_truthful(&self) -> bool {
        matches!(self.records, Records::Truthful | Records::Sampled)
    }

    /// Whether the release is made of noisy counts.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        matches!(self.records, Records::Noisy { .. } | Records::Invented)
    }
}

/// What only some methods have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Particulars {
    /// The most seconds of a run, after which [`super::task::Task::expired`] is set.
    pub seconds: Option<f64>,
    /// Whether a step of its budget is a look at one node, of which nothing is kept; else the nodes beside one are judged
    /// and remembered.
    pub looks: bool,
    /// The nodes from which on it does that without a budget in the recipe, and how many it looks at.
    pub looks_beyond: Option<(u128, u64)>,
    /// Why insensitive columns are dropped, where they are.
    pub drops_insensitive: Option<&'static str>,
    /// k and the largest size of a padded class, where small classes are padded.
    pub padded: Option<(u64, u64)>,
    /// The ε that the method's paper claims, where no model claims it.
    pub claimed_epsilon: Option<f64>,
    /// Class sizes at which the method changes what it does; empty where they are those of the models.
    pub thresholds: Vec<u64>,
}

/// What a run costs by what its table is: constants that were measured, see docs/performance.md.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Bytes: the program, its buffers and tables, and what the method needs of any table.
    pub fixed: f64,
    /// Bytes of a distinct combination.
    pub combination: f64,
    /// Bytes of a cell of a distinct combination.
    pub cell: f64,
    /// Bytes of a distinct combination of the columns that are no quasi-identifiers.
    pub rest: f64,
    /// The time of the processor, where it follows from the table.
    pub time: Option<Time>,
}

/// Nanoseconds of the processor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Of a combination.
    pub once: f64,
    /// Of a combination at a node of the lattice, of which searches look at few.
    pub by_node: f64,
    /// Of a cell each time that all combinations are cut in half.
    pub by_cut: f64,
    /// The most combinations that are cut.
    pub most_cut: usize,
}

impl Time {
    /// Of a search of the lattice that may suppress nothing.
    pub const SEARCH: Self = Self { once: 300.0, by_node: 0.15, by_cut: 0.0, most_cut: usize::MAX };
    /// Of one that may: fewer nodes are excluded.
    pub const SUPPRESSING: Self = Self { by_node: 0.6, ..Self::SEARCH };
}

impl Cost {
    /// The searches for one level by attribute, and all that keep no more than one node at a time.
    pub const SEARCH: Self =
        Self { fixed: 24e6, combination: 50.0, cell: 7.0, rest: 30.0, time: Some(Time::SEARCH) };

    /// As the searches, with noise by class and value for the nodes that are looked at at once.
    pub const NOISE: Self = Self {
        fixed: 64e6,
        combination: 120.0,
        cell: 7.0,
        rest: 30.0,
        time: Some(Time { once: 600.0, by_node: 2.0, ..Time::SEARCH }),
    };

    /// Records by class.
    pub const CLASSES: Self = Self { fixed: 24e6, combination: 200.0, cell: 20.0, rest: 30.0, time: None };
}
