//! Where a recipe's records come from and where its release goes: files, queries and tables of databases.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_database::{Database, DatabaseError, Query, Stop, TableName};
use velamen_engine::source::{Batches, Input, ReadOptions};

use super::Recipe;
use crate::JobError;

/// What messages call a table in memory.
const TABLE: &str = "the table";

/// Where records come from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// A query of a database.
    Query(Arc<AskedQuery>),
    /// Records in memory.
    Batches(Arc<Batches>),
}

/// A query and the database it goes to; opened when it is first read.
pub struct AskedQuery {
    recipe: PathBuf,
    /// The key of the recipe that has the text.
    key: String,
    database: Database,
    text: String,
    stop: Stop,
    open: Mutex<Option<Arc<dyn Query>>>,
}

impl std::fmt::Debug for AskedQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("database", &self.database).field("text", &self.text).finish()
    }
}

impl From<PathBuf> for Origin {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<Batches> for Origin {
    fn from(batches: Batches) -> Self {
        Self::Batches(Arc::new(batches))
    }
}

impl Origin {
    /// A query of the database at that address; `recipe` is to blame for mistakes, of the query its key `key`.
    ///
    /// # Errors
    /// [`JobError::recipe`] if the address is none. Nothing is connected yet.
    pub fn query(recipe: &Path, address: &str, text: &str, key: &str) -> Result<Self, JobError> {
        let database = database(recipe, "input.database", address)?;
        let (recipe, text) = (recipe.to_owned(), text.to_owned());
        Ok(Self::Query(Arc::new(AskedQuery {
            recipe,
            key: key.to_owned(),
            database,
            text,
            stop: Stop::default(),
            open: Mutex::default(),
        })))
    }

    /// Whether both are the same file, the same query of one database, or records in memory with the same columns and of
    /// the same number.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(path), Self::File(other)) => path == other,
            (Self::Query(asked), Self::Query(other)) => {
                asked.text == other.text && asked.database.label() == other.database.label()
            }
            (Self::Batches(held), Self::Batches(other)) => {
                held.schema == other.schema && held.records() == other.records()
            }
            _ => false,
        }
    }

    /// The folder that it is, such as a release's.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::File(path) if path.is_dir() => Some(path),
            _ => None,
        }
    }

    /// The file that it is.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Query(_) | Self::Batches(_) => None,
        }
    }

    /// What messages and the custodian's record call it.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Query(asked) => asked.database.label(),
            Self::Batches(_) => TABLE.to_owned(),
        }
    }

    /// The query, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::File(_) | Self::Batches(_) => None,
            Self::Query(asked) => Some(&asked.text),
        }
    }

    /// Opens it. Every reading of a query sees the same records until it is closed.
    pub fn open(&self, options: &ReadOptions) -> Result<Input, JobError> {
        let asked = match self {
            Self::File(path) => return Ok(Input::open(path, options)?),
            Self::Batches(held) => {
                let Batches { schema, batches } = &**held;
                return Ok(Input::of_batches(Path::new(TABLE), schema, batches.clone(), options)?);
            }
            Self::Query(asked) => asked,
        };
        let mut open = asked.open.lock().unwrap_or_else(PoisonError::into_inner);
        let query = match &*open {
            Some(query) => Arc::clone(query),
            None => {
                let query = asked.database.query(&asked.text, &asked.stop);
                let query =
                    query.map_err(|error| told(error, &asked.recipe, &asked.key, &asked.database.label()))?;
                Arc::clone(open.insert(query.into()))
            }
        };
        let columns = query.columns().to_vec();
        Ok(Input::of_rows(Path::new(&asked.database.label()), columns, query.rows(), options)?)
    }

    /// Does some work that reads it; what waits for a database then sees the wish to stop.
    pub fn during<T>(
        &self,
        context: &Context<'_>,
        work: impl FnOnce() -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        match self {
            Self::File(_) | Self::Batches(_) => work(),
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
    pub fn close(&self) {
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
    let code = error.code();
    let plain = match error {
        DatabaseError::Recipe(problem) => JobError::recipe(recipe, problem.after(&format!("{key}: "))),
        DatabaseError::Data(problem) => JobError::data(problem.after(&format!("{label}: "))),
        DatabaseError::Io(problem) => JobError::unusable(problem.after(&format!("{label}: "))),
        DatabaseError::NotBuilt => JobError::usage(error.problem().after(&format!("{key}: "))),
        DatabaseError::Interrupted => JobError::interrupted(),
    };
    plain.coded(code)
}

/// A table that a release is to be in.
#[derive(Debug, Clone)]
pub struct Target {
    recipe: PathBuf,
    /// Where it is to be.
    pub database: Database,
    /// Its name.
    pub table: TableName,
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

    /// An error of the database that gets it.
    pub fn told(&self, error: DatabaseError) -> JobError {
        told(error, &self.recipe, "output.table", &self.database.label())
    }
}

impl Recipe {
    /// Where the records come from. Nothing is connected yet.
    pub(super) fn origin(&self, path: &Path) -> Result<Origin, JobError> {
        let input = &self.input;
        let wrong = |keys: &[&str], problem: Problem| {
            Err(self.refuse(path, &["input"], problem.after("input: ").with(keys)))
        };
        if let Some(batches) = &self.batches {
            return Ok(Origin::Batches(Arc::clone(batches)));
        }
        match (&input.path, &input.database, &input.query) {
            (Some(file), None, None) => Ok(Origin::File(file.clone())),
            (None, Some(_), Some(_)) if self.describes_a_file() => wrong(
                &["format", "delimiter", "header", "columns", "trim", "sheet", "skip-lines", "encoding", "database"],
                "`format`, `delimiter`, `header`, `columns`, `trim`, `sheet`, `skip-lines` and `encoding` are for files, not for \
                 a `database`".into(),
            ),
            (None, Some(database), Some(query)) => Origin::query(path, database, query, "input.query"),
            _ => wrong(
                &["path", "database", "query"],
                Problem::new("no source of the records, or more than one")
                    .expected("either `path`, the table's file, or `database` and `query`"),
            ),
        }
    }

    fn describes_a_file(&self) -> bool {
        let input = &self.input;
        input.format.is_some()
            || input.delimiter.is_some()
            || input.columns.is_some()
            || input.trim
            || input.sheet.is_some()
            || input.skip_lines > 0
            || input.encoding.is_some()
            || input.header.is_some()
    }

    /// The table that the release is to be in, if there is one.
    pub(super) fn target(&self, path: &Path) -> Result<Option<Target>, JobError> {
        match (&self.output.database, &self.output.table) {
            (None, None) => Ok(None),
            (Some(database), Some(table)) => Target::new(path, database, table).map(Some),
            _ => {
                let problem = "output: `database` and `table` go together";
                Err(self.refuse(path, &["output"], Problem::of(&["database", "table"], problem)))
            }
        }
    }
}
