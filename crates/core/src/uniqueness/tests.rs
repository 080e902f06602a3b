//! The estimators against their definitions written out.

use super::Estimator::{Dankar, Pitman, Snb, Zayatz};
use super::{Estimate, Sample, SampleError, estimate, pitman};

/// The likelihood of Pitman's formula, written out.
fn likelihood(sizes: &[(u64, u64)], theta: f64, alpha: f64) -> f64 {
    let records: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    let classes: u64 = sizes.iter().map(|(_, classes)| classes).sum();
    let ln = |of: u64, term: &dyn Fn(f64) -> f64| (1..of).map(|i| term(i as f64).ln()).sum::<f64>();
    let grown = |&(size, classes): &(u64, u64)| classes as f64 * ln(size, &|i| i - alpha);
    ln(classes, &|i| theta + i * alpha) - ln(records, &|i| theta + i) + sizes.iter().map(grown).sum::<f64>()
}

#[test]
fn pitman_s_parameters_are_of_greatest_likelihood() {
    for sizes in [
        vec![(1, 50), (2, 20), (3, 10), (10, 4)],
        vec![(1, 3), (2, 30), (3, 10)],
        vec![(1, 100), (2, 1)],
        vec![(1, 5), (400, 1)],
    ] {
        let found = pitman::fit(&Sample::new(&sizes, 1_000_000).unwrap()).unwrap();
        let (theta, alpha) = (found.sum - found.alpha, found.alpha);
        let best = likelihood(&sizes, theta, alpha);
        for step in [1e-3, 0.05, 0.3] {
            for (up, right) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, -1.0), (-1.0, 1.0)] {
                let other = (found.sum * (1.0 + up * step), alpha + right * step * (1.0 - alpha));
                if other.1 >= 0.0 {
                    let there = likelihood(&sizes, other.0 - other.1, other.1);
                    assert!(there <= best + 1e-9, "{sizes:?}: {found:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn pitman_s_expectation_is_the_product() {
    let sample = Sample::new(&[(1, 50), (2, 20), (3, 10), (10, 4)], 5000).unwrap();
    let found = pitman::fit(&sample).unwrap();
    let factor = |i: u64| (found.sum + i as f64 - 1.0) / (found.sum - found.alpha + i as f64);
    let expected = 5000.0 * (1..5000).map(factor).product::<f64>();
    assert!((estimate(&sample, Pitman).uniques / expected - 1.0).abs() < 1e-9);
}

#[test]
fn zayatz_is_bayes_rule_over_the_hypergeometric_law() {
    let sizes = [(1, 6), (2, 3), (3, 2), (5, 1)];
    let (population, records) = (60u64, 23u64);
    let choose = |of: u64, taken: u64| (0..taken).map(|i| (of - i) as f64 / (i + 1) as f64).product::<f64>();
    let once = |size: u64| size as f64 * choose(population - size, records - 1) / choose(population, records);
    let all: f64 = sizes.iter().map(|&(size, classes)| classes as f64 * once(size)).sum();
    let expected = 6.0 * (6.0 * once(1) / all) * 60.0 / 23.0;
    let found = estimate(&Sample::new(&sizes, population).unwrap(), Zayatz).uniques;
    assert!((found / expected - 1.0).abs() < 1e-12);
}

#[test]
fn edges_are_numbers_in_range() {
    let cases: [(&[(u64, u64)], u64); 9] = [
        (&[(1, 1)], 1),
        (&[(1, 1)], 1_000_000_000),
        (&[(1, 1000)], 1_000_000),
        (&[(1, 999), (2, 1)], u64::MAX),
        (&[(1, 1), (1_000_000_000, 1)], 2_000_000_000),
        (&[(1, 1), (2, 1)], 4),
        (&[(1, 1), (2, 500_000)], 10_000_000),
        (&[(1, 500_000), (3, 1)], 10_000_000),
        (&[(2, 10), (7, 1)], 100),
    ];
    for (sizes, population) in cases {
        let sample = Sample::new(sizes, population).unwrap();
        for by in [Pitman, Zayatz, Snb, Dankar] {
            let Estimate { uniques, share, used } = estimate(&sample, by);
            assert!((0.0..=population as f64).contains(&uniques), "{sizes:?} {by:?}: {uniques}");
            assert!((0.0..=1.0).contains(&share) && used != Dankar, "{sizes:?} {by:?}");
        }
    }
}

#[test]
fn certain_answers_and_fallbacks() {
    let full = Sample::new(&[(1, 3), (2, 2)], 7).unwrap();
    let none = Sample::new(&[(2, 2)], 70).unwrap();
    let alone = Sample::new(&[(1, 10)], 100).unwrap();
    for by in [Pitman, Zayatz, Snb, Dankar] {
        assert_eq!(estimate(&full, by).uniques, 3.0);
        assert_eq!(estimate(&none, by).uniques, 0.0);
        // Nothing repeats: all that can be said is that all may be unique.
        assert_eq!(estimate(&alone, by), Estimate { uniques: 100.0, share: 1.0, used: Zayatz });
    }
}

#[test]
fn what_is_no_sample_is_refused() {
    assert_eq!(Sample::new(&[(0, 5), (3, 0)], 10).unwrap_err(), SampleError::Empty);
    assert_eq!(Sample::new(&[(2, 3), (5, 1)], 10).unwrap_err(), SampleError::PopulationTooSmall(10));
    let huge = Sample::new(&[(u64::MAX, 2)], u64::MAX);
    assert_eq!(huge.unwrap_err(), SampleError::PopulationTooSmall(u64::MAX));
    assert_eq!(Sample::new(&[(1, 2), (1, 3)], 10).unwrap().fraction(), 0.5);
}
