//! SQLite, by its own library, which is built in.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Error, ErrorCode, OpenFlags};
use velamen_core::error::Problem;

use crate::name::quoted;
use crate::{Backend, DatabaseError, NewColumn, NewTable, Query, Stop, TableName};

/// How long a lock of another program is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Steps of SQLite's machine between two looks at the wish to stop.
const STEPS: i32 = 100_000;

/// The file of a database.
pub(crate) struct Sqlite {
    path: PathBuf,
}

impl Sqlite {
    pub(crate) fn new(path: &str, folder: &Path) -> Result<Self, DatabaseError> {
        if path.is_empty() || path.starts_with(':') || path.starts_with("//") {
            let problem = Problem::new("the address names no file")
                .expected("\"sqlite:path\", for example \"sqlite:patients.db\"");
            return Err(DatabaseError::Recipe(problem));
        }
        Ok(Self { path: folder.join(path) })
    }

    fn connect(&self, flags: OpenFlags, stop: &Stop) -> Result<Connection, DatabaseError> {
        let connection = Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let mut connection = connection.map_err(|error| running(&error))?;
        let stop = stop.clone();
        let prepared = connection
            .busy_timeout(PATIENCE)
            .and_then(|()| connection.progress_handler(STEPS, Some(move || stop.is_set())));
        prepared.map_err(|error| running(&error))?;
        Ok(connection)
    }
}

impl Backend for Sqlite {
    fn label(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    fn query(&self, text: &str, stop: &Stop) -> Result<Box<dyn Query>, DatabaseError> {
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY, stop)?;
        Ok(Box::new(read::Snapshot::open(connection, text, stop)?))
    }

    fn rehearse(&self, table: &TableName, columns: &[String], stop: &Stop) -> Result<(), DatabaseError> {
        let columns: Vec<NewColumn> =
            columns.iter().map(|name| NewColumn { name: name.clone(), integer: false }).collect();
        self.create(table, &columns, stop).map(drop)
    }

    fn create(
        &self,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Box<dyn NewTable>, DatabaseError> {
        let new_file = write::NewFile::at(&self.path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = self.connect(flags, stop)?;
        Ok(Box::new(write::GrowingTable::make(connection, new_file, table, columns, stop)?))
    }
}

/// The statement that makes a table.
fn create_statement(table: &TableName, columns: &[NewColumn]) -> Result<String, DatabaseError> {
    if let Some(schema) = table.schema.as_ref().filter(|schema| *schema != "main") {
        let problem = Problem::new("SQLite has no schemas").mend(format!("leave {} out", quoted(schema)));
        return Err(DatabaseError::Recipe(problem));
    }
    if columns.iter().any(|column| column.name.contains('\0')) {
        return Err(DatabaseError::Recipe("a column's name has a NUL character".into()));
    }
    let columns: Vec<String> = columns.iter().map(definition).collect();
    Ok(format!("CREATE TABLE {table} ({})", columns.join(", ")))
}

fn definition(column: &NewColumn) -> String {
    let kind = if column.integer { "INTEGER" } else { "TEXT" };
    format!("{} {kind}", quoted(&column.name))
}

/// An error from a statement that was only read: no record was looked at, so it quotes none.
fn checking(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    }
}

/// An error from a statement at work, told by its code: its text may quote a value.
fn running(error: &Error) -> DatabaseError {
    let code = error.sqlite_error();
    let words = match code.map(|code| code.code) {
        Some(ErrorCode::OperationInterrupted) => return DatabaseError::Interrupted,
        Some(ErrorCode::CannotOpen) => "the file cannot be opened",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program has locked the database"
        }
        Some(ErrorCode::NotADatabase) => "the file is no SQLite database",
        Some(ErrorCode::DatabaseCorrupt) => "the database is damaged",
        Some(ErrorCode::DiskFull) => "no space is left",
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => "the database may not be written",
        Some(ErrorCode::SystemIoFailure) => "the file cannot be read or written",
        _ => "SQLite refuses",
    };
    let code = code.map(|code| format!(" (SQLite code {})", code.extended_code)).unwrap_or_default();
    DatabaseError::Io(format!("{words}{code}").into())
}
