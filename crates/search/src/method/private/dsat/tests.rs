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
        method
            .budget
            .steps()
            .iter()
            .map(|s| format!("{} {} {}", s.step, s.loss.epsilon, s.loss.delta))
            .collect()
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

/// A register of 5,000 people, each with a record in each of 12 months: ten ages by two sexes by three diseases. A hundredth of the people
/// get another disease in a month, and in the seventh a third of all get the third one.
mod register {
    use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role, Strays};
    use velamen_core::hierarchy::{Definition, Rule};
    use velamen_dp::below;

    use super::*;

    const PEOPLE: usize = 5000;
    const MONTHS: u32 = 12;
    /// The month in which much changes, from 0.
    pub(super) const CHANGE: u32 = 6;

    fn qi(name: &str, most: f64) -> QuasiIdentifier {
        let of = Definition::Interval { interval: vec![most + 1.0], min: 0.0, max: most, decimals: 0 };
        let rule = Rule::try_from(&of).unwrap();
        let (_, hierarchy) = rule.over(rule.whole_domain(100).unwrap(), false);
        QuasiIdentifier { name: name.into(), hierarchy }
    }

    pub(super) fn table(seed: u64) -> FrequencyTable {
        let mut stream = Seed::from_number(seed).stream(7);
        let mut draw = |bound: u64| below(&mut stream, bound) as u32;
        let mut people: Vec<[u32; 3]> = (0..PEOPLE).map(|_| [draw(10), draw(2), draw(4) % 3]).collect();
        let mut counts: BTreeMap<[u32; 4], u64> = BTreeMap::new();
        for month in 0..MONTHS {
            for person in &mut people {
                let much = month == CHANGE && draw(3) == 0;
                if month > 0 && draw(100) == 0 {
                    person[2] = draw(3);
                }
                person[2] = if much { 2 } else { person[2] };
                *counts.entry([month, person[0], person[1], person[2]]).or_default() += 1;
            }
        }
        let column = |place: usize| counts.keys().map(|key| key[place]).collect::<Vec<u32>>();
        let values = ["d0", "d1", "d2"].map(String::from).to_vec();
        let disease = RestColumn { name: "disease".into(), role: Role::Sensitive, values };
        FrequencyTable {
            qis: vec![qi("month", 11.0), qi("age", 9.0), qi("sex", 1.0)],
            rest: Rest { columns: vec![disease], codes: vec![vec![0, 1, 2]], len: 3 },
            codes: vec![column(0), column(1), column(2)],
            rest_index: column(3),
            counts: counts.into_values().collect(),
            population: None,
            strays: Strays::default(),
        }
    }

    /// Σ |released − true| over all cells, as a share of the records.
    pub(super) fn error(table: &FrequencyTable, release: &velamen_core::release::Release) -> f64 {
        let number = |label: &str| label.parse::<u32>().unwrap();
        let mut off: BTreeMap<[u32; 4], i64> = BTreeMap::new();
        for (entry, &count) in table.counts.iter().enumerate() {
            let at = [0, 1, 2].map(|q| table.codes[q][entry]);
            *off.entry([at[0], at[1], at[2], table.rest_index[entry]]).or_default() -= count as i64;
        }
        for row in &release.rows {
            let class = release.class(row.class as usize);
            let at = [0, 1, 2].map(|q: usize| number(release.qis[q].label(class[q])));
            *off.entry([at[0], at[1], at[2], row.rest]).or_default() += row.count as i64;
        }
        off.values().map(|off| off.unsigned_abs()).sum::<u64>() as f64 / table.records() as f64
    }
}

/// What a series of one ε comes to.
struct Measured {
    errors: Vec<f64>,
    /// Those of series in which the month of the change has a histogram that was drawn in it or later.
    seen: Vec<f64>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn measured(epsilon: f64, threshold: Option<f64>, adaptation: f64, seeds: u64) -> Measured {
    let (mut errors, mut seen) = (Vec::new(), Vec::new());
    for seed in 0..seeds {
        let table = register::table(seed);
        let params = DsatParams {
            epsilon,
            time: "month".into(),
            threshold,
            adaptation,
            distances_share: 0.2,
            ..params()
        };
        let found = run(params, &table, &[0, 0, 0], seed);
        let error = register::error(&table, &found.made.release);
        let late = |of: &str| of.parse::<u32>().unwrap() >= register::CHANGE;
        errors.push(error);
        if late(&found.histograms[register::CHANGE as usize + 1].1) {
            seen.push(error);
        }
    }
    Measured { errors, seen }
}

/// The error falls as ε rises wherever the great change gets a histogram of its own; where all histograms are drawn before it, the old one
/// stands to the end at any ε. So the mean of a few series follows how many these are.
#[test]
fn more_budget_loses_less_where_the_change_is_seen() {
    let seeds = std::env::var_os("VELAMEN_NIGHTLY").map_or(12, |_| 200);
    let mut seen = Vec::new();
    for epsilon in [0.5, 1.0, 2.0, 4.0] {
        for (threshold, adaptation) in [(None, 0.1), (None, 0.0), (Some(1500.0), 0.1), (Some(1500.0), 0.0)] {
            let found = measured(epsilon, threshold, adaptation, seeds);
            println!(
                "ε {epsilon}, threshold {threshold:?}, adaptation {adaptation}: {:.3}; seen in {} of {seeds}: {:.3}",
                mean(&found.errors),
                found.seen.len(),
                mean(&found.seen)
            );
            if threshold.is_some() && adaptation == 0.0 {
                assert_eq!(found.seen.len() as u64, seeds, "ε {epsilon}");
                seen.push(mean(&found.seen));
            }
        }
    }
    assert!(seen.windows(2).all(|pair| pair[1] < pair[0]), "{seen:?}");
}
