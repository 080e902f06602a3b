//! What is known of a promise.

use serde_json::{Value, json};

/// One promise and what the released table says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The model's name, or the rule's.
    pub promise: String,
    /// What was asked.
    pub asked: Value,
    /// What was reached.
    pub reached: Value,
    /// What is known of it.
    pub state: State,
}

impl Finding {
    /// A promise that the released table shows to be held or broken.
    #[must_use]
    pub fn of(promise: &str, asked: Value, reached: Value, holds: bool) -> Self {
        let state = if holds { State::Held } else { State::Broken };
        Self { promise: promise.into(), asked, reached, state }
    }

    /// A promise that a release cannot show; only who made it can know.
    #[must_use]
    pub fn stated(promise: &str, asked: Value) -> Self {
        let reached = json!("stated by the custodian");
        Self { promise: promise.into(), asked, reached, state: State::Stated }
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
