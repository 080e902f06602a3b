//! A query's records, in one snapshot.

use std::io::Read;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use tokio_postgres::types::{Kind, Type};
use tokio_postgres::{CopyOutStream, Error};
use velamen_core::error::Problem;
use velamen_engine::source::Rows;

use super::address::Postgres;
use super::session::Session;
use super::told;
use crate::{DatabaseError, Query, Stop, guard};

/// Bytes that are waited for at a time.
const BLOCK: usize = 1 << 16;

/// A transaction that sees the database as it was when it began.
pub(super) struct Snapshot {
    columns: Vec<String>,
    records: Arc<Records>,
}

/// What can be copied out, as long as there is a session.
pub(super) struct Records {
    session: Mutex<Option<Arc<Session>>>,
    /// A query, whose columns are called c0, c1, … from outside.
    query: String,
    /// Per column, how its text is made.
    texts: Vec<String>,
}

impl Snapshot {
    pub(super) fn open(address: &Postgres, text: &str, stop: &Stop) -> Result<Self, DatabaseError> {
        let query = guard::query(text)?;
        let session = Session::open(address, stop)?;
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")?;
        let statement = session.wait(session.client().prepare(query), told::checking)?;
        if statement.columns().is_empty() {
            return Err(guard::refused());
        }
        if !statement.params().is_empty() {
            return Err(DatabaseError::Recipe(
                Problem::new("the query has parameters").mend("write values in their place"),
            ));
        }
        let columns: Vec<String> =
            statement.columns().iter().map(|column| column.name().to_owned()).collect();
        let texts = statement.columns().iter().enumerate();
        let texts = texts.map(|(place, column)| text_of(place, column.name(), column.type_()));
        let texts = texts.collect::<Result<_, _>>()?;
        drop(statement);
        let mut records = Records { session: Mutex::new(None), query: query.to_owned(), texts };
        let inside = records.selection(&[0]);
        session.wait(session.client().prepare(&inside), |error| match error.as_db_error() {
            Some(_) => guard::not_in_brackets(),
            None => told::checking(error),
        })?;
        records.session = Mutex::new(Some(Arc::new(session)));
        Ok(Self { columns, records: Arc::new(records) })
    }
}

impl Query for Snapshot {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn rows(&self) -> Arc<dyn Rows> {
        Arc::clone(&self.records) as Arc<dyn Rows>
    }

    fn close(&self) {
        self.records.session.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// How the text of a column's values is made; refused where it has no plain value.
fn text_of(place: usize, name: &str, kind: &Type) -> Result<String, DatabaseError> {
    let plain = match kind.kind() {
        Kind::Domain(inner) => inner,
        _ => kind,
    };
    let nested =
        matches!(plain.kind(), Kind::Array(_) | Kind::Composite(_) | Kind::Range(_) | Kind::Multirange(_));
    if nested || [Type::BYTEA, Type::RECORD, Type::RECORD_ARRAY].contains(plain) {
        return Err(DatabaseError::Data(
            Problem::new(format!("column `{name}` has the type {}, which is no plain value", plain.name()))
                .mend("leave it out or cast it in the query"),
        ));
    }
    // Booleans as in other formats, `true` and not `t`; character(n) without the blanks at its end.
    let as_text = [Type::BOOL, Type::BPCHAR].contains(plain);
    Ok(if as_text { format!("c{place}::text") } else { format!("c{place}") })
}

impl Records {
    /// All columns of a table, seen from inside a transaction.
    pub(super) fn of_table(session: &Arc<Session>, table: &str, width: usize) -> Self {
        let texts = (0..width).map(|place| format!("c{place}")).collect();
        Self { session: Mutex::new(Some(Arc::clone(session))), query: format!("TABLE {table}"), texts }
    }

    /// The statement that selects some columns, and a 0.
    fn selection(&self, columns: &[usize]) -> String {
        let names: Vec<String> = (0..self.texts.len()).map(|place| format!("c{place}")).collect();
        let mut sent: Vec<&str> = columns.iter().map(|&column| self.texts[column].as_str()).collect();
        sent.push("0");
        format!("SELECT {} FROM (\n{}\n) AS q ({})", sent.join(", "), self.query, names.join(", "))
    }
}

impl Rows for Records {
    fn open(&self, columns: &[usize]) -> std::io::Result<Box<dyn Read + Send>> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let session = session.ok_or_else(|| std::io::Error::other("the query is closed"))?;
        let selection = self.selection(columns);
        let statement = format!("COPY ({selection}) TO STDOUT WITH (FORMAT csv, ENCODING 'UTF8')");
        let stream = session.wait(session.client().copy_out(&statement), told::running)?;
        let stream = Box::pin(stream);
        Ok(Box::new(Reader { session, stream, block: Vec::new(), taken: 0, ended: false }))
    }
}

/// What the server sends, a block at a time.
struct Reader {
    session: Arc<Session>,
    stream: Pin<Box<CopyOutStream>>,
    block: Vec<u8>,
    taken: usize,
    /// Whether the server has said that this was all.
    ended: bool,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.taken == self.block.len() && !self.ended {
            self.block.clear();
            self.taken = 0;
            self.ended = self.session.wait(fill(&mut self.stream, &mut self.block), told::running)?;
        }
        let length = buffer.len().min(self.block.len() - self.taken);
        buffer[..length].copy_from_slice(&self.block[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

impl Drop for Reader {
    /// A server that has more to send than anybody takes is told so.
    fn drop(&mut self) {
        if !self.ended {
            self.session.cancel();
        }
    }
}

/// Each message is one record; several are taken at a time. Whether these are the last ones.
async fn fill(stream: &mut Pin<Box<CopyOutStream>>, block: &mut Vec<u8>) -> Result<bool, Error> {
    while block.len() < BLOCK {
        match stream.next().await {
            Some(record) => block.extend_from_slice(&record?),
            None => return Ok(true),
        }
    }
    Ok(false)
}
