//! Lee et al. 2017, "Utility-preserving anonymization for health data publishing": the experiments
//! again, figures 5 to 11, published beside measured.
//!
//! The paper used Adult with hierarchies that it does not give, and a national patient sample that
//! is not public. So trends are compared, and digits only where the paper prints them; a trend that
//! is not met is said to be so. Everything follows from the seed: equal requests give equal bytes.

mod attack;
mod counterfeits;
mod loss;
mod queries;
mod runs;
mod stroke;

use std::path::PathBuf;

use maud::{Markup, html};
use runs::Runs;
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::output::Folder;
use super::{Trend, page, sample};

/// The page's title.
const TITLE: &str = "Lee et al. 2017, reproduced";

/// Records of the paper's real-world analysis.
pub const PATIENTS: u64 = 1_375_900;

/// Records of the synthetic sample that replaces Adult.
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
    if let Some(data) = &request.data {
        sections.push(counterfeits::choices(data, context)?);
    }
    let name = sample.name.clone();
    drop((runs, sample));
    sections.push(stroke::section(request.patients, context)?);
    sections.iter().flat_map(|section| &section.figures).try_for_each(|figure| folder.figure(figure))?;
    folder.text("index.html", &page::html(TITLE, &introduction(&name, request.patients), &sections))?;
    context.check()?;
    folder.publish()?;
    Ok(sections.into_iter().flat_map(|section| section.trends).collect())
}

/// What the page says before its tables.
fn introduction(sample: &str, patients: u64) -> Markup {
    html! {
        p {
            "Figures 5 to 10 on " (sample) "; figure 11 on " (patients) " synthetic records. The authors' hierarchies \
            and their patient sample are not public, so that trends can be expected to agree, digits cannot. Nothing \
            was tuned."
        }
        p {
            "The baseline is the optimal full-domain generalization that is k-anonymous without suppression, of least \
            LM. h-ceiling is shown in four ways. One is as published (padding to exactly k, values drawn uniformly). One was once the default \
            here (random padding, values drawn from the table), and resists the minimality attack. Two are as published with \
            the RCE summed over the released table, a counterfeit counting as wholly lost: by attribute, and over all \
            attributes together. Where uniform \
            draws hit values that too few records have, no catalog is safe and there is no release."
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
