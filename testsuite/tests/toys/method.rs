//! A method: every attribute at the highest level that the recipe allows, small classes suppressed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::lattice::Lattice;
use velamen_core::plan::Fate;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::{FullDomain, ONE_NODE};
use velamen_search::method::search::Budget;
use velamen_search::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Purpose, Task, Terms, Utility, keys,
};
use velamen_search::metric::{CellFigures, LM, MetricOptions};

pub(crate) static TERMS: Terms = ENTRY.terms();

pub(crate) const ENTRY: Entry = Entry {
    name: "toy",
    summary: "The highest levels that are allowed; small classes are suppressed.",
    purpose: Purpose::Baseline,
    alias: None,
    words: |_| "Every attribute is released as coarse as it may be; small groups are suppressed.",
    facts: |_| Facts { persons: false, wildcards: false, population: false, ..Facts::SEARCH },
    stated: |_| vec!["smallest"],
    parse: |keys, _| Ok(Arc::new(keys::read::<Toy>(keys)?.checked()?)),
    schema: keys::schema::<Toy>,
    keys: keys::names::<Toy>,
};

/// The method's keys, which are all that it is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Toy {
    /// Classes of fewer records are suppressed.
    smallest: u64,
}

impl Toy {
    fn checked(self) -> Result<Self, KeyError> {
        if self.smallest > 0 { Ok(self) } else { Err(KeyError::of("smallest", "smallest must be above 0")) }
    }
}

impl Method for Toy {
    fn statement(&self, _: &Task<'_>) -> Statement {
        Statement::named(ENTRY.name).own("smallest", self.smallest).limits(Limits::EVERYTHING)
    }

    fn cost(&self) -> Cost {
        Cost::SEARCH
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let (top, models) = (task.lattice(table).top(), task.bind(table)?);
        let demand = Demand {
            models: &models,
            metric: &CellFigures::new(LM, &Counted::of(table), &MetricOptions::default()),
            most_outliers: table.records(),
            outliers: Outliers::Suppress,
            assume_monotone: false,
            hidden: None,
        };
        let only = Lattice::between(&top, &top);
        let node = FullDomain { demand, lattice: Some(&only), strategy: ONE_NODE, budget: Budget::default() };
        // Classes that fail the models are suppressed already.
        let (mut plan, _) = node.plan(table, context)?;
        for (fate, &size) in plan.fates.iter_mut().zip(&plan.classes.sizes) {
            if size < self.smallest {
                *fate = Fate::Suppress;
            }
        }
        Ok(Decision { utility: Utility::Originals(None), ..Decision::of(Outcome::FullDomain(plan)) })
    }
}
