//! Stopping before the end.

use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

/// Somebody asked to stop before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("stopped before every set of items was that of enough persons")]
pub struct Stopped;

/// What the caller says to going on. Counting ends early after a yes, with whatever it has: whoever starts it asks
/// [`Watch::check`] before the counts are used.
pub(crate) struct Watch<'a> {
    stop: &'a (dyn Fn() -> bool + Sync),
    stopped: AtomicBool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop, stopped: AtomicBool::new(false) }
    }

    /// Nobody stops.
    pub(crate) fn never() -> Self {
        Self::new(&|| false)
    }

    /// Whether to stop. Once it is so, it stays so.
    pub(crate) fn stopped(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stopped = (self.stop)();
        if stopped {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stopped
    }

    /// An error if somebody said stop.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if self.stopped() { Err(Stopped) } else { Ok(()) }
    }
}
