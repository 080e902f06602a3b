//! A program outside of the workspace adds a metric and a model with its check, and makes a release by them. It needs this crate
//! alone: nothing here names another.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod metric;
mod model;

use std::sync::Arc;

use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use velamen::recipe::{Definition, json};
use velamen::registries::{checks, metrics, models};
use velamen::{Batches, Error, Job, Recipe, RunOptions, Seed, Session, State};

/// Two diseases in each decade, of two people each.
fn batches() -> Batches {
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..12).map(|person| 30 + 10 * (person % 3))));
    let found: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..12).map(|person| ["flu", "gout"][person / 3 % 2])));
    let batch = RecordBatch::try_from_iter([("age", ages), ("disease", found)]).unwrap();
    Batches { schema: batch.schema(), batches: vec![batch] }
}

fn add() {
    // Tests of one process share the registries.
    let _ = metrics::REGISTRY.add(&metric::ENTRY);
    let _ = checks::CHECKS.add(&model::CHECK);
    let _ = models::terms::REGISTRY.add(&model::TERMS);
    let _ = models::REGISTRY.add(&model::ENTRY);
}

/// The share of changed cells, what the model reached, and the classes, with at least so many records a value.
fn released(least: u64) -> Result<(f64, State, u64), Error> {
    let ages = Definition::Interval { interval: vec![10.0, 40.0], min: 0.0, max: 79.0, decimals: 0 };
    let recipe = Recipe::builder()
        .quasi_identifier("age", ages)
        .sensitive("disease")
        .privacy("outside-common", json!({ "least": least }))
        .method("optimal", json!({ "metric": "outside-changed", "suppression-limit": 0 }))
        .build()?
        .over(batches())
        .resolve()?;
    Job::seeded(Seed::from_number(1)).run(|context| {
        let mut table = Session::open(&recipe, &RunOptions::default(), context)?.read(context)?;
        let certified = table.search(context)?.in_memory(context)?.certify(context)?;
        let finding =
            certified.findings().iter().find(|finding| finding.promise == "outside-common").unwrap();
        let manifest = certified.manifest();
        let changed = manifest.utility["outside-changed"]["value"].as_f64().unwrap();
        Ok((changed, finding.state, manifest.classes))
    })
}

#[test]
fn a_metric_and_a_model_from_outside_decide_on_a_release() {
    add();
    assert_eq!(released(2).unwrap(), (0.0, State::Held, 3), "every decade as it was");
    let (changed, state, classes) = released(4).unwrap();
    assert_eq!((changed, state), (1.0, State::Held));
    assert!(classes < 3, "{classes} classes");
    let refused = released(1).unwrap_err().to_string();
    assert!(refused.contains("least must be at least 2"), "{refused}");
}

/// The crates that this one depends on, which a program outside does not name.
fn others() -> impl Iterator<Item = String> {
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split("dependencies]\n").skip(1).flat_map(str::lines);
    let names = dependencies.filter_map(|line| line.split_once([' ', '.', '=']).map(|(name, _)| name));
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(|name| name.replace('-', "_"))
}

/// Whether a text names something of a crate by the crate's own name.
fn names(text: &str, name: &str) -> bool {
    let path = format!("{name}::");
    let is_own = |at: usize| !text[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric());
    text.match_indices(&path).any(|(at, _)| is_own(at))
}

#[test]
fn nothing_here_names_another_crate() {
    // This file up to here: below it says what it looks for.
    let here = include_str!("main.rs").split("/// The crates that this one").next().unwrap_or_default();
    let texts = [here, include_str!("metric.rs"), include_str!("model.rs")];
    let others: Vec<String> = others().collect();
    assert!(
        others.contains(&"velamen_search".to_owned()) && others.contains(&"serde".to_owned()),
        "{others:?}"
    );
    assert!(
        names("use serde::Deserialize;", "serde") && !names("use velamen::registries::serde::X;", "serde")
    );
    for other in &others {
        assert!(!texts.iter().any(|text| names(text, other)), "{other}");
    }
}
