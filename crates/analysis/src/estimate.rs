//! An estimate with what its interval and its test need.

use crate::special::{normal_quantile, t_quantile, t_tail};

/// Why there is no estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotEstimable {
    /// Nobody is left.
    #[error("no records")]
    NoRecords,
    /// Fewer records than what is estimated needs.
    #[error("too few records")]
    TooFew,
    /// The outcome does not vary.
    #[error("the outcome has one value only")]
    Constant,
    /// One of two correlated columns does not vary.
    #[error("one of the columns has one value only")]
    Unvarying,
    /// A column of a regression follows from others, or does not vary.
    #[error("follows from other columns, or does not vary")]
    Aliased,
    /// A cell of the two-by-two table is empty, or columns separate the outcome.
    #[error("no finite estimate: columns separate the outcome, or a combination has no records")]
    Separated,
    /// The iterations reached no end.
    #[error("the iterations did not converge")]
    NotConverged,
    /// No record is at risk at the time.
    #[error("no records at risk at this time")]
    NobodyAtRisk,
}

/// How an estimate is shown, and on what scale its interval is symmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// As it is, without a value that means "no effect": a mean, an intercept.
    Level,
    /// As it is; 0 means "no effect": a difference, a coefficient.
    Effect,
    /// The value is a logarithm and shown as a ratio; 1 means "no effect".
    Ratio,
    /// A proportion with Wilson's interval.
    Proportion,
    /// The value is the logarithm of a survival probability.
    Survival,
    /// The value is Fisher's z of a correlation.
    Correlation,
}

/// An estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// On the scale that its error is on.
    pub value: f64,
    /// The error's variance on that scale.
    pub variance: f64,
    /// Degrees of freedom of the interval; infinite: the normal distribution.
    pub df: f64,
    /// Records, each by its weight.
    pub records: f64,
    /// How it is shown.
    pub scale: Scale,
    /// Degrees of freedom of the test of a single correlation, which is exact for normal numbers.
    pub(crate) test_df: Option<f64>,
}

impl Estimate {
    pub(crate) fn new(value: f64, variance: f64, df: f64, records: f64, scale: Scale) -> Self {
        Self { value, variance, df, records, scale, test_df: None }
    }

    /// The same with another value.
    #[must_use]
    pub fn at(self, value: f64) -> Self {
        Self { value, ..self }
    }

    /// On the scale that people read.
    #[must_use]
    pub fn shown(&self) -> f64 {
        self.show(self.value)
    }

    fn show(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Level | Scale::Effect | Scale::Proportion => value,
            Scale::Ratio => value.exp(),
            Scale::Survival => value.exp().min(1.0),
            Scale::Correlation => value.tanh(),
        }
    }

    /// The confidence interval on the scale that people read.
    #[must_use]
    pub fn interval(&self, level: f64) -> (f64, f64) {
        if self.scale == Scale::Proportion {
            return self.wilson(level);
        }
        let half = self.quantile(level) * self.variance.sqrt();
        (self.show(self.value - half), self.show(self.value + half))
    }

    /// The interval on the scale that overlap is measured on: ratios as logarithms, all else as shown.
    #[must_use]
    pub fn compared(&self, level: f64) -> (f64, f64) {
        let (low, high) = self.interval(level);
        if self.scale == Scale::Ratio { (low.ln(), high.ln()) } else { (low, high) }
    }

    /// Wilson's interval; of a variance that is more than that of `records` records, as of so many fewer.
    fn wilson(&self, level: f64) -> (f64, f64) {
        let p = self.value;
        let spread = p * (1.0 - p);
        let n = if self.variance > 0.0 && spread > 0.0 { spread / self.variance } else { self.records };
        let z = self.quantile(level);
        let share = z * z / n;
        let centre = (p + share / 2.0) / (1.0 + share);
        let half = z / (1.0 + share) * (spread / n + share / (4.0 * n)).sqrt();
        // Of no hits, and of nothing else, an end is exact: the rest is rounding.
        let low = if p > 0.0 { (centre - half).max(0.0) } else { 0.0 };
        let high = if p < 1.0 { (centre + half).min(1.0) } else { 1.0 };
        (low, high)
    }

    fn quantile(&self, level: f64) -> f64 {
        if self.df.is_finite() { t_quantile(level, self.df) } else { normal_quantile(level) }
    }

    /// Whether a value exists that means "no effect".
    #[must_use]
    pub fn is_effect(&self) -> bool {
        matches!(self.scale, Scale::Effect | Scale::Ratio | Scale::Correlation)
    }

    /// The two-sided p-value against "no effect".
    #[must_use]
    pub fn p_value(&self) -> Option<f64> {
        if !self.is_effect() {
            return None;
        }
        if let Some(df) = self.test_df {
            let r = self.value.tanh();
            return Some(2.0 * t_tail(r.abs() * (df / (1.0 - r * r)).sqrt(), df));
        }
        if self.variance <= 0.0 {
            return Some(if self.value == 0.0 { 1.0 } else { 0.0 });
        }
        Some(2.0 * t_tail(self.value.abs() / self.variance.sqrt(), self.df))
    }
}
