//! What of a file's form can be told from its beginning, for somebody who opened it by a click and can correct it.

use std::io::Read;
use std::path::Path;

use velamen_core::written::number::with_point;

use super::decode::{Encoding, beginning, told_encoding};
use super::file::SourceFile;
use super::form::Sheet;
use super::heading::rows_above;
use super::input::ReadOptions;
use super::text::{bom, first_record};
use crate::error::EngineError;
use crate::format::FileFormat;

/// The bytes of a file that are looked at.
const LOOKED_AT: u64 = 1 << 18;

/// The lines that are looked at.
const LINES: usize = 60;

/// How many numbers with a comma show that it stands before decimals.
const FEW: usize = 3;

/// How the beginning of a file seems to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guess {
    /// The lines above the one that names the columns.
    pub skip_lines: u64,
    /// Which sheet of several holds a table.
    pub sheet: Option<Sheet>,
    /// The encoding, if it is not UTF-8.
    pub encoding: Option<&'static Encoding>,
    /// Whether numbers have a comma before their decimals.
    pub decimal_comma: bool,
}

impl Guess {
    /// From a file's beginning; nothing where a workbook or a typed format says it all itself.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be read.
    pub fn of(path: &Path) -> Result<Self, EngineError> {
        let (file, first) = SourceFile::open(path)?;
        let format = FileFormat::sniff(path, &first);
        let file = file.packed(format.compression);
        if !format.is_delimited() {
            // Sheets are the only other tables below something.
            let (sheet, skip_lines) =
                if format.has_lines() { crate::format::sheet(&file) } else { (None, 0) };
            return Ok(Self { sheet, skip_lines, ..Self::default() });
        }
        let mut head = Vec::new();
        file.reader()?.take(LOOKED_AT).read_to_end(&mut head).map_err(file.failed("read"))?;
        Ok(Self::of_text(&head))
    }

    fn of_text(head: &[u8]) -> Self {
        let encoding = told_encoding(head);
        let decoded = encoding.map(|encoding| beginning(head, encoding));
        let text = decoded.as_ref().map_or(head, |text| text.as_bytes());
        let lines: Vec<&[u8]> = text[bom(text)..].split(|byte| *byte == b'\n').take(LINES).collect();
        let delimiters = [b';', b'\t', b'|', b','];
        let tables = delimiters.iter().map(|delimiter| (*delimiter, cells(&lines, *delimiter)));
        let best = tables.max_by_key(|(_, table)| parted(table));
        let Some((delimiter, table)) = best else { return Self { encoding, ..Self::default() } };
        let skip_lines = rows_above(&table.iter().map(|cells| filled(cells)).collect::<Vec<_>>());
        let decimal_comma = delimiter != b',' && has_decimal_commas(&table);
        Self { skip_lines, encoding, decimal_comma, sheet: None }
    }

    /// The options with what is told where they leave it open.
    #[must_use]
    pub fn fill(&self, read: &ReadOptions) -> ReadOptions {
        ReadOptions {
            skip_lines: if read.skip_lines == 0 { self.skip_lines } else { read.skip_lines },
            sheet: read.sheet.clone().or(self.sheet.clone()),
            encoding: read.encoding.or(self.encoding),
            decimal_comma: read.decimal_comma || self.decimal_comma,
            ..read.clone()
        }
    }
}

/// The names of the sheets of a workbook, in their order; none where the file is no workbook, or cannot be read.
#[must_use]
pub fn sheets_of(path: &Path) -> Vec<String> {
    let Ok((file, first)) = SourceFile::open(path) else { return Vec::new() };
    let format = FileFormat::sniff(path, &first);
    if format.is_delimited() || !format.has_lines() {
        return Vec::new();
    }
    crate::format::sheets(&file.packed(format.compression))
}

/// The cells of lines.
fn cells(lines: &[&[u8]], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let of_line = |line: &&[u8]| first_record(line, delimiter).1.iter().map(<[u8]>::to_vec).collect();
    lines.iter().map(of_line).collect()
}

/// The cells of the lines that a delimiter parts.
fn parted(table: &[Vec<Vec<u8>>]) -> usize {
    table.iter().filter(|cells| filled(cells) > 1).map(Vec::len).sum()
}

fn filled(cells: &[Vec<u8>]) -> usize {
    cells.iter().filter(|cell| !cell.trim_ascii().is_empty()).count()
}

/// Whether commas stand before decimals: three digits behind each could be thousands, and a point elsewhere is the decimals' mark.
fn has_decimal_commas(table: &[Vec<Vec<u8>>]) -> bool {
    let numbers: Vec<&Vec<u8>> = table.iter().flatten().filter(|cell| has_comma(cell)).collect();
    let behind =
        |cell: &&&Vec<u8>| cell.trim_ascii().rsplit(|byte| *byte == b',').next().map(<[u8]>::len) != Some(3);
    numbers.len() >= FEW && numbers.iter().filter(behind).count() * 2 > numbers.len()
}

/// A number that is one only with a point in place of its comma.
fn has_comma(cell: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(cell.trim_ascii()) else { return false };
    text.contains(',') && with_point(text).is_some()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{UTF_16LE, WINDOWS_1252};

    use super::*;

    #[test]
    fn a_title_an_encoding_and_a_comma_are_told() {
        let text =
            "Entlassungen 2024;;;\n;;;\nAlter;Größe;Gewicht;Ort\n41;1,74;70,5;Köln\n52;1,80;81,0;Bonn\n";
        let windows: Vec<u8> = WINDOWS_1252.encode(text).0.into_owned();
        let found = Guess::of_text(&windows);
        assert_eq!(
            found,
            Guess { skip_lines: 2, sheet: None, encoding: Some(WINDOWS_1252), decimal_comma: true }
        );
        assert_eq!(Guess::of_text(text.as_bytes()).encoding, None);
    }

    #[test]
    fn a_plain_table_is_taken_as_it_is() {
        for text in
            ["age,sex\n41,F\n52,M\n", "age\n41\n52\n", "", "a;b;c\n1;;\n;;\n2;x;y\n", "x,\"a\nb\"\n1,2\n"]
        {
            assert_eq!(Guess::of_text(text.as_bytes()), Guess::default(), "{text}");
        }
        // Cut in the middle of a character.
        assert_eq!(Guess::of_text(&"a,ü\n1,ü".as_bytes()[..9]).encoding, None);
    }

    #[test]
    fn damaged_text_and_thousands_are_not_guessed_at() {
        assert_eq!(Guess::of_text(b"Ort;Zahl\nK\xc3\xb6ln;1\nK\xf6ln;2\n").encoding, None);
        assert!(!Guess::of_text(b"a;b\n1,234;x\n5,678;y\n9,012;z\n").decimal_comma);
        assert!(Guess::of_text(b"a;b\n1.234,56;x\n5.678,90;y\n1.239,01;z\n").decimal_comma);
        let mut wide = vec![0xff, 0xfe];
        wide.extend("a\tb\n1,5\tx\n2,5\ty\n3,5\tz\n".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(
            Guess::of_text(&wide),
            Guess { encoding: Some(UTF_16LE), decimal_comma: true, ..Guess::default() }
        );
    }

    #[test]
    fn a_row_of_names_may_lack_one() {
        assert_eq!(rows_above(&[1, 0, 4, 5, 5, 3]), 2);
        assert_eq!(rows_above(&[2, 8, 8]), 1);
        assert_eq!(rows_above(&[1, 1, 1]), 0);
    }
}
