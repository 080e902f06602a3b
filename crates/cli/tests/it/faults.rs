//! A machine that fails in the middle of a run: never a release in part under its name.

#![allow(clippy::print_stdout, reason = "a test says what it left out")]

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::common::{Folder, OPTIMAL, Run, program, sample_recipe};

/// A sample of 5 000 records and one of a million.
static SAMPLES: LazyLock<Folder> = LazyLock::new(|| {
    let folder = Folder::new();
    for (name, rows) in [("few.csv", "5000"), ("many.csv", "1000000")] {
        folder.ok(&["synth", "nps", "--rows", rows, "--output", name]);
    }
    folder
});

fn folder(sample: &str) -> Folder {
    let folder = Folder::new();
    folder.write("recipe.toml", sample_recipe(OPTIMAL));
    std::fs::copy(SAMPLES.path(sample), folder.path("nps.csv")).unwrap();
    folder
}

fn start(folder: &Folder, more: &[&str]) -> Child {
    let arguments = [&["anonymize", "recipe.toml", "--quiet"], more].concat();
    folder.slow_command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// The release is whole, or it is not there.
fn whole_or_not_there(folder: &Folder) -> bool {
    let there = folder.path("release").exists();
    if there {
        folder.ok(&["verify", "release"]);
        assert!(folder.path("release.custodian/custodian-report.html").exists());
    }
    there
}

/// Runs with files of at most so many blocks of 512 bytes.
fn limited(folder: &Folder, blocks: u32, arguments: &[&str]) -> Run {
    let script = format!("trap '' XFSZ; ulimit -f {blocks} && exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(program()).args(arguments);
    Run::of(command.current_dir(folder.root()).stdin(Stdio::null()))
}

#[test]
fn a_file_that_cannot_grow_at_any_size() {
    let mut outcomes = Vec::new();
    for blocks in [0, 1, 4, 16, 64, 200, 400, 800, 1600, 1 << 20] {
        let folder = folder("few.csv");
        let run = limited(&folder, blocks, &["anonymize", "recipe.toml", "--quiet"]);
        assert_eq!(whole_or_not_there(&folder), run.code == 0, "{blocks}: {}", run.err);
        if run.code != 0 {
            assert_eq!((run.code, run.err.contains("File too large")), (6, true), "{blocks}: {}", run.err);
            assert_eq!(folder.entries(), ["nps.csv", "recipe.toml"], "{blocks}");
        }
        outcomes.push(run.code == 0);
    }
    assert!(!outcomes[0] && outcomes[outcomes.len() - 1]);
    assert!(outcomes.is_sorted(), "{outcomes:?}");
}

#[test]
#[cfg(feature = "database")]
fn a_database_that_cannot_grow() {
    let folder = Folder::new();
    folder.ok(&["synth", "nps", "--rows", "20000", "--output", "nps.csv"]);
    let output = "format = \"parquet\"\ndatabase = \"sqlite:out.db\"\ntable = \"release\"\n";
    folder.write("recipe.toml", sample_recipe(OPTIMAL) + output);
    // Enough for the files of the release, the largest of some 160 KiB; the database has 600.
    let run = limited(&folder, 800, &["anonymize", "recipe.toml", "--quiet"]);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("sqlite:out.db"), "{}", run.err);
    assert_eq!(folder.entries(), ["nps.csv", "recipe.toml"]);
}

#[test]
fn a_folder_that_takes_no_files() {
    let folder = folder("few.csv");
    let there = "/proc/self/release";
    folder.refused(&["anonymize", "recipe.toml", "--output", there], 6, &["/proc/self"]);
    let locked = folder.path("locked");
    std::fs::create_dir(&locked).unwrap();
    let mut permissions = locked.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&locked, permissions).unwrap();
    if std::fs::write(locked.join("x"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    folder.refused(&["anonymize", "recipe.toml", "--output", "locked/release"], 6, &["locked"]);
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Bytes that the process has read from files.
fn bytes_read(child: &Child) -> u64 {
    let told = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
    told.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok()).unwrap_or(0)
}

/// A run that is stopped somewhere in its input.
fn stopped_while_reading(folder: &Folder) -> Child {
    let length = std::fs::metadata(folder.path("nps.csv")).unwrap().len();
    for _ in 0..20 {
        let child = start(folder, &[]);
        let deadline = Instant::now() + Duration::from_secs(60);
        while bytes_read(&child) < length / 8 {
            assert!(Instant::now() < deadline, "the run never began");
            std::thread::sleep(Duration::from_micros(200));
        }
        signal(&child, "-STOP");
        if bytes_read(&child) < length * 3 / 4 {
            return child;
        }
        signal(&child, "-CONT");
        assert_eq!(ended(child).0, Some(0));
        for made in ["release", "release.custodian"] {
            std::fs::remove_dir_all(folder.path(made)).unwrap();
        }
    }
    panic!("the input was read before the run could be stopped");
}

#[test]
fn an_input_that_changes_while_it_is_read_is_refused() {
    // Cut off, made longer, replaced by another file.
    for change in [
        |folder: &Folder| {
            let file = std::fs::File::options().write(true).open(folder.path("nps.csv")).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        },
        |folder: &Folder| {
            let line = folder.read("nps.csv").lines().nth(1).unwrap().to_owned() + "\n";
            let mut file = std::fs::File::options().append(true).open(folder.path("nps.csv")).unwrap();
            file.write_all(line.as_bytes()).unwrap();
        },
        |folder: &Folder| {
            std::fs::copy(SAMPLES.path("few.csv"), folder.path("new.csv")).unwrap();
            std::fs::rename(folder.path("new.csv"), folder.path("nps.csv")).unwrap();
        },
    ] {
        let folder = folder("many.csv");
        let child = stopped_while_reading(&folder);
        change(&folder);
        signal(&child, "-CONT");
        let (code, message) = ended(child);
        assert_eq!(code, Some(4), "{message}");
        assert!(message.contains("changed while it was read"), "{message}");
        assert_eq!(folder.entries(), ["nps.csv", "recipe.toml"]);
    }
}

/// How long a run takes that is left alone.
fn time_of_a_run() -> Duration {
    let folder = folder("few.csv");
    let begun = Instant::now();
    assert_eq!(ended(start(&folder, &[])).0, Some(0));
    begun.elapsed()
}

#[test]
fn a_signal_at_any_moment_leaves_all_or_nothing() {
    let time = time_of_a_run();
    for moment in 0..24 {
        let folder = folder("few.csv");
        let child = start(&folder, &[]);
        std::thread::sleep(time * moment / 22);
        let name = ["-INT", "-TERM"][moment as usize % 2];
        // The run may have ended already.
        let _ = Command::new("kill").args([name, &child.id().to_string()]).stderr(Stdio::null()).status();
        let (code, message) = ended(child);
        let there = whole_or_not_there(&folder);
        // Before its first lines, a program ends by the signal itself.
        assert!(matches!(code, Some(0 | 130) | None), "{code:?}: {message}");
        assert_eq!(there, code == Some(0), "{code:?}: {message}");
        assert!(!folder.entries().iter().any(|name| name.starts_with('.')), "{:?}", folder.entries());
    }
}

#[test]
fn a_killed_run_leaves_what_the_next_one_tells_of() {
    let time = time_of_a_run();
    let mut left = 0;
    for moment in 0..24 {
        let folder = folder("few.csv");
        let mut child = start(&folder, &[]);
        std::thread::sleep(time * moment / 22);
        let _ = child.kill();
        let _ = child.wait();
        whole_or_not_there(&folder);
        let temporary: Vec<String> = folder
            .entries()
            .into_iter()
            .filter(|name| name.starts_with(".velamen-") && !name.contains('/'))
            .collect();
        let next = folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--quiet"]);
        for name in &temporary {
            assert!(next.err.contains(name) && next.err.contains("left by a run"), "{name}: {}", next.err);
        }
        assert_eq!(next.err.matches("left by a run").count(), temporary.len(), "{}", next.err);
        left += temporary.len();
        folder.ok(&["verify", "release"]);
    }
    assert!(left > 0, "no run was killed at work");
}

#[test]
fn a_run_that_is_killed_while_it_replaces_a_release_loses_none() {
    let time = time_of_a_run();
    let folder = folder("few.csv");
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    for moment in 0..24 {
        let mut child = start(&folder, &["--overwrite"]);
        // Most moments are in the last tenth, where folders are renamed.
        std::thread::sleep(time * (76 + moment) / 100);
        let _ = child.kill();
        let _ = child.wait();
        if !whole_or_not_there(&folder) {
            let old: Vec<String> =
                folder.entries().into_iter().filter(|name| name.ends_with("/old/release.json")).collect();
            assert!(!old.is_empty(), "neither the old release nor the new one: {:?}", folder.entries());
            // One can be left of an earlier moment, when a replaced release was half removed.
            let whole =
                |name: &String| folder.run(&["verify", name.trim_end_matches("/release.json")]).code == 0;
            assert!(old.iter().any(whole), "no old release is whole: {old:?}");
            folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--quiet"]);
        }
    }
}
