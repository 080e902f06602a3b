//! A limit on the distinct combinations that are held while a table is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::EngineError;

/// Two workers may hold the same combination; beyond so many times the limit their counts alone are too much.
const HELD_TWICE: u64 = 2;

/// The most combinations, and how many all workers hold.
#[derive(Debug, Default)]
pub(crate) struct Limit {
    most: Option<u64>,
    held: Arc<AtomicU64>,
}

/// One worker's part in what is held.
#[derive(Debug, Default)]
pub(crate) struct Share {
    most: Option<u64>,
    held: Arc<AtomicU64>,
    own: u64,
}

impl Limit {
    pub(crate) fn new(most: Option<u64>) -> Self {
        Self { most, held: Arc::default() }
    }

    pub(crate) fn share(&self) -> Share {
        Share { most: self.most, held: Arc::clone(&self.held), own: 0 }
    }

    /// Refuses a table of so many combinations.
    pub(crate) fn check(&self, combinations: u64) -> Result<(), EngineError> {
        refuse_more(self.most, combinations)
    }
}

impl Share {
    /// Notes how many combinations the worker holds now, and refuses what is too much.
    pub(crate) fn take(&mut self, own: u64) -> Result<(), EngineError> {
        if own > self.own {
            let before = self.held.fetch_add(own - self.own, Ordering::Relaxed);
            let all = before + own - self.own;
            self.own = own;
            refuse_more(self.most, own.max(all / HELD_TWICE))?;
        }
        Ok(())
    }
}

fn refuse_more(most: Option<u64>, combinations: u64) -> Result<(), EngineError> {
    match most {
        Some(most) if combinations > most => Err(EngineError::TooMany { most }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_or_all_together_can_hold_too_much() {
        let limit = Limit::new(Some(10));
        let [mut a, mut b, mut c] = [(); 3].map(|()| limit.share());
        assert!(a.take(10).is_ok() && b.take(9).is_ok() && a.take(10).is_ok());
        assert!(matches!(c.take(3), Err(EngineError::TooMany { most: 10 })));
        assert!(Limit::new(Some(10)).share().take(11).is_err());
        assert!(Limit::default().share().take(u64::MAX).is_ok());
        assert!(limit.check(10).is_ok() && limit.check(11).is_err());
    }
}
