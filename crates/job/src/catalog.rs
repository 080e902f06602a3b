//! `catalog.csv`: ClassID list; sensitive value; count. Values that a spreadsheet would run as formulas
//! have an apostrophe in front.
//!
//! The rows of a group stand together. Its list of classes can be as long as the table has classes, and is left out from the
//! second row on: else the file grew with the square of the table. The delimiter is that of the data file.

use std::path::Path;
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::release::{CATALOG, CatalogRow};
use velamen_engine::formula::{escape, unescape};
use velamen_recipe::{Code, JobError};
use velamen_report::Manifest;

use crate::active;

/// The file's name in a release.
pub(crate) const FILE: &str = "catalog.csv";

/// What the header begins with, before the delimiter.
const FIRST: &str = "ClassID list";

/// The delimiters of data files, and of catalogs.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How a catalog is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    delimiter: u8,
    /// Lists of more ids stand in the first row of their group alone.
    longest_repeated: usize,
}

impl Written {
    /// Beside a data file with that delimiter, if it has one.
    pub(crate) fn beside(delimiter: Option<&str>) -> Self {
        let of_data = delimiter.and_then(|text| text.bytes().next());
        Self {
            delimiter: of_data.filter(|byte| DELIMITERS.contains(byte)).unwrap_or(b','),
            longest_repeated: 0,
        }
    }

    /// As it was before lists stood once, in releases of the same format.
    const EARLIER: Self = Self { delimiter: b',', longest_repeated: 1000 };
}

/// Rows between two looks at the wish to stop.
const ROWS: usize = 1 << 10;

/// The file's bytes.
pub(crate) fn bytes(
    rows: &[CatalogRow],
    sensitive: &str,
    written: Written,
    context: &Context<'_>,
) -> Result<Vec<u8>, JobError> {
    let failed = |error: csv::Error| JobError::unusable(format!("{FILE}: cannot write: {error}"));
    let mut writer = csv::WriterBuilder::new().delimiter(written.delimiter).from_writer(Vec::new());
    writer.write_record([FIRST, &*escape(sensitive), "Count"]).map_err(failed)?;
    let mut before: Option<&[u64]> = None;
    for (number, row) in rows.iter().enumerate() {
        if number % ROWS == 0 {
            context.check()?;
            context.progress.step("writing the catalog", number as u64, rows.len() as u64);
        }
        let told = row.classes.len() > written.longest_repeated && before == Some(&row.classes);
        let ids: Vec<String> = row.classes.iter().filter(|_| !told).map(u64::to_string).collect();
        before = Some(&row.classes);
        writer
            .write_record([ids.join(" ").as_str(), &*escape(&row.value), &row.count.to_string()])
            .map_err(failed)?;
    }
    writer
        .into_inner()
        .map_err(|error| JobError::unusable(format!("{FILE}: cannot write: {}", error.error())))
}

/// Reads the catalog of a release folder; a release that promises none has an empty one.
///
/// # Errors
/// [`JobError::data`] with the line that does not read; [`JobError::promise`] if the promised file is missing.
pub fn read(folder: &Path, manifest: &Manifest) -> Result<Vec<CatalogRow>, JobError> {
    let path = folder.join(FILE);
    if !path.exists() {
        return if is_promised(manifest) { Err(missing(&path)) } else { Ok(Vec::new()) };
    }
    let bytes = std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))?;
    of_bytes(&path, &bytes)
}

/// Whether the file of a release's folder is what this version writes of its rows; so is one that is not promised.
pub(crate) fn is_as_written(
    folder: &Path,
    manifest: &Manifest,
    rows: &[CatalogRow],
    context: &Context<'_>,
) -> Result<bool, JobError> {
    if !is_promised(manifest) {
        return Ok(true);
    }
    let mut sensitive = manifest.of_role(Role::Sensitive);
    let (Some(sensitive), None) = (sensitive.next(), sensitive.next()) else { return Ok(false) };
    let path = folder.join(FILE);
    let there = std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))?;
    let counted = rows.iter().all(|row| row.count > 0) && are_in_order(rows);
    let now = Written::beside(manifest.data.delimiter.as_deref());
    Ok(counted
        && (there == bytes(rows, sensitive, now, context)?
            || there == bytes(rows, sensitive, Written::EARLIER, context)?))
}

/// Whether the ids of each list ascend, and the lists by them: another order can say something of its own.
fn are_in_order(rows: &[CatalogRow]) -> bool {
    let groups = rows.chunk_by(|a, b| a.classes == b.classes).map(|rows| &rows[0].classes);
    rows.iter().all(|row| row.classes.is_sorted_by(|a, b| a < b)) && groups.is_sorted_by(|a, b| a < b)
}

/// Whether a spreadsheet would run a cell of the file; none of one that is not promised.
///
/// # Errors
/// [`JobError::io`] if it cannot be read.
pub(crate) fn has_formula(folder: &Path, manifest: &Manifest) -> Result<bool, JobError> {
    if !is_promised(manifest) {
        return Ok(false);
    }
    let path = folder.join(FILE);
    let bytes = std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))?;
    Ok(active::has_formula(&bytes, delimiter(&bytes)))
}

fn is_promised(manifest: &Manifest) -> bool {
    manifest.privacy.iter().any(|promise| promise.model == CATALOG)
}

fn missing(path: &Path) -> JobError {
    let message = "is missing, but release.json promises a catalog of counterfeits: the folder is incomplete";
    JobError::promise(format!("{}: {message}", path.display())).coded(Code::RELEASE_BROKEN)
}

/// What stands between the cells, by the header.
fn delimiter(bytes: &[u8]) -> u8 {
    bytes.get(FIRST.len()).copied().filter(|byte| DELIMITERS.contains(byte)).unwrap_or(b',')
}

/// The rows of a catalog's bytes; `path` stands for the file in messages.
///
/// # Errors
/// [`JobError::data`] with the line that does not read.
pub(crate) fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Vec<CatalogRow>, JobError> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter(bytes)).from_reader(bytes);
    let mut rows: Vec<CatalogRow> = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let wrong = || {
            let line = index + 2;
            JobError::data(format!("{}: line {line}: no row of a catalog", path.display()))
                .expected("ClassID list, sensitive value, count")
        };
        let record = record.map_err(|_| wrong())?;
        let [ids, value, count] = [0, 1, 2].map(|i| record.get(i));
        let ids = ids.unwrap_or("");
        let classes = match rows.last() {
            Some(before) if ids.is_empty() => Arc::clone(&before.classes),
            _ => ids.split_whitespace().map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?,
        };
        rows.push(CatalogRow {
            classes,
            value: unescape(value.ok_or_else(wrong)?).to_owned(),
            count: count.and_then(|count| count.parse().ok()).ok_or_else(wrong)?,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use velamen_core::context::Silent;
    use velamen_dp::Seed;

    use super::*;

    fn text(rows: &[CatalogRow], written: Written) -> String {
        let seed = Seed::from_number(1);
        let context = Context { seed: &seed, progress: &Silent, cancel: &AtomicBool::new(false) };
        String::from_utf8(bytes(rows, "disease", written, &context).expect("it is written")).expect("text")
    }

    #[test]
    fn lists_stand_once_and_earlier_releases_are_read() {
        let row = |classes: &Arc<[u64]>, value: &str| CatalogRow {
            classes: Arc::clone(classes),
            value: value.into(),
            count: 2,
        };
        let (long, short): (Arc<[u64]>, Arc<[u64]>) = ((1..=1001).collect(), [2001, 2002].into());
        let rows = [row(&long, "a"), row(&long, "b"), row(&short, "a"), row(&short, "c")];
        for (written, end) in [
            (Written::beside(None), ",b,2\n2001 2002,a,2\n,c,2\n"),
            (Written::beside(Some(";")), ";b;2\n2001 2002;a;2\n;c;2\n"),
            (Written::EARLIER, ",b,2\n2001 2002,a,2\n2001 2002,c,2\n"),
        ] {
            let text = text(&rows, written);
            assert!(text.ends_with(end), "{end}");
            let found = of_bytes(Path::new(FILE), text.as_bytes());
            assert!(found.is_ok_and(|found| found == rows));
        }
    }
}
