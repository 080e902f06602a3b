//! `catalog.csv`: ClassID list; sensitive value; count. Values that a spreadsheet would run as formulas
//! have an apostrophe in front.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_core::release::{CatalogRow, Release, SUPPRESSED};
use velamen_core::risk::counterfeits::{Doubts, Stratum};

use velamen_engine::formula::{escape, unescape};

use crate::error::JobError;

/// The file's name in a release.
pub(crate) const FILE: &str = "catalog.csv";

pub(crate) fn write(path: &Path, rows: &[CatalogRow], sensitive: &str) -> Result<(), JobError> {
    let failed = |error: csv::Error| JobError::Io(format!("{}: cannot write: {error}", path.display()));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(["ClassID list", &*escape(sensitive), "Count"]).map_err(failed)?;
    for row in rows {
        let ids: Vec<String> = row.classes.iter().map(u64::to_string).collect();
        writer
            .write_record([ids.join(" ").as_str(), &*escape(&row.value), &row.count.to_string()])
            .map_err(failed)?;
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}

/// What the catalog makes of the classes of a release, which has its sensitive column marked; `None` without
/// counterfeits.
pub(crate) fn doubts(release: &Release) -> Option<Doubts> {
    let sensitive = release.rest.sensitive().next().filter(|_| !release.catalog.is_empty())?;
    let mut cells = vec![BTreeMap::new(); release.sizes.len()];
    for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
        let value = release.rest.codes[sensitive][row.rest as usize];
        *cells[row.class as usize].entry(value).or_default() += row.count;
    }
    let values = &release.rest.columns[sensitive].values;
    let stratum = |row: &CatalogRow| {
        let value = values.iter().position(|value| *value == row.value)? as u32;
        let classes = row.classes.iter().map(|&id| id as usize - 1).collect();
        Some(Stratum { classes, value, counterfeits: row.count })
    };
    Some(Doubts::new(&cells, &release.catalog.iter().filter_map(stratum).collect::<Vec<_>>()))
}

/// Reads the catalog of a release folder; no file is an empty catalog.
///
/// # Errors
/// [`JobError::Data`] with the line that does not read.
pub(crate) fn read(folder: &Path) -> Result<Vec<CatalogRow>, JobError> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(&path)
        .map_err(|error| JobError::Io(format!("{}: {error}", path.display())))?;
    let mut rows = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let wrong = || {
            let line = index + 2;
            JobError::Data(format!(
                "{}: line {line}: expected ClassID list, sensitive value, count",
                path.display()
            ))
        };
        let record = record.map_err(|_| wrong())?;
        let [ids, value, count] = [0, 1, 2].map(|i| record.get(i));
        let classes = ids.unwrap_or("").split_whitespace().map(str::parse).collect::<Result<_, _>>();
        rows.push(CatalogRow {
            classes: classes.map_err(|_| wrong())?,
            value: unescape(value.ok_or_else(wrong)?).to_owned(),
            count: count.and_then(|count| count.parse().ok()).ok_or_else(wrong)?,
        });
    }
    Ok(rows)
}
