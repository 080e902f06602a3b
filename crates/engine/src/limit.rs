//! Limits on what is held while a table is read: distinct combinations, and the text of distinct values.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::EngineError;

/// Two workers may hold the same; beyond so many times the limit what all of them hold alone is too much.
const HELD_TWICE: u64 = 2;

/// The most that may be held while a table is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// Distinct combinations.
    pub combinations: u64,
    /// Bytes of the distinct values of all columns together.
    pub text: u64,
}

/// Combinations, and bytes of distinct values.
pub(crate) type Held = [u64; 2];

/// What is allowed, and what all workers hold.
#[derive(Debug, Default)]
pub(crate) struct Limit {
    most: Option<Most>,
    held: Arc<[AtomicU64; 2]>,
}

/// One worker's part in what is held.
#[derive(Debug, Default)]
pub(crate) struct HeldShare {
    most: Option<Most>,
    held: Arc<[AtomicU64; 2]>,
    own: Held,
}

impl Limit {
    pub(crate) fn new(most: Option<Most>) -> Self {
        Self { most, held: Arc::default() }
    }

    pub(crate) fn share(&self) -> HeldShare {
        HeldShare { most: self.most, held: Arc::clone(&self.held), own: Held::default() }
    }

    /// Refuses a table of so many combinations.
    pub(crate) fn check(&self, combinations: u64) -> Result<(), EngineError> {
        refuse_more(self.most, [combinations, 0])
    }
}

impl HeldShare {
    /// Notes what the worker holds now, and refuses what is too much.
    pub(crate) fn take(&mut self, now: Held) -> Result<(), EngineError> {
        let mut counted = now;
        for (place, own) in now.into_iter().enumerate() {
            let more = own.saturating_sub(self.own[place]);
            let all = self.held[place].fetch_add(more, Ordering::Relaxed) + more;
            self.own[place] += more;
            counted[place] = own.max(all / HELD_TWICE);
        }
        refuse_more(self.most, counted)
    }
}

fn refuse_more(most: Option<Most>, [combinations, text]: Held) -> Result<(), EngineError> {
    match most {
        Some(most) if combinations > most.combinations => {
            Err(EngineError::TooMany { most: most.combinations })
        }
        Some(most) if text > most.text => Err(EngineError::TooLong { most: most.text }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_or_all_together_can_hold_too_much() {
        let most = Some(Most { combinations: 10, text: 100 });
        let limit = Limit::new(most);
        let [mut a, mut b, mut c] = [(); 3].map(|()| limit.share());
        assert!(a.take([10, 0]).is_ok() && b.take([9, 100]).is_ok() && a.take([10, 99]).is_ok());
        assert!(matches!(c.take([3, 0]), Err(EngineError::TooMany { most: 10 })));
        assert!(Limit::new(most).share().take([11, 0]).is_err());
        assert!(Limit::default().share().take([u64::MAX; 2]).is_ok());
        assert!(limit.check(10).is_ok() && limit.check(11).is_err());
        assert!(matches!(Limit::new(most).share().take([1, 101]), Err(EngineError::TooLong { most: 100 })));
        let limit = Limit::new(most);
        let [mut a, mut b] = [(); 2].map(|()| limit.share());
        assert!(a.take([1, 100]).is_ok() && b.take([1, 100]).is_ok());
        assert!(limit.share().take([0, 2]).is_err());
    }
}
