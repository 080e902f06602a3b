//! Membership: can the runs of a method tell whether one record was in its table?
//!
//! The auditor's runs on neighbouring tables, but judged by how much an adversary gains over a coin: the
//! difference of an event's probabilities. The event is learned on some runs and judged on others.

use std::sync::atomic::AtomicU64;

use velamen_core::context::Context;
use velamen_job::session::anonymize;
use velamen_measure::risk::attack::{Figure, Outcome};
use velamen_measure::risk::audit::{JUDGE, Seen, Tally, WITH};
use velamen_recipe::{JobError, Resolved};

use super::neighbours::Pair;
use super::{AuditOptions, Claim, Subject, SubjectRuns, claimed, neighbours, observe, refuse, sizes};

/// The attack's name.
pub(crate) const NAME: &str = "membership";
/// What it asks.
pub(crate) const SUMMARY: &str = "whether one record was in the table, from many runs with fresh seeds";
/// p and q, each from below and above.
const BOUNDS: f64 = 4.0;

/// What one pair of tables came to.
struct Gain {
    /// With the event, on the table where it is more frequent, and on the other.
    more: Tally,
    less: Tally,
}

impl Gain {
    fn rate(&self) -> f64 {
        let share = |tally: Tally| tally.hits as f64 / tally.runs.max(1) as f64;
        share(self.more) - share(self.less)
    }

    fn interval(&self, level: f64) -> [f64; 2] {
        let low = self.more.lower(level) - self.less.upper(level);
        [low, self.more.upper(level) - self.less.lower(level)]
    }
}

/// Runs a recipe's method on neighbouring tables and states what an adversary gains.
///
/// # Errors
/// As [`super::audit`].
pub(crate) fn membership(
    recipe: &Resolved,
    options: &AuditOptions,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    refuse(recipe, options)?;
    let mut pairs = neighbours::made_up(recipe, &sizes(&anonymize, recipe, context)?)?;
    let made_up = pairs.len();
    pairs.extend(neighbours::from_data(recipe, options.from_data, context)?);
    let gains = gains(recipe, &pairs, options.trials, context)?;
    let level = (1.0 - options.confidence) / (BOUNDS * pairs.len() as f64);
    let mut figures = Vec::new();
    let groups =
        [("made-up tables", &gains[..made_up]), ("tables of the input's records", &gains[made_up..])];
    for (name, gains) in groups {
        let Some(worst) = gains.iter().max_by(|a, b| a.rate().total_cmp(&b.rate())) else { continue };
        let mean = gains.iter().map(Gain::rate).sum::<f64>() / gains.len() as f64;
        let pairs = gains.len();
        figures.push(Figure {
            interval: Some(worst.interval(level)),
            ..figure(format!("{name}: advantage, the worst of {pairs} pairs"), worst.rate())
        });
        figures.push(figure(format!("{name}: advantage, the mean"), mean));
    }
    let claim = claimed(recipe);
    figures.extend(claim.map(|claim| Figure::single(told(claim), bound(claim))));
    let least = gains.iter().map(|gain| gain.interval(level)[0]).fold(0.0, f64::max);
    Ok(Outcome {
        attack: NAME.into(),
        summary: SUMMARY.into(),
        left_out: None,
        targets: None,
        figures,
        notes: vec![note(claim, least)],
        worst: None,
    })
}

fn figure(what: String, rate: f64) -> Figure {
    Figure { baseline: Some(0.0), ..Figure::single(what, rate) }
}

fn told(claim: Claim) -> String {
    format!("the most that epsilon {} and delta {} allow", claim.epsilon, claim.delta)
}

fn bound(claim: Claim) -> f64 {
    allowed(claim.epsilon, claim.delta)
}

/// The largest p − q that (ε, δ)-differential privacy allows: (e^ε − 1 + 2δ)/(e^ε + 1).
pub(crate) fn allowed(epsilon: f64, delta: f64) -> f64 {
    // As tanh, which does not overflow.
    let tail = 1.0 / (epsilon.exp() + 1.0);
    ((epsilon / 2.0).tanh() + 2.0 * delta * tail).min(1.0)
}

fn note(claim: Option<Claim>, least: f64) -> String {
    match claim {
        None => "the method claims no epsilon: nothing limits the advantage".into(),
        Some(claim) if least > bound(claim) => {
            "the advantage is larger than the claim allows: the claim does not hold; see `velamen audit`"
                .into()
        }
        Some(_) => "these runs do not contradict the claim, which is no proof of it".into(),
    }
}

fn gains(recipe: &Resolved, pairs: &[Pair], runs: u64, context: &Context<'_>) -> Result<Vec<Gain>, JobError> {
    let (done, total) = (AtomicU64::new(0), 2 * runs * pairs.len() as u64);
    let mut gains = Vec::new();
    let mut released = false;
    for (number, pair) in pairs.iter().enumerate() {
        let subject = Subject::new(&anonymize, recipe, pair)?;
        let seen =
            subject.seen(&SubjectRuns { subject: number as u64, runs, done: &done, total, context })?;
        released |= observe::releases(&seen);
        gains.push(gain(&seen));
        if number + 1 == pairs.len() && !released {
            subject.outcome(WITH, context.seed, context)??;
        }
    }
    Ok(gains)
}

/// The event that was chosen on other runs.
fn gain(seen: &Seen) -> Gain {
    let Some((event, more)) = seen.widest() else {
        // Every run of both tables looked alike.
        return Gain { more: Tally { hits: 0, runs: 1 }, less: Tally { hits: 0, runs: 1 } };
    };
    let [more, less] = [more, 1 - more].map(|table| seen.tally(event, table, &[JUDGE]));
    Gain { more, less }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_the_two_parameters() {
        let of = |epsilon: f64, delta: f64| bound(Claim { epsilon, delta });
        let plain = |epsilon: f64, delta: f64| (epsilon.exp() - 1.0 + 2.0 * delta) / (epsilon.exp() + 1.0);
        for (epsilon, delta) in [(0.1, 0.0), (1.0, 0.0), (1.0, 0.01), (3.0, 1e-5)] {
            assert!((of(epsilon, delta) - plain(epsilon, delta)).abs() < 1e-12);
        }
        assert!((of(1.0, 0.0) - 0.462_117).abs() < 1e-6);
        assert_eq!((of(0.0, 0.0), of(1000.0, 0.0), of(0.0, 1.0)), (0.0, 1.0, 1.0));
    }
}
