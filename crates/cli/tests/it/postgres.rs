//! Records from PostgreSQL and releases into it, with the real binary and a real server.

#![allow(clippy::print_stdout, reason = "a test says what it left out")]

use crate::common;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::server::{PASSWORD, Server};
use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL, Run, column, patients, rows};

const RUN: [&str; 2] = ["anonymize", "recipe.toml"];

/// How many tables of that name there are.
const TABLES: &str = "SELECT count(*) FROM pg_tables WHERE tablename = 'release'";

/// How many backends are at work for us with a statement like that.
fn at_work(statement: &str) -> String {
    let mine = "FROM pg_stat_activity WHERE application_name = 'velamen'";
    format!("SELECT count(*) {mine} AND state = 'active' AND query LIKE '{statement}%'")
}

fn recipe(address: &str, query: &str, output: &str) -> String {
    let input = format!("database = {address:?}\nquery = {query:?}\n");
    let recipe = common::recipe(H_CEILING).replace("path = \"patients.csv\"\n", &input) + output;
    format!("unnamed = \"insensitive\"\n{recipe}")
}

/// A server with `patients`, a table of [`patients`], and a folder with a recipe that reads it.
fn prepared(settings: &[&str]) -> Option<(Server, Folder)> {
    let server = Server::start(settings)?;
    let values: Vec<String> = rows(&patients())[1..]
        .iter()
        .map(|row| format!("({}, '{}', '{}')", row[0], row[1], row[2]))
        .collect();
    server.sql(&format!(
        "CREATE TABLE patients (age int, sex char(2), diagnosis text); INSERT INTO patients VALUES {}",
        values.join(", ")
    ));
    let folder = Folder::new();
    let output = format!("database = {:?}\ntable = \"release\"\n", server.address());
    folder.write("recipe.toml", recipe(&server.address(), "SELECT * FROM patients", &output));
    Some((server, folder))
}

/// The binary with the server's credentials.
fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("PGUSER", "admin").env("PGPASSWORD", PASSWORD);
    command
}

fn run(folder: &Folder, arguments: &[&str]) -> Run {
    Run::of(&mut command(folder, arguments))
}

/// Runs what must fail: no folder, and no message with a value or the password.
fn refused(folder: &Folder, arguments: &[&str], code: i32, says: &[&str]) {
    let before = folder.entries();
    let run = run(folder, &[&RUN[..], arguments].concat());
    check_refused(&run, code, says);
    assert_eq!(folder.entries(), before, "something was left behind by {arguments:?}");
}

fn check_refused(run: &Run, code: i32, says: &[&str]) {
    assert_eq!(run.code, code, "{}", run.err);
    says.iter().for_each(|text| assert!(run.err.contains(text), "no {text:?} in: {}", run.err));
    for secret in [CANARY, PASSWORD, "panicked"] {
        assert!(!run.err.contains(secret), "{}", run.err);
    }
}

fn start(folder: &Folder) -> Child {
    command(folder, &RUN).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> Run {
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(30), "it took {:?}", asked.elapsed());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_release_from_a_server_is_that_of_the_file_and_its_table_holds_it() {
    let Some((server, folder)) = prepared(&[]) else { return };
    let file = Folder::with(H_CEILING);
    file.ok(&RUN);
    let made = run(&folder, &RUN);
    assert_eq!(made.code, 0, "{}", made.err);
    assert!(made.out.contains("table \"release\""), "{}", made.out);
    for name in ["data.csv", "release.json", "report.html"] {
        let path = format!("release/{name}");
        assert_eq!(folder.read(&path), file.read(&path), "{name}");
    }
    for name in ["ClassID", "age", "sex", "diagnosis"] {
        let order = format!("{name:?}::text COLLATE \"C\"");
        let held = server.sql(&format!("SELECT {name:?}::text FROM release ORDER BY {order}"));
        assert_eq!(held.lines().collect::<Vec<_>>(), column(&file.read("release/data.csv"), name), "{name}");
    }
    let types = "SELECT string_agg(data_type, ' ' ORDER BY ordinal_position) FROM information_schema.columns \
                 WHERE table_name = 'release'";
    assert_eq!(server.sql(types).trim(), "bigint text text text");
    // The table is there: nothing is replaced, neither it nor the folders.
    let before = folder.read("release/release.json");
    refused(&folder, &["--overwrite"], 6, &["already exists", "42P07", "nothing that exists is replaced"]);
    assert_eq!(folder.read("release/release.json"), before);
    // By the socket, from the released table itself, into another schema.
    server.sql("CREATE SCHEMA \"Für alle\"");
    let output =
        format!("database = {:?}\ntable = \"Für alle.ein \\\"\\\" Name\"\n", server.socket_address());
    let query = "SELECT age, sex, diagnosis FROM release -- the end";
    folder.write("again.toml", recipe(&server.socket_address(), query, &output));
    let wrong = run(&folder, &["anonymize", "again.toml", "--output", "again"]);
    check_refused(&wrong, 5, &["quotes do not match"]);
    let output = output.replace("ein \\\"\\\" Name", "\\\"ein \\\"\\\" Name\\\"");
    folder.write("again.toml", recipe(&server.socket_address(), query, &output));
    let again = run(&folder, &["anonymize", "again.toml", "--output", "again"]);
    assert_eq!(again.code, 0, "{}", again.err);
    assert_eq!(folder.read("again/data.csv"), file.read("release/data.csv"));
    assert_eq!(server.sql("SELECT count(*) FROM \"Für alle\".\"ein \"\" Name\"").trim(), "120");
}

#[test]
fn what_cannot_be_read_or_made_is_told_and_leaves_nothing() {
    let Some((server, folder)) = prepared(&[]) else { return };
    server.sql(&format!(
        "CREATE TABLE secrets AS SELECT '{CANARY}'::text AS name, 1 AS n; CREATE TABLE kept (a int)"
    ));
    let query = |text: &str| format!("input.query={text:?}");
    for (text, code, says) in [
        ("SELECT * FROM nobody", 5, &["\"nobody\" does not exist at character 15", "42P01"][..]),
        ("SELEC 1", 5, &["only one query"]),
        ("DELETE FROM patients", 5, &["only one query"]),
        ("SELECT 1; DROP TABLE kept", 5, &["42601"]),
        ("SELECT 1 AS age) TO PROGRAM 'touch x' --", 5, &["42601"]),
        ("WITH gone AS (DELETE FROM patients RETURNING *) SELECT * FROM gone", 5, &["in brackets"]),
        ("SELECT 1 AS age INTO new", 5, &["only one query"]),
        (
            "SELECT age, sex, diagnosis, set_config('transaction_read_only', 'off', false) FROM patients",
            5,
            &["25001"],
        ),
        ("SELECT age, sex, diagnosis, nextval('s') FROM patients", 5, &["25006"]),
        ("SELECT 1 AS age; -- the end", 5, &["nothing may follow its semicolon"]),
        ("SELECT $1::int AS age", 5, &["parameters"]),
        ("SELECT ARRAY[1] AS age", 4, &["column `age`", "no plain value"]),
        ("SELECT '{[1,2)}'::int4multirange AS age", 4, &["column `age`", "no plain value"]),
        ("SELECT ROW(1, 2) AS age", 4, &["column `age`", "no plain value"]),
        ("SELECT ARRAY[ROW(1, 2)] AS age", 4, &["column `age`", "no plain value"]),
        ("SELECT 1 AS age, 2 AS age", 4, &["columns 1 and 2 have the same name; rename one of them\n"]),
        ("SELECT sex, diagnosis FROM patients", 5, &["attribute `age` is not a column"]),
        ("SELECT name::int AS age, 'F' AS sex, 'x' AS diagnosis FROM secrets", 4, &["22P02"]),
        ("SELECT age, sex, diagnosis FROM patients WHERE false", 4, &["no record"]),
        ("SELECT name AS age, 'F' AS sex, 'x' AS diagnosis FROM secrets", 4, &["record 1, column `age`"]),
    ] {
        if text.contains("nextval") {
            server.sql("CREATE SEQUENCE s");
        }
        refused(&folder, &["--set", &query(text)], code, says);
    }
    let long = "ä".repeat(32);
    let output = |table: &str| format!("output.table={table:?}");
    for (table, code, says) in [
        (long.as_str(), 5, &["at most 63 bytes"][..]),
        ("nowhere.release", 6, &["\"nowhere\" does not exist", "3F000"]),
        ("patients", 6, &["already exists"]),
        ("a.b.c", 5, &["more than two parts"]),
    ] {
        refused(&folder, &["--set", &output(table)], code, says);
    }
    let wrong_password = Run::of(command(&folder, &RUN).env("PGPASSWORD", "wrong"));
    check_refused(&wrong_password, 6, &["password authentication failed", "set PGUSER and PGPASSWORD"]);
    let no_password = Run::of(command(&folder, &RUN).env_remove("PGPASSWORD"));
    check_refused(&no_password, 6, &["PGPASSWORD"]);
    let in_address = server.address().replace("//", &format!("//admin:{PASSWORD}@"));
    refused(&folder, &["--set", &format!("input.database={in_address:?}")], 5, &["holds a password"]);
    let nobody = "input.database=\"postgresql://127.0.0.1:1/postgres\"";
    refused(&folder, &["--set", nobody], 6, &["cannot connect", "refused"]);
    let encrypted = format!("input.database={:?}", server.address() + "?sslmode=require");
    refused(&folder, &["--set", &encrypted], 6, &["cannot connect", "TLS"]);
    assert_eq!(server.sql(TABLES).trim(), "0");
    assert_eq!(server.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").trim(), "3");
}

#[test]
fn names_are_names_whatever_they_hold() {
    let Some((server, folder)) = prepared(&[]) else { return };
    server.sql("CREATE TABLE kept (a int)");
    let strange = "x\"); DROP TABLE kept; --";
    server.sql(&format!("ALTER TABLE patients RENAME diagnosis TO \"{}\"", strange.replace('"', "\"\"")));
    let table = "\"Größe \"\"; DROP TABLE kept; --\"";
    let text = recipe(&server.address(), "TABLE patients;", "")
        .replace("[attributes.diagnosis]", &format!("[attributes.{strange:?}]"))
        + &format!("database = {:?}\ntable = {table:?}\n", server.address());
    folder.write("recipe.toml", text);
    let made = run(&folder, &RUN);
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(server.sql(&format!("SELECT count(*) FROM {table}")).trim(), "120");
    assert_eq!(server.sql("SELECT count(*) FROM kept").trim(), "0");
    assert!(folder.read("release/data.csv").lines().next().unwrap().contains("DROP TABLE kept"));
}

#[test]
fn values_have_one_text_each() {
    let Some((server, folder)) = prepared(&[]) else { return };
    server.sql(
        "CREATE TABLE kinds AS SELECT (i % 2 = 0) AS age, date '2026-02-03' + i % 2 AS sex, \
         timestamptz '2026-02-03 04:05:06+01' AS at, 0.1::float8 + 0.2 AS f, 1.50::numeric AS n, \
         CASE WHEN i % 2 = 0 THEN NULL ELSE '' END AS empty, E'a\"b\\nc,d' AS text, 'x  '::char(5) AS padded, \
         interval '1 day 2 hours' AS span, 'I6' || i % 2 AS diagnosis FROM generate_series(1, 20) i",
    );
    folder.write(
        "recipe.toml",
        recipe(&server.address(), "SELECT * FROM kinds", "")
            .replace("hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }\n", "")
            .replace(H_CEILING, OPTIMAL),
    );
    let made = run(&folder, &RUN);
    assert_eq!(made.code, 0, "{}", made.err);
    let data = folder.read("release/data.csv");
    let rest = "2026-02-03 03:05:06+00,0.30000000000000004,1.50,,\"a\"\"b\nc,d\",x,P1DT2H,I6";
    for (age, sex, last) in [("true", "2026-02-03", 0), ("false", "2026-02-04", 1)] {
        assert_eq!(data.matches(&format!("{age},{sex},{rest}{last}\n")).count(), 10, "{data}");
    }
}

#[test]
fn what_is_said_is_encrypted_if_it_is_asked_for() {
    let Some((mut server, folder)) = prepared(&[]) else { return };
    let Some(certificate) = server.encrypt() else { return };
    let named = server.address().replace("127.0.0.1", "localhost") + "?sslmode=require";
    let query = "SELECT p.*, ssl AS encrypted FROM patients p, pg_stat_ssl WHERE pid = pg_backend_pid()";
    let output = format!("database = {named:?}\ntable = \"release\"\n");
    // Beside counterfeits the insensitive column would be dropped.
    folder.write("recipe.toml", recipe(&named, query, &output).replace(H_CEILING, OPTIMAL));
    let trusting = Run::of(command(&folder, &RUN).env("PGSSLROOTCERT", &certificate));
    assert_eq!(trusting.code, 0, "{}", trusting.err);
    assert_eq!(column(&folder.read("release/data.csv"), "encrypted"), ["true"; 120]);
    assert_eq!(server.sql("SELECT count(*) FROM release").trim(), "120");
    // Neither an unknown certificate nor one for another name is taken.
    refused(&folder, &["--output", "second"], 6, &["cannot connect", "TLS"]);
    folder.write("recipe.toml", recipe(&named.replace("localhost", "127.0.0.1"), query, ""));
    let misnamed =
        Run::of(command(&folder, &[&RUN[..], &["--overwrite"]].concat()).env("PGSSLROOTCERT", &certificate));
    check_refused(&misnamed, 6, &["cannot connect", "TLS"]);
}

/// Records that come slowly, so that something can happen meanwhile.
const SLOW_READ: &str = "input.query=\"SELECT age, sex, diagnosis FROM patients, LATERAL \
                         (SELECT pg_sleep(0.1 + age * 0)) s\"";

fn slow_reader(folder: &Folder, server: &Server) -> Child {
    let arguments = [&RUN[..], &["--set", SLOW_READ]].concat();
    let child = command(folder, &arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until(&at_work("COPY (SELECT"));
    child
}

#[test]
fn a_reading_that_breaks_off_leaves_nothing() {
    let Some((mut server, folder)) = prepared(&[]) else { return };
    let child = slow_reader(&folder, &server);
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'velamen'");
    check_refused(&ended(child), 6, &["cannot read", "57P01"]);
    // Ctrl-C is heard although the server is silent, and the server is told.
    let child = slow_reader(&folder, &server);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    check_refused(&ended(child), 130, &["nothing was released"]);
    server.wait_until("SELECT (count(*) = 0)::int FROM pg_stat_activity WHERE application_name = 'velamen'");
    // One of its processes is killed: the server takes all connections away.
    let child = slow_reader(&folder, &server);
    let backend = server.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'velamen'");
    assert!(Command::new("kill").args(["-KILL", backend.trim()]).status().unwrap().success());
    check_refused(&ended(child), 6, &["connection was lost"]);
    server.wait();
    let child = slow_reader(&folder, &server);
    server.crash();
    check_refused(&ended(child), 6, &[]);
    assert_eq!(folder.entries(), ["recipe.toml"]);
    server.run();
    assert_eq!(server.sql(TABLES).trim(), "0");
}

/// Has every new table named `release` do something for each record.
fn on_every_record(server: &Server, kind: &str, work: &str) {
    server.sql(&format!(
        "CREATE FUNCTION work() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {work}; RETURN NEW; END $$;
         CREATE FUNCTION hook() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE t record; BEGIN
         FOR t IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' LOOP
         EXECUTE format('CREATE {kind} ON %s {} FOR EACH ROW EXECUTE FUNCTION work()', t.object_identity);
         END LOOP; END $$;
         CREATE EVENT TRIGGER hook ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hook()",
        if kind.starts_with("CONSTRAINT") { "DEFERRABLE INITIALLY DEFERRED" } else { "" }
    ));
}

#[test]
fn a_writing_that_breaks_off_leaves_nothing() {
    let Some((mut server, folder)) = prepared(&[]) else { return };
    on_every_record(&server, "TRIGGER t BEFORE INSERT", "PERFORM pg_sleep(0.05)");
    let writer = |server: &Server| {
        let child = start(&folder);
        server.wait_until(&at_work("COPY \"release\" FROM STDIN"));
        child
    };
    let child = writer(&server);
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'velamen'");
    check_refused(&ended(child), 6, &["127.0.0.1"]);
    assert_eq!((folder.entries(), server.sql(TABLES).trim()), (vec!["recipe.toml".to_owned()], "0"));
    let child = writer(&server);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    check_refused(&ended(child), 130, &["nothing was released"]);
    assert_eq!((folder.entries(), server.sql(TABLES).trim()), (vec!["recipe.toml".to_owned()], "0"));
    let child = writer(&server);
    server.crash();
    check_refused(&ended(child), 6, &[]);
    server.run();
    assert_eq!((folder.entries(), server.sql(TABLES).trim()), (vec!["recipe.toml".to_owned()], "0"));
    // Killed itself: no release, no table; what is left begins with a dot.
    let mut child = writer(&server);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path("release").exists());
    server.wait_until("SELECT (count(*) = 0)::int FROM pg_stat_activity WHERE application_name = 'velamen'");
    assert_eq!(server.sql(TABLES).trim(), "0");
}

#[test]
fn a_table_that_changes_what_it_is_given_is_refused() {
    let Some((server, folder)) = prepared(&[]) else { return };
    on_every_record(&server, "TRIGGER t BEFORE INSERT", "IF NEW.age = '31' THEN NEW.age := '32'; END IF");
    refused(&folder, &[], 3, &["not what was certified"]);
    assert_eq!(server.sql(TABLES).trim(), "0");
}

#[test]
fn a_transaction_that_cannot_end_takes_the_folders_back() {
    let Some((server, folder)) = prepared(&[]) else { return };
    let kind = "CONSTRAINT TRIGGER t AFTER INSERT";
    on_every_record(&server, kind, &format!("RAISE EXCEPTION '{CANARY}' USING ERRCODE = '23000'"));
    refused(&folder, &[], 4, &["23000"]);
    assert_eq!(server.sql(TABLES).trim(), "0");
    // A release that was there before is there again.
    let text = folder.read("recipe.toml");
    folder.write("recipe.toml", text.split("database = ").take(2).collect::<Vec<_>>().join("database = "));
    assert_eq!(run(&folder, &RUN).code, 0);
    folder.write("recipe.toml", text);
    let before = (folder.entries(), folder.read("release.custodian/custodian.json"));
    refused(&folder, &["--overwrite"], 4, &["23000"]);
    assert_eq!((folder.entries(), folder.read("release.custodian/custodian.json")), before);
    // The connection is lost as the transaction ends: the server is asked how it ended.
    server.sql(
        "CREATE OR REPLACE FUNCTION work() RETURNS trigger LANGUAGE plpgsql AS $$ \
                BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$",
    );
    refused(&folder, &["--overwrite"], 6, &["connection was lost"]);
    assert_eq!((folder.entries(), server.sql(TABLES).trim()), (before.0, "0"));
}

#[test]
fn a_transaction_that_ended_unheard_is_asked_for() {
    let Some((mut server, folder)) = prepared(&[]) else { return };
    // The server waits for a copy of itself that does not exist.
    let alter = |value: &str| {
        server.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{value}'"));
        server.sql("SELECT pg_reload_conf()");
    };
    alter("nobody");
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'velamen' AND wait_event = 'SyncRep'";
    let child = start(&folder);
    server.wait_until(waiting);
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'velamen'");
    let ended_well = ended(child);
    assert_eq!(ended_well.code, 0, "{}", ended_well.err);
    assert_eq!(server.sql("SELECT count(*) FROM release").trim(), "120");
    folder.ok(&["verify", "release"]);
    // Killed at that moment: the folders are there already, and the table is.
    let third = [&RUN[..], &["--output", "third", "--set", "output.table=third"]].concat();
    let mut killed = command(&folder, &third).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    server.wait_until(waiting);
    killed.kill().unwrap();
    killed.wait().unwrap();
    folder.ok(&["verify", "third"]);
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'velamen'");
    server.wait_until("SELECT count(*) FROM third");
    // And nobody can be asked: the folders stay, and it is said.
    let second = ["--output", "second", "--set", "output.table=second"];
    let child = command(&folder, &[&RUN[..], &second].concat());
    let mut child = child;
    let child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until(waiting);
    server.crash();
    check_refused(&ended(child), 6, &["cannot be asked", "table \"second\"", "--overwrite"]);
    folder.ok(&["verify", "second"]);
}
