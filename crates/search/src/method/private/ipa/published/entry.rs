//! IPA as published in the registry: its keys, every step for the custodian, and what is said in place of the
//! paper's claim.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use velamen_contract::model::BY_SIZE;
use velamen_contract::{INFORMATIVE, Limits, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::plan::Plan;

use super::{Candidate, ClassStep, MOST_NODES, PublishedDraws, PublishedIpa, PublishedParams};
use crate::method::kit::informative::{self, Informative, SHARES};
use crate::method::kit::{declared, joint, keys, shown};
use crate::method::{
    Alias, Cell, Cost, Counterfeits, Decision, Entry, Facts, File, KeyError, Method, MethodError, Outcome,
    Particulars, Purpose, Suppress, Task,
};

/// The name in manifests, which the differentially private method shares.
const NAME: &str = "ipa";

/// What is said in place of the paper's claim, wherever a release is described.
const NOTICE: &str = "The published guarantee of this method does not hold: the original records are among \
     the released ones as they are, noise only adds records, and which classes exist is shown without noise. What is \
     known is the class size that was reached.";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: "ipa-published",
    summary: "IPA exactly as published, whose guarantee does not hold: for comparison.",
    purpose: Purpose::Baseline,
    alias: Some(Alias { name: NAME, key: "guarantee", value: "published" }),
    words: |_| "The records themselves are released, generalized, and a random number of counterfeits is added to each group.",
    facts: |_| Facts {
        counterfeits: Counterfeits::Untold,
        models: false,
        persons: false,
        wildcards: false,
        population: false,
        most_nodes: Some(MOST_NODES),
        ..Facts::SEARCH
    },
    stated: |_| {
        let shares = ["epsilon-suppression", "epsilon-insertion", "epsilon-value", "epsilon-candidates"];
        ["guarantee", "threshold"].into_iter().chain(shares).collect()
    },
    parse: |keys, task| Ok(Arc::new(PublishedIpa::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<PublishedKeys>,
    keys: keys::names::<PublishedKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct PublishedKeys {
    /// How the values of several sensitive attributes are drawn for counterfeits.
    informative: Informative,
    /// The share of `epsilon-value` that each sensitive attribute gets, by name, where each is drawn by itself; equal shares if left
    /// out. They add up to 1.
    attribute_shares: Option<BTreeMap<String, f64>>,
    /// Classes of up to about so many records are suppressed; 2 if left out.
    #[schemars(range(min = 2))]
    threshold: Option<u64>,
    /// The ε of the noisy threshold; 0.1 if left out.
    epsilon_suppression: Option<f64>,
    /// The ε of the number of counterfeits; 0.3 if left out.
    epsilon_insertion: Option<f64>,
    /// The ε of their values; 0.3 if left out.
    epsilon_value: Option<f64>,
    /// The ε of the choice of levels; 0.3 if left out.
    epsilon_candidates: Option<f64>,
}

impl PublishedIpa {
    fn asked(keys: PublishedKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        if let Some(asked) = task.models.first() {
            let name = asked.entry.terms.name;
            let problem = Problem::new(format!("ipa as published keeps no privacy model, also not `{name}`"));
            let mend = "drop [[privacy]]; release.json states the class size that was reached";
            return Err(problem.mend(mend).into());
        }
        released_as_drawn(task)?;
        let usual = PublishedParams::default();
        let params = PublishedParams {
            threshold: keys.threshold.unwrap_or(usual.threshold),
            suppression: keys.epsilon_suppression.unwrap_or(usual.suppression),
            insertion: keys.epsilon_insertion.unwrap_or(usual.insertion),
            value: keys.epsilon_value.unwrap_or(usual.value),
            candidates: keys.epsilon_candidates.unwrap_or(usual.candidates),
        };
        let shares = informative::shares(keys.informative, keys.attribute_shares.as_ref(), task)?;
        Ok(Self::try_from(params)?.each(&shares))
    }
}

impl PublishedIpa {
    /// The share of each attribute.
    fn shares_by_name(&self) -> Value {
        let named = self.shares.iter().map(|(name, share)| (name.clone(), json!(share)));
        named.collect::<serde_json::Map<_, _>>().into()
    }
}

/// A counterfeit has quasi-identifiers and sensitive values, and nothing else to show.
fn released_as_drawn(task: &Task<'_>) -> Result<(), Problem> {
    let shown = |role| matches!(role, Role::Insensitive | Role::Person);
    if let Some(refused) = task.attributes.iter().find(|attribute| shown(attribute.role)) {
        let problem = Problem::new(
            "is neither quasi-identifier nor sensitive, and a counterfeit has no value of it to show",
        )
        .mend("give it the role \"quasi-identifier\", or \"identifier\" to drop it");
        return Err(declared::of_attribute(&refused.name, Problem::of(&["role"], problem)));
    }
    match task.sensitive().next() {
        Some(_) => Ok(()),
        None => Err(Problem::new("ipa keeps the values of sensitive attributes, and the recipe names none")
            .mend("give the role \"sensitive\" to what is to be kept as it is")),
    }
}

impl Method for PublishedIpa {
    /// Any number of records may be suppressed.
    fn statement(&self, _: &Task<'_>) -> Statement {
        let PublishedParams { threshold, suppression, insertion, value, candidates } = self.params;
        Statement::named(NAME)
            .own("guarantee", "published")
            .own("notice", NOTICE)
            .own("threshold", threshold)
            .own("epsilon-suppression", suppression)
            .own("epsilon-insertion", insertion)
            .own("epsilon-value", value)
            .own("epsilon-candidates", candidates)
            .limits(Limits::EVERYTHING)
            .own_if(INFORMATIVE, (!self.shares.is_empty()).then(|| json!(Informative::Each)))
            .own_if(SHARES, (!self.shares.is_empty()).then(|| self.shares_by_name()))
    }

    fn cost(&self) -> Cost {
        Cost::NOISE
    }

    /// The paper's claim is the sum of its ε.
    fn particulars(&self) -> Particulars {
        let PublishedParams { threshold, suppression, insertion, value, candidates } = self.params;
        let epsilon = suppression + insertion + value + candidates;
        Particulars {
            // Tenths do not add up exactly.
            claimed_epsilon: Some((epsilon * 1e12).round() / 1e12),
            thresholds: vec![threshold],
            ..Particulars::default()
        }
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        Ok(match task.sensitive().count() {
            2.. if self.shares.is_empty() => Cow::Owned(joint::occurring(table.into_owned())),
            2.. => Cow::Owned(joint::every(table.into_owned())?),
            _ => table,
        })
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        // Classes of t records are to be suppressed, so that no value of so few is: but counterfeits keep some.
        let least = shown::least_levels(table, task, self.params.threshold.saturating_add(1));
        let (plan, found) = self.plan(table, &shown::lattice(table, task, &least)?, context)?;
        let warning = format!(
            "{NOTICE} Choose guarantee = \"differential-privacy\" for a release; `velamen explain ipa` says why"
        );
        Ok(Decision {
            // Nothing is asked of the classes; what they reached is found by the checker.
            promises: vec![(BY_SIZE.name, json!({ "k": 1 }))],
            search: told(&found),
            files: vec![nodes(table, &found), classes(table, &plan, &found)],
            warnings: vec![warning],
            // As published: the records keep their values, and promise nothing.
            suppress: Suppress::QuasiIdentifiers,
            joined: task.sensitive().count() > 1,
            ..Decision::of(Outcome::FullDomain(plan))
        })
    }
}

/// What came of the search.
fn told(found: &PublishedDraws) -> Value {
    let best = found.best();
    let suppressed = found.steps.iter().filter(|step| step.is_suppressed()).count();
    json!({
        "nodes-examined": found.candidates.len(),
        "probability": best.probability,
        "ncp": best.loss.ncp,
        "emd": best.loss.emd,
        "rate": best.loss.rate,
        "information-loss": best.loss.total(),
        "classes": found.steps.len(),
        "classes-suppressed": suppressed,
        "counterfeits": found.steps.iter().map(|step| step.counterfeits).sum::<u64>(),
    })
}

fn header(table: &FrequencyTable, figures: &[&str]) -> Vec<String> {
    table.qis.iter().map(|qi| qi.name.clone()).chain(figures.iter().map(|&name| name.to_owned())).collect()
}

/// All nodes with their scores.
fn nodes(table: &FrequencyTable, found: &PublishedDraws) -> File {
    let figures = ["ncp", "emd", "rate", "information-loss", "probability", "chosen"];
    let candidates = found.candidates.iter().enumerate();
    let rows = candidates.map(|(at, candidate)| row_of_node(candidate, at == found.chosen)).collect();
    File { name: "nodes.csv", header: header(table, &figures), rows }
}

/// All draws for the classes of the released node.
fn classes(table: &FrequencyTable, plan: &Plan, found: &PublishedDraws) -> File {
    let drawn = ["ClassID", "records", "threshold", "suppressed", "insertion-noise", "counterfeits"];
    let steps = found.steps.iter().enumerate();
    let rows = steps.map(|(class, step)| row_of_class(table, plan, class, step)).collect();
    File { name: "classes.csv", header: header(table, &drawn), rows }
}

fn row_of_node(Candidate { node, loss, probability }: &Candidate, chosen: bool) -> Vec<Cell> {
    let figures = [loss.ncp, loss.emd, loss.rate, loss.total(), *probability];
    let levels = node.0.iter().map(u8::to_string);
    let cells = levels.chain(figures.iter().map(f64::to_string)).chain([chosen.to_string()]);
    cells.map(Cell::Text).collect()
}

fn row_of_class(table: &FrequencyTable, plan: &Plan, class: usize, step: &ClassStep) -> Vec<Cell> {
    let values = plan.classes.codes(class).iter().zip(&table.qis).zip(&plan.node.0);
    let labels = values.map(|((&code, qi), &level)| qi.hierarchy.label(level, code).to_owned());
    let id = if step.is_suppressed() { Cell::Text(String::new()) } else { Cell::Class(class) };
    let drawn = [
        plan.classes.sizes[class].to_string(),
        step.threshold.to_string(),
        step.is_suppressed().to_string(),
        step.noise.map_or(String::new(), |noise| noise.to_string()),
        step.counterfeits.to_string(),
    ];
    labels.map(Cell::Text).chain([id]).chain(drawn.map(Cell::Text)).collect()
}
