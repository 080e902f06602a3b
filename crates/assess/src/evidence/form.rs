//! Forms as data.

use std::collections::BTreeMap;

use serde::Deserialize;
use velamen_recipe::JobError;

use super::filled::Side;
use super::name::FormName;
use super::pick::Asked;

/// The figures that forms share, by name.
const FIGURES: &str = include_str!("forms/figures.toml");

/// A form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Form {
    /// Its title.
    pub(super) title: String,
    /// By which edition of which text it was made.
    pub(super) edition: String,
    /// What of that text was not seen.
    pub(super) not_seen: String,
    /// What has to hold of a release for which it is.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    /// What is said of another release.
    #[serde(default)]
    pub(super) refusal: Option<String>,
    /// Its parts, in order.
    pub(super) section: Vec<FormSection>,
}

/// A part of a form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormSection {
    pub(super) title: String,
    pub(super) item: Vec<FormItem>,
}

/// A question of a form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FormItem {
    pub(super) id: String,
    /// Where in the text it stands.
    pub(super) clause: String,
    pub(super) ask: String,
    /// Who can know it.
    pub(super) side: Side,
    /// What answers it: the first case that holds and whose figures are there.
    #[serde(default)]
    pub(super) case: Vec<Case>,
    /// What to consider where nothing does.
    #[serde(default)]
    pub(super) write: Option<String>,
    /// What the custodian's folder would add, where it is not given.
    #[serde(default)]
    pub(super) without_custodian: Option<String>,
    /// Its place in the document that a machine reads, as keys between `/`.
    #[serde(default)]
    pub(super) field: Option<String>,
    /// Figures that help whoever writes.
    #[serde(default)]
    pub(super) help: Vec<String>,
}

/// What answers an item in a case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// What has to hold of the release; `!` before what must not.
    #[serde(default)]
    pub(super) when: Vec<String>,
    /// The answer, with names of figures in braces.
    #[serde(default)]
    pub(super) says: Option<String>,
    /// The figures that it rests on, all of which must be there.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// The figure whose value stands in the document in place of the answer.
    #[serde(default)]
    pub(super) value: Option<String>,
    /// What stands in the document in place of the answer, with names of figures in braces.
    #[serde(default)]
    pub(super) short: Option<String>,
    /// Why the item does not apply.
    #[serde(default)]
    pub(super) out: Option<String>,
}

impl Form {
    /// A form of the program.
    ///
    /// # Errors
    /// [`JobError::unusable`] if its text does not read, which a test excludes.
    pub(super) fn load(name: FormName) -> Result<Self, JobError> {
        toml::from_str(name.text()).map_err(|error| JobError::unusable(format!("form {name:?}: {error}")))
    }
}

/// The figures that items name.
///
/// # Errors
/// As [`Form::load`].
pub(super) fn figures() -> Result<BTreeMap<String, Asked>, JobError> {
    toml::from_str(FIGURES).map_err(|error| JobError::unusable(format!("figures of forms: {error}")))
}
