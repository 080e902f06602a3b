//! From figures of attributes to one of the table.

use velamen_contract::metric::Aggregate;

use super::Score;

/// From one attribute's value, of so many attributes, to what is added up, and from the mean of the sums to the figure.
type Additive = (fn(f64, f64) -> f64, fn(f64) -> f64);

/// Puts figures together. Rises with each figure.
pub(super) fn combine(aggregate: Aggregate, figures: impl Iterator<Item = f64>, weights: &[f64]) -> Score {
    let weighted = figures.zip(weights).map(|(v, w)| v * w);
    let attributes = weights.len() as f64;
    Score::One(match aggregate {
        Aggregate::GeometricMean => weighted.map(|v| v + 1.0).product::<f64>().powf(1.0 / attributes) - 1.0,
        Aggregate::ArithmeticMean => weighted.sum::<f64>() / attributes,
        Aggregate::Sum => weighted.sum(),
        Aggregate::Max => weighted.fold(0.0, f64::max),
        Aggregate::Rank => {
            let mut ranked: Vec<f64> = weighted.collect();
            ranked.sort_by(|a, b| b.total_cmp(a));
            return Score::Ranked(ranked);
        }
    })
}

/// How a figure follows from the weighted values of single records, or is at least that much; `None` where nothing of
/// use follows.
pub(super) fn by_record(aggregate: Aggregate) -> Option<Additive> {
    match aggregate {
        Aggregate::ArithmeticMean => Some((|value, attributes| value / attributes, |mean| mean)),
        Aggregate::Sum => Some((|value, _| value, |mean| mean)),
        // ln(1 + v) is concave: that of a mean is at least the mean of those of the parts.
        Aggregate::GeometricMean => Some((|value, attributes| value.ln_1p() / attributes, f64::exp_m1)),
        Aggregate::Max | Aggregate::Rank => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_putting_together() {
        let of = |aggregate: Aggregate| combine(aggregate, [0.0, 1.0].into_iter(), &[1.0, 0.5]);
        assert_eq!(of(Aggregate::Sum), Score::One(0.5));
        assert_eq!(of(Aggregate::ArithmeticMean), Score::One(0.25));
        assert_eq!(of(Aggregate::Max), Score::One(0.5));
        assert_eq!(of(Aggregate::Rank), Score::Ranked(vec![0.5, 0.0]));
        assert!((of(Aggregate::GeometricMean).first() - (1.5f64.sqrt() - 1.0)).abs() < 1e-15);
    }
}
