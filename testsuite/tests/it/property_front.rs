//! The nodes that a front is made of: what is left out without a look is never one.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use velamen_core::attribute::Attribute;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::lattice::{Lattice, Node};
use velamen_search::method::{self, Look, Method, Point, Task};
use velamen_search::model::{self, Asked};
use velamen_testsuite::models::examples;
use velamen_testsuite::{Case, Floor, cases, on_threads, share, with_context};

fn sensitive() -> Attribute {
    Attribute {
        name: "s".into(),
        role: Role::Sensitive,
        definition: None,
        rule: Arc::new(Rule::Flat),
        weight: 1.0,
        levels: (0, 0),
        levels_asked: false,
        bottom: None,
        top: None,
        step: None,
        from_data: false,
        records_per_person: None,
        missing: false,
        bins: 0,
        intended: false,
    }
}

fn asked(name: &str, parameters: &Value) -> Asked {
    let entry = model::find(name).unwrap();
    let attribute = entry.terms.facts.sensitive.then(|| "s".to_owned());
    Asked { entry, model: (entry.parse)(parameters.clone()).unwrap(), attribute, shield: None }
}

fn method(section: &Map<String, Value>, task: &Task<'_>) -> Arc<dyn Method> {
    let (entry, keys) = method::find(section).unwrap();
    (entry.parse)(keys, task).unwrap()
}

/// What a method finds at some nodes, by node.
fn points(
    method: &dyn Method,
    table: &FrequencyTable,
    task: &Task<'_>,
    (lattice, nodes): (&Lattice, &[Node]),
) -> Vec<Point> {
    let mut points = Vec::new();
    let mut take = |point: Point| points.push(point);
    let look = Look { lattice, nodes, take: &mut take };
    with_context(7, |context| method.nodes().unwrap().judge(table, task, look, context)).unwrap();
    points.sort_by(|a, b| a.node.cmp(&b.node));
    points
}

/// All nodes at once, from the top and from the bottom, on one thread and on two, give what each gives by itself.
fn same_at_once(floor: &Floor, case: &Case, section: &Value, models: &[Asked]) -> Result<(), TestCaseError> {
    floor.begin();
    let table = match models.iter().any(|asked| asked.entry.terms.facts.population) {
        true => case.table_with_population(),
        false => case.table(),
    };
    let attributes = [sensitive()];
    let population = table
        .population
        .as_ref()
        .map(|population| model::Population { size: population.counts.iter().sum(), table: true });
    let task = Task { population, ..Task::new(&attributes, models) };
    if task.bind(&table).is_err() {
        return Ok(());
    }
    let method = method(section.as_object().unwrap(), &task);
    let lattice = table.lattice();
    let mut nodes: Vec<Node> = (0..lattice.len().unwrap() as usize).map(|at| lattice.node(at)).collect();
    let alone: Vec<Point> = nodes
        .iter()
        .flat_map(|node| points(&*method, &table, &task, (&lattice, std::slice::from_ref(node))))
        .collect();
    for threads in [1, 2] {
        let at_once = on_threads(threads, || points(&*method, &table, &task, (&lattice, &nodes)));
        prop_assert_eq!(&at_once, &alone);
        nodes.sort_by_key(|node| std::cmp::Reverse(node.height()));
    }
    for node in &nodes {
        let decided = with_context(7, |context| method.nodes().unwrap().at(&table, &task, node, context));
        prop_assert_eq!(decided.is_ok(), alone.iter().any(|point| point.node == *node), "{:?}", node);
    }
    if !alone.is_empty() && alone.len() < nodes.len() {
        floor.real();
    }
    Ok(())
}

static OPTIMAL: Floor = Floor::new();

static PADDED: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(30)))]

    fn each_model_leaves_out_no_node_each(
        case in cases(2..40),
        limit in prop_oneof![Just(0.0), 0.0..0.5],
        name in prop_oneof![Just("optimal"), Just("suppression")],
        assume in any::<bool>(),
        second in proptest::sample::select(examples()),
    ) {
        let section = json!({ "name": name, "suppression-limit": limit, "assume-monotone": assume });
        for (name, parameters) in examples() {
            let (one, other) = (asked(name, &parameters), asked(second.0, &second.1));
            same_at_once(&OPTIMAL, &case, &section, std::slice::from_ref(&one))?;
            same_at_once(&OPTIMAL, &case, &section, &[one, other])?;
        }
    }

    fn padding_leaves_out_no_node_each(
        case in cases(2..60),
        k in 2u64..5,
        limits in (0.0..0.6, 0.0..0.4, 1u64..3),
    ) {
        let values = case.rows.iter().map(|row| &row[case.qis()]).collect::<std::collections::BTreeSet<_>>();
        prop_assume!(values.len() > 1);
        let section = json!({
            "name": "h-ceiling", "adversary-limit": 1, "counterfeit-limit": limits.0, "suppression-limit": limits.1, "least-real": limits.2,
            "group-classes": 2,
        });
        same_at_once(&PADDED, &case, &section, &[asked("k-anonymity", &json!({ "k": k }))])?;
    }
}

#[test]
fn each_model_leaves_out_no_node() {
    each_model_leaves_out_no_node_each();
    OPTIMAL.at_least(30);
}

#[test]
fn padding_leaves_out_no_node() {
    padding_leaves_out_no_node_each();
    PADDED.at_least(20);
}
