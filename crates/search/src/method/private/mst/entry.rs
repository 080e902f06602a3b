//! MST in the registry: its keys, what is asked of attributes, and what is said of its releases.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use velamen_contract::{Limits, MEASUREMENTS, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_dp::Door;

use super::super::invented::asked::{Invented, InventedRelease, InventsRecords};
use super::super::invented::codes::Levels;
use super::super::invented::measuring::Bought;
use super::super::invented::{FACTS, declared as domains};
use super::{InventedParams, Mst};
use crate::method::kit::keys;
use crate::method::{Entry, KeyError, MethodError, Purpose, Task};

const NAME: &str = "mst";
/// The most cells of a pair's table where the recipe does not say.
const MODEL_CELLS: u64 = 1 << 20;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Invented records that follow noisy counts of attributes and of a tree of pairs: differentially private.",
    purpose: Purpose::Private,
    alias: None,
    words: |_| {
        "No record is anybody's. The records with each value, and with each combination of values of some pairs of \
         attributes, were counted; random noise was added to each count; and records were invented that follow these noisy \
         counts."
    },
    facts: |_| FACTS,
    stated: |_| vec!["model-cells", MEASUREMENTS],
    parse: |keys, task| Ok(Arc::new(Invented::new(Mst::asked(keys::read(keys)?, task)?))),
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
        domains::refuse_domains(task, model_cells)?;
        let params = InventedParams {
            epsilon,
            delta,
            model_cells,
            records_per_person: domains::records_per_person(task)?,
        };
        Ok(Self::try_from(params)?)
    }
}

impl InventsRecords for Mst {
    fn statement(&self) -> Statement {
        let params = self.0.params;
        Statement::named(NAME)
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .own("model-cells", params.model_cells)
            .limits(Limits::EVERYTHING)
            .own("spent", json!(self.spent()))
    }

    fn refuse_unbearable(&self, sizes: &[usize]) -> Result<(), MethodError> {
        Self::refuse_unbearable(self, sizes)
    }

    fn bought(&self) -> &Bought {
        &self.0
    }

    fn through(
        &self,
        table: &FrequencyTable,
        levels: Levels<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<InventedRelease, MethodError> {
        self.invented(table, levels, context, door)
    }
}
