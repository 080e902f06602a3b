//! Workbooks that are written here by hand, as their standards say, and read as tables.
use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{Records, records, requests, with_context};
use arrow_schema::DataType;
use velamen_core::hierarchy::Rule;
use velamen_engine::EngineError;
use velamen_engine::source::{Guess, Input, ReadOptions, Sheet, sheets_of};

/// The check sum of archives, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0u32, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

/// An archive of files that are not packed.
fn archive(files: &[(&str, String)]) -> Vec<u8> {
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let (size, place) = ((text.len() as u32).to_le_bytes(), (body.len() as u32).to_le_bytes());
        let common =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x58][..], &crc(text.as_bytes()).to_le_bytes(), &size, &size]
                .concat();
        let length = (name.len() as u16).to_le_bytes();
        body.extend(
            [b"PK\x03\x04", &common[..], &length, &[0, 0], name.as_bytes(), text.as_bytes()].concat(),
        );
        let rest = [&length[..], &[0; 12], &place, name.as_bytes()].concat();
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &rest].concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let (size, place) = ((directory.len() as u32).to_le_bytes(), (body.len() as u32).to_le_bytes());
    [body, directory, [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size, &place, &[0, 0]].concat()].concat()
}

/// A cell of a sheet.
#[derive(Clone, Copy)]
enum Cell {
    Text(&'static str),
    Number(&'static str),
    /// A day by its number, with the style of dates.
    Day(&'static str),
    Formula(&'static str),
    Truth,
    Error,
    None,
}
use Cell::{Day, Error, Formula, None as Empty, Number, Text, Truth};

fn sheet(rows: &[&[Cell]], merged: &str) -> String {
    let cell = |row: usize, column: usize, cell: &Cell| {
        let place = format!("r=\"{}{}\"", char::from(b'A' + column as u8), row + 1);
        match cell {
            Text(text) => format!("<c {place} t=\"inlineStr\"><is><t>{text}</t></is></c>"),
            Number(number) => format!("<c {place}><v>{number}</v></c>"),
            Day(number) => format!("<c {place} s=\"1\"><v>{number}</v></c>"),
            Formula(value) => format!("<c {place}><f>A1*2</f><v>{value}</v></c>"),
            Truth => format!("<c {place} t=\"b\"><v>1</v></c>"),
            Error => format!("<c {place} t=\"e\"><v>#N/A</v></c>"),
            Empty => String::new(),
        }
    };
    let row = |(number, cells): (usize, &&[Cell])| {
        let cells: String = cells.iter().enumerate().map(|(column, of)| cell(number, column, of)).collect();
        format!("<row r=\"{}\">{cells}</row>", number + 1)
    };
    let rows: String = rows.iter().enumerate().map(row).collect();
    format!(
        "<?xml version=\"1.0\"?><worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
         <sheetData>{rows}</sheetData>{merged}</worksheet>"
    )
}

/// A workbook of these sheets.
fn xlsx(sheets: &[(&str, String)]) -> Vec<u8> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let numbered = |of: &dyn Fn(usize, &str) -> String| -> String {
        sheets.iter().enumerate().map(|(place, (name, _))| of(place + 1, name)).collect()
    };
    let names = numbered(&|n, name| format!("<sheet name=\"{name}\" sheetId=\"{n}\" r:id=\"r{n}\"/>"));
    let relations = numbered(&|n, _| {
        format!("<Relationship Id=\"r{n}\" Type=\"{related}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>")
    });
    let mut files = vec![
        ("[Content_Types].xml".to_owned(), format!("<Types xmlns=\"{package}/content-types\"/>")),
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"r1\" \
                 Type=\"{related}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!("<workbook xmlns=\"{main}\" xmlns:r=\"{related}\"><sheets>{names}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{package}/relationships\">{relations}</Relationships>"),
        ),
        (
            "xl/styles.xml".to_owned(),
            format!(
                "<styleSheet xmlns=\"{main}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
            ),
        ),
    ];
    files.extend(
        sheets
            .iter()
            .enumerate()
            .map(|(place, (_, text))| (format!("xl/worksheets/sheet{}.xml", place + 1), text.clone())),
    );
    archive(&files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect::<Vec<_>>())
}

fn open(name: &str, bytes: Vec<u8>, sheet: Option<Sheet>) -> Result<Input, EngineError> {
    let options = ReadOptions { sheet, null: vec!["#N/A".into()], ..ReadOptions::default() };
    Input::of_bytes(Path::new(name), bytes, &options)
}

fn read(input: &Input) -> Records {
    let table = with_context(|context| input.read(&requests(&input.columns, Rule::Flat), context));
    records(&table.unwrap())
}

fn of(rows: &[&[&str]]) -> Records {
    let mut all = BTreeMap::new();
    for row in rows {
        *all.entry(row.iter().map(|cell| (*cell).to_owned()).collect()).or_default() += 1;
    }
    all
}

const HEADER: &[Cell] = &[Text("name"), Text("born"), Text("kg"), Text("seen"), Text("n"), Text("ok")];

#[test]
fn a_sheet_is_read_as_its_export_would_be() {
    let rows: [&[Cell]; 6] = [
        &[],
        HEADER,
        &[Text("M\u{fc}ller"), Day("18264"), Number("70.5"), Day("45360.604166666664"), Formula("6"), Truth],
        &[],
        &[Text("Wei\u{df} &amp; Co"), Empty, Number("0.30000000000000004"), Day("45361"), Number("7"), Error],
        &[Text("Bauer"), Day("60"), Number("80"), Empty, Number("8"), Truth],
    ];
    let input = open("p.xlsx", xlsx(&[("Patients", sheet(&rows, ""))]), None).unwrap();
    assert_eq!(input.columns, ["name", "born", "kg", "seen", "n", "ok"]);
    let kinds = input.kinds().unwrap();
    assert_eq!((&kinds[2], &kinds[4], &kinds[0]), (&DataType::Float64, &DataType::Int64, &DataType::Utf8));
    let expected = of(&[
        &["M\u{fc}ller", "1950-01-01", "70.5", "2024-03-09T14:30:00", "6", "true"],
        &["Wei\u{df} & Co", "", "0.3", "2024-03-10T00:00:00", "7", ""],
        &["Bauer", "1900-02-29", "80", "", "8", "true"],
    ]);
    let found = read(&input);
    // Excel's calendar has a day that never was; nothing rests on it.
    assert_eq!(found.len(), expected.len());
    for record in expected.keys().filter(|record| record[0] != "Bauer") {
        assert!(found.contains_key(record), "{record:?} in {found:?}");
    }
}

#[test]
fn a_sheet_without_header_is_refused_or_numbered() {
    let rows: [&[Cell]; 4] = [
        &[Text("Ulm"), Number("34"), Text("I63")],
        &[Text("Bonn"), Number("71"), Text("J18")],
        &[Text("Ulm"), Number("52"), Text("I63")],
        &[Text("Bonn"), Number("34"), Text("J18")],
    ];
    let open = |headerless, trusts_header| {
        let options = ReadOptions { headerless, trusts_header, ..ReadOptions::default() };
        Input::of_bytes(Path::new("p.xlsx"), xlsx(&[("S", sheet(&rows, ""))]), &options)
    };
    let refused = open(false, false).map(drop).unwrap_err().to_string();
    assert!(refused.contains("the first line looks like a record"), "{refused}");
    assert!(!refused.contains("Ulm") && !refused.contains("I63"), "{refused}");
    let numbered = open(true, false).unwrap();
    assert_eq!(numbered.columns, ["1", "2", "3"]);
    let all = read(&numbered);
    assert_eq!(all.len(), 4, "{all:?}");
    // Who insists has a header.
    let insisted = open(false, true).unwrap();
    assert_eq!((insisted.columns.join(" "), read(&insisted).len()), ("Ulm 34 I63".to_owned(), 3));
}

/// A sheet of notes has no record below what would be its names.
#[test]
fn the_table_is_on_the_first_sheet_with_records() {
    let notes: &[&[Cell]] = &[&[Text("Exported by the ward")], &[Text("Contact"), Text("ext. 4411")]];
    let table: &[&[Cell]] = &[
        &[Text("age"), Text("sex")],
        &[Number("31"), Text("f")],
        &[Number("42"), Text("m")],
        &[Number("53"), Text("f")],
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.xlsx");
    std::fs::write(&file, xlsx(&[("Notes", sheet(notes, "")), ("Patients", sheet(table, ""))])).unwrap();
    let guess = Guess::of(&file).unwrap();
    assert_eq!((guess.sheet, guess.skip_lines), (Some(Sheet::Number(2)), 0));
    assert_eq!(sheets_of(&file), ["Notes", "Patients"]);
    let text = folder.path().join("p.csv");
    std::fs::write(&text, "age,sex\n31,f\n").unwrap();
    assert!(sheets_of(&text).is_empty() && sheets_of(&folder.path().join("none.xlsx")).is_empty());
}

#[test]
fn the_sheet_has_to_be_told_where_there_are_several() {
    let one: &[&[Cell]] = &[&[Text("a")], &[Number("1")]];
    let two: &[&[Cell]] = &[&[Text("b")], &[Number("2")]];
    let book = || xlsx(&[("Codes", sheet(one, "")), ("Patients", sheet(two, ""))]);
    let columns = |asked| open("p.xlsx", book(), asked).map(|input| input.columns);
    assert_eq!(columns(Some(Sheet::Name("Patients".into()))).unwrap(), ["b"]);
    assert_eq!(columns(Some(Sheet::Number(1))).unwrap(), ["a"]);
    for (asked, says) in [
        (None, "the workbook has 2 sheets; say which one with `sheet`"),
        (Some(Sheet::Number(3)), "no sheet 3; name one of its 2 sheets, or give its number from 1"),
        (Some(Sheet::Name("patients".into())), "no sheet `patients`"),
    ] {
        let said = columns(asked).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn headers_that_name_no_columns_are_refused_with_their_place() {
    let refused = |rows: &[&[Cell]], merged: &str| {
        open("p.xlsx", xlsx(&[("S", sheet(rows, merged))]), None).map(drop).unwrap_err().to_string()
    };
    let title: &[&[Cell]] = &[&[Text("Patients")], &[Text("a"), Text("b")], &[Number("1"), Number("2")]];
    let merged = "<mergeCells count=\"1\"><mergeCell ref=\"A1:B1\"/></mergeCells>";
    let said = refused(title, merged);
    assert!(said.contains("row 1: the header has merged cells; ") && said.contains("unmerge"), "{said}");
    assert!(refused(title, "").contains("row 1, column B: the header has an empty cell"));
    let twice: &[&[Cell]] = &[&[Text("a"), Text("a")], &[Number("1"), Number("2")]];
    assert!(refused(twice, "").contains("columns 1 and 2"));
    assert!(refused(&[&[]], "").contains("empty"));
    let damaged = open("p.xlsx", b"PK\x03\x04nothing".to_vec(), None).map(drop).unwrap_err().to_string();
    assert!(damaged.contains("not a workbook"), "{damaged}");
}

#[test]
fn a_sheet_of_open_document_is_read_too() {
    let office = "urn:oasis:names:tc:opendocument:xmlns";
    let text = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let day = "<table:table-cell office:value-type=\"date\" office:date-value=\"1950-01-02\"><text:p>2.1.50</text:p></table:table-cell>";
    let number = "<table:table-cell office:value-type=\"float\" office:value=\"70.5\"><text:p>70,5</text:p></table:table-cell>";
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content xmlns:office=\"{office}:office:1.0\" \
         xmlns:table=\"{office}:table:1.0\" xmlns:text=\"{office}:text:1.0\"><office:body><office:spreadsheet>\
         <table:table table:name=\"S\"><table:table-row>{}{}{}</table:table-row><table:table-row>{}{day}{number}\
         </table:table-row></table:table></office:spreadsheet></office:body></office:document-content>",
        text("name"),
        text("born"),
        text("kg"),
        text("K\u{e4}the")
    );
    let files = [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet".to_owned()),
        ("META-INF/manifest.xml", "<manifest/>".to_owned()),
        ("content.xml", content),
    ];
    let input = open("p.ods", archive(&files), None).unwrap();
    assert_eq!(read(&input), of(&[&["K\u{e4}the", "1950-01-02", "70.5"]]));
}

#[test]
fn a_cell_far_away_takes_no_memory_for_what_lies_between() {
    let far = "<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row></sheetData>";
    let sheet = sheet(&[&[Text("age")], &[Number("31")]], "").replace("</sheetData>", far);
    let Err(refused) = open("far.xlsx", xlsx(&[("visits", sheet)]), None) else { panic!("it is refused") };
    assert!(refused.to_string().contains("spans far more cells than hold anything"), "{refused}");
}

#[test]
fn damaged_workbooks_are_no_panic() {
    let sheet = sheet(&[&[Text("age"), Text("sex")], &[Number("31"), Text("f")], &[Day("45360"), Truth]], "");
    let whole = xlsx(&[("visits", sheet)]);
    for place in 0..whole.len() {
        let mut case = whole.clone();
        case[place] ^= 0xff;
        drop(open("t.xlsx", case, None));
        if place % 5 == 0 {
            drop(open("t.xlsx", whole[..place].to_vec(), None));
            let repeated = [&whole[..place], &whole[place.saturating_sub(16)..]].concat();
            drop(open("t.xlsx", repeated, None));
        }
    }
}

#[test]
fn a_list_of_texts_that_states_too_many_is_refused() {
    let files = [
        ("xl/workbook.xml", String::new()),
        ("xl/sharedStrings.xml", "<sst uniqueCount=\"99999999999\"><si><t>x</t></si></sst>".into()),
    ];
    let Err(refused) = open("many.xlsx", archive(&files), None) else { panic!("it is refused") };
    assert!(refused.to_string().contains("unpacks to more"), "{refused}");
}
