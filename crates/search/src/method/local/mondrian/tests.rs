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
    plan_by(CutBy::Widest, rules, records, k, partitioning)
}

fn plan_by(
    cuts: CutBy,
    rules: &[&Rule],
    records: &[&[&str]],
    k: u64,
    partitioning: Partitioning,
) -> LocalPlan {
    let table = table(rules, records);
    let entry = model::find("k-anonymity").unwrap();
    let model = (entry.parse)(serde_json::json!({ "k": k })).unwrap();
    let judge = model.bind(&Distribution::default()).unwrap();
    let models = [Bound { judge, column: None, monotonicity: entry.monotonicity, population: false }];
    let (seed, cancel) = (velamen_dp::Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    // As the papers print them.
    let is_number =
        |q: usize| records.iter().all(|record| record[q].is_empty() || record[q].parse::<f64>().is_ok());
    let step =
        |q: usize| is_number(q).then_some(Step::Number(1.0)).filter(|_| !matches!(rules[q], Rule::Table(_)));
    let steps: Vec<Option<Step>> = (0..rules.len()).map(step).collect();
    MondrianTask {
        models: &models,
        least_size: k,
        partitioning,
        recoding: Released::Ranges,
        cuts,
        rules,
        steps: &steps,
        expired: None,
    }
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

/// Σ over records and attributes of the share of the domain that a cell covers.
fn loss(plan: &LocalPlan, domains: &[u64]) -> f64 {
    let of_class = |(codes, members): (&[u32], &Vec<Member>)| {
        let records: u64 = members.iter().map(|member| member.1).sum();
        let cells = codes.iter().zip(&plan.values).zip(domains);
        let cell = |((&code, values), &domain): ((&u32, &Vec<_>), &u64)| {
            let value: &velamen_core::recoding::ReleasedValue = &values[code as usize];
            (value.leaves - 1) as f64 / (domain - 1) as f64
        };
        records as f64 * cells.map(cell).sum::<f64>()
    };
    plan.codes.chunks(domains.len()).zip(&plan.members).map(of_class).sum()
}

#[test]
fn a_rare_child_keeps_no_frequent_one_from_being_released() {
    let rows = ["a", "b", "c"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]);
    let rule = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
    let records = [&["a"][..], &["a"], &["a"], &["b"], &["b"], &["b"], &["c"]];
    let classes = |cuts| plan_by(cuts, &[&rule], &records, 3, Partitioning::Strict).members.len();
    assert_eq!((classes(CutBy::Widest), classes(CutBy::Loss)), (1, 2));
}

#[test]
fn cuts_by_loss_lose_less_where_one_value_is_frequent() {
    // More combinations than are gathered without a cut; most records have 0 in the first attribute.
    let (first, second, third) = (interval(999), interval(999), interval(9));
    let number = |n: u64, m: u64| ((n * 7919 + 13) % m).to_string();
    let record = |n: u64| {
        let first = if n.is_multiple_of(4) { number(n, 997) } else { "0".to_owned() };
        [first, number(n * n, 991), number(n, 7)]
    };
    let texts: Vec<[String; 3]> = (0..4000).map(record).collect();
    let records: Vec<Vec<&str>> = texts.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let records: Vec<&[&str]> = records.iter().map(Vec::as_slice).collect();
    let rules = [&first, &second, &third];
    let plan = |cuts| plan_by(cuts, &rules, &records, 5, Partitioning::Strict);
    let (widest, by_loss) = (plan(CutBy::Widest), plan(CutBy::Loss));
    let domains = [1000, 1000, 10];
    let size = |plan: &LocalPlan| plan.members.iter().flatten().map(|member| member.1).sum::<u64>();
    assert_eq!((size(&widest), size(&by_loss)), (4000, 4000));
    assert!(by_loss.members.iter().all(|class| class.iter().map(|member| member.1).sum::<u64>() >= 5));
    assert!(loss(&by_loss, &domains) < 0.9 * loss(&widest, &domains));
}
