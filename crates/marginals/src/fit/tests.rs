use super::*;

fn run(fit: &mut Fit, sweeps: usize) -> Model {
    fit.run(sweeps, 1e-13, || Ok::<(), ()>(())).unwrap()
}

fn pseudo(number: usize) -> f64 {
    ((number * 7919 + 13) % 101) as f64
}

fn measured(set: Set, sizes: &[usize], variance: f64) -> Measurement {
    let len: usize = set.iter().map(|&a| sizes[a]).product();
    let all: f64 = (0..len).map(|cell| pseudo(cell + set[0] * 31)).sum();
    let counts = (0..len).map(|cell| 1000.0 * pseudo(cell + set[0] * 31) / all).collect();
    Measurement { set, counts, variances: vec![variance; len] }
}

/// What maximum entropy gives on the whole table: p₀·exp Σ (y − μ)/s by brute force, with that total.
fn by_brute_force(fit: &Fit, model: &Model) -> Vec<f64> {
    let all: Set = (0..fit.sizes.len()).collect();
    let mut logs = vec![0.0; fit.sizes.iter().product()];
    for a in &all {
        let shares: Vec<f64> = fit.shares(*a).iter().map(|share| share.ln()).collect();
        Margin::of(&all, &vec![*a], &fit.sizes).add(&mut logs, &shares);
    }
    for m in fit.measurements() {
        let fitted = model.marginal(&m.set).unwrap();
        let cells = m.counts.iter().zip(&fitted).zip(&m.variances);
        let theta: Vec<f64> = cells.map(|((y, mu), variance)| (y - mu) / (fit.tau * variance)).collect();
        Margin::of(&all, &m.set, &fit.sizes).add(&mut logs, &theta);
    }
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
    logs.iter().map(|log| fit.total() * (log - most).exp() / sum).collect()
}

/// At the optimum, and only there, the gradient's table has the model's marginals.
fn is_optimal(fit: &Fit, model: &Model) {
    let all: Set = (0..fit.sizes.len()).collect();
    let whole = by_brute_force(fit, model);
    for m in fit.measurements() {
        let fitted = model.marginal(&m.set).unwrap();
        let expected = Margin::of(&all, &m.set, &fit.sizes).sum(&whole);
        for (fitted, expected) in fitted.iter().zip(&expected) {
            assert!((fitted - expected).abs() < 1e-7 * fit.total(), "{:?}: {fitted} {expected}", m.set);
        }
    }
}

#[test]
fn it_is_the_maximum_of_entropy_by_brute_force() {
    let sizes = vec![4, 3, 2, 2];
    let mut fit = Fit::new(sizes.clone());
    for set in [vec![0], vec![1], vec![2], vec![3], vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3]] {
        fit.measure(measured(set, &sizes, 400.0));
    }
    let model = run(&mut fit, 5000);
    is_optimal(&fit, &model);
    assert_eq!(model.tables().map(|(_, cells)| cells.len()).collect::<Vec<_>>().len(), 2);
}

/// Merged values have the variance of all that they stand for: their counts bend more to the total than others.
#[test]
fn counts_of_unlike_variances_are_the_maximum_of_entropy_by_brute_force() {
    let sizes = vec![4, 3, 2];
    let mut fit = Fit::new(sizes.clone());
    for (number, set) in [vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2]].into_iter().enumerate() {
        let mut measured = measured(set, &sizes, 300.0);
        let shifted = measured.counts.iter().map(|count| count + 40.0 * number as f64);
        measured.counts = shifted.collect();
        measured.variances[number % 2] *= 30.0;
        fit.measure(measured);
    }
    let model = run(&mut fit, 5000);
    is_optimal(&fit, &model);
}

/// Noisy counts of many records, on a tree with a circle.
fn of_many_records() -> Fit {
    let sizes = vec![6, 5, 4, 5, 3];
    let mut fit = Fit::new(sizes.clone());
    let alone = (0..5).map(|a| (vec![a], 30.0));
    let pairs = [vec![0, 1], vec![1, 2], vec![1, 3], vec![0, 3], vec![3, 4]];
    for (set, variance) in alone.chain(pairs.map(|set| (set, 900.0))) {
        let mut measured = measured(set, &sizes, variance);
        measured.counts.iter_mut().for_each(|count| *count *= 50.0);
        fit.measure(measured);
    }
    fit
}

/// There updates of one measurement after the other would nearly stand still.
#[test]
fn some_tens_of_sweeps_come_to_the_optimum() {
    let cells = |sweeps: usize| {
        let model = of_many_records().run(sweeps, 0.0, || Ok::<(), ()>(())).unwrap();
        model.tables().flat_map(|(_, cells)| cells.to_vec()).collect::<Vec<f64>>()
    };
    let (soon, late) = (cells(60), cells(3000));
    let away: f64 = soon.iter().zip(&late).map(|(soon, late)| (soon - late).abs()).sum();
    assert!(away < 1e-6 * late.iter().sum::<f64>(), "{away}");
}

#[test]
fn a_fit_goes_on_from_where_it_was() {
    let sizes = vec![4, 3, 2, 2];
    let mut fit = Fit::new(sizes.clone());
    for set in [vec![0], vec![1], vec![2], vec![3], vec![0, 1]] {
        fit.measure(measured(set, &sizes, 400.0));
    }
    run(&mut fit, 300);
    // A clique more: the whole table is loaded again.
    fit.measure(measured(vec![1, 3], &sizes, 100.0));
    fit.measure(measured(vec![0, 3], &sizes, 900.0));
    let model = run(&mut fit, 5000);
    is_optimal(&fit, &model);
}

#[test]
fn forbidden_cells_stay_empty_and_the_rest_is_the_maximum_of_entropy() {
    let sizes = vec![3, 2, 2];
    let mut fit = Fit::new(sizes.clone());
    fit.forbid(vec![0, 1], vec![false, true, false, false, true, false]);
    fit.forbid(vec![1, 2], vec![false, false, false, true]);
    for set in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2]] {
        fit.measure(measured(set, &sizes, 400.0));
    }
    assert!(fit.is_possible());
    let model = run(&mut fit, 5000);
    let pair = model.marginal(&vec![0, 1]).unwrap();
    assert_eq!((pair[1], pair[4], model.marginal(&vec![1, 2]).unwrap()[3]), (0.0, 0.0, 0.0));
    assert!((pair.iter().sum::<f64>() - fit.total()).abs() < 1e-6);
    // By brute force: p₀·exp Σ (y − μ)/s, where it may be, has the model's tables.
    let all: Set = vec![0, 1, 2];
    let mut whole = by_brute_force(&fit, &model);
    for (set, barred) in &fit.zeros {
        let kept: Vec<f64> = barred.iter().map(|&barred| f64::from(!barred)).collect();
        Margin::of(&all, set, &sizes).multiply(&mut whole, &kept);
    }
    let sum: f64 = whole.iter().sum();
    for set in [vec![0, 1], vec![0, 2], vec![1, 2]] {
        let fitted = model.marginal(&set).unwrap();
        for (fitted, expected) in fitted.iter().zip(Margin::of(&all, &set, &sizes).sum(&whole)) {
            let expected = expected / sum * fit.total();
            assert!((fitted - expected).abs() < 1e-4 * fit.total(), "{set:?}: {fitted} {expected}");
        }
    }
}

#[test]
fn records_have_no_forbidden_cell_whatever_was_measured() {
    let sizes = vec![4, 3, 5, 2];
    for number in 0..40usize {
        let mut fit = Fit::new(sizes.clone());
        let bars = |len: usize, step: usize| {
            (0..len).map(|cell| (cell * step + number).is_multiple_of(3)).collect::<Vec<_>>()
        };
        let (first, second) = (bars(12, 5), bars(15, 7));
        fit.forbid(vec![0, 1], first.clone());
        fit.forbid(vec![1, 2], second.clone());
        if !fit.is_possible() {
            continue;
        }
        for set in [vec![0], vec![1], vec![2], vec![3], vec![0, 1], vec![0, 3], vec![2, 3]] {
            let len: usize = set.iter().map(|&a| sizes[a]).product();
            let noise = |cell: usize| pseudo(cell * 3 + number * 7 + set[0]) * 9.0 - 300.0;
            fit.measure(Measurement {
                set: set.clone(),
                counts: (0..len).map(noise).collect(),
                variances: vec![900.0; len],
            });
        }
        let model = fit.run(30, 1e-4, || Ok::<(), ()>(())).unwrap();
        let mut stream = velamen_dp::Seed::from_number(number as u64).stream(0);
        let columns = crate::draw(&model, 999, &mut stream, || Ok::<(), ()>(())).unwrap();
        let pairs = columns[0].iter().zip(&columns[1]).zip(&columns[2]);
        for (record, ((&a, &b), &c)) in pairs.enumerate() {
            let (a, b, c) = (a as usize, b as usize, c as usize);
            assert!(!first[a * 3 + b] && !second[b * 5 + c], "{number} {record}");
        }
    }
}

#[test]
fn nothing_possible_is_seen() {
    let mut fit = Fit::new(vec![2, 2]);
    fit.forbid(vec![0, 1], vec![true, true, true, false]);
    assert!(fit.is_possible());
    fit.forbid(vec![0, 1], vec![false, false, false, true]);
    assert!(!fit.is_possible());
}

/// Without entropy it is the least squares of the measurements, where these are positive.
#[test]
fn on_a_tree_it_tends_to_least_squares() {
    let sizes = vec![3, 2, 3];
    let mut fit = Fit { tau: 1e-3, ..Fit::new(sizes.clone()) };
    let sets: [(Set, f64); 5] =
        [(vec![0], 4.0), (vec![1], 9.0), (vec![2], 4.0), (vec![0, 1], 25.0), (vec![1, 2], 16.0)];
    for (set, variance) in sets {
        let len: usize = set.iter().map(|&a| sizes[a]).product();
        let counts = (0..len).map(|cell| 1000.0 / len as f64 + pseudo(cell) / 20.0).collect();
        fit.measure(Measurement { set, counts, variances: vec![variance; len] });
    }
    let model = run(&mut fit, 20_000);
    let all: Set = vec![0, 1, 2];
    // Descent along the gradient over the whole table, its total kept.
    let mut cells = vec![fit.total() / 18.0; 18];
    for _ in 0..60_000 {
        let mut gradient = vec![0.0; 18];
        for m in fit.measurements() {
            let margin = Margin::of(&all, &m.set, &sizes);
            let sums = margin.sum(&cells);
            let away: Vec<f64> =
                sums.iter().zip(&m.counts).zip(&m.variances).map(|((a, y), v)| (a - y) / v).collect();
            margin.add(&mut gradient, &away);
        }
        let mean = gradient.iter().sum::<f64>() / 18.0;
        cells.iter_mut().zip(&gradient).for_each(|(cell, slope)| *cell -= 0.1 * (slope - mean));
    }
    for m in fit.measurements() {
        let expected = Margin::of(&all, &m.set, &sizes).sum(&cells);
        let found = model.marginal(&m.set).unwrap();
        for (found, expected) in found.iter().zip(&expected) {
            // The pull of τ: a standard deviation here is 2 to 5.
            assert!((found - expected).abs() < 0.3, "{:?}: {found} {expected}", m.set);
        }
    }
}

#[test]
fn tables_agree_and_have_the_total() {
    let sizes = vec![4, 3, 2, 5];
    let mut fit = Fit::new(sizes.clone());
    for set in [vec![0], vec![0, 1], vec![1, 2], vec![1, 3]] {
        fit.measure(measured(set, &sizes, 50.0));
    }
    let model = run(&mut fit, 200);
    let first = model.marginal(&vec![1]).unwrap();
    for (set, cells) in model.tables() {
        assert!((cells.iter().sum::<f64>() - fit.total()).abs() < 1e-6 * fit.total());
        if set.contains(&1) {
            let again = Margin::of(set, &vec![1], &sizes).sum(cells);
            assert!(first.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-6), "{set:?}");
        }
    }
    assert_eq!(model.marginal(&vec![0, 2]), None);
}

#[test]
fn extreme_variances_are_fitted() {
    for variance in [1e-4, 1e12] {
        let sizes = vec![3, 2];
        let mut fit = Fit::new(sizes.clone());
        let counts = vec![0.0, 1000.0, 0.0, 0.0, 3.0, 500.0];
        fit.measure(Measurement {
            set: vec![0],
            counts: vec![1000.0, 0.0, 503.0],
            variances: vec![variance; 3],
        });
        fit.measure(Measurement { set: vec![0, 1], counts: counts.clone(), variances: vec![variance; 6] });
        let model = run(&mut fit, 200);
        let fitted = model.marginal(&vec![0, 1]).unwrap();
        assert!(fitted.iter().all(|count| count.is_finite() && *count >= 0.0));
        if variance < 1.0 {
            assert!(fitted.iter().zip(&counts).all(|(a, b)| (a - b).abs() < 0.1), "{fitted:?}");
        }
    }
}

/// Counts with little noise that contradict one another by more than that: e^θ of a clique alone is 0 for 64 bits.
#[test]
fn a_fit_goes_on_where_powers_are_too_small_for_numbers() {
    let sizes = vec![4, 3, 4, 3];
    let table = |set: Set, shift: f64| {
        let mut measured = measured(set, &sizes, 1e-2);
        measured
            .counts
            .iter_mut()
            .enumerate()
            .for_each(|(cell, count)| *count += shift * pseudo(cell * 5 + 3));
        measured
    };
    let mut fit = Fit::new(sizes.clone());
    let alone = (0..4).map(|a| (vec![a], 0.0));
    for (set, shift) in alone.chain([(vec![0, 1], 0.1), (vec![1, 2], 0.2), (vec![2, 3], 0.3)]) {
        fit.measure(table(set, shift));
    }
    run(&mut fit, 50);
    fit.measure(table(vec![1, 2], 0.4));
    let model = run(&mut fit, 2000);
    let mut anew = Fit::new(sizes.clone());
    fit.measurements().for_each(|measurement| anew.measure(measurement.clone()));
    let expected = run(&mut anew, 2000);
    for ((_, cells), (_, expected)) in model.tables().zip(expected.tables()) {
        let away: f64 = cells.iter().zip(expected).map(|(cell, expected)| (cell - expected).abs()).sum();
        assert!(away < 1e-4 * fit.total(), "{cells:?} {expected:?}");
    }
}

#[test]
fn a_wish_to_stop_is_heard() {
    let mut fit = Fit::new(vec![2]);
    fit.measure(measured(vec![0], &[2], 1.0));
    assert_eq!(fit.run(9, 0.0, || Err("stop")).unwrap_err(), "stop");
}

/// The optimum of both is that of their mean, each weighted by the inverse of its variance.
#[test]
fn two_measurements_of_a_set_are_the_maximum_of_entropy_by_brute_force() {
    let sizes = vec![4, 3];
    let mut fit = Fit::new(sizes.clone());
    for (number, set) in [vec![0], vec![1], vec![0, 1], vec![0], vec![0, 1]].into_iter().enumerate() {
        let mut measured = measured(set, &sizes, 200.0 + 300.0 * number as f64);
        let turned = measured.counts.iter().rev().map(|count| count + 25.0 * number as f64);
        measured.counts = if number < 3 { measured.counts.clone() } else { turned.collect() };
        fit.measure(measured);
    }
    let model = run(&mut fit, 5000);
    is_optimal(&fit, &model);
}

#[test]
fn cells_are_those_of_the_tree_with_more_sets() {
    let mut fit = Fit::new(vec![4, 3, 2, 5]);
    fit.measure(measured(vec![0, 1], &[4, 3, 2, 5], 100.0));
    assert_eq!([fit.cells_with(&[]), fit.cells_with(&[vec![1, 2]])], [12.0 + 2.0 + 5.0, 12.0 + 6.0 + 5.0]);
    assert_eq!(fit.cells_with(&[vec![1, 2], vec![0, 2]]), 24.0 + 5.0, "a circle is one clique");
}

/// Where noise is larger than the count, half of it stands for the count.
#[test]
fn shares_begin_with_what_noise_leaves() {
    let mut fit = Fit::new(vec![3]);
    let counts = vec![30.0, 4.0, -9.0];
    fit.measure(Measurement { set: vec![0], counts, variances: vec![16.0, 144.0, 16.0] });
    assert_eq!(fit.shares(0), [30.0 / 38.0, 6.0 / 38.0, 2.0 / 38.0]);
    assert_eq!(Fit::new(vec![4]).shares(0), [0.25; 4]);
}

/// Totals of 100 and 200 that noise of 4 and of 12 is in.
#[test]
fn the_total_is_the_mean_by_inverse_variances() {
    let mut fit = Fit::new(vec![2, 3]);
    let of = |set: Set, counts: Vec<f64>, variance: f64| Measurement {
        set,
        variances: vec![variance; counts.len()],
        counts,
    };
    fit.measure(of(vec![0], vec![70.0, 30.0], 2.0));
    fit.measure(of(vec![1], vec![150.0, 20.0, 30.0], 4.0));
    assert!((fit.estimate() - 125.0).abs() < 1e-9);
    fit.measure(of(vec![1], vec![-900.0; 3], 4.0));
    assert!(fit.estimate() < 0.0);
    assert_eq!(fit.total(), 1.0);
}

/// However many sweeps there were, the distribution is p₀·exp Σ θ, and all its tables are of one.
#[test]
fn after_any_sweep_tables_are_those_of_theta() {
    for sweeps in [0, 1, 2, 3] {
        let sizes = [6, 5, 4, 5, 3];
        let mut fit = Fit::new(sizes.to_vec());
        for set in [vec![0], vec![1], vec![3], vec![0, 1], vec![1, 2], vec![1, 3], vec![0, 3], vec![3, 4]] {
            fit.measure(measured(set, &sizes, 4000.0));
        }
        let model = fit.run(sweeps, 0.0, || Ok::<(), ()>(())).unwrap();
        let again = fit.start(fit.total());
        for ((set, cells), (_, expected)) in model.tables().zip(again.tables()) {
            let away: f64 = cells.iter().zip(expected).map(|(cell, expected)| (cell - expected).abs()).sum();
            assert!(away < 1e-9 * fit.total(), "{sweeps} {set:?}: {away}");
            assert!((cells.iter().sum::<f64>() - fit.total()).abs() < 1e-9 * fit.total());
        }
        let cells = model.tables().map(|(_, cells)| cells.len()).sum::<usize>();
        assert_eq!((model.len(), model.is_empty(), model.sizes()), (cells, false, &sizes[..]));
    }
}

/// Where e^θ is 0 for numbers of 64 bits, it begins anew.
#[test]
fn nothing_becomes_0_by_itself() {
    let mut fit = Fit::new(vec![2, 2]);
    fit.measure(measured(vec![0], &[2, 2], 9.0));
    fit.blocks[0].theta = vec![0.0, -2000.0];
    let model = fit.start(1000.0);
    assert!(model.tables().flat_map(|(_, cells)| cells).all(|cell| *cell > 0.0));
    assert!(fit.blocks[0].is_new());
}

/// What two cliques share can have values that no record has.
#[test]
fn a_value_that_is_impossible_wholly_is_in_no_table() {
    let sizes = vec![2, 2, 2];
    let mut fit = Fit::new(sizes.clone());
    fit.forbid(vec![0, 1], vec![false, true, false, true]);
    for set in [vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2]] {
        fit.measure(measured(set, &sizes, 400.0));
    }
    for _ in 0..2 {
        let model = run(&mut fit, 50);
        let all: f64 = model.marginal(&vec![1]).unwrap()[0];
        assert!((all - fit.total()).abs() < 1e-6 && model.marginal(&vec![1]).unwrap()[1] == 0.0);
        // All have the first value, so that the others are independent.
        let (rows, columns) = (model.marginal(&vec![0]).unwrap(), model.marginal(&vec![2]).unwrap());
        let products = rows.iter().flat_map(|row| columns.iter().map(move |column| row * column));
        for (found, product) in model.pairs(0)[2].iter().zip(products) {
            assert!((found - product / fit.total()).abs() < 1e-6, "{found} {product}");
        }
    }
}
