//! `measure`: the privacy parameters that a table or a release satisfies.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_measure::measure::{Measures, Options};
use velamen_patients::LinkedFigures;
use velamen_recipe::{Code, JobError, Origin};

use super::entry::Operation;
use super::named::NamedColumns;
use super::recipe::TheRecipe;
use super::table::{Call, Reading, Subject};
use crate::information::{Against, Information, information};
use crate::measure::{ReleaseMeasures, measure_release, measure_table};

/// The privacy parameters that a table or a release satisfies.
#[derive(Debug)]
pub struct Measure;

/// What is asked of [`Measure`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// What is looked at.
    #[serde(flatten)]
    pub subject: Subject,
    /// The sensitive attributes.
    #[serde(default)]
    #[schemars(extend("x-value" = "S"))]
    pub sensitive: Vec<String>,
    /// The column of a table that says whose its records are, where a person can have several: all figures count people.
    #[serde(default)]
    #[schemars(extend("x-value" = "COLUMN"))]
    pub person: Option<String>,
    /// The l of recursive (c, l)-diversity; the table's own distinct l if left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "L"))]
    pub l: Option<u32>,
    /// The table that this one was made of: reports conditional entropy and mutual information.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE", "x-needs" = "by", "x-without" = "records"))]
    pub original: Option<PathBuf>,
    /// Records to generalize together, named by the column of --by: reports their distance.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B", "x-needs" = "by"))]
    pub records: Vec<String>,
    /// The column that names the records, for --original and --records.
    #[serde(default)]
    #[schemars(extend("x-value" = "COLUMN"))]
    pub by: Option<String>,
    /// The table's recipe, which says how it is read and names the attributes and the person that are left out here.
    #[serde(default)]
    pub recipe: Option<TheRecipe>,
    /// How tables are read.
    #[serde(flatten)]
    pub reading: Reading,
}

/// What was measured.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Measures")]
pub enum Measured {
    /// Of a release of linked tables.
    Linked(Box<LinkedFigures>),
    /// Of a release.
    Release(Box<ReleaseMeasures>),
    /// Of a table.
    Table {
        /// The privacy parameters.
        #[serde(flatten)]
        privacy: Box<Measures>,
        /// What the table lost against another, if that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        information: Option<Information>,
    },
}

impl Operation for Measure {
    const NAME: &'static str = "measure";
    const SUMMARY: &'static str = "Report which privacy parameters a table satisfies";
    const DETAILS: &'static str =
        "These are k, l, t, β and δ. A release names its attributes itself and adds utility figures.";
    const PYTHON: &'static str = "\
>>> import velamen as vm
>>> vm.measure(vm.rows([{\"age\": 30}, {\"age\": 30}, {\"age\": 41}]), qi=[\"age\"]).k
1";
    type Request = Request;
    type Answer = Measured;

    fn run(request: Request, call: &Call<'_>) -> Result<Measured, JobError> {
        let table = call.origin(&request.subject.table.0)?;
        let options = Options { l: request.l };
        refuse(&request, table.folder().is_some())?;
        match table.folder() {
            Some(folder) => {
                if let Some(manifest) = velamen_patients::load(folder)? {
                    let found = velamen_patients::figures(folder, &manifest, call.context)?;
                    return Ok(Measured::Linked(Box::new(found)));
                }
                let found = measure_release(folder, &options, call.context)?;
                Ok(Measured::Release(Box::new(found)))
            }
            None => of_table(request, &table, &options, call),
        }
    }
}

fn of_table(
    request: Request,
    table: &Origin,
    options: &Options,
    call: &Call<'_>,
) -> Result<Measured, JobError> {
    let against = against(&request)?.map(|(by, against)| (by.to_owned(), against));
    let Request { subject, sensitive, person, recipe, reading, .. } = request;
    let named = NamedColumns { qis: subject.qi, sensitive, person, ..NamedColumns::default() };
    let NamedColumns { qis, sensitive, person, read } =
        named.with((recipe.as_ref(), table), (&reading, false), call)?;
    let (qi, sensitive, person) = (&qis[..], &sensitive[..], person.as_ref());
    let privacy = Box::new(measure_table(table, &read, qi, sensitive, person, options, call.context)?);
    let information = match against {
        None => None,
        Some((by, against)) => {
            let file = table.file().ok_or_else(|| {
                JobError::usage("--by: the records of a file are compared").mend("give the table as one")
            })?;
            Some(information(file, &read, (qi, sensitive), (&by, &against), call.context)?)
        }
    };
    Ok(Measured::Table { privacy, information })
}

/// What the table's records are compared with, and the column that names them.
fn against(request: &Request) -> Result<Option<(&str, Against)>, JobError> {
    let against = match (&request.original, &request.records[..]) {
        (Some(original), _) => Against::Original(original.clone()),
        (None, []) if request.by.is_some() => {
            return Err(JobError::usage("--by: nothing to compare with").mend("give --original or --records"));
        }
        (None, []) => return Ok(None),
        (None, records) => Against::Together(records.to_vec()),
    };
    Ok(request.by.as_deref().map(|by| (by, against)))
}

/// Refuses what does not go with a release, and a table without quasi-identifiers.
fn refuse(request: &Request, release: bool) -> Result<(), JobError> {
    let usage = |problem: Problem| Err(JobError::usage(problem));
    let person = request.person.is_some() || request.recipe.is_some();
    let named = !request.subject.qi.is_empty() || !request.sensitive.is_empty() || person;
    match release {
        true if request.by.is_some() => usage(
            Problem::new("--by: a release's records have no names")
                .mend("compare it with its original by `velamen compare`"),
        ),
        true if named => usage(
            Problem::new("a release names its attributes itself")
                .mend("leave out --qi, --sensitive, --person and --recipe"),
        ),
        false if request.subject.qi.is_empty() && request.recipe.is_none() => {
            usage(Problem::new("--qi: none").mend("name the quasi-identifiers of the table, or its --recipe"))
                .map_err(|error| error.coded(Code::COLUMNS))
        }
        _ => Ok(()),
    }
}
