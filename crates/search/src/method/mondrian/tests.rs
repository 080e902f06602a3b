use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;
use velamen_core::frequency::{QuasiIdentifier, Rest};
use velamen_core::hierarchy::{Cuts, IntervalRule, TableRule};
use velamen_core::recoding::LocalPlan;

use super::*;
use crate::model::{self, Distribution};

fn interval(max: i64) -> Rule {
    Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![10]), 0, max, 0).unwrap())
}

/// A table of records without other columns.
fn table(rules: &[&Rule], records: &[&[&str]]) -> FrequencyTable {
    let mut table = FrequencyTable {
        qis: Vec::new(),
        rest: Rest { len: 1, ..Rest::default() },
        codes: Vec::new(),
        rest_index: vec![0; records.len()],
        counts: vec![1; records.len()],
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    };
    for (q, rule) in rules.iter().enumerate() {
        let mut values: Vec<String> = records.iter().map(|record| record[q].to_owned()).collect();
        values.sort();
        values.dedup();
        let (leaves, hierarchy) = rule.over(values, false);
        let code = |record: &&[&str]| leaves.iter().position(|leaf| leaf == record[q]).unwrap() as u32;
        table.codes.push(records.iter().map(code).collect());
        table.qis.push(QuasiIdentifier { name: format!("q{q}"), hierarchy });
    }
    table
}

fn plan(rules: &[&Rule], records: &[&[&str]], k: u64, partitioning: Partitioning) -> LocalPlan {
    let table = table(rules, records);
    let entry = model::find("k-anonymity").unwrap();
    let model = (entry.parse)(serde_json::json!({ "k": k })).unwrap();
    let judge = model.bind(&Distribution::default()).unwrap();
    let models = [Bound { judge, column: None, monotonicity: entry.monotonicity, population: false }];
    let (seed, cancel) = (velamen_dp::Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    Mondrian { models: &models, least_size: k, partitioning, recoding: Released::Ranges, rules }
        .plan(&table, &context)
        .unwrap()
}

/// The labels and sizes of the classes.
fn classes(plan: &LocalPlan) -> Vec<(Vec<&str>, u64)> {
    let codes = plan.codes.chunks(plan.values.len());
    let labels = |codes: &[u32]| {
        codes.iter().zip(&plan.values).map(|(&code, values)| values[code as usize].label.as_str()).collect()
    };
    codes.map(labels).zip(plan.members.iter().map(|m| m.iter().map(|m| m.1).sum())).collect()
}

/// LeFevre 2006, Figure 1: six patients by sex, age and zip code.
const PATIENTS: [&[&str]; 6] = [
    &["Male", "25", "53711"],
    &["Female", "25", "53712"],
    &["Male", "26", "53711"],
    &["Male", "27", "53710"],
    &["Female", "27", "53712"],
    &["Male", "28", "53711"],
];

#[test]
fn the_papers_patients() {
    let rules = [&Rule::Flat, &Rule::Flat, &Rule::Flat];
    let plan = plan(&rules, &PATIENTS, 2, Partitioning::Strict);
    let classes = classes(&plan);
    // The published multidimensional 2-anonymization, which no full-domain recoding reaches.
    let published = [
        (vec!["Female", "[25-27]", "53712"], 2),
        (vec!["Male", "[25-26]", "53711"], 2),
        (vec!["Male", "[27-28]", "[53710-53711]"], 2),
    ];
    assert_eq!(classes, published);
}

#[test]
fn relaxed_cuts_split_equal_values() {
    let age = interval(99);
    let records: Vec<&[&str]> = vec![&["30"][..]; 8].into_iter().chain(vec![&["31"][..]; 2]).collect();
    let strict = plan(&[&age], &records, 3, Partitioning::Strict);
    assert_eq!(classes(&strict), [(vec!["[30-31]"], 10)]);
    let relaxed = plan(&[&age], &records, 3, Partitioning::Relaxed);
    assert_eq!(classes(&relaxed), [(vec!["30"], 5), (vec!["[30-31]"], 5)]);
}

#[test]
fn trees_are_cut_into_children_and_released_as_nodes() {
    let rows = ["a;x;*", "b;x;*", "c;y;*", "d;y;*"];
    let rows = rows.map(|row| row.split(';').map(str::to_owned).collect());
    let tree = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
    let records: [&[&str]; 7] = [&["a"], &["a"], &["b"], &["c"], &["c"], &["d"], &["d"]];
    let plan = plan(&[&tree], &records, 2, Partitioning::Strict);
    assert_eq!(classes(&plan), [(vec!["x"], 3), (vec!["c"], 2), (vec!["d"], 2)]);
    assert_eq!(plan.values[0][0].leaves, 2);
}

#[test]
fn a_label_of_two_levels_covers_what_the_wider_one_does() {
    let rows = ["I63;I63;*", "I63.1;I63;*", "I64;I64;*"];
    let rows = rows.map(|row| row.split(';').map(str::to_owned).collect());
    let tree = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
    // Nobody has I63.1, but whoever reads I63 cannot know that.
    let plan = plan(&[&tree], &[&["I63"], &["I63"], &["I64"], &["I64"]], 2, Partitioning::Strict);
    assert_eq!(classes(&plan), [(vec!["I63"], 2), (vec!["I64"], 2)]);
    let values: Vec<_> = plan.values[0].iter().map(|value| (value.leaves, value.level)).collect();
    assert_eq!(values, [(2, 1), (1, 0)]);
}

#[test]
fn missing_values_are_in_no_range() {
    let age = interval(99);
    let records: [&[&str]; 6] = [&[""], &[""], &["1"], &["2"], &["3"], &["4"]];
    let whole = plan(&[&age], &records, 4, Partitioning::Strict);
    assert_eq!(classes(&whole), [(vec!["*"], 6)]);
    let cut = plan(&[&age], &records, 2, Partitioning::Strict);
    assert_eq!(classes(&cut), [(vec![""], 2), (vec!["[1-2]"], 2), (vec!["[3-4]"], 2)]);
}
