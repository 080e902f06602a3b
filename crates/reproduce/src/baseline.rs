//! The baseline that both papers compare with: full-domain k-anonymity without suppression.

use serde_json::json;
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::lattice::Node;
use velamen_core::plan::{Fate, Plan};
use velamen_core::with_key_width;
use velamen_recipe::JobError;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::FullDomain;
use velamen_search::method::optimal;
use velamen_search::method::search::{Budget, FoundNode};
use velamen_search::metric::MetricOptions;
use velamen_search::model::{Bound, Distribution};
use velamen_search::{metric, model};

use super::sample::Sample;

/// The k-anonymous node of least loss by a metric of the registry, nothing suppressed.
///
/// # Errors
/// [`JobError`] of the search.
pub(super) fn k_anonymous(
    table: &FrequencyTable,
    k: u64,
    metric: &str,
    context: &Context<'_>,
) -> Result<Plan, JobError> {
    let node = least(table, k, metric, 0, context)?.node;
    let classes = classes_at(table, &node)?;
    Ok(Plan { fates: vec![Fate::Keep; classes.len()], node, classes, ..Plan::default() })
}

/// The node of least loss where up to so many records may be suppressed so that the others are k-anonymous.
///
/// # Errors
/// As [`k_anonymous`].
pub(super) fn least(
    table: &FrequencyTable,
    k: u64,
    metric: &str,
    most_outliers: u64,
    context: &Context<'_>,
) -> Result<FoundNode, JobError> {
    let entry = model::find("k-anonymity").expect("k-anonymity is in the registry");
    let model = (entry.parse)(json!({ "k": k })).map_err(|error| JobError::usage(error.to_string()))?;
    let judge = model.bind(&Distribution::default()).map_err(JobError::usage)?;
    let models = [Bound { judge, column: None, monotonicity: entry.monotonicity, population: false }];
    let metric = metric::find(metric).expect("the metric is in the registry");
    let metric = (metric.bind)(&Counted::of(table), &MetricOptions::default());
    let demand = Demand {
        models: &models,
        metric: &*metric,
        most_outliers,
        outliers: Outliers::Suppress,
        assume_monotone: false,
        hidden: None,
    };
    let task = FullDomain { demand, lattice: None, strategy: optimal::STRATEGY, budget: Budget::default() };
    Ok(task.search(table, context)?)
}

/// The classes at a node with their sensitive counts.
pub(super) fn classes_at(table: &FrequencyTable, node: &Node) -> Result<ClassTable, JobError> {
    let coding = Coding::new(table, &[Sample::SENSITIVE]);
    with_key_width!(layout(table, coding.as_ref()).words(),
        W => Ok(ClassTable::at(&Space::<W>::new(table, coding.as_ref()), node)),
        else Err(JobError::data("the quasi-identifiers need more than 1024 bits a record")))
}
