//! How a method reads the metrics that it minimizes and reports, as its statement has it.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the attributes' figures v, each times its weight w, are put together over m attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// (Π (v·w + 1))^(1/m) − 1.
    GeometricMean,
    /// Σ v·w / m.
    ArithmeticMean,
    /// Σ v·w.
    Sum,
    /// The largest v·w.
    Max,
    /// All v·w, descending; the first that differs decides.
    Rank,
}

/// Over what the integral runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// One integral per attribute, summed.
    #[default]
    Marginal,
    /// One integral per record over the product of the attributes.
    Joint,
}

/// The weights that are not 1, by the attribute's name.
pub type Weights = IndexMap<String, f64>;

/// How a metric is read, beside its name. `W` holds the weights: in the order of a table's quasi-identifiers, or by name.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricOptions<W = Vec<f64>> {
    /// How attributes are put together; left out: the metric's own way.
    pub aggregate: Option<Aggregate>,
    /// The weight of each attribute's figure, at least 0; empty: all alike. Divided by the largest.
    pub weights: W,
    /// Suppression against generalization, 0 (suppression is free) to 1 (generalization is free).
    pub gs_factor: f64,
    /// Whether suppressed records count as generalized only (precision and entropy).
    pub monotone: bool,
    /// Whether entropy is divided by that of the original attribute.
    pub normalised: bool,
}

/// The name of the metric of the share of detail that is lost: other rooms read its figure off a manifest.
pub const LOST_DETAIL: &str = "lm";

/// The factor that favours neither suppression nor generalization.
pub const NEUTRAL: f64 = 0.5;

impl<W: Default> Default for MetricOptions<W> {
    fn default() -> Self {
        Self {
            aggregate: None,
            weights: W::default(),
            gs_factor: NEUTRAL,
            monotone: false,
            normalised: false,
        }
    }
}

impl<W> MetricOptions<W> {
    /// The same with other weights.
    #[must_use]
    pub fn weighted<V>(&self, weights: V) -> MetricOptions<V> {
        let Self { aggregate, gs_factor, monotone, normalised, .. } = *self;
        MetricOptions { aggregate, weights, gs_factor, monotone, normalised }
    }
}
