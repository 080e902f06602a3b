//! Faults are found where they are, whoever reads them, and no message holds a value.
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use crate::common::{file, on_threads, read, records, requests, rule, with_context};
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
    let titled = text_problem("Export of March\na,b\na,b\n");
    assert_eq!(titled, DataProblem::Ragged { place: at(1, 2), found: 2, expected: 1 });
    assert!(titled.to_string().contains("skip-lines = N"), "{titled}");
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
    let duplicate = DataProblem::DuplicateHeader { first: 1, column: 3, is_line: true };
    assert_eq!(text_problem("x,y,x\na,b,c\n"), duplicate);
    assert_eq!(
        text_problem("x,,z\na,b,c\n"),
        DataProblem::EmptyHeader { column: 2, is_line: true, is_title: false }
    );
    let title = DataProblem::EmptyHeader { column: 2, is_line: true, is_title: true };
    assert_eq!(text_problem("Stays of 2024,,,\nw,x,y,z\n1,2,3,4\n"), title);
    assert_eq!(text_problem("sep=,\nx,y\n1,2\n"), title);
    assert!(title.mend().unwrap().contains("skip-lines"));
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
fn a_name_stands_once_in_an_object() {
    let whole = problem("table.ndjson", b"{\"x\":\"a\"}\n{\"x\":\"secret-cell\",\"x\":\"b\"}\n", 1);
    assert!(whole.to_string().starts_with("line 2: a name stands twice"), "{whole}");
    // A key that the recipe does not read may be the one that was meant.
    let other = problem("table.ndjson", b"{\"x\":\"a\",\"y\":1,\"y\":1}\n", 1);
    assert!(other.to_string().starts_with("line 1: a name stands twice"), "{other}");
    let (_folder, path) = file("table.ndjson", b"{\"x\":\"a\"}\n\n{\"x\":\"secret-cell\",\"x\":\"b\"}\n");
    let options = ReadOptions { declared: Some(vec!["x".into()]), ..ReadOptions::default() };
    let error = read(&path, Rule::Flat, &options).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("a name stands twice"), "{error}");
    assert!(!error.contains("secret-cell"), "{error}");
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

/// Damaged files of every format: each byte changed, each length cut, blocks repeated.
mod damaged {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, NullArray,
        RecordBatch, StringArray,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, Encoding};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use velamen_core::hierarchy::Rule;
    use velamen_engine::source::{Input, ReadOptions};
    use velamen_engine::{DataProblem, EngineError};

    use crate::common::{requests, with_context};

    fn batch() -> RecordBatch {
        let words = ["flu", "asthma", "flu", "", "gout"];
        let kinds: DictionaryArray<Int32Type> = words.into_iter().collect();
        let columns: [(&str, ArrayRef, bool); 7] = [
            ("word", Arc::new(StringArray::from(words.to_vec())), false),
            ("age", Arc::new(Int64Array::from(vec![Some(3), None, Some(5), Some(-1), Some(9)])), true),
            ("mass", Arc::new(Float64Array::from(vec![1.5, 2.0, 1.5, 0.1, 7.0])), false),
            ("kind", Arc::new(kinds), true),
            ("day", Arc::new(Date32Array::from(vec![1, 2, 3, 4, 19_000])), false),
            ("is", Arc::new(BooleanArray::from(vec![true, false, true, true, false])), false),
            ("none", Arc::new(NullArray::new(5)), true),
        ];
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    fn arrow(packing: Option<CompressionType>, stream: bool) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(packing).unwrap();
        let (batch, mut bytes) = (batch(), Vec::new());
        if stream {
            let mut writer =
                StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
        } else {
            let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
        }
        bytes
    }

    fn parquet(properties: WriterProperties) -> Vec<u8> {
        let batch = batch().project(&[0, 1, 2, 4, 5]).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn read(name: &str, bytes: Vec<u8>) -> Result<u64, EngineError> {
        let input = Input::of_bytes(Path::new(name), bytes, &ReadOptions::default())?;
        let table = with_context(|context| input.read(&requests(&input.columns, Rule::Flat), context))?;
        Ok(table.counts.iter().sum())
    }

    /// One in so many of the damaged files is read; all of them in `cargo xtask nightly`.
    fn share() -> usize {
        if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 1 } else { 10 }
    }

    /// How many of the changed files were refused, and how many were read. The turn chooses which.
    fn batter(name: &str, whole: &[u8], turn: usize) -> (usize, usize) {
        assert!(read(name, whole.to_vec()).unwrap() >= 5, "{name}");
        let mut cases: Vec<Vec<u8>> = (0..whole.len()).step_by(7).map(|cut| whole[..cut].to_vec()).collect();
        for place in 0..whole.len() {
            let mut case = whole.to_vec();
            case[place] ^= [0x01, 0x80, 0xff][place % 3];
            cases.push(case);
        }
        for start in (0..whole.len().saturating_sub(32)).step_by(8) {
            let mut case = whole.to_vec();
            case.copy_within(start..start + 16, start + 16);
            cases.push(case);
            let repeated = [&whole[..start + 16], &whole[start..]].concat();
            cases.push(repeated);
        }
        let cases: Vec<Vec<u8>> = cases.into_iter().skip(turn % share()).step_by(share()).collect();
        let all = cases.len();
        let refused = cases.into_iter().map(|case| read(name, case)).filter(|read| match read {
            Err(EngineError::Data { problem, .. }) => {
                assert!(!problem.to_string().contains("asthma"), "{problem}");
                true
            }
            Err(other) => panic!("{other:?}"),
            Ok(_) => false,
        });
        let refused = refused.count();
        (refused, all - refused)
    }

    #[test]
    fn arrow_files_and_streams() {
        let packings = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
        for (turn, packing) in packings.into_iter().enumerate() {
            for stream in [false, true] {
                let turn = turn + usize::from(stream);
                let (refused, _) = batter("table.arrow", &arrow(packing, stream), turn);
                assert!(refused * share() > 200, "{packing:?} {stream} {refused}");
            }
        }
    }

    #[test]
    fn parquet_files() {
        let packed = |codec| WriterProperties::builder().set_compression(codec).build();
        let zstd = Compression::ZSTD(Default::default());
        let codecs = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW, zstd];
        for (turn, codec) in codecs.into_iter().enumerate() {
            batter("table.parquet", &parquet(packed(codec)), turn);
        }
        let encodings = [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY];
        for (turn, encoding) in encodings.into_iter().enumerate() {
            let properties = WriterProperties::builder()
                .set_dictionary_enabled(false)
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_column_encoding("word".into(), encoding)
                .set_column_encoding("age".into(), Encoding::DELTA_BINARY_PACKED);
            batter("table.parquet", &parquet(properties.build()), turn);
        }
    }

    #[test]
    fn text_of_every_packing() {
        let text = "word,age\nflu,3\n\"asth\"\"ma\",4\nM\u{fc}ller,5\nx,6\ny,7\n".repeat(3);
        let objects = "{\"word\":\"flu\",\"age\":3}\n{\"word\":\"M\\u00fcller\",\"age\":null}\n".repeat(4);
        let gz = |bytes: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut packer, bytes).unwrap();
            packer.finish().unwrap()
        };
        for (name, content) in [("t.csv", text.as_bytes()), ("t.ndjson", objects.as_bytes())] {
            for packed in [gz(content), zstd::encode_all(content, 0).unwrap()] {
                for place in 0..packed.len() {
                    let mut case = packed.clone();
                    case[place] ^= 0xff;
                    // Without its first bytes it is text in another spelling.
                    let refused = read(name, case);
                    assert!(!matches!(refused, Err(EngineError::Io { .. })), "{place} {refused:?}");
                    let cut = read(name, packed[..place].to_vec());
                    assert!(!matches!(cut, Err(EngineError::Io { .. })), "{place} {cut:?}");
                }
            }
            for place in 0..content.len() {
                let mut case = content.to_vec();
                case[place] ^= 0x80;
                let _refused_or_read = read(name, case);
                let _nul = read(name, [&content[..place], b"\0", &content[place..]].concat());
                let _cut = read(name, content[..place].to_vec());
            }
        }
    }

    #[test]
    fn a_small_parquet_file_takes_no_gigabyte() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a".repeat(300 << 20)]));
        let batch = RecordBatch::try_from_iter([("text", text)]).unwrap();
        let codec = Compression::ZSTD(Default::default());
        let properties =
            WriterProperties::builder().set_compression(codec).set_dictionary_enabled(false).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert!(bytes.len() < 50_000, "{}", bytes.len());
        let refused = read("bomb.parquet", bytes).unwrap_err();
        assert!(matches!(refused, EngineError::Data { problem: DataProblem::Unpacks, .. }), "{refused}");
    }

    /// Texts coded as differences of their lengths, or as what differs from the text before.
    fn delta_coded(encoding: Encoding, texts: Vec<String>) -> Vec<u8> {
        let text: ArrayRef = Arc::new(StringArray::from(texts));
        let batch = RecordBatch::try_from_iter([("text", text)]).unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(encoding)
            .set_data_page_row_count_limit(1 << 22)
            .set_data_page_size_limit(64 << 20)
            .set_max_row_group_row_count(Some(1 << 22))
            .build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    #[test]
    fn delta_coded_texts_are_read() {
        for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            let texts = (0..100_000).map(|n| format!("{}{}", "remark ".repeat(n % 9), n % 1_000)).collect();
            let table = read("delta.parquet", delta_coded(encoding, texts));
            assert!(table.is_ok(), "{encoding} {table:?}");
        }
    }

    /// Their number stands in their page, so that a page of some kilobytes can state a thousand million.
    #[test]
    fn delta_coded_pages_that_state_too_much_are_refused() {
        let mut bytes = delta_coded(Encoding::DELTA_LENGTH_BYTE_ARRAY, vec![String::new(); 1 << 21]);
        // Blocks of 128 in 4 parts, then 2^21 in seven bits each.
        let at = bytes.windows(7).position(|seven| seven == [0x80, 1, 4, 0x80, 0x80, 0x80, 1]).unwrap();
        bytes[at + 6] = 0x7f;
        assert!(read("forged.parquet", bytes).is_err());
    }

    #[test]
    fn a_small_arrow_file_takes_no_gigabyte() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a".repeat(300 << 20)]));
        let batch = RecordBatch::try_from_iter([("text", text)]).unwrap();
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        assert!(bytes.len() < 50_000, "{}", bytes.len());
        let refused = read("bomb.arrow", bytes).unwrap_err();
        assert!(matches!(refused, EngineError::Data { problem: DataProblem::Unpacks, .. }), "{refused}");
    }

    /// Each byte once more for each 64 kB would take an hour.
    #[test]
    fn a_line_without_end_is_refused_soon() {
        let began = std::time::Instant::now();
        let refused = read("long.csv", vec![b'a'; 150 << 20]).unwrap_err();
        assert!(matches!(refused, EngineError::Data { problem: DataProblem::RecordTooLong { .. }, .. }));
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }

    /// A quote in the header that is not closed makes records a part of a name, and messages show names.
    #[test]
    fn a_name_that_caught_records_is_refused() {
        let table = |quote: &str| format!("who,{quote}age\n{}", "Jane,30\n".repeat(200)).into_bytes();
        let refused = read("open.csv", table("\"")).unwrap_err();
        assert!(matches!(refused, EngineError::Data { problem: DataProblem::NameTooLong { .. }, .. }));
        assert!(!format!("{refused} {refused:?}").contains("Jane"), "{refused}");
        assert!(read("closed.csv", table("")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_or_device_is_no_table() {
        let refused = Input::open(Path::new("/dev/zero"), &ReadOptions::default()).err();
        assert!(matches!(refused, Some(EngineError::Data { problem: DataProblem::NotPlain, .. })));
    }
}
