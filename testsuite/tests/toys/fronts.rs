//! A toy operation and a toy command on the command line, and the operation's function in Python.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use velamen_assess::operation::{OPERATIONS, Operation};

use crate::{command, operation};

/// The variable that has the words of a call, each on a line.
const WORDS: &str = "VELAMEN_TOY_WORDS";

fn add() {
    let _ = OPERATIONS.add(&operation::ENTRY);
    let _ = velamen_cli::COMMANDS.add(&command::COMMAND);
}

/// What a program with the toys does. It is this binary once more: the command line ends its process.
#[test]
fn as_the_program() {
    let Ok(words) = std::env::var(WORDS) else { return };
    add();
    let code = velamen_cli::run(std::iter::once("velamen").chain(words.lines()).map(Into::into));
    std::process::exit(i32::from(code));
}

/// Calls this binary as the program with the toys.
fn call(words: &[&str]) -> (Option<i32>, String, String) {
    let program = std::env::current_exe().expect("the test's own binary");
    let arguments = ["--exact", "fronts::as_the_program", "--nocapture"];
    let run = Command::new(program).args(arguments).env(WORDS, words.join("\n")).output();
    let Output { status, stdout, stderr } = run.expect("the test's own binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    // The test runner says first that it runs one test.
    let said = text(stdout).replacen("\nrunning 1 test\n", "", 1);
    (status.code(), said, text(stderr))
}

#[test]
fn a_toy_operation_is_a_command() {
    let folder = crate::folder();
    let table = folder.path().join("stays.csv").display().to_string();
    let (code, said, _) = call(&["toy", &table, "--times-each", "2", "--json"]);
    let answer: Value = serde_json::from_str(&said).expect("JSON and nothing else");
    assert_eq!((code, answer), (Some(0), json!({ "all-columns": 6 })));
    let (_, said, _) = call(&["toy", &table]);
    assert_eq!(said, "all-columns  3\n");
    let (code, _, message) = call(&["toy", &table, "--times-each", "10"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("invalid value '10' for '--times-each <N>'"), "{message}");
    let (_, help, _) = call(&["toy", "--help"]);
    assert!(help.contains("How often each column counts [default: 1]"), "{help}");
    let (_, help, _) = call(&["--help"]);
    assert!(help.contains("toy          Count the columns of a table"), "{help}");
}

#[test]
fn a_toy_command_is_a_file_and_a_line() {
    let (code, said, _) = call(&["greet", "Ada"]);
    assert_eq!((code, said.as_str()), (Some(0), "hello Ada\n"));
}

/// `crates/python/check` calls it in a wheel that has the operation.
#[test]
fn a_toy_operation_is_a_function_of_python() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toys/operation.py");
    let text = velamen_testsuite::fronts::python_module(&[&operation::ENTRY]);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        std::fs::write(&path, &text).expect("a file of the repository can be written");
    }
    assert_eq!(crate::text(path), text);
    for line in ["def toy(\n    table: TableOrRelease,\n", "    times_each: int = 1,\n", ") -> Counted:\n"] {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn a_request_of_the_toy_is_checked_by_its_schema() {
    add();
    let entry = OPERATIONS.find(operation::Toy::NAME).expect("the toy");
    let given = velamen_assess::operation::Given::default();
    let refused = |request: Value| {
        velamen_testsuite::with_context(7, |context| {
            let call = velamen_assess::operation::Call { given: &given, shows_cells: false, context };
            entry.call(request, &call).expect_err("a wrong request").to_string()
        })
    };
    assert_eq!(refused(json!({})), "table: missing; give it");
    let wrong = json!({ "table": "stays.csv", "times-each": "secret" });
    assert_eq!(refused(wrong), "--times-each: a wrong value; expected a whole number from 1 to 9");
    let unknown = json!({ "table": "stays.csv", "times": 1 });
    assert!(refused(unknown).starts_with("--times: there is no such option"));
}
