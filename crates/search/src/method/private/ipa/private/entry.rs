//! The differentially private IPA in the registry: its keys and what is said of its releases.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_contract::model::BY_DRAWS;
use velamen_contract::{EACH, INFORMATIVE, Limits, Statement};
use velamen_core::attribute::Attribute;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{Definition, NULL};
use velamen_core::release::Release;
use velamen_dp::{Door, Loss};

use super::{Ipa, IpaParams};
use crate::method::kit::informative::{self, Informative};
use crate::method::kit::{declared, joint, keys};
use crate::method::private::doorway::Doorway;
use crate::method::private::noisy_counts::{CountsCells, FACTS, NoisyCounts, NoisyRelease, WORDS, paid};
use crate::method::{Alias, Cost, Entry, Facts, KeyError, MethodError, Purpose, Records, Task};

const NAME: &str = "ipa";

/// How it differs from the method as published.
const GUARANTEE: Alias = Alias { name: NAME, key: "guarantee", value: BY_DRAWS.name };

/// The share of the choice of the node where the recipe gives none.
const USUAL_CANDIDATES: f64 = 0.1;
/// The share of the suppressed records' counts.
const USUAL_SUPPRESSION: f64 = 0.1;
/// The cells without a record that are released on average.
const USUAL_FALSE_CELLS: f64 = 1.0;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Informative attribute preserving anonymization: generalized quasi-identifiers, raw sensitive values, \
              noisy counts of both together.",
    purpose: Purpose::Private,
    alias: Some(GUARANTEE),
    words,
    facts: |_| Facts { records: RECORDS, ..FACTS },
    stated,
    parse: |keys, task| Ok(Arc::new(Ipa::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<IpaKeys>,
    keys: keys::names::<IpaKeys>,
};

/// Noise on the counts of cells, beside what the choice of the node and the suppressed records take.
const RECORDS: Records = Records::Noisy { counted: "insertion", others: &["candidates", "suppression"] };

/// The method's keys.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct IpaKeys {
    /// Whether insensitive columns are dropped; else they are refused.
    drop_insensitive: bool,
    /// How several sensitive attributes are counted.
    informative: Informative,
    /// The share of the budget of counts that each sensitive attribute gets, by name, where each is counted by itself; equal
    /// shares if left out. They add up to 1.
    attribute_shares: Option<BTreeMap<String, f64>>,
    /// The share of epsilon for the choice of the levels, above 0 and below 1; 0.1 if left out. Nothing is spent
    /// where only one node is allowed.
    #[schemars(range(min = 0, max = 1))]
    candidates_share: Option<f64>,
    /// The share of epsilon for the counts; left out: what the others leave.
    #[schemars(range(min = 0, max = 1))]
    insertion_share: Option<f64>,
    /// The share of epsilon for the counts of suppressed records, above 0 and below 1; 0.1 if left out.
    #[schemars(range(min = 0, max = 1))]
    suppression_share: Option<f64>,
    /// Records that share levels and sensitive value with fewer others count as lost when nodes are scored; left
    /// out: the least count of the node.
    #[schemars(range(min = 1))]
    least_class: Option<u64>,
    /// The least noisy count that is released; left out: it follows from `false-cells` or from delta.
    #[schemars(range(min = 1))]
    least_count: Option<u64>,
    /// How many combinations without a record may be released on average; 1 if left out.
    #[schemars(range(min = 0))]
    false_cells: Option<f64>,
}

impl Ipa {
    fn asked(keys: IpaKeys, task: &Task<'_>) -> Result<NoisyCounts<Self>, KeyError> {
        let drops_insensitive = keys.drop_insensitive;
        let (epsilon, delta) = declared::noisy(task, NAME, drops_insensitive)?;
        if task.sensitive().next().is_none() {
            let problem = Problem::new(
                "ipa releases informative attributes beside generalized ones, and the recipe names none of the role \"sensitive\"",
            )
            .mend(
                "add for example [attributes.diagnosis] role = \"sensitive\", domain = \"codes.csv\", and \
                    make others quasi-identifiers with hierarchies",
            );
            return Err(problem.into());
        }
        let shares = informative::shares(keys.informative, keys.attribute_shares.as_ref(), task)?;
        refuse_missing(keys.informative, task)?;
        let params = IpaParams {
            epsilon,
            delta,
            candidates_share: keys.candidates_share.unwrap_or(USUAL_CANDIDATES),
            insertion_share: keys.insertion_share,
            suppression_share: keys.suppression_share.unwrap_or(USUAL_SUPPRESSION),
            least_class: keys.least_class,
            least_count: keys.least_count,
            false_cells: keys.false_cells.unwrap_or(USUAL_FALSE_CELLS),
            node_given: task.quasi_identifiers().all(|attribute| attribute.has_one_level()),
        };
        Ok(NoisyCounts {
            method: Self::each(params, &shares)?,
            drops_insensitive,
            doorway: Doorway::default(),
        })
    }
}

/// An empty cell says that noise left another attribute more records: no value may look like it.
fn refuse_missing(informative: Informative, task: &Task<'_>) -> Result<(), Problem> {
    match task
        .attributes
        .iter()
        .find(|attribute| declares_empty(attribute))
        .filter(|_| informative == Informative::Each)
    {
        Some(attribute) => Err(declared::of_attribute(
            &attribute.name,
            Problem::of(
                &["domain"],
                "declares the empty value, and a record without a counted value is released as that",
            )
            .mend("name the missing value in the input, such as \"unknown\", and declare it so"),
        )),
        None => Ok(()),
    }
}

/// Whether an attribute is sensitive and its domain has the empty value.
fn declares_empty(attribute: &Attribute) -> bool {
    let rows = match &attribute.definition {
        Some(Definition::Table { rows }) => rows.as_slice(),
        _ => &[],
    };
    attribute.role == Role::Sensitive && rows.iter().any(|row| row.first().is_some_and(|value| value == NULL))
}

/// What reports say of a release.
fn words(section: &Map<String, Value>) -> &'static str {
    if is_each(section) { EACH_WORDS } else { WORDS }
}

/// What is said where each attribute was counted by itself.
const EACH_WORDS: &str = "For every combination of generalized values and one sensitive value the number of records was counted, of \
     each sensitive attribute by itself, and random noise was added to each count. The noisy counts were written out as records. \
     Which values of two sensitive attributes stand in one record was drawn at random and says nothing about anybody.";

fn is_each(section: &Map<String, Value>) -> bool {
    section.get(INFORMATIVE).is_some_and(|informative| *informative == json!(Informative::Each))
}

/// The keys that every run states.
fn stated(section: &Map<String, Value>) -> Vec<&'static str> {
    let of_each = is_each(section).then_some(EACH);
    ["guarantee", "least-class"].into_iter().chain(of_each).collect()
}

impl CountsCells for Ipa {
    fn statement(&self) -> Statement {
        let statement = Statement::named(NAME)
            .own("guarantee", GUARANTEE.value)
            .own("epsilon", self.params.epsilon)
            .own("delta", self.params.delta)
            .own("least-class", self.params.least_class)
            .limits(Limits::EVERYTHING)
            .own_if(INFORMATIVE, self.counts_each().then(|| json!(Informative::Each)));
        paid(statement, &self.budget, &self.parts[0].cells)
    }

    fn informative(&self) -> Informative {
        if self.counts_each() { Informative::Each } else { Informative::Joint }
    }

    fn cost(&self) -> Cost {
        Cost::NOISE
    }

    fn thresholds(&self) -> Vec<u64> {
        self.params.least_class.into_iter().collect()
    }

    fn budget(&self) -> Loss {
        self.budget.total()
    }

    fn made(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<NoisyRelease, MethodError> {
        let found = self.through(table, &task.lattice(table), context, door)?;
        if self.counts_each() {
            return Ok(found);
        }
        let release = Release { rest: joint::apart(found.release.rest), ..found.release };
        Ok(NoisyRelease { release, ..found })
    }
}
