//! The optimal search against brute force over the whole lattice, on strings and rows.

use proptest::prelude::*;
use serde_json::Value;
use velamen_core::method::MethodError;
use velamen_core::method::optimal::{Optimal, Outliers};
use velamen_core::metric;
use velamen_core::model::{self, Bound};
use velamen_testsuite::models::{self as naive, examples};
use velamen_testsuite::{Case, bound, cases, on_threads, with_context};

/// Per metric, the figure of a table by its definition; `None` marks a suppressed row.
fn figure(case: &Case, metric: &str, node: &[u8], released: &[Option<Vec<String>>]) -> f64 {
    let (n, m) = (released.len() as f64, case.qis() as f64);
    let per_attribute = |cell: &dyn Fn(usize, &str) -> f64| -> Vec<f64> {
        (0..case.qis())
            .map(|q| released.iter().map(|row| row.as_ref().map_or(1.0, |row| cell(q, &row[q]))).sum())
            .collect()
    };
    let domain = |q: usize| case.hierarchies[q].len() as f64;
    match metric {
        "loss" => {
            let shares = per_attribute(&|q, label| case.leaves(q, node[q], label) / domain(q));
            let v = shares.iter().enumerate().map(|(q, s)| (s - n / domain(q)) / (n - n / domain(q)) + 1.0);
            v.product::<f64>().powf(1.0 / m) - 1.0
        }
        "lm" => {
            let degrees =
                per_attribute(&|q, label| (case.leaves(q, node[q], label) - 1.0) / (domain(q) - 1.0));
            degrees.iter().sum::<f64>() / (n * m)
        }
        "precision" => {
            let top = |q: usize| (case.hierarchies[q][0].len() - 1) as f64;
            per_attribute(&|q, _| f64::from(node[q]) / top(q)).iter().sum::<f64>() / (n * m)
        }
        other => panic!("no definition of {other} here: add one"),
    }
}

/// What is asked: models with their parameters.
type Asked = Vec<(&'static str, Value)>;

/// The figure of a node, or `None` where too many records are outliers.
fn brute(case: &Case, metric: &str, node: &[u8], asked: &Asked, most: u64, relocate: bool) -> Option<f64> {
    let classes = case.classes(node);
    let value = |row: usize| case.rows[row][case.qis()].as_str();
    let table: Vec<&str> = (0..case.rows.len()).map(value).collect();
    let mut released = vec![None; case.rows.len()];
    let (mut outliers, mut kept) = (0, 0);
    for (labels, rows) in &classes {
        let class: Vec<&str> = rows.iter().map(|&row| value(row)).collect();
        let holds = asked.iter().all(|(model, asked)| naive::holds(model, asked, &class, &table));
        *if holds { &mut kept } else { &mut outliers } += rows.len() as u64;
        for &row in rows.iter().filter(|_| relocate || holds) {
            released[row] = Some(labels.clone());
        }
    }
    let possible = outliers <= most && (!relocate || outliers == 0 || kept > 0);
    possible.then(|| figure(case, metric, node, &released))
}

/// The search equals brute force in value, and its node has that value.
fn compare(case: &Case, asked: &Asked, limit: f64, relocate: bool) -> Result<(), TestCaseError> {
    let table = case.table();
    // A bound on a value that the table lacks is refused, and rightly so.
    let bounded = asked.iter().filter_map(|(_, asked)| asked["theta"].as_object()).flatten();
    if bounded.map(|(value, _)| value).any(|value| !table.rest.columns[0].values.contains(value)) {
        return Ok(());
    }
    let most = (limit * case.rows.len() as f64).floor() as u64;
    let models: Vec<Bound> = asked.iter().map(|(name, asked)| bound(name, asked, &table)).collect();
    for metric in metric::REGISTRY {
        let outliers = if relocate { Outliers::Relocate } else { Outliers::Suppress };
        let task = Optimal {
            models: &models,
            metric: *metric,
            most_outliers: most,
            outliers,
            assume_monotone: false,
        };
        let best = case
            .nodes()
            .into_iter()
            .filter_map(|node| Some((brute(case, metric.name, &node, asked, most, relocate)?, node)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let found = [1, 2].map(|threads| on_threads(threads, || with_context(0, |c| task.plan(&table, c))));
        match (best, found) {
            (None, [Err(MethodError::Infeasible(_)), Err(MethodError::Infeasible(_))]) => {}
            (Some((value, _)), [Ok((plan, one)), Ok((_, two))]) => {
                prop_assert!(
                    (one.value - value).abs() < 1e-9,
                    "{}: {} instead of {value}",
                    metric.name,
                    one.value
                );
                let own = brute(case, metric.name, &one.node.0, asked, most, relocate);
                prop_assert!(own.is_some_and(|own| (own - value).abs() < 1e-9));
                prop_assert_eq!(&one.node, &two.node);
                prop_assert!(plan.suppressed() + plan.moved() <= most);
            }
            (best, found) => prop_assert!(false, "{asked:?}: brute force {best:?}, search {found:?}"),
        }
    }
    Ok(())
}

/// Every registered model has an example here.
#[test]
fn no_model_is_left_out() {
    let examples = examples();
    for entry in model::REGISTRY {
        assert!(examples.iter().any(|(name, _)| *name == entry.name), "{} has no example", entry.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn each_model_alone_finds_the_optimum_of_brute_force(
        case in cases(2..40),
        limit in prop_oneof![Just(0.0), Just(1.0), 0.0..0.5],
        relocate in any::<bool>(),
    ) {
        for example in examples() {
            compare(&case, &vec![example], limit, relocate)?;
        }
    }

    #[test]
    fn models_together_find_the_optimum_of_brute_force(
        case in cases(2..40),
        chosen in proptest::sample::subsequence((0..12).collect::<Vec<usize>>(), 2..4),
        limit in prop_oneof![Just(0.0), Just(1.0), 0.0..0.5],
    ) {
        let asked: Asked = chosen.iter().map(|&i| examples()[i].clone()).collect();
        compare(&case, &asked, limit, false)?;
    }
}
