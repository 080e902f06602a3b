//! Who judges a finished decision with the truth, before it is carried out.

use velamen_core::context::{Context, Interrupted};
use velamen_core::frequency::FrequencyTable;

use super::decision::Decision;

/// What an adversary gets who has only the release, measured with the truth that the custodian has. One and the same adversary
/// judges every decision; nothing is drawn again for her, since of many draws the luckiest would pass.
pub trait Adversary: Sync {
    /// Why she recognizes counterfeits too well, in words; `None` where she does not. `limit` is the largest
    /// area under her ROC curve, ½ to 1. `again`: a decision was refused before, and of several one passes by luck; so chance
    /// counts against this one.
    ///
    /// # Errors
    /// [`Interrupted`].
    fn recognizes(
        &self,
        decision: &mut Decision,
        table: &FrequencyTable,
        limit: f64,
        again: bool,
        context: &Context<'_>,
    ) -> Result<Option<String>, Interrupted>;
}
