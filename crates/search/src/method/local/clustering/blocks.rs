//! What the clusterings are as methods: their keys, the attribute they look at, what is said of their blocks.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_contract::model::Terms;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::figures::Figures;
use super::{Clustering, Found, Objective, Seeds, Ties};
use crate::method::{Cost, Decision, Facts, KeyError, Method, MethodError, Outcome, Task};
use crate::model::Asked;

/// λ where the recipe gives none: the published distance.
pub(super) const USUAL_LAMBDA: f64 = 1.0;

/// What reports say of all of them.
pub(super) const WORDS: &str = "Similar records are gathered into groups until each keeps the promises, and each group is \
     released with the values that its records have in common.";

/// The keys of every clustering.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct SeedKeys {
    /// Which record a block begins with; left out: `farthest` for k-member, else `random`.
    pub(super) seeds: Option<Seeds>,
}

/// The keys of a clustering towards a model.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct AimedKeys {
    /// Which record a block begins with; left out: `random`.
    pub(super) seeds: Option<Seeds>,
    /// How it is chosen among records that are equal in the model; left out: `information`.
    pub(super) ties: Ties,
}

/// A clustering with its parameters.
#[derive(Debug, Clone)]
pub(super) struct Clusters {
    /// The name in recipes.
    pub(super) name: &'static str,
    /// What blocks should cost little of.
    pub(super) objective: Objective,
    /// λ of the distance that the custodian is told.
    pub(super) lambda: f64,
    /// Whether λ is a parameter.
    pub(super) weighs: bool,
    /// Which records blocks begin with.
    pub(super) seeds: Seeds,
    /// How it is chosen among records that are equal in the model that is aimed at.
    pub(super) ties: Ties,
    /// The sensitive attribute that is looked at: by the objective, else for the figures.
    pub(super) sensitive: Option<String>,
}

impl Clusters {
    /// A clustering that does not weigh mutual information.
    pub(super) fn new(
        name: &'static str,
        objective: Objective,
        seeds: Seeds,
        sensitive: Option<String>,
    ) -> Self {
        Self { name, objective, lambda: USUAL_LAMBDA, weighs: false, seeds, ties: Ties::default(), sensitive }
    }
}

/// What holds of their releases.
pub(super) fn facts(_: &Map<String, Value>) -> Facts {
    Facts::CLASSES
}

impl Method for Clusters {
    fn statement(&self, _: &Task<'_>) -> Statement {
        Statement::named(self.name)
            .own("seeds", json!(self.seeds))
            .limits(Limits::NOTHING)
            .own_if("lambda", self.weighs.then_some(self.lambda))
            .own_if("ties", (self.ties == Ties::Random).then(|| json!(self.ties)))
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
        let column = self.sensitive.as_ref().and_then(|name| table.rest.position(name));
        let search = Clustering {
            models: &task.bind(table)?,
            least_size: task.least_size(1),
            objective: self.objective,
            seeds: self.seeds,
            choice: self.ties.choice(),
            column,
        };
        let (plan, found) = search.plan(table, context)?;
        let search = described(&found, &Figures::of(table, &plan, column), self.lambda);
        Ok(Decision { search, ..Decision::of(Outcome::Local(plan)) })
    }
}

/// What blocks cost, over the original records.
fn described(found: &Found, figures: &Figures, lambda: f64) -> Value {
    let [one, two, more] = found.distinct;
    json!({
        "blocks": found.blocks,
        "blocks-by-distinct-values": { "1": one, "2": two, "3-or-more": more },
        "information-loss-of-blocks": found.block_loss,
        "conditional-entropy": figures.conditional_entropy,
        "sensitive-entropy": figures.sensitive_entropy,
        "mutual-information": figures.mutual_information,
        "distance": figures.distance(lambda),
    })
}

/// The strictest bound of a model that the method aims at, and the attribute it looks at.
pub(super) fn aimed(
    models: &[Asked],
    terms: &Terms,
    key: &str,
    strictest: fn(f64, f64) -> f64,
) -> Result<(f64, Option<String>), KeyError> {
    let model = terms.name;
    let asked: Vec<&Asked> = models.iter().filter(|asked| asked.entry.terms.name == model).collect();
    let bounds = asked.iter().filter_map(|asked| asked.model.parameters()[key].as_f64());
    let bound = bounds.reduce(strictest).ok_or_else(|| {
        format!("the method aims at the model `{model}`; add [[privacy]] model = \"{model}\", {key} = …")
    })?;
    match asked.iter().find(|other| other.attribute != asked[0].attribute) {
        Some(_) => Err(format!("the method aims at one attribute; ask for `{model}` of one only").into()),
        None => Ok((bound, asked[0].attribute.clone())),
    }
}
