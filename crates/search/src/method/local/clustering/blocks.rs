//! What the clusterings are as methods: their keys, the attribute they look at, what is said of their blocks.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use velamen_contract::model::Terms;
use velamen_contract::{AskedFor, Limits, Parameters, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;

use super::figures::ClusterInformation;
use super::{BlockFigures, Choice, ClusteringTask, Objective, Order, Seeds, Ties};
use crate::method::kit::keys;
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Parse, Parsed, Purpose, Task,
};
use crate::model::Asked;

/// λ where the recipe gives none: the published distance.
pub(super) const USUAL_LAMBDA: f64 = 1.0;

/// What reports say of all of them.
const WORDS: &str = "Similar records are gathered into groups until each keeps the promises, and each group is \
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
    /// The bound that blocks aim at without promising it, t or l of the model that the method is named after. Left out:
    /// that of the model in the recipe, which must then hold.
    pub(super) aim: Option<f64>,
}

/// A clustering with its parameters.
#[derive(Debug, Clone)]
pub(super) struct Clustering {
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
    /// From where nearness is measured.
    pub(super) order: Order,
    /// The bound that is aimed at and not promised.
    pub(super) aim: Option<f64>,
    /// The sensitive attribute that is looked at: by the objective, else for the figures.
    pub(super) sensitive: Option<String>,
}

impl Clustering {
    /// A clustering that does not weigh mutual information.
    pub(super) fn new(
        name: &'static str,
        objective: Objective,
        seeds: Seeds,
        sensitive: Option<String>,
    ) -> Self {
        Self {
            name,
            objective,
            lambda: USUAL_LAMBDA,
            weighs: false,
            seeds,
            ties: Ties::default(),
            order: Order::default(),
            aim: None,
            sensitive,
        }
    }

    fn choice(&self) -> Choice {
        match self.order {
            Order::Distance => Choice::Seed,
            Order::Block => self.ties.choice(),
        }
    }
}

impl Method for Clustering {
    fn statement(&self, task: &Task<'_>) -> Statement {
        Statement::named(self.name)
            .own("seeds", json!(self.seeds))
            .limits(Limits::NOTHING)
            .own_if("person", task.person())
            .own_if("lambda", self.weighs.then_some(self.lambda))
            .own_if("ties", (self.ties == Ties::Random).then(|| json!(self.ties)))
            .own_if("order", (self.order == Order::Distance).then(|| json!(self.order)))
            .own_if("aim", self.aim)
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
        let search = ClusteringTask {
            models: &task.bind(table)?,
            least_size: task.least_size(1),
            objective: self.objective,
            seeds: self.seeds,
            choice: self.choice(),
            column,
        };
        let (plan, found) = search.plan(table, context)?;
        let search = described(&found, &ClusterInformation::of(table, &plan, column), self.lambda);
        Ok(Decision { search, ..Decision::of(Outcome::Local(plan)) })
    }
}

/// What blocks cost, over the original records.
fn described(found: &BlockFigures, figures: &ClusterInformation, lambda: f64) -> Value {
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

/// The entry of a clustering with keys `K`.
pub(super) const fn entry<K: DeserializeOwned + JsonSchema>(
    name: &'static str,
    summary: &'static str,
    parse: Parse,
) -> Entry {
    let (schema, keys) = (keys::schema::<K>, keys::names::<K>);
    Entry {
        name,
        summary,
        purpose: Purpose::Baseline,
        alias: None,
        words: |_| WORDS,
        facts: |_| Facts::CLASSES,
        stated: |_| vec!["seeds"],
        parse,
        schema,
        keys,
    }
}

/// Reads the keys of a clustering that aims at no model; `usual` is how blocks begin where the recipe does not say it.
pub(super) fn seeded(
    name: &'static str,
    keys: Map<String, Value>,
    task: &Task<'_>,
    objective: Objective,
    usual: Seeds,
) -> Parsed {
    task.refuse_beyond_classes()?;
    let SeedKeys { seeds } = keys::read(keys)?;
    let sensitive = task.sensitive().next().map(str::to_owned);
    Ok(Arc::new(Clustering::new(name, objective, seeds.unwrap_or(usual), sensitive)))
}

/// The model that a clustering aims at, with parameters `P`.
pub(super) struct Aim<P> {
    /// The model.
    pub(super) terms: &'static Terms,
    /// The name of its bound, for messages.
    pub(super) key: &'static str,
    /// From where to where its bound goes.
    pub(super) range: (f64, f64),
    /// Its bound.
    pub(super) bound: fn(P) -> f64,
    /// Which of two bounds says more.
    pub(super) strictest: fn(f64, f64) -> f64,
    /// What blocks cost, by the bound.
    pub(super) objective: fn(f64) -> Objective,
}

impl<P: Parameters> Aim<P> {
    /// The strictest bound that is asked for, and the attribute that it is about.
    fn asked(&self, models: &[Asked]) -> Result<(f64, Option<String>), KeyError> {
        let (model, key) = (self.terms.name, self.key);
        let asked: Vec<&Asked> = models.iter().filter(|asked| asked.entry.terms.name == model).collect();
        let read = |asked: &&Asked| AskedFor(&asked.model.parameters()).parameters().map(self.bound);
        let bound = asked.iter().filter_map(read).reduce(self.strictest).ok_or_else(|| {
            Problem::new(format!("the method aims at the model `{model}`")).mend(format!(
                "add [[privacy]] model = \"{model}\", {key} = …, or aim = … to [method] where blocks need not hold it"
            ))
        })?;
        match asked.iter().find(|other| other.attribute != asked[0].attribute) {
            Some(_) => Err(Problem::new("the method aims at one attribute")
                .mend(format!("ask for `{model}` of one only"))
                .into()),
            None => Ok((bound, asked[0].attribute.clone())),
        }
    }

    /// The bound of the method's own key `aim`, and the only sensitive attribute.
    fn unpromised(&self, aim: f64, task: &Task<'_>) -> Result<(f64, Option<String>), KeyError> {
        let (model, (least, most)) = (self.terms.name, self.range);
        if task.models.iter().any(|asked| asked.entry.terms.name == model) {
            let problem = format!("the recipe asks for `{model}`, whose {} is aimed at", self.key);
            return Err(KeyError::of("aim", Problem::new(problem).mend("leave out `aim`")));
        }
        if !(least..=most).contains(&aim) {
            let problem = format!("aim is {} of `{model}`, a number from {least} to {most}", self.key);
            return Err(KeyError::of("aim", problem));
        }
        match task.sensitive().collect::<Vec<_>>()[..] {
            [one] => Ok((aim, Some(one.to_owned()))),
            _ => Err(KeyError::of("aim", "aim needs exactly one attribute of the role \"sensitive\"")),
        }
    }
}

/// Reads the keys of a clustering that aims at a model.
pub(super) fn towards<P: Parameters>(
    name: &'static str,
    keys: Map<String, Value>,
    task: &Task<'_>,
    aim: &Aim<P>,
) -> Parsed {
    task.refuse_beyond_classes()?;
    let AimedKeys { seeds, ties, aim: own } = keys::read(keys)?;
    let (bound, attribute) = own.map_or_else(|| aim.asked(task.models), |own| aim.unpromised(own, task))?;
    let clusters = Clustering::new(name, (aim.objective)(bound), seeds.unwrap_or(Seeds::Random), attribute);
    Ok(Arc::new(Clustering { ties, aim: own, ..clusters }))
}
