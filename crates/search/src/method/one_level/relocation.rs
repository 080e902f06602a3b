//! Relocation: outliers take the released values of another class. Untruthful, kept as a baseline.
//!
//! # Definition
//! The node is that of the optimal search; the records of a class that fails go to the kept class at the
//! least distance ([`super::full_domain`]). The custodian is told the reconstruction error over the original
//! records, which counts what was moved; the released table alone does not show it.

use std::sync::Arc;

use velamen_contract::Statement;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::OneLevel;
use super::optimal;
use crate::method::kit::evaluate::Outliers;
use crate::method::one_level;
use crate::method::{Cost, Decision, Entry, Facts, Method, MethodError, Records, Task};
use crate::metric::{Reading, rce};

const NAME: &str = "relocation";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    facts: |section| Facts { records: Records::Relocated, wildcards: false, ..one_level::facts(section) },
    stated: |_| vec!["metric", one_level::PROVEN],
    ..one_level::entry(
        NAME,
        "As `optimal`, but outlier records take the values of another class: untruthful, a baseline.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail; records that stand out are given the values of \
             another group, so that some released values are untrue. A method for comparison only.",
            )
        },
        |keys, task| {
            let search = OneLevel::new(NAME, optimal::STRATEGY, Outliers::Relocate, keys, task)?;
            Ok(Arc::new(Relocation(search)))
        },
    )
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
            let error = rce::of_moved(table, plan, Reading::Marginal);
            decision.figures = rce::figures(error, table, Reading::Marginal);
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
