//! Differentially private tables beside the tools of others: how far pairs and triples of attributes are from the original.
//!
//! The table is Adult in codes, read from a folder at run time; its domain is public and stands beside it. The figures of others
//! were measured on the same table with the same budget, so they are constants here, and so are those of a prototype that this
//! program has to reach.

mod error;
mod pages;
mod table;

use std::path::PathBuf;

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::release::Release;
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_search::method::MethodError;
use velamen_search::method::aim::{Aim, AimParams};
use velamen_search::method::mst::{InventedParams, Mst};

use self::error::{Columns, distance};
use super::output::Folder;
use super::{Trend, page};

/// Runs of each method and budget.
pub const SEEDS: u64 = 3;
/// The δ of all runs.
const DELTA: f64 = 1e-9;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with `adult.csv`, codes from 0 below a line of names, and `domain.json`, the number of values of each.
    pub data: PathBuf,
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Runs of each method and budget.
    pub seeds: u64,
}

/// A method under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tested {
    Mst,
    Aim,
}

impl Tested {
    fn name(self) -> &'static str {
        match self {
            Self::Mst => "mst",
            Self::Aim => "aim",
        }
    }

    fn release(
        self,
        table: &FrequencyTable,
        epsilon: f64,
        context: &Context<'_>,
    ) -> Result<Release, MethodError> {
        let node = Node(vec![0; table.qis.len()]);
        let invented = InventedParams { epsilon, delta: DELTA, model_cells: 1 << 20, records_per_person: 1 };
        let made = match self {
            Self::Mst => Mst::try_from(invented).map_err(MethodError::Unfit)?.plan(table, &node, context),
            Self::Aim => {
                let invented = InventedParams { model_cells: 1 << 17, ..invented };
                let method = Aim::try_from(AimParams { invented, max_cells: 10_000 });
                method.map_err(MethodError::Unfit)?.plan(table, &node, context)
            }
        };
        made.map(|made| made.release)
    }
}

/// What others, or the prototype, came to with a budget: the mean distance of pairs and of triples.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    whose: &'static str,
    method: Tested,
    epsilon: f64,
    pairs: f64,
    triples: f64,
    /// By how much more it may be.
    slack: f64,
}

/// On Adult's 48,842 records of 14 attributes. The prototype's figures are of one to three seeds, which differ by 1 to 4 %.
const ANCHORS: [Anchor; 5] = [
    Anchor {
        whose: "mbi 2.0.0",
        method: Tested::Mst,
        epsilon: 1.0,
        pairs: 0.0541,
        triples: 0.117,
        slack: 1.02,
    },
    Anchor {
        whose: "prototype",
        method: Tested::Mst,
        epsilon: 1.0,
        pairs: 0.0478,
        triples: 0.107,
        slack: 1.06,
    },
    Anchor {
        whose: "prototype",
        method: Tested::Aim,
        epsilon: 1.0,
        pairs: 0.0341,
        triples: 0.080,
        slack: 1.06,
    },
    Anchor {
        whose: "prototype",
        method: Tested::Mst,
        epsilon: 0.3,
        pairs: 0.0659,
        triples: 0.132,
        slack: 1.06,
    },
    Anchor {
        whose: "prototype",
        method: Tested::Aim,
        epsilon: 0.3,
        pairs: 0.0605,
        triples: 0.117,
        slack: 1.06,
    },
];

/// What a method came to with a budget, the mean of all seeds.
#[derive(Debug, Clone, Copy)]
struct Row {
    method: Tested,
    epsilon: f64,
    pairs: f64,
    triples: f64,
}

/// Makes all releases and writes their errors as tables, pictures and page.
///
/// # Errors
/// [`JobError`] of reading or writing, or of being interrupted; then the output folder does not exist.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let table = table::read(&request.data)?;
    let seeds = request.seeds.max(1);
    let original = Columns::of_table(&table);
    let mut rows = Vec::new();
    for epsilon in [0.3, 1.0] {
        for method in [Tested::Mst, Tested::Aim] {
            rows.push(row(&table, &original, (method, epsilon, seeds), context)?);
        }
    }
    let independent = original.independent(context.seed);
    let alone = [distance(&original, &independent, 2), distance(&original, &independent, 3)];
    let section = pages::section(&rows, alone);
    section.figures.iter().try_for_each(|figure| folder.figure(figure))?;
    let trends = section.trends.clone();
    let introduction = pages::introduction(&table, seeds);
    folder.text("index.html", &page::html(pages::TITLE, &introduction, &[section]))?;
    context.check()?;
    folder.publish()?;
    Ok(trends)
}

fn row(
    table: &FrequencyTable,
    original: &Columns,
    (method, epsilon, seeds): (Tested, f64, u64),
    context: &Context<'_>,
) -> Result<Row, JobError> {
    let (mut pairs, mut triples) = (0.0, 0.0);
    for number in 0..seeds {
        let seed: Seed = context.seed.derived(number);
        let of_seed = Context { seed: &seed, progress: context.progress, cancel: context.cancel };
        let release = method.release(table, epsilon, &of_seed)?;
        let released = Columns::of_release(&release, original);
        pairs += distance(original, &released, 2) / seeds as f64;
        triples += distance(original, &released, 3) / seeds as f64;
    }
    Ok(Row { method, epsilon, pairs, triples })
}

#[cfg(test)]
mod tests;
