use velamen_dp::Seed;

use super::super::ipa::private::tests::{context, table};
use super::*;

fn params() -> DsatParams {
    DsatParams {
        epsilon: 2.0,
        delta: 0.0,
        time: "age".into(),
        most_histograms: 3,
        distances_share: 0.25,
        threshold: Some(10.0),
        adaptation: 0.0,
        least_count: 1,
    }
}

fn run(params: DsatParams, table: &FrequencyTable, node: &[u8], seed: u64) -> HistogramSeries {
    let seed = Seed::from_number(seed);
    let method = Dsat::try_from(params).unwrap();
    context(|context| method.plan(table, &Node(node.to_vec()), &Context { seed: &seed, ..*context }).unwrap())
}

fn stands(found: &HistogramSeries) -> String {
    found.histograms.iter().map(|(_, of)| of.as_str()).collect::<Vec<_>>().join(" ")
}

/// Times 0 to 9 (the ages); the two sexes by three diseases are the cells.
fn series(changes: &[(u32, u64)]) -> FrequencyTable {
    let count = |time: u32| changes.iter().rfind(|(from, _)| *from <= time).map_or(0, |change| change.1);
    let records: Vec<(u32, u32, u32, u64)> = (0..10).map(|time| (time, 0, 0, count(time))).collect();
    table(&records)
}

/// Almost without noise: a histogram stands until the records change by the threshold, and there are no more than asked for.
#[test]
fn a_histogram_stands_until_the_records_change() {
    let quiet = DsatParams { epsilon: 4000.0, ..params() };
    let table = series(&[(0, 50), (2, 58), (4, 60), (7, 90)]);
    let found = run(quiet.clone(), &table, &[0, 0], 1);
    assert_eq!(stands(&found), "0 0 0 0 4 4 4 7 7 7");
    let counts: Vec<u64> = found.made.release.rows.iter().map(|row| row.count).collect();
    assert_eq!(counts, [50, 50, 50, 50, 60, 60, 60, 90, 90, 90]);
    assert_eq!((found.made.stated.cells, found.made.original.released_cells), (60, 10));
    let two = run(DsatParams { most_histograms: 2, ..quiet.clone() }, &table, &[0, 0], 1);
    assert_eq!(stands(&two), "0 0 0 0 4 4 4 4 4 4");
    let one = run(DsatParams { most_histograms: 1, ..quiet.clone() }, &table, &[0, 0], 1);
    assert_eq!(stands(&one), "0 0 0 0 0 0 0 0 0 0");
    // Two halves of the times, and the cells of each.
    let halves = run(quiet, &table, &[1, 1], 1);
    assert_eq!(halves.histograms.len(), 2);
    assert_eq!(halves.histograms[1], ("[5-9]".to_owned(), "[5-9]".to_owned()));
}

/// One histogram in ten times is asked for beyond the first: the threshold falls until one is drawn.
#[test]
fn the_threshold_adapts_to_the_pace() {
    let table = series(&[(0, 50), (2, 55)]);
    let still = DsatParams { epsilon: 4000.0, ..params() };
    assert_eq!(stands(&run(still.clone(), &table, &[0, 0], 1)), "0 0 0 0 0 0 0 0 0 0");
    let moving = DsatParams { adaptation: 1.0, ..still };
    // 10 + 6.7 + 1.1 − 1.7 − 3.3 − 4.4 − 5.2 = 3.1 at the seventh time, where the distance is 5; then 3.1 − 1.7 − 2.6 < 0.
    assert_eq!(stands(&run(moving, &table, &[0, 0], 1)), "0 0 0 0 0 0 6 6 8 8");
}

#[test]
fn the_budget_is_split_exactly() {
    let steps = |params| -> Vec<String> {
        let method = Dsat::try_from(params).unwrap();
        method.spent().iter().map(|s| format!("{} {} {}", s.step, s.loss.epsilon, s.loss.delta)).collect()
    };
    assert_eq!(steps(params()), ["distances 1/2 0", "cells 3/2 0"]);
    assert_eq!(steps(DsatParams { delta: 1e-5, ..params() }), ["distances 1/2 0", "cells 3/2 1/100000"]);
    assert_eq!(steps(DsatParams { most_histograms: 1, ..params() }), ["cells 2 0"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |params: DsatParams, key: &str| {
        let problem = Dsat::try_from(params).unwrap_err();
        assert!(problem.text().contains(key), "{problem}");
    };
    refused(DsatParams { epsilon: 0.0, ..params() }, "epsilon");
    refused(DsatParams { most_histograms: 0, ..params() }, "most-histograms");
    refused(DsatParams { most_histograms: u64::MAX, ..params() }, "most-histograms");
    refused(DsatParams { distances_share: 1.0, ..params() }, "distances-share");
    refused(DsatParams { threshold: Some(-1.0), ..params() }, "threshold");
    refused(DsatParams { threshold: Some(f64::NAN), ..params() }, "threshold");
    refused(DsatParams { adaptation: f64::INFINITY, ..params() }, "adaptation");
    refused(DsatParams { delta: 0.1, threshold: None, ..params() }, "threshold");
    refused(DsatParams { least_count: 0, ..params() }, "least-count");
    let other = Dsat::try_from(DsatParams { time: "year".into(), ..params() }).unwrap();
    let found = context(|context| other.plan(&table(&[]), &Node(vec![0, 0]), context)).unwrap_err();
    assert!(matches!(&found, MethodError::Unfit(problem) if problem.text().contains("year")), "{found:?}");
}

/// Each histogram has noise of its own; what is repeated is repeated as it is.
#[test]
fn histograms_have_noise_of_their_own() {
    let table = series(&[(0, 200), (5, 900)]);
    let found = run(DsatParams { epsilon: 6.0, threshold: Some(400.0), ..params() }, &table, &[0, 0], 3);
    assert_eq!(stands(&found), "0 0 0 0 0 5 5 5 5 5");
    let release = &found.made.release;
    let mut by_time: BTreeMap<String, Vec<(String, u32, u64)>> = BTreeMap::new();
    for row in &release.rows {
        let class = release.class(row.class as usize);
        let sex = release.qis[1].label(class[1]).to_owned();
        by_time
            .entry(release.qis[0].label(class[0]).to_owned())
            .or_default()
            .push((sex, row.rest, row.count));
    }
    assert_eq!((by_time["0"] == by_time["4"], by_time["5"] == by_time["9"]), (true, true));
    assert_ne!(by_time["0"], by_time["5"]);
}

/// With ε₁ = ½ and one histogram to draw beyond the first, a record more in a snapshot moves the chance of a new one by less than
/// e^ε: 4000 runs each, whose frequencies differ by 4.5 standard deviations at most with probability 7e-6.
#[test]
fn a_new_histogram_is_as_likely_as_noise_says() {
    const RUNS: u64 = 4000;
    let table = series(&[(0, 500), (1, 510)]);
    let noisy = DsatParams {
        epsilon: 16.0,
        most_histograms: 2,
        threshold: Some(10.0),
        distances_share: 0.25,
        ..params()
    };
    let differs = (0..RUNS).filter(|&seed| {
        let found = run(noisy.clone(), &table, &[0, 1], seed);
        found.histograms[1].1 == "1"
    });
    // Threshold noise of ε = 2, distance noise of 2/2; the first histogram has noise of (16 − 4)/2 = 6, nearly none.
    let of = |a: f64, x: i32| (1.0 - a) / (1.0 + a) * a.powi(x.abs());
    let (shift, distance, cells) = ((-2.0f64).exp(), (-1.0f64).exp(), (-6.0f64).exp());
    let mut expected = 0.0;
    for s in -30..=30 {
        for d in -60..=60 {
            for c in -4..=4i32 {
                let moved = 10 - c;
                if moved.abs() + d >= 10 + s {
                    expected += of(shift, s) * of(distance, d) * of(cells, c);
                }
            }
        }
    }
    let share = differs.count() as f64 / RUNS as f64;
    // Of the two empty cells of noise alone at most 0.5 % are released, and only they are left out above.
    assert!((share - expected).abs() < 4.5 * 0.5 / (RUNS as f64).sqrt() + 0.006, "{share} {expected}");
}
