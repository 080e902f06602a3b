//! A new table, in one transaction.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::sink::OutTable;
use velamen_engine::source::Rows;

use super::read::{Records, Shared};
use super::{checking, create_statement, running};
use crate::{DatabaseError, Ending, NewColumn, NewTable, Stop, TableName};

/// Records written between two looks at the wish to stop.
const BATCH: u64 = 1 << 12;

/// The file of a database that was not there before; taken away again unless it is kept.
pub(super) struct NewFile(Option<PathBuf>);

impl NewFile {
    pub(super) fn at(path: &Path) -> Self {
        Self(path.symlink_metadata().is_err().then(|| path.to_owned()))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // A journal that stays would be rolled back into whatever database gets this name next. None of
            // them need ever have been made.
            for end in ["-journal", "-wal", "-shm", ""] {
                let mut name = path.clone().into_os_string();
                name.push(end);
                let _ = std::fs::remove_file(name);
            }
        }
    }
}

/// A table that only this transaction sees.
pub(super) struct GrowingTable {
    /// Dropped first: a file in use is not taken away.
    connection: Shared,
    new_file: NewFile,
    name: String,
    columns: Vec<String>,
    stop: Stop,
}

impl GrowingTable {
    pub(super) fn make(
        connection: Connection,
        new_file: NewFile,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Self, DatabaseError> {
        let statement = create_statement(table, columns)?;
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|error| running(&error))?;
        connection.execute_batch(&statement).map_err(|error| {
            DatabaseError::Io(
                Problem::new(format!("cannot make the table: {}", checking(&error)))
                    .mend("give the table a new name, since nothing that exists is replaced"),
            )
        })?;
        let columns = columns.iter().map(|column| column.name.clone()).collect();
        let connection = Arc::new(Mutex::new(Some(connection)));
        Ok(Self { connection, new_file, name: table.to_string(), columns, stop: stop.clone() })
    }
}

impl NewTable for GrowingTable {
    fn fill(&mut self, records: &OutTable, context: &Context<'_>) -> Result<(), DatabaseError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = connection.as_ref().expect("the connection is taken at the end alone");
        let places = vec!["?"; self.columns.len()].join(", ");
        let statement = connection.prepare(&format!("INSERT INTO {} VALUES ({places})", self.name));
        let mut statement = statement.map_err(|error| running(&error))?;
        let (mut written, total) = (0, records.records());
        for (row, &times) in records.counts.iter().enumerate() {
            bind(&mut statement, records, row).map_err(|error| running(&error))?;
            for _ in 0..times {
                if written % BATCH == 0 {
                    context.check().map_err(|_| DatabaseError::Interrupted)?;
                    context.progress.step("writing", written, total);
                }
                statement.raw_execute().map_err(|error| running(&error))?;
                written += 1;
            }
        }
        Ok(())
    }

    fn rows(&self) -> Arc<dyn Rows> {
        Arc::new(Records::of_table(&self.connection, &self.name, &self.columns, &self.stop))
    }

    fn commit(mut self: Box<Self>) -> Ending {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut connection = connection.expect("the connection is taken at the end alone");
        // Nothing may stop it now; what fails is taken back when the connection is closed.
        let _ = connection.progress_handler(0, None::<fn() -> bool>);
        match connection.execute_batch("COMMIT") {
            Ok(()) => {
                self.new_file.0 = None;
                Ending::Made
            }
            Err(error) => Ending::Undone(running(&error)),
        }
    }
}

/// Sets the values of a row; empty labels are NULL.
fn bind(statement: &mut Statement<'_>, records: &OutTable, row: usize) -> rusqlite::Result<()> {
    for (place, (column, codes)) in records.columns.iter().zip(&records.codes).enumerate() {
        let label = column.labels[codes[row] as usize].as_str();
        statement.raw_bind_parameter(place + 1, (!label.is_empty()).then_some(label))?;
    }
    Ok(())
}
