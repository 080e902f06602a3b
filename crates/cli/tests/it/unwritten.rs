//! A result that cannot be written is never taken for one that was: full disks exit 6. Who closes a pipe has read enough.

use std::fs::File;
use std::process::Stdio;

use crate::common::{Folder, OPTIMAL};

/// Every command that ends well, with and without JSON.
const CALLS: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["profile", "--help"],
    &["schema"],
    &["profile", "patients.csv"],
    &["profile", "patients.csv", "--json"],
    &["verify", "release"],
    &["verify", "release", "--json"],
    &["measure", "release"],
    &["measure", "patients.csv", "--qi", "age,sex", "--json"],
    &["risk", "release"],
    &["leak", "patients.csv"],
    &["compare", "patients.csv", "release"],
    &["attack", "release", "--original", "patients.csv", "--attacks", "linkage"],
    &["estimate", "recipe.toml"],
    &["audit", "private.toml", "--trials", "10", "--ordinary"],
    &["hierarchy", "show", "{ atc = \"full\" }"],
    &["hierarchy", "check", "sex.csv"],
    &["hierarchy", "build", "sex.csv", "--output", "built.csv"],
    &["truthful", "release", "--output", "truthful.csv"],
    &["report", "release", "--output", "report.html"],
    &["synth", "nps", "--rows", "10", "--output", "nps.csv"],
    &["demo", "--rows", "1000", "--output", "demo"],
    &["anonymize", "recipe.toml", "--overwrite"],
    &["anonymize", "recipe.toml", "--overwrite", "--json"],
];

/// A recipe of which an audit finds nothing.
const PRIVATE: &str = r#"[input]
path = "nothing.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10], min = 0, max = 29 }
[attributes.disease]
role = "sensitive"
domain = ["A", "B"]
[[privacy]]
model = "differential-privacy"
epsilon = 1
[method]
name = "ipa"
[output]
path = "private"
"#;

fn folder() -> Folder {
    let folder = Folder::with(OPTIMAL);
    folder.write("sex.csv", "F;*\nM;*\n");
    folder.write("private.toml", PRIVATE);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

/// Exit code and standard error of a call whose standard output goes there.
fn ended(folder: &Folder, call: &[&str], output: Stdio) -> (Option<i32>, String) {
    let child = folder.command(call).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_full_disk_is_told_by_every_command() {
    let folder = folder();
    for call in CALLS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, said) = ended(&folder, call, full.into());
        assert_eq!(code, Some(6), "{call:?}: {said}");
        let told = said.lines().filter(|line| line.contains("standard output: cannot write")).count();
        let why = said.contains("No space left") && !said.contains("panicked");
        assert!(told == 1 && why, "{call:?}: {said}");
    }
}

/// Exit code and standard error of a call whose reader has ended.
fn unread(folder: &Folder, call: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    ended(folder, call, writer.into())
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let folder = folder();
    for call in CALLS {
        let (code, said) = unread(&folder, call);
        assert_eq!(code, Some(0), "{call:?}: {said}");
        for word in ["error", "pipe", "standard output", "panicked"] {
            assert!(!said.contains(word), "{call:?}: {said}");
        }
    }
}

#[test]
fn the_work_is_done_whoever_reads() {
    let folder = folder();
    std::fs::remove_dir_all(folder.path("release")).unwrap();
    std::fs::remove_dir_all(folder.path("release.custodian")).unwrap();
    assert_eq!(unread(&folder, &["anonymize", "recipe.toml", "--json"]).0, Some(0));
    folder.ok(&["verify", "release"]);
    folder.write("release/data.csv", folder.read("release/data.csv") + "x\n");
    let (code, said) = unread(&folder, &["verify", "release"]);
    assert!(code.is_some_and(|code| code != 0 && code != 6) && !said.contains("pipe"), "{code:?} {said}");
    assert_eq!(unread(&folder, &["verify"]).0, Some(2));
}

#[test]
fn what_a_command_finds_is_said_before_that_nobody_reads_it() {
    let folder = folder();
    let full = || File::options().write(true).open("/dev/full").unwrap().into();
    folder.write("release/data.csv", folder.read("release/data.csv").replace('*', "+") + "x\n");
    let (code, said) = ended(&folder, &["verify", "release"], full());
    assert!(code.is_some_and(|code| code != 0 && code != 6), "{code:?} {said}");
    let (code, _) = ended(&folder, &["verify"], full());
    assert_eq!(code, Some(2));
}
