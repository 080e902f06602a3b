//! What the searches that count rows are as methods: one's own keys, models as requirements on shields.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_contract::model::BY_SIZE;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;

use super::{Answer, Iab, Reach, Requirement, RowFigures, RowSearchCourse, RowStrategy, USUAL_BUDGET};
use crate::method::kit::keys;
use crate::method::kit::search::ENDED;
use crate::method::{Cost, Decision, Facts, KeyError, Method, MethodError, Outcome, Parsed, Task, Utility};
use crate::model::Asked;

/// The one model that these searches keep.
const MODEL: &str = BY_SIZE.name;

/// What reports say of all of them.
pub(in crate::method) const WORDS: &str = "Values are generalized until each of several sets of attributes that an adversary may \
     know is shared by enough records, keeping as many distinct records as possible.";

/// The keys of the searches that count rows.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "RowSearchKeys")]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::method) struct RowKeys {
    /// Whether an attribute has one level, or a subtree of its hierarchy can be generalized alone.
    recoding: Reach,
    /// The most tables that are made.
    #[schemars(range(min = 1))]
    budget_steps: Option<u64>,
}

/// One of the three searches with its parameters.
#[derive(Debug, Clone, Copy)]
struct RowSearch {
    name: &'static str,
    search: RowStrategy,
    reach: Reach,
    budget: u64,
}

/// What holds of their releases.
pub(in crate::method) fn facts(section: &Map<String, Value>) -> Facts {
    let one_level = section.get("recoding").is_none_or(|recoding| recoding == "full-domain");
    Facts { one_level, shields: true, persons: false, wildcards: false, population: false, ..Facts::SEARCH }
}

/// Reads the keys of one of them.
pub(in crate::method) fn parse(
    name: &'static str,
    search: RowStrategy,
    keys: Map<String, Value>,
    task: &Task<'_>,
) -> Parsed {
    let RowKeys { recoding: reach, budget_steps } = keys::read(keys)?;
    if let Some(other) = task.models.iter().find(|asked| !asked.entry.terms.facts.only_size) {
        let problem = Problem::new(format!(
            "the searches that count rows keep {MODEL} only, not `{}`",
            other.entry.terms.name
        ))
        .mend("choose name = \"optimal\" with metric = \"rows-retained\"");
        return Err(Problem::of(&["name", "metric"], problem).into());
    }
    if budget_steps == Some(0) {
        return Err(KeyError::of("budget-steps", "budget-steps must be above 0"));
    }
    Ok(Arc::new(RowSearch { name, search, reach, budget: budget_steps.unwrap_or(USUAL_BUDGET) }))
}

impl Method for RowSearch {
    fn statement(&self, _: &Task<'_>) -> Statement {
        Statement::named(self.name)
            .own("recoding", json!(self.reach))
            .limits(Limits::NOTHING)
            .own_if("budget-steps", (self.budget != USUAL_BUDGET).then_some(self.budget))
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let requirements: Vec<Requirement> =
            task.models.iter().map(|asked| requirement(asked, table)).collect();
        let iab = Iab {
            requirements: &requirements,
            search: self.search,
            reach: self.reach,
            budget: self.budget,
            lattice: &task.lattice(table),
            expired: task.expired,
        };
        let (answer, found) = iab.plan(table, context)?;
        let outcome = match answer {
            Answer::FullDomain(plan) => Outcome::FullDomain(plan),
            Answer::Subtree(plan) => Outcome::Local(plan),
        };
        let warnings = unshielded(task).into_iter().chain(found.stopped.then(|| ENDED.into())).collect();
        let search = told(&found);
        Ok(Decision { search, warnings, utility: Utility::Rows, ..Decision::of(outcome) })
    }
}

/// A model's shield, by the positions of its attributes; all where it names none.
fn requirement(asked: &Asked, table: &FrequencyTable) -> Requirement {
    let named = |name: &str| asked.shield.as_ref().is_none_or(|names| names.iter().any(|n| n == name));
    let shield = (0..table.qis.len()).filter(|&q| named(&table.qis[q].name)).collect();
    Requirement { shield, k: asked.model.least_size() }
}

/// Warns of quasi-identifiers that no shield names.
fn unshielded(task: &Task<'_>) -> Option<String> {
    let shielded = |name: &String| {
        let mut shields = task.models.iter().map(|asked| asked.shield.as_ref());
        shields.any(|shield| shield.is_none_or(|names| names.contains(name)))
    };
    let open: Vec<String> = task
        .quasi_identifiers()
        .filter(|qi| !shielded(&qi.name))
        .map(|attribute| format!("`{}`", attribute.name))
        .collect();
    let names = open.join(", ");
    (!open.is_empty()).then(|| {
        format!(
            "no `attributes` of a model name {names}: released as they are; whoever knows them can link on them"
        )
    })
}

/// For the custodian: how the answer was found.
fn told(found: &RowSearchCourse) -> Value {
    let figures = |figures: RowFigures| json!({ "violations": figures.violations, "rows": figures.rows });
    json!({
        "original": figures(found.start),
        "released": figures(found.answer),
        "steps": found.steps,
        "tables-generated": found.generated,
        "proven-optimal": found.proven,
    })
}
