//! One JSON object per line. A cell's text is what stands in the file, so numbers keep their form;
//! a missing key is a missing value.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::sync::{Mutex, PoisonError};

use arrow_schema::{DataType, Field, Fields, Schema};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use velamen_core::error::Problem;

use super::entry::{Entry, Facts, Programs, Reader, Sign, Writer};
use crate::error::{DataProblem, EngineError};
use crate::fault::{Fault, FaultKind};
use crate::sink::lines::{BATCH, Lines};
use crate::sink::out::Out;
use crate::sink::table::{ColumnKind, OutColumn, OutTable};
use crate::source::blocks::{Block, Blocks, Ends, LONGEST_RECORD};
use crate::source::cells;
use crate::source::columnar;
use crate::source::file::SourceFile;
use crate::source::form::{Form, Header};
use crate::source::reading::Reading;
use crate::source::share::{PartSize, Parts, run};
use crate::source::text::{bom, head, unmarked};
use crate::worker::Worker;

pub(super) const ENTRY: Entry = Entry {
    name: "ndjson",
    also: &[],
    extensions: &["jsonl", "json"],
    // A name says more: text of other formats can begin so.
    sign: Some(Sign { bytes: b"{", sure: false }),
    facts: Facts { delimited: None, keyed: true, packs_itself: false, media_type: "application/x-ndjson" },
    reader: Reader { open, read, count: None },
    writer: Writer::Lines(lines),
    rewrite,
    programs: Programs {
        pandas: "data = pd.read_json(\"{file}\", lines=True, dtype=False)",
        polars: "data = pl.read_ndjson(\"{file}\")",
        r: "data <- jsonlite::stream_in(file(\"{file}\"), verbose = FALSE)",
        duckdb: "CREATE TABLE data AS FROM read_json('{file}', format = 'newline_delimited');",
    },
    lacks: None,
};

/// What first bytes are looked for by: any will do.
const DELIMITER: u8 = b',';

fn no_object() -> Problem {
    Problem::new("this is not a JSON object").expected("one object per line")
}

/// Which of both values is meant nobody knows. The name can be a value of a damaged line.
fn twice() -> Problem {
    Problem::new("a name stands twice in one object").mend("keep one of both in each line")
}

/// The columns: those that were declared, or all.
fn open(file: &SourceFile, form: &Form) -> Result<Header, EngineError> {
    match &form.declared {
        Some(columns) => Ok(Header { columns: columns.clone(), ..Header::default() }),
        None => Ok(Header::typed(&schema(file)?)),
    }
}

/// The columns in the order in which they first occur, by reading the whole file once.
fn schema(file: &SourceFile) -> Result<Schema, EngineError> {
    let (head, ended, reader) = head(file, DELIMITER)?;
    let text = &head[bom(&head)..];
    let refuse = |problem| Err(file.refused(problem));
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return refuse(DataProblem::Empty),
        Some(b'[') => {
            let problem = Problem::new("this is a JSON array")
                .mend("write one object per line, for example with `jq -c '.[]'`");
            return refuse(DataProblem::Format(problem));
        }
        Some(_) => {}
    }
    let mut blocks = Blocks::new(reader, text.to_vec(), ended, Ends::Lines);
    let handed_out = std::iter::from_fn(|| blocks.next().transpose());
    let found = handed_out.par_bridge().map(|block| {
        let (number, block) = block.map_err(|error| error.explain(file.path()))?;
        Ok((number, FoundColumns::in_block(&block.bytes)))
    });
    let mut found: Vec<(u64, FoundColumns)> = found.collect::<Result<_, EngineError>>()?;
    found.sort_by_key(|(number, _)| *number);
    let mut all = FoundColumns::default();
    for (_, found) in found {
        if let Some((line, problem)) = found.bad_line {
            return refuse(DataProblem::Format(problem().after(&format!("line {}: ", all.lines + line))));
        }
        all.merge(found);
    }
    let field = |(name, kind)| Field::new(name, kind, true);
    Ok(Schema::new(all.columns.into_iter().map(field).collect::<Vec<_>>()))
}

/// Columns and their types so far.
#[derive(Default)]
struct FoundColumns {
    columns: Vec<(String, DataType)>,
    places: FxHashMap<String, usize>,
    /// The last line that has each.
    last_lines: Vec<u64>,
    lines: u64,
    /// The first line that is none, and why.
    bad_line: Option<(u64, fn() -> Problem)>,
}

impl FoundColumns {
    fn in_block(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            found.lines += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let mut once = true;
            let read = read_object(line, |key, value| once &= found.see(key, kind_of(value.get())));
            if read.is_err() || !once {
                let problem = if once { no_object } else { twice };
                found.bad_line = Some((found.lines, problem));
                break;
            }
        }
        found
    }

    /// Takes a key of a line; `false` if the line had it before.
    fn see(&mut self, key: &str, kind: DataType) -> bool {
        let place = self.add(key, kind);
        std::mem::replace(&mut self.last_lines[place], self.lines) != self.lines
    }

    /// The place of a column.
    fn add(&mut self, key: &str, kind: DataType) -> usize {
        if let Some(&place) = self.places.get(key) {
            let known = &mut self.columns[place].1;
            if *known != kind {
                *known = common(known, &kind);
            }
            return place;
        }
        self.places.insert(key.to_owned(), self.columns.len());
        self.columns.push((key.to_owned(), kind));
        self.last_lines.push(0);
        self.columns.len() - 1
    }

    fn merge(&mut self, other: Self) {
        self.lines += other.lines;
        for (key, kind) in other.columns {
            self.add(&key, kind);
        }
    }
}

/// The type of a value as it stands in the file.
fn kind_of(raw: &str) -> DataType {
    match raw.as_bytes()[0] {
        b'n' => DataType::Null,
        b't' | b'f' => DataType::Boolean,
        b'"' => DataType::Utf8,
        b'{' => DataType::Struct(Fields::empty()),
        b'[' => DataType::new_list(DataType::Null, true),
        _ if raw.parse::<i64>().is_ok() => DataType::Int64,
        _ if raw.contains(['.', 'e', 'E']) => DataType::Float64,
        // A longer number would lose digits.
        _ => DataType::Utf8,
    }
}

/// The type that holds values of both.
fn common(a: &DataType, b: &DataType) -> DataType {
    match (a, b) {
        (DataType::Null, other) | (other, DataType::Null) => other.clone(),
        (nested, _) | (_, nested) if nested.is_nested() => nested.clone(),
        (DataType::Int64 | DataType::Float64, DataType::Int64 | DataType::Float64) => DataType::Float64,
        _ => DataType::Utf8,
    }
}

/// Reads all records on all cores.
fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    columnar::check(reading)?;
    let (head, ended, reader) = head(reading.file, DELIMITER)?;
    let text = head[bom(&head)..].to_vec();
    let by_lines = reading.form.by_lines();
    let blocks = Mutex::new(Blocks::new(reader, text, ended, Ends::Lines).skipping(by_lines));
    let requests = reading.in_file().map(|(request, column)| (column.name.as_str(), request)).collect();
    let lines = Objects { blocks, requests, reading };
    let mut workers = run(&lines, reading, Some(0))?;
    let skipped = lines.blocks.into_inner().unwrap_or_else(PoisonError::into_inner).skipped();
    workers.iter_mut().take(1).for_each(|worker| worker.strays.malformed += skipped);
    Ok(workers)
}

struct Objects<'a> {
    blocks: Mutex<Blocks>,
    requests: FxHashMap<&'a str, usize>,
    reading: Reading<'a>,
}

impl Parts for Objects<'_> {
    type Part = Block;
    type Scratch = ();

    fn next(&self) -> Result<Option<(u64, Block)>, EngineError> {
        Blocks::hand_out(&self.blocks, self.reading)
    }

    fn encode(&self, block: Block, worker: &mut Worker, (): &mut ()) -> Result<PartSize, Fault> {
        let mut size = PartSize::default();
        let mut kept = 0;
        let mut cells = vec![None; self.reading.columns.len()];
        for line in block.bytes.split_inclusive(|&byte| byte == b'\n') {
            size.lines += 1;
            let line = if worker.apart { unmarked(line) } else { line };
            if line.trim_ascii().is_empty() {
                continue;
            }
            size.records += 1;
            if worker.apart && line.strip_suffix(b"\n").unwrap_or(line).len() > LONGEST_RECORD {
                worker.drop_malformed(kept);
                continue;
            }
            let fault = |kind| Fault { record: size.records, line: Some(size.lines), kind };
            cells.fill(None);
            let encoded = self.fill(line, &mut cells).and_then(|()| self.push(&cells, worker));
            match encoded {
                Ok(()) => kept += 1,
                Err(_) if worker.apart => worker.drop_malformed(kept),
                Err(kind) => return Err(fault(kind)),
            }
        }
        worker.flush(kept).map_err(|fault| in_line(&block, fault))?;
        Blocks::take_back(&self.blocks, block);
        Ok(size)
    }
}

impl Objects<'_> {
    /// The cells of a line that are asked for.
    fn fill<'l>(&self, line: &'l [u8], cells: &mut [Option<&'l RawValue>]) -> Result<(), FaultKind> {
        let mut once = true;
        let read = read_object(line, |key, value| {
            if let Some(&request) = self.requests.get(key) {
                once &= cells[request].replace(value).is_none();
            }
        });
        match read {
            Err(_) => Err(FaultKind::Malformed(no_object())),
            Ok(()) if !once => Err(FaultKind::Malformed(twice())),
            Ok(()) => Ok(()),
        }
    }

    fn push(&self, cells: &[Option<&RawValue>], worker: &mut Worker) -> Result<(), FaultKind> {
        for (request, _) in self.reading.in_file() {
            let lists = self.reading.form.lists;
            let code = code(cells[request].map(RawValue::get), request, lists, worker)?;
            worker.codes[request].push(code);
        }
        Ok(())
    }
}

/// A fault of a record, with its line.
#[cold]
fn in_line(block: &Block, fault: Fault) -> Fault {
    let lines = (1..).zip(block.bytes.split(|&byte| byte == b'\n'));
    let mut records = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let line = fault.record.checked_sub(1).and_then(|before| records.nth(before as usize));
    Fault { line: line.map(|(line, _)| line), ..fault }
}

fn code(cell: Option<&str>, request: usize, lists: bool, worker: &mut Worker) -> Result<u32, FaultKind> {
    let dictionary = &mut worker.dictionaries[request];
    let text: Cow<'_, str> = match cell {
        None | Some("null") => return Ok(dictionary.null()),
        Some(raw) if lists && raw.starts_with('[') => list(raw)?.into(),
        Some(raw) => plain(raw)?,
    };
    dictionary.code(text.as_bytes()).map_err(|cell| FaultKind::Cell {
        request,
        cell,
        value: text.as_bytes().to_vec(),
    })
}

/// A cell's text.
fn plain(raw: &str) -> Result<Cow<'_, str>, FaultKind> {
    Ok(match raw.as_bytes()[0] {
        b'"' if !raw.contains('\\') => raw[1..raw.len() - 1].into(),
        b'"' => serde_json::from_str::<String>(raw).map_err(|_| FaultKind::Malformed(no_object()))?.into(),
        b'{' | b'[' => return Err(FaultKind::Malformed("a cell of a requested column is nested".into())),
        _ => raw.into(),
    })
}

/// The text of a list of plain values.
fn list(raw: &str) -> Result<String, FaultKind> {
    let items: Vec<&RawValue> = serde_json::from_str(raw).map_err(|_| FaultKind::Malformed(no_object()))?;
    let there = items.into_iter().map(RawValue::get).filter(|item| *item != "null");
    let texts: Vec<String> =
        there.map(|item| plain(item).map(Cow::into_owned)).collect::<Result<_, FaultKind>>()?;
    Ok(cells::list_text(&texts))
}

/// Calls `take` with each key and value of an object.
fn read_object<'de>(line: &'de [u8], take: impl FnMut(&str, &'de RawValue)) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_slice(line);
    Object(take).deserialize(&mut json)?;
    json.end()
}

struct Object<F>(F);

/// A key, copied only if it has escapes.
#[derive(Deserialize)]
struct JsonKey<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, F: FnMut(&str, &'de RawValue)> DeserializeSeed<'de> for Object<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Object<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(JsonKey(key)) = map.next_key()? {
            (self.0)(&key, map.next_value()?);
        }
        Ok(())
    }
}

/// Records as one object a line.
fn lines(table: &OutTable, _: u8) -> Lines<'_> {
    let cells = table.columns.iter().map(json_cells).collect();
    Lines { table, header: Vec::new(), cells, open: b"{", between: vec![b','], close: b"}\n" }
}

/// Each label as `"name":value`.
fn json_cells(column: &OutColumn) -> Vec<Vec<u8>> {
    let name = json_string(&column.name);
    let value = |label: &String| {
        let bare = match &column.kind {
            _ if label.is_empty() => return "null".to_owned(),
            ColumnKind::Text => false,
            ColumnKind::Integer => is_json_number(label),
            ColumnKind::As(DataType::Boolean) => label == "true" || label == "false",
            ColumnKind::As(kind) => kind.is_numeric() && is_json_number(label),
        };
        if bare { label.clone() } else { json_string(label) }
    };
    column.labels.iter().map(|label| format!("{name}:{}", value(label)).into_bytes()).collect()
}

/// Writes the objects of a file again.
fn rewrite(file: &SourceFile, _: u8, out: Out<'_>) -> Result<(), EngineError> {
    let unlike = || file.refused(DataProblem::Format("a line is not as it is written".into()));
    let mut reader = BufReader::new(file.reader()?);
    let (mut line, mut written, mut columns, mut number) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while reader.read_until(b'\n', &mut line).map_err(file.failed("read"))? > 0 {
        let (mut place, mut fits) = (0, true);
        written.push(b'{');
        let again = |key: &str, value: &RawValue| {
            if columns.len() == place && !columns.iter().any(|known: &WrittenColumn| known.name == key) {
                columns.push(WrittenColumn { name: key.to_owned(), ..WrittenColumn::default() });
            }
            let column = columns.get_mut(place).filter(|column| column.name == key);
            fits &= column.is_some_and(|column| column.takes(value.get()));
            let between = if place > 0 { "," } else { "" };
            written.extend(format!("{between}{}:{}", json_string(key), value_again(value.get())).bytes());
            place += 1;
        };
        read_object(&line, again).map_err(|_| unlike())?;
        written.extend(b"}\n");
        if !fits || place != columns.len() {
            return Err(unlike());
        }
        line.clear();
        number += 1;
        // As many at once as are formatted at once.
        if number % BATCH == 0 {
            out.to.write_all(&written).map_err(EngineError::io(out.label, "write"))?;
            written.clear();
        }
    }
    out.to.write_all(&written).map_err(EngineError::io(out.label, "write"))
}

/// A column of what is written again, and what its values have been so far.
#[derive(Default)]
struct WrittenColumn {
    name: String,
    /// A value stood bare.
    bare: bool,
    /// Text that could have stood bare was quoted.
    quoted: bool,
}

impl WrittenColumn {
    /// Whether a value is one that a column writes which has written the others: it has one type, so that the same value
    /// is always written the same.
    fn takes(&mut self, raw: &str) -> bool {
        let is_bare = |text: &str| is_json_number(text) || text == "true" || text == "false";
        match serde_json::from_str::<String>(raw) {
            Ok(text) if text.is_empty() => return false,
            Ok(text) => self.quoted |= is_bare(&text),
            Err(_) if raw == "null" => {}
            Err(_) if is_bare(raw) => self.bare = true,
            Err(_) => return false,
        }
        !(self.bare && self.quoted)
    }
}

/// A value as it is written.
fn value_again(raw: &str) -> String {
    serde_json::from_str::<String>(raw).map_or_else(|_| raw.to_owned(), |text| json_string(&text))
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_json_number(label: &str) -> bool {
    label.ends_with(|c: char| c.is_ascii_digit())
        && label.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<serde::de::IgnoredAny>(label).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_values_have_the_type_of_their_column() {
        let values = |kind: ColumnKind, labels: &[&str]| -> Vec<String> {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            let cells = json_cells(&OutColumn { name: "n".into(), labels, kind });
            cells.into_iter().map(|cell| String::from_utf8(cell).unwrap()[4..].to_owned()).collect()
        };
        assert_eq!(values(ColumnKind::Integer, &["7", "", "*"]), ["7", "null", "\"*\""]);
        assert_eq!(values(ColumnKind::Text, &["7", "a\"\n"]), ["\"7\"", "\"a\\\"\\n\""]);
        let floats = ["1.50", "-1e5", "007", "NaN", " 1 ", "1.", "[1]"];
        let expected = ["1.50", "-1e5", "\"007\"", "\"NaN\"", "\" 1 \"", "\"1.\"", "\"[1]\""];
        assert_eq!(values(ColumnKind::As(DataType::Float64), &floats), expected);
        assert_eq!(values(ColumnKind::As(DataType::Boolean), &["true", "x"]), ["true", "\"x\""]);
    }
}
