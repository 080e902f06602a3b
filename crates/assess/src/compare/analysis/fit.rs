//! How the values of a release lie within its ranges and sets, estimated from the release alone.

use velamen_measure::fidelity::Run;

/// Attributes of more values are read by the middle.
pub(super) const MOST_VALUES: u64 = 5000;
/// Steps of the estimate; more of them put ever more weight on ever fewer values.
const STEPS: usize = 50;

/// The shares of the values 0 to `values` − 1, from the values that each group of records can have and its weight.
///
/// Steps of self-consistency (Turnbull 1976) from equal shares: each group is spread over its values by the shares so far, and the
/// shares are counted anew. A value that is shown exactly counts as such in every step.
pub(super) fn shares(values: u64, groups: &[(Vec<Run>, f64)]) -> Vec<f64> {
    let mut shares = vec![1.0 / values.max(1) as f64; values as usize];
    let all: f64 = groups.iter().map(|(_, weight)| weight).sum();
    if all <= 0.0 {
        return shares;
    }
    for _ in 0..STEPS {
        let sums = running(&shares);
        // By place, what each unit of its share gets: added where a run begins, taken off where it ends.
        let mut added = vec![0.0; values as usize + 1];
        for (runs, weight) in groups {
            let inside: f64 = runs.iter().map(|run| within(&sums, *run)).sum();
            if inside > 0.0 {
                for run in runs {
                    added[run.first as usize] += weight / inside;
                    added[run.last as usize + 1] -= weight / inside;
                }
            }
        }
        let mut factor = 0.0;
        for (share, change) in shares.iter_mut().zip(&added) {
            factor += change;
            *share *= (factor / all).max(0.0);
        }
    }
    shares
}

/// The sums of all shares before each place.
fn running(shares: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for share in shares {
        sums.push(sums[sums.len() - 1] + share);
    }
    sums
}

fn within(sums: &[f64], run: Run) -> f64 {
    sums[run.last as usize + 1] - sums[run.first as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(first: u64, last: u64) -> Run {
        Run { first, last }
    }

    /// By hand: half the records show 0, half 0 or 1. In the limit all are 0; the share of 1 halves in each step.
    #[test]
    fn a_range_follows_what_others_show() {
        let found = shares(2, &[(vec![run(0, 0)], 1.0), (vec![run(0, 1)], 1.0)]);
        assert!((found[0] - 1.0).abs() < 1e-9 && found[1] < 1e-9, "{found:?}");
    }

    #[test]
    fn without_anything_narrower_values_stay_alike() {
        let found = shares(4, &[(vec![run(0, 1)], 3.0), (vec![run(2, 3)], 1.0)]);
        for (share, expected) in found.iter().zip([0.375, 0.375, 0.125, 0.125]) {
            assert!((share - expected).abs() < 1e-12, "{found:?}");
        }
        let sets = shares(3, &[(vec![run(0, 0), run(2, 2)], 1.0), (vec![run(2, 2)], 1.0)]);
        assert!(sets[1] == 0.0 && (sets.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{sets:?}");
    }
}
