//! `[report]`: what the report says of the release in the custodian's own words, and what it measures it by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
}

/// The custodian's own words about a release: public, and taken for plain text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who makes the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub institution: Option<String>,
    /// What the release is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Whom to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The day of the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl About {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows().next().is_none() && self.title.is_none()
    }

    /// What is said besides the title, each with its name.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { institution, purpose, contact, date, .. } = self;
        let all = [("Institution", institution), ("Purpose", purpose), ("Contact", contact), ("Date", date)];
        all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// The most characters of a text that is shown to recipients.
const LONGEST: usize = 500;

/// Refuses a text that is no single line of a sensible length.
pub(super) fn checked_words(key: &str, text: Option<&String>) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let length = text.chars().count();
    if text.trim().is_empty() || length > LONGEST || text.chars().any(char::is_control) {
        return Err(format!("{key}: expected one line of 1 to {LONGEST} characters"));
    }
    Ok(Some(text.trim().to_owned()))
}

impl ReportSection {
    /// The risk, if it is one.
    pub(super) fn checked_risk(&self) -> Result<Option<f64>, String> {
        match self.risk {
            Some(risk) if !(risk > 0.0 && risk <= 1.0) => {
                Err(format!("report.risk: expected a number above 0 and up to 1, such as 0.2; found {risk}"))
            }
            risk => Ok(risk),
        }
    }

    /// The custodian's words.
    pub(super) fn about(&self) -> Result<About, String> {
        Ok(About {
            title: checked_words("report.title", self.title.as_ref())?,
            institution: checked_words("report.institution", self.institution.as_ref())?,
            purpose: checked_words("report.purpose", self.purpose.as_ref())?,
            contact: checked_words("report.contact", self.contact.as_ref())?,
            date: checked_words("report.date", self.date.as_ref())?,
        })
    }
}
