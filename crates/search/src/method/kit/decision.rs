//! What a method decided, and what may be said of it to whom.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use velamen_core::frequency::FrequencyTable;
use velamen_core::plan::{Counterfeits, Plan};
use velamen_core::recoding::LocalPlan;
use velamen_core::release::{Release, Row, SUPPRESSED, apply, apply_local};
use velamen_core::step::Ends;

use super::joint;
use crate::metric::{Entry, MetricOptions, Reading};

/// A method's result.
#[derive(Debug)]
pub struct Decision {
    /// What becomes of the records.
    pub outcome: Outcome,
    /// How much of a suppressed record is.
    pub suppress: Suppress,
    /// Whether the table's first sensitive column stands for the others, and is not released.
    pub joined: bool,
    /// What follows for the method section of `release.json`, after the parameters; public.
    pub stated: Map<String, Value>,
    /// Promises of the method's own: what each is called and what is asked; public.
    pub promises: Vec<(&'static str, Value)>,
    /// Whether what models ask of values holds of real records by themselves, without the counterfeits.
    pub of_real: bool,
    /// Which utility figures may be stated.
    pub utility: Utility,
    /// How it was found; for the custodian only.
    pub search: Value,
    /// Figures over the original records; for the custodian only.
    pub figures: Value,
    /// Further files; for the custodian only.
    pub files: Vec<File>,
    /// What the user should know; public.
    pub warnings: Vec<String>,
    /// What the original records show, in sentences; for the custodian only.
    pub notes: Vec<String>,
}

impl Decision {
    /// A result of which nothing more is said.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        // Noisy counts and samples keep their `*`: what is beside it is no record that was hidden.
        let suppress = match outcome {
            Outcome::FullDomain(_) | Outcome::Local(_) => Suppress::Record,
            Outcome::Sampled { .. } | Outcome::Records(_) => Suppress::QuasiIdentifiers,
        };
        Self {
            outcome,
            suppress,
            joined: false,
            stated: Map::new(),
            promises: Vec::new(),
            of_real: false,
            notes: Vec::new(),
            utility: Utility::Released,
            search: Value::Null,
            figures: Value::Object(Map::new()),
            files: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Records that are no rows of the table, and what follows for the method section.
    #[must_use]
    pub(in crate::method) fn of_records(release: Release, stated: Map<String, Value>) -> Self {
        Self { stated, ..Self::of(Outcome::Records(Box::new(release))) }
    }

    /// The release, and per class of a full-domain plan the id it got.
    #[must_use]
    pub fn apply(&self, table: &FrequencyTable, seed: &velamen_dp::Seed) -> (Release, Vec<u64>) {
        let (release, ids) = self.outcome.apply(table, seed);
        (self.shown(release), ids)
    }

    /// As [`Self::apply`], for the last time: invented records are given away and not copied.
    #[must_use]
    pub fn carry_out(&mut self, table: &FrequencyTable, seed: &velamen_dp::Seed) -> (Release, Vec<u64>) {
        let Outcome::Records(made) = &mut self.outcome else { return self.apply(table, seed) };
        let made = std::mem::take(made.as_mut());
        (self.shown(made), Vec::new())
    }

    /// A release with its columns apart, and with what is to be seen of suppressed records.
    fn shown(&self, mut release: Release) -> Release {
        if self.joined {
            release.rest = joint::apart(release.rest);
        }
        match self.suppress {
            Suppress::QuasiIdentifiers => release,
            Suppress::Record => release.without_suppressed_values(),
        }
    }
}

impl Decision {
    /// The real records as they are released, without the counterfeits.
    pub fn apply_to_real(&mut self, table: &FrequencyTable, seed: &velamen_dp::Seed) -> (Release, Vec<u64>) {
        let mut counterfeits = Vec::new();
        self.outcome.swap_counterfeits(&mut counterfeits);
        let real = self.apply(table, seed);
        self.outcome.swap_counterfeits(&mut counterfeits);
        real
    }
}

/// How much of a suppressed record is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Suppress {
    /// Its quasi-identifiers: it is one of a class of such records.
    QuasiIdentifiers,
    /// All its values, as Lee 2017 prints Table 3.
    #[default]
    Record,
}

/// What becomes of the records.
#[derive(Debug)]
pub enum Outcome {
    /// All values of an attribute go to one level.
    FullDomain(Plan),
    /// Classes have values of their own.
    Local(LocalPlan),
    /// A sample is released at one level by attribute.
    Sampled {
        /// The records that were drawn.
        table: Box<FrequencyTable>,
        /// What becomes of them.
        plan: Plan,
        /// Records that are released as `*` besides.
        suppressed: u64,
    },
    /// The records are made: nothing of the table is released but what they show.
    Records(Box<Release>),
}

impl Outcome {
    /// The plan, if all values of an attribute go to one level.
    #[must_use]
    pub fn full_domain(&self) -> Option<&Plan> {
        match self {
            Self::FullDomain(plan) => Some(plan),
            Self::Local(_) | Self::Sampled { .. } | Self::Records(_) => None,
        }
    }

    /// What the ends of a quasi-identifier's ranges are, if classes have values of their own.
    #[must_use]
    pub fn ends(&self, q: usize) -> Option<Ends> {
        match self {
            Self::Local(plan) => plan.ends.get(q).copied().flatten(),
            Self::FullDomain(_) | Self::Sampled { .. } | Self::Records(_) => None,
        }
    }

    /// The counterfeits, by class of the plan.
    #[must_use]
    pub fn counterfeits(&self) -> &[Counterfeits] {
        match self {
            Self::FullDomain(plan) | Self::Sampled { plan, .. } => &plan.counterfeits,
            Self::Local(plan) => &plan.counterfeits,
            Self::Records(_) => &[],
        }
    }

    /// Takes the counterfeits out, or puts them in again.
    fn swap_counterfeits(&mut self, others: &mut Vec<Counterfeits>) {
        match self {
            Self::FullDomain(plan) | Self::Sampled { plan, .. } => {
                std::mem::swap(&mut plan.counterfeits, others)
            }
            Self::Local(plan) => std::mem::swap(&mut plan.counterfeits, others),
            Self::Records(_) => {}
        }
    }

    fn apply(&self, table: &FrequencyTable, seed: &velamen_dp::Seed) -> (Release, Vec<u64>) {
        match self {
            Self::FullDomain(plan) => apply(table, plan, seed),
            Self::Local(plan) => (apply_local(table, plan, seed), (1..=plan.members.len() as u64).collect()),
            Self::Records(release) => ((**release).clone(), Vec::new()),
            Self::Sampled { table, plan, suppressed } => {
                let mut release = apply(table, plan, seed).0.by_labels();
                if *suppressed > 0 {
                    release.rows.push(Row { class: SUPPRESSED, rest: 0, count: *suppressed });
                    release.suppressed = *suppressed;
                }
                (release, Vec::new())
            }
        }
    }
}

/// Which utility figures may be stated of a release.
#[derive(Debug, Clone)]
pub enum Utility {
    /// Those over originals and plan where there is one level by attribute, else those that the released table shows:
    /// nothing of single records is hidden. The metric that was asked for is read with its options.
    Originals(Option<(&'static Entry, MetricOptions)>),
    /// As [`Self::Originals`] where there is one level by attribute, and the distinct rows beside.
    Rows,
    /// Those that the released table shows.
    Released,
    /// As [`Self::Released`], with RCE in a reading of its own, and whether the sensitive values of suppressed records count in it.
    Read(Reading, bool),
    /// Class sizes alone: the values are of nobody.
    Sizes,
}

/// A table for the custodian's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, such as `nodes.csv`.
    pub name: &'static str,
    /// The columns' names.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// As it stands.
    Text(String),
    /// The released id of a class of the plan, known once the plan is applied.
    Class(usize),
}
