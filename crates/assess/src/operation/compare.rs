//! `compare`: what a release keeps of its original.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_recipe::JobError;

use super::entry::Operation;
use super::table::{Call, Reading, Table};
use crate::compare::{ClassifierOptions, CompareOptions, Comparison, QueryOptions, Section, compare};

/// What a release keeps of its original.
#[derive(Debug)]
pub struct Compare;

/// What is asked of [`Compare`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The table that the release was made of, in any format that can be read.
    pub original: Table,
    /// The release folder.
    #[schemars(extend("format" = "release"))]
    pub release: PathBuf,
    /// The sections: metrics, distributions, associations, matches, queries, classifiers; if left out, all but the last.
    #[serde(default)]
    #[schemars(extend("format" = "section", "x-value" = "A,B,C"))]
    pub only: Vec<String>,
    /// How many random range queries to ask.
    #[serde(default = "queries")]
    #[schemars(range(max = 100_000), extend("x-value" = "N"))]
    pub queries: u32,
    /// A file with further queries, one a line.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE"))]
    pub workload: Option<PathBuf>,
    /// Also list every query; their conditions hold values of the original.
    #[serde(default)]
    pub show_queries: bool,
    /// Train classifiers that predict this attribute; with `--only classifiers` the first sensitive one with few values
    /// when left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "ATTRIBUTE"))]
    pub target: Option<String>,
    /// The most records of each table to train classifiers on.
    #[serde(default = "classifier_records")]
    #[schemars(range(min = 10, max = 1_000_000), extend("x-value" = "N"))]
    pub classifier_records: u32,
    /// The number of folds for cross-validation.
    #[serde(default = "folds")]
    #[schemars(range(min = 2, max = 20), extend("x-value" = "N"))]
    pub folds: u32,
    /// The seed of random queries and folds: a whole number or 64 hexadecimal digits.
    #[serde(default = "seed")]
    #[schemars(extend("format" = "seed"))]
    pub seed: String,
    /// How the original is read.
    #[serde(flatten)]
    pub reading: Reading,
}

fn queries() -> u32 {
    QueryOptions::default().ranges
}

fn classifier_records() -> u32 {
    ClassifierOptions::default().records
}

fn folds() -> u32 {
    ClassifierOptions::default().folds
}

fn seed() -> String {
    "1".into()
}

impl Operation for Compare {
    const NAME: &'static str = "compare";
    const SUMMARY: &'static str = "Measure what a release keeps of its original: metrics, distributions, associations, queries, classifiers";
    const DETAILS: &'static str = "The figures are for the custodian.";
    type Request = Request;
    type Answer = Comparison;

    fn run(request: Request, call: &Call<'_>) -> Result<Comparison, JobError> {
        let only = request.only.iter().map(|section| section.parse::<Section>()).collect::<Result<_, _>>();
        let seed: Seed = request.seed.parse().map_err(|error| JobError::usage(format!("--seed: {error}")))?;
        let options = CompareOptions {
            only: only.map_err(|problem: Problem| JobError::usage(problem.after("--only: ")))?,
            queries: QueryOptions {
                ranges: request.queries,
                workload: request.workload,
                show: request.show_queries,
            },
            classifiers: ClassifierOptions {
                target: request.target,
                records: request.classifier_records,
                folds: request.folds,
            },
        };
        let read = call.reading(&request.reading, false)?;
        compare(&call.origin(&request.original)?, &read, &request.release, &options, &call.drawing(&seed))
    }
}
