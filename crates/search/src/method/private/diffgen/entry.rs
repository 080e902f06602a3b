//! DiffGen in the registry: its keys and what is said of its releases.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use velamen_contract::{CUTS, Limits, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_dp::{Door, Doorkeeper};

use super::{DiffGen, DiffGenParams, Utility};
use crate::method::kit::{declared, joint, keys};
use crate::method::private::doorway::Doorway;
use crate::method::private::noisy_counts::{FACTS, decision, paid};
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Particulars, Purpose, Records, Task,
};

const NAME: &str = "diffgen";

/// The specializations where the recipe gives no number.
const USUAL_SPECIALIZATIONS: u64 = 10;
/// The share of their choices, as published.
const USUAL_SHARE: f64 = 0.5;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Top-down specialization by private choices, and noisy counts of what results: a baseline for classification.",
    purpose: Purpose::Baseline,
    alias: None,
    words: |_| {
        "The quasi-identifiers began at their most general values, and some of these were made more specific by random choices \
         that prefer what tells the sensitive values apart. Then the records of every combination of values were counted, random \
         noise was added to each count, and the noisy counts were written out as records."
    },
    facts: |_| Facts { one_level: false, records: RECORDS, ..FACTS },
    stated: |_| vec!["specializations", "choices-share", "utility", CUTS],
    parse: |keys, task| Ok(Arc::new(Specializes::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<DiffGenKeys>,
    keys: keys::names::<DiffGenKeys>,
};

/// Noise on the counts of cells, beside what the choices take.
const RECORDS: Records = Records::Noisy { counted: "cells", others: &["choices"] };

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct DiffGenKeys {
    /// Whether insensitive columns are dropped; else they are refused.
    drop_insensitive: bool,
    /// How many times a value is made more specific; 10 if left out.
    #[schemars(range(min = 1, max = 1_048_576))]
    specializations: Option<u64>,
    /// The share of epsilon for these choices, above 0 and below 1; 0.5 if left out.
    #[schemars(range(min = 0, max = 1))]
    choices_share: Option<f64>,
    /// What a specialization is worth; `max` if left out.
    utility: Option<Utility>,
    /// The least noisy count that is released; left out: the least with which noise alone releases one combination on average.
    #[schemars(range(min = 1))]
    least_count: Option<u64>,
}

/// The method as a recipe asks for it.
#[derive(Debug, Clone)]
struct Specializes {
    method: DiffGen,
    drops_insensitive: bool,
    doorway: Doorway,
}

impl Specializes {
    fn asked(keys: DiffGenKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = declared::noisy(task, NAME, keys.drop_insensitive)?;
        if task.sensitive().next().is_none() {
            let problem = "diffgen specializes what tells a class apart, and the recipe names no attribute of the role \
                           \"sensitive\"";
            return Err(Problem::new(problem)
                .mend("add for example [attributes.diagnosis] role = \"sensitive\", domain = \"codes.csv\"")
                .into());
        }
        let params = DiffGenParams {
            epsilon,
            delta,
            specializations: keys.specializations.unwrap_or(USUAL_SPECIALIZATIONS),
            choices_share: keys.choices_share.unwrap_or(USUAL_SHARE),
            utility: keys.utility.unwrap_or_default(),
            least_count: keys.least_count,
        };
        Ok(Self {
            method: DiffGen::try_from(params)?,
            drops_insensitive: keys.drop_insensitive,
            doorway: Doorway::default(),
        })
    }
}

impl Method for Specializes {
    fn statement(&self, _: &Task<'_>) -> Statement {
        let params = self.method.params;
        let statement = Statement::named(NAME)
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .own("specializations", params.specializations)
            .own("choices-share", params.choices_share)
            .own("utility", json!(params.utility))
            .limits(Limits::EVERYTHING);
        paid(statement, &self.method.budget, &self.method.cells)
    }

    fn cost(&self) -> Cost {
        Cost::NOISE
    }

    fn particulars(&self) -> Particulars {
        let drops_insensitive = self.drops_insensitive.then_some(declared::DROPPED);
        Particulars { drops_insensitive, ..Particulars::default() }
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        declared::prepared(table, task)
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let run = |door: &mut Door| self.method.through(table, &task.lattice(table), context, door);
        let mut found = self.doorway.through(self.method.door(), run)?;
        found.made.release.rest = joint::apart(found.made.release.rest);
        let mut decision = decision(found.made);
        decision.stated.insert(CUTS.into(), json!(found.cuts));
        Ok(decision)
    }

    fn audited(&self, keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        Some(Arc::new(Self { doorway: Doorway::kept_by(keeper), ..self.clone() }))
    }
}
