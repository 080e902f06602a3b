//! What a job runs with: a seed, threads of its own, progress and the wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use velamen_core::context::{Context, Progress, Silent};
use velamen_dp::Seed;
use velamen_recipe::{JobError, Resolved};

/// A job that is about to run.
///
/// One seed gives one result, whatever the number of threads.
pub struct Job {
    seed: Seed,
    threads: usize,
    progress: Box<dyn Progress + Send>,
    cancel: Arc<AtomicBool>,
}

/// Shows no bit of the seed.
impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Job {
    /// A job with a fresh seed, as many threads as there are cores, and silent.
    ///
    /// # Errors
    /// [`JobError::io`] if the system gives no randomness.
    pub fn new() -> Result<Self, JobError> {
        Ok(Self::seeded(Seed::fresh().map_err(|error| JobError::unusable(error.to_string()))?))
    }

    /// A job with the recipe's seed, or a fresh one.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of(recipe: &Resolved) -> Result<Self, JobError> {
        recipe.seed.clone().map_or_else(Self::new, |seed| Ok(Self::seeded(seed)))
    }

    /// A job with that seed, which is as secret as the data.
    #[must_use]
    pub fn seeded(seed: Seed) -> Self {
        Self { seed, threads: 0, progress: Box::new(Silent), cancel: Arc::default() }
    }

    /// With so many threads; 0 for as many as there are cores.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Reports how far it is.
    #[must_use]
    pub fn progress(self, progress: impl Progress + Send + 'static) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// What stops it from another thread.
    pub fn stop(&self) -> impl Fn() + Send + 'static {
        let cancel = Arc::clone(&self.cancel);
        move || cancel.store(true, Ordering::Relaxed)
    }

    /// Runs some work on threads of its own.
    ///
    /// # Errors
    /// Those of the work; [`JobError::io`] if no threads can be started.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce(&Context<'_>) -> Result<T, JobError> + Send,
    ) -> Result<T, JobError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| JobError::unusable(format!("cannot start threads: {error}")))?;
        let Self { seed, progress, cancel, .. } = self;
        let progress: &(dyn Progress + Send) = &**progress;
        pool.install(|| work(&Context { seed, progress, cancel }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_has_threads_of_its_own_and_can_be_stopped() {
        let job = Job::seeded(Seed::from_number(1)).threads(3);
        let threads = job.run(|context| {
            context.check()?;
            Ok(rayon::current_num_threads())
        });
        assert_eq!(threads.ok(), Some(3));
        job.stop()();
        let stopped = job.run(|context| Ok(context.check()?));
        assert!(stopped.is_err_and(|error| error.is_interrupted()));
    }
}
