//! What may be asked of a database: one SELECT.
//!
//! The database itself checks the text first, alone and as one statement, in a transaction that can
//! change nothing. What it accepts has quotes, comments and brackets that end where they should, so it
//! can stand in brackets in a statement of ours and cannot get out of them.

use crate::DatabaseError;

/// The words that a query may begin with.
const BEGINNINGS: [&str; 4] = ["SELECT", "WITH", "TABLE", "VALUES"];

/// The query without the semicolon at its end.
pub(crate) fn query(text: &str) -> Result<&str, DatabaseError> {
    let text = text.trim_end();
    let text = text.strip_suffix(';').unwrap_or(text);
    let begins = |word: &str| BEGINNINGS.iter().any(|allowed| word.eq_ignore_ascii_case(allowed));
    if !begins(first_word(text)) {
        return Err(refused());
    }
    if text.contains('\0') {
        return Err(DatabaseError::Recipe("the query has a NUL character".into()));
    }
    Ok(text)
}

/// A statement that is no query, or several.
pub(crate) fn refused() -> DatabaseError {
    DatabaseError::Recipe("only one query is run: SELECT …, WITH … SELECT …, TABLE … or VALUES …".into())
}

/// A query that the database takes alone, but not as a part of a statement.
pub(crate) fn not_in_brackets() -> DatabaseError {
    DatabaseError::Recipe(
        "the query cannot stand in brackets: it must only read, and nothing may follow its semicolon".into(),
    )
}

/// The first word after blanks, comments and opening brackets.
fn first_word(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        rest = match (rest.strip_prefix("--"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n').map_or("", |(_, after)| after),
            (_, Some(comment)) => after_comment(comment),
            _ => break,
        };
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    &rest[..end]
}

/// What follows a comment; in PostgreSQL comments nest, in SQLite they do not, and a text that means
/// two things is checked by the database anyway.
fn after_comment(text: &str) -> &str {
    text.split_once("*/").map_or("", |(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_query_and_nothing_else() {
        for good in [
            "SELECT 1",
            " select 1 ; ",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            "TABLE patients",
            "-- a comment\n/* another */ (SELECT 1) UNION (SELECT 2)",
            "VALUES (1)",
        ] {
            assert!(query(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ";",
            "DELETE FROM x",
            "EXPLAIN SELECT 1",
            "SHOW all",
            "COPY x TO STDOUT",
            "/* SELECT",
            "SELECT '\0'",
        ] {
            assert!(query(bad).is_err(), "{bad}");
        }
        assert_eq!(query("SELECT 1;").unwrap(), "SELECT 1");
    }
}
