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

use super::fakes::{self, Fakes, PAD_TO};
use super::{
    Answer, Iab, Reach, Requirement, RowFigures, RowSearchCourse, RowStrategy, USUAL_BUDGET, USUAL_ROWS,
};
use crate::method::kit::keys;
use crate::method::kit::search::ENDED;
use crate::method::{
    Cost, Counterfeits, Decision, Facts, KeyError, Method, MethodError, Outcome, Parsed, Particulars, Task,
    Utility,
};
use crate::model::Asked;

/// The one model that these searches keep.
const MODEL: &str = BY_SIZE.name;

/// What reports say of all of them.
pub(in crate::method) const WORDS: &str = "Values are generalized until each of several sets of attributes that an adversary may \
     know is shared by enough records, keeping as many distinct records as possible.";

/// What reports say of the search that can add fake records.
pub(in crate::method) fn words(section: &Map<String, Value>) -> &'static str {
    if section.contains_key(PAD_TO) { PADDED_WORDS } else { WORDS }
}

const PADDED_WORDS: &str = "Values are generalized until each of several sets of attributes that an adversary may know is shared by \
     enough records, keeping as many distinct records as possible. Groups that are then still small are filled up with \
     counterfeit records, of which a published catalog says how many there are, not which: others can often guess it.";

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

/// The keys of the search by bounds, which can add fake records.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::method) struct IabKeys {
    /// Whether an attribute has one level, or a subtree of its hierarchy can be generalized alone.
    recoding: Reach,
    /// The most tables that are made.
    #[schemars(range(min = 1))]
    budget_steps: Option<u64>,
    /// Groups of fewer records than this, by all quasi-identifiers, are filled up with counterfeits after the search; left out: none
    /// are made.
    #[schemars(range(min = 2))]
    pad_to: Option<u64>,
    /// The most counterfeits, as a share of the released records; left out: 0.05.
    #[schemars(range(min = 0, max = 1))]
    counterfeit_limit: Option<f64>,
    /// The real records that a group must have to be filled up; left out: 1.
    #[schemars(range(min = 1))]
    least_real: Option<u64>,
    /// How well an adversary may tell counterfeits from real records, as an area under the ROC curve: ½ is chance. Left out:
    /// 0.6. 1: nobody judges.
    #[schemars(range(min = 0.5, max = 1))]
    adversary_limit: Option<f64>,
}

/// One of the three searches with its parameters.
#[derive(Debug, Clone)]
struct RowSearch {
    name: &'static str,
    search: RowStrategy,
    reach: Reach,
    budget: Option<u64>,
    fakes: Option<Fakes>,
}

/// What holds of their releases.
pub(in crate::method) fn facts(section: &Map<String, Value>) -> Facts {
    let one_level = section.get("recoding").is_none_or(|recoding| recoding == "full-domain");
    let counterfeits = match section.contains_key(PAD_TO) {
        true => Counterfeits::Catalogued,
        false => Counterfeits::None,
    };
    Facts {
        one_level,
        counterfeits,
        shields: true,
        persons: false,
        wildcards: false,
        population: false,
        ..Facts::SEARCH
    }
}

/// The keys that every release states.
pub(in crate::method) fn stated(section: &Map<String, Value>) -> Vec<&'static str> {
    std::iter::once("recoding").chain(fakes::stated(section)).collect()
}

/// Reads the keys of the search by bounds.
pub(in crate::method) fn parse_iab(
    name: &'static str,
    mut keys: Map<String, Value>,
    task: &Task<'_>,
) -> Parsed {
    let read: IabKeys = keys::read(keys.clone())?;
    let fakes = Fakes::asked(&mut keys, read.recoding, task)?;
    let search = asked(name, RowStrategy::Iab, keys, task)?;
    Ok(Arc::new(RowSearch { fakes, ..search }))
}

/// Reads the keys of one of them.
pub(in crate::method) fn parse(
    name: &'static str,
    search: RowStrategy,
    keys: Map<String, Value>,
    task: &Task<'_>,
) -> Parsed {
    Ok(Arc::new(asked(name, search, keys, task)?))
}

fn asked(
    name: &'static str,
    search: RowStrategy,
    keys: Map<String, Value>,
    task: &Task<'_>,
) -> Result<RowSearch, KeyError> {
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
    Ok(RowSearch { name, search, reach, budget: budget_steps, fakes: None })
}

impl Method for RowSearch {
    fn statement(&self, task: &Task<'_>) -> Statement {
        let statement = match &self.fakes {
            Some(fakes) => fakes.statement(self.name, task).own("recoding", json!(self.reach)),
            None => Statement::named(self.name).own("recoding", json!(self.reach)).limits(Limits::NOTHING),
        };
        statement.own_if("budget-steps", self.budget)
    }

    fn particulars(&self) -> Particulars {
        self.fakes.as_ref().map_or_else(Particulars::default, Fakes::particulars)
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
            budget: self.budget.unwrap_or(USUAL_BUDGET),
            most_rows: if self.budget.is_some() { u64::MAX } else { USUAL_ROWS },
            lattice: &task.lattice(table),
            expired: task.expired,
        };
        let (answer, found) = iab.plan(table, context)?;
        let mut warnings: Vec<String> =
            unshielded(task).into_iter().chain(found.stopped.then(|| ENDED.into())).collect();
        let search = told(&found);
        let outcome = match (answer, &self.fakes) {
            (Answer::FullDomain(plan), Some(fakes)) => {
                let decision = fakes.at(table, task, &plan.node, context)?;
                warnings.extend(decision.warnings);
                let search = with_padding(search, decision.search);
                return Ok(Decision { search, warnings, ..decision });
            }
            (Answer::FullDomain(plan), None) => Outcome::FullDomain(plan),
            (Answer::Subtree(plan), _) => Outcome::Local(plan),
        };
        Ok(Decision { search, warnings, utility: Utility::Rows, ..Decision::of(outcome) })
    }
}

/// How the answer was found, and what filling it up came to.
fn with_padding(mut search: Value, padding: Value) -> Value {
    if let Some(found) = search.as_object_mut() {
        found.insert("padding".into(), padding);
    }
    search
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
