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
//! # Errors
//! [`MethodError::Infeasible`] with fewer than k records, [`MethodError::Unfit`] without a numeric
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

use crate::method::kit::keys;
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Records, Task, Utility,
};

const NAME: &str = "mdav";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Microaggregation: clusters of similar records released by their means. Untruthful.",
    alias: None,
    words: |_| {
        "Similar records are grouped and released with the group's average values, so that released values need not \
         be those of any person."
    },
    facts: |_| Facts { records: Records::Aggregated, persons: false, ..Facts::CLASSES },
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
    fn statement(&self, _: &Task<'_>) -> Statement {
        Statement::named(NAME).own("average", json!(self.aggregate)).limits(Limits::NOTHING)
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
    /// The least records of a cluster.
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
        if table.records() < self.k {
            return Err(MethodError::Infeasible("there are fewer than k records".into()));
        }
        let numbers = self.numbers(table)?;
        let shown = self.all_shown(table, &numbers)?;
        let points = points(table, &numbers);
        let mut left = Left::new(&points);
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
        cluster: &[(usize, u64)],
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
            let codes = members.iter().map(|member| (table.codes[q][member.0 as usize], member.1));
            let counts = velamen_core::recoding::merged(codes.collect());
            self.region(&table.qis[q].hierarchy, counts, &numbers[q], &shown[q])
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
            (None, _) => {
                Ok(Released::Frequent(table.marginal(q).iter().map(|n| *n >= self.k.max(2)).collect()))
            }
            (Some(_), _) => match self.steps.get(q).copied().flatten() {
                Some(step @ Step::Number(_)) => Ok(Released::Step(step)),
                _ => Err(&*table.qis[q].name),
            },
        }
    }

    fn region(
        &self,
        hierarchy: &Hierarchy,
        counts: Vec<(u32, u64)>,
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
                let mean = mean(&counts, numbers);
                let below = numbers.iter().filter(|number| **number < mean).count() as u32;
                (shown(mean, decimals(hierarchy)), below)
            }
            (Some(numbers), Aggregate::Median) => {
                let code = median(counts, numbers);
                (value(code), code)
            }
            _ => {
                let code = mode(&counts);
                (value(code), code)
            }
        };
        let (leaves, level) = if label == TOP { (hierarchy.domain(), hierarchy.top()) } else { (1, 0) };
        Region { value: ReleasedValue { label, leaves, level }, order: (order, order) }
    }
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

fn mean(counts: &[(u32, u64)], numbers: &[f64]) -> f64 {
    let total: u64 = counts.iter().map(|c| c.1).sum();
    counts.iter().map(|&(code, count)| numbers[code as usize] * count as f64).sum::<f64>() / total as f64
}

fn median(mut counts: Vec<(u32, u64)>, numbers: &[f64]) -> u32 {
    counts.sort_by(|a, b| numbers[a.0 as usize].total_cmp(&numbers[b.0 as usize]).then(a.0.cmp(&b.0)));
    let half = counts.iter().map(|c| c.1).sum::<u64>().div_ceil(2);
    let mut seen = 0;
    let reaches = |&(_, count): &(u32, u64)| {
        seen += count;
        seen >= half
    };
    counts.iter().copied().find(reaches).map_or(0, |(code, _)| code)
}

fn mode(counts: &[(u32, u64)]) -> u32 {
    counts.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |&(code, _)| code)
}

/// Records of equal numbers.
#[derive(Debug)]
struct Point {
    /// Standardized.
    at: Vec<f64>,
    /// Their entries; spent from the back.
    members: Vec<Member>,
    count: u64,
}

fn points(table: &FrequencyTable, numbers: &[Option<Vec<f64>>]) -> Vec<Point> {
    let used: Vec<(usize, Vec<f64>)> = numbers
        .iter()
        .enumerate()
        .filter_map(|(q, numbers)| Some((q, standardised(&table.marginal(q), numbers.as_ref()?))))
        .collect();
    let codes = |entry: u32| used.iter().map(move |(q, _)| table.codes[*q][entry as usize]);
    let mut entries: Vec<u32> = (0..table.len() as u32).collect();
    entries.sort_by(|&a, &b| codes(a).cmp(codes(b)).then(b.cmp(&a)));
    let point = |run: &[u32]| Point {
        at: used.iter().map(|(q, at)| at[table.codes[*q][run[0] as usize] as usize]).collect(),
        members: run.iter().map(|&entry| (entry, table.counts[entry as usize])).collect(),
        count: run.iter().map(|&entry| table.counts[entry as usize]).sum(),
    };
    entries.chunk_by(|&a, &b| codes(a).eq(codes(b))).map(point).collect()
}

/// Mean 0 and standard deviation 1 over the records; all 0 where they are all equal.
fn standardised(marginal: &[u64], numbers: &[f64]) -> Vec<f64> {
    let counts: Vec<(u32, u64)> = (0..).zip(marginal.iter().copied()).collect();
    let mean = mean(&counts, numbers);
    let total = marginal.iter().sum::<u64>() as f64;
    let square = |(number, &count): (&f64, &u64)| count as f64 * (number - mean).powi(2);
    let deviation = (numbers.iter().zip(marginal).map(square).sum::<f64>() / total).sqrt();
    numbers.iter().map(|number| if deviation > 0.0 { (number - mean) / deviation } else { 0.0 }).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// (point, records of it).
type Cluster = Vec<(usize, u64)>;

/// The records that are in no cluster yet.
struct Left<'a> {
    points: &'a [Point],
    /// (point, records left of it), ascending by point.
    open: Vec<(usize, u64)>,
    records: u64,
    /// Numbers per point.
    width: usize,
    /// The positions of the open points, one after the other.
    at: Vec<f64>,
    distances: Vec<(f64, usize)>,
}

impl<'a> Left<'a> {
    fn new(points: &'a [Point]) -> Self {
        let open: Vec<(usize, u64)> = points.iter().map(|point| point.count).enumerate().collect();
        let at = points.iter().flat_map(|point| point.at.iter().copied()).collect();
        let (records, width) = (open.iter().map(|o| o.1).sum(), points[0].at.len());
        Self { points, open, records, width, at, distances: Vec::new() }
    }

    /// One round: two clusters, or the last one or two.
    fn cluster(&mut self, k: u64, clusters: &mut Vec<Cluster>) {
        if self.records < 2 * k {
            clusters.push(std::mem::take(&mut self.open));
            self.records = 0;
            return;
        }
        let several = self.records >= 3 * k;
        let first = self.farthest(&self.centroid());
        let second = self.farthest(&self.points[first].at);
        clusters.push(self.nearest(first, k));
        if several {
            clusters.push(self.nearest(second, k));
        }
    }

    fn centroid(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.width];
        for (at, &(_, count)) in self.at.chunks_exact(self.width).zip(&self.open) {
            sum.iter_mut().zip(at).for_each(|(sum, at)| *sum += at * count as f64);
        }
        sum.into_iter().map(|sum| sum / self.records as f64).collect()
    }

    /// The open point farthest from a place.
    fn farthest(&self, from: &[f64]) -> usize {
        let (mut best, mut point) = (-1.0, 0);
        for (at, &(open, _)) in self.at.chunks_exact(self.width).zip(&self.open) {
            let distance = distance(from, at);
            if distance > best {
                (best, point) = (distance, open);
            }
        }
        point
    }

    /// The k records nearest to a point, which are open no more.
    fn nearest(&mut self, point: usize, k: u64) -> Cluster {
        let from = &self.points[point].at;
        self.distances.clear();
        let far = self.at.chunks_exact(self.width).map(|at| distance(from, at));
        self.distances.extend(far.zip(0..));
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let needed = (k as usize).min(self.distances.len());
        if needed < self.distances.len() {
            self.distances.select_nth_unstable_by(needed, order);
        }
        self.distances[..needed].sort_unstable_by(order);
        let (mut wanted, mut cluster) = (k, Vec::new());
        for &(_, position) in &self.distances[..needed] {
            let (point, count) = &mut self.open[position];
            let taken = wanted.min(*count);
            if taken > 0 {
                cluster.push((*point, taken));
            }
            *count -= taken;
            wanted -= taken;
        }
        self.records -= k - wanted;
        self.drop_spent();
        cluster
    }

    /// Keeps the points that have records left.
    fn drop_spent(&mut self) {
        let mut kept = 0;
        for position in 0..self.open.len() {
            if self.open[position].1 > 0 {
                self.open[kept] = self.open[position];
                self.at.copy_within(position * self.width..(position + 1) * self.width, kept * self.width);
                kept += 1;
            }
        }
        self.open.truncate(kept);
        self.at.truncate(kept * self.width);
    }
}

/// SSE / SST over the standardized numbers.
fn information_loss(points: &[Point], clusters: &[Cluster]) -> f64 {
    let within = |cluster: &Cluster| within(points, cluster);
    let squares: f64 = points.iter().map(|p| p.at.iter().map(|x| x * x).sum::<f64>() * p.count as f64).sum();
    if squares > 0.0 { clusters.iter().map(within).sum::<f64>() / squares } else { 0.0 }
}

/// The squared distances of a cluster's records from their mean.
fn within(points: &[Point], cluster: &Cluster) -> f64 {
    let total = cluster.iter().map(|c| c.1).sum::<u64>() as f64;
    let width = points[0].at.len();
    let mean: Vec<f64> = (0..width)
        .map(|d| cluster.iter().map(|&(p, n)| points[p].at[d] * n as f64).sum::<f64>() / total)
        .collect();
    cluster.iter().map(|&(p, n)| distance(&points[p].at, &mean) * n as f64).sum()
}

#[cfg(test)]
mod tests;
