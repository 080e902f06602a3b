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
