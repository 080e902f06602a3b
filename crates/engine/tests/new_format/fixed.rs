//! A format that no one has: the name of each column and then each cell stand in a field of ten characters.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use velamen_engine::format::{Entry, Facts, Programs, Reader, Sign, Writer};
use velamen_engine::sink::{Lines, OutTable};
use velamen_engine::source::{Form, Header, Reading, SourceFile};
use velamen_engine::{EngineError, Worker};

const WIDTH: usize = 10;

/// Lines that are read at once.
const BATCH: usize = 3;

pub(crate) static ENTRY: Entry = Entry {
    name: "fixed",
    also: &[],
    extensions: &["fwf"],
    sign: Some(Sign { bytes: b"#fixed\n", sure: true }),
    programs: Programs { pandas: "", polars: "", r: "", duckdb: "" },
    facts: Facts { delimited: None, keyed: false, packs_itself: false, media_type: "text/plain" },
    reader: Reader { open, read, count: None },
    lacks: None,
    writer: Writer::Lines(lines),
    rewrite: |file, _, out| {
        let written = out.to.write_all(text(file)?.as_bytes());
        written.map_err(|error| EngineError::Limit(error.to_string().into()))
    },
};

fn open(file: &SourceFile, _: &Form) -> Result<Header, EngineError> {
    let text = text(file)?;
    let columns = fields(text.lines().nth(1).unwrap_or_default());
    let kinds = Some(vec![DataType::Utf8; columns.len()]);
    Ok(Header { columns, kinds, delimiter: None })
}

fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let positions = reading.positions()?;
    let text = text(reading.file())?;
    let records: Vec<Vec<String>> = text.lines().skip(2).map(fields).collect();
    reading.batches(records.chunks(BATCH).map(|records| {
        let array = |&position: &usize| {
            let cells = records.iter().map(|record| record.get(position).filter(|cell| !cell.is_empty()));
            Arc::new(cells.collect::<StringArray>()) as ArrayRef
        };
        let field = |position: &usize| Field::new(&reading.names()[*position], DataType::Utf8, true);
        let schema = Schema::new(positions.iter().map(field).collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), positions.iter().map(array).collect()).ok()
    }))
}

fn lines(table: &OutTable, _: u8) -> Lines<'_> {
    let padded = |text: &String| format!("{text:WIDTH$}").into_bytes();
    let names: Vec<Vec<u8>> = table.columns.iter().map(|column| padded(&column.name)).collect();
    Lines {
        table,
        header: [b"#fixed\n".as_slice(), &names.concat(), b"\n"].concat(),
        cells: table.columns.iter().map(|column| column.labels.iter().map(padded).collect()).collect(),
        open: b"",
        between: Vec::new(),
        close: b"\n",
    }
}

fn text(file: &SourceFile) -> Result<String, EngineError> {
    let mut text = String::new();
    file.reader()?.read_to_string(&mut text).map_err(file.failed("read"))?;
    Ok(text)
}

fn fields(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    characters.chunks(WIDTH).map(|field| field.iter().collect::<String>().trim_end().to_owned()).collect()
}
