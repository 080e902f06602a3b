//! Batches in memory are read as Parquet of the same types is, and tables are written to memory as to files.
use std::path::Path;
use std::sync::Arc;

use crate::common::{Records, records, requests, rule, with_context};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_cast::cast;
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use proptest::collection::vec;
use proptest::prelude::*;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_engine::format::FORMATS;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{Compression, DataProblem, EngineError, FileFormat};

const LABEL: &str = "the table";

fn of_batches(batches: &[RecordBatch]) -> Input {
    let schema = batches[0].schema();
    Input::of_batches(Path::new(LABEL), &schema, batches.to_vec(), &ReadOptions::default()).unwrap()
}

fn of_bytes(bytes: Vec<u8>) -> Input {
    Input::of_bytes(Path::new(LABEL), bytes, &ReadOptions::default()).unwrap()
}

fn read(input: &Input) -> FrequencyTable {
    with_context(|context| input.read(&requests(&input.columns, Rule::Flat), context)).unwrap()
}

fn parquet(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batches[0].schema(), None).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    bytes
}

/// A type, and texts that are its values.
fn kinds() -> Vec<(DataType, [&'static str; 3])> {
    let dictionary = |value| DataType::Dictionary(Box::new(DataType::Int8), Box::new(value));
    let berlin = DataType::Timestamp(TimeUnit::Microsecond, Some("+01:00".into()));
    vec![
        (DataType::Int8, ["-5", "0", "7"]),
        (DataType::UInt16, ["1", "20", "65535"]),
        (DataType::Int64, ["-5", "9223372036854775807", "35"]),
        (DataType::Float32, ["0.1", "35", "1e20"]),
        (DataType::Float64, ["0.1", "35", "-2.5e-7"]),
        (DataType::Boolean, ["true", "false", "true"]),
        (DataType::Date32, ["2024-02-29", "1899-12-31", "1970-01-01"]),
        (DataType::Timestamp(TimeUnit::Second, None), ["2024-02-29T12:30:00", "1970-01-01T00:00:00", ""]),
        (berlin, ["2024-02-29T12:30:00Z", "2024-02-29T12:30:00.250Z", ""]),
        (DataType::Decimal128(9, 2), ["1.50", "-0.01", "12345.67"]),
        (DataType::Utf8, ["a", "é漢", " x "]),
        (DataType::LargeUtf8, ["longer than seven", "y", "z"]),
        (DataType::Utf8View, ["seven b", "twelve bytes", "longer than twelve bytes"]),
        (dictionary(DataType::Utf8), ["E11", "I10", "a,\"b\""]),
    ]
}

/// One column of each type, from the places of its texts; the last place is a missing value.
fn batch(rows: &[Vec<usize>]) -> RecordBatch {
    let column = |(at, (kind, texts)): (usize, &(DataType, [&str; 3]))| {
        let text = |row: &Vec<usize>| texts.get(row[at]).copied().filter(|text| !text.is_empty());
        cast(&(Arc::new(rows.iter().map(text).collect::<StringArray>()) as ArrayRef), kind).unwrap()
    };
    let kinds = kinds();
    let columns: Vec<ArrayRef> = kinds.iter().enumerate().map(column).collect();
    let field =
        |(at, column): (usize, &ArrayRef)| Field::new(format!("c{at}"), column.data_type().clone(), true);
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options).unwrap()
}

/// A table's rows as they are to be written, with the input's types.
fn out(input: &Input, table: &FrequencyTable) -> OutTable {
    let labels = std::iter::once(table.qis[0].hierarchy.labels(0).to_vec())
        .chain(table.rest.columns.iter().map(|column| column.values.clone()));
    let kinds = input.kinds().unwrap().into_iter().map(ColumnKind::As);
    let column = |((name, labels), kind): ((&String, _), _)| OutColumn { name: name.clone(), labels, kind };
    let rest = |codes: &Vec<u32>| table.rest_index.iter().map(|&row| codes[row as usize]).collect();
    OutTable {
        columns: input.columns.iter().zip(labels).zip(kinds).map(column).collect(),
        codes: std::iter::once(table.codes[0].clone()).chain(table.rest.codes.iter().map(rest)).collect(),
        counts: table.counts.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn typed_batches_are_what_parquet_of_the_same_types_is(
        rows in vec(vec(0usize..4, kinds().len()), 1..40),
        cut in 0usize..40,
    ) {
        let (head, tail) = rows.split_at(cut.min(rows.len()));
        let batches = [batch(head), batch(tail)];
        let (input, file) = (of_batches(&batches), of_bytes(parquet(&batches)));
        prop_assert_eq!(input.kinds(), file.kinds());
        let table = read(&input);
        prop_assert_eq!(format!("{table:?}"), format!("{:?}", read(&file)));
        // Values that did not change come out with the types that they came in with; a view of text is text.
        let released = out(&input, &table);
        let arrow: FileFormat = "arrow".parse().unwrap();
        let bytes = with_context(|context| released.to_bytes(arrow, b',', context)).unwrap();
        let back = FileReader::try_new(std::io::Cursor::new(&bytes), None).unwrap().schema();
        let back = back.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
        let text = |kind: DataType| if kind == DataType::Utf8View { DataType::Utf8 } else { kind };
        prop_assert_eq!(Some(back), input.kinds().map(|kinds| kinds.into_iter().map(text).collect()));
        prop_assert_eq!(records(&read(&of_bytes(bytes))), records(&table));
    }
}

#[test]
fn a_csv_and_its_columns_as_strings_are_the_same_table() {
    let csv = "a,b\nx,1\ny,\n\"x\",1\n,3\nx,1\n";
    let cells = |column: [&'static str; 5]| -> ArrayRef { Arc::new(StringArray::from(column.to_vec())) };
    let columns = [("a", cells(["x", "y", "x", "", "x"])), ("b", cells(["1", "", "1", "3", "1"]))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let pieces: Vec<RecordBatch> = (0..5).map(|row| batch.slice(row, 1)).collect();
    let expected = format!("{:?}", read(&of_bytes(csv.into())));
    assert_eq!(format!("{:?}", read(&of_batches(&[batch]))), expected);
    assert_eq!(format!("{:?}", read(&of_batches(&pieces))), expected);
}

#[test]
fn bytes_in_memory_are_those_of_the_file() {
    let column = |name: &str, labels: &[&str]| OutColumn {
        name: name.into(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        kind: ColumnKind::Text,
    };
    let table = OutTable {
        columns: vec![column("a", &["x", "", "z, \"y\"\n"]), column("b", &["1", "2"])],
        codes: vec![vec![0, 1, 2, 0], vec![0, 0, 1, 1]],
        counts: vec![3, 1, 2, 70_000],
    };
    let folder = tempfile::tempdir().unwrap();
    let mut expected: Option<Records> = None;
    for format in FORMATS.iter().filter(|format| format.is_written()) {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let format = FileFormat { format, compression };
            let path = folder.path().join(format!("out.{}", format.extension()));
            with_context(|context| table.write(&path, format, b',', context)).unwrap();
            let bytes = with_context(|context| table.to_bytes(format, b',', context)).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes, "{}", format.extension());
            if format.format.facts.packs_itself && compression != Compression::None {
                continue;
            }
            let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
            let input = Input::of_bytes(Path::new(LABEL), bytes, &options).unwrap();
            let found = records(&read(&input));
            assert_eq!(expected.get_or_insert_with(|| found.clone()), &found, "{}", format.extension());
        }
    }
}

#[test]
fn faults_of_batches_are_told_without_a_value() {
    let column = |cells: Vec<&'static str>| -> ArrayRef { Arc::new(StringArray::from(cells)) };
    let batch = |name, cells| RecordBatch::try_from_iter([(name, column(cells))]).unwrap();
    let batches = [batch("a", vec!["x", "y"]), batch("a", vec!["x", "secret-cell"])];
    let input = of_batches(&batches);
    let error = with_context(|context| input.read(&requests(&input.columns, rule(["x", "y"])), context));
    let told = error.unwrap_err().to_string();
    assert!(told.starts_with("the table: record 4, column `a`"), "{told}");
    assert!(!told.contains("secret-cell"), "{told}");

    let other = [batch("a", vec!["x"]), batch("b", vec!["x"])];
    let opened =
        Input::of_batches(Path::new(LABEL), &other[0].schema(), other.to_vec(), &ReadOptions::default());
    let Err(EngineError::Data { problem: DataProblem::Format(problem), .. }) = opened else { panic!() };
    assert!(problem.to_string().starts_with("batch 2 "), "{problem}");
}
