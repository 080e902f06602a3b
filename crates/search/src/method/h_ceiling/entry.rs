//! h-ceiling in the registry: its keys, what it may be asked for, and what is said of its releases.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use velamen_contract::{CounterfeitLimits, Limits as Stated, Statement};
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::impossible::Pairs;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::number;
use velamen_core::plan::Fate;
use velamen_core::release::{CATALOG, CEILING, INSENSITIVE};

use super::asked::{of_values, one_sensitive, refuse_coded, values_asked};
use super::grouping::lemma_1_holds;
use super::judged::ADVERSARY_LIMIT;
use super::local::Parts;
use super::padding::Padding;
use super::point::judge;
use super::{
    Demand, Draw, HCeiling, HCeilingParams, Insensitive, Limits, MOST_NODES, Objective, Over,
    PUBLISHED_GROUP, betrayed, one_sensitive as only_sensitive,
};
use crate::method::kit::search::ENDED;
use crate::method::kit::{keys, shown};
use crate::method::{
    Cost, Counterfeits, Decision, Entry, Facts, KeyError, Look, Method, MethodError, Nodes, Outcome,
    Particulars, Purpose, Suppress, Task, Time, Utility,
};
use crate::metric::{Reading, rce};
use crate::model::Asked;
use crate::model::people::Tally;

const NAME: &str = "h-ceiling";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Bounded generalization with counterfeit records and a catalog.",
    purpose: Purpose::Contract,
    alias: None,
    words: |_| {
        "Values are generalized up to a fixed degree and no further. Groups that are then still too small are suppressed, or \
         filled up with counterfeit records, of which a published catalog says how many there are, not which: others can often guess \
         it."
    },
    facts,
    stated: |section| {
        let own = ["h", "padding", "draw", "rce", "rce-over", "objective"];
        let limit = section.get("suppression-limit").and_then(Value::as_f64);
        let suppresses = limit.is_some_and(|limit| limit > 0.0).then_some("suppress");
        own.into_iter().chain(["counterfeit-limit", "least-real"]).chain(suppresses).collect()
    },
    parse: |keys, task| Ok(Arc::new(HCeiling::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<HCeilingKeys>,
    keys: keys::names::<HCeilingKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct HCeilingKeys {
    /// The most that any record may be generalized, 0 to 1; left out: found by RCE.
    #[schemars(range(min = 0, max = 1))]
    h: Option<f64>,
    /// What the classes are.
    parts: Parts,
    /// How far small classes are padded.
    padding: Padding,
    /// Where the sensitive values of counterfeits come from; left out: `near`, and `empirical` with exact padding.
    draw: Option<Draw>,
    /// How the reconstruction error is read.
    rce: Reading,
    /// Over which records it is summed.
    rce_over: Over,
    /// Whether the sensitive value of a suppressed record counts in it, as lost.
    rce_suppressed_values: bool,
    /// What is minimized; left out: `loss`, and `rce` with exact padding, as published.
    objective: Option<Objective>,
    /// The least number of classes that can hold counterfeits in a group of the catalog; left out: 100, and 2 with
    /// exact padding, as published.
    #[schemars(range(min = 2))]
    group_classes: Option<u64>,
    /// The most counterfeits, as a share of the released records; left out: 0.05, and 1 with exact padding.
    #[schemars(range(min = 0, max = 1))]
    counterfeit_limit: Option<f64>,
    /// The most suppressed records, as a share of the originals; left out: 0.01, and 0 with exact padding.
    #[schemars(range(min = 0, max = 1))]
    suppression_limit: Option<f64>,
    /// Whether counterfeits stand in for people in what models ask of values, as the papers read it; left out: only real
    /// records do.
    counterfeits_count: bool,
    /// How much of a suppressed record is: the whole `record`, or its `quasi-identifiers` alone. Left out: `record`.
    suppress: Suppress,
    /// The real records that a class must have to be padded; classes of fewer are suppressed. Left out: 2, with other `parts` only
    /// where k real records in each class do not keep the ceiling and the limits; 1 with exact padding.
    #[schemars(range(min = 1))]
    least_real: Option<u64>,
    /// How well an adversary may tell counterfeits from real records, as an area under the ROC curve: ½ is chance. Left out:
    /// 0.6, and 1 with exact padding. 1: nobody judges.
    #[schemars(range(min = 0.5, max = 1))]
    adversary_limit: Option<f64>,
    /// What becomes of insensitive columns.
    insensitive: Insensitive,
}

impl HCeilingKeys {
    fn limits(&self) -> Result<Limits, KeyError> {
        let usual = match self.padding {
            Padding::Random => USUAL_LIMITS,
            Padding::Exact => Limits::default(),
        };
        let limits = Limits {
            counterfeits: self.counterfeit_limit.unwrap_or(usual.counterfeits),
            suppressed: self.suppression_limit.unwrap_or(usual.suppressed),
            least_real: self.least_real.unwrap_or(usual.least_real),
        };
        limits.checked().map_err(|(key, problem)| KeyError::of(key, problem))
    }
}

/// Why insensitive columns are dropped.
const DROPPED: &str = "since a counterfeit could only repeat a real record's value, which shows the others to be real; \
                       release it with insensitive = \"release\" under [method], or make it a quasi-identifier";

/// Classes in a group: one row of the catalog then names no value too well.
const GROUP_CLASSES: u64 = 100;

/// Few enough that a release is mostly of real records; nobody is alone among counterfeits.
const USUAL_LIMITS: Limits = Limits { counterfeits: 0.05, suppressed: 0.01, least_real: 2 };

fn facts(section: &Map<String, Value>) -> Facts {
    let catalogued = Facts { counterfeits: Counterfeits::Catalogued, ..Facts::SEARCH };
    let facts = Facts { wildcards: false, most_nodes: Some(MOST_NODES), ..catalogued };
    match section.get("parts").is_none_or(|parts| parts == "full-domain") {
        true => facts,
        false => Facts { one_level: false, levels: false, most_nodes: None, ..facts },
    }
}

impl HCeiling {
    fn asked(keys: HCeilingKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        if let Some(other) = task.models.iter().find(|asked| asked.entry.terms.facts.population) {
            let problem = Problem::new(format!(
                "`{}` is about persons of the population, and counterfeits are none: padding cannot make \
                    it hold",
                other.entry.terms.name
            ))
            .mend("choose name = \"optimal\"");
            return Err(Problem::of(&["padding", "name"], problem).into());
        }
        let limits = keys.limits()?;
        let asks_least_real = keys.least_real.is_some();
        let HCeilingKeys {
            h,
            parts,
            padding,
            draw,
            rce,
            rce_over,
            rce_suppressed_values,
            objective,
            group_classes,
            insensitive,
            suppress,
            counterfeits_count,
            adversary_limit,
            ..
        } = keys;
        let (usual_draw, usual_group, usual_objective, usual_limit) = match padding {
            Padding::Random => (Draw::Near, GROUP_CLASSES, Objective::Loss, ADVERSARY_LIMIT),
            Padding::Exact => (Draw::Empirical, PUBLISHED_GROUP, Objective::Rce, 1.0),
        };
        let objective = objective.unwrap_or(usual_objective);
        let adversary_limit = adversary_limit.unwrap_or(usual_limit);
        if !(0.5..=1.0).contains(&adversary_limit) {
            return Err(KeyError::of("adversary-limit", "adversary-limit is an area from 0.5 to 1"));
        }
        let group_classes = group_classes.unwrap_or(usual_group);
        if group_classes < PUBLISHED_GROUP {
            return Err(KeyError::of("group-classes", "a group hides nothing with fewer than 2 classes"));
        }
        let draw = draw.unwrap_or(usual_draw);
        let catalog_risk = task.models.iter().filter_map(|asked| asked.model.catalog_risk()).reduce(f64::min);
        if catalog_risk.is_some() && padding == Padding::Exact {
            return Err(KeyError::of(
                "padding",
                "`catalog-risk` needs \"random\": with exact padding the size of a class shows whether it was padded",
            ));
        }
        if catalog_risk.is_some() && task.person().is_some() {
            return Err(KeyError::of(
                "name",
                Problem::new(
                    "`catalog-risk` is about records, and with the role \"person\" people are counted",
                )
                .mend("leave one of them out"),
            ));
        }
        let by_size =
            |asked: &Asked| asked.entry.terms.facts.only_size || asked.model.catalog_risk().is_some();
        let beyond = !task.models.iter().all(by_size);
        let beyond_sizes = task.models.iter().any(|asked| !by_size(asked) && !of_values(asked));
        let k = task.least_size(2);
        let method = Self::try_from(HCeilingParams {
            k,
            h,
            padding,
            draw,
            rce,
            rce_over,
            suppressed_values: rce_suppressed_values,
            objective,
            limits,
            beyond,
            beyond_sizes,
            group_classes,
            catalog_risk,
            parts,
            insensitive,
            suppress,
            counterfeits_count,
            real_values: if counterfeits_count { 1 } else { values_asked(task) },
            adversary_limit: (adversary_limit < 1.0).then_some(adversary_limit),
            real_first: parts != Parts::FullDomain && !asks_least_real,
            persons: task.person().is_some(),
        })?;
        one_sensitive(task)?;
        if parts != Parts::FullDomain {
            refuse_coded(task)?;
        }
        Ok(method)
    }
}

/// What was found, whatever the classes are.
struct Reached {
    rce: f64,
    degree: f64,
}

impl Method for HCeiling {
    fn statement(&self, task: &Task<'_>) -> Statement {
        let HCeilingParams { h, padding, draw, rce, rce_over, objective, limits, group_classes, .. } =
            self.params;
        let concealing = self.largest_concealing();
        let counterfeits = CounterfeitLimits {
            most: limits.counterfeits,
            least_real: limits.least_real,
            group_classes: (group_classes > PUBLISHED_GROUP).then_some(group_classes),
            largest_padded: (concealing < u64::MAX).then_some(concealing),
        };
        let named = Statement::named(NAME);
        let statement = match self.params.suppressed_values {
            true => named.counting_suppressed_values(),
            false => named,
        };
        let statement = statement
            .own("h", json!(h))
            .own("padding", json!(padding))
            .own("draw", json!(draw))
            .reading(rce)
            .own("rce-over", json!(rce_over))
            .own("objective", json!(objective))
            .limits(Stated { suppressed: limits.suppressed, counterfeits: Some(counterfeits) })
            .own_if("suppress", (limits.suppressed > 0.0).then(|| json!(self.params.suppress)))
            .own_if("person", task.person())
            .own_if("parts", (self.params.parts != Parts::FullDomain).then(|| json!(self.params.parts)));
        match self.params.beyond {
            true => statement.counting_counterfeits(self.params.counterfeits_count),
            false => statement,
        }
    }

    /// Counterfeits and the groups of the catalog, for the nodes that are looked at at once.
    fn cost(&self) -> Cost {
        let time = Time { once: 6000.0, by_node: 3.0, ..Time::SEARCH };
        Cost { fixed: 24e6, combination: 400.0, cell: 20.0, rest: 30.0, time: Some(time) }
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        (self.params.parts == Parts::FullDomain).then_some(self)
    }

    fn particulars(&self) -> Particulars {
        let padded = Some((self.params.k, self.largest_padded()));
        let drops_insensitive = (self.params.insensitive == Insensitive::Drop).then_some(DROPPED);
        Particulars { padded, drops_insensitive, ..Particulars::default() }
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        self.judged(table, task, context, |method, task| match method.params.parts {
            Parts::FullDomain => {
                let least = shown::least_levels(table, task, method.params.k);
                method.full_domain(table, task, &shown::lattice(table, task, &least)?, context)
            }
            parts => method.local(table, task, parts, context),
        })
    }
}

impl HCeiling {
    fn full_domain(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        lattice: &Lattice,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let models = |released: &Tally| task.bind_to(table, Some(released));
        let pairs = pairs(table, task);
        let asked =
            Demand { models: &models, pairs: pairs.as_ref(), earlier: task.earlier, expired: task.expired };
        let (plan, found) =
            self.plan_with(table, lattice, &asked, context).map_err(|error| self.explained(error, &asked))?;
        let search = json!({
            "nodes-examined": found.examined,
            "nodes-without-safe-catalog": found.infeasible,
            "rce": found.best.rce,
            "largest-degree": found.best.degree,
            "counterfeits": found.best.counterfeits,
            "suppressed": found.best.suppressed,
        });
        let figures = Reached { rce: found.best.rce, degree: found.best.degree };
        let mut decision = self.decided(Outcome::FullDomain(plan), search, (&figures, &asked), table)?;
        decision.warnings.extend(found.ended.then(|| ENDED.into()));
        Ok(decision)
    }

    fn local(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        parts: Parts,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let models = |released: &Tally| task.bind_to(table, Some(released));
        let pairs = pairs(table, task);
        let asked =
            Demand { models: &models, pairs: pairs.as_ref(), earlier: task.earlier, expired: task.expired };
        let (plan, found) = self
            .local_plan(table, parts, (&task.rules(table), &task.steps(table)), &asked, context)
            .map_err(|error| self.explained(error, &asked))?;
        let search = json!({
            "classes": found.classes,
            "rce": found.rce,
            "largest-degree": found.degree,
            "counterfeits": found.counterfeits,
            "suppressed": found.suppressed,
        });
        let figures = Reached { rce: found.rce, degree: found.degree };
        self.decided(Outcome::Local(plan), search, (&figures, &asked), table)
    }

    /// What is infeasible, with the pairs that may be why.
    fn explained(&self, error: MethodError, asked: &Demand<'_>) -> MethodError {
        let pads = self.params.limits.counterfeits > 0.0;
        match error {
            MethodError::Infeasible(why) if asked.pairs.is_some() && pads => MethodError::Infeasible(
                why.mend("[[impossible]] may leave some class no value for its counterfeits"),
            ),
            other => other,
        }
    }

    fn decided(
        &self,
        outcome: Outcome,
        search: Value,
        (found, asked): (&Reached, &Demand<'_>),
        table: &FrequencyTable,
    ) -> Result<Decision, MethodError> {
        check_hidden(&outcome, table)?;
        let notes = self.standing_in(&outcome, table, asked)?.into_iter().collect();
        // With no h given, h is what the winner reaches (rounded up, so that it binds).
        let h = self.params.h.unwrap_or_else(|| (found.degree * 1e9).ceil() / 1e9);
        let hidden = json!({ "located-counterfeits": 0 });
        let exact = self.params.padding == Padding::Exact;
        let warning = exact.then(|| {
            "padding = \"exact\" is the published method, which a minimality attack undoes: whoever knows the \
             algorithm can locate counterfeits; use padding = \"random\" for a release"
                .into()
        });
        let mut promises = vec![(CEILING, json!({ "h": h })), (CATALOG, hidden)];
        if table.rest.columns.iter().any(|column| column.role == Role::Insensitive) {
            promises.push((INSENSITIVE, json!({ "k": self.params.k })));
        }
        Ok(Decision {
            promises,
            utility: Utility::Read(self.params.rce, self.params.suppressed_values),
            search,
            figures: rce::figures(found.rce, table, self.params.rce),
            warnings: warning.into_iter().collect(),
            suppress: self.params.suppress,
            notes,
            of_real: self.judges_real(),
            ..Decision::of(outcome)
        })
    }
}

impl HCeiling {
    /// How many people have the values that models ask for only with counterfeits, where these stand in for people.
    fn standing_in(
        &self,
        outcome: &Outcome,
        table: &FrequencyTable,
        asked: &Demand<'_>,
    ) -> Result<Option<String>, MethodError> {
        let (true, true) = (self.params.beyond, self.params.counterfeits_count) else { return Ok(None) };
        let sensitive = only_sensitive(table)?;
        let (groups, people) = match outcome {
            Outcome::FullDomain(plan) => {
                self.filler(table, sensitive, asked)?.stood_in_for(&plan.classes, &plan.fates)
            }
            Outcome::Local(plan) => {
                let classes = ClassTable::of_plan(plan, table, sensitive);
                let fates = vec![Fate::Keep; classes.len()];
                self.filler_beside(plan, table, sensitive, asked)?.stood_in_for(&classes, &fates)
            }
            Outcome::Sampled { .. } | Outcome::Records(_) => return Ok(None),
        };
        Ok((groups > 0).then(|| {
            format!(
                "counterfeits stand in for people: without them, {} {} in {} {} lack the values that the models ask for; \
                 leave out counterfeits-count = true to suppress such groups",
                number::count(people),
                if people == 1 { "person" } else { "people" },
                number::count(groups),
                if groups == 1 { "group" } else { "groups" },
            )
        }))
    }
}

impl Nodes for HCeiling {
    fn figure(&self) -> &'static str {
        match self.params.objective {
            Objective::Rce => "rce",
            Objective::Loss => "loss",
            Objective::Counterfeits => "counterfeits",
        }
    }

    fn judge(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        look: Look<'_>,
        context: &Context<'_>,
    ) -> Result<bool, MethodError> {
        judge(*self, table, task, look, context)
    }

    /// As in the run of a recipe that allows this node alone.
    fn at(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        shown::check(table, node, &shown::least_levels(table, task, self.params.k))?;
        let lattice = Lattice::between(node, node);
        self.judged(table, task, context, |method, task| method.full_domain(table, task, &lattice, context))
    }
}

/// The pairs of the table that no counterfeit gets.
fn pairs(table: &FrequencyTable, task: &Task<'_>) -> Option<Pairs> {
    let sensitive = table.rest.sensitive().next()?;
    Pairs::new(task.impossible, task.attributes, table, sensitive)
}

/// Lemma 1 on the finished groups, with what only the custodian knows.
fn check_hidden(outcome: &Outcome, table: &FrequencyTable) -> Result<(), MethodError> {
    let sensitive = table.rest.sensitive().next();
    let hidden = match (outcome, sensitive) {
        (Outcome::FullDomain(plan), _) => lemma_1_holds(&plan.classes, &plan.counterfeits, &plan.groups),
        (Outcome::Local(plan), Some(column)) => {
            let classes = ClassTable::of_plan(plan, table, column);
            lemma_1_holds(&classes, &plan.counterfeits, &plan.groups)
        }
        _ => true,
    };
    match hidden {
        true => Ok(()),
        false => Err(betrayed()),
    }
}
