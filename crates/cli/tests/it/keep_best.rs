//! The first Ctrl-C of `anonymize --keep-best` ends a search, and the best that it has found is released.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::Folder;
use crate::common::wide::Wide;

/// Records of `width` quasi-identifiers of sixteen values with five levels, and a recipe for them. A third of them takes
/// a program as long that is little optimized.
fn folder(width: usize, records: usize, method: &str) -> Folder {
    let records = if cfg!(debug_assertions) { records / 3 } else { records };
    Wide { width, records, values: 16, line: "hierarchy = { interval = [2, 4, 8], min = 0, max = 15 }" }
        .folder(method)
}

/// How long after a search began Ctrl-C comes: a fast machine is through before the first of them.
const WAITS: [u64; 4] = [1000, 300, 100, 30];

/// Ctrl-C while a search runs; what the run then says.
fn interrupted(folder: &Folder, method: &str) -> String {
    let said = WAITS.into_iter().find_map(|wait| interrupted_after(folder, method, wait));
    folder.ok(&["verify", "release"]);
    said.unwrap_or_else(|| panic!("{method}: the run was over before Ctrl-C"))
}

/// Ctrl-C so many milliseconds after the search began; what the run then says, if it was not over before.
fn interrupted_after(folder: &Folder, method: &str, wait: u64) -> Option<String> {
    for made in ["release", "release.custodian"] {
        drop(std::fs::remove_dir_all(folder.path(made)));
    }
    let began = Instant::now();
    let mut command = folder.slow_command(&["anonymize", "recipe.toml", "--keep-best"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while folder.entries().len() < 4 {
        assert!(began.elapsed() < Duration::from_secs(20), "{method}: the run never began");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(wait));
    if child.try_wait().unwrap().is_some() {
        return None;
    }
    let (kill, pressed) = (["-INT", &child.id().to_string()], Instant::now());
    assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{method}: {said}");
    assert!(pressed.elapsed() < Duration::from_secs(60), "{method}: it took {:?}", pressed.elapsed());
    // Between the look at the clock and the signal the run can end.
    said.contains("Ctrl-C once more").then_some(said)
}

/// Each would go on for minutes at least.
#[test]
fn every_search_for_one_level_by_attribute_leaves_its_best() {
    // More steps would be refused for the memory that they might take.
    let long = "budget-steps = 100000\nsuppression-limit = 1";
    for (width, name, keys) in [
        (9, "optimal", "suppression-limit = 0.5"),
        (9, "optimal", "suppression-limit = 0.5\nlocal-recoding = true"),
        (9, "suppression", "suppression-limit = 0.5"),
        (9, "relocation", "suppression-limit = 0.5"),
        (9, "exhaustive", "suppression-limit = 1"),
        (20, "optimal", "suppression-limit = 1"),
        (20, "top-down", "suppression-limit = 1"),
        (20, "best-first", long),
        (20, "genetic", long),
        (20, "iterated-local-search", long),
    ] {
        let method = format!("name = \"{name}\"\n{keys}");
        let records = match name {
            // What is relocated looks at every class for the nearest, which is no search.
            "relocation" => 4_000,
            // It examines few nodes, so that each has to take long.
            "top-down" => 200_000,
            _ => 20_000,
        };
        let folder = folder(width, records, &method);
        let said = interrupted(&folder, &method);
        assert!(said.contains("Ctrl-C once more ends the run"), "{method}: {said}");
        assert!(said.contains("the search was told to stop before its end"), "{method}: {said}");
        assert_eq!(folder.json("release/release.json")["method"]["stopped"], true, "{method}");
        assert!(!folder.read("release/report.html").contains("proven that none"), "{method}");
        if ["optimal", "suppression", "relocation", "exhaustive"].contains(&name) && !keys.contains("local") {
            assert_eq!(folder.json("release/release.json")["method"]["proven"], false, "{method}");
        }
    }
}

#[test]
fn searches_of_other_kinds_leave_their_best_and_say_so() {
    for (width, records, method) in [
        (7, 20_000, "name = \"iab\""),
        (6, 20_000, "name = \"exhaustive-rows\""),
        (20, 60_000, "name = \"mondrian\"\ncuts = \"loss\""),
        (
            8,
            5_000,
            "name = \"h-ceiling\"\nadversary-limit = 1\nseed = 1\ncounterfeit-limit = 1\nsuppression-limit = 1",
        ),
    ] {
        let folder = folder(width, records, method);
        let said = interrupted(&folder, method);
        assert!(said.contains("the search was told to stop before its end"), "{method}: {said}");
    }
}
