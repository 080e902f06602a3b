//! Classes at lattice nodes, and searches over them, on a made-up table of the shape of a census
//! extract: nine quasi-identifiers, 30 162 records, 12 960 nodes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use divan::{Bencher, black_box};
use rayon::prelude::*;
use serde_json::json;
use velamen_core::classes::{Coding, Space};
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{Counted, FrequencyTable, QuasiIdentifier, Rest, RestColumn, Role};
use velamen_core::hierarchy::{Rule, TOP, TableRule};
use velamen_core::lattice::Node;
use velamen_dp::Seed;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::FullDomain;
use velamen_search::method::optimal;
use velamen_search::method::search::{Budget, FoundNode};
use velamen_search::metric::MetricOptions;
use velamen_search::model::{Bound, Distribution};
use velamen_search::{metric, model};

/// Per quasi-identifier, how many values there are at each level below the top.
const WIDTHS: [&[usize]; 9] =
    [&[2], &[72, 15, 8, 5], &[5], &[7, 2], &[16, 5, 3], &[41, 5], &[7, 3], &[14, 3], &[2]];

/// Values of the sensitive attribute.
const SENSITIVE: usize = 14;

const RECORDS: usize = 30_162;

fn main() {
    divan::main();
}

/// Numbers below 1, the small ones more often, as codes of real attributes are.
fn skewed() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 / (1u64 << 53) as f64).powi(5)
    }
}

/// Every other hierarchy keeps the order of its values, as intervals do and groups of names do not.
fn quasi_identifier(number: usize, widths: &[usize]) -> QuasiIdentifier {
    let ordered = number % 2 == 1;
    let row = |leaf: usize| {
        let path = widths.windows(2).scan(leaf, |code, width| {
            *code = if ordered { *code * width[1] / width[0] } else { *code % width[1] };
            Some(format!("{}.{code}", width[1]))
        });
        std::iter::once(leaf.to_string()).chain(path).chain([TOP.to_owned()]).collect()
    };
    let rule = TableRule::new((0..widths[0]).map(row).collect()).expect("groups nest");
    let values = (0..widths[0]).map(|leaf| leaf.to_string()).collect();
    QuasiIdentifier { name: format!("q{number}"), hierarchy: Rule::Table(rule).over(values, false).1 }
}

fn table() -> FrequencyTable {
    let mut share = skewed();
    let mut entries: BTreeMap<(Vec<u32>, u32), u64> = BTreeMap::new();
    for _ in 0..RECORDS {
        let mut code = |width: usize| (share() * width as f64) as u32;
        let codes = WIDTHS.iter().map(|widths| code(widths[0])).collect();
        *entries.entry((codes, code(SENSITIVE))).or_default() += 1;
    }
    let values = (0..SENSITIVE).map(|value| value.to_string()).collect();
    let sensitive = RestColumn { name: "s".into(), role: Role::Sensitive, values };
    let all = (0..SENSITIVE as u32).collect();
    FrequencyTable {
        qis: WIDTHS.iter().enumerate().map(|(q, widths)| quasi_identifier(q, widths)).collect(),
        rest: Rest { columns: vec![sensitive], codes: vec![all], len: SENSITIVE },
        codes: (0..WIDTHS.len()).map(|q| entries.keys().map(|(codes, _)| codes[q]).collect()).collect(),
        rest_index: entries.keys().map(|(_, rest)| *rest).collect(),
        counts: entries.into_values().collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

/// Whether cells are kept apart by the sensitive attribute.
const KEPT_APART: [bool; 2] = [false, true];

fn space(table: &FrequencyTable, apart: bool) -> Space<1> {
    Space::new(table, Coding::new(table, if apart { &[0] } else { &[] }).as_ref())
}

/// One node of a space that holds no other.
#[divan::bench(args = KEPT_APART)]
fn node(bencher: Bencher<'_, '_>, apart: bool) {
    let table = table();
    let node = Node(vec![0, 2, 1, 1, 1, 1, 1, 1, 0]);
    bencher.with_inputs(|| space(&table, apart)).bench_values(|space| space.cells(&node));
}

/// All nodes, and the size of all their classes.
#[divan::bench(args = KEPT_APART, sample_count = 5, sample_size = 1)]
fn all_nodes(bencher: Bencher<'_, '_>, apart: bool) {
    let table = table();
    let lattice = table.lattice();
    let nodes: Vec<Node> =
        (0..lattice.len().expect("few nodes") as usize).map(|index| lattice.node(index)).collect();
    bencher.bench(|| {
        let space = space(&table, apart);
        let small = |node: &Node| {
            let cells = space.cells(node);
            space.runs(&cells).filter(|run| run.iter().map(|cell| cell.count).sum::<u64>() < 5).count()
        };
        nodes.par_iter().map(small).sum::<usize>()
    });
}

/// 5-anonymity, without and with 5 % of the records suppressed.
#[divan::bench(args = [0, 5], sample_count = 5, sample_size = 1)]
fn optimal(bencher: Bencher<'_, '_>, percent: u64) {
    let table = table();
    bencher.bench(|| search(black_box(&table), percent));
}

fn search(table: &FrequencyTable, percent: u64) -> FoundNode {
    let entry = model::find("k-anonymity").expect("the model is registered");
    let parsed = (entry.parse)(json!({ "k": 5 })).expect("a valid k");
    let judge = parsed.bind(&Distribution::default()).expect("the model looks at no attribute");
    let loss = metric::find("loss").expect("loss is in the registry");
    let metric = (loss.bind)(&Counted::of(table), &MetricOptions::default());
    let demand = Demand {
        models: &[Bound { judge, column: None, monotonicity: entry.monotonicity, population: false }],
        metric: &*metric,
        most_outliers: table.records() * percent / 100,
        outliers: Outliers::Suppress,
        assume_monotone: false,
        hidden: None,
    };
    let optimal =
        FullDomain { demand, lattice: None, strategy: optimal::STRATEGY, budget: Budget::default() };
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    optimal.search(table, &context).expect("the top holds")
}
