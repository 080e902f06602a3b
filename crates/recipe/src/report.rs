//! `[report]`: what the report says of the release in the custodian's own words, and what it measures it by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::Language;
use velamen_contract::manifest::About;
use velamen_core::error::Problem;

/// `[report]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReportSection {
    /// The highest risk of re-identification that the release may have, above 0 and up to 1; the verdict names a
    /// release that has more.
    pub risk: Option<f64>,
    /// The heading of report and README.
    pub title: Option<String>,
    /// Who makes the release.
    pub institution: Option<String>,
    /// What the release is for.
    pub purpose: Option<String>,
    /// Whom to ask: a name, an address.
    pub contact: Option<String>,
    /// The day of the release, as it is to be shown.
    pub date: Option<String>,
    /// The language of the report and of the page for the custodian; English unless it is set.
    pub language: Option<Language>,
}

/// The most characters of a text that is shown to recipients.
const LONGEST: usize = 500;

/// Refuses a text that is no single line of a sensible length.
pub(super) fn checked_words(
    section: &str,
    key: &str,
    text: Option<&String>,
) -> Result<Option<String>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let length = text.chars().count();
    if text.trim().is_empty() || length > LONGEST || text.chars().any(char::is_control) {
        let problem = Problem::new(format!("{section}{key}: a wrong value"))
            .expected(format!("one line of 1 to {LONGEST} characters"));
        return Err(Problem::of(&[key], problem));
    }
    Ok(Some(text.trim().to_owned()))
}

impl ReportSection {
    /// The risk, if it is one.
    pub(super) fn checked_risk(&self) -> Result<Option<f64>, Problem> {
        match self.risk {
            Some(risk) if !(risk > 0.0 && risk <= 1.0) => {
                let problem = Problem::of(&["risk"], format!("report.risk: {risk}"));
                Err(problem.expected("a number above 0 and up to 1, such as 0.2"))
            }
            risk => Ok(risk),
        }
    }

    /// The custodian's words.
    pub(super) fn about(&self) -> Result<About, Problem> {
        Ok(About {
            title: checked_words("report.", "title", self.title.as_ref())?,
            institution: checked_words("report.", "institution", self.institution.as_ref())?,
            purpose: checked_words("report.", "purpose", self.purpose.as_ref())?,
            contact: checked_words("report.", "contact", self.contact.as_ref())?,
            date: checked_words("report.", "date", self.date.as_ref())?,
            language: self.language.unwrap_or_default(),
        })
    }
}
