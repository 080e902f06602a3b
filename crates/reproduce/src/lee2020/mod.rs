//! Lee and Chung 2020, "Differentially private release of medical microdata: an efficient and practical
//! approach for preserving informative attribute values": figures 6 to 10 and tables 9 to 12 again,
//! published beside measured.
//!
//! The paper's patients are not public; a synthetic sample of as many records takes their place, on the
//! paper's own lattice. Trends are compared, and levels where the paper prints them; what is not met is
//! said to be so. Everything follows from the seed: equal requests give equal bytes.

mod budget;
mod histogram;
mod loss;
mod program;
mod program_trends;
mod published;
mod runs;
mod sample;
mod stroke;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use maud::{Markup, html};
use published::PROGRAM_ON_FEWER;
use runs::Runs;
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::output::Folder;
use super::{Trend, page};

/// The page's title.
const TITLE: &str = "Lee and Chung 2020, reproduced";

/// Records of the paper's table.
pub const PATIENTS: u64 = 1_361_000;

/// Patients on which the authors' program is looked at a second time.
const FEWER: u64 = 100_000;

/// Runs of which the paper shows the mean.
const RUNS: u64 = 10;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Records of the sample.
    pub patients: u64,
}

/// Repeats the experiments and writes their tables, pictures and page.
///
/// # Errors
/// [`JobError`]; then the output folder does not exist.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    run(request, RUNS, context)
}

fn run(request: &Request, runs: u64, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let sample = sample::synthetic(request.patients, context)?;
    let measured = Runs::all(&sample, runs, context)?;
    let mut sections = [loss::section(&measured), stroke::section(&measured)];
    drop(measured);
    if request.patients > FEWER {
        let fewer = Runs::all(&sample::synthetic(FEWER, context)?, runs, context)?;
        sections[0].trends.extend(program_trends::trends(&fewer, PROGRAM_ON_FEWER));
    }
    sections.iter().flat_map(|section| &section.figures).try_for_each(|figure| folder.figure(figure))?;
    folder.text("index.html", &page::html(TITLE, &introduction(&sample.name, runs), &sections))?;
    context.check()?;
    folder.publish()?;
    Ok(sections.into_iter().flat_map(|section| section.trends).collect())
}

/// What the page says before its tables.
fn introduction(sample: &str, runs: u64) -> Markup {
    html! {
        p {
            "IPA exactly as published, on " (sample) " and the paper's own lattice of 256 nodes, t = 2, the mean of "
            (runs) " runs. The authors' patients are not public, so that trends can be expected to agree, digits \
            cannot. Nothing was tuned."
        }
        p {
            "The authors' public program takes the information loss otherwise than the paper's equations in a dozen ways. \
            Figures 6 to 8 have a line for each of both. The program's is also given for 100,000 patients."
        }
        p {
            "The published guarantee of the method does not hold, and nothing here says that it does: the figures are \
            of its utility alone."
        }
    }
}
