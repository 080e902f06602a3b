//! `compare`: what a release keeps of its original.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_job::{output_file, outputs};
use velamen_recipe::{JobError, Read};

use super::entry::Operation;
use super::table::{Call, Reading, Table};
use crate::compare::{
    AnalysisOptions, ClassifierOptions, CompareOptions, Comparison, QueryOptions, RangeReading, Section,
    analysis_page, compare,
};

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
    /// The sections: metrics, distributions, associations, matches, queries, classifiers, analysis; if left out, the
    /// analyses where any is stated, and otherwise all but the last two.
    #[serde(default)]
    #[schemars(extend("format" = "section", "x-value" = "A,B,C"))]
    pub only: Vec<String>,
    /// Estimate on both tables and compare: a file of analyses, or a formula such as `stay ~ age + sex`; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "analysis", "x-value" = "FILE|FORMULA"))]
    pub analysis: Vec<String>,
    /// Compare means and shares of all other attributes in the groups of these.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C"))]
    pub by: Vec<String>,
    /// How released ranges are read where no file of analyses says it: by random draws, as fitted to the release,
    /// by their middle, or by both bounds.
    #[serde(default)]
    pub ranges: RangeReading,
    /// Write the analyses to this file as a page with forest plots, for the custodian.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE.html"))]
    pub html: Option<PathBuf>,
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

/// Refuses a page that would be written over what is read, or that is no page by its name.
fn refuse_page(target: &Path, request: &Request) -> Result<(), JobError> {
    if target.extension().is_none_or(|end| end != "html") {
        let problem = Problem::new(format!("--html {}: is no page by its name", target.display()));
        return Err(JobError::usage(problem.expected("a name that ends with .html")));
    }
    let file = |what: &str, path: &Path| Read::new(what, path);
    let original = match &request.original {
        Table::Path(path) => Some(file("the original", path)),
        Table::Given { .. } => None,
    };
    let workload = request.workload.as_deref().map(|path| file("the workload", path));
    let analyses = request.analysis.iter().map(|stated| file("the file of analyses", Path::new(stated)));
    let reads: Vec<Read> = analyses.chain(original).chain(workload).collect();
    outputs::refuse(target, &reads)
}

/// The page of the analyses; never in the folder that may be published.
fn write_page(found: &Comparison, target: &Path, release: &Path) -> Result<(), JobError> {
    let Some(analyses) = &found.analyses else {
        let problem = JobError::usage("--html without an analysis");
        return Err(problem.expected("--analysis or --by beside it"));
    };
    let folder = |path: &Path| path.canonicalize().ok();
    let beside = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder(beside).zip(folder(release)).is_some_and(|(beside, release)| beside.starts_with(release)) {
        let problem = JobError::usage(format!("--html {}: inside the release", target.display()));
        return Err(problem.mend("write the page elsewhere: it is for the custodian alone"));
    }
    output_file::write(target, |path| {
        std::fs::write(path, analysis_page(analyses))
            .map_err(|error| JobError::io(target, "write the page to", &error))
    })
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
        request.html.as_deref().map_or(Ok(()), |target| refuse_page(target, &request))?;
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
            analysis: AnalysisOptions { analysis: request.analysis, by: request.by, reading: request.ranges },
        };
        let read = call.reading(&request.reading, false)?;
        let original = call.origin(&request.original)?;
        let found = compare(&original, &read, &request.release, &options, &call.drawing(&seed))?;
        if let Some(target) = &request.html {
            write_page(&found, target, &request.release)?;
        }
        Ok(found)
    }
}
