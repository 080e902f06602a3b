//! Released records as delimited text.

use super::lines::Lines;
use super::table::{OutColumn, OutTable};

/// Lines of cells with a header.
pub(crate) fn lines(table: &OutTable, delimiter: u8) -> Lines<'_> {
    let cells = |column: &OutColumn| column.labels.iter().map(|label| quote(label, delimiter)).collect();
    let names: Vec<Vec<u8>> = table.columns.iter().map(|column| quote(&column.name, delimiter)).collect();
    let mut header = names.join(&delimiter);
    header.push(b'\n');
    let cells = table.columns.iter().map(cells).collect();
    Lines { table, header, cells, open: b"", between: vec![delimiter], close: b"\n" }
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
