//! Microaggregation by MDAV: perturbing, not truthful.
//!
//! # Summary
//! Groups records of similar numbers into clusters of at least k, and releases of each cluster one
//! aggregated value per quasi-identifier.
//!
//! # Definition
//! Distances are Euclidean over the numeric quasi-identifiers, each standardized to mean 0 and
//! standard deviation 1. While at least 3k records are left: x_r is the record farthest from their
//! centroid, x_s the one farthest from x_r; x_r and the k − 1 records nearest to it are a cluster,
//! then x_s and the k − 1 nearest to it of those left. When 2k or more are left, x_r and its nearest
//! are a cluster once more; the others are the last cluster. Ties go to the records that come first
//! in the canonical order. A numeric attribute is released as the cluster's mean, median (the lower)
//! or mode (the least), rounded to a multiple of the attribute's step; any other as its mode, or `*` where fewer than k
//! records have that value and nobody declared it.
//!
//! Where a person can have several records, a cluster takes the nearest records until it has those of k people, and people with
//! records left are counted in place of records. Each person counts once in what is released of a cluster: a mean is that of the
//! people, each at the mean of her different values there. A cluster has records of just k people and so uses up at most k: as
//! many are left for the last as of records.
//!
//! # Errors
//! [`MethodError::Infeasible`] with fewer than k records or people, [`MethodError::Unfit`] without a numeric
//! quasi-identifier or with missing numbers, [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(n/k · d) for d distinct combinations of the numbers, memory O(entries).
//!
//! # References
//! Domingo-Ferrer & Mateo-Sanz 2002; Domingo-Ferrer & Torra 2005, MDAV-generic.
//!
//! # Deviations
//! Records of equal numbers are one point with a count, which clusters share where it is larger than
//! what they lack.

mod held;
mod left;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use velamen_contract::{Limits, Statement};
use velamen_core::attribute::Attribute;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{Hierarchy, NULL, Rule, TOP};
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding, Region, ReleasedValue};
use velamen_core::step::{Ends, Step};

use self::held::Held;
use self::left::{Cluster, Left, information_loss, points};
use crate::method::kit::keys;
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Purpose, Records, Task, Utility,
};
use crate::model::people;

const NAME: &str = "mdav";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Microaggregation: clusters of similar records released by their means. Untruthful.",
    purpose: Purpose::Papers,
    alias: None,
    words: |_| {
        "Similar records are grouped and released with the group's average values, so that released values need not \
         be those of any person."
    },
    facts: |_| Facts { records: Records::Aggregated, ..Facts::CLASSES },
    stated: |_| vec!["average"],
    parse: |keys, task| Ok(Arc::new(Mdav::new(keys::read(keys)?, task)?)),
    schema: keys::schema::<MdavKeys>,
    keys: keys::names::<MdavKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct MdavKeys {
    /// What a cluster's numbers become.
    average: Aggregate,
}

/// The method with checked parameters.
#[derive(Debug)]
struct Mdav {
    k: u64,
    aggregate: Aggregate,
}

impl Mdav {
    fn new(keys: MdavKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        if let Some(other) = task.models.iter().find(|asked| !asked.entry.terms.facts.only_size) {
            let problem = format!(
                "mdav makes clusters for k-anonymity only; for `{}` choose name = \"mondrian\"",
                other.entry.terms.name
            );
            return Err(Problem::of(&["name"], problem).into());
        }
        if keys.average != Aggregate::Mean {
            let lacking = task.quasi_identifiers().filter(|named| lacks_step(named));
            let lacking: Vec<&str> = lacking.map(|named| &*named.name).collect();
            needs_steps(&lacking, keys.average).map_err(|problem| KeyError::of("average", problem))?;
        }
        Ok(Self { k: task.least_size(2), aggregate: keys.average })
    }
}

/// Whether it is known to hold numbers that nobody declared.
fn lacks_step(attribute: &Attribute) -> bool {
    matches!(&*attribute.rule, Rule::Interval(_) | Rule::Coded(_)) && attribute.step.is_none()
}

/// Refuses values of one record.
fn needs_steps(lacking: &[&str], average: Aggregate) -> Result<(), Problem> {
    if lacking.is_empty() {
        return Ok(());
    }
    let average = if average == Aggregate::Median { "median" } else { "mode" };
    let sections: Vec<String> = lacking.iter().map(|name| format!("[attributes.{name}]")).collect();
    Err(Problem::new(format!("average = \"{average}\" releases the number of a single record")).mend(
        format!(
            "give {} step = 1 or more, to whose multiples it is rounded, or choose average = \"mean\"",
            sections.join(", ")
        ),
    ))
}

impl Method for Mdav {
    fn statement(&self, task: &Task<'_>) -> Statement {
        Statement::named(NAME)
            .own("average", json!(self.aggregate))
            .limits(Limits::NOTHING)
            .own_if("person", task.person())
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
        let search = MdavTask {
            k: self.k,
            aggregate: self.aggregate,
            rules: &task.rules(table),
            steps: &task.steps(table),
        };
        let (plan, found) = search.plan(table, context)?;
        let search = json!({ "clusters": found.clusters, "information-loss": found.information_loss });
        let warning =
            "mdav releases aggregated values that need not be the person's: the release is not truthful";
        let warnings = vec![warning.into()];
        Ok(Decision { search, warnings, utility: Utility::Sizes, ..Decision::of(Outcome::Local(plan)) })
    }
}

/// What a cluster's numbers become.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// Their mean.
    #[default]
    Mean,
    /// The middle one, of two the lower.
    Median,
    /// The most frequent one, of several the least.
    Mode,
}

/// What is clustered by.
#[derive(Debug, Clone, Copy)]
pub struct MdavTask<'a> {
    /// The least records of a cluster, or people.
    pub k: u64,
    /// What is released of a cluster's numbers.
    pub aggregate: Aggregate,
    /// The rule of each quasi-identifier.
    pub rules: &'a [&'a Rule],
    /// The step of each quasi-identifier, to whose multiples a median or mode is rounded.
    pub steps: &'a [Option<Step>],
}

/// How the clusters came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterFigures {
    /// Clusters.
    pub clusters: usize,
    /// SSE / SST: the share of the standardized numbers' variance that lies within clusters.
    pub information_loss: f64,
}

impl MdavTask<'_> {
    /// The clusters of a table.
    ///
    /// # Errors
    /// See the module.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, ClusterFigures), MethodError> {
        let numbers = self.numbers(table)?;
        let shown = self.all_shown(table, &numbers)?;
        let points = points(table, &numbers);
        let mut left = Left::new(&points, whose(table));
        if left.number() < self.k {
            let whom = if table.rest.person().is_some() { "people" } else { "records" };
            return Err(MethodError::Infeasible(format!("there are fewer than k {whom}").into()));
        }
        let mut clusters = Vec::new();
        while left.records > 0 {
            context.check()?;
            context.progress.step("clustering", table.records() - left.records, table.records());
            left.cluster(self.k, &mut clusters);
        }
        let information_loss = information_loss(&points, &clusters);
        let mut unspent = points.iter().map(|point| point.members.clone()).collect::<Vec<_>>();
        let pieces =
            clusters.iter().map(|cluster| self.piece(table, &numbers, &shown, cluster, &mut unspent));
        let mut plan = LocalPlan::new(Recoding::Aggregates, table.qis.len(), pieces.collect(), Vec::new());
        let step =
            |shown: &Released| if let Released::Step(step) = shown { Some(Ends::Step(*step)) } else { None };
        plan.ends = shown.iter().map(step).collect();
        Ok((plan, ClusterFigures { clusters: clusters.len(), information_loss }))
    }

    /// Per quasi-identifier, the number of each leaf code; `None` where it is no number.
    fn numbers(&self, table: &FrequencyTable) -> Result<Vec<Option<Vec<f64>>>, MethodError> {
        let numbers: Vec<Option<Vec<f64>>> =
            table.qis.iter().zip(self.rules).map(|(qi, rule)| numbers_of(rule, &qi.hierarchy)).collect();
        if numbers.iter().all(Option::is_none) {
            return Err(MethodError::Unfit(
                Problem::new("mdav needs a quasi-identifier of numbers").mend("choose another method"),
            ));
        }
        let gap = |numbers: &Option<Vec<f64>>| numbers.iter().flatten().any(|number| number.is_nan());
        match numbers.iter().position(gap) {
            Some(q) => Err(MethodError::Unfit(
                Problem::new(format!(
                    "attribute `{}` has missing values, which have no distance",
                    table.qis[q].name
                ))
                .mend("fill or drop them, or choose another method"),
            )),
            None => Ok(numbers),
        }
    }

    /// A cluster's records, taken from those of its points, and what is released of them.
    fn piece(
        &self,
        table: &FrequencyTable,
        numbers: &[Option<Vec<f64>>],
        shown: &[Released],
        cluster: &Cluster,
        unspent: &mut [Vec<Member>],
    ) -> Piece {
        let mut members = Vec::new();
        for &(point, mut wanted) in cluster {
            while wanted > 0 {
                let (entry, count) = unspent[point].pop().expect("clusters share what a point has");
                let taken = count.min(wanted);
                members.push((entry, taken));
                wanted -= taken;
                if count > taken {
                    unspent[point].push((entry, count - taken));
                }
            }
        }
        let region = |q: usize| {
            self.region(&table.qis[q].hierarchy, &Held::of(table, q, &members), &numbers[q], &shown[q])
        };
        Piece { regions: (0..table.qis.len()).map(region).collect(), members }
    }

    /// What may be released of each attribute: a single record's value only as far as it is declared or not rare.
    fn all_shown(
        &self,
        table: &FrequencyTable,
        numbers: &[Option<Vec<f64>>],
    ) -> Result<Vec<Released>, MethodError> {
        let all: Vec<Result<Released, &str>> =
            (0..self.rules.len()).map(|q| self.shown(table, numbers, q)).collect();
        let lacking: Vec<&str> = all.iter().filter_map(|shown| shown.as_ref().err().copied()).collect();
        needs_steps(&lacking, self.aggregate).map_err(MethodError::Unfit)?;
        Ok(all.into_iter().flatten().collect())
    }

    /// The same of one attribute, or its name where it needs a step.
    fn shown<'t>(
        &self,
        table: &'t FrequencyTable,
        numbers: &[Option<Vec<f64>>],
        q: usize,
    ) -> Result<Released, &'t str> {
        match (&numbers[q], self.aggregate) {
            (Some(_), Aggregate::Mean) => Ok(Released::Any),
            _ if lists_values(self.rules[q]) => Ok(Released::Any),
            (None, _) => Ok(Released::Frequent(
                people::marginal(table, q).iter().map(|n| *n >= self.k.max(2)).collect(),
            )),
            (Some(_), _) => match self.steps.get(q).copied().flatten() {
                Some(step @ Step::Number(_)) => Ok(Released::Step(step)),
                _ => Err(&*table.qis[q].name),
            },
        }
    }

    fn region(
        &self,
        hierarchy: &Hierarchy,
        held: &Held,
        numbers: &Option<Vec<f64>>,
        shown_of: &Released,
    ) -> Region {
        let value = |code: u32| match (shown_of, numbers) {
            (Released::Frequent(frequent), _) if !frequent[code as usize] => TOP.to_owned(),
            (Released::Step(Step::Number(step)), Some(numbers)) => multiple(numbers[code as usize], *step),
            _ => hierarchy.label(0, code).to_owned(),
        };
        let (label, order) = match (numbers, self.aggregate) {
            (Some(numbers), Aggregate::Mean) => {
                let mean = held.mean(numbers);
                let below = numbers.iter().filter(|number| **number < mean).count() as u32;
                (shown(mean, decimals(hierarchy)), below)
            }
            (Some(numbers), Aggregate::Median) => {
                let code = held.median(numbers);
                (value(code), code)
            }
            _ => {
                let code = held.mode();
                (value(code), code)
            }
        };
        let (leaves, level) = if label == TOP { (hierarchy.domain(), hierarchy.top()) } else { (1, 0) };
        Region { value: ReleasedValue { label, leaves, level }, order: (order, order) }
    }
}

/// Whose each entry is, where people are counted.
fn whose(table: &FrequencyTable) -> Option<Vec<u32>> {
    let person = table.rest.person()?;
    Some(table.rest_index.iter().map(|&rest| table.rest.codes[person][rest as usize]).collect())
}

/// Whether somebody listed the values of an attribute: rows, or a standard of codes. Dates and codes of any digits are
/// those of the table alone.
fn lists_values(rule: &Rule) -> bool {
    match rule {
        Rule::Table(_) => true,
        Rule::Standard(standard) => standard.facts().listed,
        _ => false,
    }
}

/// What may be released of an attribute.
enum Released {
    /// Whatever it comes to: means, declared values.
    Any,
    /// The nearest multiple of a step.
    Step(Step),
    /// By leaf, whether enough records have it.
    Frequent(Vec<bool>),
}

/// The multiple of a step that is nearest to a number, the upper of two.
fn multiple(number: f64, step: f64) -> String {
    let decimals = step.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let text = format!("{:.decimals$}", (number / step + 0.5).floor() * step);
    if text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.')) { "0".into() } else { text }
}

/// The number of each leaf, NaN for a missing one; `None` for codes and what is no number.
fn numbers_of(rule: &Rule, hierarchy: &Hierarchy) -> Option<Vec<f64>> {
    if matches!(rule, Rule::Mask(_) | Rule::Standard(_)) {
        return None;
    }
    let numbers: Option<Vec<f64>> = hierarchy.labels(0).iter().map(|label| number(label)).collect();
    numbers.filter(|numbers| numbers.iter().any(|number| !number.is_nan()))
}

fn number(label: &str) -> Option<f64> {
    match label {
        NULL => Some(f64::NAN),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// The most decimals of any leaf.
fn decimals(hierarchy: &Hierarchy) -> usize {
    let of = |label: &String| label.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    hierarchy.labels(0).iter().map(of).max().unwrap_or(0)
}

/// A mean with two decimals more than the values, without trailing zeros.
fn shown(mean: f64, decimals: usize) -> String {
    let text = format!("{mean:.0$}", (decimals + 2).min(15));
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests;
