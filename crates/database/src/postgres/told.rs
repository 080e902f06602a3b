//! What a server says, told without what it quotes.
//!
//! A message may quote a row (`Key (name)=(…) already exists`, `invalid input syntax for type integer:
//! "…"`). So texts are passed on only where no data were looked at: while connecting, and while a
//! statement is checked. Everything else is told by its code.

use std::error::Error as _;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, ErrorPosition};
use velamen_core::error::Problem;

use crate::DatabaseError;

/// Classes of codes, in words.
const CLASSES: [(&str, &str); 14] = [
    ("08", "the connection failed"),
    ("0A", "the server does not support this"),
    ("21", "a subquery gave several rows"),
    ("22", "a value of the records is not what an expression takes"),
    ("23", "the records break a constraint"),
    ("25", "the transaction may change nothing"),
    ("28", "user or password are refused"),
    ("3D", "there is no such database"),
    ("40", "the transaction met another one"),
    ("42", "the statement is wrong, or the user may not do this"),
    ("53", "the server has not enough room"),
    ("54", "the statement is larger than the server allows"),
    ("55", "something that is needed is locked"),
    ("57", "the server was stopped, or stopped this"),
];

/// An error from connecting.
pub(super) fn connecting(error: &Error) -> DatabaseError {
    if let Some(db) = error.as_db_error() {
        let mend = db.code().code().starts_with("28").then(|| "set PGUSER and PGPASSWORD".to_owned());
        let problem = Problem::new(format!("cannot connect: {} ({})", db.message(), code(db)));
        return DatabaseError::Io(problem.mend_if(mend));
    }
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    let mend = cause.contains("password missing").then(|| "set PGPASSWORD".to_owned());
    DatabaseError::Io(Problem::new(format!("cannot connect: {error}{cause}")).mend_if(mend))
}

/// An error from the check of a query, which sees no records.
pub(super) fn checking(error: &Error) -> DatabaseError {
    let Some(db) = error.as_db_error() else { return lost(error) };
    if !db.code().code().starts_with("42") {
        return running(error);
    }
    let place = match db.position() {
        Some(ErrorPosition::Original(place)) => format!(" at character {place} of the query"),
        _ => String::new(),
    };
    DatabaseError::Recipe(format!("{}{place} ({})", db.message(), code(db)).into())
}

/// An error from making a table, which sees no records.
pub(super) fn making(error: &Error) -> DatabaseError {
    let Some(db) = error.as_db_error() else { return lost(error) };
    let text = format!("cannot make the table: {} ({})", db.message(), code(db));
    DatabaseError::Io(
        Problem::new(text).mend("give the table a new name, since nothing that exists is replaced"),
    )
}

/// An error from a statement at work.
pub(super) fn running(error: &Error) -> DatabaseError {
    let Some(db) = error.as_db_error() else { return lost(error) };
    let class = CLASSES.iter().find(|(class, _)| db.code().code().starts_with(class));
    let text = format!("{} ({})", class.map_or("the server refuses", |(_, words)| words), code(db));
    match db.code().code().get(..2) {
        Some("21" | "22" | "23") => DatabaseError::Data(text.into()),
        Some("0A" | "25") => DatabaseError::Recipe(text.into()),
        _ => DatabaseError::Io(text.into()),
    }
}

/// An error that no server told.
fn lost(error: &Error) -> DatabaseError {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    DatabaseError::Io(match cause {
        Some(cause) => format!("the connection was lost: {}", cause.kind()).into(),
        None => "the connection was lost".into(),
    })
}

fn code(error: &DbError) -> String {
    // A code, not a number: as one it would be grouped.
    format!("SQLSTATE `{}`", error.code().code())
}
