//! A format: text, a record a line, cells parted by bars.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use velamen_engine::format::{Entry, Facts, Programs, Reader, Sign, Writer};
use velamen_engine::sink::{Lines, OutTable};
use velamen_engine::source::{Form, Header, Reading, SourceFile};
use velamen_engine::{EngineError, Worker};

/// Records that are read at once.
const BATCH: usize = 1000;

pub(crate) static ENTRY: Entry = Entry {
    programs: Programs { pandas: "data = pd.read_fwf(\"{file}\")", polars: "", r: "", duckdb: "" },
    name: "toy",
    also: &[],
    extensions: &[],
    sign: Some(Sign { bytes: b"#toy\n", sure: true }),
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
    let columns = cells(text(file)?.lines().nth(1).unwrap_or_default());
    Ok(Header { kinds: Some(vec![DataType::Utf8; columns.len()]), columns, delimiter: None })
}

fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let (positions, text) = (reading.positions()?, text(reading.file())?);
    let records: Vec<Vec<String>> = text.lines().skip(2).map(cells).collect();
    reading.batches(records.chunks(BATCH).map(|records| {
        let array = |&column: &usize| {
            let cells = records.iter().map(|cells| cells.get(column).filter(|cell| !cell.is_empty()));
            Arc::new(cells.collect::<StringArray>()) as ArrayRef
        };
        let field = |&column: &usize| Field::new(&reading.names()[column], DataType::Utf8, true);
        let schema = Schema::new(positions.iter().map(field).collect::<Vec<_>>());
        RecordBatch::try_new(Arc::new(schema), positions.iter().map(array).collect()).ok()
    }))
}

fn lines(table: &OutTable, _: u8) -> Lines<'_> {
    let plain = |text: &String| text.replace(['|', '\n'], " ").into_bytes();
    let names: Vec<Vec<u8>> = table.columns.iter().map(|column| plain(&column.name)).collect();
    Lines {
        table,
        header: [b"#toy\n", &names.join(&b'|')[..], b"\n"].concat(),
        cells: table.columns.iter().map(|column| column.labels.iter().map(plain).collect()).collect(),
        open: b"",
        between: b"|".to_vec(),
        close: b"\n",
    }
}

fn text(file: &SourceFile) -> Result<String, EngineError> {
    let mut text = String::new();
    file.reader()?.read_to_string(&mut text).map_err(file.failed("read"))?;
    Ok(text)
}

fn cells(line: &str) -> Vec<String> {
    line.split('|').map(str::to_owned).collect()
}
