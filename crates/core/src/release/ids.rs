//! Which class the records of each entry are released in.

use super::{Application, released_layout};
use crate::frequency::FrequencyTable;
use crate::plan::Plan;
use crate::with_key_width;

/// The id of the class that each entry's records are released in, 0 for suppressed ones; `ids` are those of the plan's classes,
/// as [`apply`](super::apply) returns them.
///
/// Time: O(entries · attributes), memory O(entries).
///
/// # Panics
/// If the plan belongs to another table.
#[must_use]
pub fn ids_of_entries(table: &FrequencyTable, plan: &Plan, ids: &[u64]) -> Vec<u32> {
    let layout = released_layout(table, plan);
    with_key_width!(layout.words(), W => Application::new(table, plan, &layout.clone()).ids_of_entries::<W>(ids),
        else unreachable!("the search refused keys this wide"))
}
