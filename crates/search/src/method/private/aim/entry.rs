//! AIM in the registry: its keys, what is asked of attributes, and what is said of its releases.

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
use super::{Aim, AimParams, InventedParams};
use crate::method::kit::keys;
use crate::method::{Entry, KeyError, MethodError, Purpose, Task};

const NAME: &str = "aim";
/// The most cells of the model where the recipe does not say: a megabyte of numbers.
const MODEL_CELLS: u64 = 1 << 17;
/// The most cells of a pair where the recipe does not say.
const MAX_CELLS: u64 = 10_000;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Invented records that follow noisy counts of pairs chosen one after the other: differentially private.",
    purpose: Purpose::Private,
    alias: None,
    words: |_| {
        "No record is anybody's. The records with each value were counted, then, round by round, those with each combination of \
         values of the pair of attributes that was described worst; random noise was added to each count; and records were \
         invented that follow these noisy counts."
    },
    facts: |_| FACTS,
    stated: |_| vec!["model-cells", "max-cells", MEASUREMENTS],
    parse: |keys, task| Ok(Arc::new(Invented::new(Aim::asked(keys::read(keys)?, task)?))),
    schema: keys::schema::<AimKeys>,
    keys: keys::names::<AimKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct AimKeys {
    /// The most cells of the whole model; 131,072 if left out.
    #[schemars(range(min = 1))]
    model_cells: Option<u64>,
    /// The most cells of a pair that is measured; 10,000 if left out.
    #[schemars(range(min = 1))]
    max_cells: Option<u64>,
}

impl Aim {
    fn asked(keys: AimKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = domains::budget(task, NAME)?;
        let model_cells = keys.model_cells.unwrap_or(MODEL_CELLS);
        domains::refuse_domains(task, model_cells)?;
        let invented = InventedParams {
            epsilon,
            delta,
            model_cells,
            records_per_person: domains::records_per_person(task)?,
        };
        Ok(Self::try_from(AimParams { invented, max_cells: keys.max_cells.unwrap_or(MAX_CELLS) })?)
    }
}

impl InventsRecords for Aim {
    fn statement(&self) -> Statement {
        let params = self.bought.params;
        Statement::named(NAME)
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .own("model-cells", params.model_cells)
            .own("max-cells", self.max_cells)
            .limits(Limits::EVERYTHING)
            .own("spent", json!(self.spent()))
    }

    fn refuse_unbearable(&self, sizes: &[usize]) -> Result<(), MethodError> {
        Self::refuse_unbearable(self, sizes)
    }

    fn bought(&self) -> &Bought {
        &self.bought
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
