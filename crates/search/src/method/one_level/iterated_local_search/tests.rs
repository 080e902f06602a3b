use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{Counted, FrequencyTable, QuasiIdentifier, Rest, Strays};
use velamen_core::hierarchy::{Rule, TableRule};
use velamen_core::lattice::Node;
use velamen_dp::Seed;

use super::incremental::{Incremental, Scratch};
use super::{Budget, FoundNode, MethodError, STRATEGY, Seen};
use crate::method::kit::evaluate::{Checked, Demand, Evaluate, Outliers, with_evaluator};
use crate::method::one_level::full_domain::FullDomain;
use crate::metric::{self, Aggregate, Metric, MetricOptions};
use crate::model::{self, Bound, Distribution};

/// Attributes of twelve values and three levels above them.
const VALUES: u32 = 12;

fn rule() -> Rule {
    let row = |leaf: u32| {
        vec![format!("v{leaf:02}"), format!("a{}", leaf / 3), format!("b{}", leaf / 6), "*".into()]
    };
    Rule::Table(TableRule::new((0..VALUES).map(row).collect()).unwrap())
}

fn table(mut rows: Vec<(Vec<u32>, u64)>) -> FrequencyTable {
    rows.sort();
    rows.dedup_by(|next, kept| next.0 == kept.0);
    let attributes = rows[0].0.len();
    let column = |q: usize| -> Vec<u32> { rows.iter().map(|row| row.0[q]).collect() };
    let qi = |q: usize| {
        let values = (0..VALUES).map(|leaf| format!("v{leaf:02}")).collect();
        QuasiIdentifier { name: format!("q{q}"), hierarchy: rule().over(values, false).1 }
    };
    FrequencyTable {
        qis: (0..attributes).map(qi).collect(),
        rest: Rest { len: 1, ..Rest::default() },
        codes: (0..attributes).map(column).collect(),
        rest_index: vec![0; rows.len()],
        counts: rows.iter().map(|row| row.1).collect(),
        population: None,
        strays: Strays::default(),
    }
}

pub(in crate::method) fn tables() -> impl Strategy<Value = FrequencyTable> {
    (2usize..5).prop_flat_map(|attributes| {
        let row = (prop::collection::vec(0..VALUES, attributes), 1u64..4);
        prop::collection::vec(row, 5..60).prop_map(table)
    })
}

/// Runs something with a demand of k-anonymity and a metric.
pub(in crate::method) fn demanded<T>(
    table: &FrequencyTable,
    (k, limit, outliers): (u64, f64, Outliers),
    metric: &dyn Metric,
    run: impl FnOnce(Demand<'_>) -> T,
) -> T {
    let entry = model::find("k-anonymity").unwrap();
    let model = (entry.parse)(serde_json::json!({ "k": k })).unwrap();
    let records = table.records();
    let distribution = Distribution { records, ..Distribution::default() };
    let judge = model.bind(&distribution).unwrap();
    let models = [Bound { judge, column: None, monotonicity: entry.monotonicity, population: false }];
    run(Demand {
        models: &models,
        metric,
        most_outliers: (limit * records as f64) as u64,
        outliers,
        assume_monotone: false,
        hidden: None,
    })
}

fn loss(table: &FrequencyTable, aggregate: Aggregate) -> Box<dyn Metric> {
    let options = MetricOptions { aggregate: Some(aggregate), ..MetricOptions::default() };
    (metric::find("loss").unwrap().bind)(&Counted::of(table), &options)
}

fn searched(
    table: &FrequencyTable,
    demand: Demand<'_>,
    steps: Option<u64>,
    seed: u64,
) -> Result<FoundNode, MethodError> {
    let (seed, cancel) = (Seed::from_number(seed), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let budget = Budget { steps, ..Budget::default() };
    FullDomain { demand, lattice: None, strategy: STRATEGY, budget }.search(table, &context)
}

fn agrees(seen: &Seen, evaluate: &dyn Evaluate, node: &Node) -> Result<(), TestCaseError> {
    match (seen, evaluate.examine(node).checked) {
        (Seen::Anonymous(own), Checked::Anonymous(grouped)) => {
            prop_assert!((own.first() - grouped.first()).abs() < 1e-7, "{own:?} instead of {grouped:?}");
        }
        (Seen::Fails { outliers, .. }, Checked::Fails | Checked::FailsWithAllBelow) => {
            prop_assert_eq!(*outliers, evaluate.assess(node).outliers);
        }
        (seen, grouped) => prop_assert!(false, "{seen:?} instead of {grouped:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_look_from_a_neighbour_is_what_grouping_gives(
        table in tables(),
        moves in prop::collection::vec((0usize..4, 0u8..4), 1..20),
        k in 2u64..6,
        limit in prop_oneof![Just(1.0), 0.0..0.6f64],
        geometric in any::<bool>(),
        outliers in prop_oneof![Just(Outliers::Suppress), Just(Outliers::Relocate)],
    ) {
        let metric = loss(&table, if geometric { Aggregate::GeometricMean } else { Aggregate::ArithmeticMean });
        demanded(&table, (k, limit, outliers), &*metric, |demand| {
            let incremental = Incremental::new(&table, &demand).expect("class sizes and cells decide");
            let mut outcome = Ok(());
            with_evaluator(&table, &demand, |evaluate| {
                outcome = (|| {
                    let mut scratch = Scratch::default();
                    let mut node = table.lattice().bottom();
                    let (mut place, seen) = incremental.enter(&node, &mut scratch);
                    agrees(&seen, evaluate, &node)?;
                    for (q, level) in moves {
                        let q = q % table.qis.len();
                        if node.0[q] == level {
                            continue;
                        }
                        let seen = incremental.look(&node, &place, (q, level), &mut scratch);
                        incremental.go(&node, &mut place, (q, level), &scratch);
                        node.0[q] = level;
                        agrees(&seen, evaluate, &node)?;
                        let (_, entered) = incremental.enter(&node, &mut Scratch::default());
                        prop_assert_eq!(entered, seen);
                    }
                    Ok(())
                })();
                Ok(())
            }).unwrap();
            outcome
        })?;
    }

    #[test]
    fn a_walk_is_never_worse_than_where_it_begins(table in tables(), k in 2u64..6, steps in 40u64..400, seed in 0u64..9) {
        let metric = loss(&table, Aggregate::ArithmeticMean);
        demanded(&table, (k, 1.0, Outliers::Suppress), &*metric, |demand| {
            let found = searched(&table, demand, Some(steps), seed).unwrap();
            let lattice = table.lattice();
            with_evaluator(&table, &demand, |evaluate| {
                for node in [lattice.top(), lattice.bottom()] {
                    if let Checked::Anonymous(score) = evaluate.examine(&node).checked {
                        // The walk sums over cells, the evaluator over classes: equal scores may differ by rounding.
                        let (walked, begun) = (found.score.first(), score.first());
                        assert!(walked <= begun + 1e-9, "{found:?} after {node:?} of {score:?}");
                    }
                }
                assert_eq!(evaluate.examine(&found.node).checked, Checked::Anonymous(found.score.clone()));
                Ok(())
            }).unwrap();
            assert!(found.at_least.is_some_and(|least| least.total_cmp(&found.score).is_le()));
        });
    }

    #[test]
    fn one_seed_and_budget_give_one_node_on_any_number_of_threads(table in tables(), steps in 40u64..400, seed in 0u64..9) {
        let metric = loss(&table, Aggregate::ArithmeticMean);
        demanded(&table, (3, 1.0, Outliers::Suppress), &*metric, |demand| {
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| searched(&table, demand, Some(steps), seed).unwrap())
            };
            let (one, three) = (on(1), on(3));
            assert_eq!((one.node, one.score, one.examined), (three.node, three.score, three.examined));
        });
    }
}
