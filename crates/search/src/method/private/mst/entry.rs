//! MST in the registry: its keys, what is asked of attributes, and what is said of its releases.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};
use velamen_contract::{Limits, MEASUREMENTS, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::super::invented::{FACTS, declared as domains};
use super::{InventedParams, Mst};
use crate::method::kit::{declared, keys};
use crate::method::{Cost, Decision, Entry, KeyError, Method, MethodError, Outcome, Task};

const NAME: &str = "mst";
/// The most cells of a pair's table where the recipe does not say.
const MODEL_CELLS: u64 = 1 << 20;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Invented records that follow noisy counts of attributes and of a tree of pairs: differentially private.",
    alias: None,
    words: |_| {
        "No record is anybody's. The records with each value, and with each combination of values of some pairs of \
         attributes, were counted; random noise was added to each count; and records were invented that follow these noisy \
         counts."
    },
    facts: |_| FACTS,
    stated: |_| vec!["model-cells", MEASUREMENTS],
    parse: |keys, task| Ok(Arc::new(Mst::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<MstKeys>,
    keys: keys::names::<MstKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct MstKeys {
    /// The most cells of a pair's table; 1,048,576 if left out.
    #[schemars(range(min = 1))]
    model_cells: Option<u64>,
}

impl Mst {
    fn asked(keys: MstKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = domains::budget(task, NAME)?;
        let model_cells = keys.model_cells.unwrap_or(MODEL_CELLS);
        let params = InventedParams { epsilon, delta, model_cells };
        Ok(Self::try_from(params)?)
    }
}

impl Method for Mst {
    fn statement(&self, _: &Task<'_>) -> Statement {
        let params = self.0.params;
        Statement::named(NAME)
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .own("model-cells", params.model_cells)
            .limits(Limits::EVERYTHING)
            .own("spent", json!(self.spent()))
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        Ok(Cow::Owned(declared::over_domains(table.into_owned(), task)?))
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let made = self.plan(table, &task.lattice(table).bottom(), context)?;
        let mut stated = Map::new();
        stated.insert(MEASUREMENTS.into(), json!(made.measurements));
        Ok(Decision { stated, ..Decision::of(Outcome::Records(Box::new(made.release))) })
    }
}
