#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use super::super::refit::Noisy;
use super::*;

/// Two attributes of three and two values that belong together, counted nearly without noise.
fn problem() -> Problem {
    let table = |set: &[usize], counts: &[f64]| Noisy {
        set: set.to_vec(),
        counts: counts.to_vec(),
        variances: vec![0.01; counts.len()],
    };
    let tables = vec![
        table(&[0], &[5e3, 3e3, 2e3]),
        table(&[1], &[6e3, 4e3]),
        table(&[0, 1], &[4500.0, 500.0, 500.0, 2500.0, 1000.0, 1000.0]),
    ];
    Problem { sizes: vec![3, 2], tables, barred: Vec::new() }
}

fn of(pair: [u64; 6]) -> f64 {
    let problem = problem();
    let tree = problem.tree();
    let fitted = problem.fitted(&tree).unwrap();
    distance(&problem, (&tree, &fitted), pair.iter().sum(), |set| {
        Some(match set[..] {
            [0] => vec![pair[0] + pair[1], pair[2] + pair[3], pair[4] + pair[5]],
            [1] => vec![pair[0] + pair[2] + pair[4], pair[1] + pair[3] + pair[5]],
            _ => pair.to_vec(),
        })
    })
    .unwrap()
}

#[test]
fn records_as_expected_are_near_and_moved_ones_are_not() {
    assert!(of([4500, 500, 500, 2500, 1000, 1000]) <= MOST / 100.0);
    assert!(of([4501, 499, 500, 2500, 999, 1001]) <= MOST, "one record each way is rounding");
    assert!(of([4440, 560, 560, 2440, 1000, 1000]) > MOST, "60 of 10,000 are moved");
    let moved = of([4485, 515, 515, 2485, 1000, 1000]);
    assert!(moved > MOST && moved < 0.005, "15 are moved: {moved}");
    assert!(of([3000, 2000, 1800, 1200, 1200, 800]) > 0.1, "independent");
    assert!(of([4600, 500, 400, 2500, 1000, 1000]) > MOST, "one attribute alone");
}

/// Systematic sampling in many small groups: as often as the law says, sums of rounded counts are within their bounds.
#[test]
fn sums_of_rounded_numbers_are_within_their_bounds_as_often_as_stated() {
    let (mut state, mut beyond) = (7u64, 0);
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let lambda = 3.0;
    for _ in 0..4000 {
        let (mut sum, mut spread) = (0.0, 0.0);
        for group in 0..50 {
            let expected = 0.05 + f64::from(group % 7) * 0.13;
            spread += variance(expected);
            sum += f64::from(unit() < expected) - expected;
        }
        beyond += usize::from(sum > bernstein(spread, lambda));
    }
    // e⁻³ is 5 %; the bound is not tight.
    assert!(beyond < 200, "{beyond}");
    assert!(bernstein(0.0, lambda) > 0.0 && variance(2.0) == 0.0 && (variance(2.5) - 0.25).abs() < 1e-12);
}

#[test]
fn tables_that_contradict_one_another_are_far_from_every_fit() {
    let nearness = |moved: f64| {
        let mut problem = problem();
        problem.tables[2].counts[0] += moved;
        problem.tables[2].counts[5] -= moved;
        let tree = problem.tree();
        let fitted = problem.fitted(&tree).unwrap();
        problem.nearness(&tree, &fitted).unwrap()
    };
    assert!(nearness(0.0).holds() && nearness(1.0).holds(), "a record is rounding");
    assert!(!nearness(60.0).holds(), "60 of 10,000 with a standard deviation of a tenth");
}
