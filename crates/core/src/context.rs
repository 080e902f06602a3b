//! What a run lends to a method: randomness, progress and the wish to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;
use velamen_dp::Seed;

/// Told how far a step has come; must not block for long and must not fail.
pub trait Progress: Sync {
    /// `done` of `total` units of the step called `what`; a total of 0 where nobody knows how much it is.
    fn step(&self, what: &'static str, done: u64, total: u64);
}

/// Reports to nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn step(&self, _what: &'static str, _done: u64, _total: u64) {}
}

/// The run was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Seeded randomness, progress and cancellation of one run.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The source of every random choice.
    pub seed: &'a Seed,
    /// Who is told of progress.
    pub progress: &'a dyn Progress,
    /// Set from outside to stop the run.
    pub cancel: &'a AtomicBool,
}

impl Context<'_> {
    /// # Errors
    /// [`Interrupted`] once the run was asked to stop.
    pub fn check(&self) -> Result<(), Interrupted> {
        if self.cancel.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Context")
    }
}
