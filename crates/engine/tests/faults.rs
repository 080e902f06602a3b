//! Faults are found where they are, whoever reads them, and no message holds a value.
#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use common::{file, on_threads, read, records, requests, rule, with_context};
use velamen_core::context::{Context, Silent};
use velamen_core::hierarchy::Rule;
use velamen_dp::Seed;
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{DataProblem, EngineError, Most, Place};

/// A value that must not be seen.
const SECRET: &str = "secret-cell";

fn problem(name: &str, content: &[u8], threads: usize) -> DataProblem {
    let (_folder, path) = file(name, content);
    let read = on_threads(threads, || read(&path, rule(["a", "b"]), &ReadOptions::default()));
    match read {
        Err(error @ EngineError::Data { .. }) => {
            let text = format!("{error} {error:?}");
            assert!(!text.contains(SECRET), "{text}");
            let EngineError::Data { problem, .. } = error else { unreachable!() };
            problem
        }
        other => panic!("{other:?}"),
    }
}

fn text_problem(content: &str) -> DataProblem {
    let problem = self::problem("table.csv", content.as_bytes(), 1);
    assert_eq!(problem, self::problem("table.csv", content.as_bytes(), 2));
    problem
}

fn at(record: u64, line: u64) -> Place {
    Place { record, line: Some(line) }
}

/// A table of many blocks, where the first cell of the given records is wrong.
fn long_table(bad: &[usize], quoted: bool, line_end: &str) -> String {
    let mut text = format!("first,second{line_end}");
    for record in 1..=60_000 {
        let first = if bad.contains(&record) { SECRET } else { ["a", "b"][record % 2] };
        let second = if quoted { "\"two\nlines\"" } else { "some words" };
        write!(text, "{first},{second} {record}{line_end}").unwrap();
    }
    text
}

#[test]
fn the_first_missing_value_is_reported_with_its_place() {
    for (bad, line_end) in
        [(&[59_999][..], "\n"), (&[31_234, 31_235, 50_000, 12_345], "\n"), (&[30_001, 2], "\r\n")]
    {
        let first = *bad.iter().min().unwrap() as u64;
        for quoted in [false, true] {
            let DataProblem::NotInHierarchy { place, column, value, .. } =
                text_problem(&long_table(bad, quoted, line_end))
            else {
                panic!()
            };
            let line = if quoted { 2 * first } else { first + 1 };
            assert_eq!((place, column.as_str(), value), (at(first, line), "first", None));
        }
    }
}

#[test]
fn a_value_is_shown_only_if_allowed() {
    let (_folder, path) = file("table.csv", long_table(&[7], false, "\n").as_bytes());
    let options = ReadOptions { show_values: true, ..ReadOptions::default() };
    let error = read(&path, rule(["a", "b"]), &options).unwrap_err();
    assert!(error.to_string().contains(SECRET));
}

#[test]
fn missing_values_of_json_are_found_too() {
    let mut text = String::new();
    for record in 1..=30_000 {
        let first = if record >= 20_000 { SECRET } else { "a" };
        writeln!(text, "{{\"first\":\"{first}\",\"second\":{record}}}").unwrap();
    }
    for threads in [1, 2] {
        let found = problem("table.ndjson", text.as_bytes(), threads);
        assert!(matches!(found, DataProblem::NotInHierarchy { place, .. } if place == at(20_000, 20_000)));
    }
}

#[test]
fn ragged_records_are_refused() {
    let mut text = long_table(&[], false, "\n");
    text.push_str(&format!("a,b,{SECRET}\n"));
    assert_eq!(text_problem(&text), DataProblem::Ragged { place: at(60_001, 60_002), found: 3, expected: 2 });
    assert_eq!(text_problem("x,y\na\n"), DataProblem::Ragged { place: at(1, 2), found: 1, expected: 2 });
    let blank = format!("x,y\n\n\na,b\n\n{SECRET}\n");
    assert!(matches!(text_problem(&blank), DataProblem::NotInHierarchy { place, .. } if place == at(2, 6)));
}

#[test]
fn quotes_must_be_closed() {
    assert_eq!(text_problem("x,y\na,\"b\"\nb,\"secret-cell\nc,d\n"), DataProblem::OpenQuote { line: 3 });
    let mut text = long_table(&[], true, "\n");
    text.push_str("a,\"secret-cell");
    assert_eq!(text_problem(&text), DataProblem::OpenQuote { line: 120_002 });
}

#[test]
fn encodings_are_checked() {
    let latin = [long_table(&[], false, "\n").as_bytes(), b"a,secret-cell\xe9\n"].concat();
    for threads in [1, 2] {
        let found = problem("table.csv", &latin, threads);
        assert_eq!(found, DataProblem::Encoding { place: at(60_001, 60_002), column: "second".into() });
    }
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("x,y\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(problem("table.csv", &utf16, 1), DataProblem::Utf16);
    assert_eq!(problem("table.csv", b"x,\xe9\na,b\n", 1), DataProblem::HeaderEncoding);
}

#[test]
fn headers_are_checked() {
    let duplicate = DataProblem::DuplicateHeader { first: 1, column: 3 };
    assert_eq!(text_problem("x,y,x\na,b,c\n"), duplicate);
    assert_eq!(text_problem("x,,z\na,b,c\n"), DataProblem::EmptyHeader { column: 2 });
    assert_eq!(text_problem(""), DataProblem::Empty);
    assert_eq!(text_problem("\u{feff}\n \r\n"), DataProblem::Empty);
    assert_eq!(text_problem("x,y\n"), DataProblem::NoRecords);
    assert_eq!(text_problem("x,y"), DataProblem::NoRecords);
}

#[test]
fn dialects_are_found_out() {
    for text in [
        "x,y\na,1\n",
        "x;y\na;1\n",
        "x\ty\na\t1\n",
        "x|y\r\na|1\r\n",
        "\u{feff}x,y\r\na,1",
        "x,\"y\"\n\"a\",1\n",
    ] {
        let (_folder, path) = file("table.csv", text.as_bytes());
        let table = read(&path, rule(["a"]), &ReadOptions::default()).unwrap();
        assert_eq!(table.qis[0].name, "x", "{text:?}");
        assert_eq!(table.rest.columns[0].name, "y");
        assert_eq!(records(&table), [(vec!["a".to_owned(), "1".to_owned()], 1)].into());
    }
}

#[test]
fn a_table_may_have_no_header_and_untidy_cells() {
    let (_folder, path) = file("adult.data", b"39, State-gov\n 39 ,?\n");
    let options = ReadOptions {
        columns: Some(vec!["age".into(), "work".into()]),
        trim: true,
        null: vec!["?".into()],
        ..ReadOptions::default()
    };
    let table = read(&path, rule(["39"]), &options).unwrap();
    let record = |work: &str| vec!["39".to_owned(), work.to_owned()];
    assert_eq!(records(&table), [(record(""), 1), (record("State-gov"), 1)].into());
}

#[test]
fn broken_files_are_no_panic() {
    let parquet = problem("table.parquet", b"PAR1 secret-cell PAR1", 1);
    assert!(parquet.to_string().contains("not a Parquet file"), "{parquet}");
    let arrow = problem("table.arrow", b"ARROW1 secret-cell", 1);
    assert!(arrow.to_string().contains("not an Arrow IPC"), "{arrow}");
    let arrow = problem("table.arrow", b"secret-cell", 1);
    assert!(arrow.to_string().contains("not an Arrow IPC"), "{arrow}");
    let json = problem("table.ndjson", b"{\"x\":\"a\"}\n\n{\"x\":secret-cell}\n", 1);
    assert!(json.to_string().starts_with("line 3: this is not a JSON object"), "{json}");
    let array = problem("table.json", b"[{\"x\":\"secret-cell\"}]", 1);
    assert!(array.to_string().contains("JSON array"), "{array}");
    let nested =
        problem("table.ndjson", b"{\"x\":\"a\",\"y\":1}\n{\"x\":\"a\",\"y\":[\"secret-cell\"]}\n", 1);
    assert!(matches!(nested, DataProblem::NestedColumn { column, kind } if column == "y" && kind == "List"));
}

#[test]
fn a_set_flag_stops_reading() {
    let (_folder, path) = file("table.csv", long_table(&[], false, "\n").as_bytes());
    let input = Input::open(&path, &ReadOptions::default()).unwrap();
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(true));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let read = input.read(&requests(&input.columns, Rule::Flat), &context);
    assert!(matches!(read, Err(EngineError::Interrupted(_))));
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    for quoted in [false, true] {
        let (_folder, path) = file("table.csv", long_table(&[9, 50_000], quoted, "\n").as_bytes());
        let table =
            |threads| on_threads(threads, || read(&path, Rule::Flat, &ReadOptions::default()).unwrap());
        assert!(format!("{:?}", table(1)) == format!("{:?}", table(2)));
    }
}

#[test]
fn values_that_have_no_room_are_not_looked_at_to_the_end() {
    let rows: String = (0..2000).map(|row| format!("{row},{}\n", "x".repeat(100))).collect();
    let (_folder, path) = file("t.csv", format!("a,b\n{rows}").as_bytes());
    let mut input = Input::open(&path, &ReadOptions::default()).unwrap();
    let columns = requests(&input.columns, Rule::Flat);
    let mut looked = |text| {
        input.hold_at_most(Some(Most { combinations: 1, text }));
        on_threads(1, || with_context(|context| input.survey(&columns, context)))
    };
    // Combinations are not held.
    let survey = looked(10_000).unwrap();
    assert_eq!([survey.columns[0].text, survey.columns[1].text], [6890, 100]);
    assert!(matches!(looked(1000), Err(EngineError::TooLong { most: 1000 })));
}
