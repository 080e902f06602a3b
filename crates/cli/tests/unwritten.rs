//! A result that cannot be written is never taken for one that was: full disks and closed pipes exit 6.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]
#![cfg(target_os = "linux")]

mod common;

use std::fs::File;
use std::process::Stdio;

use common::{Folder, OPTIMAL};

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
    &["audit", "recipe.toml", "--trials", "10"],
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

fn folder() -> Folder {
    let folder = Folder::with(OPTIMAL);
    folder.write("sex.csv", "F;*\nM;*\n");
    folder.ok(&["anonymize", "recipe.toml"]);
    folder
}

/// Exit code and standard error of a call whose standard output goes there.
fn ended(folder: &Folder, call: &[&str], output: Stdio) -> (Option<i32>, String) {
    let child = folder.command(call).stdout(output).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn is_told(call: &[&str], (code, said): (Option<i32>, String), why: &str) {
    assert_eq!(code, Some(6), "{call:?}: {said}");
    let told = said.lines().filter(|line| line.contains("standard output: cannot write")).count();
    assert!(told == 1 && said.contains(why) && !said.contains("panicked"), "{call:?}: {said}");
}

#[test]
fn a_full_disk_is_told_by_every_command() {
    let folder = folder();
    for call in CALLS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        is_told(call, ended(&folder, call, full.into()), "No space left");
    }
}

#[test]
fn a_closed_pipe_is_told_by_every_command() {
    let folder = folder();
    for call in CALLS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        is_told(call, ended(&folder, call, writer.into()), "Broken pipe");
    }
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
