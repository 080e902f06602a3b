//! Information loss as the authors' public program has it, beside the one by the paper's equations.
//!
//! Three facts of that program, none of its code: the sum of NCP, EMD and Rate is divided by three; the
//! sum is not set back between nodes, so that each node carries a third of what the node before it had,
//! IL_j = (IL_{j−1} + NCP_j + EMD_j + Rate_j) / 3; and the choice of the node has the whole ε. The nodes
//! stand in the order of the lattice here.

use velamen_dp::Stream;
use velamen_search::method::ipa::published::Candidate;

/// What divides every sum.
pub(super) const PARTS: f64 = 3.0;

/// The sensitivity that the paper takes for u, as in Eq. 12.
const SENSITIVITY: f64 = 3.0;

/// One choice of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chosen {
    /// The mean IL of what is released, over its probabilities.
    pub(super) expected: f64,
    /// The IL of the node that was drawn.
    pub(super) drawn: f64,
}

impl Chosen {
    /// From a run's nodes, with the whole ε.
    pub(super) fn of(candidates: &[Candidate], epsilon: f64, stream: &mut Stream) -> Self {
        let losses = carried(candidates.iter().map(|candidate| candidate.loss.total()));
        let weights: Vec<f64> =
            losses.iter().map(|loss| (-epsilon * loss / (2.0 * SENSITIVITY)).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let expected = losses.iter().zip(&weights).map(|(loss, weight)| loss * weight / whole).sum();
        let mut point = (stream.word() >> 11) as f64 / 2f64.powi(53) * whole;
        let chosen = weights.iter().position(|weight| {
            point -= weight;
            point < 0.0
        });
        Self { expected, drawn: losses[chosen.unwrap_or(losses.len() - 1)] }
    }
}

/// IL_j = (IL_{j−1} + the parts of node j) / 3.
fn carried(sums: impl Iterator<Item = f64>) -> Vec<f64> {
    let next = |before: &mut f64, sum: f64| {
        *before = (*before + sum) / PARTS;
        Some(*before)
    };
    sums.scan(0.0, next).collect()
}

#[cfg(test)]
mod tests {
    use velamen_core::lattice::Node;
    use velamen_dp::Seed;
    use velamen_search::method::ipa::published::Loss;

    use super::*;

    #[test]
    fn each_node_carries_a_third_of_the_one_before() {
        assert_eq!(carried([0.9, 0.0, 0.3].into_iter()), [0.3, 0.09999999999999999, 0.13333333333333333]);
        // Of equal sums S it comes to S/2.
        let long = carried(std::iter::repeat_n(0.5, 40));
        assert!((long[39] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn the_whole_epsilon_chooses() {
        let candidate = |ncp: f64| Candidate {
            node: Node(vec![0]),
            loss: Loss { ncp, ..Loss::default() },
            probability: 0.0,
        };
        // IL 1/3 and 10/9: with an ε of 60 the second is e^(−70/9) times as likely.
        let candidates = [candidate(1.0), candidate(3.0)];
        let mut stream = Seed::from_number(1).stream(0);
        let chosen = Chosen::of(&candidates, 60.0, &mut stream);
        let rare = (-70.0f64 / 9.0).exp();
        let expected = (1.0 / 3.0 + rare * 10.0 / 9.0) / (1.0 + rare);
        assert!((chosen.expected - expected).abs() < 1e-12);
        let second = (0..300).filter(|_| Chosen::of(&candidates, 0.0, &mut stream).drawn > 1.0).count();
        assert!((90..210).contains(&second), "{second}");
    }
}
