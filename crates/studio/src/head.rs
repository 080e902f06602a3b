//! The first records of a table, as it would be read: for whoever says how that is.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_engine::source::{Input, Ordered, ReadOptions};
use velamen_engine::{ColumnRequest, FileFormat};
use velamen_recipe::JobError;

/// Records that are shown.
pub(crate) const RECORDS: usize = 20;

/// The beginning of a text that is looked at.
const LOOKED_AT: u64 = 1 << 18;

/// What can only be read whole is read up to this size.
const MOST_WHOLE: u64 = 20 << 20;

/// The names of the columns and the first records.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) columns: Vec<String>,
    pub(crate) records: Vec<Vec<String>>,
}

/// The first records of a file. Of plain text no more than its beginning is read.
///
/// # Errors
/// Those of reading the table so; [`JobError::usage`] for what would have to be read whole and is large.
pub(crate) fn head(path: &Path, options: &ReadOptions) -> Result<Head, JobError> {
    let input = match beginning(path, options)? {
        Some(text) => Input::of_bytes(path, text, options)?,
        None => Input::open(path, options)?,
    };
    let columns = input.columns.iter().enumerate();
    let requests: Vec<ColumnRequest> =
        columns.map(|(index, name)| ColumnRequest::as_recorded(index, name)).collect();
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let ordered = input.read_first(RECORDS, &requests, &context)?;
    let shown = ordered.codes.first().map_or(0, Vec::len);
    let records = (0..shown).map(|row| record(&ordered, row)).collect();
    Ok(Head { columns: input.columns.clone(), records })
}

fn record(ordered: &Ordered, row: usize) -> Vec<String> {
    let cells = ordered.values.iter().zip(&ordered.codes);
    cells.map(|(values, codes)| values[codes[row] as usize].clone()).collect()
}

/// The beginning of a file of plain text, up to the end of a line; `None` of what has to be read whole.
fn beginning(path: &Path, options: &ReadOptions) -> Result<Option<Vec<u8>>, JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "read", &error);
    let size = path.metadata().map_err(failed)?.len();
    let plain = |format: FileFormat| format.is_delimited() && !format.extension().contains('.');
    let is_text = FileFormat::named(path).is_some_and(plain);
    // Characters of two bytes cannot be cut at a line end's byte.
    let is_wide = options.encoding.is_some_and(|encoding| !encoding.is_ascii_compatible());
    if !is_text || is_wide || size <= LOOKED_AT {
        return if size <= MOST_WHOLE { Ok(None) } else { Err(too_large()) };
    }
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LOOKED_AT).read_to_end(&mut text).map_err(failed)?;
    text.truncate(last_line(&text));
    Ok(Some(text))
}

/// Where the last line begins that is not within quotes.
fn last_line(text: &[u8]) -> usize {
    let (mut quoted, mut end) = (false, 0);
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => end = place + 1,
            _ => {}
        }
    }
    end
}

fn too_large() -> JobError {
    JobError::usage("the first rows of a file of this form are shown up to 20 MiB: it has to be read whole")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_large_text_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let rows: String = (0..40_000).map(|n| format!("{n},\"a\nb\",x\n")).collect();
        std::fs::write(&path, format!("Title\nid,two lines,letter\n{rows}")).unwrap();
        let read = ReadOptions { skip_lines: 1, ..ReadOptions::default() };
        let head = head(&path, &read).unwrap();
        assert_eq!(head.columns, ["id", "two lines", "letter"]);
        assert_eq!(
            (head.records.len(), &head.records[19][..]),
            (20, &["19", "a\nb", "x"].map(String::from)[..])
        );
        assert!(super::head(&path, &ReadOptions { skip_lines: 90_000, ..read }).is_err());
    }
}
