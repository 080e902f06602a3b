//! From figures of attributes to one of the table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Score;

/// How the attributes' figures v, each times its weight w, are put together over m attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// (Π (v·w + 1))^(1/m) − 1.
    GeometricMean,
    /// Σ v·w / m.
    ArithmeticMean,
    /// Σ v·w.
    Sum,
    /// The largest v·w.
    Max,
    /// All v·w, descending; the first that differs decides.
    Rank,
}

/// From one attribute's value, of so many attributes, to what is added up, and from the mean of the sums to the figure.
type Additive = (fn(f64, f64) -> f64, fn(f64) -> f64);

impl Aggregate {
    /// Puts figures together. Rises with each figure.
    #[must_use]
    pub fn combine(self, figures: impl Iterator<Item = f64>, weights: &[f64]) -> Score {
        let weighted = figures.zip(weights).map(|(v, w)| v * w);
        let attributes = weights.len() as f64;
        Score::One(match self {
            Self::GeometricMean => weighted.map(|v| v + 1.0).product::<f64>().powf(1.0 / attributes) - 1.0,
            Self::ArithmeticMean => weighted.sum::<f64>() / attributes,
            Self::Sum => weighted.sum(),
            Self::Max => weighted.fold(0.0, f64::max),
            Self::Rank => {
                let mut ranked: Vec<f64> = weighted.collect();
                ranked.sort_by(|a, b| b.total_cmp(a));
                return Score::Ranked(ranked);
            }
        })
    }

    /// How a figure follows from the weighted values of single records, or is at least that much; `None` where nothing of
    /// use follows.
    pub(super) fn by_record(self) -> Option<Additive> {
        match self {
            Self::ArithmeticMean => Some((|value, attributes| value / attributes, |mean| mean)),
            Self::Sum => Some((|value, _| value, |mean| mean)),
            // ln(1 + v) is concave: that of a mean is at least the mean of those of the parts.
            Self::GeometricMean => Some((|value, attributes| value.ln_1p() / attributes, f64::exp_m1)),
            Self::Max | Self::Rank => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_putting_together() {
        let of = |aggregate: Aggregate| aggregate.combine([0.0, 1.0].into_iter(), &[1.0, 0.5]);
        assert_eq!(of(Aggregate::Sum), Score::One(0.5));
        assert_eq!(of(Aggregate::ArithmeticMean), Score::One(0.25));
        assert_eq!(of(Aggregate::Max), Score::One(0.5));
        assert_eq!(of(Aggregate::Rank), Score::Ranked(vec![0.5, 0.0]));
        assert!((of(Aggregate::GeometricMean).first() - (1.5f64.sqrt() - 1.0)).abs() < 1e-15);
    }
}
