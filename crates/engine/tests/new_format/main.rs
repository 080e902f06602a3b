//! A format is one file: a program adds its own and runs it, and nothing but a format's file names it.
#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

#[path = "../it/common/mod.rs"]
mod common;
mod fixed;

use std::path::{Path, PathBuf};

use common::{file, on_threads, read, records, with_context};
use velamen_core::hierarchy::Rule;
use velamen_engine::FileFormat;
use velamen_engine::format::{Entry, FORMATS};
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::ReadOptions;

fn add() {
    // Tests of one process share the registry.
    let _ = FORMATS.add(&fixed::ENTRY);
}

fn table() -> OutTable {
    let column = |name: &str, labels: [&str; 3]| OutColumn {
        name: name.into(),
        labels: labels.map(str::to_owned).to_vec(),
        kind: ColumnKind::Text,
    };
    OutTable {
        columns: vec![column("diagnosis", ["E11", "I10", ""]), column("city", ["Köln", "a, b", "x"])],
        codes: vec![vec![0, 1, 2, 0, 1], vec![0, 1, 2, 2, 0]],
        counts: vec![2, 1, 4, 1, 1],
    }
}

#[test]
fn a_format_that_is_added_is_read_and_written() {
    add();
    for name in ["out.fixed", "out.fwf", "out.fixed.gz"] {
        let (_folder, path) = file(name, b"");
        let format = FileFormat::to_write(&path).unwrap();
        assert_eq!(format.format.name, "fixed");
        with_context(|context| table().write(&path, format, b',', context)).unwrap();
        for threads in [1, 2] {
            let read = on_threads(threads, || read(&path, Rule::Flat, &ReadOptions::default())).unwrap();
            let found = records(&read);
            let expected = [(["", "x"], 4), (["E11", "Köln"], 2), (["E11", "x"], 1)];
            let expected = expected.into_iter().chain([(["I10", "Köln"], 1), (["I10", "a, b"], 1)]);
            let expected = expected.map(|(cells, count)| (cells.map(str::to_owned).to_vec(), count));
            assert_eq!(found, expected.collect(), "{name}");
        }
    }
}

#[test]
fn a_format_that_is_added_is_known_by_name_and_first_bytes() {
    add();
    assert_eq!("fwf.zst".parse::<FileFormat>().unwrap().extension(), "fixed.zst");
    assert_eq!(FileFormat::sniff(Path::new("a.csv"), b"#fixed\nx").extension(), "fixed");
    let refused = "docx".parse::<FileFormat>().unwrap_err();
    let known = "expected csv, tsv, parquet, arrow, feather, ndjson, xlsx, ods or fixed";
    assert!(refused.to_string().ends_with(known), "{refused}");
}

/// The files of production code below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The lines of a file that are compiled into the program, without comments.
fn code(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    // Of a module of tests, and not of another line that tests alone have.
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned()).collect()
}

/// Where a format's name in quotes is not a format's name.
const OTHER: &[(&str, &str)] = &[
    // The option that asks for a query's answer as CSV.
    ("cli/src/command/query.rs", "conflicts_with"),
    // The checker reads released tables by itself: it shares nothing with who wrote them.
    ("checker/src/linked/source.rs", "Csv::open"),
    // FHIR's own name of its files, whose lines are resources and no records of a table.
    ("contract/src/linked/mod.rs", "RESOURCES"),
];

/// What a format is named by in code, with the file that may do so.
fn marks() -> Vec<(String, String)> {
    let built_in = FORMATS.iter().filter(|format| format.name != fixed::ENTRY.name);
    let of = |format: &'static Entry| {
        let file = format!("engine/src/format/{}.rs", format.name);
        let quoted = std::iter::once(&format.name).chain(format.also).map(|name| format!("\"{name}\""));
        let own = quoted.chain([variant(format.name)]).map(move |mark| (mark, file.clone()));
        own.chain([(format!("{}::ENTRY", format.name), "engine/src/format/mod.rs".to_owned())])
    };
    built_in.flat_map(of).collect()
}

/// `Format::Csv`.
fn variant(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("Format::{}{rest}", first.to_uppercase())
}

#[test]
fn no_format_is_named_outside_its_own_file() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&crates).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    let (marks, mut named) = (marks(), Vec::new());
    for path in files {
        let shown = path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
        for line in code(&path) {
            let allowed = OTHER.iter().any(|(file, part)| shown == *file && line.contains(part));
            let strange = |(mark, file): &(String, String)| *file != shown && line.contains(mark.as_str());
            if !allowed && marks.iter().any(strange) {
                named.push(format!("{shown}: {}", line.trim()));
            }
        }
    }
    assert!(named.is_empty(), "{named:#?}");
}
