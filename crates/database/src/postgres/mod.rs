//! PostgreSQL, over its own protocol: a query's records come as `COPY … TO STDOUT`, a table's go as
//! `COPY … FROM STDIN`, so that neither is ever held as a whole.

mod address;
mod read;
mod session;
mod told;
mod transport;
mod write;

pub(crate) use address::Postgres;

use crate::name::quoted;
use crate::{Backend, DatabaseError, NewColumn, NewTable, Query, Stop, TableName};
use session::Session;

/// The longest name that PostgreSQL does not cut off, in bytes.
const LONGEST_NAME: usize = 63;

impl Backend for Postgres {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn query(&self, text: &str, stop: &Stop) -> Result<Box<dyn Query>, DatabaseError> {
        Ok(Box::new(read::Snapshot::open(self, text, stop)?))
    }

    fn rehearse(&self, table: &TableName, columns: &[String], stop: &Stop) -> Result<(), DatabaseError> {
        let columns: Vec<NewColumn> =
            columns.iter().map(|name| NewColumn { name: name.clone(), integer: false }).collect();
        let session = Session::open(self, stop)?;
        session.run("BEGIN")?;
        make(&session, table, &columns)?;
        session.run("ROLLBACK")
    }

    fn create(
        &self,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Box<dyn NewTable>, DatabaseError> {
        Ok(Box::new(write::GrowingTable::make(self, table, columns, stop)?))
    }
}

/// Makes the table in the transaction at hand.
fn make(session: &Session, table: &TableName, columns: &[NewColumn]) -> Result<(), DatabaseError> {
    let names = table.schema.iter().chain([&table.table]).chain(columns.iter().map(|column| &column.name));
    for name in names {
        if name.len() > LONGEST_NAME || name.contains('\0') {
            return Err(DatabaseError::Recipe(format!(
                "the name {} cannot be one in PostgreSQL, whose names have at most {LONGEST_NAME} bytes and no NUL",
                quoted(name)
            ).into()));
        }
    }
    let columns: Vec<String> = columns.iter().map(definition).collect();
    let statement = format!("CREATE TABLE {table} ({})", columns.join(", "));
    session.wait(session.client().batch_execute(&statement), told::making)
}

fn definition(column: &NewColumn) -> String {
    let kind = if column.integer { "bigint" } else { "text" };
    format!("{} {kind}", quoted(&column.name))
}
