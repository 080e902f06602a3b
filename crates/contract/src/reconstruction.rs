//! What a release says of its reconstruction errors.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::metric::Reading;
use crate::{Statement, Unlimited};

/// How reconstruction errors are read.
const READING: &str = "rce";
/// Whether they count the sensitive value of a suppressed record.
const SUPPRESSED_VALUES: &str = "rce-suppressed-values";

impl Unlimited {
    /// With how reconstruction errors are read.
    #[must_use]
    pub fn reading(self, reading: Reading) -> Self {
        self.own(READING, json!(reading))
    }

    /// With reconstruction errors that count the sensitive value of a suppressed record.
    #[must_use]
    pub fn counting_suppressed_values(self) -> Self {
        self.own(SUPPRESSED_VALUES, true)
    }
}

impl Statement {
    /// How it reads reconstruction errors; what does not read is the usual way.
    #[must_use]
    pub fn error_reading(&self) -> Reading {
        self.entries().get(READING).and_then(|stated| Reading::deserialize(stated).ok()).unwrap_or_default()
    }

    /// Whether reconstruction errors count the sensitive value of a suppressed record as lost.
    #[must_use]
    pub fn counts_suppressed_values(&self) -> bool {
        self.entries().get(SUPPRESSED_VALUES).and_then(Value::as_bool).unwrap_or(false)
    }
}
