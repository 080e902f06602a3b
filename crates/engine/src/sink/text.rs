//! Delimited text out, formatted on all cores and written in order.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;
use velamen_core::context::Context;

use super::{Copies, OutTable, batches};
use crate::error::EngineError;

/// Records formatted by one task.
const BATCH: u64 = 1 << 14;

/// Tasks whose text is held at once.
const WAVE: usize = 16;

pub(super) fn write(
    table: &OutTable,
    out: &mut dyn Write,
    path: &Path,
    delimiter: u8,
    context: &Context<'_>,
) -> Result<(), EngineError> {
    let failed = EngineError::io(path, "write");
    let quoted: Vec<Vec<Vec<u8>>> = table
        .columns
        .iter()
        .map(|column| column.labels.iter().map(|label| quote(label, delimiter)).collect())
        .collect();
    let header: Vec<Vec<u8>> = table.columns.iter().map(|column| quote(&column.name, delimiter)).collect();
    let mut line = header.join(&delimiter);
    line.push(b'\n');
    out.write_all(&line).map_err(&failed)?;
    let (mut written, total) = (0, table.records());
    let mut batches = batches(&table.counts, BATCH);
    loop {
        let wave: Vec<Vec<Copies>> = batches.by_ref().take(WAVE).collect();
        if wave.is_empty() {
            return Ok(());
        }
        context.check()?;
        let texts: Vec<Vec<u8>> =
            wave.par_iter().map(|batch| format(table, &quoted, batch, delimiter)).collect();
        for text in texts {
            out.write_all(&text).map_err(&failed)?;
        }
        written += wave.iter().flatten().map(|copies| copies.times).sum::<u64>();
        context.progress.step("writing", written, total);
    }
}

fn format(table: &OutTable, quoted: &[Vec<Vec<u8>>], batch: &[Copies], delimiter: u8) -> Vec<u8> {
    let mut text = Vec::with_capacity(1 << 19);
    for copies in batch {
        let start = text.len();
        for (labels, codes) in quoted.iter().zip(&table.codes) {
            text.extend_from_slice(&labels[codes[copies.row] as usize]);
            text.push(delimiter);
        }
        if let Some(last) = text.last_mut() {
            *last = b'\n';
        }
        let line = start..text.len();
        for _ in 1..copies.times {
            text.extend_from_within(line.clone());
        }
    }
    text
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
