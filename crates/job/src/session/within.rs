//! Time budgets.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// The longest budget, a hundred years: longer ones do not fit the clock.
const MOST_SECONDS: f64 = 3.2e9;

/// Runs something that ends soon after what it is given is set, which is after so many seconds.
pub(super) fn seconds<T: Send>(seconds: Option<f64>, run: impl FnOnce(&AtomicBool) -> T) -> T {
    seconds_or(seconds, &AtomicBool::new(false), run)
}

/// As [`seconds`], where others can set it, too. Where the system has no threads, nobody looks at the clock: it runs to its end.
pub(super) fn seconds_or<T: Send>(
    seconds: Option<f64>,
    expired: &AtomicBool,
    run: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let Some(seconds) = seconds else { return run(expired) };
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let _clock = std::thread::Builder::new().spawn_scoped(scope, || {
            let waiting = waiting;
            let timeout = Duration::try_from_secs_f64(seconds.min(MOST_SECONDS)).unwrap_or_default();
            if waiting.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                expired.store(true, Ordering::Relaxed);
            }
        });
        let result = run(expired);
        drop(done);
        result
    })
}
