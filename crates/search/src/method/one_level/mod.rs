//! What the searches for one level by attribute are as methods: their keys, and a recipe's wishes as a demand
//! on lattice nodes.

pub mod best_first;
pub mod datafly;
pub mod exhaustive;
pub mod full_domain;
pub mod genetic;
pub mod iterated_local_search;
pub mod local_recoding;
pub mod optimal;
pub mod relocation;
mod search_keys;
pub mod suppression;
pub mod top_down;

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use velamen_contract::metric::Weights;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::Plan;

use self::full_domain::{FullDomain, ONE_NODE};
use self::local_recoding::{Kept, Levels, LocalRecoding, MOST_PARTED, Repetitions};
use self::search_keys::{
    BudgetKeys, PROVEN, SearchKeys, asked_metric, budgeted_names, budgeted_schema, key, local,
    metric_options, refuse_hidden, stated, stated_with_budget, stated_with_proof,
};
use super::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Parse, Parsed, Particulars,
    Purpose, Suppress, Task, Time, Utility,
};
use crate::method::kit::evaluate::{Admission, Assessment, Demand, Hidden, Outliers, with_evaluator};
use crate::method::kit::keys;
use crate::method::kit::nodes::{self, Excluded, Look, Nodes, Point};
use crate::method::kit::search::{Budget, ENDED, FoundNode, Instead, LOOKS_INSTEAD, Strategy};
use crate::metric::{Entry as Metric, MetricOptions, Score, USUAL};
use crate::model::{Bound, Monotonicity};

const STOPPED: &str = "stopped";
/// What `release.json` says where the searches of local recoding ended with their steps.
const BOUNDED: &str = "bounded";

/// The share of a recipe's seconds after which its clock, and no person, has stopped the search.
const NEARLY: f64 = 0.99;

const AT_ITS_BOUND: &str = "the searches ended at their bound: a release of more detail may exist. With fewer \
                            quasi-identifiers or levels they end by themselves; method.name = \"iterated-local-search\" with \
                            budget-steps takes as long as you want";

/// The nodes from which on the searches of local recoding mostly end at their bound, as an estimate has it.
const BOUNDED_BEYOND: u128 = 1 << 16;

const STEPWISE: &str = "suppressed records show no values, so that classes are compared with the others alone: the node is \
                        the best of those that are judged so, and not proven the best of all";

const TOO_LARGE: &str = "the lattice has too many nodes for a proof: the release is the best that was found";

/// A search for one level by attribute with its parameters.
#[derive(Debug, Clone)]
pub(super) struct OneLevel {
    /// The name in recipes.
    name: &'static str,
    strategy: Strategy,
    pub(super) metric: &'static Metric,
    /// How the metric is read; the weights follow once the table's columns are known.
    options: MetricOptions,
    limit: f64,
    outliers: Outliers,
    suppress: Suppress,
    assume_monotone: bool,
    budget: BudgetKeys,
    /// Whether the search is repeated on what it suppresses, and with which levels.
    pub(super) local: Option<Levels>,
}

/// What a report says of a release, by its section.
type Words = fn(&Map<String, Value>) -> &'static str;

/// The entry of a search that looks at as many nodes as it takes.
pub(super) const fn entry(name: &'static str, summary: &'static str, words: Words, parse: Parse) -> Entry {
    let (purpose, schema, keys) = (Purpose::Baseline, keys::schema::<SearchKeys>, keys::names::<SearchKeys>);
    Entry { name, summary, purpose, alias: None, words, facts, stated, parse, schema, keys }
}

/// The entry of a search that ends with a budget.
pub(super) const fn budgeted_entry(
    name: &'static str,
    summary: &'static str,
    words: Words,
    parse: Parse,
) -> Entry {
    let (schema, keys) = (budgeted_schema, budgeted_names);
    Entry { stated: stated_with_budget, schema, keys, ..entry(name, summary, words, parse) }
}

/// Reads the keys of a search without a budget.
pub(super) fn parse(strategy: Strategy, keys: Map<String, Value>, task: &Task<'_>) -> Parsed {
    Ok(Arc::new(OneLevel::new(strategy.name, strategy, Outliers::Suppress, keys, task)?))
}

/// Reads the keys of a search with a budget; `usual` are its steps where the recipe gives none.
pub(super) fn parse_budgeted(
    strategy: Strategy,
    usual: u64,
    keys: Map<String, Value>,
    task: &Task<'_>,
) -> Parsed {
    let of_budget = keys::names::<BudgetKeys>();
    let (budget, others): (Map<_, _>, Map<_, _>) =
        keys.into_iter().partition(|(key, _)| of_budget.contains(key));
    let budget = keys::read::<BudgetKeys>(budget)?.checked(usual)?;
    let method = OneLevel::new(strategy.name, strategy, Outliers::Suppress, others, task)?;
    Ok(Arc::new(OneLevel { budget, ..method }))
}

impl OneLevel {
    pub(super) fn new(
        name: &'static str,
        strategy: Strategy,
        outliers: Outliers,
        keys: Map<String, Value>,
        task: &Task<'_>,
    ) -> Result<Self, KeyError> {
        let keys: SearchKeys = keys::read(keys)?;
        let metric = asked_metric(keys.metric.as_deref().unwrap_or(USUAL.name))?;
        let limit = keys.suppression_limit.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&limit) {
            return Err(KeyError::of("suppression-limit", "suppression-limit is a share, from 0 to 1"));
        }
        let local = local(&keys, outliers, task)?;
        refuse_hidden(&keys, outliers)?;
        Ok(Self {
            name,
            strategy,
            metric,
            options: metric_options(&keys, metric)?,
            limit,
            outliers,
            suppress: keys.suppress.unwrap_or_default(),
            assume_monotone: keys.assume_monotone,
            budget: BudgetKeys::default(),
            local,
        })
    }

    /// Calls `run` with the demand that the recipe makes.
    pub(super) fn demanded<T>(
        &self,
        task: &Task<'_>,
        table: &Counted<'_>,
        models: &[Bound],
        run: impl FnOnce(Demand<'_>) -> T,
    ) -> T {
        let bound = (self.metric.bind)(table, &self.options);
        run(Demand {
            models,
            metric: &*bound,
            most_outliers: Limits::most_suppressed(self.limit, table.records()),
            outliers: self.outliers,
            assume_monotone: self.assume_monotone,
            hidden: self.hidden(task),
        })
    }

    /// The task, if suppressed records show no values that its models compare classes with.
    fn hidden<'a>(&self, task: &'a Task<'a>) -> Option<Hidden<'a>> {
        Hidden::of(task).filter(|_| self.suppress == Suppress::Record && self.suppresses())
    }

    /// Whether records can be suppressed.
    fn suppresses(&self) -> bool {
        self.limit > 0.0 && self.outliers == Outliers::Suppress
    }

    pub(super) fn weighted(&self, table: &FrequencyTable, task: &Task<'_>) -> Self {
        Self { options: self.options.weighted(task.weights(table)), ..self.clone() }
    }
}

impl Method for OneLevel {
    fn statement(&self, task: &Task<'_>) -> Statement {
        let statement = Statement::named(self.name)
            .own("metric", self.metric.name)
            .limits(Limits::suppressed(self.limit))
            .own_if("suppress", self.suppresses().then(|| json!(self.suppress)))
            .own_if("population-size", task.population.map(|population| population.size))
            .own_if("person", task.person())
            .read_by(&self.options.weighted(weights(task)))
            .budget(self.budget.budget_steps, self.budget.budget_seconds)
            .own_if("assume-monotone", self.assume_monotone.then_some(true));
        match self.local {
            Some(levels) => statement.own(key(levels), true),
            None => statement,
        }
    }

    fn cost(&self) -> Cost {
        let usual = if self.limit > 0.0 { Time::SUPPRESSING } else { Time::SEARCH };
        let time = match self.local {
            Some(_) => Time { once: 2500.0, by_node: 4.0, by_cut: 540.0, most_cut: MOST_PARTED },
            None => self.strategy.time.unwrap_or(usual),
        };
        let memory = if self.local.is_some() { Cost::CLASSES } else { Cost::SEARCH };
        Cost { time: Some(time), ..memory }
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        self.local.is_none().then_some(self)
    }

    fn particulars(&self) -> Particulars {
        let beyond = |instead: Instead| if self.local.is_some() { BOUNDED_BEYOND } else { instead.beyond };
        let looks_beyond = self.strategy.instead.map(|instead| (beyond(instead), LOOKS_INSTEAD));
        let (seconds, looks) = (self.budget.budget_seconds, self.strategy.looks);
        Particulars { seconds, looks, looks_beyond, ..Particulars::default() }
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let this = self.weighted(table, task);
        let (models, lattice) = (task.bind(table)?, task.lattice(table));
        let budget = Budget { steps: self.budget.budget_steps, expired: task.expired, until: None };
        let began = Instant::now();
        let mut decision = match self.local {
            Some(levels) => {
                let (kept, found) = LocalRecoding {
                    models: &models,
                    metric: this.metric,
                    options: &this.options,
                    most_outliers: Limits::most_suppressed(this.limit, table.records()),
                    assume_monotone: this.assume_monotone,
                    strategy: this.strategy,
                    budget,
                    seconds: self.budget.budget_seconds,
                    lattice: &lattice,
                    levels,
                    hidden: this.hidden(task),
                }
                .plan(table, context)?;
                this.repeated(levels, kept, &found, self.was_stopped(task, began))
            }
            None => {
                let (plan, found) = this.demanded(task, &task.counted(table), &models, |demand| {
                    let (lattice, strategy) = (Some(&lattice), this.strategy);
                    FullDomain { demand, lattice, strategy, budget }.plan(table, context)
                })?;
                let stopped = self.was_stopped(task, began);
                this.decided(task, plan, &found, stopped)
            }
        };
        decision.warnings.extend(self.assumed(task));
        Ok(decision)
    }
}

impl Nodes for OneLevel {
    fn figure(&self) -> &'static str {
        self.metric.name
    }

    fn counts_people(&self) -> bool {
        self.outliers == Outliers::Suppress
    }

    fn judge(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        look: Look<'_>,
        context: &Context<'_>,
    ) -> Result<bool, MethodError> {
        let this = self.weighted(table, task);
        let models = task.bind(table)?;
        this.demanded(task, &task.counted(table), &models, |demand| {
            with_evaluator(table, &demand, |evaluate| {
                let (lattice, records) = (look.lattice, table.records());
                let mut excluded = Excluded::default();
                nodes::in_batches(look, task, context, |batch| {
                    let open: Vec<&Node> =
                        batch.iter().filter(|node| !excluded.covers(node, lattice)).collect();
                    let judged = |node: &&Node| context.check().map(|()| evaluate.admit(node));
                    let found: Vec<Admission> = open.par_iter().map(judged).collect::<Result<_, _>>()?;
                    let point = |(node, found): (&Node, Admission)| match found {
                        Admission::Admitted(found) => this.point(node, &found, records),
                        Admission::Refused => None,
                        Admission::RefusedWithAllBelow => {
                            excluded.insert(node.clone());
                            None
                        }
                    };
                    Ok(open.into_iter().zip(found).map(point).collect())
                })
            })
        })
    }

    fn at(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let this = self.weighted(table, task);
        let models = task.bind(table)?;
        let only = Lattice::between(node, node);
        let (plan, found) = this.demanded(task, &task.counted(table), &models, |demand| {
            let (lattice, strategy, budget) = (Some(&only), ONE_NODE, Budget::default());
            FullDomain { demand, lattice, strategy, budget }.plan(table, context)
        })?;
        Ok(this.decided(task, plan, &found, false))
    }
}

/// The weights that are not 1.
fn weights(task: &Task<'_>) -> Weights {
    let weighted = task.attributes.iter().filter(|attribute| (attribute.weight - 1.0).abs() > 0.0);
    weighted.map(|attribute| (attribute.name.clone(), attribute.weight)).collect()
}

impl OneLevel {
    /// Whether someone asked for the best so far: the recipe's seconds are not over.
    fn was_stopped(&self, task: &Task<'_>, began: Instant) -> bool {
        let left = |seconds| began.elapsed().as_secs_f64() < NEARLY * seconds;
        task.is_expired() && self.budget.budget_seconds.is_none_or(left)
    }

    /// What is said of a node that was found by a search that may have been stopped.
    pub(super) fn decided(&self, task: &Task<'_>, plan: Plan, found: &FoundNode, stopped: bool) -> Decision {
        let value = |score| self.metric.value(score);
        // A bound that differs from 0 by rounding is 0.
        let bound = |score| Some(value(score)).filter(|bound| bound.abs() > 1e-12).unwrap_or(0.0);
        let search = json!({
            "nodes-examined": found.examined,
            "value": value(&found.score),
            "at-least": found.at_least.as_ref().map(bound),
        });
        let (utility, stepwise) = (self.utility(&plan), self.hidden(task).is_some() && plan.suppressed() > 0);
        let mut decision =
            Decision { search, utility, suppress: self.suppress, ..Decision::of(Outcome::FullDomain(plan)) };
        if !found.is_proven() {
            self.state_unproven(&mut decision, found.at_least.is_some(), stopped);
        } else if self.strategy.proves {
            let is_proven = !stepwise && self.assumed(task).is_none();
            decision.stated.insert(PROVEN.into(), is_proven.into());
            decision.warnings.extend(stepwise.then(|| STEPWISE.into()));
        }
        decision
    }

    /// States that a node is not proven to be the best, where the method's words would say so, and why.
    fn state_unproven(&self, decision: &mut Decision, bounded: bool, stopped: bool) {
        state_stopped(decision, stopped);
        if !self.strategy.proves {
            return;
        }
        decision.stated.insert(PROVEN.into(), false.into());
        if !stopped {
            decision.warnings.push(TOO_LARGE.into());
        }
        if bounded {
            decision
                .warnings
                .push("custodian.json states how low the figure of another release could be at least".into());
        }
    }

    /// What a node comes to; `None` where nothing can be released.
    fn point(&self, node: &Node, found: &Assessment, records: u64) -> Option<Point> {
        let kept = records - found.outliers;
        let of_records = (1.0 / found.smallest as f64, found.classes as f64 / kept as f64);
        let (highest_risk, mean_risk) = found.of_people.unwrap_or(of_records);
        (found.anonymous && kept > 0).then(|| Point {
            node: node.clone(),
            value: self.metric.value(&found.score),
            loss: found.score.first(),
            highest_risk,
            mean_risk,
            suppressed: found.outliers,
            counterfeits: 0,
            classes: found.classes as u64,
        })
    }

    /// What is said of a search that was repeated, and may have been stopped.
    fn repeated(&self, levels: Levels, kept: Kept, found: &Repetitions, stopped: bool) -> Decision {
        let value = |score: &Option<Score>| score.as_ref().map(|score| self.metric.value(score));
        let search = json!({
            "runs": found.runs,
            "nodes-examined": found.examined,
            "value-of-one-search": value(&found.single),
            "value-repeated": value(&found.repeated),
            "value-parted": value(&found.parted),
            "bounded": found.bounded,
        });
        let mut decision = match kept {
            Kept::Repeated(plan) => Decision {
                search,
                suppress: self.suppress,
                utility: Utility::Originals(Some((self.metric, self.options.clone()))),
                ..Decision::of(Outcome::Local(plan))
            },
            Kept::Single(plan) => Decision {
                search,
                suppress: self.suppress,
                utility: self.utility(&plan),
                // Where one search was better, its release has one level by attribute and a node.
                stated: [(key(levels).to_owned(), "without gain".into())].into_iter().collect(),
                warnings: (!stopped).then(|| self.without_gain(levels, found)).into_iter().collect(),
                ..Decision::of(Outcome::FullDomain(plan))
            },
        };
        let is_node = matches!(decision.outcome, Outcome::FullDomain(_));
        if is_node && !found.single_is_proven {
            self.state_unproven(&mut decision, false, stopped);
        } else {
            let proves = is_node && self.strategy.proves;
            decision.stated.extend(proves.then(|| (PROVEN.to_owned(), (!self.assume_monotone).into())));
            state_stopped(&mut decision, stopped);
        }
        if found.bounded && !stopped {
            decision.stated.insert(BOUNDED.into(), true.into());
            decision.warnings.push(AT_ITS_BOUND.into());
        }
        decision
    }

    fn without_gain(&self, levels: Levels, found: &Repetitions) -> String {
        let why = match (&found.single, &found.repeated) {
            (Some(single), Some(repeated)) => format!(
                "{} is {:.4} with one search and {:.4} with the search repeated",
                self.metric.name,
                self.metric.value(single),
                self.metric.value(repeated)
            ),
            _ => "repeating the search cannot keep to the suppression limit".to_owned(),
        };
        format!("{} gained nothing: {why}; the release is that of one search", key(levels))
    }

    /// Where records moved, a figure over the originals is not one of the released table.
    fn utility(&self, plan: &Plan) -> Utility {
        match plan.moved() {
            0 => Utility::Originals(Some((self.metric, self.options.clone()))),
            _ => Utility::Released,
        }
    }

    pub(super) fn assumed(&self, task: &Task<'_>) -> Option<String> {
        let superset = task.models.iter().all(|asked| asked.entry.monotonicity == Monotonicity::Superset);
        (self.assume_monotone && !superset).then(|| {
            "assume-monotone: the models are not monotone throughout, so the node found need not be optimal"
                .into()
        })
    }
}

fn state_stopped(decision: &mut Decision, stopped: bool) {
    decision.stated.extend(stopped.then(|| (STOPPED.to_owned(), true.into())));
    decision.warnings.extend(stopped.then(|| ENDED.into()));
}

/// What holds of a release of these searches.
pub(super) fn facts(section: &Map<String, Value>) -> Facts {
    let set = |key: &str| section.get(key).is_some_and(|value| value == true);
    match (set("cell-suppression"), set("local-recoding")) {
        (true, _) => Facts::CLASSES,
        (false, true) => Facts { levels: true, ..Facts::CLASSES },
        (false, false) => Facts::SEARCH,
    }
}

/// What reports say: `usual`, unless a key changes what the search is.
pub(super) fn words(section: &Map<String, Value>, usual: &'static str) -> &'static str {
    let set = |key: &str| section.get(key).is_some_and(|value| value == true);
    if section.get(PROVEN).is_some_and(|proven| proven == false) && !set("assume-monotone") {
        "Every attribute is released at one level of detail; the best combination that was found within a limited \
         search. A better one may exist."
    } else if set("local-recoding") || set("cell-suppression") {
        "The best level of detail for each attribute is searched for the whole table, then again for the records \
         that stand out at it, and so on: groups have levels of their own. No combination is proven the best."
    } else if set("assume-monotone") {
        "Every attribute is released at one level of detail. The search took it for granted that promises which \
         hold also hold with less detail, which is not so for all of these: a better combination may exist."
    } else {
        usual
    }
}
