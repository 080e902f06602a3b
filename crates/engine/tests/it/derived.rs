//! Derived columns are what a naive calendar says, in every format, and faults of their sources are placed.
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::common::{on_threads, rule, with_context};
use arrow_array::{ArrayRef, Date32Array, RecordBatch, StringArray};
use proptest::collection::vec;
use proptest::prelude::*;
use velamen_core::derived::{Days, Derivation, Formula, Moment, Step, Written};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;
use velamen_engine::source::{Input, ReadOptions, Rows};
use velamen_engine::{ColumnRequest, Derived, EngineError, Outside};

const LABEL: &str = "patients";

fn column(name: &str) -> Moment {
    Moment::of(name, Written::default())
}

fn derived() -> Derived {
    let days = |from, to| Days { from: column(from), to: column(to) };
    let of = |name: &str, formula| Derivation { name: name.into(), formula };
    let columns = vec![
        of("age", Formula::Age(days("birth", "admission"))),
        of("stay", Formula::Between(days("admission", "discharge"))),
        of("since", Formula::Between(days("admission", "2024-12-31"))),
        of("born", Formula::Year { of: "birth".into(), written: Written::default() }),
        of("kilograms", Formula::Rounded { of: "weight".into(), to: Step::new(2.5).unwrap() }),
    ];
    Derived { columns, where_absent: false }
}

fn options() -> ReadOptions {
    ReadOptions { derived: derived(), null: vec!["NA".into()], ..ReadOptions::default() }
}

fn request(input: &Input, name: &str, rule: Rule) -> ColumnRequest {
    let index = input.columns.iter().position(|column| column == name).unwrap();
    let (name, rule) = (name.to_owned(), Arc::new(rule));
    ColumnRequest { index, name, role: Role::Insensitive, rule, whole_domain: false }
}

/// The records of some columns, with their counts.
fn read(input: &Input, names: &[&str]) -> Result<BTreeMap<Vec<String>, u64>, EngineError> {
    let requests: Vec<ColumnRequest> = names.iter().map(|name| request(input, name, Rule::Flat)).collect();
    let table = with_context(|context| input.read(&requests, context))?;
    let mut counts = BTreeMap::new();
    for (&rest, &count) in table.rest_index.iter().zip(&table.counts) {
        let row = table.rest.row(rest as usize);
        let cells = table.rest.columns.iter().zip(row);
        *counts
            .entry(cells.map(|(column, code)| column.values[code as usize].clone()).collect())
            .or_default() += count;
    }
    Ok(counts)
}

/// A day as tables write it, or a missing one.
type Day = Option<(i64, i64, i64)>;

fn written(day: Day) -> String {
    day.map_or_else(|| "NA".into(), |(y, m, d)| format!("{y:04}-{m:02}-{d:02}"))
}

/// Days since the first of March of year 0, by the length of months.
fn number((y, m, d): (i64, i64, i64)) -> i64 {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let years: i64 = (0..y).map(|year| if leap(year) { 366 } else { 365 }).sum();
    let months = [31, if leap(y) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    years + months[..(m - 1) as usize].iter().sum::<i64>() + d
}

#[derive(Debug, Clone)]
struct Record {
    birth: Day,
    admission: Day,
    discharge: Day,
    /// In tenths.
    weight: Option<i64>,
}

impl Record {
    fn cells(&self) -> [String; 5] {
        let weight =
            self.weight.map_or_else(String::new, |tenths| format!("{}.{}", tenths / 10, tenths % 10));
        ["f".into(), written(self.birth), written(self.admission), written(self.discharge), weight]
    }

    /// `stay`, `age`, `admission`, `kilograms`, `since`, `born`.
    fn expected(&self) -> Vec<String> {
        let text = |value: Option<i64>| value.map_or_else(String::new, |value| value.to_string());
        let age = self.birth.zip(self.admission).map(|((y, m, d), at)| {
            // Without a 29 February the birthday is the day after the 28th.
            let had = (at.1, at.2) >= (m, d);
            at.0 - y - i64::from(!had)
        });
        let between = |from: Day, to: Day| from.zip(to).map(|(from, to)| number(to) - number(from));
        let kilograms = self.weight.map_or_else(String::new, |tenths| {
            let multiple = (tenths + 12) / 25;
            format!("{}{}", multiple * 25 / 10, if multiple % 2 == 1 { ".5" } else { "" })
        });
        let admission = if self.admission.is_none() { String::new() } else { written(self.admission) };
        let since = text(between(self.admission, Some((2024, 12, 31))));
        let born = text(self.birth.map(|birth| birth.0));
        vec![text(between(self.admission, self.discharge)), text(age), admission, kilograms, since, born]
    }
}

const NAMES: [&str; 6] = ["stay", "age", "admission", "kilograms", "since", "born"];

fn day(years: std::ops::Range<i64>) -> impl Strategy<Value = Day> {
    let day = prop_oneof![
        5 => (years.clone(), 1i64..13, 1i64..29),
        1 => years.prop_map(|year| (year / 4 * 4, 2, 29)),
    ];
    prop_oneof![8 => day.prop_map(Some), 1 => Just(None)]
}

fn record() -> impl Strategy<Value = Record> {
    let weight = prop_oneof![4 => (0i64..2000).prop_map(Some), 1 => Just(None)];
    (day(1904..2000), day(2004..2024), day(2004..2024), weight)
        .prop_map(|(birth, admission, discharge, weight)| Record { birth, admission, discharge, weight })
}

const HEADER: [&str; 5] = ["sex", "birth", "admission", "discharge", "weight"];

fn csv(records: &[Record], between: &str, quote: &str) -> Vec<u8> {
    let line =
        |cells: [String; 5]| format!("{}\n", cells.map(|cell| format!("{quote}{cell}{quote}")).join(between));
    let header = line(HEADER.map(str::to_owned));
    (header + &records.iter().map(|record| line(record.cells())).collect::<String>()).into_bytes()
}

fn ndjson(records: &[Record]) -> Vec<u8> {
    let line = |record: &Record| {
        let cells = HEADER.iter().zip(record.cells());
        let cells: Vec<String> = cells.map(|(name, cell)| format!("\"{name}\":\"{cell}\"")).collect();
        format!("{{{}}}\n", cells.join(","))
    };
    records.iter().map(line).collect::<String>().into_bytes()
}

/// Texts, but births as days of Arrow.
fn batch(records: &[Record]) -> RecordBatch {
    let column = |(place, name): (usize, &&'static str)| -> (&'static str, ArrayRef) {
        let epoch = number((1970, 1, 1));
        let births = records.iter().map(|record| record.birth.map(|birth| (number(birth) - epoch) as i32));
        let texts = records.iter().map(|record| Some(record.cells()[place].clone()));
        match *name {
            "birth" => (name, Arc::new(births.collect::<Date32Array>())),
            _ => (name, Arc::new(texts.collect::<StringArray>())),
        }
    };
    RecordBatch::try_from_iter(HEADER.iter().enumerate().map(column)).unwrap()
}

fn parquet(records: &[Record]) -> Vec<u8> {
    let (batch, mut bytes) = (batch(records), Vec::new());
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn of_batches(records: &[Record]) -> Input {
    let batches = vec![batch(records), batch(&records[..1])];
    let schema = batches[0].schema();
    Input::of_batches(Path::new(LABEL), &schema, batches, &options()).unwrap()
}

/// As a database gives them.
struct Asked(Vec<Record>);

impl Rows for Asked {
    fn open(&self, columns: &[usize]) -> std::io::Result<Box<dyn Read + Send>> {
        let line = |record: &Record| {
            let cells = record.cells();
            let asked: Vec<&str> = columns.iter().map(|&column| cells[column].as_str()).collect();
            format!("{},x\n", asked.join(","))
        };
        Ok(Box::new(std::io::Cursor::new(self.0.iter().map(line).collect::<String>())))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn derived_columns_are_what_a_naive_calendar_says(records in vec(record(), 1..40)) {
        // An age below 0 cannot be: births lie before admissions here.
        let mut expected: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        records.iter().for_each(|record| *expected.entry(record.expected()).or_default() += 1);
        let label = Path::new(LABEL);
        let rows = Arc::new(Asked(records.clone()));
        let header = HEADER.map(str::to_owned).to_vec();
        let bytes = |bytes: Vec<u8>| Input::of_bytes(label, bytes, &options()).unwrap();
        let tab = ReadOptions { delimiter: Some(b'\t'), ..options() };
        for (what, input) in [
            ("plain text", bytes(csv(&records, ",", ""))),
            ("quoted text", bytes(csv(&records, ",", "\""))),
            ("tabs", Input::of_bytes(label, csv(&records, "\t", ""), &tab).unwrap()),
            ("ndjson", bytes(ndjson(&records))),
            ("parquet", bytes(parquet(&records))),
            ("a database", Input::of_rows(label, header, rows, &options()).unwrap()),
        ] {
            for threads in [1, 3] {
                let found = on_threads(threads, || read(&input, &NAMES)).unwrap();
                prop_assert_eq!(&found, &expected, "{}", what);
            }
        }
        *expected.entry(records[0].expected()).or_default() += 1;
        prop_assert_eq!(read(&of_batches(&records), &NAMES).unwrap(), expected);
    }
}

fn message(input: Result<Input, EngineError>, names: &[&str]) -> String {
    input.and_then(|input| read(&input, names).map(drop)).unwrap_err().to_string()
}

fn of_text(text: &str) -> Result<Input, EngineError> {
    Input::of_bytes(Path::new("p.csv"), text.as_bytes().to_vec(), &options())
}

const GOOD: &str = "f,1950-01-02,2024-02-01,2024-02-03,70\n";

#[test]
fn a_bad_source_is_told_with_line_and_column_and_without_its_value() {
    let header = HEADER.join(",") + "\n";
    let bad = "f,SECRET,2024-02-01,2024-02-03,70\n";
    let said = message(of_text(&format!("{header}{GOOD}{GOOD}{bad}")), &["age"]);
    assert!(
        said.contains("line 4 (record 3), column `birth`: the value is not a date such as 2021-03-04"),
        "{said}"
    );
    assert!(said.contains("from which `age` follows") && !said.contains("SECRET"), "{said}");
    // In a later block, and behind a record of two lines.
    let many = GOOD.repeat(200_000);
    let said = message(of_text(&format!("{header}{many}\"f\n\"{}{bad}", &GOOD[1..])), &["stay", "age"]);
    assert!(said.contains("line 200004 (record 200002), column `birth`"), "{said}");
    let number = "f,1950-01-02,2024-02-01,2024-02-03,heavy\n";
    let said = message(of_text(&format!("{header}{GOOD}{number}")), &["kilograms"]);
    assert!(said.contains("line 3 (record 2), column `weight`: the value is not a number"), "{said}");
    // The record that stands first, whatever the columns' order.
    let said = message(of_text(&format!("{header}{number}{bad}")), &["born", "kilograms"]);
    assert!(said.contains("line 2 (record 1), column `weight`"), "{said}");
}

#[test]
fn an_admission_before_the_birth_is_told() {
    let header = HEADER.join(",") + "\n";
    let said = message(of_text(&format!("{header}{GOOD}f,2024-02-02,2024-02-01,2024-02-03,70\n")), &["age"]);
    assert!(
        said.contains("line 3 (record 2), column `age`: the day of the age lies before the birth"),
        "{said}"
    );
    let json = "{\"birth\":\"2024-02-02\",\"admission\":\"2024-02-01\",\"discharge\":\"\",\"weight\":1}\n";
    let input = Input::of_bytes(Path::new("p.ndjson"), format!("\n{json}").into_bytes(), &options());
    let said = message(input, &["age"]);
    assert!(said.contains("line 2 (record 1), column `age`"), "{said}");
    let bad =
        Record { birth: Some((2024, 2, 2)), admission: Some((2024, 2, 1)), discharge: None, weight: None };
    let good = Record { birth: Some((1924, 2, 2)), ..bad.clone() };
    let records = [vec![good; 70_000], vec![bad]].concat();
    let said = message(Input::of_bytes(Path::new("p"), parquet(&records), &options()), &["age"]);
    assert!(said.contains("record 70001, column `age`"), "{said}");
    assert!(message(Ok(of_batches(&records)), &["age"]).contains("record 70001, column `age`"));
}

#[test]
fn a_derived_value_outside_its_hierarchy_is_told_as_any_other() {
    let header = HEADER.join(",") + "\n";
    let input = of_text(&format!("{header}{GOOD}{GOOD}")).unwrap();
    let requests = [request(&input, "age", rule(["1", "2"]))];
    let said = with_context(|context| input.read(&requests, context)).unwrap_err().to_string();
    assert!(
        said.contains("line 2 (record 1), column `age`: the value is not in the attribute's hierarchy"),
        "{said}"
    );
    assert!(said.contains("lacks 1 different value of the column, in 2 records"), "{said}");
}

#[test]
fn where_records_are_kept_apart_bad_sources_are_malformed() {
    let header = HEADER.join(",") + "\n";
    let text = format!("{header}{GOOD}f,x,2024-02-01,2024-02-03,70\nf,2024-02-02,2024-02-01,,\n{GOOD}");
    let apart = ReadOptions { outside: Outside::Apart, ..options() };
    let input = Input::of_bytes(Path::new("p.csv"), text.into_bytes(), &apart).unwrap();
    let table = with_context(|context| input.read(&[request(&input, "age", Rule::Flat)], context)).unwrap();
    assert_eq!((&table.counts[..], table.strays.malformed), (&[2][..], 2));
}

#[test]
fn columns_that_clash_or_lack_are_told_on_opening() {
    let said = message(of_text("birth,admission,weight\n"), &[]);
    assert!(said.contains("derived column `stay`: the table has no column `discharge`"), "{said}");
    let text = format!("age,{}\n", HEADER.join(","));
    assert!(
        message(of_text(&text), &[]).contains("derived column `age`: the table has a column of that name")
    );
    let absent = ReadOptions { derived: Derived { where_absent: true, ..derived() }, ..options() };
    let input = Input::of_bytes(Path::new("p.csv"), b"age,birth,weight\n".to_vec(), &absent).unwrap();
    assert_eq!(input.columns, ["age", "birth", "weight", "born", "kilograms"]);
}
