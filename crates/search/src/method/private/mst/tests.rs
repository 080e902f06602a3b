use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest, Strays};
use velamen_core::hierarchy::{Definition, Rule};
use velamen_core::release::Release;
use velamen_dp::{Seed, below};

use super::*;

mod asked;

const PARAMS: InventedParams =
    InventedParams { epsilon: 1.0, delta: 1e-9, model_cells: 1 << 20, records_per_person: 1 };

fn method(params: InventedParams) -> Mst {
    Mst::try_from(params).unwrap()
}

fn qi(name: &str, size: usize) -> QuasiIdentifier {
    let rows = (0..size).map(|value| vec![format!("{value}"), "*".to_owned()]).collect();
    let rule = Rule::try_from(&Definition::Table { rows }).unwrap();
    let (_, hierarchy) = rule.over(rule.whole_domain(1 << 20).unwrap(), false);
    QuasiIdentifier { name: name.into(), hierarchy }
}

/// A table of these columns of codes, each with so many values.
pub(in crate::method::private) fn table(sizes: &[usize], columns: Vec<Vec<u32>>) -> FrequencyTable {
    let records = columns.first().map_or(0, Vec::len);
    FrequencyTable {
        qis: sizes.iter().enumerate().map(|(number, &size)| qi(&format!("q{number}"), size)).collect(),
        rest: Rest { len: 1, ..Rest::default() },
        codes: columns,
        rest_index: vec![0; records],
        counts: vec![1; records],
        population: None,
        strays: Strays::default(),
    }
}

/// Records of five attributes: 1 follows 0, 2 follows 1, 3 and 4 follow nothing; 4 has rare values.
pub(in crate::method::private) fn sample(records: usize) -> FrequencyTable {
    let mut stream = Seed::from_number(5).stream(0);
    let mut columns = vec![Vec::new(); 5];
    for _ in 0..records {
        let first = below(&mut stream, 6) as u32;
        let second = if below(&mut stream, 10) < 8 { first / 2 } else { below(&mut stream, 3) as u32 };
        let third = if below(&mut stream, 10) < 9 { second } else { below(&mut stream, 4) as u32 };
        let rare = if below(&mut stream, 100) < 98 { 0 } else { 1 + below(&mut stream, 49) as u32 };
        let record = [first, second, third, below(&mut stream, 2) as u32, rare];
        columns.iter_mut().zip(record).for_each(|(column, value)| column.push(value));
    }
    table(&[6, 3, 4, 2, 50], columns)
}

/// What `run` gives in a context of that seed.
pub(in crate::method::private) fn in_context<T>(seed: u64, run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

fn plan(method: &Mst, table: &FrequencyTable, seed: u64) -> Result<InventedRelease, MethodError> {
    in_context(seed, |context| method.plan(table, &Node(vec![0; table.qis.len()]), context))
}

/// Released records by labels of two attributes.
fn pair(release: &Release, a: usize, b: usize, sizes: (usize, usize)) -> Vec<f64> {
    let mut counts = vec![0.0; sizes.0 * sizes.1];
    for (class, &size) in release.sizes.iter().enumerate() {
        let value = |q: usize| release.qis[q].label(release.class(class)[q]).parse::<usize>().unwrap();
        counts[value(a) * sizes.1 + value(b)] += size as f64;
    }
    counts
}

#[test]
fn records_follow_the_pairs_that_depend() {
    let table = sample(20_000);
    let made = plan(&method(PARAMS), &table, 1).unwrap();
    let pairs: Vec<&[String]> = made.measurements.tables.iter().map(|table| &table.attributes[..]).collect();
    assert!(pairs.contains(&&["q0".to_owned(), "q1".to_owned()][..]), "{pairs:?}");
    assert!(pairs.contains(&&["q1".to_owned(), "q2".to_owned()][..]), "{pairs:?}");
    assert_eq!(made.measurements.choices.len(), 4);
    assert!((made.release.records() as f64 - 20_000.0).abs() < 200.0, "{}", made.release.records());
    for (a, b) in [(0, 1), (1, 2), (0, 3)] {
        let sizes = (table.qis[a].hierarchy.width(0), table.qis[b].hierarchy.width(0));
        let mut counts = vec![0.0; sizes.0 * sizes.1];
        for record in 0..table.len() {
            counts[table.codes[a][record] as usize * sizes.1 + table.codes[b][record] as usize] += 1.0;
        }
        let released = pair(&made.release, a, b, sizes);
        let away: f64 = counts.iter().zip(&released).map(|(real, released)| (real - released).abs()).sum();
        assert!(away / 40_000.0 < 0.02, "{a} {b}: {away}");
    }
}

#[test]
fn costs_are_within_rho_and_use_nearly_all_of_it() {
    // Of persons with so many records, and where pairs are chosen and where none is.
    for (most, records) in [(1, 5000), (3, 20_000), (3, 100)] {
        let method = method(InventedParams { records_per_person: most, ..PARAMS });
        let made = plan(&method, &sample(records), 2).unwrap().measurements;
        let tables = made.alone.iter().chain(&made.tables);
        let tables = tables.map(|table| Zcdp::of_noise(most, table.variance().unwrap()).unwrap().as_units());
        let choices = made.choices.iter().map(|c| Zcdp::of_choice(c.epsilon().unwrap()).unwrap().as_units());
        let (spent, rho) = (tables.chain(choices).sum::<u128>() as f64, method.rho().as_units() as f64);
        assert!(spent <= rho && spent > 0.999 * rho, "{most}, {records}: {spent} {rho}");
        assert_eq!(made.tables.iter().all(|table| table.attributes.len() == 1), records == 100, "{records}");
        assert!(records > 100 || made.merged.is_empty(), "values are apart where no pair is measured");
    }
    assert_eq!(method(PARAMS).spent().len(), 1);
}

#[test]
fn what_buys_no_noise_is_refused_before_anything_is_looked_at() {
    let method = method(InventedParams { epsilon: 1e-12, ..PARAMS });
    assert!(plan(&method, &sample(10), 1).is_err() && plan(&method, &sample(0), 1).is_err());
}

#[test]
fn one_seed_gives_one_release_and_another_another() {
    let (method, table) = (method(PARAMS), sample(3000));
    let of = |seed| {
        let made = plan(&method, &table, seed).unwrap();
        (made.measurements, made.release.codes, made.release.sizes)
    };
    assert_eq!(of(3), of(3));
    assert_ne!(of(3), of(4));
}

#[test]
fn odd_tables_give_releases() {
    for epsilon in [0.01, 1.0, 1e6] {
        let method = method(InventedParams { epsilon, ..PARAMS });
        let empty = plan(&method, &table(&[3, 2], vec![Vec::new(), Vec::new()]), 5).unwrap();
        assert_eq!(empty.measurements.alone.len(), 2);
        let alone = plan(&method, &table(&[3], vec![vec![0; 500]]), 5).unwrap();
        assert!(alone.measurements.choices.is_empty() && alone.measurements.tables.len() == 1);
        let same = plan(&method, &table(&[2, 2], vec![vec![1; 100], vec![0; 100]]), 5).unwrap();
        assert_eq!(same.measurements.alone.len(), 2);
    }
    let many = (0..40).map(|q| (0..300).map(|record| (record * (q + 1)) % 2).collect()).collect();
    assert_eq!(plan(&method(PARAMS), &table(&[2; 40], many), 6).unwrap().measurements.choices.len(), 39);
}

#[test]
fn with_much_budget_it_is_nearly_the_table() {
    let table = sample(2000);
    let made = plan(&method(InventedParams { epsilon: 1e6, ..PARAMS }), &table, 7).unwrap();
    assert_eq!(made.release.records(), 2000);
}

/// The noisy count of nobody's value says how wide noise is.
#[test]
fn noise_has_the_stated_variance() {
    let method = method(PARAMS);
    let table = table(&[2000, 2], vec![vec![0; 10], vec![0; 10]]);
    let made = plan(&method, &table, 8).unwrap().measurements;
    let counts = made.alone[0].counts().unwrap();
    let variance = made.alone[0].variance().unwrap().to_f64();
    let mean = counts[1..].iter().map(|&count| (count * count) as f64 / variance).sum::<f64>() / 1999.0;
    // The square of a normal number has the variance 2: P(|Z| > 4.5) = 7e-6.
    assert!((mean - 1.0).abs() < 4.5 * (2.0f64 / 1999.0).sqrt(), "{mean}");
}

/// One record changes no count and no score by more than is paid for, whatever the table.
#[test]
fn sensitivities_by_brute_force() {
    let whole = sample(60);
    let law = law(Zcdp::units(1 << 50), 1).unwrap();
    let codes = Codes::of(&whole, &Node(vec![0; 5]));
    let mut fit = Fit::new(codes.sizes.clone());
    for attribute in 0..5 {
        let counts = vec![12.0; codes.sizes[attribute]];
        fit.measure(velamen_marginals::Measurement {
            set: vec![attribute],
            variances: vec![9.0; counts.len()],
            counts,
        });
    }
    let model = fit.run(50, 1e-9, || Ok::<(), ()>(())).unwrap();
    let all = scores(&codes, &model, &[], (fit.total(), law), 1 << 20);
    for left_out in 0..60 {
        let mut without = whole.clone();
        without.counts[left_out] = 0;
        let less = Codes::of(&without, &Node(vec![0; 5]));
        for set in [vec![0], vec![4], vec![0, 1], vec![2, 4]] {
            let squares: i64 =
                codes.counts(&set).iter().zip(less.counts(&set)).map(|(a, b)| (a - b) * (a - b)).sum();
            assert!(squares <= 1, "{set:?}");
        }
        let fewer = scores(&less, &model, &[], (fit.total(), law), 1 << 20);
        for ((pair, score), (_, other)) in all.iter().zip(&fewer) {
            assert!(score.abs_diff(*other) <= 1 << 10, "{pair:?}");
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |params: InventedParams| Mst::try_from(params).unwrap_err().to_string();
    assert!(refused(InventedParams { delta: 0.0, ..PARAMS }).contains("delta = 0"));
    assert!(refused(InventedParams { epsilon: 0.0, ..PARAMS }).contains("no budget"));
    assert!(refused(InventedParams { model_cells: 0, ..PARAMS }).contains("model-cells"));
    let tiny = method(InventedParams { epsilon: 1e-7, ..PARAMS });
    assert!(matches!(plan(&tiny, &sample(10), 9), Err(MethodError::Unfit(_))));
    let narrow = method(InventedParams { model_cells: 10, ..PARAMS });
    assert!(matches!(plan(&narrow, &sample(10), 9), Err(MethodError::Unfit(_))));
}

#[test]
fn nothing_is_paid_for_draws_that_cannot_choose() {
    // Values of 400 records and more, but pairs of ten.
    let columns = [40, 50].map(|size| (0..20_000).map(|record| record * 7 % size).collect());
    let params = InventedParams { epsilon: 0.2, ..PARAMS };
    let made = plan(&method(params), &table(&[40, 50], columns.to_vec()), 1).unwrap();
    assert!(made.measurements.choices.is_empty());
    // Half of the budget first, and the other half.
    let variances = |tables: &[velamen_contract::MeasuredTable]| -> Vec<_> {
        tables.iter().map(|table| table.variance()).collect()
    };
    assert_eq!(variances(&made.measurements.alone), variances(&made.measurements.tables));
}
