//! What is too long for every change: many forged releases.

use super::{Outcome, cargo};

/// The forgeries of a night.
const FORGERIES: &str = "10000";

/// Runs the forger's kit with a night's number of forgeries.
pub(crate) fn run() -> Outcome {
    let mut command = cargo();
    command
        .args([
            "test",
            "--locked",
            "-p",
            "velamen-job",
            "--test",
            "forged_manifests",
            "forger",
            "--",
            "--nocapture",
        ])
        .env("VELAMEN_FORGERIES", FORGERIES);
    let ended = command.status().map_err(|error| format!("cargo: {error}"))?;
    if ended.success() { Ok(()) } else { Err("a forgery was taken for kept".to_owned()) }
}
