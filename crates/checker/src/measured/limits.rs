//! The limits that a release states of its tables, against the tables that it has: `model-cells` and `max-cells`.

use velamen_contract::{Measurements, Promises};

use super::prescribed;
use super::refit::Problem;
use super::tree::{self, Set};

/// What rounding may add to a limit that is a share of `model-cells`.
const ROUNDED: f64 = 1e-9;

/// Whether no table has more cells than is stated; `None` where the tables are not those of the method.
pub(super) fn hold(measured: &Measurements, promises: &Promises, problem: &Problem) -> Option<bool> {
    let most = promises.model_cells.map_or(f64::INFINITY, |cells| cells as f64);
    let narrow = measured.domains.values().all(|values| values.len() as f64 <= most);
    let sets: Vec<Set> = problem.tables.iter().map(|table| table.set.clone()).collect();
    let (alone, further) = sets.split_at_checked(measured.alone.len())?;
    let barred = problem.barred.iter().map(|(set, _)| set.clone());
    let mut there: Vec<Set> = alone.iter().cloned().chain(barred).collect();
    let cells = |set: &Set| tree::cells(set.iter().copied(), &problem.sizes) as f64;
    let largest = promises.max_cells.map_or(f64::INFINITY, |cells| cells as f64);
    let small = further.iter().all(|set| set.len() < 2 || cells(set) <= largest.min(most));
    // By table the share of the model that may be there, once it is.
    let shares = prescribed::spent(measured, &promises.method)?;
    let mut within = narrow && small;
    for (set, share) in further.iter().zip(shares) {
        // What is there already changes nothing.
        if !there.contains(set) {
            let before = tree::eliminated(&there, &problem.sizes);
            there.push(set.clone());
            let held = before.iter().any(|clique| set.iter().all(|a| clique.contains(a)));
            let share = if share.is_infinite() && !problem.barred.is_empty() { 1.0 } else { share };
            within &= held || is_grown(&there, problem, most * share);
        }
    }
    Some(within)
}

/// Whether the tree of these sets has at most so many cells.
fn is_grown(sets: &[Set], problem: &Problem, most: f64) -> bool {
    let cells = |set: &Set| tree::cells(set.iter().copied(), &problem.sizes) as f64;
    tree::eliminated(sets, &problem.sizes).iter().map(cells).sum::<f64>() <= most * (1.0 + ROUNDED)
}

#[cfg(test)]
mod tests;
