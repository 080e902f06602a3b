//! Where a database is.

use std::path::Path;
use std::sync::Arc;

use crate::{Backend, DatabaseError, NewColumn, NewTable, Query, Stop, TableName};

/// A database by its address, which was checked; nothing was connected yet.
#[derive(Clone)]
pub struct Database(Arc<dyn Backend>);

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.label())
    }
}

const EXPECTED: &str = "expected \"postgresql://host:port/name\" or \"sqlite:path\", with the path relative to the recipe's folder";

impl Database {
    /// Reads `postgresql://…` or `sqlite:path`; paths are relative to `folder`.
    ///
    /// # Errors
    /// [`DatabaseError::Recipe`] if the address is none, or holds a password;
    /// [`DatabaseError::NotBuilt`] without connectors. No message repeats the address.
    pub fn new(address: &str, folder: &Path) -> Result<Self, DatabaseError> {
        match address.split_once(':') {
            #[cfg(feature = "connectors")]
            Some(("postgresql" | "postgres", _)) => {
                Ok(Self(Arc::new(crate::postgres::Postgres::try_from(address)?)))
            }
            #[cfg(feature = "connectors")]
            Some(("sqlite", path)) => Ok(Self(Arc::new(crate::sqlite::Sqlite::new(path, folder)?))),
            #[cfg(not(feature = "connectors"))]
            Some(("postgresql" | "postgres" | "sqlite", _)) => {
                let _ = folder;
                Err(DatabaseError::NotBuilt)
            }
            _ => Err(DatabaseError::Recipe(EXPECTED.into())),
        }
    }

    /// What messages call it: no user, no password.
    #[must_use]
    pub fn label(&self) -> String {
        self.0.label()
    }

    /// Begins a transaction that can change nothing, and has the query checked in it.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn query(&self, text: &str, stop: &Stop) -> Result<Box<dyn Query>, DatabaseError> {
        self.0.query(text, stop)
    }

    /// Makes a table of these columns and takes it back at once: what cannot be made is told early.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn rehearse(&self, table: &TableName, columns: &[String], stop: &Stop) -> Result<(), DatabaseError> {
        self.0.rehearse(table, columns, stop)
    }

    /// Begins a transaction in which the table is made.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn create(
        &self,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Box<dyn NewTable>, DatabaseError> {
        self.0.create(table, columns, stop)
    }
}
