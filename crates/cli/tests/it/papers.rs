//! The systems of the papers, as docs/methods/papers.md lists them: each recipe runs and each release is verified, with every further
//! key by itself.

use std::path::Path;

use crate::common::{Folder, patients, private_recipe, recipe};

/// How many systems the papers have.
const SYSTEMS: usize = 23;

/// A row of the page.
struct System {
    number: usize,
    /// What stands in backticks: keys under `[method]`, or one command.
    as_published: Vec<String>,
    /// The model, or nothing.
    promise: Option<String>,
    further: Vec<String>,
}

fn ticked(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn systems() -> Vec<System> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods/papers.md");
    let text = std::fs::read_to_string(page).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let number = cells.first()?.parse().ok()?;
        let [as_published, promise, further] = [cells[2], cells[3], cells[4]].map(ticked);
        Some(System { number, as_published, promise: promise.first().cloned(), further })
    };
    text.lines().filter_map(row).collect()
}

/// The recipe of a system, with the keys that follow replaced by `further`.
fn written(system: &System, further: Option<&String>) -> String {
    let key = |line: &String| line.split(" = ").next().unwrap_or_default().to_owned();
    let kept = system.as_published.iter().filter(|line| further.is_none_or(|other| key(other) != key(line)));
    let method: Vec<&str> = kept.chain(further).map(String::as_str).collect();
    let method = format!("{}\nseed = 4", method.join("\n"));
    match system.promise.as_deref() {
        Some("differential-privacy") => {
            let levels = private_recipe("interval = [20]", &format!("[method]\n{method}"));
            levels.replace("[output]\n", "[output]\npath = \"release\"\n")
        }
        Some("entropy-l-diversity") => {
            let model = "model = \"entropy-l-diversity\"\nattribute = \"diagnosis\"\nl = 1.5";
            recipe(&method).replace("model = \"k-anonymity\"\nk = 5", model)
        }
        Some(_) => recipe(&method),
        None => recipe(&method).replace("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n", ""),
    }
}

#[test]
fn every_system_of_the_papers_runs_as_the_page_says() {
    let systems = systems();
    let numbers: Vec<usize> = systems.iter().map(|system| system.number).collect();
    assert_eq!(numbers, (1..=SYSTEMS).collect::<Vec<_>>());
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    for system in systems.iter().filter(|system| system.as_published[0].starts_with("name")) {
        for further in std::iter::once(None).chain(system.further.iter().map(Some)) {
            folder.write("recipe.toml", written(system, further));
            let run = folder.run(&["anonymize", "recipe.toml", "--overwrite", "--quiet"]);
            assert_eq!(run.code, 0, "{} with {further:?}: {}", system.number, run.err);
            let verified = folder.run(&["verify", "release"]);
            assert_eq!(verified.code, 0, "{} with {further:?}: {}", system.number, verified.err);
        }
    }
    let commands = systems.iter().filter_map(|system| system.as_published[0].strip_prefix("velamen "));
    let commands: Vec<Vec<&str>> = commands.map(|command| command.split(' ').collect()).collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let more: &[&str] = if command[0] == "reproduce" { &["--patients", "300"] } else { &[] };
        let run = folder.run(&[&command[..], more].concat());
        assert_eq!(run.code, 0, "{command:?}: {}", run.err);
    }
}
