//! All methods on one table, side by side: loss, reconstruction error, query error, what an adversary
//! gets, time.
//!
//! Every method runs as `velamen anonymize` runs it, from a recipe to a certified release in a folder, and
//! is measured on that folder, as recipients have it. Everything but the times follows from the seed.

mod attack;
pub(super) mod original;
pub(super) mod queries;
pub(super) mod recipes;
pub(super) mod released;

use std::path::{Path, PathBuf};
use std::time::Instant;

use maud::{Markup, html};
use serde_json::Value;
use velamen_core::context::Context;
use velamen_job::RunOptions;
use velamen_job::session::anonymize;
use velamen_recipe::{JobError, Overrides, Recipe};
use velamen_report::chart::{Series, horizontal_bars};

use self::original::Original;
use self::released::Released;
use super::output::{Figure, Folder, ResultTable, cell};
use super::{Section, page, text};

const TITLE: &str = "All methods side by side";

/// Records of the synthetic sample.
pub const PATIENTS: u64 = 30_000;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with Adult (`adult.csv`) and its hierarchies; the synthetic sample when left out.
    pub data: Option<PathBuf>,
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Records of the synthetic sample.
    pub patients: u64,
}

/// What one method comes to.
#[derive(Debug, Clone)]
pub struct Row {
    /// The method, for people.
    pub name: &'static str,
    /// Its figures; the message if there is no release.
    pub figures: Result<MethodFigures, String>,
}

/// The figures of a release.
#[derive(Debug, Clone)]
pub struct MethodFigures {
    /// Mean degree of generalization, 0 to 1; suppressed cells count 1.
    pub loss: f64,
    /// RCE that a recipient expects, per integral, 0 to 1.
    pub rce: f64,
    /// Median relative error of the queries.
    pub query_error: f64,
    /// Mean over targets of 1 / (released records that match), 0 where none does.
    pub linkage: f64,
    /// Share of targets whose sensitive value is guessed.
    pub inference: f64,
    /// Share of the released records that are suppressed.
    pub suppressed: f64,
    /// Share of the released records that are counterfeits.
    pub counterfeits: f64,
    /// Seconds from recipe to certified release.
    pub seconds: f64,
}

/// Runs all methods and writes their tables, pictures and page.
///
/// # Errors
/// [`JobError`] of reading or writing, or of being interrupted; then the output folder does not exist. A
/// method that finds no release is a row that says so.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Row>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let work =
        tempfile::tempdir().map_err(|error| JobError::unusable(format!("cannot make a folder: {error}")))?;
    let sample = match &request.data {
        Some(data) => recipes::adult(data),
        None => recipes::synthetic(request.patients, work.path(), context)?,
    };
    let original = Original::read(&sample, work.path(), context)?;
    let mut rows = Vec::new();
    for entrant in recipes::ENTRANTS {
        context.check()?;
        let figures = match run(&sample.recipe(entrant), &original, work.path(), context) {
            Err(error) if error.is_interrupted() => return Err(error),
            // The temporary folder has another name in every run.
            Err(error) => Err(error.to_string().replace(&work.path().display().to_string(), "")),
            Ok(figures) => Ok(figures),
        };
        rows.push(Row { name: entrant.name, figures });
    }
    let section = section(&rows);
    section.figures.iter().try_for_each(|figure| folder.figure(figure))?;
    let introduction = introduction(&sample.name, &original);
    folder.text("index.html", &page::html(TITLE, &introduction, &[section]))?;
    context.check()?;
    folder.publish()?;
    Ok(rows)
}

/// One method, from its recipe to its figures.
fn run(
    recipe: &str,
    original: &Original,
    work: &Path,
    context: &Context<'_>,
) -> Result<MethodFigures, JobError> {
    let path = work.join("recipe.toml");
    std::fs::write(&path, recipe).map_err(|error| JobError::io(&path, "write", &error))?;
    let resolved = Recipe::load(&path, &Overrides::default())?.resolve()?;
    let begun = Instant::now();
    let outcome = anonymize(&resolved, &RunOptions { overwrite: true, ..RunOptions::default() }, context)?;
    let seconds = begun.elapsed().as_secs_f64();
    let released = Released::read(&outcome.release, &outcome.manifest, original)?;
    let found = attack::run(&released, original, context)?;
    let utility = |metric: &str, key: &str| {
        outcome.manifest.utility.get(metric).map_or(f64::NAN, |figure| number(&figure[key]))
    };
    let records = outcome.manifest.records.max(1) as f64;
    Ok(MethodFigures {
        loss: utility("lm", "value"),
        rce: utility("rce", "normalised"),
        query_error: queries::median_error(&released, original),
        linkage: found.linkage,
        inference: found.inference,
        suppressed: outcome.manifest.suppressed as f64 / records,
        counterfeits: outcome.manifest.counterfeits.unwrap_or(0) as f64 / records,
        seconds,
    })
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// A column of the table: its name, what it shows, its figure.
type Column = (&'static str, &'static str, fn(&MethodFigures) -> f64);

const LOSS: Column =
    ("loss", "mean degree of generalization of the quasi-identifiers' cells, suppressed cells 1", |f| f.loss);

/// The figures that a picture of their own shows.
const DRAWN: [Column; 5] = [
    LOSS,
    ("rce", "reconstruction error per integral that a recipient expects", |f| f.rce),
    ("query-error", "median relative error of 300 counting queries", |f| f.query_error),
    ("linkage", "mean chance to pick the target's record among those that match it", |f| f.linkage),
    ("inference", "share of targets whose sensitive value is guessed right", |f| f.inference),
];

/// What only the table has.
const LISTED: [Column; 2] = [
    ("suppressed", "share of released records that are suppressed", |f| f.suppressed),
    ("counterfeits", "share of released records that are counterfeits", |f| f.counterfeits),
];

const SECONDS: Column =
    ("seconds", "seconds from recipe to certified release, on the machine of the run", |f| f.seconds);

fn section(rows: &[Row]) -> Section {
    let mut figures: Vec<Figure> = DRAWN.iter().map(|column| picture(rows, column)).collect();
    figures.push(picture(rows, &SECONDS));
    let mut all = picture(rows, &LOSS);
    all.file = "methods".into();
    all.title = "All figures".into();
    all.note = "The bars are the loss; the table has everything that follows from the seed.".into();
    all.table = table(rows, &[&DRAWN[..], &LISTED].concat());
    figures.insert(0, all);
    Section { figures, trends: Vec::new() }
}

fn picture(rows: &[Row], column: &Column) -> Figure {
    let (names, values): (Vec<String>, Vec<f64>) = rows
        .iter()
        .filter_map(|row| Some((row.name.to_owned(), (column.2)(row.figures.as_ref().ok()?))))
        .filter(|(_, value)| value.is_finite())
        .unzip();
    Figure {
        file: column.0.into(),
        title: column.0.into(),
        note: format!("{}.", column.1),
        table: table(rows, std::slice::from_ref(column)),
        svg: horizontal_bars(column.0, column.1, &names, &[Series { name: String::new(), values }]),
    }
}

fn table(rows: &[Row], columns: &[Column]) -> ResultTable {
    let names = columns.iter().map(|column| column.0.to_owned());
    let header = std::iter::once("method".to_owned()).chain(names).chain(["no release".to_owned()]).collect();
    let row = |row: &Row| {
        let (figures, problem) = match &row.figures {
            Ok(figures) => (Some(figures), String::new()),
            Err(problem) => (None, problem.clone()),
        };
        let cells = columns.iter().map(|column| figures.map_or(String::new(), |f| cell((column.2)(f))));
        std::iter::once(row.name.to_owned()).chain(cells).chain([problem]).collect()
    };
    ResultTable { header, rows: rows.iter().map(row).collect() }
}

fn introduction(sample: &str, original: &Original) -> Markup {
    html! {
        p {
            "On " (sample) ". Every method made its release from a recipe, and the checker passed it. Queries count \
            records of one sensitive value in a random part of two quasi-identifiers; answers are taken from the \
            released file, each cell spread evenly over the values that it covers, counterfeits taken out as the \
            catalog allows. The adversary knows all quasi-identifiers of a person who is in the table. Guessing the \
            most frequent value for everybody is right for " (text(original.majority())) " of them."
        }
        p {
            "The figures cannot be compared without what is promised: k-anonymity hides who a record is of, the \
            diversity models what its value is, and differential privacy whether anybody is in the table at all."
        }
    }
}

impl Row {
    /// One line for the terminal.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.figures {
            Ok(f) => format!(
                "{:<34} loss {:>6} rce {:>6} query error {:>6} linkage {:>7} inference {:>6} {:>7} s",
                self.name,
                text(f.loss),
                text(f.rce),
                text(f.query_error),
                text(f.linkage),
                text(f.inference),
                text(f.seconds)
            ),
            Err(problem) => format!("{:<34} no release: {problem}", self.name),
        }
    }
}

#[cfg(test)]
mod tests;
