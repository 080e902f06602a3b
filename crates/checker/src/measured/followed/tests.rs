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

#[test]
fn the_bound_of_a_sum_is_that_of_its_formula() {
    // λ/3 + √(λ²/9 + 2Vλ).
    for (variance, lambda, bound) in [(0.0, 3.0, 2.0), (8.0, 3.0, 8.0), (2.0, 6.0, 2.0 + 28f64.sqrt())] {
        assert!((bernstein(variance, lambda) - bound).abs() < 1e-12, "{variance} {lambda}");
    }
}

#[test]
fn a_step_is_judged_by_its_own_tables() {
    let measured: Vec<Set> = vec![vec![0], vec![1], vec![0, 1], vec![1, 3], vec![0, 2], vec![0, 1, 2]];
    let of = |known: &[usize]| {
        tables(&Step { clique: 0, attribute: 1, known: known.to_vec() }, &measured.iter().collect())
    };
    assert_eq!(of(&[]), [vec![1]]);
    assert_eq!(of(&[0]), [vec![0, 1], vec![1]]);
    assert_eq!(of(&[0, 2]), [vec![0, 1], vec![0, 1, 2], vec![1], vec![1, 2]]);
}

/// A hundred groups of one record, of which half are expected to have the first of two values, and all have it.
#[test]
fn what_is_beyond_the_bound_is_half_the_distance() {
    let problem = Problem { sizes: vec![100, 2], ..Problem::default() };
    let tree = [Hung { set: vec![0, 1], parent: None }];
    let fitted = [Fitted { set: vec![0, 1], cells: vec![0.5; 200] }];
    let found = distance(&problem, (&tree, &fitted), 100, |set| {
        Some(if set[..] == [0] { vec![1; 100] } else { [1, 0].repeat(100) })
    });
    // 100 + 200 + 2 cells: λ = ln(2 · 302 / 10⁻⁹) = 27.127, V = 25: both values are 50 − 46.965 beyond, of 2 · 100 records.
    assert!((found.unwrap() - 0.030_353_66).abs() < 1e-7, "{found:?}");
}

#[test]
fn a_group_that_nobody_expects_is_drawn_as_if_alone() {
    let clique = Fitted { set: vec![0, 1], cells: vec![0.0, 0.0, 3.0, 1.0] };
    let step = Step { clique: 0, attribute: 1, known: vec![0] };
    let drawn = Drawn::of(&step, &clique, &[2, 2], &|_: &Set| Some(vec![4, 0, 2, 2])).unwrap();
    assert_eq!(drawn.expected, [3.0, 1.0, 3.0, 1.0]);
}

#[test]
fn groups_without_a_record_explain_nothing() {
    let beyond = |counts: &[f64], expected: &[f64]| {
        let (counts, expected) = (counts.to_vec(), expected.to_vec());
        Drawn { set: vec![0, 1], known: vec![0], counts, expected }.beyond(&vec![1], &[3, 2], 3.0)
    };
    // Of one group the sum is off by 1 at most; each value by 2.5.
    let one = beyond(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[2.5, 2.5, 0.0, 0.0, 0.0, 0.0]);
    assert!((one - 3.0).abs() < 1e-5, "{one}");
    assert_eq!(beyond(&[4.0, 2.0, 0.0, 0.0, 0.0, 0.0], &[3.0, 3.0, 0.0, 0.0, 0.0, 0.0]), 0.0);
}
