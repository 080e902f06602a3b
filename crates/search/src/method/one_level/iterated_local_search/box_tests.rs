use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::lattice::Node;
use velamen_dp::Seed;

use super::Budget;
use super::boxes::Boxes;
use super::incremental::Incremental;
use super::tests::{demanded, tables};
use crate::method::kit::evaluate::{Demand, Evaluate, Outliers, with_evaluator};
use crate::method::kit::search::{Best, NodeSearch};
use crate::metric::{self, Aggregate, Metric, MetricOptions, Score};

/// Metrics of cells with each way of putting attributes together that bounds follow from.
fn metrics() -> impl Strategy<Value = (&'static str, MetricOptions)> {
    let names = prop::sample::select(vec!["loss", "lm", "ncp", "precision", "rce"]);
    let aggregates =
        prop::sample::select(vec![Aggregate::ArithmeticMean, Aggregate::GeometricMean, Aggregate::Sum]);
    let weights = prop_oneof![Just(Vec::new()), prop::collection::vec(0.1..4.0f64, 4)];
    (names, aggregates, weights, prop_oneof![Just(0.5), 0.5..0.9f64]).prop_map(
        |(name, aggregate, weights, gs_factor)| {
            (
                name,
                MetricOptions { aggregate: Some(aggregate), weights, gs_factor, ..MetricOptions::default() },
            )
        },
    )
}

fn bound(table: &FrequencyTable, (name, options): &(&str, MetricOptions)) -> Box<dyn Metric> {
    let mut options = options.clone();
    options.weights.truncate(table.qis.len());
    (metric::find(name).unwrap().bind)(&Counted::of(table), &options)
}

/// The figures of all anonymous nodes.
fn figures(table: &FrequencyTable, evaluate: &dyn Evaluate) -> Vec<(Node, Score)> {
    let lattice = table.lattice();
    let nodes = (0..lattice.len().unwrap() as usize).map(|index| lattice.node(index));
    nodes.filter_map(|node| Some((node.clone(), evaluate.examine(&node).checked.score()?.clone()))).collect()
}

/// Calls `look` with the boxes after each wave, until it says so or nothing is left.
fn waves(
    table: &FrequencyTable,
    demand: &Demand<'_>,
    mut look: impl FnMut(&Boxes<'_>, &Best, &[(Node, Score)]) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let (lattice, incremental) = (table.lattice(), Incremental::new(table, demand).unwrap());
    let mut outcome = Ok(());
    with_evaluator(table, demand, |evaluate| {
        let budget = Budget::default();
        let search = NodeSearch { evaluate, table, lattice: &lattice, budget, context: &context };
        let figures = figures(table, evaluate);
        let (mut boxes, mut best) = (Boxes::new(&search, &incremental).unwrap(), Best::default());
        while !boxes.is_done() && outcome.is_ok() {
            boxes.wave(&search, &mut best)?;
            outcome = look(&boxes, &best, &figures);
        }
        Ok(())
    })
    .unwrap();
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn no_anonymous_node_is_below_the_bound_and_in_the_end_none_below_the_best(
        table in tables(), k in 2u64..6, limit in prop_oneof![Just(1.0), 0.0..0.6f64], metric in metrics(),
    ) {
        let metric = bound(&table, &metric);
        demanded(&table, (k, limit, Outliers::Suppress), &*metric, |demand| {
            let mut before = f64::NEG_INFINITY;
            waves(&table, &demand, |boxes, best, figures| {
                let least = figures.iter().map(|(_, score)| score.first()).fold(f64::INFINITY, f64::min);
                let near = 1e-8 * least.abs().max(1.0);
                if let Some((score, _)) = &best.0 {
                    let at_least = boxes.at_least(score).first();
                    prop_assert!(at_least <= least + near, "{at_least} is above {least}");
                    prop_assert!(at_least >= before - near, "a bound fell from {before} to {at_least}");
                    before = at_least;
                    if boxes.is_done() {
                        prop_assert!(score.first() <= least + near, "{score:?} is proven, but there is {least}");
                    }
                } else if boxes.is_done() {
                    prop_assert!(figures.is_empty(), "{figures:?} were not found");
                }
                Ok(())
            })
        })?;
    }

    #[test]
    fn a_figure_is_what_single_records_cost(table in tables(), k in 2u64..6, metric in metrics()) {
        let exact = metric.1.aggregate != Some(Aggregate::GeometricMean);
        let metric = bound(&table, &metric);
        let costs = metric.by_record().unwrap();
        demanded(&table, (k, 1.0, Outliers::Suppress), &*metric, |demand| {
            with_evaluator(&table, &demand, |evaluate| {
                for (node, score) in figures(&table, evaluate) {
                    let (classes, held) = evaluate.classes(&node);
                    let cost = |class: usize| -> f64 {
                        let of = |(q, &code): (usize, &u32)| costs.kept[q][usize::from(node.0[q])][code as usize];
                        let cost: f64 = classes.codes(class).iter().enumerate().map(of).sum();
                        assert!(cost <= costs.suppressed + 1e-9, "suppression is no gain");
                        classes.sizes[class] as f64 * if held[class] { cost } else { costs.suppressed }
                    };
                    let sum: f64 = (0..held.len()).map(cost).sum();
                    let (figure, own) = ((costs.figure)(sum / table.records() as f64), score.first());
                    let near = 1e-8 * own.abs().max(1.0);
                    assert!(figure <= own + near && (!exact || figure >= own - near), "{figure} for {own}");
                }
                Ok(())
            }).unwrap();
        });
    }
}
