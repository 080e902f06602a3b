//! A query's records, in one snapshot.

use std::fmt::Write as _;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use velamen_core::error::Problem;
use velamen_engine::source::Rows;

use super::{checking, running};
use crate::name::quoted;
use crate::stop::TICK;
use crate::{DatabaseError, Query, Stop, guard};

/// Bytes that are handed over at a time.
const BLOCK: usize = 1 << 16;

/// Blocks that may wait to be taken.
const WAITING: usize = 4;

/// The connection of a transaction; `None` once it is closed.
pub(super) type Shared = Arc<Mutex<Option<Connection>>>;

/// A transaction that sees the database as it was when it was first read.
pub(super) struct Snapshot {
    columns: Vec<String>,
    records: Arc<Records>,
}

/// What can be read, as long as there is a connection.
pub(super) struct Records {
    connection: Shared,
    /// A query, whose columns are called c0, c1, … from outside.
    query: String,
    /// The columns' names.
    names: Arc<[String]>,
    stop: Stop,
}

impl Snapshot {
    pub(super) fn open(connection: Connection, text: &str, stop: &Stop) -> Result<Self, DatabaseError> {
        let query = guard::query(text)?;
        connection.execute_batch("BEGIN").map_err(|error| running(&error))?;
        let statement = connection.prepare(query).map_err(|error| match error {
            rusqlite::Error::MultipleStatement => guard::refused(),
            error => wrong_query(&error),
        })?;
        if statement.column_count() == 0 || !statement.readonly() {
            return Err(guard::refused());
        }
        if statement.parameter_count() > 0 {
            return Err(DatabaseError::Recipe(
                Problem::new("the query has parameters").mend("write values in their place"),
            ));
        }
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        drop(statement);
        let shared = Arc::new(Mutex::new(None));
        let records = Records::new(Arc::clone(&shared), query.to_owned(), &columns, stop);
        connection.prepare(&records.statement(&[0])).map_err(|_| guard::not_in_brackets())?;
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
        Ok(Self { columns, records: Arc::new(records) })
    }
}

/// What is wrong with a query; a file that cannot be read is no mistake of it.
fn wrong_query(error: &rusqlite::Error) -> DatabaseError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::Unknown) | None => {
            let place = match error {
                rusqlite::Error::SqlInputError { offset, .. } if *offset >= 0 => {
                    format!(" at byte {} of the query", offset + 1)
                }
                _ => String::new(),
            };
            DatabaseError::Recipe((checking(error) + &place).into())
        }
        Some(_) => running(error),
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
        self.records.connection.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Records {
    fn new(connection: Shared, query: String, names: &[String], stop: &Stop) -> Self {
        Self { connection, query, names: names.into(), stop: stop.clone() }
    }

    /// All columns of a table, seen from inside a transaction.
    pub(super) fn of_table(connection: &Shared, table: &str, names: &[String], stop: &Stop) -> Self {
        let columns: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        let query = format!("SELECT {} FROM {table}", columns.join(", "));
        Self::new(Arc::clone(connection), query, names, stop)
    }

    /// The statement that gives some columns.
    fn statement(&self, columns: &[usize]) -> String {
        let names: Vec<String> = (0..self.names.len()).map(|place| format!("c{place}")).collect();
        let given: Vec<&str> = columns.iter().map(|&column| names[column].as_str()).collect();
        let (names, given, name) = (names.join(", "), given.join(", "), unused_name(&self.query));
        format!("WITH {name} ({names}) AS (\n{}\n) SELECT {given} FROM {name}", self.query)
    }
}

/// A name that a query does not use: a common table expression sees its own name, so that a table of that name
/// would be read from the expression itself.
fn unused_name(query: &str) -> String {
    let query = query.to_ascii_lowercase();
    let names = (0..).map(|number| format!("input_{number}"));
    names.into_iter().find(|name| !query.contains(name.as_str())).unwrap_or_default()
}

impl Rows for Records {
    /// The connection stays where it is until all is read; a second reading waits for the first.
    fn open(&self, columns: &[usize]) -> std::io::Result<Box<dyn Read + Send>> {
        let (sender, receiver) = sync_channel(WAITING);
        let (connection, statement) = (Arc::clone(&self.connection), self.statement(columns));
        let names: Vec<String> = columns.iter().map(|&column| self.names[column].clone()).collect();
        std::thread::Builder::new().spawn(move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let sent = match connection.as_ref() {
                Some(connection) => send(connection, &statement, &names, &sender),
                None => Err(DatabaseError::Io("the query is closed".into())),
            };
            // Nobody may be there any more to be told.
            let _ = sender.send(sent.map_or_else(Part::Failed, |()| Part::End));
        })?;
        Ok(Box::new(Reader { receiver, stop: self.stop.clone(), block: Vec::new(), taken: 0, ended: false }))
    }
}

/// What the thread of a reading hands over.
enum Part {
    Block(Vec<u8>),
    End,
    Failed(DatabaseError),
}

/// Sends all records as CSV; ends early if nobody takes them.
fn send(
    connection: &Connection,
    statement: &str,
    names: &[String],
    sender: &SyncSender<Part>,
) -> Result<(), DatabaseError> {
    let mut statement = connection.prepare(statement).map_err(|error| running(&error))?;
    let mut rows = statement.query([]).map_err(|error| running(&error))?;
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::with_capacity(BLOCK));
    let (mut text, mut number) = (String::new(), 0_u64);
    while let Some(row) = rows.next().map_err(|error| running(&error))? {
        number += 1;
        for (place, name) in names.iter().enumerate() {
            let value = row.get_ref(place).map_err(|error| running(&error))?;
            let cell = cell(value, &mut text).ok_or_else(|| {
                let problem = Problem::new("is binary, which is no plain value")
                    .mend("leave it out or cast it in the query");
                DatabaseError::Data(problem.after(&format!("record {number}, column `{name}`: the value ")))
            })?;
            written(writer.write_field(cell))?;
        }
        written(writer.write_record(["0"]))?;
        if number.is_multiple_of(256) {
            written(writer.flush().map_err(Into::into))?;
            if writer.get_ref().len() >= BLOCK {
                let full = std::mem::replace(
                    &mut writer,
                    csv::WriterBuilder::new().from_writer(Vec::with_capacity(2 * BLOCK)),
                );
                if sender.send(Part::Block(block(full)?)).is_err() {
                    return Ok(());
                }
            }
        }
    }
    let _ = sender.send(Part::Block(block(writer)?));
    Ok(())
}

fn block(writer: csv::Writer<Vec<u8>>) -> Result<Vec<u8>, DatabaseError> {
    writer.into_inner().map_err(|_| DatabaseError::Io("a block cannot be put together".into()))
}

fn written(result: Result<(), csv::Error>) -> Result<(), DatabaseError> {
    result.map_err(|_| DatabaseError::Io("a record cannot be put together".into()))
}

/// The text of a value: numbers as in other formats, NULL as the empty text; `None` for binary ones.
fn cell<'a>(value: ValueRef<'a>, text: &'a mut String) -> Option<&'a [u8]> {
    text.clear();
    // Writing to a string cannot fail.
    let _ = match value {
        ValueRef::Null => Ok(()),
        ValueRef::Text(bytes) => return Some(bytes),
        ValueRef::Integer(number) => write!(text, "{number}"),
        ValueRef::Real(number) if plain(number) => write!(text, "{number}"),
        ValueRef::Real(number) => write!(text, "{number:e}"),
        ValueRef::Blob(_) => return None,
    };
    Some(text.as_bytes())
}

/// Whether a number is written without an exponent.
fn plain(number: f64) -> bool {
    number == 0.0 || (1e-5..1e16).contains(&number.abs()) || !number.is_finite()
}

/// The blocks of a reading, one after the other.
struct Reader {
    receiver: Receiver<Part>,
    stop: Stop,
    block: Vec<u8>,
    taken: usize,
    ended: bool,
}

impl Reader {
    fn next(&mut self) -> Result<(), DatabaseError> {
        loop {
            match self.receiver.recv_timeout(TICK) {
                Ok(Part::Block(block)) => {
                    (self.block, self.taken) = (block, 0);
                    return Ok(());
                }
                Ok(Part::End) => {
                    self.ended = true;
                    return Ok(());
                }
                Ok(Part::Failed(error)) => return Err(error),
                Err(RecvTimeoutError::Timeout) if self.stop.is_set() => {
                    return Err(DatabaseError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DatabaseError::Io("the reading ended before its end".into()));
                }
            }
        }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.block.len() && !self.ended {
            self.next()?;
        }
        let length = buffer.len().min(self.block.len() - self.taken);
        buffer[..length].copy_from_slice(&self.block[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back_the_same() {
        let mut text = String::new();
        let mut told = |value| String::from_utf8(cell(value, &mut text).unwrap().to_vec()).unwrap();
        assert_eq!(told(ValueRef::Null), "");
        assert_eq!(told(ValueRef::Integer(i64::MIN)), i64::MIN.to_string());
        for (number, expected) in [
            (35.0, "35"),
            (0.1, "0.1"),
            (-0.0, "-0"),
            (1e20, "1e20"),
            (-2.5e-7, "-2.5e-7"),
            (1e15, "1000000000000000"),
        ] {
            assert_eq!(told(ValueRef::Real(number)), expected);
            assert_eq!(expected.parse::<f64>().unwrap(), number);
        }
        assert!(cell(ValueRef::Blob(b"x"), &mut String::new()).is_none());
    }
}
