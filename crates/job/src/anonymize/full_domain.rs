//! The searches for a full-domain generalization: the recipe's wishes as a demand on lattice nodes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::method::evaluate::{Assessment, Demand};
use velamen_core::method::exhaustive;
use velamen_core::method::full_domain::FullDomain;
use velamen_core::method::local_recoding::LocalRecoding;
use velamen_core::method::optimal;
use velamen_core::method::search::Budget;
use velamen_core::metric::{Entry, MetricOptions};
use velamen_core::model::{Bound, Distribution, Population};

use super::{Decided, Decision, Found, local};
use crate::error::JobError;
use crate::manifest::most_outliers;
use crate::recipe::{AskedModel, Method, Resolved, ResolvedAttribute};

/// The longest budget, a hundred years: longer ones do not fit the clock.
const MOST_SECONDS: f64 = 3.2e9;

/// What a search found, for the custodian.
pub(crate) struct Outcome {
    pub(crate) found: velamen_core::method::search::Found,
    pub(crate) metric: &'static Entry,
    /// Every node, where all were looked at.
    pub(crate) nodes: Vec<(Node, Assessment)>,
}

pub(super) fn decide(
    recipe: &Resolved,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let Method::FullDomain {
        strategy,
        metric,
        options,
        limit,
        outliers,
        assume_monotone,
        steps,
        seconds,
        local,
        ..
    } = &recipe.method
    else {
        unreachable!("the caller matched the method")
    };
    let models = bind_models(recipe, table)?;
    let options = weighted(recipe, table, options);
    let most_outliers = most_outliers(*limit, table.records());
    let lattice = lattice(recipe, table);
    let expired = AtomicBool::new(false);
    let budget = Budget { steps: *steps, expired: Some(&expired) };
    if let Some(levels) = *local {
        let task = LocalRecoding {
            models: &models,
            metric,
            options: &options,
            most_outliers,
            assume_monotone: *assume_monotone,
            strategy: *strategy,
            budget,
            lattice: &lattice,
            levels,
        };
        return within(*seconds, &expired, || local::repeated(task, table, context));
    }
    let bound = (metric.bind)(table, &options);
    let demand = Demand {
        models: &models,
        metric: &*bound,
        most_outliers,
        outliers: *outliers,
        assume_monotone: *assume_monotone,
    };
    if *strategy == exhaustive::STRATEGY {
        return every_node(table, metric, demand, &lattice, context);
    }
    let task = FullDomain { demand, lattice: Some(&lattice), strategy: *strategy, budget };
    let (plan, found) = within(*seconds, &expired, || task.plan(table, context))?;
    let nodes = Vec::new();
    Ok(Decision {
        plan: Decided::FullDomain(plan),
        found: Found::FullDomain(Outcome { found, metric, nodes }),
    })
}

/// Looks at every node once; the best is planned for.
fn every_node(
    table: &FrequencyTable,
    metric: &'static Entry,
    demand: Demand<'_>,
    lattice: &Lattice,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let nodes = exhaustive::survey(table, &demand, lattice, context)?;
    let best = exhaustive::best(&nodes)?;
    let only = Lattice::between(best, best);
    let budget = Budget::default();
    let task = FullDomain { demand, lattice: Some(&only), strategy: optimal::STRATEGY, budget };
    let (plan, found) = task.plan(table, context)?;
    let found = velamen_core::method::search::Found { examined: nodes.len(), ..found };
    let outcome = Outcome { found, metric, nodes };
    Ok(Decision { plan: Decided::FullDomain(plan), found: Found::FullDomain(outcome) })
}

/// Runs something that ends soon after `expired` is set, which is after so many seconds.
fn within<T: Send>(seconds: Option<f64>, expired: &AtomicBool, run: impl FnOnce() -> T) -> T {
    let Some(seconds) = seconds else { return run() };
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let timeout = Duration::from_secs_f64(seconds.min(MOST_SECONDS));
            if waiting.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                expired.store(true, Ordering::Relaxed);
            }
        });
        let result = run();
        drop(done);
        result
    })
}

/// What models see of the population, if the recipe names one.
pub(super) fn population(recipe: &Resolved, table: &FrequencyTable) -> Option<Population> {
    let counted = table.population.as_ref().map_or(0, |population| population.counts.iter().sum());
    recipe.population.as_ref().map(|population| population.seen(counted))
}

fn named<'a>(recipe: &'a Resolved, name: &str) -> Option<&'a ResolvedAttribute> {
    recipe.attributes.iter().find(|attribute| attribute.name == name)
}

/// The levels that the recipe allows.
pub(super) fn lattice(recipe: &Resolved, table: &FrequencyTable) -> Lattice {
    let levels = |qi: &velamen_core::frequency::QuasiIdentifier| {
        named(recipe, &qi.name).map_or((0, qi.hierarchy.top()), |attribute| attribute.levels)
    };
    let (least, most) = table.qis.iter().map(levels).unzip();
    Lattice::between(&Node(least), &Node(most))
}

/// The options with the attributes' weights in the table's order.
pub(super) fn weighted(recipe: &Resolved, table: &FrequencyTable, options: &MetricOptions) -> MetricOptions {
    let weight = |qi: &velamen_core::frequency::QuasiIdentifier| {
        named(recipe, &qi.name).map_or(1.0, |attribute| attribute.weight)
    };
    MetricOptions { weights: table.qis.iter().map(weight).collect(), ..options.clone() }
}

/// The recipe's models for this table.
pub(super) fn bind_models(recipe: &Resolved, table: &FrequencyTable) -> Result<Vec<Bound>, JobError> {
    bind_to(recipe, table, None)
}

/// The recipe's models for this table, or for one of these counts of the sensitive attribute.
pub(super) fn bind_to(
    recipe: &Resolved,
    table: &FrequencyTable,
    released: Option<&[u64]>,
) -> Result<Vec<Bound>, JobError> {
    let seen = population(recipe, table);
    let bind = |asked: &AskedModel| {
        let column = asked.attribute.as_ref().and_then(|name| position(table, name));
        let (mut values, mut counts, mut hierarchy): (&[String], Vec<u64>, _) = (&[], Vec::new(), None);
        if let Some(column) = column {
            values = &table.rest.columns[column].values;
            counts = released.map_or_else(|| table.rest_marginal(column), <[u64]>::to_vec);
            hierarchy = sensitive_hierarchy(recipe, &table.rest.columns[column].name, values);
        }
        let distribution = Distribution {
            records: released.map_or_else(|| table.records(), |counts| counts.iter().sum()),
            population: seen,
            values,
            counts: &counts,
            hierarchy: hierarchy.as_ref(),
        };
        let refuse = |problem| JobError::Data(format!("{}: {problem}", asked.entry.name));
        let judge = asked.model.bind(&distribution).map_err(refuse)?;
        let (monotonicity, population) = (asked.entry.monotonicity, asked.entry.population);
        Ok(Bound { judge, column, monotonicity, population })
    };
    recipe.models.iter().map(bind).collect()
}

pub(super) fn position(table: &FrequencyTable, name: &str) -> Option<usize> {
    table.rest.columns.iter().position(|column| column.name == name)
}

/// The hierarchy of a sensitive attribute over its values, if the recipe gives one.
fn sensitive_hierarchy(recipe: &Resolved, name: &str, values: &[String]) -> Option<Hierarchy> {
    let attribute = named(recipe, name)?;
    attribute.definition.as_ref()?;
    let (ordered, hierarchy) = attribute.rule.over(values.to_vec(), false);
    (ordered == values).then_some(hierarchy)
}
