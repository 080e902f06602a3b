//! Where a recipe's records come from and where its release goes, where that is a database.
//!
//! A table never stands without the folders of its release: the table is filled and read back in a
//! transaction that nobody sees, then both folders appear under their names, then the transaction is
//! ended. What fails takes everything back. A run that is killed between the last two leaves folders
//! without a table, which harm nobody.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::release::certify::CLASS_ID;
use velamen_database::{Database, DatabaseError, Ending, NewColumn, NewTable, Query, Stop, TableName};
use velamen_engine::ColumnRequest;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Input, ReadOptions};

use crate::error::JobError;
use crate::flat::{flat, per_row, read_options};
use crate::last::Last;
use crate::manifest::Manifest;

/// Where records come from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// A query of a database.
    Query(Arc<Asked>),
}

/// A query and the database it goes to; opened when it is first read.
pub struct Asked {
    recipe: PathBuf,
    database: Database,
    text: String,
    stop: Stop,
    open: Mutex<Option<Arc<dyn Query>>>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("database", &self.database).field("text", &self.text).finish()
    }
}

impl Origin {
    /// A query of the database at that address; `recipe` is to blame for mistakes.
    pub(crate) fn query(recipe: &Path, address: &str, text: &str) -> Result<Self, JobError> {
        let database = database(recipe, "input.database", address)?;
        let (recipe, text) = (recipe.to_owned(), text.to_owned());
        Ok(Self::Query(Arc::new(Asked {
            recipe,
            database,
            text,
            stop: Stop::default(),
            open: Mutex::default(),
        })))
    }

    /// What messages and the custodian's record call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Query(asked) => asked.database.label(),
        }
    }

    /// The query, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::File(_) => None,
            Self::Query(asked) => Some(&asked.text),
        }
    }

    /// Opens it. Every reading of a query sees the same records until it is closed.
    pub(crate) fn open(&self, options: &ReadOptions) -> Result<Input, JobError> {
        let asked = match self {
            Self::File(path) => return Ok(Input::open(path, options)?),
            Self::Query(asked) => asked,
        };
        let mut open = asked.open.lock().unwrap_or_else(PoisonError::into_inner);
        let query = match &*open {
            Some(query) => Arc::clone(query),
            None => {
                let query = asked.database.query(&asked.text, &asked.stop);
                let query = query
                    .map_err(|error| told(error, &asked.recipe, "input.query", &asked.database.label()))?;
                Arc::clone(open.insert(query.into()))
            }
        };
        let columns = query.columns().to_vec();
        Ok(Input::of_rows(Path::new(&asked.database.label()), columns, query.rows(), options)?)
    }

    /// Does some work that reads it; what waits for a database then sees the wish to stop.
    pub(crate) fn during<T>(
        &self,
        context: &Context<'_>,
        work: impl FnOnce() -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        match self {
            Self::File(_) => work(),
            Self::Query(asked) => {
                let result = asked.stop.during(context, work);
                if result.is_err() {
                    context.check()?;
                }
                result
            }
        }
    }

    /// Ends the transaction: nothing is read any more.
    pub(crate) fn close(&self) {
        if let Self::Query(asked) = self {
            let query = asked.open.lock().unwrap_or_else(PoisonError::into_inner).take();
            query.iter().for_each(|query| query.close());
        }
    }
}

fn database(recipe: &Path, key: &str, address: &str) -> Result<Database, JobError> {
    let folder = recipe.parent().unwrap_or(Path::new(""));
    Database::new(address, folder).map_err(|error| told(error, recipe, key, key))
}

/// An error of a database; `key` of the recipe may be to blame.
fn told(error: DatabaseError, recipe: &Path, key: &str, label: &str) -> JobError {
    match error {
        DatabaseError::Recipe(problem) => JobError::recipe(recipe, format!("{key}: {problem}")),
        DatabaseError::Data(problem) => JobError::Data(format!("{label}: {problem}")),
        DatabaseError::Io(problem) => JobError::Io(format!("{label}: {problem}")),
        DatabaseError::NotBuilt => JobError::Usage(format!("{key}: {error}")),
        DatabaseError::Interrupted => JobError::Interrupted,
    }
}

/// A table that a release is to be in.
#[derive(Debug, Clone)]
pub struct Target {
    recipe: PathBuf,
    database: Database,
    table: TableName,
}

impl Target {
    pub(crate) fn new(recipe: &Path, address: &str, table: &str) -> Result<Self, JobError> {
        let database = database(recipe, "output.database", address)?;
        let table = table.parse().map_err(|error| told(error, recipe, "output.table", "output.table"))?;
        Ok(Self { recipe: recipe.to_owned(), database, table })
    }

    /// The database and the table's name.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}, table {}", self.database.label(), self.table)
    }

    fn told(&self, error: DatabaseError) -> JobError {
        told(error, &self.recipe, "output.table", &self.database.label())
    }

    /// Makes the table and takes it back: what can be told before the work is told before.
    pub(crate) fn rehearse(&self, requests: &[ColumnRequest], context: &Context<'_>) -> Result<(), JobError> {
        let released = requests.iter().filter(|request| request.role != Role::Person);
        let released = released.map(|request| request.name.clone());
        let columns: Vec<String> = std::iter::once(CLASS_ID.to_owned()).chain(released).collect();
        let stop = Stop::default();
        let rehearsed = stop.during(context, || self.database.rehearse(&self.table, &columns, &stop));
        rehearsed.map_err(|error| self.told(error))
    }

    /// Fills the table with the records of the certified file in `folder`, reads it back and compares.
    /// Nobody sees it before [`Filled::commit`].
    pub(crate) fn fill(
        &self,
        folder: &Path,
        manifest: &Manifest,
        context: &Context<'_>,
    ) -> Result<Filled, JobError> {
        let path = manifest.data.path(folder)?;
        let (certified, columns) = read(Input::open(&path, &read_options(manifest)?)?, context)?;
        let records = out_table(&certified);
        let columns: Vec<NewColumn> =
            columns.into_iter().map(|name| NewColumn { integer: name == CLASS_ID, name }).collect();
        let stop = Stop::default();
        let made = stop.during(context, || {
            let mut table =
                self.database.create(&self.table, &columns, &stop).map_err(|error| self.told(error))?;
            table.fill(&records, context).map_err(|error| self.told(error))?;
            let names = columns.iter().map(|column| column.name.clone()).collect();
            let label = PathBuf::from(self.label());
            let options = ReadOptions { may_be_empty: true, ..ReadOptions::default() };
            let input = Input::of_rows(&label, names, table.rows(), &options)?;
            let (held, _) = read(input, context)?;
            Ok::<_, JobError>((table, same(&certified, &held)))
        });
        let (table, same) = match made {
            Ok(made) => made,
            Err(error) => {
                context.check()?;
                return Err(error);
            }
        };
        if !same {
            let problem = "what the table holds is not what was certified; it was taken back";
            return Err(JobError::Promise(format!("{}: {problem}", self.label())));
        }
        Ok(Filled { target: self.clone(), table })
    }
}

/// A table that holds the release and that nobody sees yet.
pub(crate) struct Filled {
    target: Target,
    table: Box<dyn NewTable>,
}

impl Filled {
    /// Lets everybody see the table.
    pub(crate) fn commit(self) -> Last {
        match self.table.commit() {
            Ending::Made => Last::Done,
            Ending::Undone(error) => Last::Undone(self.target.told(error)),
            Ending::Unknown(error) => {
                let label = self.target.label();
                let error = self.target.told(error);
                Last::Unknown(JobError::Io(format!(
                    "{error}. The release folder is complete and stays. Look whether there is {label}: if so, all is \
                     done; if not, remove the folder or run again with --overwrite"
                )))
            }
        }
    }
}

/// All columns of a table as they stand, and their names.
fn read(input: Input, context: &Context<'_>) -> Result<(FrequencyTable, Vec<String>), JobError> {
    let (input, requests) = flat(input, |_| Some(Role::Insensitive), &[])?;
    let table = input.read(&requests, context)?;
    Ok((table, input.columns))
}

/// The records in canonical order: the one of the file, or of the query, is not told.
fn out_table(table: &FrequencyTable) -> OutTable {
    let column = |column: &velamen_core::frequency::RestColumn| OutColumn {
        name: column.name.clone(),
        labels: column.values.clone(),
        kind: ColumnKind::Text,
    };
    OutTable {
        columns: table.rest.columns.iter().map(column).collect(),
        codes: table.rest.codes.clone(),
        counts: per_row(table),
    }
}

/// Whether two tables hold the same records.
fn same(a: &FrequencyTable, b: &FrequencyTable) -> bool {
    let columns = a.rest.columns.iter().zip(&b.rest.columns);
    a.rest.columns.len() == b.rest.columns.len()
        && columns.into_iter().all(|(a, b)| a.name == b.name && a.values == b.values)
        && a.rest.codes == b.rest.codes
        && per_row(a) == per_row(b)
}
