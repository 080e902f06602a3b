//! Tables in databases: a query's records in, a new table out. The only crate that names the
//! connectors of PostgreSQL and SQLite; without the feature `connectors` no `Database` exists.
//!
//! A query is one SELECT, read in a transaction that can change nothing, and every reading of it sees
//! the same records. A table is made, filled and read back in one transaction. Nothing here knows
//! what a release is. No message holds a cell value: what a server says of data is told by its code.

mod address;
mod error;
#[cfg(feature = "connectors")]
mod guard;
mod name;
#[cfg(feature = "connectors")]
mod postgres;
#[cfg(feature = "connectors")]
mod sqlite;
mod stop;

pub use address::Database;
pub use error::DatabaseError;
pub use name::TableName;
pub use stop::Stop;

use std::sync::Arc;

use velamen_core::context::Context;
use velamen_engine::sink::OutTable;
use velamen_engine::source::Rows;

/// What a kind of database can do; [`Database`] is how the rest of the program gets at it.
trait Backend: Send + Sync {
    /// What messages call the database: no user, no password.
    fn label(&self) -> String;

    /// Begins a transaction that can change nothing, and has the query checked in it.
    fn query(&self, text: &str, stop: &Stop) -> Result<Box<dyn Query>, DatabaseError>;

    /// Makes a table of these columns and takes it back at once: what cannot be made is told early.
    fn rehearse(&self, table: &TableName, columns: &[String], stop: &Stop) -> Result<(), DatabaseError>;

    /// Begins a transaction in which the table is made.
    fn create(
        &self,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Box<dyn NewTable>, DatabaseError>;
}

/// A query whose records can be read: again and again the same, until it is closed.
pub trait Query: Send + Sync {
    /// The names of its columns.
    fn columns(&self) -> &[String];

    /// Its records.
    fn rows(&self) -> Arc<dyn Rows>;

    /// Ends its transaction; nothing can be read any more.
    fn close(&self);
}

/// A column of a table that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewColumn {
    /// Its name.
    pub name: String,
    /// Whether it holds whole numbers; text if not.
    pub integer: bool,
}

/// A table in a transaction that is not ended: nobody else sees it, and dropping it takes it back.
pub trait NewTable: Send {
    /// Writes all records. Empty labels become NULL.
    ///
    /// # Errors
    /// [`DatabaseError`]; then the table can only be dropped.
    fn fill(&mut self, records: &OutTable, context: &Context<'_>) -> Result<(), DatabaseError>;

    /// The records as the database holds them.
    fn rows(&self) -> Arc<dyn Rows>;

    /// Ends the transaction; whoever asked for its rows has read them.
    fn commit(self: Box<Self>) -> Ending;
}

/// How a transaction ended.
#[derive(Debug)]
pub enum Ending {
    /// The table is there.
    Made,
    /// The table is not there.
    Undone(DatabaseError),
    /// The connection was lost at that moment, and nobody can be asked.
    Unknown(DatabaseError),
}
