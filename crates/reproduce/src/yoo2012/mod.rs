//! Yoo, Shin & Lee 2012, "An approach to reducing information loss and achieving diversity of
//! sensitive attributes in k-anonymity methods": figures 4 to 6 again, published beside measured.
//!
//! The paper prints no numbers beside its pictures, does not give its hierarchies, and does not
//! define the clusterings that it compares with. So trends are compared. Everything but the times
//! follows from the seed; the times stand in files of their own.

mod figures;
mod runs;

use std::path::PathBuf;

use maud::{Markup, html};
use runs::{Again, Runs};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::output::Folder;
use super::{Section, Trend, page, sample};

/// The page's title.
const TITLE: &str = "Yoo et al. 2012, reproduced";

/// The paper's block size.
const K: u64 = 3;

/// The paper's t.
const T: f64 = 0.15;

/// The l that a block of [`K`] records can reach; the paper names none.
const L: f64 = 3.0;

/// Records of the synthetic sample that replaces Adult.
const PATIENTS: u64 = 30_000;

/// The numbers of records that are clustered, the whole table at last.
const SIZES: [u64; 5] = [1_000, 2_000, 5_000, 10_000, 20_000];

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with Adult and its hierarchies; the synthetic sample when left out.
    pub data: Option<PathBuf>,
    /// The folder to write; must not exist.
    pub output: PathBuf,
}

/// Repeats the experiments and writes their tables, pictures and pages.
///
/// # Errors
/// [`JobError`]; then the output folder does not exist.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    run(request, PATIENTS, &SIZES, context)
}

fn run(
    request: &Request,
    patients: u64,
    sizes: &[u64],
    context: &Context<'_>,
) -> Result<Vec<Trend>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let (name, table) = match &request.data {
        Some(data) => sample::adult_categories(data, context)?,
        None => {
            let sample = sample::synthetic(patients, context)?;
            (sample.name, sample.table)
        }
    };
    let runs = Runs::all(&table, sizes, request.data.is_some(), context)?;
    let shares = |again| runs::shares(&table, sizes, again, context);
    let again = [Again::Orders, Again::Draws];
    let shares = [(again[0], shares(again[0])?), (again[1], shares(again[1])?)];
    let seeded = [figures::loss(&runs, &shares), figures::diversity(&runs)];
    let timed = [figures::times(&runs)];
    for (file, sections) in [("index.html", &seeded[..]), ("times.html", &timed[..])] {
        sections.iter().flat_map(|section| &section.figures).try_for_each(|figure| folder.figure(figure))?;
        folder.text(file, &page::html(TITLE, &introduction(&name), sections))?;
    }
    context.check()?;
    folder.publish()?;
    let trends = |sections: Vec<Section>| sections.into_iter().flat_map(|section| section.trends);
    Ok(trends(seeded.into()).chain(trends(timed.into())).collect())
}

/// What the pages say before their tables.
fn introduction(sample: &str) -> Markup {
    html! {
        p {
            "Figures 4 and 5 on random parts of " (sample) "; figure 6, the times, in " a href="times.html" { "times.html" }
            ". The paper gives neither its hierarchies nor its numbers, so that trends can be expected to agree, \
            digits cannot. Nothing was tuned."
        }
        p {
            "Blocks have 3 records, as in the paper. It does not define the clusterings for entropy l-diversity and \
            t-closeness: here the record is added that leaves the block the least short of l = 3 or t = 0.15. Of \
            these it is any for entropy l-diversity, which the paper says cares for diversity only, and the one of least \
            conditional entropy for t-closeness. Tables have both with the other rule, too, and the proposed method with \
            records chosen by their distance to the block's first. A block of 3 cannot be within t = 0.15 of many values; the rows \
            \"until it holds\" let blocks grow until it is. Tables also have k-member clustering, which the paper \
            does not compare."
        }
    }
}

#[cfg(test)]
mod tests;
