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
