//! A form that was filled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_recipe::JobError;

use super::name::FormName;

/// A form, filled from checks of a release.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Evidence {
    /// The form.
    pub form: FormName,
    /// Its title.
    pub title: String,
    /// By which edition of which text it was made.
    pub edition: String,
    /// What of that text was not seen.
    pub not_seen: String,
    /// The release's folder.
    pub release: String,
    /// The version that filled it.
    pub velamen: String,
    /// Whether figures of the original records are in it: it is then the custodian's, and not to be published.
    pub custodian: bool,
    /// How many items are filled, whose to write, or do not apply.
    pub counts: Counts,
    /// Its parts.
    pub sections: Vec<Section>,
    /// What a machine reads of it: an entry of a registry, a card, or a statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
    /// What the custodian is told beside the form.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// What `verify` says of promises that it could not check; nothing where it checked all.
    #[serde(skip)]
    pub(super) unchecked: Option<JobError>,
}

/// How many items there are of each state.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Filled from checks.
    pub filled: usize,
    /// For the custodian to write.
    pub yours: usize,
    /// Those of them that are written.
    pub written: usize,
    /// Those of the written ones whose figures have changed since.
    pub changed: usize,
    /// That do not apply.
    pub does_not_apply: usize,
}

/// A part of a form.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// Its items.
    pub items: Vec<Item>,
}

/// An item of a form.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Item {
    /// Its number in the form.
    pub id: String,
    /// Where it stands in the text that the form is of.
    pub clause: String,
    /// What is asked.
    pub ask: String,
    /// Who can know it.
    pub side: Side,
    /// Whether it is filled.
    pub state: State,
    /// The answer: from checks, or what the custodian wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why it does not apply, or what to consider in writing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The figures that it rests on, or that help.
    pub figures: Vec<Figure>,
    /// The figures that have changed since the answer was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Change>,
    /// Its place in the document.
    #[serde(skip)]
    pub(super) field: Option<String>,
    /// What stands there in place of the answer.
    #[serde(skip)]
    pub(super) value: Option<Value>,
}

/// Who can know the answer to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The data show it.
    Data,
    /// Those who know the recipients, purposes and rules.
    Context,
}

/// The state of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A check answers it.
    Filled,
    /// It is the custodian's to write.
    Yours,
    /// It does not apply to the release.
    DoesNotApply,
}

/// A figure, and how it is shown again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Figure {
    /// Its name in forms.
    pub name: String,
    /// What it is.
    pub label: String,
    /// Its value; of a table the rows.
    pub value: Value,
    /// Its value in words.
    pub shown: String,
    /// The titles of a table's columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The command that shows it again.
    pub command: String,
    /// Whether it is about the original records.
    #[serde(skip)]
    pub(super) is_custodians: bool,
}

/// A figure that has changed since an answer was written.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// What it is.
    pub label: String,
    /// What it was then.
    pub was: String,
    /// What it is now.
    pub now: String,
}

impl Figure {
    /// The rows of a table.
    pub(super) fn rows(&self) -> &[Value] {
        self.value.as_array().map_or(&[], Vec::as_slice)
    }
}

impl Evidence {
    /// All items.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.sections.iter().flat_map(|section| &section.items)
    }

    /// Whether figures of the original records are in it.
    pub(super) fn has_originals(&self) -> bool {
        self.items().flat_map(|item| &item.figures).any(|figure| figure.is_custodians)
    }

    /// Counts the items by state.
    pub(super) fn count(&mut self) {
        let of = |state: State| self.items().filter(|item| item.state == state).count();
        let written = || self.items().filter(|item| item.state == State::Yours && item.answer.is_some());
        self.counts = Counts {
            filled: of(State::Filled),
            yours: of(State::Yours),
            written: written().count(),
            changed: written().filter(|item| !item.changed.is_empty()).count(),
            does_not_apply: of(State::DoesNotApply),
        };
    }

    /// What was not checked of the release, as `verify` says it.
    ///
    /// # Errors
    /// That of [`Class::NotChecked`](velamen_recipe::Class::NotChecked).
    pub fn conclusion(self) -> Result<(), JobError> {
        self.unchecked.map_or(Ok(()), Err)
    }

    /// The first line of the form: how many items are filled, and what is left to do.
    #[must_use]
    pub fn first_line(&self) -> String {
        let Counts { filled, yours, written, changed, does_not_apply } = self.counts;
        let of_written = match (written, changed) {
            (0, _) => String::new(),
            (_, 0) => format!(" ({written} written)"),
            _ => format!(" ({written} written, {changed} before figures changed)"),
        };
        let verb = if does_not_apply == 1 { "does" } else { "do" };
        format!(
            "{filled} filled from checks, {yours} yours to write{of_written}, {does_not_apply} {verb} not apply"
        )
    }
}
