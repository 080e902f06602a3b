//! What the analyses came to.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_analysis::{Agreement, Estimate, INTERCEPT, Scale};

use super::stated::{AnalysisKind, RangeReading};

/// An analyst's own estimates on the original and on the release.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Analyses {
    /// The level of the confidence intervals.
    pub level: f64,
    /// The estimates that the original has.
    pub estimates: usize,
    /// Of these, those that the release has, too.
    pub in_release: usize,
    /// The mean overlap of the confidence intervals, from 0 to 1; an estimate that the release lacks counts 0.
    pub mean_overlap: f64,
    /// The effects, which have a direction.
    pub effects: usize,
    /// Effects of the same direction in both tables.
    pub same_sign: usize,
    /// Effects that are significant in both tables or in neither.
    pub same_significance: usize,
    /// Effects that are significant in the original and have the opposite direction in the release.
    pub turned: usize,
    /// Each analysis.
    pub analyses: Vec<AnalysisResult>,
    /// How the release was read, and what that assumes.
    pub assumptions: Vec<String>,
}

/// One analysis on both tables.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AnalysisResult {
    /// How it was called.
    pub name: String,
    /// What was estimated.
    pub kind: AnalysisKind,
    /// The formula.
    pub formula: String,
    /// How released ranges and sets were read.
    pub reading: RangeReading,
    /// The records that were used.
    pub original: UsedRecords,
    /// The released records that were used, each by the probability that it is real.
    pub release: UsedRecords,
    /// The estimates.
    pub estimates: Vec<EstimatePair>,
}

/// How many records an analysis used.
#[derive(Debug, Clone, Copy, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsedRecords {
    /// Those used.
    pub used: f64,
    /// Those left out because an attribute shows nothing: `*`, or a range over all values.
    pub hidden: f64,
    /// Those left out because a value is missing.
    pub missing: f64,
}

/// The same estimate on both tables.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EstimatePair {
    /// What is estimated.
    pub name: String,
    /// Whether it is a ratio, whose intervals are compared on the logarithm.
    pub ratio: bool,
    /// On the original.
    pub original: Option<EstimateFigures>,
    /// On the release.
    pub release: Option<EstimateFigures>,
    /// Why one of them is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The overlap of the confidence intervals, from 0 to 1.
    pub overlap: Option<f64>,
    /// The difference in standard errors of the original.
    pub standardized_difference: Option<f64>,
    /// Whether the effect has the same direction.
    pub same_sign: Option<bool>,
    /// Whether both are significant, or neither is.
    pub same_significance: Option<bool>,
}

/// An estimate.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EstimateFigures {
    /// The estimate, of a ratio the ratio itself.
    pub estimate: f64,
    /// The lower end of the confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The standard error; of ratios and survival that of the logarithm, of correlations that of Fisher's z.
    pub standard_error: f64,
    /// The two-sided p-value of an effect.
    pub p: Option<f64>,
    /// The records behind it, each by its weight.
    pub records: f64,
}

impl EstimateFigures {
    pub(super) fn new(estimate: &Estimate, (low, high): (f64, f64)) -> Self {
        Self {
            estimate: estimate.shown(),
            low,
            high,
            standard_error: estimate.variance.sqrt(),
            p: estimate.p_value(),
            records: estimate.records,
        }
    }
}

impl EstimatePair {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            ratio: false,
            original: None,
            release: None,
            problem: None,
            overlap: None,
            standardized_difference: None,
            same_sign: None,
            same_significance: None,
        }
    }

    /// Takes both sides' figures, and what they agree in.
    pub(super) fn agree(&mut self, original: &Estimate, agreement: Agreement) {
        self.ratio = original.scale == Scale::Ratio;
        self.overlap = Some(agreement.overlap);
        self.standardized_difference = agreement.standardized_difference;
        if self.may_be_effect() {
            self.same_sign = agreement.same_sign;
            self.same_significance = agreement.same_significance;
        }
    }

    /// Whether it is of something: an intercept has a value alone.
    fn may_be_effect(&self) -> bool {
        self.name != INTERCEPT
    }

    /// Whether it has a direction in the original.
    #[must_use]
    pub fn is_effect(&self) -> bool {
        self.may_be_effect() && self.original.is_some_and(|figures| figures.p.is_some())
    }
}

impl Analyses {
    pub(super) fn new(level: f64, analyses: Vec<AnalysisResult>, assumptions: Vec<String>) -> Self {
        let pairs = || analyses.iter().flat_map(|analysis| &analysis.estimates);
        let count = |holds: &dyn Fn(&EstimatePair) -> bool| pairs().filter(|pair| holds(pair)).count();
        let estimates = count(&|pair| pair.original.is_some());
        let overlaps: f64 = pairs().filter_map(|pair| pair.overlap).sum();
        Self {
            level,
            estimates,
            in_release: count(&|pair| pair.original.is_some() && pair.release.is_some()),
            mean_overlap: if estimates > 0 { overlaps / estimates as f64 } else { 0.0 },
            effects: count(&EstimatePair::is_effect),
            same_sign: count(&|pair| pair.same_sign == Some(true)),
            same_significance: count(&|pair| pair.same_significance == Some(true)),
            turned: count(&|pair| pair.is_turned(level)),
            analyses,
            assumptions,
        }
    }
}

impl EstimatePair {
    /// Whether a significant effect has the opposite direction in the release.
    #[must_use]
    pub fn is_turned(&self, level: f64) -> bool {
        let significant = self.original.and_then(|figures| figures.p).is_some_and(|p| p < 1.0 - level);
        significant && self.same_sign == Some(false)
    }
}
