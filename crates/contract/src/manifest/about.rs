//! What the custodian says of a release.

use serde::{Deserialize, Serialize};

use crate::Language;

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
    /// The language of the pages that are made of it; absent where it is English.
    #[serde(skip_serializing_if = "Language::is_usual")]
    pub language: Language,
}

impl About {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows().next().is_none() && self.title.is_none() && self.language.is_usual()
    }

    /// What is said besides the title, each with its name.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { institution, purpose, contact, date, .. } = self;
        let all = [("Institution", institution), ("Purpose", purpose), ("Contact", contact), ("Date", date)];
        all.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}
