//! What every release must be, read off its labels: by method, on random tables.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use velamen_core::frequency::Counted;
use velamen_core::plan::Plan;
use velamen_core::release::truthful::{TruthfulRow, truthful};
use velamen_core::release::{Release, SUPPRESSED, apply};
use velamen_measure::risk::minimality;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::FullDomain;
use velamen_search::method::h_ceiling::growth::no_models;
use velamen_search::method::h_ceiling::padding::Padding;
use velamen_search::method::h_ceiling::{
    Draw, HCeiling, HCeilingParams, Limits, Objective, Over, reconstruction_error,
};
use velamen_search::method::search::Budget;
use velamen_search::method::{MethodError, optimal};
use velamen_search::metric;
use velamen_search::metric::MetricOptions;
use velamen_search::metric::Reading;
use velamen_testsuite::{Case, Floor, bound, cases, on_threads, share, with_context};

/// A released record: class id, labels, sensitive value.
type Record = (Option<u64>, Vec<String>, String);

fn records(release: &Release) -> Vec<Record> {
    let mut records = Vec::new();
    for row in &release.rows {
        let suppressed = row.class == SUPPRESSED;
        let label = |(q, qi): (usize, &velamen_core::release::ReleasedAttribute)| match suppressed {
            true => "*".to_owned(),
            false => qi.label(release.class(row.class as usize)[q]).to_owned(),
        };
        let labels: Vec<String> = release.qis.iter().enumerate().map(label).collect();
        let value = release.rest.columns[0].values[release.rest.codes[0][row.rest as usize] as usize].clone();
        let id = (!suppressed).then(|| u64::from(row.class) + 1);
        records.extend(std::iter::repeat_n((id, labels, value), row.count as usize));
    }
    records
}

fn multiset<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, i64> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_insert(0) += 1;
    }
    counts
}

fn degree(case: &Case, node: &[u8], labels: &[String]) -> f64 {
    let cell =
        |q: usize| (case.leaves(q, node[q], &labels[q]) - 1.0) / (case.hierarchies[q].len() as f64 - 1.0);
    (0..case.qis()).map(cell).sum::<f64>() / case.qis() as f64
}

fn node(release: &Release) -> Vec<u8> {
    release.qis.iter().filter_map(|qi| qi.level).collect()
}

/// What an original record is released with: `*` where its class is suppressed.
fn released_labels(case: &Case, release: &Release, row: &[String]) -> Vec<String> {
    let labels = case.generalized(row, &node(release));
    let label = |class: usize, q: usize| release.qis[q].label(release.class(class)[q]).to_owned();
    let is = |class: usize| (0..labels.len()).all(|q| label(class, q) == labels[q]);
    match (0..release.sizes.len()).any(is) {
        true => labels,
        false => vec!["*".to_owned(); labels.len()],
    }
}

/// Released records less the generalized originals: what was added, and nothing taken away.
fn counterfeits(
    case: &Case,
    release: &Release,
) -> Result<BTreeMap<(Vec<String>, String), i64>, TestCaseError> {
    let mut added = multiset(records(release).into_iter().map(|(_, labels, value)| (labels, value)));
    for row in &case.rows {
        let key = (released_labels(case, release, row), row[case.qis()].clone());
        *added.entry(key).or_insert(0) -= 1;
    }
    prop_assert!(added.values().all(|&n| n >= 0), "an original record is missing");
    added.retain(|_, n| *n > 0);
    Ok(added)
}

/// RCE by its definition, record by record and cell by cell.
fn naive_rce(case: &Case, release: &Release, reading: Reading) -> f64 {
    let (node, released) = (node(release), records(release));
    let group_of = |id: u64| release.catalog.iter().filter(move |row| row.classes.contains(&id));
    let ids: BTreeMap<&Vec<String>, u64> =
        released.iter().filter_map(|(id, labels, _)| Some((labels, (*id)?))).collect();
    let record = |row: &Vec<String>| -> f64 {
        let (labels, value) = (case.generalized(row, &node), &row[case.qis()]);
        // A suppressed record is in no group.
        let id = ids.get(&labels).copied().unwrap_or(0);
        let entry = group_of(id).find(|entry| entry.value == *value);
        let p = entry.map_or(1.0, |entry| {
            let in_group = |r: &&Record| r.0.is_some_and(|id| entry.classes.contains(&id)) && r.2 == *value;
            1.0 - entry.count as f64 / released.iter().filter(in_group).count() as f64
        });
        let width = |q: usize| match id {
            0 => case.hierarchies[q].len() as f64,
            _ => case.leaves(q, node[q], &labels[q]),
        };
        let widths: Vec<f64> = (0..case.qis()).map(width).collect();
        let cell = |w: f64| 1.0 - 2.0 * p / w + p * p / w;
        match reading {
            Reading::Marginal => widths.iter().map(|&w| cell(w)).sum::<f64>() + (1.0 - p) * (1.0 - p),
            Reading::Joint => cell(widths.iter().product()),
        }
    };
    case.rows.iter().map(record).sum()
}

/// Lemma 1 by its text, with the counterfeits' true places.
fn lemma_1(release: &Release, added: &BTreeMap<(Vec<String>, String), i64>) -> bool {
    let released = multiset(records(release).into_iter().map(|(_, labels, value)| (labels, value)));
    let labels_of: BTreeMap<u64, Vec<String>> =
        records(release).into_iter().filter_map(|(id, labels, _)| Some((id?, labels))).collect();
    added.iter().all(|((labels, value), count)| {
        let group = release
            .catalog
            .iter()
            .find(|row| row.value == *value && row.classes.iter().any(|id| labels_of[id] == *labels));
        group.is_some_and(|group| {
            let others = group.classes.iter().map(|id| &labels_of[id]).filter(|other| *other != labels);
            let real = |other: &Vec<String>| {
                let key = (other.clone(), value.clone());
                released.get(&key).unwrap_or(&0) - added.get(&key).unwrap_or(&0)
            };
            others.map(real).sum::<i64>() >= *count
        })
    })
}

fn truthful_rows(release: &Release) -> (Vec<TruthfulRow>, Vec<(Vec<String>, String)>) {
    let mut rows = Vec::new();
    for (record, count) in multiset(records(release)) {
        let values = &release.rest.columns[0].values;
        let sensitive = values.iter().position(|value| *value == record.2).unwrap() as u32;
        rows.push((TruthfulRow { class: record.0, sensitive, count: count as u64 }, (record.1, record.2)));
    }
    rows.into_iter().unzip()
}

/// Few counterfeits, and some records of classes with one real record suppressed.
const LIMITS: Limits = Limits { counterfeits: 0.3, suppressed: 0.2, least_real: 2 };

fn params() -> impl Strategy<Value = HCeilingParams> {
    let h = proptest::option::of(0.0..1.0);
    let padding = prop_oneof![Just(Padding::Random), Just(Padding::Exact)];
    let draw = prop_oneof![Just(Draw::Near), Just(Draw::Empirical), Just(Draw::Uniform)];
    let group_classes = prop_oneof![Just(2u64), Just(4), Just(100)];
    let rce = prop_oneof![Just(Reading::Marginal), Just(Reading::Joint)];
    let limits = prop_oneof![Just(Limits::default()), Just(LIMITS)];
    let objective = prop_oneof![Just(Objective::Rce), Just(Objective::Loss), Just(Objective::Counterfeits)];
    let over = prop_oneof![Just(Over::Original), Just(Over::Released)];
    let of_search = (limits, objective, over);
    (2u64..5, h, padding, draw, rce, group_classes, of_search).prop_map(|all| {
        let (k, h, padding, draw, rce, group_classes, (limits, objective, rce_over)) = all;
        let most = HCeilingParams { objective, limits, ..HCeilingParams::default() };
        HCeilingParams { k, h, padding, draw, rce, rce_over, group_classes, ..most }
    })
}

fn h_ceiling(case: &Case, params: HCeilingParams, seed: u64) -> Result<(Plan, Release), MethodError> {
    let table = case.table();
    with_context(seed, |context| {
        let (plan, _) =
            HCeiling::try_from(params).unwrap().plan(&table, &table.lattice(), &no_models, context)?;
        let (release, _) = apply(&table, &plan, context.seed);
        Ok((plan, release))
    })
}

static KEPT: Floor = Floor::new();

static THREADED: Floor = Floor::new();

static BEST: Floor = Floor::new();

static TURNED: Floor = Floor::new();

static WITHIN: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(256)))]

    fn h_ceiling_keeps_what_it_promises_each(case in cases(4..60), params in params(), seed in 0u64..1000) {
        let values: BTreeSet<&String> = case.rows.iter().map(|row| &row[case.qis()]).collect();
        KEPT.begin();
        let (plan, release) = match h_ceiling(&case, params, seed) {
            Ok(done) => done,
            Err(MethodError::Unfit(_)) => { prop_assert!(values.len() < 2); return Ok(()) }
            Err(error) => { prop_assert!(matches!(error, MethodError::Infeasible(_)), "{error}"); return Ok(()) }
        };
        KEPT.real();
        let released = records(&release);
        let node = node(&release);
        for (_, size) in multiset(released.iter().filter_map(|r| r.0)) {
            prop_assert!(size as u64 >= params.k);
        }
        if let Some(h) = params.h {
            let classed = |record: &&Record| record.0.is_some();
            prop_assert!(released.iter().filter(classed).all(|r| degree(&case, &node, &r.1) <= h + 1e-9));
        }
        let limits = params.limits;
        let real = multiset(case.rows.iter().map(|row| case.generalized(row, &node)));
        let few = real.values().filter(|&&n| (n as u64) < limits.least_real).sum::<i64>() as u64;
        prop_assert_eq!(release.suppressed, few, "who is suppressed");
        prop_assert!(few as f64 <= limits.suppressed * case.rows.len() as f64 + 1e-6);
        prop_assert!(release.counterfeits() as f64 <= limits.counterfeits * released.len() as f64 + 1e-6);
        let added = counterfeits(&case, &release)?;
        prop_assert_eq!(added.values().sum::<i64>() as u64, release.counterfeits());
        prop_assert!(added.keys().all(|(_, value)| values.contains(value)));
        prop_assert!(lemma_1(&release, &added));
        let ids: Vec<u64> = release.catalog.iter().flat_map(|row| row.classes.to_vec()).collect::<BTreeSet<_>>().into_iter().collect();
        let groups: BTreeSet<&[u64]> = release.catalog.iter().map(|row| &row.classes[..]).collect();
        prop_assert_eq!(groups.iter().map(|g| g.len()).sum::<usize>(), ids.len(), "groups overlap");
        if params.padding == Padding::Random {
            let largest = HCeiling::try_from(params).unwrap().largest_padded();
            prop_assert_eq!(minimality::attack(&release, params.k, largest, None).located, 0);
            let can_hold = |id: &u64| release.sizes[*id as usize - 1] <= largest;
            let all = (1..=release.sizes.len() as u64).filter(can_hold).count();
            for group in &groups {
                let holding = group.iter().filter(|id| can_hold(id)).count();
                prop_assert!(holding >= all.min(params.group_classes as usize), "a group of {holding} of {all} classes");
            }
        }
        let table = case.table();
        let rce = reconstruction_error(&table, &plan, params.rce);
        prop_assert!((rce - naive_rce(&case, &release, params.rce)).abs() < 1e-6 * (1.0 + rce));
        prop_assert!(released.iter().filter_map(|r| r.0).is_sorted(), "not in class order");

        let (rows, contents) = truthful_rows(&release);
        let left = truthful(&rows, &release.catalog, &release.rest.columns[0].values);
        let total: u64 = left.iter().map(|r| r.kept + r.suppressed).sum();
        prop_assert_eq!(total, case.rows.len() as u64);
        let originals = multiset(case.rows.iter().map(|row| (released_labels(&case, &release, row), row[case.qis()].clone())));
        for (content, left) in contents.iter().zip(&left) {
            prop_assert!(left.kept as i64 <= originals.get(content).copied().unwrap_or(0), "a counterfeit is left");
        }
    }

    fn h_ceiling_finds_the_best_of_all_nodes_each(case in cases(4..60), params in params(), seed in 0u64..1000) {
        let (table, method) = (case.table(), HCeiling::try_from(params).unwrap());
        let both = with_context(seed, |context| {
            let best = method.plan(&table, &table.lattice(), &no_models, context).map(|(_, found)| found.best);
            method.survey(&table, &no_models, context).map(|all| (best, all))
        });
        BEST.begin();
        let Ok((best, all)) = both else { return Ok(()) };
        let least = all.iter().map(|node| node.figure).filter(|figure| figure.is_finite()).reduce(f64::min);
        match (best, least) {
            (Ok(best), Some(least)) => { BEST.real(); prop_assert!((best.figure - least).abs() < 1e-9 * (1.0 + least)); }
            (Err(MethodError::Infeasible(_)), None) => {}
            other => prop_assert!(false, "{other:?}"),
        }
    }

    fn h_ceiling_is_the_same_on_any_number_of_threads_each(case in cases(4..40), params in params(), seed in 0u64..1000) {
        let [one, two] = [1, 2].map(|threads| on_threads(threads, || h_ceiling(&case, params, seed)));
        THREADED.begin();
        match (one, two) {
            (Ok((_, one)), Ok((_, two))) => {
                THREADED.real();
                prop_assert_eq!(one.rows, two.rows);
                prop_assert_eq!(one.catalog, two.catalog);
            }
            (one, two) => prop_assert_eq!(one.err(), two.err()),
        }
    }

    fn h_ceiling_does_not_see_the_order_of_rows_each(case in cases(4..40), params in params(), seed in 0u64..1000) {
        let mut turned = case.clone();
        turned.rows.reverse();
        TURNED.begin();
        match (h_ceiling(&case, params, seed), h_ceiling(&turned, params, seed)) {
            (Ok((_, one)), Ok((_, two))) => {
                TURNED.real();
                prop_assert_eq!(records(&one), records(&two));
            }
            (one, two) => prop_assert_eq!(one.err(), two.err()),
        }
    }

    fn optimal_releases_ancestors_and_suppresses_within_the_limit_each(case in cases(2..40), k in 2u64..5, limit in 0.0..1.0) {
        let table = case.table();
        let models = [bound("k-anonymity", &serde_json::json!({ "k": k }), &table)];
        let most_outliers = (limit * case.rows.len() as f64) as u64;
        let loss = (metric::find("loss").unwrap().bind)(&Counted::of(&table), &MetricOptions::default());
        let demand = Demand { models: &models, metric: &*loss, most_outliers, outliers: Outliers::Suppress, assume_monotone: false, hidden: None };
        let task = FullDomain { demand, lattice: None, strategy: optimal::STRATEGY, budget: Budget::default() };
        WITHIN.begin();
        let Ok((plan, _)) = with_context(0, |c| task.plan(&table, c)) else { return Ok(()) };
        WITHIN.real();
        let (release, _) = with_context(0, |c| apply(&table, &plan, c.seed));
        prop_assert!(release.suppressed <= most_outliers);
        prop_assert_eq!(release.records(), case.rows.len() as u64);
        for (id, size) in multiset(records(&release).into_iter().map(|r| r.0)) {
            prop_assert!(id.is_none() || size as u64 >= k);
        }
        let node = node(&release);
        let mut kept = multiset(records(&release).into_iter().filter(|r| r.0.is_some()).map(|r| (r.1, r.2)));
        for row in &case.rows {
            *kept.entry((case.generalized(row, &node), row[case.qis()].clone())).or_insert(0) -= 1;
        }
        prop_assert!(kept.values().all(|&n| n <= 0), "a released record has no original");
    }
}

#[test]
fn optimal_releases_ancestors_and_suppresses_within_the_limit() {
    optimal_releases_ancestors_and_suppresses_within_the_limit_each();
    WITHIN.at_least(80);
}

#[test]
fn h_ceiling_does_not_see_the_order_of_rows() {
    h_ceiling_does_not_see_the_order_of_rows_each();
    TURNED.at_least(80);
}

#[test]
fn h_ceiling_finds_the_best_of_all_nodes() {
    h_ceiling_finds_the_best_of_all_nodes_each();
    BEST.at_least(80);
}

#[test]
fn h_ceiling_is_the_same_on_any_number_of_threads() {
    h_ceiling_is_the_same_on_any_number_of_threads_each();
    THREADED.at_least(80);
}

#[test]
fn h_ceiling_keeps_what_it_promises() {
    h_ceiling_keeps_what_it_promises_each();
    KEPT.at_least(80);
}
