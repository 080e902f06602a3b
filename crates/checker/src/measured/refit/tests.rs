#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use super::*;

fn noisy(set: &[usize], sizes: &[usize], variance: f64) -> Noisy {
    let cells = tree::cells(set.iter().copied(), sizes) as usize;
    let count = |cell: usize| (600 / cells) as f64 + ((cell * 37 + set[0] * 11) % 29) as f64 * 3.0 - 40.0;
    Noisy { set: set.to_vec(), counts: (0..cells).map(count).collect(), variances: vec![variance; cells] }
}

/// The whole table that the fit's tables say is optimal: p₀·exp Σ (y − μ)/s, with the total.
fn by_definition(problem: &Problem, fitted: &[Fitted]) -> Vec<f64> {
    let sizes = &problem.sizes;
    let all: Set = (0..sizes.len()).collect();
    let mut whole = vec![1.0; tree::cells(all.iter().copied(), sizes) as usize];
    for a in 0..sizes.len() {
        Places::of(&all, &[a], sizes).multiply(&mut whole, &problem.shares(a).unwrap());
    }
    for table in &problem.tables {
        let home = fitted.iter().find(|clique| table.set.iter().all(|a| clique.set.contains(a))).unwrap();
        let now = Places::of(&home.set, &table.set, sizes).sum(&home.cells);
        let pull: Vec<f64> = (0..now.len())
            .map(|cell| ((table.counts[cell] - now[cell]) / (TAU * table.variances[cell])).exp())
            .collect();
        Places::of(&all, &table.set, sizes).multiply(&mut whole, &pull);
    }
    for (set, barred) in &problem.barred {
        let open: Vec<f64> = barred.iter().map(|&barred| f64::from(!barred)).collect();
        Places::of(&all, set, sizes).multiply(&mut whole, &open);
    }
    let sum: f64 = whole.iter().sum();
    whole.iter().map(|cell| cell / sum * problem.estimate()).collect()
}

fn is_optimal(problem: &Problem) {
    let fitted = problem.fitted(&problem.tree()).unwrap();
    let whole = by_definition(problem, &fitted);
    let all: Set = (0..problem.sizes.len()).collect();
    for clique in &fitted {
        let expected = Places::of(&all, &clique.set, &problem.sizes).sum(&whole);
        for (cell, expected) in clique.cells.iter().zip(expected) {
            assert!(
                (cell - expected).abs() < 1e-6 * problem.estimate(),
                "{:?}: {cell} {expected}",
                clique.set
            );
        }
    }
}

#[test]
fn the_slope_is_zero_on_trees_and_circles() {
    let sizes = vec![4, 3, 2, 2];
    for sets in
        [vec![vec![0, 1], vec![1, 2], vec![1, 3]], vec![vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3]]]
    {
        let alone = (0..4).map(|a| vec![a]);
        let tables = alone.chain(sets).map(|set| noisy(&set, &sizes, 400.0)).collect();
        is_optimal(&Problem { sizes: sizes.clone(), tables, barred: Vec::new() });
    }
}

#[test]
fn barred_cells_stay_empty() {
    let sizes = vec![3, 2, 2];
    let sets = [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2]];
    let tables = sets.iter().map(|set| noisy(set, &sizes, 400.0)).collect();
    let barred = vec![
        (vec![0, 1], vec![false, true, false, false, true, false]),
        (vec![1, 2], vec![false, false, false, true]),
    ];
    let problem = Problem { sizes: sizes.clone(), tables, barred };
    is_optimal(&problem);
    let fitted = problem.fitted(&problem.tree()).unwrap();
    let pair = Places::of(&fitted[0].set, &[0, 1], &sizes).sum(&fitted[0].cells);
    assert_eq!((pair[1], pair[4]), (0.0, 0.0));
}

#[test]
fn exact_counts_are_met_and_useless_ones_are_not() {
    let sizes = vec![3, 2];
    for variance in [1e-9, 1e12] {
        let alone = |a: usize, counts: &[f64]| Noisy {
            set: vec![a],
            counts: counts.to_vec(),
            variances: vec![100.0; counts.len()],
        };
        let pair = Noisy {
            set: vec![0, 1],
            counts: vec![0.0, 1000.0, 0.0, 0.0, 3.0, 500.0],
            variances: vec![variance; 6],
        };
        let tables = vec![alone(0, &[1000.0, 0.0, 503.0]), alone(1, &[3.0, 1500.0]), pair.clone()];
        let problem = Problem { sizes: sizes.clone(), tables, barred: Vec::new() };
        let cells = problem.fitted(&problem.tree()).unwrap().remove(0).cells;
        let away: f64 = cells.iter().zip(&pair.counts).map(|(cell, count)| (cell - count).abs()).sum();
        assert_eq!(away < 0.1, variance < 1.0, "{cells:?}");
        assert!(away < 20.0, "{cells:?}");
    }
}

/// An attribute of 50,000 values, of which noise of σ = 10 kept 67 without a record, and one that has 3,000.
fn of_a_large_domain(others: &[f64]) -> Problem {
    let (rare, values) = (67, 50_000.0);
    let mut counts = vec![3000.0];
    counts.extend((0..rare).map(|value| 31.0 + f64::from(value % 9)));
    counts.push(-2200.0);
    let mut variances = vec![100.0; counts.len()];
    variances[68] = 100.0 * (values - 68.0);
    let large = Noisy { set: vec![0], counts, variances };
    let small = Noisy { set: vec![1], counts: others.to_vec(), variances: vec![100.0; others.len()] };
    let mut pair = Noisy { set: vec![0, 1], counts: vec![0.0; 138], variances: vec![400.0; 138] };
    (pair.counts[0], pair.counts[1]) = (others[0], others[1]);
    Problem { sizes: vec![69, 2], tables: vec![large, small, pair], barred: Vec::new() }
}

fn nearness(problem: &Problem, log_ways: f64) -> Nearness {
    let tree = problem.tree();
    Nearness { log_ways, ..problem.nearness(&tree, &problem.fitted(&tree).unwrap()).unwrap() }
}

#[test]
fn values_kept_because_of_their_noise_contradict_nothing() {
    // ln C(50,000, 67) and the weight.
    let log_ways = (0..67).map(|i| (f64::from(50_000 - i) / f64::from(67 - i)).ln()).sum::<f64>() + 21.6;
    assert!(nearness(&of_a_large_domain(&[1520.0, 1480.0]), log_ways).holds());
    assert!(!nearness(&of_a_large_domain(&[4300.0, 1500.0]), log_ways).holds(), "another count");
    let mut problem = of_a_large_domain(&[1520.0, 1480.0]);
    problem.tables[2].counts.swap(0, 2);
    assert!(!nearness(&problem, log_ways).holds(), "another value");
}

#[test]
fn the_nearest_table_has_the_total_and_no_count_below_zero() {
    let table = Noisy { set: vec![0], counts: vec![30.0, 9.0, -50.0], variances: vec![1.0, 1.0, 4.0] };
    let near = table.nearest(21.0);
    assert!((near[0] - 21.0).abs() < 1e-9 && near[1] < 1e-9 && near[2] == 0.0, "{near:?}");
    let near = table.nearest(31.0);
    assert!((near[0] - 26.0).abs() < 1e-9 && (near[1] - 5.0).abs() < 1e-9 && near[2] == 0.0, "{near:?}");
    // With λ = −13 all are above 0.
    let near = table.nearest(67.0);
    let hand = [43.0, 22.0, 2.0];
    assert!(near.iter().zip(hand).all(|(near, hand)| (near - hand).abs() < 1e-9), "{near:?}");
}

#[test]
fn the_nearest_table_is_found_however_far_it_is() {
    for variance in [0.01, 1.0, 400.0] {
        let of = |counts: [f64; 2], total| {
            Noisy { set: vec![0], counts: counts.to_vec(), variances: vec![variance; 2] }.nearest(total)
        };
        let near = |a: Vec<f64>, b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near(of([0.0, 0.0], 10.0), [5.0, 5.0]), "{variance}: all noise is 0");
        assert!(near(of([100.0, 50.0], 1.0), [1.0, 0.0]), "{variance}: far too many");
        assert!(near(of([-100.0, -80.0], 40.0), [10.0, 30.0]), "{variance}: below 0");
        assert!(near(of([7.0, 3.0], 10.0), [7.0, 3.0]), "{variance}: as they are");
    }
}

fn of_counts(set: &[usize], counts: &[f64], variance: f64) -> Noisy {
    Noisy { set: set.to_vec(), counts: counts.to_vec(), variances: vec![variance; counts.len()] }
}

#[test]
fn an_attribute_begins_with_its_first_counts_none_below_half_of_the_noise() {
    let tables = vec![of_counts(&[0, 1], &[9.0; 6], 1.0), of_counts(&[0], &[30.0, 1.0, -5.0], 16.0)];
    let problem = Problem { sizes: vec![3, 2], tables, barred: Vec::new() };
    assert_eq!(problem.shares(0), Some(vec![30.0 / 34.0, 2.0 / 34.0, 2.0 / 34.0]));
    assert_eq!(problem.shares(1), None, "not measured alone");
}

#[test]
fn two_tables_of_one_set_are_their_mean() {
    let tables = vec![
        of_counts(&[0], &[12.0, 6.0], 6.0),
        of_counts(&[1], &[3.0, 4.0], 2.0),
        of_counts(&[0], &[21.0, 0.0], 3.0),
    ];
    let means = Problem { sizes: vec![2, 2], tables, barred: Vec::new() }.means();
    let sets: Vec<&Set> = means.iter().map(|mean| &mean.set).collect();
    assert_eq!(sets, [&vec![0], &vec![1]]);
    // (12/6 + 21/3)/(1/6 + 1/3), (6/6 + 0)/(1/2), and 1/(1/2).
    let near = |found: &[f64], due: [f64; 2]| found.iter().zip(due).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(near(&means[0].counts, [18.0, 2.0]) && near(&means[0].variances, [2.0, 2.0]), "{means:?}");
    assert!(near(&means[1].counts, [3.0, 4.0]) && near(&means[1].variances, [2.0, 2.0]), "{means:?}");
}

/// Nearly without τ, a margin is the mean of what the tables say of it, by the inverse of the cells that each sums.
#[test]
fn tables_that_disagree_on_an_attribute_meet() {
    let sizes = vec![4, 3, 2];
    let even = |values: [f64; 3], cells: f64| values.map(|value| value / cells);
    let (first, last, alone) = ([500.0, 300.0, 200.0], [200.0, 300.0, 500.0], [350.0, 300.0, 350.0]);
    for variance in [1e-6, 1e-3, 1.0] {
        let of_last = even(last, 2.0).into_iter().flat_map(|cell| [cell, cell]).collect::<Vec<f64>>();
        let tables = vec![
            of_counts(&[0], &[250.0; 4], variance),
            of_counts(&[1], &alone, variance),
            of_counts(&[2], &[500.0; 2], variance),
            of_counts(&[0, 1], &even(first, 4.0).repeat(4), variance),
            of_counts(&[1, 2], &of_last, variance),
        ];
        let problem = Problem { sizes: sizes.clone(), tables, barred: Vec::new() };
        let fitted = problem.fitted(&problem.tree()).unwrap();
        for clique in &fitted {
            let margin = Places::of(&clique.set, &[1], &sizes).sum(&clique.cells);
            let due = (0..3).map(|v| (first[v] / 4.0 + last[v] / 2.0 + alone[v]) / 1.75);
            let is_near = margin.iter().zip(due).all(|(found, due)| (found - due).abs() < 0.05);
            assert!(is_near, "{variance}: {:?} {margin:?}", clique.set);
        }
    }
}

#[test]
fn tables_that_do_not_fit_are_not_fitted() {
    let sizes = vec![2, 3];
    let fits = |sizes: &[usize], change: &dyn Fn(&mut Vec<Noisy>)| {
        let mut tables: Vec<Noisy> =
            [vec![0], vec![1], vec![0, 1]].iter().map(|set| noisy(set, &[2, 3], 400.0)).collect();
        change(&mut tables);
        let problem = Problem { sizes: sizes.to_vec(), tables, barred: Vec::new() };
        problem.fitted(&problem.tree()).is_some()
    };
    assert!(fits(&sizes, &|_| ()));
    assert!(!fits(&sizes, &|tables| tables[2].counts.truncate(5)), "a count left out");
    assert!(!fits(&sizes, &|tables| tables[2].variances.truncate(5)), "a variance left out");
    assert!(!fits(&sizes, &|tables| drop(tables.remove(0))), "an attribute not measured alone");
    // 2²⁹ cells.
    assert!(!fits(&[1 << 15, 1 << 14], &|_| ()));
}

/// Before a table pulls, all is p₀ where records can be, with the total.
#[test]
fn cliques_are_settled_by_what_is_barred() {
    let sizes = vec![2, 3, 2];
    let counts: [(&[usize], &[f64]); 5] = [
        (&[0], &[60.0, 40.0]),
        (&[1], &[50.0, 30.0, 20.0]),
        (&[2], &[70.0, 30.0]),
        (&[0, 1], &[0.0; 6]),
        (&[1, 2], &[0.0; 6]),
    ];
    let tables = counts.map(|(set, counts)| of_counts(set, counts, 0.01)).to_vec();
    // No record has the last value of the second attribute, nor the first of it with the second of the third.
    let barred = vec![
        (vec![0, 1], vec![false, false, true, false, false, true]),
        (vec![1, 2], vec![false, true, false, false, false, false]),
    ];
    let problem = Problem { sizes: sizes.clone(), tables, barred };
    let (tree, total) = (problem.tree(), 1000.0);
    assert_eq!(tree.len(), 2);
    let (cliques, shared) = problem.prior(&tree, total).unwrap();
    let mut fit = Fit { total, cliques, shared, tables: Vec::new() };
    let mut whole: Vec<f64> = Vec::new();
    for (a, x) in [0.6, 0.4].iter().enumerate() {
        for (b, y) in [0.5, 0.3, 0.2].iter().enumerate() {
            for (c, z) in [0.7, 0.3].iter().enumerate() {
                let open = !problem.barred[0].1[a * 3 + b] && !problem.barred[1].1[b * 2 + c];
                whole.push(if open { x * y * z } else { 0.0 });
            }
        }
    }
    let sum: f64 = whole.iter().sum();
    whole.iter_mut().for_each(|cell| *cell *= total / sum);
    for _ in 0..2 {
        fit.settle(&tree);
        for clique in &fit.cliques {
            let expected = Places::of(&[0, 1, 2], &clique.set, &sizes).sum(&whole);
            let is_near = |(cell, due): (&f64, &f64)| (cell - due).abs() < 1e-9;
            assert!(clique.cells.iter().zip(&expected).all(is_near), "{clique:?} {expected:?}");
        }
    }
}
