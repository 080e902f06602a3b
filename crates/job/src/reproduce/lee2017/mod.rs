//! Lee et al. 2017, "Utility-preserving anonymization for health data publishing": the experiments
//! again, figures 5 to 11, published beside measured.
//!
//! The paper used Adult with hierarchies that it does not give, and a national patient sample that
//! is not public. So trends are compared, and digits only where the paper prints them; a trend that
//! is not met is said to be so. Everything follows from the seed: equal requests give equal bytes.

mod attack;
mod counterfeits;
mod loss;
mod output;
mod page;
mod queries;
mod query;
mod runs;
mod sample;
mod stroke;

use std::path::PathBuf;

use velamen_core::context::Context;

use crate::error::JobError;
use output::{Figure, Folder};
use runs::Runs;

/// Records of the paper's real-world analysis.
pub const PATIENTS: u64 = 1_375_900;

/// Records of the synthetic sample that stands in for Adult.
const SAMPLE: u64 = 100_000;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with Adult and its hierarchies; the synthetic sample when left out.
    pub data: Option<PathBuf>,
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Records of figure 11.
    pub patients: u64,
}

/// A published trend beside what was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trend {
    /// The figure.
    pub figure: String,
    /// What the paper says.
    pub published: String,
    /// What was measured.
    pub measured: String,
    /// Whether the trend is met.
    pub met: bool,
}

impl Trend {
    fn new(figure: &str, published: &str, measured: &str, met: bool) -> Self {
        Self { figure: figure.into(), published: published.into(), measured: measured.into(), met }
    }
}

/// Figures that belong together, with the trends seen in them.
struct Section {
    figures: Vec<Figure>,
    trends: Vec<Trend>,
}

/// Repeats the experiments and writes their tables, pictures and page.
///
/// # Errors
/// [`JobError`]; then the output folder does not exist.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    run(request, SAMPLE, context)
}

fn run(request: &Request, rows: u64, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let sample = match &request.data {
        Some(data) => sample::adult(data, context)?,
        None => sample::synthetic(rows, context)?,
    };
    let runs = Runs::all(&sample, context)?;
    let mut sections = vec![
        loss::section(&sample, &runs),
        queries::section(&sample, &runs),
        attack::section(&sample, &runs, context)?,
        counterfeits::section(&sample, context)?,
    ];
    let name = sample.name.clone();
    drop((runs, sample));
    sections.push(stroke::section(request.patients, context)?);
    sections.iter().flat_map(|section| &section.figures).try_for_each(|figure| folder.figure(figure))?;
    folder.text("index.html", &page::html(&name, request.patients, &sections))?;
    context.check()?;
    folder.publish()?;
    Ok(sections.into_iter().flat_map(|section| section.trends).collect())
}

/// What stands for the figures of a method that found no release.
const NO_RELEASE: &str = "no release";

/// A number for people, about three digits.
fn text(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => NO_RELEASE.into(),
        _ if value == value.round() => format!("{value}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests;
