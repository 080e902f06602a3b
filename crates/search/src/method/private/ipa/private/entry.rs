//! The differentially private IPA in the registry: its keys and what is said of its releases.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use velamen_contract::model::differential_privacy::TERMS;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::{IpaPrivate, PrivateParams};
use crate::method::kit::{declared, keys};
use crate::method::private::noisy_counts::{self, FACTS, WORDS};
use crate::method::{
    Alias, Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Particulars, Records, Task,
};

const NAME: &str = "ipa";

/// What tells it from the method as published.
const GUARANTEE: Alias = Alias { name: NAME, key: "guarantee", value: TERMS.name };

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
    alias: Some(GUARANTEE),
    words: |_| WORDS,
    facts: |_| Facts { records: RECORDS, ..FACTS },
    parse: |keys, task| Ok(Arc::new(Noisy::new(keys::read(keys)?, task)?)),
    schema: keys::schema::<IpaKeys>,
    keys: keys::names::<IpaKeys>,
};

/// Noise on the counts of cells, beside what the choice of the node and the suppressed records take.
const RECORDS: Records = Records::Noisy { counted: "insertion", others: &["candidates", "suppression"] };

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct IpaKeys {
    /// Whether insensitive columns are dropped; else they are refused.
    drop_insensitive: bool,
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

/// The method with its parameters as given.
#[derive(Debug)]
struct Noisy {
    method: IpaPrivate,
    params: PrivateParams,
    drops_insensitive: bool,
}

impl Noisy {
    fn new(keys: IpaKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        let (epsilon, delta) = declared::noisy(task, NAME, keys.drop_insensitive)?;
        let sensitive = task.sensitive().count();
        if sensitive != 1 {
            let problem = format!(
                "ipa releases exactly one sensitive attribute, the recipe names {sensitive}; add for example \
                 [attributes.diagnosis] role = \"sensitive\", domain = \"codes.csv\", and make others \
                 quasi-identifiers with hierarchies"
            );
            return Err(problem.into());
        }
        let params = PrivateParams {
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
        Ok(Self { method: IpaPrivate::try_from(params)?, params, drops_insensitive: keys.drop_insensitive })
    }
}

impl Method for Noisy {
    fn statement(&self, _: &Task<'_>) -> Statement {
        Statement::named(NAME)
            .own("guarantee", GUARANTEE.value)
            .own("epsilon", self.params.epsilon)
            .own("delta", self.params.delta)
            .own("least-class", self.params.least_class)
            .limits(Limits::EVERYTHING)
            .own("spent", json!(self.method.spent()))
            .own("left", json!(self.method.left()))
            .own("occupied-cells-only", self.method.occupied_only())
    }

    fn cost(&self) -> Cost {
        Cost::NOISE
    }

    fn particulars(&self) -> Particulars {
        Particulars {
            drops_insensitive: self.drops_insensitive.then_some(declared::DROPPED),
            thresholds: self.params.least_class.into_iter().collect(),
            ..Particulars::default()
        }
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        Ok(Cow::Owned(declared::over_domains(table.into_owned(), task)?))
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let found = self.method.plan(table, &task.lattice(table), context)?;
        let suppressed = found.stated.expected_suppressed;
        let mut decision = noisy_counts::decision(found);
        decision.stated.shift_insert(0, "expected-suppressed-of-noise".into(), suppressed.into());
        Ok(decision)
    }
}
