//! How well predictions meet the truth.

use schemars::JsonSchema;
use serde::Serialize;

/// How well a classifier predicts.
#[derive(Debug, Clone, JsonSchema, Serialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub struct Scores {
    /// The share of right predictions.
    pub accuracy: f64,
    /// The mean share of right predictions over the classes.
    pub balanced_accuracy: f64,
    /// The mean F1 over the classes that occur or are predicted.
    pub macro_f1: f64,
    /// The area under the receiver operating characteristic, of two classes and models with scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
}

impl Scores {
    /// Of (truth, prediction) pairs of classes below `classes`.
    pub(super) fn new(pairs: &[(u32, u32)], classes: usize, auc: Option<f64>) -> Self {
        let mut cells = vec![0.0; classes * classes];
        for &(truth, predicted) in pairs {
            cells[truth as usize * classes + predicted as usize] += 1.0;
        }
        let right = |class: usize| cells[class * classes + class];
        let true_of = |class: usize| cells[class * classes..][..classes].iter().sum::<f64>();
        let predicted = |class: usize| (0..classes).map(|truth| cells[truth * classes + class]).sum::<f64>();
        let recalls = (0..classes).filter(|&c| true_of(c) > 0.0).map(|c| right(c) / true_of(c));
        let named = (0..classes).filter(|&c| true_of(c) + predicted(c) > 0.0);
        let f1 = named.map(|c| 2.0 * right(c) / (true_of(c) + predicted(c)));
        Self {
            accuracy: (0..classes).map(right).sum::<f64>() / pairs.len() as f64,
            balanced_accuracy: mean(recalls),
            macro_f1: mean(f1),
            auc,
        }
    }
}

fn mean(figures: impl Iterator<Item = f64>) -> f64 {
    let figures: Vec<f64> = figures.collect();
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}

/// The probability that a record of class 1 has a higher score than one of class 0, ties counting half;
/// `None` if there is none of one class.
pub(super) fn auc(scored: &[(f64, u32)]) -> Option<f64> {
    let mut order = scored.to_vec();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut wins) = (0.0, 0.0);
    for equal in order.chunk_by(|a, b| a.0 == b.0) {
        let ones = equal.iter().filter(|(_, class)| *class == 1).count() as f64;
        let zeros = equal.len() as f64 - ones;
        wins += ones * (below + zeros / 2.0);
        below += zeros;
    }
    let ones = order.len() as f64 - below;
    (ones > 0.0 && below > 0.0).then(|| wins / (ones * below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Truth 0 ×3: two right, one taken for 1; truth 1 ×1: right; class 2 is predicted once for 1.
        let scores = Scores::new(&[(0, 0), (0, 0), (0, 1), (1, 1), (1, 2)], 3, None);
        assert!((scores.accuracy - 0.6).abs() < 1e-15);
        assert!((scores.balanced_accuracy - (2.0 / 3.0 + 0.5) / 2.0).abs() < 1e-15);
        assert!((scores.macro_f1 - (0.8 + 0.5 + 0.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn areas_by_hand() {
        assert_eq!(auc(&[(0.1, 0), (0.4, 0), (0.35, 1), (0.8, 1)]), Some(0.75));
        assert_eq!(auc(&[(0.5, 0), (0.5, 1)]), Some(0.5));
        assert_eq!(auc(&[(0.5, 1)]), None);
    }
}
