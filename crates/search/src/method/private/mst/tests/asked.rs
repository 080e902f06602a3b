//! What a run asks of its door, by hand: laws of noise, ε of choices, sensitivities and scores.

use velamen_dp::{Answered, Query};

use super::*;
use crate::method::private::invented::asked::InventsRecords;

/// All that a run asks, and what it makes of the answers.
fn asked(method: &Mst, table: &FrequencyTable, zeros: &Zeros) -> (Vec<Answered>, InventedRelease) {
    let node = Node(vec![0; table.qis.len()]);
    let levels = Levels { zeros, ..Levels::of(&node) };
    in_context(5, |context| {
        let mut door = method.0.door(context).recording();
        let made = method.invented(table, levels, context, &mut door).unwrap();
        (door.tape().0, made)
    })
}

/// σ² for a share of ρ in tenths, where a person has three records.
fn variance(method: &Mst, tenths: u128, parts: u128) -> f64 {
    9.0 / (2.0 * method.rho().to_f64() * tenths as f64 / (10 * parts) as f64)
}

/// The laws of attributes' counts, for a share of ρ by the number of values to the power ⅔.
fn alone(method: &Mst, tenths: u128, sizes: &[usize]) -> Vec<f64> {
    let weights: Vec<f64> = sizes.iter().map(|&size| (size as f64).powf(2.0 / 3.0)).collect();
    let all: f64 = weights.iter().sum();
    weights.iter().map(|weight| variance(method, tenths, 1) * all / weight).collect()
}

/// Each query's name, its sensitivity, and σ² or ε.
fn laws(tape: &[Answered]) -> Vec<(&str, u64, f64)> {
    let law = |asked: &'_ Query| match asked {
        Query::Noise { sensitivity, law, .. } => (*sensitivity, law.variance().to_f64()),
        Query::Choice { sensitivity, epsilon, .. } => (*sensitivity, epsilon.to_f64()),
        other => panic!("{other:?}"),
    };
    tape.iter()
        .map(|answered| (&answered.step[..], law(&answered.query)))
        .map(|(step, (s, l))| (step, s, l))
        .collect()
}

#[track_caller]
fn are(found: &[(&str, u64, f64)], expected: &[(&str, u64, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        // ε and shares are rounded down to some thousands of units.
        let is_near = (found.2 / expected.2 - 1.0).abs() < 1e-3;
        assert!((found.0, found.1) == (expected.0, expected.1) && is_near, "{found:?} {expected:?}");
    }
}

const OF_THREE: InventedParams = InventedParams { records_per_person: 3, ..PARAMS };

/// M1, M3 and M4, where pairs are chosen.
#[test]
fn every_query_is_paid_as_the_method_says() {
    let (method, sizes) = (method(OF_THREE), [6, 3, 4, 2, 50]);
    let (tape, made) = asked(&method, &sample(20_000), &Zeros::default());
    let chosen = made.measurements.tables.len() as u128;
    assert!((1..=4).contains(&chosen));
    let epsilon = (8.0 * method.rho().to_f64() / 40.0).sqrt();
    let mut expected: Vec<(&str, u64, f64)> =
        alone(&method, 5, &sizes).into_iter().map(|variance| ("attribute", 3, variance)).collect();
    expected.extend([("choice", 3 << 10, epsilon); 4]);
    expected.extend(vec![("table", 3, variance(&method, 4, chosen)); chosen as usize]);
    are(&laws(&tape), &expected);
}

/// M4, where the draws choose nothing: what they cost is not there for attributes.
#[test]
fn without_a_pair_attributes_are_asked_for_once_more() {
    let method = method(OF_THREE);
    // Each of 100 combinations has 20 records, and a pair's noise is half of what two tables can be apart.
    let columns = [1, 10].map(|step| (0..2000).map(|record| record / step % 10).collect());
    let (tape, made) = asked(&method, &table(&[10, 10], columns.to_vec()), &Zeros::default());
    assert!(made.measurements.choices.iter().all(|choice| choice.attributes.is_none()));
    let first = alone(&method, 5, &[10, 10]).into_iter().map(|variance| ("attribute", 3, variance));
    let choice = ("choice", 3 << 10, (8.0 * method.rho().to_f64() / 10.0).sqrt());
    let again = alone(&method, 4, &[10, 10]).into_iter().map(|variance| ("table", 3, variance));
    are(&laws(&tape), &first.chain([choice]).chain(again).collect::<Vec<_>>());
}

/// Impossible combinations join attributes from the start: a pair that makes the tree larger than the model is not asked for.
#[test]
fn pairs_are_asked_for_where_the_tree_with_them_fits() {
    let method = method(InventedParams { model_cells: 11, ..PARAMS });
    let mut fit = Fit::new(vec![2, 3, 2]);
    fit.forbid(vec![0, 1], vec![true, false, false, false, false, false]);
    // Of 6 + 2, with a pair of the second and the last attribute 6 + 6, and with both others one table of 12.
    assert!(method.fits(&fit, &[], &vec![0, 1]));
    assert!(!method.fits(&fit, &[], &vec![1, 2]) && method.fits(&fit, &[], &vec![0, 2]));
    assert!(!method.fits(&fit, &[vec![0, 2]], &vec![1, 2]));
    let zeros = Zeros::of_pair((0, 1), vec![true, false, false, false, false, false]);
    let columns = vec![vec![1; 900], (0..900).map(|r| r % 3).collect(), (0..900).map(|r| r % 2).collect()];
    let records = table(&[2, 3, 2], columns);
    let (tape, _) = asked(&method, &records, &zeros);
    let candidates = |tape: &[Answered]| -> Vec<usize> {
        let scores = |asked: &Query| match asked {
            Query::Choice { scores, .. } => Some(scores.len()),
            _ => None,
        };
        tape.iter().filter_map(|answered| scores(&answered.query)).collect()
    };
    // Beside nothing, the pair that is joined already and that of the outer ones.
    assert_eq!(candidates(&tape)[0], 3);
    assert_eq!(candidates(&asked(&method, &records, &Zeros::default()).0)[0], 4, "each by itself");
}

/// With ε = 10⁻⁶, ρ is 6.55·10⁻¹⁴: pairs and attributes get four tenths of it, d attributes of two values noise of d/(0.8ρ), at most 2⁴⁸.
#[test]
fn what_is_too_little_for_so_many_attributes_is_refused_at_once() {
    let method = method(InventedParams { epsilon: 1e-6, ..PARAMS });
    let refused =
        |attributes: usize| InventsRecords::refuse_unbearable(&method, &vec![2; attributes]).is_err();
    assert_eq!([refused(1), refused(14), refused(15), refused(19)], [false, false, true, true]);
}

/// A distribution over two attributes that are apart, and one in which the cell of both last values is impossible.
fn models() -> [Model; 2] {
    [false, true].map(|has_zeros| {
        let mut fit = Fit::new(vec![2, 3, 2]);
        for (set, counts) in [(0, vec![40.0, 80.0]), (1, vec![20.0, 40.0, 60.0]), (2, vec![90.0, 30.0])] {
            let variances = vec![1.0; counts.len()];
            fit.measure(velamen_marginals::Measurement { set: vec![set], counts, variances });
        }
        if has_zeros {
            fit.forbid(vec![0, 1], vec![false, false, false, false, false, true]);
        }
        fit.run(500, 1e-12, || Ok::<(), ()>(())).unwrap()
    })
}

/// M2: ‖M − μμ/N̂‖₁ − √(2/π)σn, each count of the model in units of 2⁻¹⁰.
#[test]
fn scores_are_distances_beyond_noise() {
    let records =
        table(&[2, 3, 2], vec![vec![0, 0, 1, 1, 1, 1], vec![0, 1, 2, 2, 2, 0], vec![1, 0, 0, 0, 1, 1]]);
    let codes = Codes::of(&records, &Node(vec![0; 3]));
    let law = law(Zcdp::units(1 << 58), 1).unwrap();
    assert_eq!(law.variance().to_f64(), 2.0);
    let [apart, joined] = models();
    // By the counts of the attributes, N̂ = 120; of what noise alone makes √(2/π)·√2·n.
    let noise = |cells: i64| (1024.0 * (4.0 / std::f64::consts::PI).sqrt() * cells as f64).round() as i64;
    let away = |counts: &[i64], expected: &[f64]| -> i64 {
        counts
            .iter()
            .zip(expected)
            .map(|(count, expected)| (count * 1024 - (expected * 1024.0).round() as i64).abs())
            .sum()
    };
    let found = scores(&codes, &apart, &[], (120.0, law), 6);
    let expected = [
        (
            vec![0, 1],
            away(&[1, 1, 0, 1, 0, 3], &[20.0 / 3.0, 40.0 / 3.0, 20.0, 40.0 / 3.0, 80.0 / 3.0, 40.0])
                - noise(6),
        ),
        (vec![0, 2], away(&[1, 1, 2, 2], &[30.0, 10.0, 60.0, 20.0]) - noise(4)),
        (vec![1, 2], away(&[0, 2, 1, 0, 2, 1], &[15.0, 5.0, 30.0, 10.0, 45.0, 15.0]) - noise(6)),
    ];
    assert_eq!(found, expected);
    // Only pairs of so many cells.
    assert_eq!(scores(&codes, &apart, &[], (120.0, law), 5), expected[1..2]);
    // Where combinations are impossible, the model's own counts of each pair.
    let found = scores(&codes, &joined, &across(&joined), (120.0, law), 6);
    let pair = joined.marginal(&vec![0, 1]).unwrap();
    assert_eq!(pair[5], 0.0);
    assert_eq!(found[0], (vec![0, 1], away(&[1, 1, 0, 1, 0, 3], &pair) - noise(6)));
}

/// Two distributions of N̂ records are 2N̂ apart at most: a pair whose noise is as large is never worth it.
#[test]
fn a_pair_is_worth_noise_below_twice_the_records() {
    let method = method(InventedParams { model_cells: 12, ..PARAMS });
    let law = law(Zcdp::units(1 << 58), 1).unwrap();
    let twelve = noise_expected(12, law) / 2.0;
    assert!((twelve - 12.0 / std::f64::consts::PI.sqrt()).abs() < 1e-9);
    let can = |sizes: &[usize], total: f64| method.can_be_worth(sizes, total, law);
    assert_eq!([can(&[3, 4], twelve), can(&[3, 4], twelve * 1.000_001)], [false, true]);
    // An attribute of one value tells nothing of another, and a pair of more than the model's cells is not measured.
    assert_eq!([can(&[1, 12], 1e9), can(&[12, 1], 1e9), can(&[13], 1e9), can(&[2, 7], 1e9)], [false; 4]);
    assert!(can(&[2, 7, 2], 1e9), "of three attributes the first and the last");
}
