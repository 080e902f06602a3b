//! What a recipe and its run ask of the method besides its numbers.

use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_core::earlier::Earlier;
use velamen_core::error::Problem;
use velamen_core::impossible::Pairs;

use super::growth::Bind;
use crate::method::{KeyError, Task};
use crate::model::Asked;

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

/// h-ceiling conceals one attribute.
pub(super) fn one_sensitive(task: &Task<'_>) -> Result<(), Problem> {
    let names: Vec<&str> = task.sensitive().collect();
    let problem =
        |names: &str| format!("h-ceiling conceals exactly one sensitive attribute, the recipe names {names}");
    Err(match names[..] {
        [_] => return Ok(()),
        [] => Problem::of(&["name"], problem("none")).mend(
            "add for example [attributes.diagnosis] role = \"sensitive\", or choose name = \"optimal\"",
        ),
        _ => Problem::new(problem(&names.join(", ")))
            .mend("give the others the role \"insensitive\" or \"quasi-identifier\""),
    })
}

/// Refuses coded ends, of whose ranges nobody could tell how much they cover.
pub(super) fn refuse_coded(task: &Task<'_>) -> Result<(), KeyError> {
    match task.attributes.iter().find(|attribute| attribute.top.is_some() || attribute.bottom.is_some()) {
        Some(_) => Err(KeyError::of(
            "parts",
            Problem::new("`top` and `bottom` go with parts = \"full-domain\" only")
                .mend("give the hierarchy's min and max instead"),
        )),
        None => Ok(()),
    }
}

/// Whether a model asks something of the values of a class, and nothing of all classes together.
pub(super) fn of_values(asked: &Asked) -> bool {
    asked.entry.terms.of_values(&asked.model.parameters()).is_some()
}

/// The number of different values that the models ask of every class.
pub(super) fn values_asked(task: &Task<'_>) -> u64 {
    let asked: Vec<serde_json::Value> = task.models.iter().map(|asked| asked.model.parameters()).collect();
    let names = task.models.iter().map(|asked| asked.entry.terms.name);
    velamen_contract::model::values_asked(names.zip(&asked))
}
