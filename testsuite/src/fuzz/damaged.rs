//! Real files with bytes that are changed, cut off or repeated, as bad disks, broken downloads and forgers leave them.

use std::sync::OnceLock;

use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};

use super::source::Source;
use super::{forged, table, with_context};

const XLSX: &[u8] = include_bytes!("real/visits.xlsx");
const ODS: &[u8] = include_bytes!("real/visits.ods");

/// A file in Parquet, an Arrow file.
pub fn columnar(bytes: &[u8]) {
    static FILES: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();
    read(FILES.get_or_init(|| ["parquet", "arrow"].map(written).to_vec()), bytes);
}

/// A table of text that is packed as a whole.
pub fn packed(bytes: &[u8]) {
    static FILES: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();
    let formats = ["csv.gz", "csv.zst", "tsv.gz", "ndjson.gz", "ndjson.zst"];
    read(FILES.get_or_init(|| formats.map(written).to_vec()), bytes);
}

/// A sheet of a workbook.
pub fn workbook(bytes: &[u8]) {
    static FILES: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();
    read(FILES.get_or_init(|| vec![("xlsx", XLSX.to_vec()), ("ods", ODS.to_vec())]), bytes);
}

/// A release of which one file is damaged, verified and read in all other ways.
pub fn release_bytes(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let mut files = source.one(forged::releases()).clone();
    let names: Vec<String> = files.keys().cloned().collect();
    if let Some(content) = files.get_mut(source.one(&names)) {
        damage(content, &mut source);
    }
    let folder = forged::written(&files);
    with_context(|context| forged::read(folder.path(), false, context));
}

/// A small table as a file of that format, with its name.
fn written(format: &'static str) -> (&'static str, Vec<u8>) {
    let column = |name: &str, labels: &[&str], kind| OutColumn {
        name: name.into(),
        labels: labels.iter().map(|&label| label.into()).collect(),
        kind,
    };
    let table = OutTable {
        columns: vec![
            column("word", &["flu", "asthma", "", "a \"gout\", bad"], ColumnKind::Text),
            column("age", &["31", "7", "", "99"], ColumnKind::Integer),
        ],
        codes: vec![vec![0, 1, 2, 3, 0], vec![0, 1, 2, 3, 3]],
        counts: vec![3, 1, 2, 1, 1],
    };
    let mut bytes = Vec::new();
    with_context(|context| {
        let format = format.parse().expect("a known format");
        bytes = table.to_bytes(format, b',', context).expect("memory takes what is written");
    });
    (format, bytes)
}

/// Reads one of the files with some damage.
fn read(files: &[(&'static str, Vec<u8>)], bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let (format, mut content) = source.one(files).clone();
    damage(&mut content, &mut source);
    table(format, &content);
}

/// Up to four changes: a byte, the end, a block twice, a block over another.
fn damage(content: &mut Vec<u8>, source: &mut Source<'_>) {
    for _ in 0..=source.below(4) {
        let place = source.below(content.len().max(1));
        let Some(byte) = content.get_mut(place) else { return };
        match source.below(8) {
            0 => content.truncate(place),
            1 => {
                let block = content[place..].iter().take(1 + source.below(64)).copied().collect::<Vec<u8>>();
                content.splice(place..place, block);
            }
            2 => {
                let end = content.len().min(place + 1 + source.below(32));
                let to = source.below(content.len() - (end - place) + 1);
                content.copy_within(place..end, to);
            }
            _ => *byte ^= 1 + source.below(255) as u8,
        }
    }
}
