//! Runs of a recipe on tables that are drawn again from its own, for an adversary who learns from them.

use std::borrow::Cow;

use velamen_core::context::Context;
use velamen_core::frequency::Counted;
use velamen_core::sample::resampled;
use velamen_measure::risk::adversary::Sight;
use velamen_recipe::{Class, JobError};

use super::Loaded;
use super::adversary::{self, Judging};
use super::loaded::decide;

impl Loaded<'_> {
    /// What a run on as many records, drawn from the table with replacement, shows to who looks for counterfeits, and how many of
    /// each cell are counterfeit; `None` where the run has no counterfeits. Nobody judges them, so that most runs have some.
    /// The context's seed draws table and counterfeits.
    ///
    /// # Errors
    /// [`JobError`] of the method, but not that nothing keeps the promises on the table that was drawn.
    pub fn simulated(&self, context: &Context<'_>) -> Result<Option<(Sight, Vec<u64>)>, JobError> {
        let Some(judging) = Judging::of(self.recipe) else { return Ok(None) };
        let step = self.step();
        let table = step.prepared(Cow::Owned(resampled(&self.table, context.seed)))?;
        let decision = match decide(self.recipe, &Counted::of(&table), (None, None, None), context) {
            Ok(decision) => decision,
            Err(error) if error.class() == Class::Promise => return Ok(None),
            Err(error) => return Err(error),
        };
        let (release, ids) = decision.apply(&table, context.seed);
        Ok(adversary::seen(&table, &decision, (&release, &ids), judging.told))
    }
}
