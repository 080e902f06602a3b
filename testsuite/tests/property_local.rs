//! What every release of a local recoding must be, on random tables.

#![allow(clippy::unwrap_used, reason = "a failing test may panic")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_core::method::MethodError;
use velamen_core::method::best_first::Budget;
use velamen_core::method::evaluate::{Demand, Outliers};
use velamen_core::method::full_domain::{FullDomain, Strategy as Search};
use velamen_core::method::local_recoding::{Levels, LocalRecoding};
use velamen_core::method::mondrian::{Mondrian, Partitioning};
use velamen_core::metric::{self, Entry, MetricOptions};
use velamen_core::model::{self, Bound, Monotonicity};
use velamen_core::recoding::LocalPlan;
use velamen_core::release::apply_local;
use velamen_dp::Seed;
use velamen_testsuite::{Case, bound, cases, models, on_threads, with_context};

#[derive(Debug, Clone, Copy)]
enum Task {
    /// Of trees, or of values in order.
    Mondrian(Partitioning, bool),
    Repeated(Levels),
}

fn tasks() -> impl Strategy<Value = Task> {
    prop_oneof![
        any::<bool>().prop_map(|tree| Task::Mondrian(Partitioning::Strict, tree)),
        any::<bool>().prop_map(|tree| Task::Mondrian(Partitioning::Relaxed, tree)),
        Just(Task::Repeated(Levels::All)),
        Just(Task::Repeated(Levels::Ends)),
    ]
}

fn rules(case: &Case, tree: bool) -> Vec<Rule> {
    let rule = |rows: &Vec<Vec<String>>| match tree {
        true => Rule::Table(TableRule::new(rows.clone()).unwrap()),
        false => Rule::Flat,
    };
    case.hierarchies.iter().map(rule).collect()
}

/// The models that look at the records of one class.
fn judging_classes() -> Vec<(&'static str, Value)> {
    let alone = |name: &str| model::find(name).is_some_and(|entry| !entry.table_level && !entry.population);
    models::examples().into_iter().filter(|(name, _)| alone(name)).collect()
}

/// The table with the levels that a task searches.
fn searched(table: &FrequencyTable, task: Task) -> FrequencyTable {
    let mut searched = table.clone();
    if let Task::Repeated(Levels::Ends) = task {
        for qi in &mut searched.qis {
            let mut ends = vec![0, qi.hierarchy.top()];
            ends.dedup();
            qi.hierarchy = qi.hierarchy.at_levels(&ends);
        }
    }
    searched
}

/// Whether the optimal search finds a release.
fn is_feasible(table: &FrequencyTable, models: &[Bound], most_outliers: u64) -> bool {
    let metric = (loss().bind)(table, &MetricOptions::default());
    let outliers = Outliers::Suppress;
    let demand = Demand { models, metric: &*metric, most_outliers, outliers, assume_monotone: false };
    let task = FullDomain { demand, lattice: None, strategy: Search::Optimal, budget: Budget::default() };
    with_context(0, |context| task.search(table, context).is_ok())
}

/// Whether the values that a model bounds are in the table.
fn fits(case: &Case, parameters: &Value) -> bool {
    let mut bounded = parameters["theta"].as_object().into_iter().flatten();
    bounded.all(|(value, _)| case.rows.iter().any(|row| row[case.qis()] == *value))
}

fn loss() -> &'static Entry {
    metric::find("loss").unwrap()
}

fn plan(
    task: Task,
    case: &Case,
    table: &FrequencyTable,
    models: &[Bound],
    most_suppressed: u64,
    context: &Context<'_>,
) -> Result<LocalPlan, MethodError> {
    match task {
        Task::Mondrian(partitioning, tree) => {
            let rules = rules(case, tree);
            let rules: Vec<&Rule> = rules.iter().collect();
            Mondrian { models, least_size: 1, partitioning, rules: &rules }.plan(table, context)
        }
        Task::Repeated(levels) => {
            let task = LocalRecoding {
                models,
                metric: loss(),
                options: &MetricOptions::default(),
                most_outliers: most_suppressed,
                assume_monotone: false,
                strategy: Search::Optimal,
                budget: Budget::default(),
                lattice: &table.lattice(),
                levels,
            };
            task.plan(table, context).map(|(plan, _)| plan)
        }
    }
}

/// Whether a label stands for a value: an ancestor, or `[first..last]` around it.
fn covers(case: &Case, q: usize, label: &str, value: &str) -> bool {
    let row = case.hierarchies[q].iter().find(|row| row[0] == value).unwrap();
    let range = label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(".."));
    row.iter().any(|ancestor| ancestor == label)
        || range.is_some_and(|(first, last)| first <= value && value <= last)
}

/// Per class the sensitive values of its records.
fn classes<'a>(table: &'a FrequencyTable, plan: &LocalPlan) -> Vec<Vec<&'a str>> {
    let value = |entry: u32| {
        let rest = table.rest_index[entry as usize] as usize;
        table.rest.columns[0].values[table.rest.codes[0][rest] as usize].as_str()
    };
    let values = |members: &Vec<(u32, u64)>| {
        members.iter().flat_map(|&(entry, n)| std::iter::repeat_n(value(entry), n as usize)).collect()
    };
    plan.members.iter().map(values).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_local_recoding_keeps_its_promises(
        case in cases(8..90),
        task in tasks(),
        model in 0..judging_classes().len(),
        limit in 0.0..0.4f64,
    ) {
        let (name, parameters): (&str, Value) = judging_classes()[model].clone();
        prop_assume!(fits(&case, &parameters));
        let table = case.table();
        let bounds = [bound(name, &parameters, &table)];
        let most = (limit * table.records() as f64).floor() as u64;
        let relaxed = matches!(task, Task::Mondrian(Partitioning::Relaxed, _));
        prop_assume!(!(relaxed && bounds[0].monotonicity == Monotonicity::None));
        let run = |threads| on_threads(threads, || with_context(0, |c| plan(task, &case, &table, &bounds, most, c)));
        let (plan, again) = (run(1), run(2));
        let feasible = is_feasible(&searched(&table, task), &bounds, most);
        prop_assert!(!feasible || plan.is_ok() || matches!(task, Task::Mondrian(..)));
        let Ok(plan) = plan else { return Ok(()) };
        let again = again.unwrap();
        prop_assert!(plan.codes == again.codes && plan.members == again.members && plan.values == again.values);

        // Every record is released once.
        let mut released: BTreeMap<u32, u64> = BTreeMap::new();
        for &(entry, count) in plan.members.iter().flatten().chain(&plan.suppressed) {
            *released.entry(entry).or_default() += count;
        }
        let all: BTreeMap<u32, u64> = (0..).zip(table.counts.iter().copied()).collect();
        prop_assert_eq!(&released, &all);
        let suppressed: u64 = plan.suppressed.iter().map(|member| member.1).sum();
        prop_assert!(suppressed <= most);
        let release = apply_local(&table, &plan, &Seed::from_number(1));
        prop_assert_eq!((release.records(), release.suppressed), (table.records(), suppressed));

        // Every class meets the model, and no two have the same labels.
        let everyone: Vec<&str> = case.rows.iter().map(|row| row[case.qis()].as_str()).collect();
        for class in classes(&table, &plan) {
            prop_assert!(models::holds(name, &parameters, &class, &everyone), "{} fails {:?}", name, class);
        }
        let mut labels: Vec<Vec<&str>> = Vec::new();
        for (codes, members) in plan.codes.chunks(case.qis()).zip(&plan.members) {
            let of_class = |(q, &code): (usize, &u32)| plan.values[q][code as usize].label.as_str();
            labels.push(codes.iter().enumerate().map(of_class).collect());
            for &(entry, _) in members {
                for (q, label) in labels[labels.len() - 1].iter().enumerate() {
                    let value = table.qis[q].hierarchy.label(0, table.codes[q][entry as usize]);
                    prop_assert!(covers(&case, q, label, value), "{} does not cover {}", label, value);
                }
            }
        }
        labels.sort();
        prop_assert!(labels.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter(case in cases(8..60), task in tasks()) {
        let mut reversed = case.clone();
        reversed.rows.reverse();
        let release = |case: &Case| {
            let table = case.table();
            let bounds = [bound("k-anonymity", &serde_json::json!({ "k": 2 }), &table)];
            let plan = with_context(0, |context| plan(task, case, &table, &bounds, 2, context));
            plan.map(|plan| apply_local(&table, &plan, &Seed::from_number(1)))
        };
        match (release(&case), release(&reversed)) {
            (Ok(a), Ok(b)) => prop_assert!(a.rows == b.rows && a.codes == b.codes && a.qis == b.qis),
            (a, b) => prop_assert!(a.is_err() && b.is_err()),
        }
    }
}
