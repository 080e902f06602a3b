//! SafePub in the registry: its keys, what the theorem asks of attributes, and what is said of its releases.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_contract::{Limits, Statement};
use velamen_core::attribute::Attribute;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_dp::Doorkeeper;

use super::{NodeChoice, SafePub, SafePubParams, SampledRelease};
use crate::method::kit::{declared, keys};
use crate::method::private::doorway::Doorway;
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Particulars, Purpose, Records, Task,
};
use crate::model::Asked;

const NAME: &str = "safe-pub";
/// The share of epsilon that the search gets where the recipe gives none.
const USUAL_SHARE: f64 = 0.1;
/// The draws of a walk where the recipe gives none.
const USUAL_STEPS: u64 = 50;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "A random sample, generalized to a privately chosen node: differentially private.",
    purpose: Purpose::Private,
    alias: None,
    words: |_| {
        "A random sample of the records was drawn; it was generalized, and groups too small to hide in were left out. \
         Which records were drawn is nobody's to know."
    },
    facts: |_| Facts {
        records: Records::Sampled,
        private: true,
        persons: false,
        wildcards: false,
        population: false,
        ..Facts::SEARCH
    },
    stated,
    parse: |keys, task| Ok(Arc::new(SafePub::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<SafePubKeys>,
    keys: keys::names::<SafePubKeys>,
};

/// Only the exponential mechanism spends something on the search.
fn stated(section: &Map<String, Value>) -> Vec<&'static str> {
    match section.get("search").is_some_and(|search| *search != json!(NodeChoice::Exponential)) {
        true => vec!["search"],
        false => vec!["search", "search-share", "search-steps"],
    }
}

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct SafePubKeys {
    /// How the levels are found.
    search: NodeChoice,
    /// The share of epsilon that the search may spend, above 0 and below 1; 0.1 if left out.
    #[schemars(range(min = 0, max = 1))]
    search_share: Option<f64>,
    /// In how many draws, where the lattice is too large for one; 50 if left out.
    #[schemars(range(min = 1))]
    search_steps: Option<u64>,
}

impl SafePub {
    fn asked(keys: SafePubKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = only_private(task.models)?;
        for attribute in task.attributes {
            releasable(attribute, keys.search)
                .map_err(|problem| declared::of_attribute(&attribute.name, problem))?;
        }
        let params = SafePubParams {
            epsilon,
            delta,
            k: task.least_size(1),
            search: keys.search,
            search_share: keys.search_share.unwrap_or(USUAL_SHARE),
            search_steps: keys.search_steps.unwrap_or(USUAL_STEPS),
        };
        Ok(Self::try_from(params)?)
    }
}

/// ε and δ of the one model, if no other is asked for but k-anonymity.
fn only_private(models: &[Asked]) -> Result<(f64, f64), Problem> {
    let is_known = |asked: &&Asked| asked.entry.terms.facts.private || asked.entry.terms.facts.only_size;
    if let Some(other) = models.iter().find(|asked| !is_known(asked)) {
        return Err(format!(
            "safe-pub keeps `{}` and k-anonymity only, not `{}`",
            declared::MODEL,
            other.entry.terms.name
        )
        .into());
    }
    let mut private = models.iter().filter(|asked| asked.entry.terms.facts.private);
    match (private.next(), private.next()) {
        (Some(asked), None) => Ok(declared::epsilon_delta(&asked.model.parameters())),
        _ => Err(format!(
            "safe-pub needs one [[privacy]] model = \"{}\" with epsilon and delta",
            declared::MODEL
        )
        .into()),
    }
}

/// Whether the theorem covers an attribute: all that is released is generalized by a public rule.
fn releasable(attribute: &Attribute, search: NodeChoice) -> Result<(), Problem> {
    match attribute.role {
        Role::Identifier => return Ok(()),
        Role::QuasiIdentifier => {}
        _ => {
            return Err(Problem::new("would be released as it is, which is not differentially private")
                .mend(
                    "give it the role \"quasi-identifier\" with a hierarchy, or \"identifier\" to drop it",
                ));
        }
    }
    declared::refuse_bins(attribute)?;
    if attribute.definition.is_none() {
        return Err("needs a hierarchy: without one its domain is read off the data".into());
    }
    if search == NodeChoice::DataIndependent && !attribute.has_one_level() {
        return Err("needs `level`, because search = \"data-independent\" looks at no record".into());
    }
    Ok(())
}

impl Method for SafePub {
    fn statement(&self, _: &Task<'_>) -> Statement {
        let params = self.params;
        let exponential = params.search == NodeChoice::Exponential;
        Statement::named(NAME)
            .own("search", json!(params.search))
            .own("epsilon", params.epsilon)
            .own("delta", params.delta)
            .limits(Limits::EVERYTHING)
            .own("k", self.k())
            .own("beta", self.kept())
            .own("spent", json!(self.spent()))
            .own_if("search-share", exponential.then_some(params.search_share))
            .own_if("search-steps", exponential.then_some(params.search_steps))
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
    }

    fn particulars(&self) -> Particulars {
        let (k, kept) = (self.k(), self.kept());
        Particulars { thresholds: vec![k, (k as f64 / kept).ceil() as u64], ..Particulars::default() }
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        Ok(Cow::Owned(declared::with_missing(table.into_owned(), task)))
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let found = self.plan(table, &task.lattice(table), context)?;
        let SampledRelease { sample, plan, suppressed } = found;
        Ok(Decision::of(Outcome::Sampled { table: Box::new(sample), plan, suppressed }))
    }

    fn audited(&self, keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        Some(Arc::new(Self { doorway: Doorway::kept_by(keeper), ..self.clone() }))
    }
}
