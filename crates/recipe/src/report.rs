//! `[report]`: what the report measures the release by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[report]`
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReportSection {
    /// The highest risk of re-identification that the release may have, above 0 and up to 1; the verdict names a
    /// release that has more.
    pub risk: Option<f64>,
}

impl ReportSection {
    /// The risk, if it is one.
    pub(super) fn checked_risk(self) -> Result<Option<f64>, String> {
        match self.risk {
            Some(risk) if !(risk > 0.0 && risk <= 1.0) => {
                Err(format!("report.risk: expected a number above 0 and up to 1, such as 0.2; found {risk}"))
            }
            risk => Ok(risk),
        }
    }
}
