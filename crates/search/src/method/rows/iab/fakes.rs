//! Fake records beside the people whom the search leaves in small groups.
//!
//! # Summary
//! The paper names this last step and does not describe it. Here the groups of the answer, by all quasi-identifiers, that have fewer
//! than a number of records are filled up with counterfeits, as h-ceiling does it at the levels of the answer: with a catalog that shows how
//! many there are of which value, and not which records they are. No record is suppressed or coarser for it.
//!
//! # References
//! Arca & Hewett 2021, section 3 and Figure 1; Lee et al. 2017 for counterfeits and their catalog.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use velamen_contract::Statement;
use velamen_contract::model::BY_SIZE;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;

use super::Reach;
use crate::method::h_ceiling::entry::ENTRY as PADDING;
use crate::method::{Decision, KeyError, Method, MethodError, Particulars, Task};
use crate::model::{self, Asked};

/// The key of the number up to which groups are filled.
pub(super) const PAD_TO: &str = "pad-to";

/// The keys of h-ceiling that go with it.
const PASSED: [&str; 3] = ["counterfeit-limit", "least-real", "adversary-limit"];

/// What h-ceiling states of a release besides its name and its limits.
const STATED: [&str; 11] = [
    PAD_TO,
    "h",
    "padding",
    "draw",
    "rce",
    "rce-over",
    "objective",
    "counterfeit-limit",
    "least-real",
    "group-classes",
    "largest-padded-class",
];

/// The number up to which groups are filled, and what fills them.
#[derive(Debug, Clone)]
pub(super) struct Fakes {
    k: u64,
    size: Asked,
    padding: Arc<dyn Method>,
}

/// The keys that every release with fakes states.
pub(super) fn stated(section: &Map<String, Value>) -> Vec<&'static str> {
    if section.contains_key(PAD_TO) { STATED.to_vec() } else { Vec::new() }
}

impl Fakes {
    /// What the keys ask for, taken out of them; `None` where no group is filled.
    ///
    /// # Errors
    /// [`KeyError`] of a key, or of what h-ceiling refuses.
    pub(super) fn asked(
        keys: &mut Map<String, Value>,
        reach: Reach,
        task: &Task<'_>,
    ) -> Result<Option<Self>, KeyError> {
        let passed: Map<String, Value> =
            PASSED.iter().filter_map(|key| Some(((*key).to_owned(), keys.remove(*key)?))).collect();
        let Some(k) = keys.remove(PAD_TO) else {
            return match passed.keys().next() {
                Some(key) => Err(KeyError::of(
                    key,
                    format!("{key} is about fake records, of which {PAD_TO} asks for none"),
                )),
                None => Ok(None),
            };
        };
        let Some(k) = k.as_u64().filter(|k| *k >= 2) else {
            return Err(KeyError::of(
                PAD_TO,
                Problem::new(format!("{PAD_TO} is a number of records")).expected("a whole number from 2"),
            ));
        };
        if reach == Reach::Subtree {
            let problem = Problem::new(format!("{PAD_TO} needs one level for each attribute"));
            return Err(KeyError::of(PAD_TO, problem.mend("choose recoding = \"full-domain\"")));
        }
        let size = size(k).map_err(|problem| KeyError::of(PAD_TO, problem))?;
        let mut keys = passed;
        keys.entry("least-real").or_insert(1.into());
        keys.insert("suppression-limit".into(), 0.into());
        let models = [size.clone()];
        let padding = (PADDING.parse)(keys, &Task { models: &models, ..*task })?;
        Ok(Some(Self { k, size, padding }))
    }

    /// What the release states, by the name of a method.
    pub(super) fn statement(&self, name: &str, task: &Task<'_>) -> Statement {
        let statement = self.padding.statement(&self.task(task));
        statement.own("name", name).own(PAD_TO, self.k)
    }

    /// What goes with counterfeits.
    pub(super) fn particulars(&self) -> Particulars {
        self.padding.particulars()
    }

    fn task<'a>(&'a self, task: &Task<'a>) -> Task<'a> {
        Task { models: std::slice::from_ref(&self.size), ..*task }
    }

    /// The release at the levels of the answer, with its small groups filled up.
    ///
    /// # Errors
    /// [`MethodError::Infeasible`] if that takes more counterfeits than allowed, or these would not protect.
    pub(super) fn at(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let nodes = self.padding.nodes().expect("padding is at one level for each attribute");
        let mut decision = nodes.at(table, &self.task(task), node, context).map_err(|error| match error {
            MethodError::Infeasible(why) => {
                MethodError::Infeasible(why.after(&format!("{PAD_TO} = {}: ", self.k)))
            }
            other => other,
        })?;
        decision.promises.push((BY_SIZE.name, json!({ "k": self.k })));
        Ok(decision)
    }
}

/// A size of every group, by all quasi-identifiers.
fn size(k: u64) -> Result<Asked, Problem> {
    let entry = model::find(BY_SIZE.name).expect("it is registered");
    let model = (entry.parse)(json!({ "k": k })).map_err(|error| error.problem)?;
    Ok(Asked { entry, model, attribute: None, shield: None })
}
