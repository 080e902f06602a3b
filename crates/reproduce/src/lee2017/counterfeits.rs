//! The least number of counterfeits over all nodes that a ceiling admits.
//!
//! With exact padding a node takes Σ max(0, k − |E|) counterfeits, whatever is drawn: the least of
//! them shows how far hierarchies and ceiling alone decide the paper's numbers. One survey under the
//! highest ceiling serves the lower ones, because a node's counterfeits do not depend on h.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_recipe::JobError;
use velamen_report::chart::{Series, bars};
use velamen_search::method::h_ceiling::growth::no_models;
use velamen_search::method::h_ceiling::{DEGREE_TOLERANCE, Evaluation};
use velamen_search::metric::{CellFigures, LM, MetricOptions};

use super::runs::{Arm, HS, KS};
use crate::output::{Figure, ResultTable, cell};
use crate::sample::{self, Sample};
use crate::{Section, Trend};

/// What the nodes under one ceiling come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Least {
    pub(super) k: u64,
    pub(super) h: f64,
    /// Nodes with D(r) ≤ h for every record.
    pub(super) admitted: usize,
    /// Those of them with a safe catalog.
    pub(super) feasible: usize,
    /// The least number of counterfeits over the admitted nodes.
    pub(super) least: Option<u64>,
    /// LM at the node that reaches it; of several the one of least RCE.
    lm: f64,
    /// Its RCE, summed; infinite without a safe catalog.
    rce: f64,
}

impl Least {
    fn new(k: u64, h: f64, nodes: &[Evaluation], lm: &CellFigures) -> Self {
        let admitted = || nodes.iter().filter(|node| node.degree <= h + DEGREE_TOLERANCE);
        let order = |a: &&Evaluation, b: &&Evaluation| {
            a.counterfeits.cmp(&b.counterfeits).then(a.rce.total_cmp(&b.rce))
        };
        let least = admitted().min_by(order);
        Self {
            k,
            h,
            admitted: admitted().count(),
            feasible: admitted().filter(|node| node.rce.is_finite()).count(),
            least: least.map(|node| node.counterfeits),
            lm: least.map_or(f64::NAN, |node| lm.without_suppression(&node.node).first()),
            rce: least.map_or(f64::NAN, |node| node.rce),
        }
    }
}

/// Per k and h, in the order of [`KS`] and [`HS`].
///
/// # Errors
/// [`JobError`] of the survey.
pub(super) fn survey(table: &FrequencyTable, context: &Context<'_>) -> Result<Vec<Least>, JobError> {
    let lm = CellFigures::new(LM, &Counted::of(table), &MetricOptions::default());
    let highest = HS.iter().copied().reduce(f64::max);
    let mut all = Vec::new();
    for (done, k) in (0..).zip(KS) {
        context.check()?;
        context.progress.step("counting counterfeits", done, KS.len() as u64);
        let method = Arm::Published.method(k, highest).expect("the published method is no baseline");
        let nodes = method.survey(table, &no_models, context)?;
        all.extend(HS.iter().map(|&h| Least::new(k, h, &nodes, &lm)));
    }
    Ok(all)
}

/// `counterfeits.csv`.
///
/// # Errors
/// As [`survey`].
pub(super) fn section(sample: &Sample, context: &Context<'_>) -> Result<Section, JobError> {
    let least = survey(&sample.table, context)?;
    let row = |one: &Least| {
        vec![
            one.k.to_string(),
            one.h.to_string(),
            one.admitted.to_string(),
            one.feasible.to_string(),
            one.least.map(|least| least.to_string()).unwrap_or_default(),
            cell(one.lm),
            cell(one.rce),
        ]
    };
    let header = [
        "k",
        "h",
        "nodes under the ceiling",
        "of them with a safe catalog",
        "least counterfeits",
        "LM at that node",
        "RCE summed at that node",
    ];
    let rows = least.iter().map(row).collect();
    let series: Vec<Series> = (0..HS.len())
        .map(|i| Series {
            name: format!("h = {}", cell(HS[i])),
            values: (0..KS.len())
                .map(|k| least[k * HS.len() + i].least.map_or(f64::NAN, |least| least as f64))
                .collect(),
        })
        .collect();
    let categories = KS.map(|k| k.to_string());
    let title = "Least counterfeits under the ceiling";
    let figure = Figure {
        file: "counterfeits".into(),
        title: title.into(),
        note: "The least number of counterfeit records over all nodes with D(r) ≤ h, padded to exactly k. The node \
               of least RCE, which the method takes, may need more."
            .into(),
        table: ResultTable { header: header.map(String::from).to_vec(), rows },
        svg: bars(title, "k", "counterfeit records", &categories, &series),
    };
    Ok(Section { figures: vec![figure], trends: Vec::new() })
}

/// The h at which the paper counts counterfeits by k, and its counts.
const COUNTED_AT: f64 = 0.3;
const PUBLISHED: [u64; 3] = [125, 132, 103];

/// `choices.csv`: the same at one ceiling for every choice of seven quasi-identifiers that the paper allows, since it does not list its own.
///
/// # Errors
/// [`JobError`] of a file or a survey.
pub(super) fn choices(folder: &Path, context: &Context<'_>) -> Result<Section, JobError> {
    let mut rows: Vec<Choice> = Vec::new();
    for (number, (names, table)) in (0..).zip(sample::adult_choices(folder, context)?) {
        context.progress.step("counting counterfeits of other attributes", number, 15);
        rows.push((names, at_ceiling(&table, context)?));
    }
    let title = "Least counterfeits with other quasi-identifiers";
    let header = ["quasi-identifiers", "nodes under the ceiling", "k = 3", "k = 5", "k = 10"];
    let series: Vec<Series> = (0..KS.len())
        .map(|k| Series {
            name: format!("k = {}", KS[k]),
            values: rows
                .iter()
                .map(|(_, (_, least))| least[k].map_or(f64::NAN, |least| least as f64))
                .collect(),
        })
        .collect();
    let categories: Vec<String> = (1..=rows.len()).map(|number| number.to_string()).collect();
    let figure = Figure {
        file: "choices".into(),
        title: title.into(),
        note: "The least number of counterfeit records over all nodes with D(r) ≤ 0.3, padded to exactly k, for each choice of seven \
               quasi-identifiers with age, marital status and sex among them. No reading of the error can take fewer."
            .into(),
        table: ResultTable {
            header: header.map(String::from).to_vec(),
            rows: rows.iter().map(cells).collect(),
        },
        svg: bars(title, "choice", "counterfeit records", &categories, &series),
    };
    let all: Vec<[Option<u64>; 3]> = rows.into_iter().map(|(_, (_, least))| least).collect();
    Ok(Section { figures: vec![figure], trends: vec![trend(&all)] })
}

/// The names of a choice, how many nodes the ceiling admits, and the least counterfeits for each k.
type Choice = (String, (usize, [Option<u64>; 3]));

fn cells((names, (nodes, least)): &Choice) -> Vec<String> {
    let least = least.iter().map(|least| least.map_or_else(String::new, |least| least.to_string()));
    [names.clone(), nodes.to_string()].into_iter().chain(least).collect()
}

/// How many nodes the ceiling admits, and the least counterfeits for each k.
fn at_ceiling(table: &FrequencyTable, context: &Context<'_>) -> Result<(usize, [Option<u64>; 3]), JobError> {
    let (mut nodes, mut least) = (0, [None; 3]);
    for (k, least) in KS.into_iter().zip(&mut least) {
        context.check()?;
        let method = Arm::Published.method(k, Some(COUNTED_AT)).expect("the published method is no baseline");
        let found = method.survey(table, &no_models, context)?;
        nodes = found.len();
        *least = found.iter().map(|node| node.counterfeits).min();
    }
    Ok((nodes, least))
}

/// Whether any choice allows the published counts at all: a node can take more than the least, never fewer.
fn trend(all: &[[Option<u64>; 3]]) -> Trend {
    let allowing = all.iter().filter(|least| allows(least)).count();
    Trend::new(
        "5",
        "(not in the paper) 125, 132 and 103 counterfeits for k = 3, 5, 10 can be reached with some choice of seven quasi-identifiers",
        &format!(
            "with {allowing} of {} choices; the fewest are {} for k = 3, {} for k = 5 and {} for k = 10",
            all.len(),
            range(all, 0),
            range(all, 1),
            range(all, 2)
        ),
        allowing > 0,
    )
}

/// Whether each published count is one that a node can take.
fn allows(least: &[Option<u64>; 3]) -> bool {
    least.iter().zip(PUBLISHED).all(|(least, published)| least.is_some_and(|least| least <= published))
}

/// The fewest and the most for one k.
fn range(all: &[[Option<u64>; 3]], k: usize) -> String {
    let known = || all.iter().filter_map(move |least| least[k]);
    format!("{} to {}", known().min().unwrap_or(0), known().max().unwrap_or(0))
}
