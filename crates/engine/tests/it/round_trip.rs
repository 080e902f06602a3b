//! What is written in any format reads back as it was.
use crate::common::{Records, on_threads, read, records, with_context};
use arrow_schema::{DataType, TimeUnit};
use velamen_core::hierarchy::Rule;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Input, ReadOptions};

const FORMATS: [&str; 11] = [
    "csv",
    "csv.gz",
    "csv.zst",
    "tsv",
    "tsv.gz",
    "parquet",
    "arrow",
    "feather",
    "ndjson",
    "ndjson.gz",
    "ndjson.zst",
];

fn column(name: &str, kind: ColumnKind, labels: &[&str]) -> OutColumn {
    OutColumn { name: name.into(), labels: labels.iter().map(|label| (*label).to_owned()).collect(), kind }
}

/// Every type that is written, with missing values; `rows` distinct rows, some many times.
fn table(rows: usize) -> OutTable {
    let timestamp = DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into()));
    let columns = vec![
        column("nasty, \"name\"", ColumnKind::Text, &["", "a", "a,\"b\"\n\r\n;\tc", "é漢", " x ", "\\u0041"]),
        column("integer", ColumnKind::Integer, &["-5", "", "0", "9223372036854775807"]),
        column("suppressed", ColumnKind::Integer, &["12", "*"]),
        column("float", ColumnKind::As(DataType::Float64), &["0.1", "35", "-2.5e-7", ""]),
        column("bool", ColumnKind::As(DataType::Boolean), &["true", "false", ""]),
        column("date", ColumnKind::As(DataType::Date32), &["2024-02-29", "", "1899-12-31"]),
        column("time", ColumnKind::As(timestamp), &["2024-02-29T12:30:00Z", "2024-02-29T12:30:00.250Z"]),
        column("decimal", ColumnKind::As(DataType::Decimal128(9, 2)), &["1.50", "-0.01", ""]),
        column("large", ColumnKind::As(DataType::LargeUtf8), &["x", "y"]),
        column("numbers", ColumnKind::As(DataType::Float64), &["[1-2]", "7"]),
    ];
    let width = |column: usize| columns[column].labels.len();
    let codes = (0..columns.len())
        .map(|c| (0..rows).map(|row| ((row * 7 + row / 5 + c) % width(c)) as u32).collect());
    OutTable {
        codes: codes.collect(),
        counts: (0..rows).map(|row| [1, 3, 0, 40][row % 4]).collect(),
        columns,
    }
}

fn expected(table: &OutTable) -> Records {
    let mut records = Records::new();
    for (row, &count) in table.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let cells = table.columns.iter().zip(&table.codes);
        let record = cells.map(|(column, codes)| column.labels[codes[row] as usize].clone()).collect();
        *records.entry(record).or_default() += count;
    }
    records
}

fn write(table: &OutTable, format: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join(format!("out.{format}"));
    with_context(|context| table.write(&path, format.parse().unwrap(), b',', context)).unwrap();
    (folder, path)
}

#[test]
fn every_format_reads_back() {
    for (format, rows) in FORMATS.iter().flat_map(|format| [(format, 7), (format, 8000)]) {
        let table = table(rows);
        let (_folder, path) = write(&table, format);
        for threads in [1, 2] {
            let back = on_threads(threads, || read(&path, Rule::Flat, &ReadOptions::default())).unwrap();
            let (back, expected) = (records(&back), expected(&table));
            let lost = expected.iter().find(|(record, count)| back.get(*record) != Some(count));
            assert_eq!(lost, None, "{format}, {rows} rows, {threads} threads");
            assert_eq!(back.len(), expected.len());
        }
    }
}

#[test]
fn records_in_order_are_those_of_the_file() {
    let table = table(8000);
    let rows = (0..table.counts.len()).flat_map(|row| vec![row; table.counts[row] as usize]);
    let label = |c: usize, row: usize| &table.columns[c].labels[table.codes[c][row] as usize];
    let columns: Vec<usize> = (0..table.columns.len()).collect();
    let expected: Vec<Vec<&String>> =
        rows.map(|row| columns.iter().map(|&c| label(c, row)).collect()).collect();
    for format in FORMATS {
        let (_folder, path) = write(&table, format);
        let input = Input::open(&path, &ReadOptions::default()).unwrap();
        let requests = crate::common::requests(&input.columns, Rule::Flat);
        // One worker, whatever the number of threads.
        let ordered = on_threads(2, || with_context(|context| input.read_in_order(&requests, context)));
        let ordered = ordered.unwrap();
        let cell = |c: usize, record: usize| &ordered.values[c][ordered.codes[c][record] as usize];
        let found: Vec<Vec<&String>> = (0..ordered.codes[0].len())
            .map(|record| columns.iter().map(|&c| cell(c, record)).collect())
            .collect();
        assert!(found == expected, "{format}");
    }
}

#[test]
fn equal_tables_give_equal_bytes() {
    for format in FORMATS {
        let bytes = |threads| {
            let (_folder, path) = on_threads(threads, || write(&table(5000), format));
            std::fs::read(path).unwrap()
        };
        assert!(bytes(1) == bytes(2), "{format}");
    }
}

#[test]
fn types_survive() {
    for format in ["parquet", "arrow"] {
        let table = table(10);
        let (_folder, path) = write(&table, format);
        let kinds = Input::open(&path, &ReadOptions::default()).unwrap().kinds().unwrap();
        for (kind, column) in kinds.iter().zip(&table.columns) {
            let expected = match (&column.kind, column.name.as_str()) {
                (ColumnKind::Text, _) | (_, "suppressed" | "numbers") => DataType::Utf8,
                (ColumnKind::Integer, _) => DataType::Int64,
                (ColumnKind::As(kind), _) => kind.clone(),
            };
            assert_eq!(*kind, expected, "{format}, {}", column.name);
        }
    }
}

#[test]
fn json_has_types_and_nulls() {
    let mut table = table(1);
    table.codes = [1, 1, 0, 0, 0, 0, 0, 0, 0, 1].map(|code| vec![code]).to_vec();
    let (_folder, path) = write(&table, "ndjson");
    let expected = concat!(
        r#"{"nasty, \"name\"":"a","integer":null,"suppressed":12,"float":0.1,"bool":true,"date":"2024-02-29","#,
        r#""time":"2024-02-29T12:30:00Z","decimal":1.50,"large":"x","numbers":7}"#,
        "\n"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    let kinds = Input::open(&path, &ReadOptions::default()).unwrap().kinds().unwrap();
    assert_eq!(
        kinds[..5],
        [DataType::Utf8, DataType::Null, DataType::Int64, DataType::Float64, DataType::Boolean]
    );
}
