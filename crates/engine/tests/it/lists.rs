//! Lists of plain values as cells, where they are asked for.
use std::path::Path;
use std::sync::Arc;

use crate::common::with_context;
use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};

const CELLS: [&str; 4] = [r#"["I10","E11"]"#, "", r#"["a \"b\""]"#, "[]"];

fn batch() -> RecordBatch {
    let mut codes = ListBuilder::new(StringBuilder::new());
    codes.append_value([Some("I10"), None, Some("E11")]);
    codes.append_null();
    codes.append_value([Some("a \"b\"")]);
    codes.append_value::<[Option<&str>; 0], _>([]);
    let mut numbers = ListBuilder::new(Int64Builder::new());
    (0..4).for_each(|row| numbers.append_value([Some(row), Some(-row)]));
    let names: ArrayRef = Arc::new(StringArray::from(vec!["p", "q", "r", "s"]));
    let codes: ArrayRef = Arc::new(codes.finish());
    let numbers: ArrayRef = Arc::new(numbers.finish());
    RecordBatch::try_from_iter_with_nullable([
        ("codes", codes, true),
        ("name", names, true),
        ("numbers", numbers, true),
    ])
    .unwrap()
}

fn options() -> ReadOptions {
    ReadOptions { lists: true, ..ReadOptions::default() }
}

/// The cells of a column, row by row.
fn cells(input: &Input, index: usize) -> Result<Vec<String>, String> {
    let requests = [ColumnRequest::as_recorded(index, &input.columns[index])];
    let read = with_context(|context| input.read_in_order(&requests, context));
    let read = read.map_err(|error| error.to_string())?;
    Ok(read.codes[0].iter().map(|&code| read.values[0][code as usize].clone()).collect())
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn lists_are_the_same_in_memory_and_in_parquet() {
    let batch = batch();
    let memory = Input::of_batches(Path::new("t"), &batch.schema(), vec![batch.clone()], &options()).unwrap();
    let file = Input::of_bytes(Path::new("t.parquet"), parquet(&batch), &options()).unwrap();
    for input in [memory, file] {
        assert_eq!(cells(&input, 0).unwrap(), CELLS);
        assert_eq!(cells(&input, 1).unwrap(), ["p", "q", "r", "s"]);
        assert_eq!(cells(&input, 2).unwrap()[1], r#"["1","-1"]"#);
    }
}

#[test]
fn categories_in_long_lists_are_their_texts() {
    let categories = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    for of in [DataType::LargeUtf8, DataType::Utf8View, categories] {
        let kind = DataType::LargeList(Arc::new(Field::new_list_field(of, true)));
        let column = cast(batch().column(0), &kind).unwrap();
        let batch = RecordBatch::try_from_iter([("codes", column)]).unwrap();
        let schema = batch.schema();
        let input = Input::of_batches(Path::new("t"), &schema, vec![batch], &options()).unwrap();
        assert_eq!(cells(&input, 0).unwrap(), CELLS);
    }
}

#[test]
fn lists_of_ndjson_are_cells() {
    let text = "{\"codes\": [\"I10\", null, \"E11\"], \"name\": \"p\"}\n{\"codes\": null}\n\
                {\"codes\": [\"a \\\"b\\\"\"]}\n{\"codes\": []}\n";
    let input = Input::of_bytes(Path::new("t.ndjson"), text.as_bytes().to_vec(), &options()).unwrap();
    assert_eq!(cells(&input, 0).unwrap(), CELLS);
    let numbers = Input::of_bytes(Path::new("t.ndjson"), b"{\"n\": [1, 2.50]}\n".to_vec(), &options());
    assert_eq!(cells(&numbers.unwrap(), 0).unwrap(), [r#"["1","2.50"]"#]);
    let nested = Input::of_bytes(Path::new("t.ndjson"), b"{\"n\": [[1]]}\n".to_vec(), &options());
    assert!(cells(&nested.unwrap(), 0).unwrap_err().contains("nested"));
}

#[test]
fn nobody_gets_lists_who_did_not_ask_for_them() {
    let batch = batch();
    let (schema, plain) = (batch.schema(), ReadOptions::default());
    let input = Input::of_batches(Path::new("t"), &schema, vec![batch], &plain).unwrap();
    assert!(cells(&input, 0).is_err());
    assert!(cells(&input, 1).is_ok());
}
