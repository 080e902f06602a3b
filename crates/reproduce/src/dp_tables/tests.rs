use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::Silent;

use super::*;

/// Three columns, of which the second follows the first.
fn folder(table: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("domain.json"), r#"{"a": 4, "b": 2, "c": 3}"#).unwrap();
    std::fs::write(folder.path().join("adult.csv"), table).unwrap();
    folder
}

fn run(data: &Path, output: &Path, seeds: u64) -> Result<Vec<Trend>, JobError> {
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    reproduce(&Request { data: data.to_owned(), output: output.to_owned(), seeds }, &context)
}

#[test]
fn a_table_in_codes_is_measured() {
    let records: String = (0..6000).map(|i| format!("{},{},{}\n", i % 4, i % 4 / 2, i / 7 % 3)).collect();
    let data = folder(&format!("a,b,c\n{records}"));
    let output = data.path().join("out");
    let trends = run(data.path(), &output, 1).unwrap();
    assert_eq!(trends.len(), ANCHORS.len() + 4);
    // With so many records of so few values, all are nearer than independent columns.
    assert!(trends[ANCHORS.len()..].iter().all(|trend| trend.met), "{trends:?}");
    for file in ["pairs.csv", "triples.svg", "index.html"] {
        assert!(output.join(file).exists(), "{file}");
    }
}

#[test]
fn what_is_no_table_in_codes_is_refused() {
    for (table, says) in [
        ("a,b,x\n0,0,0\n", "no domain"),
        ("a,b,c\n0,0\n", "no record of codes"),
        ("a,b,c\n0,2,0\n", "outside its domain"),
        ("a,b,c\n", "no record"),
        ("a,b,c\n0,x,0\n", "no record of codes"),
    ] {
        let data = folder(table);
        let refused = run(data.path(), &data.path().join("out"), 1).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
        assert!(!data.path().join("out").exists());
    }
    assert_eq!(run(Path::new("nowhere"), Path::new("out-of-nowhere"), 1).unwrap_err().exit_code(), 6);
}

/// The anchors, where a folder with Adult in codes is named: not part of the project, read where it is.
#[test]
fn adult_comes_to_the_anchors() {
    let Some(data) =
        std::env::var_os("VELAMEN_ADULT_14").filter(|_| std::env::var_os("VELAMEN_NIGHTLY").is_some())
    else {
        return;
    };
    let output = tempfile::tempdir().unwrap();
    let trends = run(Path::new(&data), &output.path().join("out"), SEEDS).unwrap();
    let missed: Vec<&Trend> = trends.iter().filter(|trend| !trend.met).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
