//! What protects and shows in no release: the custodian's word.

use serde_json::json;
use velamen_contract::Promises;

use crate::Finding;

/// The promise that no label made from data shows a value that too few records have.
pub const RARE: &str = "rare-values";

/// The promise that what models ask of values holds of the real records of each class by themselves.
pub const REAL: &str = "real-records";

/// What protects and shows in no release.
pub(crate) fn stated(promises: &Promises) -> impl Iterator<Item = Finding> {
    let hidden = promises.h.map(|_| Finding::stated("lemma-1", json!("holds for the real records")));
    let drawn = promises.drawn.then(|| Finding::stated("random-draws", json!("from a secret seed")));
    let ends = promises.qis.iter().any(|qi| qi.ends.is_some());
    let rare = ends.then(|| Finding::stated(RARE, json!("shown only where declared")));
    let real = (promises.of_real && promises.placed.is_none())
        .then(|| Finding::stated(REAL, json!("meet the models without counterfeits")));
    hidden.into_iter().chain(real).chain(drawn).chain(rare)
}
