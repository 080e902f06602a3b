//! Attacks: what an adversary gets from a release, measured by who has the original.
//!
//! # Summary
//! Each attack is a file and an entry of [`REGISTRY`]. It looks for persons of the original in the release
//! and states how often it succeeds, with a confidence interval where persons are a sample, beside what the
//! adversary gets without the release. Definitions and proofs: `docs/methods/attack.md`.
//!
//! # Definition
//! In each file. Candidates, and where a person's own record can be, are those of [`View`].
//!
//! # Parameters
//! [`Options`].
//!
//! # Returns
//! One [`Outcome`] per attack.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! O(targets · candidates); memory O(classes · attributes).
//!
//! # References
//! In each file; intervals: Clopper & Pearson 1934, Bentkus 2004.
//!
//! # Deviations
//! In each file.

mod background;
mod beliefs;
mod composition;
mod control;
mod estimate;
mod finder;
mod inference;
mod linkage;
mod linked;
mod padding;
mod presence;
mod scene;
mod telling;
mod whose;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use self::estimate::Mean;
pub use self::finder::{Cover, Covering, Finder, Near, Nearest};
pub use self::linked::{Has, Linked};
use self::scene::Targets;
pub use self::scene::{
    Guessed, Held, Minimal, NOWHERE, Options, People, Scene, Second, Sensitive, Trace, View,
};
use velamen_core::context::{Context, Interrupted};

/// Persons between two looks at whether the run is to stop.
const CHUNK: usize = 128;

/// An attack.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it asks.
    pub summary: &'static str,
    run: fn(&Scene<'_>, &Context<'_>) -> Result<AttackFindings, LeftOut>,
}

/// All attacks that need no recipe.
pub const REGISTRY: [Entry; 8] = [
    linkage::ENTRY,
    inference::ENTRY,
    background::ENTRY,
    presence::ENTRY,
    padding::ENTRY,
    telling::ENTRY,
    composition::ENTRY,
    control::ENTRY,
];

/// A figure of an attack.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Figure {
    /// What is counted.
    pub what: String,
    /// How often; an upper bound where the release does not tell more.
    pub rate: f64,
    /// The lower bound there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// An interval that has the true rate with the stated confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What the adversary gets without the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
}

impl Figure {
    fn of(what: String, mean: &Mean, all: bool, confidence: f64, baseline: Option<f64>) -> Self {
        let interval = Some(mean.interval(all, confidence));
        Self { what, rate: mean.rate(), at_least: mean.at_least(), interval, baseline }
    }

    /// A figure that is no mean.
    #[must_use]
    pub fn single(what: String, rate: f64) -> Self {
        Self { what, rate, at_least: None, interval: None, baseline: None }
    }

    /// The same, beside what it would be without the release.
    #[must_use]
    pub fn with_base(what: &str, rate: f64, base: f64) -> Self {
        Self { baseline: Some(base), ..Self::single(what.into(), rate) }
    }
}

/// What an attack came to.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// The attack's name.
    pub attack: String,
    /// What it asks.
    pub summary: String,
    /// Why it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The persons looked for; all of them where there is no sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<u64>,
    /// What it found.
    pub figures: Vec<Figure>,
    /// What is to be known beside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The entry of the original of whom most is learned.
    #[serde(skip)]
    pub worst: Option<u32>,
}

/// What an attack found.
#[derive(Debug, Clone, Default)]
struct AttackFindings {
    targets: Option<u64>,
    figures: Vec<Figure>,
    notes: Vec<String>,
    worst: Option<u32>,
}

impl AttackFindings {
    fn new(figures: Vec<Figure>, targets: &Targets) -> Self {
        Self { figures, targets: Some(targets.number()), ..Self::default() }
    }
}

/// Why nothing was found.
enum LeftOut {
    Because(String),
    Interrupted,
}

impl LeftOut {
    fn because(reason: &str) -> Self {
        Self::Because(reason.into())
    }
}

impl From<Interrupted> for LeftOut {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl Entry {
    /// Tries the attack.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn attack(&self, scene: &Scene<'_>, context: &Context<'_>) -> Result<Outcome, Interrupted> {
        let (found, left_out) = match (self.run)(scene, context) {
            Ok(found) => (found, None),
            Err(LeftOut::Because(reason)) => (AttackFindings::default(), Some(reason)),
            Err(LeftOut::Interrupted) => return Err(Interrupted),
        };
        let AttackFindings { targets, figures, notes, worst } = found;
        let (attack, summary) = (self.name.into(), self.summary.into());
        Ok(Outcome { attack, summary, left_out, targets, figures, notes, worst })
    }
}

/// Looks at each target, several at a time, and takes what was found in their order.
fn over<T: Send>(
    targets: &[(u32, u64)],
    context: &Context<'_>,
    what: &'static str,
    each: impl Fn(u32) -> T + Sync,
    mut take: impl FnMut(T, u64),
) -> Result<(), Interrupted> {
    for (number, chunk) in targets.chunks(CHUNK).enumerate() {
        context.check()?;
        context.progress.step(what, (number * CHUNK) as u64, targets.len() as u64);
        let one = |&(entry, _): &(u32, u64)| context.check().map(|()| each(entry));
        let found: Vec<T> = chunk.par_iter().map(one).collect::<Result<_, _>>()?;
        found.into_iter().zip(chunk).for_each(|(found, &(_, times))| take(found, times));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
