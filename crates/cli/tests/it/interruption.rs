//! Ctrl-C, a polite end and a brutal one: never a release that does not verify.

use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::common::Folder;

/// Enough to be at work for a second or more.
const ROWS: &str = "200000";

/// Few enough to be run again and again.
const FEW_ROWS: &str = "5000";

/// Many columns released as they are make a run long enough to be interrupted.
const RECIPE: &str = r#"
[input]
path = "nps.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [2, 4, 8, 16, 32], min = 0, max = 127 }
[attributes.sex]
role = "quasi-identifier"
[attributes.length_of_stay]
role = "quasi-identifier"
hierarchy = { interval = [2, 4, 8, 16, 32, 64, 128], min = 0, max = 999 }
[attributes.location]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 4 }
[attributes.surgery]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 10
[method]
name = "h-ceiling"
adversary-limit = 1
h = 0.6
[output]
path = "release"
"#;

static SAMPLE: LazyLock<Folder> = LazyLock::new(|| {
    let folder = Folder::new();
    folder.ok(&["synth", "nps", "--rows", ROWS, "--output", "nps.csv"]);
    folder.ok(&["synth", "nps", "--rows", FEW_ROWS, "--output", "few.csv"]);
    folder
});

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("recipe.toml", RECIPE);
    folder
}

fn start(folder: &Folder, sample: &str) -> Child {
    let input = SAMPLE.path(sample);
    let mut command =
        folder.slow_command(&["anonymize", "recipe.toml", "--quiet", "--input", input.to_str().unwrap()]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Waits until the run has made its temporary folders, which is after the handler is set.
fn wait_for_work(folder: &Folder) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while folder.entries().len() < 3 {
        assert!(Instant::now() < deadline, "the run never began");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn is_interrupted_by(name: &str) {
    let folder = folder();
    let child = start(&folder, "nps.csv");
    wait_for_work(&folder);
    signal(&child, name);
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("interrupted; nothing was released"), "{message}");
    assert_eq!(folder.entries(), ["recipe.toml"]);
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    is_interrupted_by("INT");
}

#[test]
fn a_polite_end_leaves_nothing_behind() {
    is_interrupted_by("TERM");
}

#[test]
fn a_killed_run_leaves_no_release() {
    let whole = folder();
    let began = Instant::now();
    assert!(start(&whole, "few.csv").wait().unwrap().success());
    let time = began.elapsed();
    for moment in 0..12 {
        let folder = folder();
        let mut child = start(&folder, "few.csv");
        std::thread::sleep(time * moment / 11);
        let _ = child.kill();
        let _ = child.wait();
        if folder.path("release").exists() {
            folder.ok(&["verify", "release"]);
            assert!(folder.path("release.custodian/custodian.json").exists());
        }
    }
}

#[test]
fn an_interrupted_sample_leaves_no_file() {
    let folder = Folder::new();
    let mut command =
        folder.slow_command(&["synth", "nps", "--rows", "2000000000", "--output", "nps.csv", "--quiet"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while folder.entries().is_empty() {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(folder.entries().is_empty());
}

/// Persons of linked tables: enough for a run of some seconds, and few enough to be made quickly.
const PERSONS: &str = "2000";

static EXPORTS: LazyLock<Folder> = LazyLock::new(|| {
    let folder = Folder::new();
    for shape in ["omop", "fhir"] {
        folder.ok(&["synth", "patients", "--as", shape, "--persons", PERSONS, "--output", shape]);
    }
    folder
});

/// How many runs are interrupted, each at another moment.
const MOMENTS: u32 = 3;

/// A run over linked tables.
fn linked(shape: &str, format: &str) -> (Folder, Child) {
    let folder = Folder::new();
    let input = EXPORTS.path(shape);
    folder.write(
        "recipe.toml",
        format!(
            "[input]\nfolder = {:?}\nshape = \"{shape}\"\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 2\n[output]\npath = \"release\"\n{format}",
            input.to_str().unwrap()
        ),
    );
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let mut command = folder.slow_command(&["anonymize", "recipe.toml", "--quiet"]);
    command.env("TMPDIR", folder.path("temporary")).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    (folder, child)
}

/// Interrupts runs over linked tables at moments from the first to the last: while they read, thin, write and check. A run ends within
/// half a second at most of these moments; the rest is for machines that are busy.
fn linked_is_interrupted(shape: &str, format: &str) {
    let began = Instant::now();
    let (whole, mut child) = linked(shape, format);
    assert!(child.wait().unwrap().success());
    let time = began.elapsed();
    assert!(whole.path("release").exists());
    let mut interrupted = 0;
    for moment in 0..MOMENTS {
        let (folder, child) = linked(shape, format);
        wait_for_folders(&folder);
        std::thread::sleep(time * moment / (MOMENTS + 1));
        signal(&child, "INT");
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        let (took, message) = (asked.elapsed(), String::from_utf8(output.stderr).unwrap());
        assert!(took < Duration::from_secs(20), "{shape}, moment {moment}: it took {took:?}");
        assert_eq!(
            std::fs::read_dir(folder.path("temporary")).unwrap().count(),
            0,
            "{shape}, moment {moment}"
        );
        if output.status.success() {
            folder.ok(&["verify", "release"]);
            continue;
        }
        interrupted += 1;
        assert_eq!(output.status.code(), Some(130), "{message}");
        assert!(message.contains("interrupted; nothing was released"), "{message}");
        assert_eq!(names(&folder), ["recipe.toml", "temporary"], "{shape}, moment {moment}");
    }
    assert!(interrupted >= MOMENTS / 2, "{interrupted} of {MOMENTS} runs of {time:?}");
}

/// What stands beside the recipe.
fn names(folder: &Folder) -> Vec<String> {
    let found = std::fs::read_dir(folder.path("")).unwrap().flatten();
    let mut names: Vec<String> = found.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until the run has made its temporary folders.
fn wait_for_folders(folder: &Folder) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while names(folder).len() < 4 {
        assert!(Instant::now() < deadline, "the run never began");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn ctrl_c_ends_a_run_over_linked_tables() {
    linked_is_interrupted("omop", "");
}

#[test]
fn ctrl_c_ends_a_run_over_resources() {
    linked_is_interrupted("fhir", "");
}

#[test]
fn ctrl_c_ends_a_run_that_writes_parquet() {
    linked_is_interrupted("omop", "format = \"parquet\"\n");
}
