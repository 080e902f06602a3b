//! With files of one's own.
#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};

use crate::{Database, DatabaseError, Ending, NewColumn, Query, Stop};

/// A value that must not be seen.
const SECRET: &str = "secret-cell";

/// A folder with a database made by the statements.
fn made(statements: &str) -> (tempfile::TempDir, Connection, Database) {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("p.db")).unwrap();
    connection.execute_batch(statements).unwrap();
    let database = Database::new("sqlite:p.db", folder.path()).unwrap();
    (folder, connection, database)
}

fn asked(database: &Database, query: &str) -> Result<Box<dyn Query>, DatabaseError> {
    database.query(query, &Stop::default())
}

fn text(query: &dyn Query, columns: &[usize]) -> std::io::Result<String> {
    let mut text = String::new();
    query.rows().open(columns)?.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn values_become_cells() {
    let (_folder, _, database) = made(
        "CREATE TABLE p (a, b, c); INSERT INTO p VALUES (1, 'x\"y', NULL), (2.0, 'a,b', ''), (0.1, 'a
b', 1e300);",
    );
    let query = asked(&database, "SELECT *, 'Ü' AS \"Ö\" FROM p -- all").unwrap();
    assert_eq!(query.columns(), ["a", "b", "c", "Ö"]);
    let expected = "1,\"x\"\"y\",,Ü,0\n2,\"a,b\",,Ü,0\n0.1,\"a\nb\",1e300,Ü,0\n";
    assert_eq!(text(&*query, &[0, 1, 2, 3]).unwrap(), expected);
    assert_eq!(text(&*query, &[2, 0]).unwrap(), ",1,0\n,2,0\n1e300,0.1,0\n");
    // No record is an empty line.
    assert_eq!(text(&*query, &[2]).unwrap(), ",0\n,0\n1e300,0\n");
}

#[test]
fn every_reading_sees_the_same_until_the_query_is_closed() {
    let (_folder, other, database) =
        made("PRAGMA journal_mode = WAL; CREATE TABLE p (a); INSERT INTO p VALUES (1);");
    let query = asked(&database, "SELECT a FROM p").unwrap();
    assert_eq!(text(&*query, &[0]).unwrap(), "1,0\n");
    other.execute_batch("INSERT INTO p VALUES (2)").unwrap();
    assert_eq!(text(&*query, &[0]).unwrap(), "1,0\n");
    query.close();
    assert!(text(&*query, &[0]).unwrap_err().to_string().contains("closed"));
    assert_eq!(text(&*asked(&database, "SELECT a FROM p").unwrap(), &[0]).unwrap(), "1,0\n2,0\n");
}

#[test]
fn what_breaks_off_is_no_end() {
    let (_folder, _, database) = made(&format!(
        "CREATE TABLE p (a); INSERT INTO p SELECT value FROM json_each('[{}1]');
         UPDATE p SET a = x'00' WHERE rowid = 20000; INSERT INTO p VALUES ('{SECRET}');",
        "1,".repeat(30_000)
    ));
    let message = text(&*asked(&database, "SELECT a FROM p").unwrap(), &[0]).unwrap_err().to_string();
    assert_eq!(
        message,
        "record 20000, column `a`: the value is binary, which is no plain value; leave it out or cast it in the query"
    );
    // What SQLite says of a value is not repeated.
    let failing = "SELECT json_extract(a, '$') AS a FROM p WHERE typeof(a) = 'text'";
    let message = text(&*asked(&database, failing).unwrap(), &[0]).unwrap_err().to_string();
    assert!(message.contains("SQLite code") && !message.contains(SECRET), "{message}");
}

#[test]
fn one_query_that_changes_nothing() {
    let (_folder, other, database) = made("CREATE TABLE p (a); INSERT INTO p VALUES (1);");
    for wrong in [
        "INSERT INTO p VALUES (2)",
        "WITH q AS (SELECT 1) DELETE FROM p",
        "WITH q AS (SELECT 1) DELETE FROM p RETURNING a",
        "SELECT 1; DELETE FROM p",
        "PRAGMA table_info(p)",
        "ATTACH 'other.db' AS other",
        "SELECT 1; -- the end",
        "SELECT ?1",
        "SELECT a FROM nobody",
        "SELECT 1) AS q; DELETE FROM p; --",
        "",
    ] {
        let error = asked(&database, wrong).err().unwrap();
        assert!(matches!(error, DatabaseError::Recipe(_)), "{wrong}: {error:?}");
    }
    let rows: i64 = other.query_row("SELECT count(*) FROM p", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn tables_may_have_any_name() {
    let names = ["q", "Q", "input_0", "INPUT_1", "c0"];
    for name in names {
        let (_folder, _, database) = made(&format!(
            "CREATE TABLE p (a); INSERT INTO p VALUES (1); CREATE TABLE {name} (a); INSERT INTO {name} VALUES (2);"
        ));
        let both = format!("SELECT a FROM p UNION ALL SELECT a FROM {name} ORDER BY a");
        assert_eq!(text(&*asked(&database, &both).unwrap(), &[0]).unwrap(), "1,0\n2,0\n", "{name}");
    }
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text.db"), format!("{SECRET} {}", "x".repeat(4096))).unwrap();
    for (path, says) in [("nobody.db", "cannot be opened"), ("text.db", "no SQLite database")] {
        let database = Database::new(&format!("sqlite:{path}"), folder.path()).unwrap();
        let error = asked(&database, "SELECT 1 FROM p").err().unwrap();
        assert!(
            matches!(&error, DatabaseError::Io(text) if text.to_string().contains(says)),
            "{path}: {error:?}"
        );
    }
    assert!(!folder.path().join("nobody.db").exists());
    for address in ["sqlite:", "sqlite::memory:", "sqlite://x", "p.db", "mysql://localhost/x"] {
        assert!(matches!(Database::new(address, folder.path()), Err(DatabaseError::Recipe(_))), "{address}");
    }
}

#[test]
fn a_query_without_end_is_stopped() {
    let (_folder, _, database) = made("CREATE TABLE p (a)");
    let stop = Stop::default();
    let endless =
        "WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT max(a) AS a FROM n";
    let query = database.query(endless, &stop).unwrap();
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(true));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let begun = Instant::now();
    let message = stop.during(&context, || text(&*query, &[0])).unwrap_err().to_string();
    assert_eq!(message, "interrupted");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

/// Two records, one of them twice; the second column's name is a trap.
fn records() -> (OutTable, Vec<NewColumn>) {
    let column = |name: &str, labels: &[&str]| OutColumn {
        name: name.into(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        kind: ColumnKind::Text,
    };
    let trap = "x\"); DROP TABLE p; --";
    let table = OutTable {
        columns: vec![column("ClassID", &["1", "2"]), column(trap, &["a", ""])],
        codes: vec![vec![0, 1], vec![0, 1]],
        counts: vec![2, 1],
    };
    let names = ["ClassID", trap];
    (table, names.map(|name| NewColumn { name: name.into(), integer: name == "ClassID" }).to_vec())
}

/// Makes and fills a table, and does something before its transaction ends.
fn written(database: &Database, table: &str, before_end: impl FnOnce()) -> Ending {
    let (records, columns) = records();
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let mut new = database.create(&table.parse().unwrap(), &columns, &Stop::default()).unwrap();
    new.fill(&records, &context).unwrap();
    let mut held = String::new();
    new.rows().open(&[0, 1]).unwrap().read_to_string(&mut held).unwrap();
    assert_eq!(held, "1,a,0\n1,a,0\n2,,0\n");
    before_end();
    new.commit()
}

#[test]
fn a_table_is_made_whole() {
    let (folder, other, database) = made("CREATE TABLE p (a);");
    let table = "\"Für \"\"alle\"\"; DROP TABLE p\"";
    assert!(matches!(written(&database, table, || ()), Ending::Made));
    let count = |what: &str| -> i64 {
        other.query_row(&format!("SELECT count({what}) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("*"), count("\"x\"\"); DROP TABLE p; --\"")), (3, 2));
    let kind: String =
        other.query_row(&format!("SELECT typeof(ClassID) FROM {table}"), [], |row| row.get(0)).unwrap();
    assert_eq!(kind, "integer");
    other.execute_batch("SELECT * FROM p").unwrap();
    // What is there is not replaced.
    let (_, columns) = records();
    let error = database.create(&"p".parse().unwrap(), &columns, &Stop::default()).err().unwrap();
    assert!(error.to_string().contains("already exists"), "{error}");
    let error = database.create(&"s.p".parse().unwrap(), &columns, &Stop::default()).err().unwrap();
    assert!(error.to_string().contains("no schemas"), "{error}");
    drop(folder);
}

#[test]
fn a_new_file_stays_only_with_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new("sqlite:new.db", folder.path()).unwrap();
    let (_, columns) = records();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let empty = |folder: &Path| std::fs::read_dir(folder).unwrap().count() == 0;
    database.rehearse(&"release".parse().unwrap(), &names, &Stop::default()).unwrap();
    assert!(empty(folder.path()));
    drop(database.create(&"release".parse().unwrap(), &columns, &Stop::default()).unwrap());
    assert!(empty(folder.path()));
    let twice = [names.clone(), names].concat();
    assert!(database.rehearse(&"release".parse().unwrap(), &twice, &Stop::default()).is_err());
    assert!(empty(folder.path()));
    assert!(matches!(written(&database, "release", || ()), Ending::Made));
    assert!(!empty(folder.path()));
}

#[test]
fn a_transaction_that_cannot_end_is_undone() {
    let (_folder, other, database) = made("CREATE TABLE p (a); INSERT INTO p VALUES (1);");
    // Another program reads meanwhile, and does not stop.
    let ending = written(&database, "release", || {
        other.execute_batch("BEGIN; SELECT * FROM p;").unwrap();
    });
    assert!(matches!(&ending, Ending::Undone(error) if error.to_string().contains("locked")), "{ending:?}");
    other.execute_batch("COMMIT").unwrap();
    assert!(other.prepare("SELECT * FROM release").is_err());
}
