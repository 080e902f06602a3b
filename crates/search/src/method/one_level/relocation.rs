//! Relocation: outliers take the released values of another class. Untruthful, kept as a baseline.
//!
//! # Definition
//! The node is that of the optimal search; the records of a class that fails go to the kept class at the
//! least distance ([`super::full_domain`]). The custodian is told the reconstruction error over the original
//! records, which counts what was moved; the released table alone does not show it.

use std::sync::Arc;

use serde_json::json;
use velamen_contract::Statement;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::optimal;
use super::{OneLevel, SearchKeys};
use crate::method::kit::evaluate::Outliers;
use crate::method::kit::keys;
use crate::method::one_level;
use crate::method::{Cost, Decision, Entry, Facts, Method, MethodError, Records, Task};
use crate::metric::rce::{Reading, of_moved};

const NAME: &str = "relocation";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "As `optimal`, but outlier records take the values of another class: untruthful, a baseline.",
    alias: None,
    words: |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail; records that stand out are given the values of \
             another group, so that some released values are untrue. A method for comparison only.",
        )
    },
    facts: |section| Facts { records: Records::Relocated, wildcards: false, ..one_level::facts(section) },
    parse: |keys, task| {
        let search = OneLevel::new(NAME, optimal::STRATEGY, Outliers::Relocate, keys, task)?;
        Ok(Arc::new(Relocation(search)))
    },
    schema: keys::schema::<SearchKeys>,
    keys: keys::names::<SearchKeys>,
};

/// The optimal search with outliers that move.
#[derive(Debug)]
struct Relocation(OneLevel);

impl Method for Relocation {
    fn statement(&self, task: &Task<'_>) -> Statement {
        self.0.statement(task)
    }

    fn cost(&self) -> Cost {
        self.0.cost()
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let mut decision = self.0.run(table, task, context)?;
        if let Some(plan) = decision.outcome.full_domain().filter(|plan| plan.moved() > 0) {
            let rce = of_moved(table, plan, Reading::Marginal);
            let integrals = table.records() as f64 * Reading::Marginal.integrals(table.qis.len());
            decision.figures = json!({ "rce": rce, "rce-normalised": rce / integrals });
        }
        if decision.warnings.is_empty() {
            decision.warnings.push(
                "relocated records state quasi-identifiers that the person does not have: a baseline only"
                    .into(),
            );
        }
        Ok(decision)
    }
}
