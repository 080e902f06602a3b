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

fn run(data: &Path, adult: Option<&Path>, output: &Path, seeds: u64) -> Result<Vec<Trend>, JobError> {
    let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let request =
        Request { data: data.to_owned(), adult: adult.map(Path::to_owned), output: output.to_owned(), seeds };
    reproduce(&request, &context)
}

#[test]
fn a_table_in_codes_is_measured() {
    let records: String = (0..6000).map(|i| format!("{},{},{}\n", i % 4, i % 4 / 2, i / 7 % 3)).collect();
    let data = folder(&format!("a,b,c\n{records}"));
    let output = data.path().join("out");
    let trends = run(data.path(), None, &output, 1).unwrap();
    let of_columns: Vec<&Trend> =
        trends.iter().filter(|trend| trend.published.starts_with("independent")).collect();
    assert_eq!(of_columns.len(), 2 * EPSILONS.len());
    // With so many records of so few values, all are nearer than independent columns.
    assert!(of_columns.iter().all(|trend| trend.met), "{trends:?}");
    assert_eq!(trends.len(), of_columns.len(), "figures of others and times are of Adult alone");
    for file in [
        "table-in-codes-pairs.csv",
        "table-in-codes-triples.svg",
        "table-in-codes-k-marginal.csv",
        "index.html",
    ] {
        assert!(output.join(file).exists(), "{file}");
    }
}

/// Two columns as texts: the hierarchies' lowest values are their domains.
#[test]
fn a_table_of_texts_is_measured_beside_it() {
    let data = folder("a,b,c\n0,0,0\n1,1,1\n");
    let adult = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(adult.path().join(name), text).unwrap();
    write("adult_hierarchy_sex.csv", "Male;*\nFemale;*\n");
    write("adult_hierarchy_age.csv", "1;*\n2;*\n3;*\n");
    write("adult.csv", &format!("sex;age\n{}", "Male;1\nFemale;3\n".repeat(3000)));
    let output = data.path().join("out");
    let trends = run(data.path(), Some(adult.path()), &output, 1).unwrap();
    assert!(trends.iter().any(|trend| trend.figure.starts_with("Table of texts, aim")), "{trends:?}");
    assert!(output.join("table-of-texts-pairs.csv").exists());
    write("adult.csv", "sex;age\nMale;1\nMale;4\n");
    let refused = run(data.path(), Some(adult.path()), &data.path().join("other"), 1).unwrap_err();
    assert!(refused.to_string().contains("no record of values of the hierarchies"), "{refused}");
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
        let refused = run(data.path(), None, &data.path().join("out"), 1).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
        assert!(!data.path().join("out").exists());
    }
    assert_eq!(run(Path::new("nowhere"), None, Path::new("out-of-nowhere"), 1).unwrap_err().exit_code(), 6);
}

/// The anchors, where folders with Adult are named: not part of the project, read where they are. What the clock says is not judged.
#[test]
fn adult_comes_to_the_anchors() {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let Some(data) = named("VELAMEN_ADULT_14").filter(|_| named("VELAMEN_NIGHTLY").is_some()) else {
        return;
    };
    let adult = named("VELAMEN_ADULT_9");
    let output = tempfile::tempdir().unwrap();
    let trends = run(&data, adult.as_deref(), &output.path().join("out"), SEEDS).unwrap();
    let missed: Vec<&Trend> = trends.iter().filter(|trend| !trend.met && !trend.timed).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
