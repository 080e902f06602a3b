//! The clusterings that the figures compare, each on parts of one table.

use std::time::Instant;

use serde_json::json;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_dp::{Seed, below};
use velamen_recipe::JobError;
use velamen_search::method::clustering::figures::ClusterInformation;
use velamen_search::method::clustering::{BlockFigures, Choice, ClusteringTask, Lambda, Objective, Seeds};
use velamen_search::model;
use velamen_search::model::{Bound, Distribution};

use super::{K, L, T};

/// The stream of the seed that shuffles the records.
const SHUFFLE_STREAM: u64 = u64::MAX - 101;
/// The one that draws the seeds of further orders.
const ORDERS_STREAM: u64 = u64::MAX - 102;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arm {
    Ce,
    Proposed,
    Closeness,
    /// Diversity alone: of records that leave a block equally short of it one is drawn.
    Diversity,
    KMember,
    /// [`Arm::Proposed`] by each record's distance to the block's first.
    ProposedBySeed,
    /// [`Arm::Diversity`], ties by information.
    DiversityNear,
    /// [`Arm::Closeness`], ties drawn.
    ClosenessDrawn,
    /// [`Arm::Closeness`], blocks growing until it holds.
    ClosenessHeld,
    /// [`Arm::Diversity`], blocks growing until it holds.
    DiversityHeld,
}

impl Arm {
    /// The paper's four.
    pub(super) const PUBLISHED: [Self; 4] = [Self::Ce, Self::Proposed, Self::Closeness, Self::Diversity];
    /// All that go with blocks of k.
    const OF_K: [Self; 8] = [
        Self::Ce,
        Self::Proposed,
        Self::Closeness,
        Self::Diversity,
        Self::KMember,
        Self::ProposedBySeed,
        Self::DiversityNear,
        Self::ClosenessDrawn,
    ];
    /// Those whose blocks grow.
    const HELD: [Self; 2] = [Self::ClosenessHeld, Self::DiversityHeld];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ce => "CE",
            Self::Proposed => "proposed (CE + MI)",
            Self::Closeness => "t-closeness (0.15)",
            Self::Diversity => "entropy l-diversity (3)",
            Self::KMember => "k-member",
            Self::ProposedBySeed => "proposed by distance to the seed",
            Self::DiversityNear => "entropy l-diversity (3) with ties by information",
            Self::ClosenessDrawn => "t-closeness (0.15) with ties drawn",
            Self::ClosenessHeld => "t-closeness (0.15) until it holds",
            Self::DiversityHeld => "entropy l-diversity (3) until it holds",
        }
    }

    fn objective(self) -> Objective {
        let lambda = |lambda: f64| Lambda::try_from(lambda).expect("0 and 1 are in range");
        match self {
            Self::Ce => Objective::Entropy(lambda(0.0)),
            Self::Proposed | Self::ProposedBySeed => Objective::Entropy(lambda(1.0)),
            Self::Closeness | Self::ClosenessHeld | Self::ClosenessDrawn => Objective::Closeness { t: T },
            Self::Diversity | Self::DiversityHeld | Self::DiversityNear => Objective::Diversity { l: L },
            Self::KMember => Objective::Heights,
        }
    }

    fn choice(self) -> Choice {
        match self {
            Self::Diversity | Self::ClosenessDrawn => Choice::Drawn,
            Self::ProposedBySeed => Choice::Seed,
            _ => Choice::Block,
        }
    }

    /// The model that blocks must hold, beside their size.
    fn model(self) -> Option<(&'static str, serde_json::Value)> {
        match self {
            Self::ClosenessHeld => Some(("t-closeness", json!({ "t": T }))),
            Self::DiversityHeld => Some(("entropy-l-diversity", json!({ "l": L }))),
            _ => None,
        }
    }
}

/// One clustering of the first records.
pub(super) struct Run {
    pub(super) arm: Arm,
    pub(super) records: u64,
    pub(super) found: BlockFigures,
    pub(super) figures: ClusterInformation,
    pub(super) seconds: f64,
}

/// All of them.
pub(super) struct Runs(pub(super) Vec<Run>);

impl Runs {
    /// Every arm on the first records of the shuffled table, then on all of it. The arms whose blocks
    /// grow run with `held` only: with many sensitive values their blocks are a share of the table.
    ///
    /// # Errors
    /// [`JobError`] of a clustering.
    pub(super) fn all(
        table: &FrequencyTable,
        sizes: &[u64],
        held: bool,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let order = shuffled(table, context);
        let all = order.len() as u64;
        let sizes: Vec<u64> = sizes.iter().copied().filter(|&n| n < all).chain([all]).collect();
        let arms = || Arm::OF_K.iter().chain(Arm::HELD.iter().filter(|_| held));
        let mut runs = Vec::new();
        for &records in &sizes {
            let part = part(table, &order[..records as usize]);
            for &arm in arms() {
                context.check()?;
                runs.push(clustered(&part, arm, context)?);
            }
        }
        Ok(Self(runs))
    }

    /// The numbers of records, ascending.
    pub(super) fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.0.iter().map(|run| run.records).collect();
        sizes.dedup();
        sizes
    }

    /// A figure of an arm at every number of records.
    pub(super) fn of(&self, arm: Arm, figure: impl Fn(&Run) -> f64) -> Vec<f64> {
        self.0.iter().filter(|run| run.arm == arm).map(figure).collect()
    }

    /// A figure of an arm on the whole table.
    pub(super) fn last(&self, arm: Arm, figure: impl Fn(&Run) -> f64) -> f64 {
        self.of(arm, figure).last().copied().unwrap_or(f64::NAN)
    }
}

/// How many times the runs are repeated with draws of their own.
const REPEATED: u64 = 5;

/// What is drawn anew each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// The order of the records and the first record of each block.
    Orders,
    /// The first record of each block, in the one order.
    Draws,
}

/// The loss of CE as a share of that of the proposed method, by the CE of the release with distances to the seed: for every
/// number of records, five times.
///
/// # Errors
/// [`JobError`] of a clustering.
pub(super) fn shares(
    table: &FrequencyTable,
    sizes: &[u64],
    again: Again,
    context: &Context<'_>,
) -> Result<Vec<f64>, JobError> {
    let mut seeds = context.seed.stream(ORDERS_STREAM);
    let mut shares = Vec::new();
    for _ in 0..REPEATED {
        let seed = Seed::from_number(seeds.word());
        let own = Context { seed: &seed, ..*context };
        let order = shuffled(table, if again == Again::Orders { &own } else { context });
        let all = order.len() as u64;
        for records in sizes.iter().copied().filter(|&n| n < all).chain([all]) {
            context.check()?;
            let part = part(table, &order[..records as usize]);
            let of = |arm| clustered(&part, arm, &own).map(|run| run.figures.conditional_entropy);
            shares.push(of(Arm::Ce)? / of(Arm::ProposedBySeed)?);
        }
    }
    Ok(shares)
}

fn clustered(table: &FrequencyTable, arm: Arm, context: &Context<'_>) -> Result<Run, JobError> {
    let models = arm.model().map(|(name, parameters)| bound(table, name, parameters)).transpose()?;
    let task = ClusteringTask {
        models: models.as_slice(),
        least_size: K,
        objective: arm.objective(),
        seeds: if arm == Arm::KMember { Seeds::Farthest } else { Seeds::Random },
        choice: arm.choice(),
        column: Some(0),
    };
    let begin = Instant::now();
    let (plan, found) = task.plan(table, context)?;
    let seconds = begin.elapsed().as_secs_f64();
    let figures = ClusterInformation::of(table, &plan, Some(0));
    Ok(Run { arm, records: table.records(), found, figures, seconds })
}

fn bound(table: &FrequencyTable, name: &str, parameters: serde_json::Value) -> Result<Bound, JobError> {
    let entry = model::find(name).expect("the models are in the registry");
    let model = (entry.parse)(parameters).map_err(|error| JobError::usage(error.to_string()))?;
    let counts = table.rest_marginal(0);
    let values = &table.rest.columns[0].values;
    let distribution =
        Distribution { records: table.records(), values, counts: &counts, ..Distribution::default() };
    let judge = model.bind(&distribution).map_err(JobError::usage)?;
    Ok(Bound { judge, column: Some(0), monotonicity: entry.monotonicity, population: false })
}

/// The entry of each record, in random order.
fn shuffled(table: &FrequencyTable, context: &Context<'_>) -> Vec<u32> {
    let of_entry = |(entry, &count): (u32, &u64)| std::iter::repeat_n(entry, count as usize);
    let mut order: Vec<u32> = (0..).zip(&table.counts).flat_map(of_entry).collect();
    let mut stream = context.seed.stream(SHUFFLE_STREAM);
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut stream, last as u64 + 1) as usize);
    }
    order
}

/// The table of these records, with the whole table's hierarchies.
fn part(table: &FrequencyTable, records: &[u32]) -> FrequencyTable {
    let mut entries = records.to_vec();
    entries.sort_unstable();
    let counts: Vec<u64> = entries.chunk_by(|a, b| a == b).map(|run| run.len() as u64).collect();
    entries.dedup();
    let picked = |codes: &Vec<u32>| entries.iter().map(|&entry| codes[entry as usize]).collect();
    FrequencyTable {
        qis: table.qis.clone(),
        rest: table.rest.clone(),
        codes: table.codes.iter().map(picked).collect(),
        rest_index: picked(&table.rest_index),
        counts,
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}
