//! `profile`: what a table holds and what may identify people.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_contract::linked::Shape;
use velamen_contract::manifest::FILE;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_measure::risk::quasi_identifiers::{Measure, Threshold};
use velamen_recipe::JobError;

use super::entry::{Operation, request_of};
use super::table::{Call, Reading, Table};
use crate::profile::{Answers, ProfileRequest, of_folder, private, profile, suggest};

/// What a table holds and what may identify people.
#[derive(Debug)]
pub struct Profile;

/// What is asked of [`Profile`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The table, in any format that can be read.
    pub table: Table,
    /// The table is a folder of linked tables, of this shape: omop, fhir or synthea.
    #[serde(rename = "as", default)]
    #[schemars(extend("x-argument" = "as_", "x-value" = "SHAPE"))]
    pub shape: Option<String>,
    /// Profile a random sample: a share such as 0.1, or a number of records.
    #[serde(default)]
    #[schemars(extend("format" = "sample-size", "x-value" = "SHARE_OR_RECORDS"))]
    pub sample: Option<String>,
    /// The seed of the sample.
    #[serde(default = "seed")]
    #[schemars(extend("format" = "seed"))]
    pub seed: String,
    /// How well attributes tell records apart: distinct combinations over records, or the share of pairs.
    #[serde(default)]
    pub by: By,
    /// What a set of attributes must reach, above 0 and at most 1; 0.5, or 0.999 by separation, if left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "SHARE"))]
    pub threshold: Option<f64>,
    /// Show only the first M sets.
    #[serde(default = "top")]
    #[schemars(range(min = 1), extend("x-value" = "M"))]
    pub top: Option<u32>,
    /// Write a first recipe.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE"))]
    pub recipe: Option<PathBuf>,
    /// Replace a recipe of that name.
    #[serde(default)]
    #[schemars(extend("x-needs" = "recipe"))]
    pub overwrite: bool,
    /// Also show each column's least, greatest and most frequent value.
    #[serde(default)]
    pub show_values: bool,
    /// A recipe for invented records with differential privacy, from the names of the columns and the answers alone: no record is
    /// read.
    #[serde(default)]
    #[schemars(extend("x-without" = "show-values"))]
    pub private: bool,
    /// What is declared for it.
    #[serde(flatten)]
    pub answers: Answers,
    /// How the table is read.
    #[serde(flatten)]
    pub reading: Reading,
}

/// The shape of that name.
fn shape_of(name: &str) -> Result<Shape, JobError> {
    match name {
        "omop" => Ok(Shape::Omop),
        "fhir" => Ok(Shape::Fhir),
        "synthea" => Ok(Shape::Synthea),
        _ => Err(JobError::usage(format!("--as {name}: no shape of folders is called so"))
            .expected("omop, fhir or synthea")),
    }
}

/// How well attributes tell records apart.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum By {
    /// By distinct combinations over records.
    #[default]
    Distinction,
    /// By the share of pairs of records.
    Separation,
}

impl From<By> for Measure {
    fn from(by: By) -> Self {
        match by {
            By::Distinction => Self::Distinction,
            By::Separation => Self::Separation,
        }
    }
}

fn seed() -> String {
    "1".into()
}

#[allow(clippy::unnecessary_wraps, reason = "null is no limit")]
fn top() -> Option<u32> {
    Some(20)
}

impl Request {
    fn asked(&self, call: &Call<'_>) -> Result<(ProfileRequest, Seed), JobError> {
        let measure = Measure::from(self.by);
        let threshold = Threshold::try_from((measure, self.threshold.unwrap_or(measure.usual_share())));
        let sample = self.sample.as_deref().map(str::parse).transpose();
        let seed = self.seed.parse();
        let asked = ProfileRequest {
            threshold: threshold.map_err(|problem| JobError::usage(format!("--threshold: {problem}")))?,
            sample: sample.map_err(|problem: Problem| JobError::usage(problem.after("--sample: ")))?,
            table: call.origin(&self.table)?,
            read: call.reading(&self.reading, self.show_values)?,
            top: self.top.map(|most| most as usize),
            show_values: self.show_values,
            recipe: self.recipe.clone(),
            overwrite: self.overwrite,
        };
        if asked.recipe.is_some() && asked.table.file().is_none() {
            let problem =
                Problem::new("--recipe: a recipe names the table's file").mend("give the table as a file");
            return Err(JobError::usage(problem));
        }
        Ok((asked, seed.map_err(|error| JobError::usage(format!("--seed: {error}")))?))
    }
}

impl Profile {
    /// The profile, and the text of a recipe to begin with.
    ///
    /// # Errors
    /// As running it.
    pub fn suggested(
        request: serde_json::Value,
        call: &Call<'_>,
    ) -> Result<(crate::profile::Profile, String), JobError> {
        let (asked, seed) = request_of::<Self>(request)?.asked(call)?;
        suggest(&asked, Path::new(""), &call.drawing(&seed))
    }
}

/// The folder that is asked about, if it is one.
fn folder_of(request: &Request) -> Result<Option<&Path>, JobError> {
    let path = match &request.table {
        Table::Path(path) => path,
        Table::Given { .. } => return Ok(None),
    };
    let shown = path.display();
    let is_packed = path.is_file() && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"));
    match (&request.shape, path.is_dir() || is_packed) {
        (Some(_), true) => Ok(Some(path)),
        (Some(_), false) => {
            Err(JobError::usage(format!("{shown}: not a folder or ZIP file, and --as is for folders")))
        }
        (None, true) if !path.join(FILE).exists() => {
            let problem = Problem::new(format!("{shown}: a folder of which kind is not said"));
            let problem = problem.expected("--as omop, --as fhir or --as synthea");
            Err(JobError::usage(problem.mend(
                "of any other folder write a recipe that names its tables: `velamen explain linked-tables`",
            )))
        }
        (None, _) => Ok(None),
    }
}

/// Refuses what only records could answer.
fn refuse_figures(request: &Request) -> Result<(), JobError> {
    let asked = [
        ("--sample", request.sample.is_some()),
        ("--threshold", request.threshold.is_some()),
        ("--show-values", request.show_values),
        ("--as", request.shape.is_some()),
    ];
    match asked.iter().find(|(_, asked)| *asked) {
        Some((flag, _)) => {
            let problem = Problem::new(format!("--private reads no record, and {flag} is about records"));
            Err(JobError::usage(problem.mend("leave one of the two out")))
        }
        None => Ok(()),
    }
}

impl Operation for Profile {
    const NAME: &'static str = "profile";
    const SUMMARY: &'static str =
        "Report what a table holds and what may identify people, and write a first recipe";
    const DETAILS: &'static str = "It reports types and missing values, flags likely direct identifiers, and lists the column \
                                   sets that single people out.";
    const PYTHON: &'static str = "\
>>> import velamen as vm
>>> vm.profile(vm.rows([{\"sex\": \"F\", \"age\": 30}, {\"sex\": \"M\", \"age\": 41}])).columns[0].name
'sex'";
    type Request = Request;
    type Answer = crate::profile::Profile;

    fn run(request: Request, call: &Call<'_>) -> Result<Self::Answer, JobError> {
        let (asked, seed) = request.asked(call)?;
        if request.private {
            refuse_figures(&request)?;
            request.answers.check()?;
            return private(&asked, &request.answers);
        }
        if !request.answers.is_empty() {
            return Err(JobError::usage("answers are for --private, which reads no record"));
        }
        if let Some(folder) = folder_of(&request)? {
            let shape = request.shape.as_deref().map_or(Ok(Shape::Omop), shape_of)?;
            return of_folder(folder, shape, &asked, &call.drawing(&seed));
        }
        profile(&asked, &call.drawing(&seed))
    }
}
