//! DSAT in the registry: its keys and what is said of its releases.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use velamen_contract::{HISTOGRAMS, Limits, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_dp::{Door, Doorkeeper};

use super::{Dsat, DsatParams};
use crate::method::kit::{declared, joint, keys};
use crate::method::private::doorway::Doorway;
use crate::method::private::noisy_counts::{FACTS, decision, paid};
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Particulars, Purpose, Records, Task,
};

const NAME: &str = "dsat";

/// C where the recipe does not say.
const USUAL_HISTOGRAMS: u64 = 5;
/// The share of the distances.
const USUAL_SHARE: f64 = 0.2;
/// θ.
const USUAL_ADAPTATION: f64 = 0.1;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "An adaptive histogram: a noisy histogram for each time, drawn anew only where the records differ enough from the last \
              one.",
    purpose: Purpose::Private,
    alias: None,
    words: |_| {
        "For each time, the number of records with every combination of values was counted and random noise was added, and the \
         noisy counts were written out as records. Where a time differs little from an earlier one, the noisy counts of that one \
         are repeated."
    },
    facts: |_| Facts { records: RECORDS, ..FACTS },
    stated: |_| vec!["time", "most-histograms", "distances-share", "adaptation", HISTOGRAMS],
    parse: |keys, task| Ok(Arc::new(Samples::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<DsatKeys>,
    keys: keys::names::<DsatKeys>,
};

/// Noise on the counts of cells, beside what the distances take.
const RECORDS: Records = Records::Noisy { counted: "cells", others: &["distances"] };

/// The method's keys.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct DsatKeys {
    /// Whether insensitive columns are dropped; else they are refused.
    drop_insensitive: bool,
    /// The quasi-identifier whose values, in the order of its hierarchy, are the times.
    time: Option<String>,
    /// The most histograms that are drawn; 5 if left out.
    #[schemars(range(min = 1, max = 1_048_576))]
    most_histograms: Option<u64>,
    /// The share of epsilon for the comparisons between times, above 0 and below 1; 0.2 if left out.
    #[schemars(range(min = 0, max = 1))]
    distances_share: Option<f64>,
    /// By how many records a time must differ at first to get a histogram of its own; left out: by as many as noise alone makes.
    #[schemars(range(min = 0))]
    threshold: Option<f64>,
    /// By which share of the first threshold it moves where the pace is wrong by as much as is wanted; 0.1 if left out, 0: never.
    #[schemars(range(min = 0))]
    adaptation: Option<f64>,
    /// The least noisy count that is released; 1 if left out.
    #[schemars(range(min = 1))]
    least_count: Option<u64>,
}

/// The method as a recipe asks for it.
#[derive(Debug, Clone)]
struct Samples {
    method: Dsat,
    drops_insensitive: bool,
    doorway: Doorway,
}

impl Samples {
    fn asked(keys: DsatKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = declared::noisy(task, NAME, keys.drop_insensitive)?;
        let params = DsatParams {
            epsilon,
            delta,
            time: time(keys.time, task)?,
            most_histograms: keys.most_histograms.unwrap_or(USUAL_HISTOGRAMS),
            distances_share: keys.distances_share.unwrap_or(USUAL_SHARE),
            threshold: keys.threshold,
            adaptation: keys.adaptation.unwrap_or(USUAL_ADAPTATION),
            least_count: keys.least_count.unwrap_or(1),
        };
        Ok(Self {
            method: Dsat::try_from(params)?,
            drops_insensitive: keys.drop_insensitive,
            doorway: Doorway::default(),
        })
    }
}

/// The quasi-identifier that `time` names.
fn time(named: Option<String>, task: &Task<'_>) -> Result<String, Problem> {
    let is_known = |name: &String| task.quasi_identifiers().any(|attribute| attribute.name == *name);
    named.filter(is_known).ok_or_else(|| {
        Problem::of(&["time"], "`time` is missing, or names no quasi-identifier")
            .expected("the quasi-identifier whose values are the times, in the order of its hierarchy")
            .mend("add for example time = \"year\"")
    })
}

impl Method for Samples {
    fn statement(&self, _: &Task<'_>) -> Statement {
        let params = &self.method.params;
        let statement = Statement::named(NAME)
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .own("time", params.time.as_str())
            .own("most-histograms", params.most_histograms)
            .own("distances-share", params.distances_share)
            .own("adaptation", params.adaptation)
            .limits(Limits::EVERYTHING)
            .own_if("threshold", params.threshold);
        paid(statement, &self.method.budget, &self.method.cells)
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
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
        let run = |door: &mut Door| self.method.through(table, &task.lattice(table).bottom(), context, door);
        let mut found = self.doorway.through(self.method.door(), run)?;
        found.made.release.rest = joint::apart(found.made.release.rest);
        let mut decision = decision(found.made);
        decision.stated.insert(HISTOGRAMS.into(), json!(found.histograms));
        Ok(decision)
    }

    fn audited(&self, keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        Some(Arc::new(Self { doorway: Doorway::kept_by(keeper), ..self.clone() }))
    }
}
