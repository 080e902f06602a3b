//! Where the release goes: what exists stays, a failure leaves nothing, a full disk is told.

#![allow(clippy::print_stdout, reason = "a test says what it left out")]

use std::process::Command;

use crate::common::{Folder, H_CEILING, OPTIMAL, Run, program, sample_recipe};

const RUN: [&str; 2] = ["anonymize", "recipe.toml"];
const OVERWRITE: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

#[test]
fn a_release_that_exists_is_kept_unless_overwritten() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&RUN);
    let before = folder.read("release/release.json");
    folder.refused(&RUN, 6, &["release: already exists", "--overwrite"]);
    folder.refused(&[&OVERWRITE[..], &["--set", "privacy.0.k=1000"]].concat(), 3, &["k = 1000"]);
    assert_eq!(folder.read("release/release.json"), before);
    folder.ok(&[&OVERWRITE[..], &["--set", "privacy.0.k=6"]].concat());
    assert_ne!(folder.read("release/release.json"), before);
    folder.ok(&["verify", "release"]);
}

#[test]
fn a_custodians_folder_without_a_release_is_kept_too() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&RUN);
    std::fs::remove_dir_all(folder.path("release")).unwrap();
    folder.refused(&RUN, 6, &["release.custodian: already exists", "--overwrite"]);
    folder.ok(&OVERWRITE);
}

#[test]
fn overwrite_destroys_nothing_but_releases() {
    let folder = Folder::with(H_CEILING);
    std::fs::create_dir(folder.path("thesis")).unwrap();
    folder.write("thesis/chapter1.tex", "years of work");
    let into = |output| [&OVERWRITE[..], &["--output", output]].concat();
    folder.refused(&into("thesis"), 6, &["thesis", "not replaced"]);
    folder.refused(&into("patients.csv"), 2, &["patients.csv", "is the input"]);
    folder.refused(&into("."), 2, &["not a folder that can be made"]);
    folder.refused(&into(".."), 2, &["not a folder that can be made"]);
    folder.refused(&into("/"), 2, &["not a folder that can be made"]);
}

#[test]
fn a_parent_that_is_a_file() {
    let folder = Folder::with(H_CEILING);
    folder.refused(&[&RUN[..], &["--output", "patients.csv/release"]].concat(), 6, &["patients.csv"]);
}

#[test]
fn parents_are_made_and_removed_again_on_failure() {
    let folder = Folder::with(H_CEILING);
    let deep = ["--output", "a/b/release"];
    folder.refused(&[&RUN[..], &deep, &["--set", "privacy.0.k=1000"]].concat(), 3, &["k = 1000"]);
    folder.ok(&[&RUN[..], &deep].concat());
    folder.ok(&["verify", "a/b/release"]);
}

#[test]
#[cfg(unix)]
fn the_custodians_folder_is_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(H_CEILING);
    folder.ok(&RUN);
    let mode = |name: &str| folder.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("release"), mode("release.custodian")), (0o755, 0o700));
}

#[test]
fn the_folders_hold_what_they_should() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&RUN);
    let expected = [
        "patients.csv",
        "recipe.toml",
        "release",
        "release.custodian",
        "release.custodian/counterfeits.csv",
        "release.custodian/custodian-report.html",
        "release.custodian/custodian.json",
        "release/README.md",
        "release/catalog.csv",
        "release/codebook.csv",
        "release/data.csv",
        "release/data.csv-metadata.json",
        "release/release.json",
        "release/report.html",
    ];
    let entries = folder.entries();
    let without_counterfeits: Vec<&str> =
        expected.into_iter().filter(|e| !e.ends_with("counterfeits.csv")).collect();
    assert!(entries == expected || entries == without_counterfeits, "{entries:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_for_single_files() {
    let folder = Folder::with(OPTIMAL);
    folder.refused(
        &["synth", "nps", "--rows", "100000", "--output", "/dev/full"],
        6,
        &["/dev/full", "No space"],
    );
    folder.ok(&RUN);
    folder.refused(&["truthful", "release", "--output", "/dev/full"], 6, &["/dev/full", "No space"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_for_folders() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["synth", "nps", "--rows", "20000", "--output", "nps.csv"]);
    folder.write("recipe.toml", sample_recipe(OPTIMAL));
    std::fs::create_dir(folder.path("small")).unwrap();
    // A tmpfs of its own, gone with the namespace; without the right to mount one there is no test.
    let script = r#"mount -t tmpfs -o size=64k none small || exit 99
        "$0" anonymize recipe.toml --output small/release; code=$?
        find small -mindepth 1 | wc -l
        exit $code"#;
    let run = Run::of(
        Command::new("unshare")
            .args(["--mount", "sh", "-c", script])
            .arg(program())
            .current_dir(folder.root()),
    );
    if run.code == 99 || run.err.contains("unshare") {
        println!("skipped: no right to mount a small file system: {}", run.err);
        return;
    }
    assert_eq!((run.code, run.out.trim()), (6, "0"), "{}", run.err);
    assert!(run.err.contains("No space left"), "{}", run.err);
}

#[test]
fn a_single_file_is_complete_or_not_there() {
    let folder = Folder::with(OPTIMAL);
    folder.refused(&["synth", "nps", "--rows", "5", "--output", "no/x.csv"], 6, &["no", "no such folder"]);
    folder.ok(&RUN);
    folder.refused(&["truthful", "release", "--output", "no/x.csv"], 6, &["no", "no such folder"]);
    folder.refused(&["truthful", "release", "--output", "release/data.csv"], 2, &["inside the release"]);
    folder.ok(&["verify", "release"]);
}
