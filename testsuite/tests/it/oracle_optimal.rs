//! The searches against brute force over the whole lattice, on strings and rows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use velamen_core::frequency::Counted;
use velamen_core::lattice::{Lattice, Node};
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::FullDomain;
use velamen_search::method::search::{Budget, Strategy as Search};
use velamen_search::method::{
    MethodError, best_first, datafly, exhaustive, genetic, iterated_local_search, optimal, top_down,
};
use velamen_search::metric::{Aggregate, Entry, Metric, MetricOptions, Outcome, Score};
use velamen_search::model::Bound;
use velamen_search::{metric, model};
use velamen_testsuite::models::{self as naive, examples};
use velamen_testsuite::{Case, Floor, bound, cases, metrics, on_threads, share, with_context};

/// What is asked: models with their parameters.
type Asked = Vec<(&'static str, Value)>;

const STRATEGIES: [Search; 7] = [
    optimal::STRATEGY,
    exhaustive::STRATEGY,
    best_first::STRATEGY,
    iterated_local_search::STRATEGY,
    datafly::STRATEGY,
    top_down::STRATEGY,
    genetic::STRATEGY,
];

/// Those that end with a proof where nothing ends them before.
const PROVING: [Search; 4] =
    [optimal::STRATEGY, exhaustive::STRATEGY, best_first::STRATEGY, iterated_local_search::STRATEGY];

/// A task as the brute force sees it.
struct Task<'a> {
    case: &'a Case,
    asked: &'a Asked,
    most: u64,
    relocate: bool,
}

impl Task<'_> {
    /// The released records of a node, `None` where suppressed; nothing where it is not anonymous.
    fn release(&self, node: &[u8]) -> Option<Vec<Option<Vec<String>>>> {
        let case = self.case;
        let classes = case.classes(node);
        if !self.absent_hold(node, &classes) {
            return None;
        }
        let held: Vec<(&Vec<String>, &Vec<usize>)> =
            classes.iter().filter(|(labels, rows)| self.holds(node, labels, rows)).collect();
        let kept = self.met_together(held);
        let keeps: usize = kept.iter().map(|(_, rows)| rows.len()).sum();
        let outliers = (case.rows.len() - keeps) as u64;
        if outliers > self.most || (self.relocate && outliers > 0 && keeps == 0) {
            return None;
        }
        let mut released = vec![None; case.rows.len()];
        if self.relocate {
            for (row, released) in released.iter_mut().enumerate() {
                *released = Some(case.generalized(&case.rows[row], node));
            }
        }
        for (labels, rows) in kept {
            rows.iter().for_each(|&row| released[row] = Some(labels.clone()));
        }
        Some(released)
    }

    /// The classes that are left of those that hold by themselves: the smallest go first, of equal ones
    /// the first in canonical order, until the table-level models hold.
    fn met_together<'c>(
        &self,
        mut classes: Vec<(&'c Vec<String>, &'c Vec<usize>)>,
    ) -> Vec<(&'c Vec<String>, &'c Vec<usize>)> {
        let population = self.case.rows.len() + self.case.absent.len();
        let holds = |classes: &[(&Vec<String>, &Vec<usize>)]| {
            let sizes: Vec<usize> = classes.iter().map(|(_, rows)| rows.len()).collect();
            let mut models = self.asked.iter().filter(|(model, _)| naive::is_table_level(model));
            models.all(|(model, asked)| naive::table_holds(model, asked, &sizes, population))
        };
        // Labels of one level ascend as their values do; the sort keeps that order among equal sizes.
        classes.sort_by_key(|(_, rows)| rows.len());
        let below = |size: usize| classes.partition_point(|(_, rows)| rows.len() < size);
        let next = |from: usize| below(classes[from].1.len() + 1);
        let (mut before, mut from) = (0, 0);
        while from < classes.len() && !holds(&classes[from..]) {
            (before, from) = (from, next(from));
        }
        // Within the last size by bisection, as the definition has it.
        let (mut fails, mut enough) = (before, from);
        while fails + 1 < enough {
            let middle = usize::midpoint(fails, enough);
            if holds(&classes[middle..]) { enough = middle } else { fails = middle }
        }
        classes.split_off(enough)
    }

    /// How many of the population have these labels.
    fn population(&self, node: &[u8], labels: &[String]) -> usize {
        let own = self.case.rows.iter().chain(&self.case.absent);
        own.filter(|row| self.case.generalized(row, node) == labels).count()
    }

    /// Whether a class meets the class-level models.
    fn holds(&self, node: &[u8], labels: &[String], rows: &[usize]) -> bool {
        let value = |row: usize| self.case.rows[row][self.case.qis()].as_str();
        let table: Vec<&str> = (0..self.case.rows.len()).map(value).collect();
        let class: Vec<&str> = rows.iter().map(|&row| value(row)).collect();
        self.asked.iter().filter(|(model, _)| !naive::is_table_level(model)).all(|(model, asked)| {
            naive::population_holds(model, asked, rows.len(), self.population(node, labels))
                .unwrap_or_else(|| naive::holds(model, asked, &class, &table))
        })
    }

    /// Whether the population's classes without a record here meet the models.
    fn absent_hold(&self, node: &[u8], classes: &BTreeMap<Vec<String>, Vec<usize>>) -> bool {
        let labels = self.case.absent.iter().map(|row| self.case.generalized(row, node));
        labels.filter(|labels| !classes.contains_key(labels)).all(|labels| {
            let population = self.population(node, &labels);
            let holds = |(model, asked): &(&str, Value)| naive::population_holds(model, asked, 0, population);
            self.asked.iter().filter_map(holds).all(|holds| holds)
        })
    }

    /// The figure of a node, or `None` where it is not anonymous.
    fn figure(&self, metric: &Entry, options: &MetricOptions, node: &[u8]) -> Option<Vec<f64>> {
        let released = self.release(node)?;
        let sign = if metric.more_is_better { -1.0 } else { 1.0 };
        let figure = metrics::figure(self.case, metric.name, options, node, &released);
        Some(figure.into_iter().map(|figure| sign * figure).collect())
    }
}

fn numbers(score: &Score) -> Vec<f64> {
    match score {
        Score::One(value) => vec![*value],
        Score::Ranked(values) => values.clone(),
    }
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-8 * (1.0 + a.abs()))
}

/// Lexicographic, equal up to rounding.
fn below(a: &[f64], b: &[f64]) -> bool {
    let differ = a.iter().zip(b).find(|(a, b)| (**a - **b).abs() > 1e-8 * (1.0 + a.abs()));
    differ.is_some_and(|(a, b)| a < b)
}

/// A bound on a value that the table lacks is refused, and rightly so.
fn fits(case: &Case, asked: &Asked) -> bool {
    let mut bounded = asked.iter().filter_map(|(_, asked)| asked["theta"].as_object()).flatten();
    bounded.all(|(value, _)| case.rows.iter().any(|row| row[case.qis()] == *value))
}

/// The search equals brute force in value, and its node has that value.
fn compare(
    floor: &Floor,
    case: &Case,
    asked: &Asked,
    limit: f64,
    relocate: bool,
    chosen: &[(&'static Entry, MetricOptions)],
) -> Result<(), TestCaseError> {
    floor.begin();
    if !fits(case, asked) {
        return Ok(());
    }
    let looks_at_population =
        |name: &str| model::find(name).is_some_and(|entry| entry.terms.facts.population);
    let table = match asked.iter().any(|(name, _)| looks_at_population(name)) {
        true => case.table_with_population(),
        false => case.table(),
    };
    let most = (limit * case.rows.len() as f64).floor() as u64;
    let models: Vec<Bound> = asked.iter().map(|(name, asked)| bound(name, asked, &table)).collect();
    let task = Task { case, asked, most, relocate };
    let mut feasible = false;
    for (metric, options) in chosen {
        let bound = (metric.bind)(&Counted::of(&table), options);
        let outliers = if relocate { Outliers::Relocate } else { Outliers::Suppress };
        let demand = Demand {
            models: &models,
            metric: &*bound,
            most_outliers: most,
            outliers,
            assume_monotone: false,
            hidden: None,
        };
        let best = case.nodes().into_iter().filter_map(|node| task.figure(metric, options, &node)).fold(
            None,
            |best: Option<Vec<f64>>, figure| match best {
                Some(best) if !below(&figure, &best) => Some(best),
                _ => Some(figure),
            },
        );
        feasible |= best.is_some();
        for strategy in STRATEGIES {
            let search = FullDomain { demand, lattice: None, strategy, budget: Budget::default() };
            let found =
                [1, 2].map(|threads| on_threads(threads, || with_context(0, |c| search.plan(&table, c))));
            let proven = PROVING.iter().any(|proving| proving.name == strategy.name);
            match (&best, found) {
                (None, [Err(MethodError::Infeasible(_)), Err(MethodError::Infeasible(_))]) => {}
                (Some(_), [Err(MethodError::Infeasible(_)), Err(MethodError::Infeasible(_))]) if !proven => {}
                (Some(best), [Ok((plan, one)), Ok((_, two))]) => {
                    let value = numbers(&one.score);
                    prop_assert!(
                        !proven || near(&value, best),
                        "{strategy:?} {} {asked:?}: {value:?} instead of {best:?}",
                        metric.name
                    );
                    let own = task.figure(metric, options, &one.node.0);
                    prop_assert!(
                        own.as_ref().is_some_and(|own| near(own, &value)),
                        "{strategy:?} {} {:?}: {value:?} instead of {own:?}",
                        metric.name,
                        one.node
                    );
                    prop_assert_eq!(&one.node, &two.node);
                    prop_assert!(plan.suppressed() + plan.moved() <= most);
                }
                (best, found) => prop_assert!(false, "{asked:?}: brute force {best:?}, search {found:?}"),
            }
        }
    }
    if feasible {
        floor.real();
    }
    Ok(())
}

/// Every metric as it is read without options.
fn plain() -> Vec<(&'static Entry, MetricOptions)> {
    metric::REGISTRY.iter().map(|entry| (entry, MetricOptions::default())).collect()
}

fn options() -> impl Strategy<Value = MetricOptions> {
    let aggregate = proptest::option::of(prop_oneof![
        Just(Aggregate::GeometricMean),
        Just(Aggregate::ArithmeticMean),
        Just(Aggregate::Sum),
        Just(Aggregate::Max),
        Just(Aggregate::Rank),
    ]);
    let gs_factor = prop_oneof![Just(0.5), Just(0.0), Just(1.0), 0.0..1.0];
    (aggregate, gs_factor, any::<bool>(), any::<bool>(), proptest::collection::vec(0.1..2.0, 3)).prop_map(
        |(aggregate, gs_factor, monotone, normalised, weights)| MetricOptions {
            aggregate,
            gs_factor,
            monotone,
            normalised,
            weights,
        },
    )
}

/// Every registered model has an example here.
#[test]
fn no_model_is_left_out() {
    let examples = examples();
    // Differential privacy is a property of a method: no table meets it or fails it.
    for entry in model::REGISTRY.iter().filter(|entry| !entry.terms.facts.private) {
        assert!(
            examples.iter().any(|(name, _)| *name == entry.terms.name),
            "{} has no example: testsuite/src/models.rs has parameters and a naive definition of each model",
            entry.terms.name
        );
    }
}

/// What the metrics' laws say, on every node of a table.
fn keeps_its_laws(case: &Case, entry: &Entry, options: &MetricOptions, k: u64) -> Result<(), TestCaseError> {
    let table = case.table();
    let metric: Box<dyn Metric> = (entry.bind)(&Counted::of(&table), options);
    let models = [bound("k-anonymity", &serde_json::json!({ "k": k }), &table)];
    let demand = Demand {
        models: &models,
        metric: &*metric,
        most_outliers: u64::MAX,
        outliers: Outliers::Suppress,
        assume_monotone: false,
        hidden: None,
    };
    let nodes =
        with_context(0, |c| exhaustive::survey(&table, &demand, &table.lattice(), c)).expect("it is small");
    let slack = |score: &Score| 1e-9 * (1.0 + score.first().abs());
    for (node, assessed) in &nodes {
        let bound = metric.bound(node);
        prop_assert!(
            bound.first() <= assessed.score.first() + slack(&bound),
            "{}: the bound {bound:?} of {node:?} is above {:?}",
            entry.name,
            assessed.score
        );
        let plan = with_context(0, |c| {
            let lattice = Lattice::between(node, node);
            FullDomain {
                demand,
                lattice: Some(&lattice),
                strategy: exhaustive::STRATEGY,
                budget: Budget::default(),
            }
            .plan(&table, c)
        });
        let (plan, _) = plan.expect("everything may be suppressed");
        let (kept, suppressed) = plan.bags();
        let leaves = plan.suppressed_leaves(&table);
        let outcome = Outcome { node, kept: &kept, suppressed: &suppressed, suppressed_leaves: &leaves };
        let learned = metric.learned(&outcome).filter(|_| entry.name != "rows-retained");
        for (above, other) in nodes.iter().filter(|(above, _)| node.is_below(above)) {
            prop_assert!(metric.bound(above).first() >= bound.first() - slack(&bound), "{}", entry.name);
            let holds = |l: &Score| l.first() <= other.score.first() + slack(l);
            prop_assert!(
                learned.as_ref().is_none_or(holds),
                "{}: learned {learned:?} at {node:?}, but {above:?} has {:?}",
                entry.name,
                other.score
            );
        }
    }
    let _: Option<&Node> = nodes.first().map(|(node, _)| node);
    Ok(())
}

static ALONE: Floor = Floor::new();

static TOGETHER: Floor = Floor::new();

static ASKED: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(72)))]

    fn each_model_alone_finds_the_optimum_of_brute_force_each(
        case in cases(2..40),
        limit in prop_oneof![Just(0.0), Just(1.0), 0.0..0.5],
        relocate in any::<bool>(),
        metric in 0..metric::REGISTRY.iter().count(),
    ) {
        for example in examples() {
            compare(&ALONE, &case, &vec![example], limit, relocate, &plain()[metric..=metric])?;
        }
    }

    fn models_together_find_the_optimum_of_brute_force_each(
        case in cases(2..40),
        chosen in proptest::sample::subsequence((0..examples().len()).collect::<Vec<usize>>(), 2..4),
        limit in prop_oneof![Just(0.0), Just(1.0), 0.0..0.5],
    ) {
        let asked: Asked = chosen.iter().map(|&i| examples()[i].clone()).collect();
        compare(&TOGETHER, &case, &asked, limit, false, &plain())?;
    }

    fn metrics_are_read_as_asked_each(
        case in cases(2..40),
        limit in prop_oneof![Just(0.0), Just(1.0), 0.0..0.5],
        mut options in options(),
    ) {
        options.weights.truncate(case.qis());
        let chosen: Vec<_> = metric::REGISTRY.iter().map(|entry| {
            let aggregate = options.aggregate.filter(|_| entry.aggregate.is_some());
            (entry, MetricOptions { aggregate, ..options.clone() })
        }).collect();
        compare(&ASKED, &case, &vec![("k-anonymity", serde_json::json!({ "k": 2 }))], limit, false, &chosen)?;
    }

    #[test]
    fn metrics_keep_their_laws(case in cases(2..30), k in 1u64..4, mut options in options()) {
        options.weights.truncate(case.qis());
        for entry in metric::REGISTRY.iter() {
            keeps_its_laws(&case, entry, &MetricOptions::default(), k.max(2))?;
            keeps_its_laws(&case, entry, &options, k.max(2))?;
        }
    }
}

#[test]
fn metrics_are_read_as_asked() {
    metrics_are_read_as_asked_each();
    ASKED.at_least(80);
}

#[test]
fn models_together_find_the_optimum_of_brute_force() {
    models_together_find_the_optimum_of_brute_force_each();
    TOGETHER.at_least(60);
}

#[test]
fn each_model_alone_finds_the_optimum_of_brute_force() {
    each_model_alone_finds_the_optimum_of_brute_force_each();
    ALONE.at_least(80);
}
