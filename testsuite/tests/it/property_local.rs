//! What every release of a local recoding must be, on random tables.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};
use velamen_core::recoding::{LocalPlan, Piece, Recoding, Region, ReleasedValue};
use velamen_core::release::apply_local;
use velamen_dp::Seed;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::FullDomain;
use velamen_search::method::local_recoding::{Kept, Levels, LocalRecoding, Repetitions};
use velamen_search::method::mondrian::{CutBy, MondrianTask, Partitioning, Released};
use velamen_search::method::search::Budget;
use velamen_search::method::{MethodError, optimal};
use velamen_search::metric::{Entry, MetricOptions, Recoded, Score};
use velamen_search::model::{Bound, Monotonicity};
use velamen_search::{metric, model};
use velamen_testsuite::{Case, Floor, bound, cases, models, on_threads, share, with_context};

#[derive(Debug, Clone, Copy)]
enum Task {
    /// Of trees, or of values in order.
    Mondrian(Partitioning, Released, CutBy, bool),
    Repeated(Levels),
}

fn mondrian() -> impl Strategy<Value = (Partitioning, Released, CutBy)> {
    prop_oneof![
        Just((Partitioning::Strict, Released::Ranges, CutBy::Widest)),
        Just((Partitioning::Relaxed, Released::Ranges, CutBy::Widest)),
        Just((Partitioning::Strict, Released::Nodes, CutBy::Widest)),
        Just((Partitioning::Strict, Released::Ranges, CutBy::Loss)),
        Just((Partitioning::Strict, Released::Nodes, CutBy::Loss)),
    ]
}

fn tasks() -> impl Strategy<Value = Task> {
    prop_oneof![
        3 => (mondrian(), any::<bool>()).prop_map(|((partitioning, recoding, cuts), tree)| {
            Task::Mondrian(partitioning, recoding, cuts, tree)
        }),
        1 => Just(Task::Repeated(Levels::All)),
        1 => Just(Task::Repeated(Levels::Ends)),
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
    let alone = |name: &str| {
        model::find(name).is_some_and(|entry| !entry.terms.facts.table_level && !entry.terms.facts.population)
    };
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
    let metric = (loss().bind)(&Counted::of(table), &MetricOptions::default());
    let outliers = Outliers::Suppress;
    let demand =
        Demand { models, metric: &*metric, most_outliers, outliers, assume_monotone: false, hidden: None };
    let task = FullDomain { demand, lattice: None, strategy: optimal::STRATEGY, budget: Budget::default() };
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
        Task::Mondrian(partitioning, recoding, cuts, tree) => {
            let rules = rules(case, tree);
            let rules: Vec<&Rule> = rules.iter().collect();
            MondrianTask {
                models,
                least_size: 1,
                partitioning,
                recoding,
                cuts,
                rules: &rules,
                steps: &[],
                expired: None,
            }
            .plan(table, context)
        }
        Task::Repeated(levels) => {
            let kept = repeated(
                (levels, &table.lattice()),
                (loss(), &MetricOptions::default()),
                table,
                models,
                most_suppressed,
                context,
            )?;
            Ok(match kept.0 {
                Kept::Repeated(plan) => plan,
                Kept::Single(plan) => by_class(table, &plan),
            })
        }
    }
}

fn repeated(
    (levels, lattice): (Levels, &Lattice),
    (metric, options): (&'static Entry, &MetricOptions),
    table: &FrequencyTable,
    models: &[Bound],
    most_outliers: u64,
    context: &Context<'_>,
) -> Result<(Kept, Repetitions), MethodError> {
    let (strategy, budget) = (optimal::STRATEGY, Budget::default());
    let assume_monotone = false;
    LocalRecoding {
        models,
        metric,
        options,
        most_outliers,
        assume_monotone,
        strategy,
        budget,
        seconds: None,
        lattice,
        levels,
        hidden: None,
    }
    .plan(table, context)
}

/// A plan of one level by attribute as one of a level by class.
fn by_class(table: &FrequencyTable, plan: &Plan) -> LocalPlan {
    let (mut pieces, mut suppressed) = (Vec::new(), Vec::new());
    for class in 0..plan.classes.len() {
        let codes = plan.classes.codes(class);
        let code =
            |q: usize, entry: usize| table.qis[q].hierarchy.code(plan.node.0[q], table.codes[q][entry]);
        let is_own = |entry: &usize| codes.iter().enumerate().all(|(q, own)| code(q, *entry) == *own);
        let members: Vec<(u32, u64)> =
            (0..table.len()).filter(is_own).map(|entry| (entry as u32, table.counts[entry])).collect();
        if plan.fates[class] == Fate::Suppress {
            suppressed.extend(members);
            continue;
        }
        let region = |(q, &code): (usize, &u32)| {
            let (hierarchy, level) = (&table.qis[q].hierarchy, plan.node.0[q]);
            let (label, leaves) = (hierarchy.label(level, code).to_owned(), hierarchy.leaves(level, code));
            Region { value: ReleasedValue { label, leaves, level }, order: (code, code) }
        };
        pieces.push(Piece { regions: codes.iter().enumerate().map(region).collect(), members });
    }
    LocalPlan::new(Recoding::Nodes, table.qis.len(), pieces, suppressed)
}

/// Equal up to rounding.
fn near(a: &Score, b: &Score) -> bool {
    !a.is_clearly_below(b) && !b.is_clearly_below(a) || (a.first() - b.first()).abs() < 1e-9
}

/// Whether a label stands for a value: an ancestor, `[first..last]` around it, or a set that names it.
fn covers(case: &Case, q: usize, label: &str, value: &str) -> bool {
    let row = case.hierarchies[q].iter().find(|row| row[0] == value).unwrap();
    let range = label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).and_then(|l| l.split_once(".."));
    let set = label.strip_prefix('{').and_then(|l| l.strip_suffix('}'));
    row.iter().any(|ancestor| ancestor == label)
        || set.is_some_and(|set| set.split('|').any(|member| member == value))
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

static RECODED: Floor = Floor::new();

static REPEATED: Floor = Floor::new();

static TURNED: Floor = Floor::new();

static LEVELLED: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(160)))]

    fn a_local_recoding_keeps_its_promises_each(
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
        let merging = match task {
            Task::Mondrian(partitioning, recoding, cuts, _) => {
                partitioning == Partitioning::Relaxed || recoding == Released::Nodes || cuts == CutBy::Loss
            }
            Task::Repeated(_) => false,
        };
        prop_assume!(!(merging && bounds[0].monotonicity == Monotonicity::None));
        let run = |threads| on_threads(threads, || with_context(0, |c| plan(task, &case, &table, &bounds, most, c)));
        let (plan, again) = (run(1), run(2));
        let feasible = is_feasible(&searched(&table, task), &bounds, most);
        prop_assert!(!feasible || plan.is_ok() || matches!(task, Task::Mondrian(..)));
        RECODED.begin();
        let Ok(plan) = plan else { return Ok(()) };
        RECODED.real();
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

    fn repeating_a_search_never_adds_to_the_loss_each(
        case in cases(8..60),
        levels in prop_oneof![Just(Levels::All), Just(Levels::Ends)],
        metric in 0..metric::REGISTRY.iter().count(),
        model in 0..judging_classes().len(),
        limit in prop_oneof![Just(0.0), 0.0..0.5f64],
    ) {
        let (name, parameters): (&str, Value) = judging_classes()[model].clone();
        prop_assume!(fits(&case, &parameters));
        let (table, entry) = (case.table(), metric::REGISTRY.iter().nth(metric).expect("chosen among them"));
        let bounds = [bound(name, &parameters, &table)];
        let most = (limit * table.records() as f64).floor() as u64;
        let options = MetricOptions::default();
        let all = table.lattice();
        let found = with_context(0, |c| repeated((levels, &all), (entry, &options), &table, &bounds, most, c));
        REPEATED.begin();
        let Ok((kept, found)) = found else { return Ok(()) };
        REPEATED.real();
        let figure = |plan: &LocalPlan| (entry.recoded)(&Recoded { table: &table, plan }, &options);
        match kept {
            Kept::Single(plan) => {
                let single = found.single.expect("it was kept");
                prop_assert!(plan.suppressed() <= most);
                prop_assert!(found.repeated.is_none_or(|repeated| single.is_clearly_below(&repeated)));
                prop_assert!(found.parted.is_none_or(|parted| single.is_clearly_below(&parted)));
                // Both ways to a figure agree where no record is suppressed.
                let same = figure(&by_class(&table, &plan));
                prop_assert!(plan.suppressed() > 0 || near(&same, &single), "{entry:?}: {same:?}, {single:?}");
            }
            Kept::Repeated(plan) => {
                let own = figure(&plan);
                for other in [found.single, found.repeated, found.parted].into_iter().flatten() {
                    prop_assert!(!other.is_clearly_below(&own), "{entry:?}: {other:?}, {own:?}");
                }
                let suppressed: u64 = plan.suppressed.iter().map(|member| member.1).sum();
                prop_assert!(suppressed <= most);
                for codes in plan.codes.chunks(case.qis()) {
                    let label = |(q, &code): (usize, &u32)| plan.values[q][code as usize].label.as_str();
                    prop_assert!(codes.iter().enumerate().any(|pair| label(pair) != "*"));
                }
            }
        }
    }

    fn parts_keep_to_the_levels_that_are_allowed_each(
        case in cases(8..60),
        ends in proptest::collection::vec((0.0..0.6f64, 0.6..=1.0f64), 4),
        limit in prop_oneof![Just(0.0), 0.0..0.5f64],
    ) {
        let table = case.table();
        let share = |share: f64, top: u8| (share * f64::from(top)).round() as u8;
        let level = |(qi, (low, high)): (&QuasiIdentifier, &(f64, f64))| {
            let top = qi.hierarchy.top();
            (share(*low, top), share(*high, top))
        };
        let (low, high): (Vec<u8>, Vec<u8>) = table.qis.iter().zip(ends.iter().cycle()).map(level).unzip();
        let lattice = Lattice::between(&Node(low), &Node(high));
        let bounds = [bound("k-anonymity", &serde_json::json!({ "k": 3 }), &table)];
        let most = (limit * table.records() as f64).floor() as u64;
        let asked = (loss(), &MetricOptions::default());
        let found = with_context(0, |c| repeated((Levels::All, &lattice), asked, &table, &bounds, most, c));
        LEVELLED.begin();
        let Ok((Kept::Repeated(plan), _)) = found else { return Ok(()) };
        LEVELLED.real();
        let (low, high) = (lattice.bottom(), lattice.top());
        for (q, values) in plan.values.iter().enumerate() {
            let codes = plan.codes.chunks(case.qis()).map(|codes| codes[q] as usize);
            for (code, members) in codes.zip(&plan.members) {
                let hierarchy = &table.qis[q].hierarchy;
                // A label that stands at several levels is one of those that are allowed.
                let of = |level: u8, entry: u32| hierarchy.label(level, hierarchy.code(level, table.codes[q][entry as usize]));
                let allowed = |entry: u32| (low.0[q]..=high.0[q]).any(|level| of(level, entry) == values[code].label);
                prop_assert!(members.iter().all(|&(entry, _)| allowed(entry)), "{}", values[code].label);
            }
        }
    }

    fn the_order_of_the_rows_does_not_matter_each(case in cases(8..60), task in tasks()) {
        let mut reversed = case.clone();
        reversed.rows.reverse();
        let release = |case: &Case| {
            let table = case.table();
            let bounds = [bound("k-anonymity", &serde_json::json!({ "k": 2 }), &table)];
            let plan = with_context(0, |context| plan(task, case, &table, &bounds, 2, context));
            plan.map(|plan| apply_local(&table, &plan, &Seed::from_number(1)))
        };
        TURNED.begin();
        match (release(&case), release(&reversed)) {
            (Ok(a), Ok(b)) => {
                TURNED.real();
                prop_assert!(a.rows == b.rows && a.codes == b.codes && a.qis == b.qis);
            }
            (a, b) => prop_assert!(a.is_err() && b.is_err()),
        }
    }
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    the_order_of_the_rows_does_not_matter_each();
    TURNED.at_least(80);
}

#[test]
fn repeating_a_search_never_adds_to_the_loss() {
    repeating_a_search_never_adds_to_the_loss_each();
    REPEATED.at_least(80);
}

#[test]
fn a_local_recoding_keeps_its_promises() {
    a_local_recoding_keeps_its_promises_each();
    RECODED.at_least(80);
}

#[test]
fn parts_keep_to_the_levels_that_are_allowed() {
    parts_keep_to_the_levels_that_are_allowed_each();
    LEVELLED.at_least(40);
}
