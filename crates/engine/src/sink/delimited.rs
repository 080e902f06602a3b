//! Released records as delimited text.

use super::lines::{BATCH, Lines};
use super::out::Out;
use super::table::{OutColumn, OutTable};
use crate::error::{DataProblem, EngineError};
use crate::source::SourceFile;

/// Lines of cells with a header.
pub(crate) fn lines(table: &OutTable, delimiter: u8) -> Lines<'_> {
    let cells = |column: &OutColumn| column.labels.iter().map(|label| quote(label, delimiter)).collect();
    let names: Vec<Vec<u8>> = table.columns.iter().map(|column| quote(&column.name, delimiter)).collect();
    let mut header = names.join(&delimiter);
    header.push(b'\n');
    let cells = table.columns.iter().map(cells).collect();
    Lines { table, header, cells, open: b"", between: vec![delimiter], close: b"\n" }
}

/// Writes the lines of a file again: the header, then as many at once as are formatted at once, since what packs them can
/// tell.
pub(crate) fn rewrite(file: &SourceFile, delimiter: u8, out: Out<'_>) -> Result<(), EngineError> {
    let unread = || file.refused(DataProblem::Format("a line does not read".into()));
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(file.reader()?);
    let (mut record, mut lines, mut number) = (csv::StringRecord::new(), Vec::new(), 0);
    while reader.read_record(&mut record).map_err(|_| unread())? {
        for (column, cell) in record.iter().enumerate() {
            if column > 0 {
                lines.push(delimiter);
            }
            lines.extend(quote(cell, delimiter));
        }
        lines.push(b'\n');
        if number % BATCH == 0 {
            out.to.write_all(&lines).map_err(EngineError::io(out.label, "write"))?;
            lines.clear();
        }
        number += 1;
    }
    out.to.write_all(&lines).map_err(EngineError::io(out.label, "write"))
}

/// The cell as it is written: quoted where it holds a delimiter, a quote or a line end.
fn quote(label: &str, delimiter: u8) -> Vec<u8> {
    let bytes = label.as_bytes();
    if !bytes.iter().any(|&b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r')) {
        return bytes.to_vec();
    }
    let mut quoted = vec![b'"'];
    for &byte in bytes {
        quoted.extend(std::iter::repeat_n(byte, if byte == b'"' { 2 } else { 1 }));
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_must_be_is_quoted() {
        assert_eq!(quote("a b", b','), b"a b");
        assert_eq!(quote("a,b", b','), b"\"a,b\"");
        assert_eq!(quote("a,b", b';'), b"a,b");
        assert_eq!(quote("a\"b", b','), b"\"a\"\"b\"");
    }
}
