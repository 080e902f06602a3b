//! The keys of the searches for one level by attribute, and what of them is refused.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_core::error::Problem;

use super::local_recoding::Levels;
use crate::method::kit::evaluate::Outliers;
use crate::method::kit::keys;
use crate::method::{KeyError, Suppress, Task};
use crate::metric::{self, Aggregate, Entry as Metric, MetricOptions};

/// Whether a search that means to prove its node could. `release.json` says so either way: whoever took a `false` away would
/// claim a proof.
pub(super) const PROVEN: &str = "proven";

/// The names of the metrics, each with its sentence.
fn metric_names(_: &mut SchemaGenerator) -> Schema {
    let named = |metric: &Metric| json!({ "const": metric.name, "description": metric.summary });
    let names: Vec<Value> = metric::REGISTRY.iter().map(named).collect();
    schemars::json_schema!({ "anyOf": [{ "type": "string", "oneOf": names }, { "type": "null" }] })
}

/// The keys of every search for one level by attribute.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct SearchKeys {
    /// What is minimized; `loss` if left out.
    #[schemars(schema_with = "metric_names")]
    pub metric: Option<String>,
    /// How the metric puts attributes together; left out: its own way.
    pub aggregate: Option<Aggregate>,
    /// The metric's generalization/suppression factor: 0 makes suppression count no more than
    /// generalization, 1 makes generalization free.
    #[schemars(range(min = 0, max = 1))]
    pub gs_factor: Option<f64>,
    /// Whether precision and entropy leave out what suppression adds.
    pub monotone: bool,
    /// Whether entropy is divided by that of the original attribute.
    pub normalised: bool,
    /// The share of records that may be suppressed or relocated, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub suppression_limit: Option<f64>,
    /// How much of a suppressed record is: the whole `record` with its sensitive and insensitive values, or its
    /// `quasi-identifiers` alone, as ARX does: then the suppressed records are a class like any other, and all models
    /// must hold of it. Left out: `record`.
    pub suppress: Option<Suppress>,
    /// Whether models are taken to be monotone where they are not: faster, but the node found need not be
    /// optimal.
    pub assume_monotone: bool,
    /// Whether the search is repeated on the suppressed records, so that classes get levels of their own.
    pub local_recoding: bool,
    /// As `local-recoding`, with the original values and `*` alone.
    pub cell_suppression: bool,
}

/// The keys of a search that can end before it has proven its result.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct BudgetKeys {
    /// The most nodes that are grouped.
    #[schemars(range(min = 1))]
    pub budget_steps: Option<u64>,
    /// The most seconds that the search takes; what is found then depends on the machine.
    #[schemars(range(min = 0))]
    pub budget_seconds: Option<f64>,
}

/// The names of [`BudgetKeys`] and [`SearchKeys`].
pub(super) fn budgeted_names() -> Vec<String> {
    [keys::names::<SearchKeys>(), keys::names::<BudgetKeys>()].concat()
}

/// The schema of both.
pub(super) fn budgeted_schema(generator: &mut SchemaGenerator) -> Schema {
    let budget = generator.root_schema_for::<BudgetKeys>().to_value();
    let mut schema = generator.root_schema_for::<SearchKeys>().to_value();
    if let (Some(all), Some(more)) = (schema["properties"].as_object_mut(), budget["properties"].as_object())
    {
        all.extend(more.clone());
    }
    schema.try_into().unwrap_or_default()
}

impl BudgetKeys {
    /// `usual` are the steps where the recipe gives no budget.
    pub(super) fn checked(self, usual: u64) -> Result<Self, KeyError> {
        if self.budget_steps == Some(0) {
            return Err(KeyError::of("budget-steps", "budget-steps must be above 0"));
        }
        if self.budget_seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds.is_finite())) {
            return Err(KeyError::of("budget-seconds", "budget-seconds must be above 0"));
        }
        let usual = self.budget_seconds.is_none().then_some(usual);
        Ok(Self { budget_steps: self.budget_steps.or(usual), ..self })
    }
}

/// How much of a suppressed record is, where there can be any.
pub(super) fn stated(section: &Map<String, Value>) -> Vec<&'static str> {
    let limit = section.get("suppression-limit").and_then(Value::as_f64);
    let suppresses = limit.is_some_and(|limit| limit > 0.0).then_some("suppress");
    ["metric"].into_iter().chain(suppresses).collect()
}

/// A search that proves its node states whether it could, where one level for each attribute is released.
pub(super) fn stated_with_proof(section: &Map<String, Value>) -> Vec<&'static str> {
    let set = |key: &str| section.get(key).is_some_and(|value| value == true);
    let is_node = !set("local-recoding") && !set("cell-suppression");
    stated(section).into_iter().chain(is_node.then_some(PROVEN)).collect()
}

/// The usual steps are stated unless the recipe gives seconds.
pub(super) fn stated_with_budget(section: &Map<String, Value>) -> Vec<&'static str> {
    let seconds = section.contains_key("budget-seconds");
    [stated(section), vec![if seconds { "budget-seconds" } else { "budget-steps" }]].concat()
}

pub(super) fn asked_metric(name: &str) -> Result<&'static Metric, KeyError> {
    metric::find(name).ok_or_else(|| {
        let known = metric::REGISTRY.names().collect();
        KeyError::unknown("metric", format!("unknown metric `{name}`"), name, known)
    })
}

/// How the metric is read.
pub(super) fn metric_options(keys: &SearchKeys, metric: &Metric) -> Result<MetricOptions, KeyError> {
    let gs_factor = keys.gs_factor.unwrap_or(0.5);
    if !(0.0..=1.0).contains(&gs_factor) {
        let problem = Problem::new(format!("gs-factor = {gs_factor}"))
            .expected("a number from 0 to 1, of which 0.5 is neutral");
        return Err(KeyError::of("gs-factor", problem));
    }
    if keys.aggregate.is_some() && metric.aggregate.is_none() {
        let problem =
            Problem::new(format!("the metric `{}` is not put together from attributes", metric.name))
                .mend("drop `aggregate`");
        return Err(KeyError::of("aggregate", problem));
    }
    Ok(MetricOptions {
        aggregate: keys.aggregate,
        weights: Vec::new(),
        gs_factor,
        monotone: keys.monotone,
        normalised: keys.normalised,
    })
}

/// The key that asks for these levels.
pub(super) fn key(levels: Levels) -> &'static str {
    match levels {
        Levels::All => "local-recoding",
        Levels::Ends => "cell-suppression",
    }
}

/// Whether the search is repeated, and with which levels.
pub(super) fn local(
    keys: &SearchKeys,
    outliers: Outliers,
    task: &Task<'_>,
) -> Result<Option<Levels>, KeyError> {
    let levels = match (keys.cell_suppression, keys.local_recoding) {
        (true, _) => Levels::Ends,
        (false, true) => Levels::All,
        (false, false) => return Ok(None),
    };
    if outliers == Outliers::Relocate {
        let problem = Problem::new("relocation moves the records that local recoding would search again")
            .mend("choose one");
        return Err(KeyError::of(key(levels), problem));
    }
    task.refuse_beyond_classes()?;
    Ok(Some(levels))
}

/// Refuses to say how records are suppressed where none are.
pub(super) fn refuse_hidden(keys: &SearchKeys, outliers: Outliers) -> Result<(), KeyError> {
    match keys.suppress {
        Some(_) if outliers == Outliers::Relocate => {
            let problem =
                Problem::new("relocation moves records and suppresses none").mend("leave `suppress` out");
            Err(KeyError::of("suppress", problem))
        }
        _ => Ok(()),
    }
}
