//! What a run lends to a method: randomness, progress and the wish to stop.

use std::sync::Mutex;
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

/// One step that is made of several, each with progress of its own: what is shown of it only grows.
pub struct Stages<'a> {
    whole: &'a dyn Progress,
    what: &'static str,
    stage: Mutex<Stage>,
}

/// The stage at hand, in units of 1 / [`Stages::WHOLE`].
struct Stage {
    what: &'static str,
    from: u64,
    to: u64,
    /// Where the stages around it end.
    end: u64,
    /// Whether one name alone is expected before that.
    alone: bool,
    done: u64,
}

impl<'a> Stages<'a> {
    /// What the whole step has of units.
    pub const WHOLE: u64 = 1000;

    /// A step called `what`.
    #[must_use]
    pub fn new(whole: &'a dyn Progress, what: &'static str) -> Self {
        let stage = Stage { what: "", from: 0, to: 0, end: Self::WHOLE, alone: false, done: 0 };
        Self { whole, what, stage: Mutex::new(stage) }
    }

    /// The units that are done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.stage.lock().map_or(0, |stage| stage.done)
    }

    /// What follows, under one name, takes the step on to so many units.
    pub fn until(&self, end: u64) {
        self.begin(end, true);
    }

    /// What follows, under several names, takes the step on to so many units.
    pub fn several_until(&self, end: u64) {
        self.begin(end, false);
    }

    fn begin(&self, end: u64, alone: bool) {
        if let Ok(mut stage) = self.stage.lock() {
            (stage.what, stage.end, stage.alone) = ("", end.clamp(stage.done, Self::WHOLE), alone);
        }
    }
}

impl Progress for Stages<'_> {
    fn step(&self, what: &'static str, done: u64, total: u64) {
        // Another thread is telling how far it is.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        if stage.what != what {
            // How many names will follow is not known: each has half of what is left.
            let to = if stage.alone { stage.end } else { stage.done.midpoint(stage.end) };
            (stage.what, stage.from, stage.to, stage.alone) = (what, stage.done, to, false);
        }
        let within = (stage.to - stage.from) * done.min(total) / total.max(1);
        stage.done = stage.done.max(stage.from + within);
        self.whole.step(self.what, stage.done, Self::WHOLE);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes what it is told.
    #[derive(Default)]
    struct Noted(Mutex<Vec<(&'static str, u64)>>);

    impl Progress for Noted {
        fn step(&self, what: &'static str, done: u64, total: u64) {
            assert_eq!(total, Stages::WHOLE);
            self.0.lock().unwrap().push((what, done));
        }
    }

    #[test]
    fn the_stages_of_a_step_only_grow() {
        let noted = Noted::default();
        let stages = Stages::new(&noted, "trying");
        stages.until(400);
        for (what, done, total) in
            [("reading", 1, 2), ("reading", 2, 2), ("searching", 0, 9), ("searching", 9, 9)]
        {
            stages.step(what, done, total);
        }
        stages.until(800);
        for (done, total) in [(1, 2), (1, 4), (0, 0), (7, 4)] {
            stages.step("searching", done, total);
        }
        stages.until(Stages::WHOLE);
        stages.step("cutting", 5, 5);
        let noted = noted.0.into_inner().unwrap();
        assert!(noted.iter().all(|(what, _)| *what == "trying"));
        let done: Vec<u64> = noted.into_iter().map(|(_, done)| done).collect();
        assert_eq!(done, [200, 400, 400, 400, 600, 600, 600, 800, 1000]);
    }
}
