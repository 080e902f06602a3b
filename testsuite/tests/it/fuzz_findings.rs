//! What fuzzing and the reading for it found, each as small as it gets.

use serde_json::{Value, json};
use tempfile::TempDir;
use velamen_assess::{CompareOptions, compare};
use velamen_engine::source::ReadOptions;
use velamen_job::{verify, write_truthful};
use velamen_recipe::{JobError, Origin};
use velamen_sql::{ColumnInfo, SqlError, parse};
use velamen_testsuite::fuzz::{TABLE, good_release};
use velamen_testsuite::with_context;

/// A good release whose manifest is changed.
fn with_manifest(release: usize, change: impl FnOnce(&mut Value)) -> TempDir {
    let folder = good_release(release);
    let path = folder.path().join("release.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    std::fs::write(&path, manifest.to_string()).unwrap();
    folder
}

fn truthful(folder: &TempDir) -> Result<(), JobError> {
    let target = tempfile::tempdir().unwrap();
    let target = target.path().join("truthful.csv");
    with_context(0, |context| write_truthful(folder.path(), &target, context).map(drop))
}

/// The sum of records and counterfeits was not checked.
#[test]
fn more_counterfeits_than_can_be_counted_give_no_truthful_version() {
    let folder = with_manifest(0, |manifest| manifest["counterfeits"] = u64::MAX.into());
    let message = truthful(&folder).unwrap_err().to_string();
    assert!(message.contains("does not account for the counterfeits"), "{message}");
}

/// The sum of the catalog's counts was not checked.
#[test]
fn a_catalog_that_cannot_be_added_up_gives_no_truthful_version() {
    let folder = with_manifest(0, |manifest| manifest["counterfeits"] = 1.into());
    let row = format!("1,nobody has it,{}\n", u64::MAX);
    std::fs::write(folder.path().join("catalog.csv"), format!("ClassID list,disease,Count\n{row}{row}"))
        .unwrap();
    let message = truthful(&folder).unwrap_err().to_string();
    assert!(message.contains("does not account for the counterfeits"), "{message}");
}

/// All values of a sensitive domain were listed to count them, however many the manifest says there are.
#[test]
fn a_domain_of_billions_is_not_listed() {
    let folder = with_manifest(3, |manifest| {
        manifest["attributes"]["disease"]["hierarchy"] =
            json!({ "interval": [], "min": 0.0, "max": 4_294_967_294.0 });
    });
    let findings = with_context(0, |context| verify(folder.path(), None, context)).unwrap();
    let noise = findings.iter().find(|finding| finding.promise == "noise").unwrap();
    assert_ne!(noise.reached, json!({ "misstated": [] }));
}

/// The name that `level(age, 9)` gets can be written as a column; its number was not looked at.
#[test]
fn a_level_that_no_column_has_is_refused_however_it_is_written() {
    let columns = [ColumnInfo { name: "age".into(), levels: 4 }];
    let request = |condition: &str| {
        let statement = parse(&format!("SELECT COUNT(*) FROM release WHERE {condition} = '*'")).unwrap();
        statement.request(&columns).map(drop)
    };
    assert_eq!(request("\"level(age, 3)\""), Ok(()));
    for condition in ["level(age, 4)", "\"level(age, 4)\"", "\"level(age, 255)\"", "\"level(age, 256)\""] {
        assert!(matches!(request(condition), Err(SqlError::Wrong(_))), "{condition}");
    }
}

/// A quasi-identifier of the original was taken to be one of the release's promises.
#[test]
fn a_quasi_identifier_without_hierarchy_cannot_be_compared() {
    let folder = with_manifest(2, |manifest| {
        manifest["attributes"]["age"].as_object_mut().unwrap().remove("hierarchy");
    });
    let original = folder.path().join("original.csv");
    std::fs::write(&original, TABLE).unwrap();
    let (read, options) = (ReadOptions::default(), CompareOptions::default());
    let compared =
        with_context(0, |context| compare(&Origin::File(original), &read, folder.path(), &options, context));
    assert!(compared.is_err_and(|error| error.to_string().contains("hierarchy")));
}
