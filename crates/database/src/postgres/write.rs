//! A new table, in one transaction.

use std::io::Write;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::SinkExt;
use tokio_postgres::CopyInSink;
use velamen_core::context::Context;
use velamen_engine::EngineError;
use velamen_engine::sink::OutTable;
use velamen_engine::source::Rows;

use super::address::Postgres;
use super::read::Records;
use super::session::Session;
use super::{make, told};
use crate::{DatabaseError, Ending, NewColumn, NewTable, Stop, TableName};

/// How long the end of a transaction is waited for, and then the answer how it ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a server that comes back is asked.
const ATTEMPTS: u32 = 10;

/// Bytes that are sent at a time.
const BLOCK: usize = 1 << 16;

/// A table that only this transaction sees.
pub(super) struct GrowingTable {
    address: Postgres,
    session: Arc<Session>,
    name: String,
    width: usize,
    /// The transaction's number, by which the server knows it later.
    transaction: String,
}

impl GrowingTable {
    pub(super) fn make(
        address: &Postgres,
        table: &TableName,
        columns: &[NewColumn],
        stop: &Stop,
    ) -> Result<Self, DatabaseError> {
        let session = Session::open(address, stop)?;
        session.run("BEGIN")?;
        make(&session, table, columns)?;
        let transaction = session.value("SELECT txid_current()")?.unwrap_or_default();
        let (name, session) = (table.to_string(), Arc::new(session));
        Ok(Self { address: address.clone(), session, name, width: columns.len(), transaction })
    }
}

impl NewTable for GrowingTable {
    fn fill(&mut self, records: &OutTable, context: &Context<'_>) -> Result<(), DatabaseError> {
        refuse_nul(records)?;
        let session = &self.session;
        let statement = format!("COPY {} FROM STDIN WITH (FORMAT csv, ENCODING 'UTF8')", self.name);
        let sink = session.wait(session.client().copy_in::<_, Bytes>(&statement), told::running)?;
        let mut writer =
            Writer { session, sink: Box::pin(sink), block: Vec::with_capacity(BLOCK), failed: None };
        let written = records.write_records(&mut writer, Path::new(&self.name), context);
        let written = written.and_then(|()| {
            writer.flush().map_err(|source| EngineError::Io {
                path: self.name.clone().into(),
                action: "write",
                source,
            })
        });
        match (written, writer.failed.take()) {
            (Ok(()), None) => session.wait(writer.sink.as_mut().finish(), told::running).map(drop),
            (_, Some(error)) => Err(error),
            (Err(EngineError::Interrupted(_)), None) => Err(DatabaseError::Interrupted),
            (Err(error), None) => Err(DatabaseError::Io(error.to_string().into())),
        }
    }

    fn rows(&self) -> Arc<dyn Rows> {
        Arc::new(Records::of_table(&self.session, &self.name, self.width))
    }

    fn commit(self: Box<Self>) -> Ending {
        let session = &self.session;
        let ended = session.wait_for(PATIENCE, session.client().batch_execute("COMMIT"));
        match ended {
            Some(Ok(())) => Ending::Made,
            Some(Err(error)) if !error.is_closed() && error.as_db_error().is_some_and(is_answer) => {
                Ending::Undone(told::running(&error))
            }
            _ => self.asked_again(),
        }
    }
}

/// Whether the server answers for the transaction, and not for a connection that it takes away.
fn is_answer(error: &tokio_postgres::error::DbError) -> bool {
    !error.code().code().starts_with("57P")
}

impl GrowingTable {
    /// What became of a transaction whose end nobody told.
    fn asked_again(&self) -> Ending {
        for attempt in 0..ATTEMPTS {
            let status = Session::open(&self.address, &Stop::default())
                .and_then(|session| session.value(&format!("SELECT txid_status({})", self.transaction)));
            match status.as_ref().map(Option::as_deref) {
                Ok(Some("committed")) => return Ending::Made,
                Ok(Some("aborted")) => {
                    return Ending::Undone(DatabaseError::Io("the connection was lost".into()));
                }
                // It is still ending, or the server is still starting.
                _ => std::thread::sleep(Duration::from_millis(100) * (attempt + 1)),
            }
        }
        Ending::Unknown(DatabaseError::Io(
            "the connection was lost when the transaction was to end, and the server cannot be asked".into(),
        ))
    }
}

/// PostgreSQL's text cannot hold U+0000.
fn refuse_nul(records: &OutTable) -> Result<(), DatabaseError> {
    match records.columns.iter().find(|column| column.labels.iter().any(|label| label.contains('\0'))) {
        None => Ok(()),
        Some(column) => Err(DatabaseError::Data(
            format!("column `{}` has a NUL character, which PostgreSQL cannot hold", column.name).into(),
        )),
    }
}

/// Sends what is written, and keeps what went wrong.
struct Writer<'a> {
    session: &'a Session,
    sink: Pin<Box<CopyInSink<Bytes>>>,
    block: Vec<u8>,
    failed: Option<DatabaseError>,
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let block = Bytes::from(std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK)));
        self.session.wait(self.sink.send(block), told::running).map_err(|error| {
            self.failed = Some(error);
            std::io::Error::other("the server stopped taking records")
        })
    }
}
