//! Original records that are unique, and whether a released record shows them as they are.

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::sides::{ORIGINAL, RELEASED, Sides};

/// Unique original records that are matched exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Matches {
    /// Records of the original whose values, in all attributes that are compared, no other record has.
    pub unique_originals: u64,
    /// Of these, how many a released record equals in every value, none of them generalized.
    pub matched_exactly: u64,
}

/// Time O(combinations · attributes), memory O(released combinations without a generalized value).
pub(super) fn matches(sides: &Sides, context: &Context<'_>) -> Result<Matches, JobError> {
    let shown: FxHashSet<Vec<u64>> = leaves(sides, RELEASED).filter_map(|(_, places)| places).collect();
    context.check()?;
    let mut found = Matches { unique_originals: 0, matched_exactly: 0 };
    for (_, places) in leaves(sides, ORIGINAL).filter(|(records, _)| *records == 1.0) {
        found.unique_originals += 1;
        found.matched_exactly += u64::from(places.is_some_and(|places| shown.contains(&places)));
    }
    Ok(found)
}

/// Records of each combination of a table, and its places; `None` where a value covers more than one.
fn leaves(sides: &Sides, side: usize) -> impl Iterator<Item = (f64, Option<Vec<u64>>)> {
    let table = &sides.tables[side];
    let place = move |row: usize| {
        let attributes = sides.attributes.iter().zip(&table.codes);
        attributes.map(|(attribute, codes)| attribute.covers[side][codes[row] as usize].leaf()).collect()
    };
    table.weights.iter().enumerate().map(move |(row, weight)| (*weight, place(row)))
}
