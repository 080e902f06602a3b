//! What is too long for every change: all tests with all of their cases.

use super::{Outcome, cargo, invented};

/// The forgeries of a night.
const FORGERIES: &str = "10000";

const SECONDS_A_DAY: u64 = 86_400;

/// Runs the tests that draw a share of their cases with all of them, and the forger's kit with a night's number of
/// forgeries, others every day; `VELAMEN_FORGERIES_SEED` repeats a night. Then invented records are compared with those of other
/// tools.
pub(crate) fn run() -> Outcome {
    let now = std::time::UNIX_EPOCH.elapsed().map_err(|error| format!("the clock: {error}"))?;
    let today = (now.as_secs() / SECONDS_A_DAY).to_string();
    let seed = std::env::var("VELAMEN_FORGERIES_SEED").unwrap_or(today);
    println!("VELAMEN_FORGERIES_SEED={seed}");
    let mut command = cargo();
    command
        .args(["test", "--locked", "--workspace", "--no-fail-fast"])
        .env("VELAMEN_NIGHTLY", "1")
        .env("VELAMEN_FORGERIES", FORGERIES)
        .env("VELAMEN_FORGERIES_SEED", seed);
    let ended = command.status().map_err(|error| format!("cargo: {error}"))?;
    let compared = invented::run();
    if ended.success() { compared } else { Err("a test failed".to_owned()) }
}
