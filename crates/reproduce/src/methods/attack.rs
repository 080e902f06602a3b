//! An adversary who knows all quasi-identifiers of somebody in the table.

use velamen_core::context::Context;
use velamen_dp::{Seed, below};
use velamen_recipe::JobError;

use super::original::Original;
use super::released::Released;

/// People that are looked for.
const TARGETS: u64 = 1000;

/// The seed of the targets: every method is asked for the same people.
const PEOPLE: u64 = 1984;

/// What the adversary gets.
pub(super) struct Success {
    /// Mean of 1 / (released records that match), suppressed ones aside; 0 where none does.
    pub(super) linkage: f64,
    /// Share of the targets whose sensitive value is the most frequent one among the records that match.
    pub(super) inference: f64,
}

/// Looks for random people of the original table.
pub(super) fn run(
    released: &Released,
    original: &Original,
    context: &Context<'_>,
) -> Result<Success, JobError> {
    let mut stream = Seed::from_number(PEOPLE).stream(0);
    let (mut linkage, mut guessed) = (0.0, 0u64);
    for done in 0..TARGETS {
        context.check()?;
        context.progress.step("looking for people", done, TARGETS);
        let entry = original.entry_of(below(&mut stream, original.table.records()));
        let (matching, guess) = matches(released, original, entry);
        linkage += if matching > 0.0 { 1.0 / matching.max(1.0) } else { 0.0 };
        guessed += u64::from(guess == Some(original.value(entry)));
    }
    Ok(Success { linkage: linkage / TARGETS as f64, inference: guessed as f64 / TARGETS as f64 })
}

/// How many records match an entry's quasi-identifiers, and their most frequent value. Where none but
/// suppressed ones match, these are guessed from.
fn matches(released: &Released, original: &Original, entry: usize) -> (f64, Option<u32>) {
    let leaves: Vec<u32> = original.table.codes.iter().map(|codes| codes[entry]).collect();
    let covers: Vec<Vec<bool>> = released
        .covers
        .iter()
        .zip(&leaves)
        .map(|(labels, leaf)| labels.iter().map(|cover| cover.binary_search(leaf).is_ok()).collect())
        .collect();
    let (mut matching, mut own, mut hidden) =
        (0.0, vec![0.0; original.values().len()], vec![0.0; original.values().len()]);
    for (group, &suppressed) in released.groups.iter().zip(&released.suppressed) {
        if !group.labels.iter().zip(&covers).all(|(&label, covers)| covers[label as usize]) {
            continue;
        }
        let seen = if suppressed { &mut hidden } else { &mut own };
        for &value in &group.values {
            seen[value as usize] += group.expected / group.values.len() as f64;
        }
        matching += if suppressed { 0.0 } else { group.expected };
    }
    let seen = if matching > 0.0 { own } else { hidden };
    let most = seen.iter().copied().fold(0.0, f64::max);
    let guess = seen.iter().position(|&count| most > 0.0 && count >= most);
    (matching, guess.map(|value| value as u32))
}
