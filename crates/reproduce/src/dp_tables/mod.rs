//! Differentially private tables beside the tools of others: how far pairs and triples of attributes are from the original.
//!
//! The tables are Adult in codes and, if wanted, Adult as texts, read from folders at run time; their domains are public and stand
//! beside them. The figures of others were measured on the same tables with the same budget, so they are constants here, and so
//! are those of a prototype that this program has to reach. Everything but the times follows from the seed.

mod adult;
mod anchors;
mod error;
mod independent;
mod pages;
mod table;

use std::path::PathBuf;
use std::time::Instant;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_search::method::MethodError;
use velamen_search::method::aim::{Aim, AimParams};
use velamen_search::method::mst::{InventedParams, Mst};

use self::anchors::{ADULT_9, ADULT_14, Shape};
use self::error::{Columns, Errors};
use super::output::Folder;
use super::{Section, Trend, page};

/// Runs of each method and budget.
pub const SEEDS: u64 = 3;
/// The δ of all runs.
const DELTA: f64 = 1e-9;
/// The ε of the runs.
const EPSILONS: [f64; 3] = [0.3, 1.0, 3.0];
/// Columns of numbers with so many values that K compares them in groups.
const LONG: [&str; 5] = ["age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"];

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with `adult.csv`, codes from 0 below a line of names, and `domain.json`, the number of values of each.
    pub data: PathBuf,
    /// A folder with `adult.csv`, texts parted by semicolons, and an `adult_hierarchy_NAME.csv` of each column, if wanted.
    pub adult: Option<PathBuf>,
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Runs of each method and budget.
    pub seeds: u64,
}

/// A method under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tested {
    /// Noisy counts of each column alone.
    Independent,
    Mst,
    Aim,
}

impl Tested {
    const ALL: [Self; 3] = [Self::Independent, Self::Mst, Self::Aim];

    fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Mst => "mst",
            Self::Aim => "aim",
        }
    }

    /// Invented records.
    fn records(self, case: &Case, epsilon: f64, context: &Context<'_>) -> Result<Columns, MethodError> {
        let node = Node(vec![0; case.table.qis.len()]);
        let params = InventedParams { epsilon, delta: DELTA, model_cells: 1 << 20, records_per_person: 1 };
        let made = match self {
            Self::Independent => {
                let records = independent::records(&case.original, (epsilon, DELTA), context.seed);
                return records.ok_or_else(|| MethodError::Unfit(Problem::new("epsilon is too small")));
            }
            Self::Mst => {
                let method = Mst::try_from(params).map_err(MethodError::Unfit)?;
                method.plan(&case.table, &node, context)?
            }
            Self::Aim => {
                let invented = InventedParams { model_cells: 1 << 17, ..params };
                let method = Aim::try_from(AimParams { invented, max_cells: 10_000 });
                method.map_err(MethodError::Unfit)?.plan(&case.table, &node, context)?
            }
        };
        Ok(Columns::of_release(&made.release, &case.original))
    }
}

/// A table that the methods run on.
struct Case {
    name: &'static str,
    table: FrequencyTable,
    original: Columns,
    /// Columns that K compares in groups.
    long: Vec<usize>,
}

impl Case {
    /// A table, by the name that it has in the anchors where it has that one's shape.
    fn of(table: FrequencyTable, anchored: Shape, otherwise: &'static str) -> Self {
        let is_anchored = (table.records(), table.qis.len()) == (anchored.records, anchored.attributes);
        Self::new(if is_anchored { anchored.table } else { otherwise }, table)
    }

    fn new(name: &'static str, table: FrequencyTable) -> Self {
        let is_long = |&a: &usize| LONG.contains(&table.qis[a].name.as_str());
        let long = (0..table.qis.len()).filter(is_long).collect();
        Self { name, original: Columns::of_table(&table), long, table }
    }

    /// The errors of columns that have the original's values, and nothing in common.
    fn alone(&self, seed: &Seed) -> Errors {
        Errors::of(&self.original, &self.original.independent(seed), &self.long)
    }
}

/// What a method came to with a budget, the mean of all seeds.
#[derive(Debug, Clone, Copy)]
struct Row {
    method: Tested,
    epsilon: f64,
    errors: Errors,
    /// Of a run, from the table in memory to the records in memory.
    seconds: f64,
}

/// Makes all releases and writes their errors as tables, pictures and page.
///
/// # Errors
/// [`JobError`] of reading or writing, or of being interrupted; then the output folder does not exist.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    let folder = Folder::prepare(&request.output)?;
    let seeds = request.seeds.max(1);
    let mut cases = vec![Case::of(table::read(&request.data)?, ADULT_14, "Table in codes")];
    if let Some(adult) = &request.adult {
        cases.push(Case::of(adult::read(adult)?, ADULT_9, "Table of texts"));
    }
    let sections = cases.iter().map(|case| section(case, seeds, context));
    let sections = sections.collect::<Result<Vec<Section>, JobError>>()?;
    for figure in sections.iter().flat_map(|section| &section.figures) {
        folder.figure(figure)?;
    }
    let tables: Vec<&FrequencyTable> = cases.iter().map(|case| &case.table).collect();
    let introduction = pages::introduction(&tables, seeds);
    folder.text("index.html", &page::html(pages::TITLE, &introduction, &sections))?;
    context.check()?;
    folder.publish()?;
    Ok(sections.into_iter().flat_map(|section| section.trends).collect())
}

/// All methods and budgets on one table.
fn section(case: &Case, seeds: u64, context: &Context<'_>) -> Result<Section, JobError> {
    let mut rows = Vec::new();
    for epsilon in EPSILONS {
        for method in Tested::ALL {
            rows.push(row(case, (method, epsilon, seeds), context)?);
        }
    }
    Ok(pages::section(case.name, &rows, case.alone(context.seed)))
}

fn row(
    case: &Case,
    (method, epsilon, seeds): (Tested, f64, u64),
    context: &Context<'_>,
) -> Result<Row, JobError> {
    let (mut errors, mut seconds) = (Vec::new(), 0.0);
    for number in 0..seeds {
        let seed: Seed = context.seed.derived(number);
        let of_seed = Context { seed: &seed, progress: context.progress, cancel: context.cancel };
        let begun = Instant::now();
        let released = method.records(case, epsilon, &of_seed)?;
        seconds += begun.elapsed().as_secs_f64() / seeds as f64;
        errors.push(Errors::of(&case.original, &released, &case.long));
    }
    Ok(Row { method, epsilon, errors: Errors::mean(&errors), seconds })
}

#[cfg(test)]
mod tests;
