//! The privacy models, naively: a class and its table as lists of values.

use serde_json::{Value, json};
use velamen_core::uniqueness::{Sample, estimate};

/// The share of a value in a list.
fn share(values: &[&str], value: &str) -> f64 {
    values.iter().filter(|v| **v == value).count() as f64 / values.len() as f64
}

fn distinct<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Parameters of every model for tables of a few sensitive values `0`, `1`, …
#[must_use]
pub fn examples() -> Vec<(&'static str, Value)> {
    vec![
        ("k-anonymity", json!({ "k": 3 })),
        ("alpha-k-anonymity", json!({ "alpha": 0.7, "k": 2 })),
        ("p-sensitive-k-anonymity", json!({ "p": 2, "k": 3 })),
        ("distinct-l-diversity", json!({ "l": 2 })),
        ("entropy-l-diversity", json!({ "l": 1.7 })),
        ("recursive-cl-diversity", json!({ "c": 2.5, "l": 2 })),
        ("t-closeness", json!({ "t": 0.35 })),
        ("t-closeness", json!({ "t": 0.3, "distance": "ordered" })),
        ("delta-disclosure", json!({ "delta": 1.3 })),
        ("basic-beta-likeness", json!({ "beta": 0.9 })),
        ("enhanced-beta-likeness", json!({ "beta": 1.5 })),
        ("ms-bounding", json!({ "k": 2, "theta": { "0": 0.75 } })),
        ("k-map", json!({ "k": 4 })),
        ("delta-presence", json!({ "min": 0.0, "max": 0.6 })),
        ("delta-presence", json!({ "min": 0.2, "max": 0.9 })),
        ("average-risk", json!({ "risk": 0.3 })),
        ("records-at-risk", json!({ "share": 0.2, "risk": 0.34 })),
        ("sample-uniqueness", json!({ "share": 0.05 })),
        ("information-leak", json!({ "share": 0.4 })),
        ("catalog-risk", json!({ "risk": 0.4 })),
        ("population-uniqueness", json!({ "share": 0.0731, "estimator": "zayatz" })),
        ("population-uniqueness", json!({ "share": 0.0437, "estimator": "dankar" })),
    ]
}

/// Whether a model looks at all kept classes together.
#[must_use]
pub fn is_table_level(model: &str) -> bool {
    matches!(
        model,
        "average-risk"
            | "records-at-risk"
            | "sample-uniqueness"
            | "information-leak"
            | "population-uniqueness"
    )
}

/// Whether kept classes of these sizes, of a population of so many records, meet a table-level model.
///
/// # Panics
/// If the model has no definition here: add one.
#[must_use]
pub fn table_holds(model: &str, asked: &Value, sizes: &[usize], population: usize) -> bool {
    let number = |name: &str| asked[name].as_f64().expect("the parameter is given");
    let records = sizes.iter().sum::<usize>() as f64;
    let share = |at_risk: &dyn Fn(f64) -> bool| {
        sizes.iter().filter(|&&size| at_risk(size as f64)).sum::<usize>() as f64 / records
    };
    sizes.is_empty()
        || match model {
            "average-risk" => sizes.len() as f64 / records <= number("risk") + 1e-9,
            "records-at-risk" => share(&|size| 1.0 / size > number("risk") + 1e-9) <= number("share") + 1e-9,
            "information-leak" => {
                let classes = sizes.iter().map(|&size| size as f64 / records);
                let entropy: f64 = classes.map(|share| share * (1.0 / share).log2()).sum();
                records < 2.0 || entropy / records.log2() <= number("share") + 1e-9
            }
            "sample-uniqueness" => share(&|size| size < 1.5) <= number("share") + 1e-9,
            "population-uniqueness" => uniques(asked, sizes, population) <= number("share") + 1e-9,
            other => panic!("no definition of {other} here: add one"),
        }
}

/// The estimated share of the population's records that are unique: Zayatz' estimate with plain
/// probabilities, the others as the workspace has them.
fn uniques(asked: &Value, sizes: &[usize], population: usize) -> f64 {
    if asked["estimator"] == "zayatz" {
        return zayatz(sizes, population as f64);
    }
    let sizes: Vec<(u64, u64)> = sizes.iter().map(|&size| (size as u64, 1)).collect();
    let estimator = serde_json::from_value(asked["estimator"].clone()).expect("the estimator is known");
    let sample = Sample::new(&sizes, population as u64).expect("the table is part of the population");
    estimate(&sample, estimator).share
}

/// A class of the population has a sample's size with the sample's frequency; Bayes' rule tells how many
/// of the sample's uniques are the population's.
fn zayatz(sizes: &[usize], population: f64) -> f64 {
    let records = sizes.iter().sum::<usize>();
    // P(no record of j others is drawn), drawing without replacement.
    let missed = |others: usize, drawn: usize, left: f64| -> f64 {
        (0..drawn).map(|i| ((left - others as f64 - i as f64) / (left - i as f64)).max(0.0)).product()
    };
    let once = |size: usize| size as f64 * missed(size - 1, records - 1, population - 1.0);
    let ones = sizes.iter().filter(|&&size| size < 2).count() as f64;
    let total: f64 = sizes.iter().map(|&size| once(size)).sum();
    if ones < 1.0 { 0.0 } else { (ones * (ones * once(1) / total) / records as f64).min(1.0) }
}

/// Whether a class of a population, with so many of its records in the table, meets a model that looks
/// at the population; `None` for other models.
#[must_use]
pub fn population_holds(model: &str, asked: &Value, size: usize, population: usize) -> Option<bool> {
    let number = |name: &str| asked[name].as_f64().expect("the parameter is given");
    match model {
        "k-map" => Some(size == 0 || population as f64 >= number("k")),
        "delta-presence" => {
            let share = size as f64 / population as f64;
            Some(share >= number("min") - 1e-9 && share <= number("max") + 1e-9)
        }
        _ => None,
    }
}

/// Whether a class meets a model. Bounds are forgiven a rounding of 1e-9.
///
/// # Panics
/// If the model has no definition here: add one.
#[must_use]
pub fn holds(model: &str, asked: &Value, class: &[&str], table: &[&str]) -> bool {
    let number = |name: &str| asked[name].as_f64().expect("the parameter is given");
    let enough = asked["k"].as_u64().is_none_or(|k| class.len() as u64 >= k);
    let (own, all) = (distinct(class), distinct(table));
    let (p, q) = (|value: &str| share(table, value), |value: &str| share(class, value));
    let gains = |bound: &dyn Fn(f64) -> f64| {
        all.iter().all(|v| q(v) <= p(v) || (q(v) - p(v)) / p(v) <= bound(p(v)) + 1e-9)
    };
    enough
        && match model {
            "k-anonymity" => true,
            // Of a class by itself; what a catalog adds is in `oracle_catalog_risk`.
            "catalog-risk" => 1.0 / class.len() as f64 <= number("risk") + 1e-9,
            "alpha-k-anonymity" => own.iter().all(|v| q(v) <= number("alpha") + 1e-9),
            "p-sensitive-k-anonymity" => own.len() as f64 >= number("p"),
            "distinct-l-diversity" => own.len() as f64 >= number("l"),
            "entropy-l-diversity" => {
                let entropy: f64 = own.iter().map(|v| -q(v) * q(v).ln()).sum();
                own.len() as f64 >= number("l") && entropy >= number("l").ln() - 1e-9
            }
            "recursive-cl-diversity" => {
                let mut counts: Vec<f64> = own.iter().map(|v| q(v) * class.len() as f64).collect();
                counts.sort_by(|a, b| b.total_cmp(a));
                let l = number("l") as usize;
                counts.len() >= l && counts[0] < number("c") * counts[l - 1..].iter().sum::<f64>() - 1e-9
            }
            "t-closeness" if asked["distance"] == "ordered" => {
                let until = |i: usize| all[..=i].iter().map(|v| q(v) - p(v)).sum::<f64>().abs();
                let moved: f64 = (0..all.len()).map(until).sum();
                moved <= number("t") * (all.len() as f64 - 1.0).max(1.0) + 1e-9
            }
            "t-closeness" => all.iter().map(|v| (q(v) - p(v)).abs()).sum::<f64>() / 2.0 <= number("t") + 1e-9,
            "delta-disclosure" => own.iter().all(|v| (q(v) / p(v)).log2().abs() < number("delta")),
            "basic-beta-likeness" => gains(&|_| number("beta")),
            "enhanced-beta-likeness" => gains(&|p| number("beta").min(-p.ln())),
            "ms-bounding" => own.iter().all(|v| q(v) <= asked["theta"][*v].as_f64().unwrap_or(1.0) + 1e-9),
            other => panic!("no definition of {other} here: add one"),
        }
}
