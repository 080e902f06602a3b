//! The risk of re-identification of a table or a release.

mod figures;
mod population;
mod riskiest;
mod subject;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::source::ReadOptions;
use velamen_job::flat::with_derived;
use velamen_job::person_numbers::shown_of;
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::special_uniques::MOST_ATTRIBUTES;
use velamen_recipe::{JobError, Origin};

use self::figures::AskedFigures;
use self::population::Population;
use self::subject::Subject;

pub use figures::{Attribute, Counterfeits, Dis, RiskFigures, Threshold, Verdict};
pub use population::{PopulationFigures, PopulationUniques, Source};
pub use riskiest::RiskyRecord;

/// What is asked.
#[derive(Debug, Clone)]
pub struct RiskRequest {
    /// A table or a release's folder.
    pub table: Origin,
    /// How a table is read.
    pub read: ReadOptions,
    /// The quasi-identifiers of a table; a release names its own.
    pub qis: Vec<String>,
    /// The column of a table that says whose its records are; a release has its pseudonyms.
    pub person: Option<String>,
    /// What is known of the population.
    pub population: Option<AskedPopulation>,
    /// A table or release to show before it, such as a release's original.
    pub before: Option<Origin>,
    /// One more threshold.
    pub threshold: Option<f64>,
    /// The most attributes of special uniques; 0: none are looked for.
    pub special_uniques: usize,
    /// How many of the riskiest records of a table are named.
    pub rows: usize,
    /// Whether their values are.
    pub show_values: bool,
}

/// The population that a table is a sample of.
#[derive(Debug, Clone)]
pub enum AskedPopulation {
    /// Its table.
    Table(Origin),
    /// Its number of records.
    Size(u64),
}

/// The risks of a table or release, and of what it is compared with.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Risk")]
pub struct RiskReport {
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// What the figures do not tell by themselves.
    pub remarks: Vec<String>,
    /// The table that was asked for before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<RiskFigures>,
    /// The table or release.
    #[serde(flatten)]
    pub figures: RiskFigures,
    /// Its riskiest records, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub riskiest: Vec<RiskyRecord>,
}

/// Reports the risks of re-identification.
///
/// # Errors
/// [`JobError::usage`] if what is asked does not fit the table, [`JobError::data`] if the population does not
/// contain it, and what reading can give.
pub fn risk(request: &RiskRequest, context: &Context<'_>) -> Result<RiskReport, JobError> {
    risk_of_people(request, None, context)
}

/// As [`risk`], of a release of which the custodian knows whose the records of each class are, though it does not show it.
///
/// # Errors
/// As [`risk`].
pub fn risk_of_people(
    request: &RiskRequest,
    released: Option<Holdings>,
    context: &Context<'_>,
) -> Result<RiskReport, JobError> {
    let person = request.person.as_ref();
    let mut subject = Subject::load(&request.table, &request.read, &request.qis, person, context)?;
    if let Some((column, holdings)) = person.zip(released) {
        subject.take_people(column, holdings);
    }
    refuse(request, &subject)?;
    let names = &subject.names;
    // How a table is read is said of the first one there is; a second one tells by itself.
    let read = match request.table.file().filter(|_| subject.release.is_some()) {
        Some(folder) => with_derived(&velamen_report::load(folder)?, &request.read)?,
        None => request.read.beside(),
    };
    let before =
        request.before.as_ref().map(|table| Subject::load_beside(table, &read, names, person, context));
    let before = before.transpose()?;
    let asked = AskedFigures { threshold: request.threshold, special_uniques: request.special_uniques };
    let (figures, scored) = asked.figures(&subject, &population(request, &subject, context)?, context)?;
    let before = match before {
        Some(before) => Some(asked.figures(&before, &population(request, &before, context)?, context)?.0),
        None => None,
    };
    let riskiest = riskiest::riskiest(request, &subject, &scored, context)?;
    let (quasi_identifiers, mut remarks) = (names.clone(), subject.remarks());
    remarks.extend(figures.population.as_ref().and_then(PopulationFigures::remark));
    Ok(RiskReport { quasi_identifiers, remarks, before, figures, riskiest })
}

/// What to say of figures that count records where a person seems to have several.
pub(crate) fn of_rows(request: &RiskRequest, context: &Context<'_>) -> Result<Option<String>, JobError> {
    if request.table.folder().is_some() || request.person.is_some() {
        return Ok(None);
    }
    // A table that is read once, as from a pipe, tells nothing more.
    let Ok(input) = request.table.open(&request.read) else { return Ok(None) };
    match shown_of(&input, &request.qis, context) {
        Err(error) if error.is_interrupted() => Err(error),
        Ok(Some(shown)) => Ok(Some(format!(
            "the table seems to have several records of a person: {shown}. The figures count records; they count people once the column \
             that tells them apart is named as that of the person"
        ))),
        Ok(None) | Err(_) => Ok(None),
    }
}

fn refuse(request: &RiskRequest, subject: &Subject) -> Result<(), JobError> {
    let usage = |problem: Problem| Err(JobError::usage(problem));
    if request.special_uniques > 0 && subject.names.len() > MOST_ATTRIBUTES {
        return usage(
            Problem::new(format!(
                "{} quasi-identifiers; special uniques are looked for among at most {MOST_ATTRIBUTES}",
                subject.names.len()
            ))
            .mend("name fewer, or give --special-uniques 0"),
        );
    }
    if request.rows > 0 && subject.release.is_some() {
        return usage(
            "--rows names records of a table; a release's records are no rows of its original".into(),
        );
    }
    let is_table = |origin: &Origin| origin.folder().is_none();
    if request.person.is_some() && subject.release.is_some() && !request.before.as_ref().is_some_and(is_table)
    {
        return usage(
            "--person, or the person of --recipe, is a column of a table; a release shows whose its records are by its pseudonyms, or not at all".into(),
        );
    }
    match request.threshold {
        Some(threshold) if !(threshold > 0.0 && threshold <= 1.0) => usage(
            Problem::new(format!("--threshold {threshold}: a wrong value"))
                .expected("a probability, above 0 and at most 1"),
        ),
        _ => Ok(()),
    }
}

/// What is known of the population of a table.
fn population(
    request: &RiskRequest,
    subject: &Subject,
    context: &Context<'_>,
) -> Result<Population, JobError> {
    match &request.population {
        Some(AskedPopulation::Table(table)) => {
            Population::read(table, &request.read, (subject, request.person.as_ref()), context)
        }
        Some(AskedPopulation::Size(size)) => Population::of_size(*size, subject),
        None => Ok(Population::stated(subject)),
    }
}
