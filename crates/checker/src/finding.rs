//! What is known of a promise.

use serde_json::{Value, json};
use velamen_contract::model;

const NOT_CHECKED: &str = "not-checked";

/// One promise and what the released table says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The model's name, or the rule's.
    pub promise: String,
    /// What was asked.
    pub asked: Value,
    /// What was reached.
    pub reached: Value,
    /// What the custodian states of people, where `reached` is of records and the table does not say whose they are.
    pub of_people: Option<Value>,
    /// What is known of it.
    pub state: State,
}

impl Finding {
    /// A promise that the released table shows to be held or broken.
    #[must_use]
    pub fn of(promise: &str, asked: Value, reached: Value, holds: bool) -> Self {
        let state = if holds { State::Held } else { State::Broken };
        Self { promise: promise.into(), asked, reached, of_people: None, state }
    }

    /// How many classes of a group of the catalog can hold counterfeits, of the smallest group; `all` classes can. Without
    /// counterfeits there is no group.
    pub(crate) fn of_groups(least: u64, all: u64, fewest: Option<u64>) -> Self {
        let asked = if fewest.is_some() { least.min(all) } else { least };
        let reached = fewest.map_or(json!("no group"), |fewest| json!(fewest));
        Self::of("group-classes", json!(asked), reached, fewest.is_none_or(|fewest| fewest >= asked))
    }

    /// The same of a promise of which a release shows a part alone: what it shows can break it, and the rest is the
    /// custodian's word.
    #[must_use]
    pub fn shown_in_part(self) -> Self {
        match self.state {
            State::Held => Self { state: State::Stated, ..self },
            State::Broken | State::NotChecked | State::Stated => self,
        }
    }

    /// A promise that was not checked, and why.
    #[must_use]
    pub fn not_checked(promise: &str, asked: Value, why: &str) -> Self {
        Self {
            promise: promise.into(),
            asked,
            reached: json!({ NOT_CHECKED: why }),
            of_people: None,
            state: State::NotChecked,
        }
    }

    /// Why it was not checked.
    #[must_use]
    pub fn why_not_checked(&self) -> &str {
        self.reached.get(NOT_CHECKED).and_then(Value::as_str).unwrap_or("no reason is known")
    }

    /// Whether it is about the model that draws keep.
    #[must_use]
    pub fn is_private(&self) -> bool {
        model::find(&self.promise).is_some_and(|terms| terms.facts.private)
    }

    /// A promise that a release cannot show; only who made it can know.
    #[must_use]
    pub fn stated(promise: &str, asked: Value) -> Self {
        let reached = json!("stated by the custodian");
        Self { promise: promise.into(), asked, reached, of_people: None, state: State::Stated }
    }
}

/// What is known of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The release keeps it.
    Held,
    /// The release does not keep it.
    Broken,
    /// It was not checked and could be, with what the finding names as missing.
    NotChecked,
    /// A release cannot show it: the custodian says so.
    Stated,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_checked_says_why() {
        let finding = Finding::not_checked("k-map", json!({ "k": 2 }), "the population is not here");
        assert_eq!(
            (finding.why_not_checked(), finding.state),
            ("the population is not here", State::NotChecked)
        );
        let held = Finding::of("k-anonymity", json!({ "k": 2 }), json!({ "k": 2 }), true);
        assert_eq!(held.why_not_checked(), "no reason is known");
    }

    #[test]
    fn draws_keep_the_private_model_alone() {
        let of = |promise| Finding::stated(promise, Value::Null).is_private();
        assert!(of("differential-privacy"));
        assert!(!of("k-anonymity") && !of("records") && !of(""));
    }
}
