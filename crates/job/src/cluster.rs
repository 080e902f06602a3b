//! The nodes of a cluster, for front ends.

use velamen_cluster::{Executor, Node, Scheduler};
use velamen_recipe::JobError;

use crate::engine::refused;

/// Runs a scheduler until it is asked to stop; `ready` is told where it listens.
///
/// # Errors
/// [`JobError::Io`] if it cannot listen or breaks down.
pub fn run_scheduler(scheduler: &Scheduler, ready: impl FnOnce(&Node)) -> Result<(), JobError> {
    scheduler.run(ready).map_err(refused)
}

/// Runs an executor until it is asked to stop; `ready` is told where it listens.
///
/// # Errors
/// [`JobError::Io`] if it cannot listen, finds no scheduler, or breaks down.
pub fn run_executor(executor: &Executor, ready: impl FnOnce(&Node)) -> Result<(), JobError> {
    executor.run(ready).map_err(refused)
}
