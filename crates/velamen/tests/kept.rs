//! Releases that are kept in memory: what they hold, what of them is in a folder later, and their records.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen::arrow_array::cast::AsArray;
use velamen::arrow_array::types::Int64Type;
use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use velamen::arrow_schema::DataType;
use velamen::{Batches, Error, Job, Kept, Recipe, Resolved, RunOptions, Seed, Session, anonymize, records};
use velamen_job::records_of;

/// 120 patients, each age and stay of which there are more than five.
fn batches() -> Batches {
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values((0..120i64).map(|i| 20 + i % 12)));
    let stays: ArrayRef = Arc::new(Int64Array::from_iter_values((0..120i64).map(|i| i % 4)));
    let found: ArrayRef = Arc::new(StringArray::from_iter_values((0..120).map(|i| ["I63", "J18"][i % 2])));
    let batch = RecordBatch::try_from_iter([("age", ages), ("stay", stays), ("diagnosis", found)]).unwrap();
    Batches { schema: batch.schema(), batches: vec![batch] }
}

fn recipe(format: &str, output: &Path) -> Resolved {
    let text = format!(
        "[attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = {{ interval = [5, 10, 20], min = 0, max = 99 }}\n\
         [attributes.stay]\nrole = \"insensitive\"\n[attributes.diagnosis]\nrole = \"sensitive\"\n\
         [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\n\
         [output]\nformat = \"{format}\"\npath = {:?}\n",
        output.display().to_string()
    );
    Recipe::in_memory(&text).unwrap().over(batches()).resolve().unwrap()
}

fn job() -> Job {
    Job::seeded(Seed::from_number(5)).threads(2)
}

fn kept(recipe: &Resolved) -> Kept {
    let made = job().run(|context| {
        let mut table = Session::open(recipe, &RunOptions::default(), context)?.read(context)?;
        table.search(context)?.in_memory(context)?.certify(context)?.keep(context)
    });
    made.unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    std::fs::read_dir(folder).unwrap().map(file).collect()
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("velamen-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The class of an error.
fn kind(failed: Result<(), Error>) -> String {
    failed.unwrap_err().class().kind().to_owned()
}

#[test]
fn a_kept_release_becomes_the_folders_of_a_run_that_names_them() {
    let folder = folder("kept");
    let (named, later) = (folder.join("named"), folder.join("later"));
    job().run(|c| anonymize(&recipe("csv", &named), &RunOptions::default(), c)).unwrap();
    let release = kept(&recipe("csv", &named));
    assert!(!later.exists());
    release.publish(&later).unwrap();
    assert!(files(&later) == files(&named) && files(&later) == *release.files());
    let custodian = |path: &Path| files(&path.with_extension("custodian")).into_keys().collect::<Vec<_>>();
    assert_eq!(custodian(&later), custodian(&named));
    assert!(custodian(&later).iter().all(|name| !release.files().contains_key(name)));
    // Nothing that is there is replaced, and nothing new appears.
    let before = files(&later);
    assert_eq!(kind(release.publish(&later)), "io");
    std::fs::remove_dir_all(&later).unwrap();
    assert!(kind(release.publish(&later)) == "io" && !later.exists());
    assert!(before == *release.files());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_kept_release_shows_nothing_of_the_custodians() {
    let release = kept(&recipe("arrow", Path::new("release")));
    let shown = format!("{release:?}");
    for name in release.files().keys() {
        assert!(shown.contains(name), "{name}");
    }
    assert!(!shown.contains("custodian") && !shown.contains("seed") && shown.len() < 400, "{shown}");
    assert_eq!(release.manifest().records, 120);
    assert!(!release.findings().is_empty());
}

#[test]
fn records_are_those_of_the_file_in_its_order() {
    let folder = folder("records");
    let mut texts: Vec<Vec<String>> = Vec::new();
    for format in ["csv", "ndjson", "parquet", "arrow"] {
        let path = folder.join(format);
        let release = kept(&recipe(format, &path));
        release.publish(&path).unwrap();
        let manifest = release.manifest();
        let data = release.files()[&manifest.data.file].clone();
        let found = job().run(|context| Ok((records(&path, context)?, records_of(manifest, data, context)?)));
        let (of_folder, of_bytes) = found.unwrap();
        assert_eq!(of_folder.schema.fields(), of_bytes.schema.fields(), "{format}");
        assert!(of_folder.batches == of_bytes.batches, "{format}");
        assert_eq!(of_bytes.batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 120);
        let kind = |name: &str| of_bytes.schema.field_with_name(name).unwrap().data_type().clone();
        let typed = format != "csv";
        assert_eq!(kind("ClassID"), DataType::Int64, "{format}");
        assert_eq!(kind("stay") == DataType::Int64, typed, "{format}");
        texts.push(of_bytes.batches.iter().flat_map(rows).collect());
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Each record as text.
fn rows(batch: &RecordBatch) -> Vec<String> {
    let cell = |column: &ArrayRef, row: usize| match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        _ => column.as_string::<i32>().value(row).to_owned(),
    };
    let row = |row| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(",");
    (0..batch.num_rows()).map(row).collect()
}

#[test]
fn bytes_that_are_no_such_file_are_refused() {
    for format in ["arrow", "parquet", "csv"] {
        let release = kept(&recipe(format, Path::new("release")));
        let refused = job().run(|context| records_of(release.manifest(), b"\xff\x00".to_vec(), context));
        assert_eq!(kind(refused.map(|_| ())), "data", "{format}");
    }
}
