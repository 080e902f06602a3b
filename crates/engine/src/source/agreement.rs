//! Our reader of delimited text against the csv crate, with blocks so small that every record
//! meets a boundary.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use proptest::collection::vec;
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_dp::Seed;

use super::blocks::{Blocks, Ends};
use super::delimited::{self, Dialect};
use super::file::SourceFile;
use super::form::Form;
use super::reading::Reading;
use super::text::unmarked;
use crate::dictionary::{ColumnRequest, Outside, Spelling};
use crate::encode::merge;
use crate::error::{DataProblem, EngineError};
use crate::limit::Limit;
use crate::worker::Keep;

/// Records in any order, with their counts.
type Records = BTreeMap<Vec<String>, u64>;

#[derive(Debug, PartialEq)]
enum Refusal {
    Ragged { record: u64, found: usize },
    OpenQuote,
}

static POOLS: LazyLock<[ThreadPool; 2]> =
    LazyLock::new(|| [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap()));

/// What the csv crate reads. A line end is put in front, or it would take a first cell's byte order
/// mark for the file's.
fn csv_crate(text: &[u8]) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(b"\n".chain(text));
    let cells = |record: csv::ByteRecord| {
        record.iter().map(|cell| String::from_utf8(cell.to_vec()).unwrap()).collect()
    };
    reader.byte_records().map(|record| cells(record.unwrap())).collect()
}

fn expected(text: &[u8], width: usize) -> Result<Records, Refusal> {
    let records = csv_crate(text);
    // Line ends at the end change nothing unless a quoted field swallows them.
    let open = csv_crate(&[text, b"\n\n"].concat()) != records;
    let mut counts = Records::new();
    for (index, record) in records.iter().enumerate() {
        if open && index + 1 == records.len() {
            return Err(Refusal::OpenQuote);
        }
        if record.len() != width {
            return Err(Refusal::Ragged { record: index as u64 + 1, found: record.len() });
        }
        *counts.entry(record.clone()).or_default() += 1;
    }
    Ok(counts)
}

fn requests(width: usize) -> Vec<ColumnRequest> {
    let role = |index: usize| [Role::Sensitive, Role::QuasiIdentifier, Role::Insensitive][index % 3];
    let request = |index| ColumnRequest {
        index,
        name: format!("c{index}"),
        role: role(index),
        rule: Arc::new(Rule::Flat),
        whole_domain: false,
    };
    (0..width).map(request).collect()
}

fn ours(text: &[u8], width: usize, block: usize, threads: usize) -> Result<Records, Refusal> {
    let read = table_of(text, width, block, threads, Outside::Refused);
    read.map(|table| records(&table, width))
}

fn table_of(
    text: &[u8],
    width: usize,
    block: usize,
    threads: usize,
    outside: Outside,
) -> Result<FrequencyTable, Refusal> {
    let names: Vec<String> = (0..width).map(|index| format!("c{index}")).collect();
    // Records that are kept apart are those of a file without header.
    let columns = (outside == Outside::Apart).then(|| names.clone());
    let (file, form) = (SourceFile::label("test.csv".as_ref()), Form { outside, columns, ..Form::default() });
    let spelling = Arc::new(Spelling { outside, ..Spelling::default() });
    let (seed, cancel, columns) = (Seed::from_number(0), AtomicBool::new(false), requests(width));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let dialect = Dialect { delimiter: b',', trim: false, width, header_lines: Some(0) };
    let limit = Limit::default();
    let reading = Reading {
        file: &file,
        form: &form,
        names: &names,
        kinds: None,
        delimiter: b',',
        spelling: &spelling,
        show_values: false,
        columns: &columns,
        asked: columns.len(),
        derived: &[],
        conditions: &[],
        context: &context,
        keep: Keep::Counts(&limit),
    };
    let reader = Box::new(std::io::Cursor::new(text.to_vec()));
    let ends = if outside == Outside::Apart { Ends::Returns } else { Ends::Delimited { delimiter: b',' } };
    let blocks = Blocks::new(reader, Vec::new(), false, ends).with_block_size(block);
    let workers = POOLS[threads - 1].install(|| delimited::records(blocks, &dialect, reading));
    match workers {
        Ok(workers) => Ok(merge(workers, &columns).unwrap()),
        Err(EngineError::Data { problem: DataProblem::Ragged { place, found, .. }, .. }) => {
            Err(Refusal::Ragged { record: place.record, found })
        }
        Err(EngineError::Data { problem: DataProblem::OpenQuote { .. }, .. }) => Err(Refusal::OpenQuote),
        Err(error) => panic!("{error}"),
    }
}

/// What is to be read where every line is a record: its records, and how many lines are malformed.
fn line_by_line(text: &[u8], width: usize) -> (Records, u64) {
    let (mut counts, mut malformed) = (Records::new(), 0);
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')).map(unmarked).filter(|line| !line.is_empty())
    {
        let records = csv_crate(line);
        let open = csv_crate(&[line, b"\n\n"].concat()) != records;
        match &records[..] {
            [record] if !open && record.len() == width => *counts.entry(record.clone()).or_default() += 1,
            _ => malformed += 1,
        }
    }
    (counts, malformed)
}

fn check_apart(text: &[u8], width: usize, block: usize) -> Result<(), TestCaseError> {
    let expected = line_by_line(text, width);
    for threads in [1, 2] {
        let table = table_of(text, width, block, threads, Outside::Apart).unwrap();
        prop_assert_eq!((records(&table, width), table.strays.malformed), expected.clone());
    }
    Ok(())
}

#[test]
fn lines_that_are_too_long_are_passed_over() {
    let text = format!("a\n{}\r\nb\n{}\nc\n{}", "x".repeat(50), "y".repeat(17), "z".repeat(90));
    for block in 1..60 {
        let reader = Box::new(std::io::Cursor::new(text.clone().into_bytes()));
        let mut blocks = Blocks::new(reader, Vec::new(), false, Ends::Returns)
            .with_block_size(block)
            .with_longest(16)
            .skipping(true);
        let mut lines = Vec::new();
        while let Some((_, block)) = blocks.next().unwrap() {
            lines.extend(block.bytes.split(|byte| b"\n\r".contains(byte)).map(<[u8]>::to_vec));
        }
        // What is left of those that are too long is for the reader of lines.
        lines.retain(|line| !line.is_empty() && line.len() <= 16);
        assert_eq!(lines, [b"a", b"b", b"c"], "{block}");
    }
}

#[test]
fn a_mark_in_front_of_a_record_is_none_of_it_wherever_it_stands() {
    // Without the first record the second one begins the file, and must not become another.
    let lines = ["\u{feff}a,1", "\u{feff}\u{feff}a,1", "a,1", "\u{feff}", "\u{feff}\"a\",2"];
    let read = |lines: &[&str]| line_by_line(lines.join("\n").as_bytes(), 2);
    let ours = |lines: &[&str]| {
        let table = table_of(lines.join("\n").as_bytes(), 2, 1 << 10, 1, Outside::Apart).unwrap();
        (records(&table, 2), table.strays.malformed)
    };
    for first in 0..lines.len() {
        assert_eq!(ours(&lines[first..]), read(&lines[first..]));
    }
    assert_eq!(ours(&lines).0.values().sum::<u64>(), 4);
}

/// The table's records with their cells in the order of the file.
fn records(table: &FrequencyTable, width: usize) -> Records {
    let cell = |name: &str, row: usize| -> String {
        if let Some(qi) = table.qis.iter().position(|qi| qi.name == name) {
            return table.qis[qi].hierarchy.label(0, table.codes[qi][row]).to_owned();
        }
        let column = table.rest.columns.iter().position(|column| column.name == name).unwrap();
        let code = table.rest.codes[column][table.rest_index[row] as usize];
        table.rest.columns[column].values[code as usize].clone()
    };
    let record = |row: usize| (0..width).map(|index| cell(&format!("c{index}"), row)).collect();
    (0..table.len()).map(|row| (record(row), table.counts[row])).collect()
}

fn check(text: &[u8], width: usize, block: usize) -> Result<(), TestCaseError> {
    let expected = expected(text, width);
    for threads in [1, 2] {
        prop_assert_eq!(
            &ours(text, width, block, threads),
            &expected,
            "{} threads, blocks of {}",
            threads,
            block
        );
    }
    Ok(())
}

fn nasty_cell() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        " ",
        ",",
        ";",
        "\"",
        "\"\"",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "é",
        "\u{feff}",
        "漢字",
        "longer text",
        "1234567",
        "12345678",
    ]);
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn plain_cell() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "1", "22", "E11", "seven77", "eighteen", " x ", "ü"])
        .prop_map(str::to_owned)
}

fn table(cell: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..5).prop_flat_map(move |width| vec(vec(cell.clone(), width), 1..40))
}

fn written(rows: &[Vec<String>], terminator: csv::Terminator) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

fn terminator() -> impl Strategy<Value = csv::Terminator> {
    let all = vec![csv::Terminator::CRLF, csv::Terminator::Any(b'\n'), csv::Terminator::Any(b'\r')];
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nasty_tables_read_as_they_were_written(
        rows in table(nasty_cell().boxed()),
        terminator in terminator(),
        block in 1usize..64,
    ) {
        let width = rows[0].len();
        let text = written(&rows, terminator);
        let mut counts = Records::new();
        rows.iter().for_each(|row| *counts.entry(row.clone()).or_default() += 1);
        prop_assert_eq!(expected(&text, width), Ok(counts));
        check(&text, width, block)?;
    }

    #[test]
    fn plain_tables_take_the_fast_path_alike(
        rows in table(plain_cell().boxed()),
        terminator in terminator(),
        last_line_ends in any::<bool>(),
        block in 1usize..400,
    ) {
        let mut text = written(&rows, terminator);
        // A single empty cell is written with quotes.
        if !last_line_ends && !text.ends_with(b"\"\n") {
            text.truncate(text.trim_ascii_end().len());
        }
        check(&text, rows[0].len(), block)?;
    }

    #[test]
    fn any_text_reads_like_the_csv_crate_or_is_refused(
        pieces in vec(prop::sample::select(vec!["a", "\"", ",", "\n", "\r", "\u{feff}"]), 0..60),
        width in 1usize..4,
        block in 1usize..64,
    ) {
        check(pieces.concat().as_bytes(), width, block)?;
        check_apart(pieces.concat().as_bytes(), width, block)?;
    }

    #[test]
    fn lines_are_records_of_their_own_where_records_are_kept_apart(
        lines in vec(vec(prop::sample::select(vec!["a", "7", "", " x", "\"b,\"", "\"\"\"", "\"", "ü\""]), 1..4), 1..30),
        block in 1usize..200,
    ) {
        let text: String = lines.iter().map(|line| line.join(",") + "\n").collect();
        check_apart(text.as_bytes(), 2, block)?;
    }
}
