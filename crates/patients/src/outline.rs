//! What a recipe makes of its tables, before a record is read.

use std::path::{Path, PathBuf};

use velamen_recipe::{JobError, Read};

use crate::documents;
use crate::plan::{Plan, PlannedTable, Use};
use crate::profile::{FolderColumn, columns};
use crate::recipe::LinkedRecipe;
use crate::run::reads;

/// What a recipe makes of its tables.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The tables that are released, that of persons first.
    pub tables: Vec<TableOutline>,
    /// The tables that are left out.
    pub left_out: Vec<String>,
    /// What is promised, in sentences for a board.
    pub promises: Vec<String>,
}

/// What becomes of a table.
#[derive(Debug, Clone)]
pub struct TableOutline {
    /// Its name.
    pub table: String,
    /// Its file.
    pub file: PathBuf,
    /// Its columns with their roles.
    pub columns: Vec<FolderColumn>,
}

impl TableOutline {
    fn of(planned: &PlannedTable) -> Self {
        Self { table: planned.name.clone(), file: planned.file.clone(), columns: columns(planned) }
    }
}

/// Looks at a recipe and the headers of its tables. `path` is the recipe's file, for messages.
///
/// # Errors
/// What a run would refuse before it reads a record.
pub fn outline(recipe: &LinkedRecipe, path: &Path) -> Result<Outline, JobError> {
    let plan = Plan::of(recipe, path, &|| false)?;
    Ok(Outline {
        tables: plan.tables.iter().map(TableOutline::of).collect(),
        left_out: plan.dropped.clone(),
        promises: promises(&plan),
    })
}

/// The promises in sentences.
fn promises(plan: &Plan) -> Vec<String> {
    let persons = &plan.tables[0].columns;
    let known = persons.iter().filter(|column| matches!(column.used, Use::QuasiIdentifier { .. }));
    let facts = plan.facts().map(|fact| plan.tables[fact].name.clone());
    let known = documents::listed(known.map(|column| column.name.clone()).chain(facts));
    let models = plan.privacy.iter().map(|promise| documents::promise_knowing(promise, &known));
    let counts = (plan.tables.len() > 1).then(|| documents::counts_of(plan.counts, plan.k() as u64));
    models.chain(counts).chain([documents::dates_of(plan.dates)]).collect()
}

impl LinkedRecipe {
    /// What a run reads, so that whoever offers a folder can see that it reads nothing else. `path` is the recipe's file.
    #[must_use]
    pub fn reads(&self, path: &Path) -> Vec<Read> {
        let files = self.tables.values().flat_map(|table| table.attributes.values());
        let files = files.chain(self.attributes.values()).filter_map(|column| column.named_file());
        let tables = self.input.folder.iter().flat_map(|folder| {
            self.tables.values().filter_map(|table| Some(folder.join(table.path.as_ref()?)))
        });
        let named =
            files.map(Path::to_owned).chain(tables).map(|file| Read::new("a file of the recipe", &file));
        let named: Vec<Read> = named.collect();
        reads(self, path).into_iter().chain(named).collect()
    }
}
