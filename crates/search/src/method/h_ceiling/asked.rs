//! What a recipe and its run ask of the method besides its numbers.

use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_core::earlier::Earlier;
use velamen_core::impossible::Pairs;

use super::growth::Bind;

/// What a recipe asks for besides the parameters.
#[derive(Clone, Copy)]
pub struct Demand<'a> {
    /// Binds the models beyond k-anonymity; not asked where there are none.
    pub models: &'a Bind<'a>,
    /// The pairs that no counterfeit gets.
    pub pairs: Option<&'a Pairs>,
    /// An earlier release, whose counterfeits are kept where a class stands.
    pub earlier: Option<&'a Earlier>,
    /// Set from outside when the best so far will do.
    pub expired: Option<&'a AtomicBool>,
}

impl<'a> Demand<'a> {
    /// Models and nothing else.
    #[must_use]
    pub fn of(models: &'a Bind<'a>) -> Self {
        Self { models, pairs: None, earlier: None, expired: None }
    }
}

/// What becomes of insensitive columns, which a counterfeit has to repeat from a real record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Insensitive {
    /// They are dropped.
    #[default]
    Drop,
    /// They are released, if enough records of every class that can hold counterfeits stay alike by them.
    Release,
}
