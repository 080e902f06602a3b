//! Counterfeits under every model that padding can meet, at lattice nodes, in Mondrian's parts and in
//! clusters, against naive definitions that share no code with the methods.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_core::plan::{Counterfeits, Fate};
use velamen_core::release::{Release, SUPPRESSED, apply, apply_local};
use velamen_measure::risk::minimality;
use velamen_search::method::h_ceiling::local::Parts;
use velamen_search::method::h_ceiling::padding::Padding;
use velamen_search::method::h_ceiling::{Demand, Draw, HCeiling, HCeilingParams, Limits};
use velamen_search::method::{MethodError, Suppress};
use velamen_search::model;
use velamen_search::model::Bound;
use velamen_search::model::people::Tally;
use velamen_testsuite::{Case, Floor, bound_to, cases, models, on_threads, share, with_context};

/// The models that padding can meet: all but those about the population.
fn paddable() -> Vec<(&'static str, Value)> {
    let of_records = |name: &str| model::find(name).is_some_and(|entry| !entry.terms.facts.population);
    let private = ["population-uniqueness", "differential-privacy"];
    models::examples().into_iter().filter(|(name, _)| of_records(name) && !private.contains(name)).collect()
}

#[derive(Debug, Clone)]
struct Task {
    parts: Parts,
    params: HCeilingParams,
    model: (&'static str, Value),
    seed: u64,
}

/// As published, or with limits of some kind.
fn limits() -> impl Strategy<Value = Limits> {
    let limited = (0.0..1.0, 0.0..0.6, 1u64..4);
    let limited = limited.prop_map(|(counterfeits, suppressed, least_real)| Limits {
        counterfeits,
        suppressed,
        least_real,
    });
    prop_oneof![Just(Limits::default()), limited]
}

fn tasks() -> impl Strategy<Value = Task> {
    let parts = prop_oneof![Just(Parts::FullDomain), Just(Parts::Mondrian), Just(Parts::Clustering)];
    let padding = prop_oneof![Just(Padding::Random), Just(Padding::Exact)];
    let draw = prop_oneof![Just(Draw::Near), Just(Draw::Empirical), Just(Draw::Uniform)];
    let group_classes = prop_oneof![Just(2u64), Just(100)];
    let h = proptest::option::of(0.0..1.0);
    let suppress = prop_oneof![Just(Suppress::Record), Just(Suppress::QuasiIdentifiers)];
    let draw = (draw, group_classes, limits(), suppress, any::<bool>());
    (parts, padding, draw, h, 1u64..4, proptest::sample::select(paddable()), 0u64..1000).prop_map(
        |(parts, padding, (draw, group_classes, limits, suppress, counterfeits_count), h, k, model, seed)| {
            let catalog_risk = (model.0 == "catalog-risk").then(|| model.1["risk"].as_f64()).flatten();
            let most = HCeilingParams { catalog_risk, ..HCeilingParams::default() };
            let params = HCeilingParams {
                k,
                h,
                padding,
                draw,
                limits,
                beyond: true,
                beyond_sizes: models::is_table_level(model.0) || BY_SIZE.contains(&model.0),
                group_classes,
                suppress,
                counterfeits_count,
                ..most
            };
            Task { parts, params, model, seed }
        },
    )
}

/// A release, and what is known of its plan: counterfeits by class, the classes, and the place of each released one.
type Made = (Release, Vec<Counterfeits>, ClassTable, Vec<usize>);

/// The plan's classes that are kept, in the order of the released codes: the ids are places in it.
fn order(classes: &ClassTable, kept: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes.len()).filter(|&class| kept(class)).collect();
    order.sort_by_key(|&class| classes.codes(class).to_vec());
    order
}

/// The release, and by class of the plan its codes and counterfeits.
fn release(case: &Case, task: &Task) -> Result<Made, MethodError> {
    let table = case.table();
    let bind = |released: &Tally| -> Result<Vec<Bound>, Problem> {
        bound_to(task.model.0, &task.model.1, &table, &released.counts)
            .map(|bound| vec![bound])
            .map_err(Problem::from)
    };
    let method = HCeiling::try_from(task.params).unwrap();
    with_context(task.seed, |context: &Context<'_>| {
        if task.parts == Parts::FullDomain {
            let (plan, _) = method.plan(&table, &table.lattice(), &bind, context)?;
            let release = apply(&table, &plan, context.seed).0;
            let order = order(&plan.classes, |class| plan.fates[class] == Fate::Keep);
            return Ok((release, plan.counterfeits, plan.classes, order));
        }
        let rules: Vec<Rule> =
            case.hierarchies.iter().map(|rows| Rule::Table(TableRule::new(rows.clone()).unwrap())).collect();
        let rules: Vec<&Rule> = rules.iter().collect();
        let (plan, _) = method.local_plan(&table, task.parts, (&rules, &[]), &Demand::of(&bind), context)?;
        let classes = ClassTable::of_plan(&plan, &table, 0);
        let order = order(&classes, |_| true);
        Ok((apply_local(&table, &plan, context.seed), plan.counterfeits, classes, order))
    })
}

/// Per class the sensitive values of its released records, and those of suppressed ones.
fn classes(release: &Release) -> (Vec<Vec<&str>>, Vec<&str>) {
    let (mut classes, mut suppressed) = (vec![Vec::new(); release.sizes.len()], Vec::new());
    for row in &release.rows {
        let value =
            release.rest.columns[0].values[release.rest.codes[0][row.rest as usize] as usize].as_str();
        let class = if row.class == SUPPRESSED { &mut suppressed } else { &mut classes[row.class as usize] };
        class.extend(std::iter::repeat_n(value, row.count as usize));
    }
    (classes, suppressed)
}

/// The models that ask of a class for its size alone.
const BY_SIZE: [&str; 2] = ["k-anonymity", "catalog-risk"];

/// The sensitive values of the real records of a class of the plan.
fn real_values<'a>(table: &'a FrequencyTable, plan: &ClassTable, class: usize) -> Vec<&'a str> {
    let name = |code: u32| table.rest.columns[0].values[code as usize].as_str();
    plan.sensitive(class).iter().flat_map(|&(code, n)| std::iter::repeat_n(name(code), n as usize)).collect()
}

/// D(r) of a class by the leaves of its labels.
fn degree(case: &Case, release: &Release, class: usize) -> f64 {
    let cell = |(q, &code): (usize, &u32)| {
        let rows = &case.hierarchies[q];
        let label = release.qis[q].label(code);
        let level = (0..rows[0].len()).find(|&level| rows.iter().any(|row| row[level] == label)).unwrap();
        let leaves = rows.iter().filter(|row| row[level] == label).count();
        if rows.len() < 2 { 0.0 } else { (leaves - 1) as f64 / (rows.len() - 1) as f64 }
    };
    release.class(class).iter().enumerate().map(cell).sum::<f64>() / case.qis() as f64
}

/// Lemma 1 by its words, on the plan's classes: real records of the value in the other classes of the
/// group of the catalog.
fn lemma_1(
    table: &FrequencyTable,
    release: &Release,
    counterfeits: &[Counterfeits],
    plan: &ClassTable,
    order: &[usize],
    spare: impl Fn(usize, &str, u64) -> u64,
) -> bool {
    let id = |class: usize| order.iter().position(|&c| c == class).unwrap() as u64 + 1;
    let value = |code: u32| &table.rest.columns[0].values[code as usize];
    counterfeits.iter().all(|own| {
        own.values.iter().all(|&(code, count)| {
            let row = release
                .catalog
                .iter()
                .find(|row| row.value == *value(code) && row.classes.contains(&id(own.class as usize)));
            let others =
                row.into_iter().flat_map(|row| row.classes.iter()).filter(|&&c| c != id(own.class as usize));
            let conceal = |&c: &u64| {
                let class = order[c as usize - 1];
                spare(class, value(code), plan.count(class, code))
            };
            count <= others.map(conceal).sum()
        })
    })
}

static PADDED: Floor = Floor::new();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(share(400)))]

    fn padding_makes_every_model_hold_each(case in cases(6..60), task in tasks()) {
        let (name, parameters) = &task.model;
        let mut bounded = parameters["theta"].as_object().into_iter().flatten();
        prop_assume!(bounded.all(|(value, _)| case.rows.iter().any(|row| row[case.qis()] == *value)));
        PADDED.begin();
        let run = |threads| on_threads(threads, || release(&case, &task));
        let (release, counterfeits, plan, order) = match (run(1), run(2)) {
            (Ok(one), Ok(two)) => {
                prop_assert_eq!(&one.0.rows, &two.0.rows);
                prop_assert_eq!(&one.0.catalog, &two.0.catalog);
                one
            }
            (Err(one), Err(two)) => { prop_assert_eq!(one, two); return Ok(()) }
            _ => return Err(TestCaseError::fail("threads matter")),
        };
        PADDED.real();
        let (released, suppressed) = classes(&release);
        let table = case.table();
        let everyone: Vec<&str> = released.iter().flatten().chain(&suppressed).copied().collect();
        let limits = task.params.limits;
        prop_assert!(suppressed.len() as f64 <= limits.suppressed * case.rows.len() as f64 + 1e-6);
        prop_assert!(release.counterfeits() as f64 <= limits.counterfeits * everyone.len() as f64 + 1e-6);
        if models::is_table_level(name) {
            let sizes: Vec<usize> = released.iter().map(Vec::len).collect();
            prop_assert!(models::table_holds(name, parameters, &sizes, 0), "{} fails", name);
        } else {
            // What is compared is what the release shows: suppressed records that show no values are no part of it.
            let hides = task.params.suppress == Suppress::Record;
            let shown: Vec<&str> = released.iter().flatten().chain(suppressed.iter().filter(|_| !hides)).copied().collect();
            for class in &released {
                prop_assert!(models::holds(name, parameters, class, &shown), "{} fails {:?}", name, class);
            }
        }
        let real: Vec<Vec<&str>> = order.iter().map(|&class| real_values(&table, &plan, class)).collect();
        let alone = !task.params.counterfeits_count;
        let hidden = task.params.suppress == Suppress::Record;
        let apart = suppressed.iter().filter(|_| !hidden);
        let all_real: Vec<&str> = real.iter().flatten().chain(apart).copied().collect();
        let of_values = |class: &[&str]| {
            // The size of a class is that of all records.
            let mut asked = parameters.clone();
            asked.as_object_mut().map(|asked| asked.remove("k"));
            models::is_table_level(name) || BY_SIZE.contains(name) || models::holds(name, &asked, class, &all_real)
        };
        if alone {
            for class in &real {
                prop_assert!(of_values(class), "the real records of {:?} fail {}", class, name);
            }
        }
        for (class, values) in released.iter().enumerate() {
            prop_assert!(values.len() as u64 >= task.params.k);
            prop_assert!(task.params.h.is_none_or(|h| degree(&case, &release, class) <= h + 1e-9));
        }
        // The originals are all there, and what is more is what the catalog says.
        let mut left: BTreeMap<&str, i64> = BTreeMap::new();
        everyone.iter().for_each(|value| *left.entry(value).or_default() += 1);
        case.rows.iter().for_each(|row| *left.entry(&row[case.qis()]).or_default() -= 1);
        release.catalog.iter().for_each(|row| *left.entry(&row.value).or_default() -= row.count as i64);
        prop_assert!(left.values().all(|&count| count == 0));
        let spare = |class: usize, value: &str, count: u64| {
            let own = || real_values(&table, &plan, class);
            let without = |gone: u64| -> Vec<&str> {
                let (of_value, others): (Vec<&str>, Vec<&str>) = own().into_iter().partition(|other| *other == value);
                of_value.into_iter().skip(gone as usize).chain(others).collect()
            };
            let stays = |gone: &u64| Some(without(*gone)).filter(|left| !left.is_empty()).is_some_and(|left| of_values(&left));
            if alone && !BY_SIZE.contains(name) { (0..=count).rev().find(stays).unwrap_or(0) } else { count }
        };
        prop_assert!(lemma_1(&table, &release, &counterfeits, &plan, &order, spare));
        let largest = HCeiling::try_from(task.params).unwrap().largest_padded();
        // Where padding is exact, the size of a class shows whether it was padded, as published.
        if task.params.padding == Padding::Random {
            prop_assert_eq!(minimality::attack(&release, task.params.k, largest, None).located, 0);
        }
    }
}

#[test]
fn padding_makes_every_model_hold() {
    padding_makes_every_model_hold_each();
    PADDED.at_least(80);
}

/// The property above says nothing about tasks without a release: most must have one.
#[test]
fn most_tasks_have_a_release() {
    let mut runner = TestRunner::deterministic();
    let mut found = 0;
    for _ in 0..200 {
        let case = cases(6..60).new_tree(&mut runner).unwrap().current();
        let task = tasks().new_tree(&mut runner).unwrap().current();
        found += usize::from(release(&case, &task).is_ok());
    }
    assert!(found > 100, "{found} of 200");
}
