//! An adversary who learns from runs of the same recipe: boosted trees on tables that are drawn again from the original.
//!
//! For the custodian alone, who has the original, and never a gate: nothing is released or refused by it.

use smartcore::error::Failed;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::xgboost::{XGRegressor, XGRegressorParameters};
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::streams;
use velamen_job::{RunOptions, Session};
use velamen_measure::risk::adversary::{AdversaryFigures, SIGNS, Sight, Signs};
use velamen_measure::risk::attack::{Figure, Guessed, Outcome};
use velamen_recipe::JobError;

use super::Repeated;

/// The attack's name.
pub(super) const NAME: &str = "simulation";
/// What it asks.
const SUMMARY: &str = "which records are likely counterfeit, by who learned it from runs of the same recipe";

/// The most runs that are worth their time.
pub(super) const MOST_RUNS: u64 = 1000;
/// Records that are learned from, of all runs together: more take long and teach little.
const EXAMPLES: u64 = 12_000;
/// Trees, and how deep each is.
const TREES: usize = 50;
const DEPTH: u16 = 4;
/// The share of each tree's correction that counts.
const RATE: f64 = 0.1;
/// Records in a leaf, at least.
const LEAF: usize = 20;

/// Records with their signs, and the share of their cell that is counterfeit.
#[derive(Default)]
struct Examples {
    signs: Vec<Signs>,
    shares: Vec<f64>,
    runs: u64,
    counterfeits: u64,
}

impl Examples {
    /// Adds every j-th record of a run, so that about so many are added.
    fn add(&mut self, sight: &Sight, signs: &[Option<Signs>], counterfeits: &[u64], wanted: u64) {
        let cells = || signs.iter().zip(sight.records()).zip(counterfeits);
        let all: u64 =
            cells().filter(|((signs, _), _)| signs.is_some()).map(|((_, records), _)| records).sum();
        let apart = all.div_ceil(wanted.max(1)).max(1);
        let mut before = 0;
        for ((signs, records), &counterfeits) in cells() {
            let Some(signs) = signs else { continue };
            let end = before + records;
            let taken = end.div_ceil(apart) - before.div_ceil(apart);
            before = end;
            for _ in 0..taken {
                self.signs.push(*signs);
                self.shares.push(counterfeits as f64 / records.max(1) as f64);
            }
        }
        self.runs += 1;
        self.counterfeits += counterfeits.iter().sum::<u64>();
    }

    /// Boosted trees of what they show, and what these make of other records.
    fn doubts(&self, signs: &[Option<Signs>], seed: u64) -> Result<Vec<Option<f64>>, Failed> {
        let parameters = XGRegressorParameters::default()
            .with_n_estimators(TREES)
            .with_max_depth(DEPTH)
            .with_learning_rate(RATE)
            .with_min_child_weight(LEAF)
            .with_base_score(self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64)
            .with_seed(seed);
        let learned = XGRegressor::fit(&matrix(&self.signs)?, &self.shares, parameters)?;
        let doubted: Vec<Signs> = signs.iter().copied().flatten().collect();
        if doubted.is_empty() {
            return Ok(vec![None; signs.len()]);
        }
        let mut predicted = learned.predict(&matrix(&doubted)?)?.into_iter();
        Ok(signs.iter().map(|signs| signs.and_then(|_| predicted.next())).collect())
    }
}

fn matrix(rows: &[Signs]) -> Result<DenseMatrix<f64>, Failed> {
    DenseMatrix::new(rows.len(), SIGNS, rows.concat(), false)
}

/// Learns from so many runs of a recipe, and looks for the counterfeits of the release.
///
/// # Errors
/// [`JobError`] of reading and of the recipe's method.
pub(super) fn simulate(
    guessed: &Guessed,
    repeated: Option<&Repeated<'_>>,
    runs: u64,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let left_out = |why: &str| Ok(outcome(Vec::new(), Vec::new(), Some(why.to_owned())));
    let (sight, counterfeits, people) = match guessed {
        Guessed::None => return left_out("the release has no counterfeits"),
        Guessed::Unknown => {
            return left_out(
                "classes overlap, so that the original does not tell which records are counterfeit",
            );
        }
        Guessed::Known(sight, counterfeits, people) => (sight, counterfeits, people),
    };
    let Some(repeated) = repeated.filter(|_| runs > 0) else {
        return left_out("give --simulate with a number of runs, and the recipe with --recipe");
    };
    if repeated.recipe.attributes.iter().any(|attribute| attribute.role == Role::Person) {
        return left_out("records drawn again would be other people's");
    }
    let examples = learn(repeated, runs, context)?;
    if examples.counterfeits == 0 {
        return left_out("no run of the recipe on a table that was drawn again had counterfeits");
    }
    context.check()?;
    let doubts = examples.doubts(&sight.signs(context)?, context.seed.stream(streams::BOOSTED_TREES).word());
    let doubts = doubts.map_err(|error| JobError::unusable(format!("simulation: {error}")))?;
    let worth = sight.worth(&doubts, counterfeits, people.as_deref());
    let notes = vec![format!(
        "{TREES} boosted trees learned from {} records of {} runs of the recipe on tables drawn again from its input; nobody \
         judged these runs",
        examples.shares.len(),
        examples.runs
    )];
    Ok(outcome(figures(&worth), notes, None))
}

fn learn(repeated: &Repeated<'_>, runs: u64, context: &Context<'_>) -> Result<Examples, JobError> {
    let loaded = Session::open(repeated.recipe, &RunOptions::default(), context)?.read(context)?;
    let mut examples = Examples::default();
    for run in 0..runs {
        context.progress.step("simulating", run, runs);
        let seed = context.seed.derived(run);
        let of_run = Context { seed: &seed, ..*context };
        if let Some((sight, counterfeits)) = loaded.simulated(&of_run)? {
            examples.add(&sight, &sight.signs(&of_run)?, &counterfeits, EXAMPLES / runs);
        }
    }
    Ok(examples)
}

fn figures(worth: &AdversaryFigures) -> Vec<Figure> {
    let area = worth.auc_where_possible;
    let area = area.map(|area| Figure::with_base("AUC, classes that can hold counterfeits", area, 0.5));
    let few = worth.fewer_than_k;
    let what = match worth.counts_people {
        true => "right record of a person in a class of fewer than k people",
        false => "right record of a person among fewer than k real ones",
    };
    let right = (few.persons > 0).then(|| Figure::with_base(what, few.right, few.by_chance));
    area.into_iter().chain(right).collect()
}

fn outcome(figures: Vec<Figure>, notes: Vec<String>, left_out: Option<String>) -> Outcome {
    let (attack, summary) = (NAME.into(), SUMMARY.into());
    Outcome { attack, summary, left_out, targets: None, figures, notes, worst: None }
}
