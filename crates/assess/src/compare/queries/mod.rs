//! Counting queries on the original and on the release.

mod answer;
mod generate;
mod grammar;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use self::answer::BoundQuery;
use self::grammar::{Wrong, parse};
use super::sides::{ORIGINAL, Sides};

/// The upper ends of the classes of selectivity, and their names.
const SELECTIVITY: [(f64, &str); 3] =
    [(0.01, "range, up to 1 %"), (0.1, "range, 1 % to 10 %"), (f64::INFINITY, "range, above 10 %")];

/// A workload has at most so many bytes.
const LONGEST: u64 = 1 << 24;

/// Which queries are asked.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// How many random ranges.
    pub ranges: u32,
    /// A file of further queries, one a line.
    pub workload: Option<PathBuf>,
    /// Whether the queries are told; their conditions hold values of the original.
    pub show: bool,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self { ranges: 300, workload: None, show: false }
    }
}

/// What the queries came to.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Queries {
    /// How many were asked.
    pub count: usize,
    /// How many the original has no record for: they have no relative error.
    pub without_original: usize,
    /// The mean count that the release makes one expect of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_without_original: Option<f64>,
    /// Over all others.
    pub relative_error: Errors,
    /// By kind.
    pub kinds: Vec<Group>,
    /// Each query, if they are to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<Vec<Query>>,
}

/// Relative errors of several queries; absent where there are none.
#[derive(Debug, Default, JsonSchema, Serialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub struct Errors {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub median: Option<f64>,
    /// The 95th percentile.
    pub p95: Option<f64>,
}

/// The queries of one kind.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Group {
    /// The kind.
    pub kind: String,
    /// How many have a relative error.
    pub queries: usize,
    /// Their relative errors.
    pub relative_error: Errors,
}

/// One query.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Query {
    /// The kind.
    pub kind: &'static str,
    /// Its text.
    pub sql: String,
    /// The original's count, over all groups.
    pub original: f64,
    /// What the release lets one expect.
    pub released: f64,
    /// The mean over the groups.
    pub relative_error: Option<f64>,
}

/// Where a query comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Grouped,
    Range,
    Workload,
}

/// The class of a share of the records.
fn class_of(share: f64) -> usize {
    SELECTIVITY.iter().position(|(end, _)| share <= *end).unwrap_or(SELECTIVITY.len() - 1)
}

/// Asks all queries.
pub(super) fn queries(
    sides: &Sides,
    options: &QueryOptions,
    context: &Context<'_>,
) -> Result<Queries, JobError> {
    let own = options.workload.as_deref().map(|path| workload(path, sides)).transpose()?;
    let mut asked: Vec<(Origin, String, BoundQuery)> = own.unwrap_or_default();
    let made = generate::grouped(sides).into_iter().map(|line| (Origin::Grouped, line));
    let ranges = generate::ranges(sides, options.ranges, context)?;
    for (origin, line) in made.chain(ranges.into_iter().map(|line| (Origin::Range, line))) {
        let bound = parse(&line).and_then(|parsed| BoundQuery::new(&parsed, sides));
        asked.push((origin, line, bound.expect("a generated query reads")));
    }
    let records = sides.tables[ORIGINAL].records();
    let (answered, all) = (AtomicU64::new(0), asked.len() as u64);
    let ask = |(origin, sql, bound): &(Origin, String, BoundQuery)| {
        context.check()?;
        let answer = bound.answer(sides);
        context.progress.step("answering", answered.fetch_add(1, Ordering::Relaxed) + 1, all);
        let kind = kind(*origin, answer.original / records);
        let (original, released) = (answer.original, answer.released);
        Ok(Query { kind, sql: sql.clone(), original, released, relative_error: answer.relative_error })
    };
    let answered = asked.par_iter().map(ask).collect::<Result<Vec<Query>, JobError>>()?;
    Ok(summary(answered, options.show))
}

/// The kind of a query that so large a share of the original records answers.
fn kind(origin: Origin, share: f64) -> &'static str {
    match origin {
        Origin::Grouped => "counts by attribute",
        Origin::Range => SELECTIVITY[class_of(share)].1,
        Origin::Workload => "workload",
    }
}

/// How wrong the answers to the queries of a kind are.
fn of_kind(answered: &[Query], kind: &str) -> Group {
    let own = answered.iter().filter(|query| query.kind == kind);
    let own: Vec<f64> = own.filter_map(|query| query.relative_error).collect();
    Group { kind: kind.into(), queries: own.len(), relative_error: errors(own) }
}

fn summary(answered: Vec<Query>, show: bool) -> Queries {
    let kinds = ["workload", "counts by attribute"].into_iter().chain(SELECTIVITY.map(|(_, name)| name));
    let kinds = kinds.map(|kind| of_kind(&answered, kind)).filter(|group| group.queries > 0).collect();
    let all: Vec<f64> = answered.iter().filter_map(|query| query.relative_error).collect();
    let without = || answered.iter().filter(|query| query.relative_error.is_none());
    let invented = without().map(|query| query.released).sum::<f64>() / without().count().max(1) as f64;
    Queries {
        count: answered.len(),
        released_without_original: without().next().map(|_| invented),
        without_original: answered.len() - all.len(),
        relative_error: errors(all),
        kinds,
        queries: show.then_some(answered),
    }
}

/// Mean and percentiles, between two values in proportion.
fn errors(mut all: Vec<f64>) -> Errors {
    all.sort_by(f64::total_cmp);
    if all.is_empty() {
        return Errors::default();
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    Errors { mean: Some(mean), median: Some(percentile(&all, 0.5)), p95: Some(percentile(&all, 0.95)) }
}

/// The value below which that share of the others lies, of at least one in ascending order.
fn percentile(all: &[f64], share: f64) -> f64 {
    let at = share * (all.len() - 1) as f64;
    let (low, high) = (all[at.floor() as usize], all[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The queries of a file; empty lines and lines that begin with `--` are none.
fn workload(path: &Path, sides: &Sides) -> Result<Vec<(Origin, String, BoundQuery)>, JobError> {
    let size =
        std::fs::metadata(path).map_err(|error| JobError::io(path, "read the workload", &error))?.len();
    if size > LONGEST {
        let problem =
            Problem::new(format!("a workload has at most {} MiB", LONGEST >> 20)).mend("give fewer queries");
        return Err(JobError::recipe(path, problem));
    }
    let bytes = std::fs::read(path).map_err(|error| JobError::io(path, "read the workload", &error))?;
    let text = String::from_utf8(bytes).map_err(|_| JobError::recipe(path, "not UTF-8 text"))?;
    let mut queries = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        if line.trim().is_empty() || line.trim_start().starts_with("--") {
            continue;
        }
        let bound = parse(line).and_then(|parsed| BoundQuery::new(&parsed, sides));
        let bound = bound.map_err(|Wrong { column, problem }| {
            JobError::recipe(path, problem.after(&format!("line {number}, column {column}: ")))
        })?;
        queries.push((Origin::Workload, line.trim().to_owned(), bound));
    }
    if queries.is_empty() {
        return Err(JobError::recipe(path, "holds no query").expected("one a line: SELECT COUNT(*) WHERE …"));
    }
    Ok(queries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_hand() {
        let found = errors(vec![4.0, 1.0, 2.0, 3.0]);
        assert_eq!((found.mean, found.median), (Some(2.5), Some(2.5)));
        assert!((found.p95.unwrap() - 3.85).abs() < 1e-12);
        assert_eq!(errors(Vec::new()), Errors::default());
    }

    #[test]
    fn classes_of_selectivity() {
        assert_eq!([0.0, 0.01, 0.02, 0.5].map(class_of), [0, 0, 1, 2]);
    }
}
