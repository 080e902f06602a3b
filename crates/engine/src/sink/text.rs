//! Delimited text and NDJSON out, formatted on all cores and written in order.

use std::io::Write;
use std::path::Path;

use arrow_schema::DataType;
use rayon::prelude::*;
use velamen_core::context::Context;

use super::{ColumnKind, Copies, Lines, OutColumn};
use crate::error::EngineError;

/// Records formatted by one task.
const BATCH: u64 = 1 << 14;

/// Tasks whose text is held at once.
const WAVE: usize = 16;

/// Delimited text with a header, or one JSON object per line.
pub(super) fn write(
    lines: &Lines<'_>,
    out: &mut dyn Write,
    path: &Path,
    context: &Context<'_>,
) -> Result<(), EngineError> {
    out.write_all(lines.header()).map_err(EngineError::io(path, "write"))?;
    let (mut written, total) = (0, lines.records());
    let mut batches = lines.batches(BATCH);
    loop {
        let wave: Vec<Vec<Copies>> = batches.by_ref().take(WAVE).collect();
        if wave.is_empty() {
            return Ok(());
        }
        context.check()?;
        let texts: Vec<Vec<u8>> = wave.par_iter().map(|batch| format(lines, batch)).collect();
        for text in texts {
            out.write_all(&text).map_err(EngineError::io(path, "write"))?;
        }
        written += wave.iter().flatten().map(|copies| copies.times).sum::<u64>();
        context.progress.step("writing", written, total);
    }
}

fn format(lines: &Lines<'_>, batch: &[Copies]) -> Vec<u8> {
    let mut text = Vec::with_capacity(1 << 19);
    batch.iter().for_each(|copies| lines.append(*copies, &mut text));
    text
}

/// Each label as `"name":value`.
pub(super) fn json_cells(column: &OutColumn) -> Vec<Vec<u8>> {
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

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn is_json_number(label: &str) -> bool {
    label.ends_with(|c: char| c.is_ascii_digit())
        && label.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && serde_json::from_str::<serde::de::IgnoredAny>(label).is_ok()
}

/// The cell as it is written: quoted where it holds a delimiter, a quote or a line end.
pub(super) fn quote(label: &str, delimiter: u8) -> Vec<u8> {
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
