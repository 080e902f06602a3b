//! The nodes of a cluster, for front ends.

use std::path::Path;

use velamen_cluster::{Executor, Issued, ListeningNode, Scheduler};
use velamen_recipe::JobError;

use crate::engine::refused;

/// Runs a scheduler until it is asked to stop; `ready` is told where it listens.
///
/// # Errors
/// [`JobError::usage`] if it would be open to everyone; [`JobError::io`] if it cannot listen or breaks down, and for its
/// certificates.
pub fn run_scheduler(scheduler: &Scheduler, ready: impl FnOnce(&ListeningNode)) -> Result<(), JobError> {
    scheduler.run(ready).map_err(refused)
}

/// Runs an executor until it is asked to stop; `ready` is told where it listens.
///
/// # Errors
/// [`JobError::usage`] if it would be open to everyone; [`JobError::io`] if it cannot listen, finds no scheduler that
/// accepts it, or breaks down, and for its certificates.
pub fn run_executor(executor: &Executor, ready: impl FnOnce(&ListeningNode)) -> Result<(), JobError> {
    executor.run(ready).map_err(refused)
}

/// Makes certificates of one authority for nodes, valid for some days; lists those that are there where no node is named.
///
/// # Errors
/// [`JobError::usage`] for what is no name of a node, [`JobError::io`] for what is wrong with the folder.
pub fn certificates(folder: &Path, nodes: &[String], days: u32) -> Result<Vec<Issued>, JobError> {
    if nodes.is_empty() {
        return velamen_cluster::issued(folder).map_err(refused);
    }
    velamen_cluster::issue(folder, nodes, days).map_err(refused)
}
