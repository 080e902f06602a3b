//! Whether a run passes a door of its own, or one that an auditor's keeper opens in its place.

use std::sync::Arc;

use velamen_dp::{Door, Doorkeeper};

/// Where a method's door comes from.
#[derive(Debug, Clone, Default)]
pub(super) struct Doorway(Option<Arc<Doorkeeper>>);

impl Doorway {
    /// Of a run that is audited.
    pub(super) fn kept_by(keeper: &Arc<Doorkeeper>) -> Self {
        Self(Some(keeper.clone()))
    }

    /// A run through its own door, or the keeper's, who hears of all that passed however the run ends.
    pub(super) fn through<T>(&self, mut own: Door, run: impl FnOnce(&mut Door) -> T) -> T {
        let Some(keeper) = &self.0 else { return run(&mut own) };
        let mut door = keeper.open(own);
        let made = run(&mut door);
        keeper.close(&door);
        made
    }
}
