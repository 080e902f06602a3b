use std::num::NonZeroU32;

use serde_json::Value;
use velamen_core::frequency::{Rest, RestColumn};
use velamen_core::hierarchy::Definition;
use velamen_core::impossible::Impossible;
use velamen_dp::{Answers, Query};

use super::super::declared::tests::{attribute, impossible, private};
use super::*;
use crate::method::kit::declared::whole_hierarchy;
use crate::method::private::aim::entry::ENTRY as AIM;
use crate::method::private::mst::entry::ENTRY as MST;
use crate::method::private::mst::tests::{in_context, table};
use crate::method::{Entry, Records};

/// Four values, two for each label above them.
fn qi(name: &str) -> Attribute {
    let row = |value: usize| vec![format!("v{value}"), format!("w{}", value / 2), "*".to_owned()];
    attribute(name, Role::QuasiIdentifier, Some(Definition::Table { rows: (0..4).map(row).collect() }))
}

fn of_persons() -> Attribute {
    Attribute { records_per_person: NonZeroU32::new(2), ..attribute("whose", Role::Person, None) }
}

fn asked(entry: &Entry, keys: Value, task: &Task<'_>) -> Arc<dyn Method> {
    let Value::Object(keys) = keys else { panic!() };
    (entry.parse)(keys, task).ok().unwrap()
}

/// A thousand records of two attributes over their whole domains: the second follows the first.
fn records() -> FrequencyTable {
    let codes = vec![(0..4).collect(), vec![1, 0, 3, 2]];
    let mut table = FrequencyTable { counts: vec![400, 300, 200, 100], ..table(&[4, 4], codes) };
    for (qi, attribute) in table.qis.iter_mut().zip([qi("a"), qi("b")]) {
        (qi.name, qi.hierarchy) = (attribute.name.clone(), whole_hierarchy(&attribute).unwrap());
    }
    table
}

#[test]
fn what_is_stated_is_what_was_asked_for() {
    let models = [private()];
    let alone = [qi("a"), qi("b")];
    let with_person = [qi("a"), of_persons()];
    let of = |entry: &Entry, keys: Value, attributes: &[Attribute]| {
        let task = Task::new(attributes, &models);
        Value::Object(asked(entry, keys, &task).statement(&task).entries().clone())
    };
    let spent = json!([{ "step": "measurements", "epsilon": "1/2", "delta": "1/1000000000" }]);
    let mst = json!({
        "name": "mst", "epsilon": 0.5, "delta": 1e-9, "model-cells": 1 << 20, "unit": "record", "suppression-limit": 1.0, "spent": spent,
    });
    assert_eq!(of(&MST, json!({}), &alone), mst);
    let persons = of(&MST, json!({ "model-cells": 77 }), &with_person);
    assert_eq!((&persons["unit"], &persons["model-cells"]), (&json!("person"), &json!(77)));
    let aim = of(&AIM, json!({}), &alone);
    assert_eq!(
        (&aim["name"], &aim["model-cells"], &aim["max-cells"]),
        (&json!("aim"), &json!(131_072), &json!(10_000))
    );
    assert_eq!(
        (&aim["epsilon"], &aim["delta"], &aim["spent"]),
        (&mst["epsilon"], &mst["delta"], &mst["spent"])
    );
    let aim = of(&AIM, json!({ "max-cells": 5, "model-cells": 6 }), &with_person);
    assert_eq!(
        (&aim["model-cells"], &aim["max-cells"], &aim["unit"]),
        (&json!(6), &json!(5), &json!("person"))
    );
}

#[test]
fn records_are_invented_and_private() {
    for entry in [&MST, &AIM] {
        let facts = (entry.facts)(&Map::new());
        assert!(facts.records == Records::Invented && facts.private);
        assert!(!facts.persons && !facts.wildcards && !facts.population);
    }
}

/// By what is declared: combinations that leave nothing, and noise that no attribute bears.
#[test]
fn what_a_recipe_declares_is_refused_before_a_table_is_read() {
    let (models, attributes) = ([private()], [qi("a"), qi("b")]);
    let refused = |entry: &Entry, impossible: &[Impossible]| {
        let task = Task { impossible, ..Task::new(&attributes, &models) };
        asked(entry, json!({}), &task).refuse_impossible(&task).err().map(|problem| problem.to_string())
    };
    let all = [impossible(&["w0", "w1"], "b", &["w0", "w1"])];
    for entry in [&MST, &AIM] {
        assert_eq!(refused(entry, &[]), None);
        assert!(refused(entry, &all).unwrap().contains("no record possible"));
    }
    let mut little = private();
    little.model = (little.entry.parse)(json!({ "epsilon": 1e-7, "delta": 1e-9 })).ok().unwrap();
    let (models, attributes) = ([little], vec![qi("a"); 9]);
    let task = Task::new(&attributes, &models);
    for entry in [&MST, &AIM] {
        let refused = asked(entry, json!({}), &task).refuse_impossible(&task).unwrap_err().to_string();
        assert!(refused.contains("epsilon is so small"), "{refused}");
    }
}

/// An auditor's keeper hears of every query, and which records of a person are counted.
#[test]
fn an_auditor_opens_the_door() {
    let (models, attributes) = ([private()], [qi("a"), qi("b"), of_persons()]);
    let task = Task::new(&attributes, &models);
    let column =
        RestColumn { name: "whose".into(), role: Role::Person, values: vec!["one".into(), "two".into()] };
    let rest = Rest { columns: vec![column], codes: vec![vec![0, 1]], len: 2 };
    // Both persons have far more than two records.
    let table = FrequencyTable { rest, rest_index: vec![0, 0, 1, 1], ..records() };
    for entry in [&MST, &AIM] {
        let keeper = Arc::new(Doorkeeper::new(Answers::Drawn));
        let method = asked(entry, json!({}), &task).audited(&keeper).unwrap();
        in_context(1, |context| method.run(&table, &task, context)).unwrap();
        let passed = keeper.passed();
        let Query::Noise { counts, sensitivity, .. } = &passed.tape.0[0].query else { panic!() };
        assert_eq!((counts.iter().sum::<i64>(), *sensitivity), (4, 2));
        assert_eq!(passed.paid.len(), passed.tape.0.len());
    }
}

/// Bins are counted; what is released, and stated as its level, is a value of each.
#[test]
fn bins_are_counted_and_values_released() {
    let (models, mut attributes) = ([private()], [qi("a"), qi("b")]);
    attributes[1].bins = 1;
    let task = Task::new(&attributes, &models);
    let table = records();
    assert_eq!(counted(&table, &task, &Node(vec![0, 0])), Node(vec![0, 1]));
    assert_eq!(counted(&table, &task, &Node(vec![1, 2])), Node(vec![1, 2]));
    for entry in [&MST, &AIM] {
        let decision =
            in_context(1, |context| asked(entry, json!({}), &task).run(&table, &task, context)).unwrap();
        let measured = &decision.stated[MEASUREMENTS];
        assert_eq!(measured["levels"], json!({ "b": 1 }));
        assert_eq!(measured["domains"], json!({ "a": ["v0", "v1", "v2", "v3"], "b": ["w0", "w1"] }));
    }
}
