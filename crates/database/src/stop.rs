//! The wish to stop, for what waits for a database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use velamen_core::context::Context;

/// How long a wish may stay unseen.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// A flag that everything looks at that waits for a database.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Does some work, and passes the context's wish on as long as it lasts.
    pub fn during<T>(&self, context: &Context<'_>, work: impl FnOnce() -> T) -> T {
        let (done, ended) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
                    if context.check().is_err() {
                        self.0.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
