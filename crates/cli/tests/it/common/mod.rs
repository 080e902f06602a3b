//! The real binary in a folder of its own.

#![allow(dead_code, reason = "each test file uses a part")]

#[cfg(feature = "database")]
pub(crate) mod server;
pub(crate) mod wide;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A value that no message may show.
pub(crate) const CANARY: &str = "Kanarienvogel";

/// Records that make no class a problem: 6 ages × 2 sexes × 2 diagnoses, 5 of each.
pub(crate) fn patients() -> String {
    let mut text = String::from("age,sex,diagnosis\n");
    for (age, sex, diagnosis) in combinations() {
        for _ in 0..5 {
            text += &format!("{age},{sex},{diagnosis}\n");
        }
    }
    text
}

fn combinations() -> impl Iterator<Item = (u32, &'static str, &'static str)> {
    let ages = [31, 34, 38, 52, 57, 71];
    ages.into_iter().flat_map(|age| {
        let pairs = [("F", "I63"), ("F", "J18"), ("M", "I63"), ("M", "J18")];
        pairs.into_iter().map(move |(sex, diagnosis)| (age, sex, diagnosis))
    })
}

/// A recipe for [`patients`] with the `[method]` section given.
pub(crate) fn recipe(method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 10, 20], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[method]
{method}
[output]
path = "release"
"#
    )
}

/// The recipe of [`recipe`] for a sample of national patients, `nps.csv`; columns that are released as they are make reading
/// and writing long.
pub(crate) fn sample_recipe(method: &str) -> String {
    let recipe = recipe(method).replace("patients.csv", "nps.csv").replace("max = 99", "max = 120");
    format!("unnamed = \"insensitive\"\n{recipe}")
}

/// A recipe for [`patients`] that claims differential privacy of ε = 1: the hierarchy of the age, and what follows the model.
pub(crate) fn private_recipe(age: &str, more: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ {age}, min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
hierarchy = {{ rows = [["F", "*"], ["M", "*"]] }}
[attributes.diagnosis]
role = "sensitive"
domain = ["I63", "J18"]
[[privacy]]
model = "differential-privacy"
epsilon = 1.0
{more}
[output]
"#
    )
}

/// `table.csv`, of people with age, sex, region and disease, so few of each that most classes are padded.
pub(crate) fn people(records: u32) -> String {
    let mut table = String::from("age,sex,region,disease\n");
    for i in 0..records {
        let disease = ["flu", "cold", "asthma", "measles"][(i * i % 7 % 4) as usize];
        table += &format!("{},{},{},{disease}\n", 20 + i * 17 % 60, ["F", "M"][(i % 2) as usize], i * 5 % 9);
    }
    table
}

/// An h-ceiling recipe for a table as [`people`] makes it: what follows the attributes, the method's other keys, and the release.
pub(crate) fn people_recipe(models: &str, method: &str, output: &str) -> String {
    format!(
        r#"
[input]
path = "table.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 20], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
[attributes.region]
role = "quasi-identifier"
hierarchy = {{ interval = [3], min = 0, max = 8 }}
[attributes.disease]
role = "sensitive"
{models}
[method]
name = "h-ceiling"
adversary-limit = 1
counterfeit-limit = 1
suppression-limit = 0
least-real = 1
{method}
[output]
path = "{output}"
"#
    )
}

/// The recipe's method where nothing else matters.
pub(crate) const H_CEILING: &str = "name = \"h-ceiling\"\nadversary-limit = 1\nobjective = \"rce\"\nh = 0.5\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 7";

/// As [`H_CEILING`], without counterfeits.
pub(crate) const OPTIMAL: &str = "name = \"optimal\"";

/// Says that a test is left out because a tool is missing; fails where every test must run, as in CI.
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
pub(crate) fn left_out(tool: &str) {
    assert!(std::env::var_os("VELAMEN_TEST_ALL").is_none(), "a test needs {tool}, which is not installed");
    eprintln!("left out: {tool} is not installed");
}

/// The program that is tested: another build of the same code where `VELAMEN_TESTED` has its path, as in CI, whose
/// demonstration builds an optimized one.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("VELAMEN_TESTED").map_or_else(|| env!("CARGO_BIN_EXE_velamen").into(), PathBuf::from)
}

/// A folder that goes with the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With `patients.csv` and `recipe.toml`.
    pub(crate) fn with(method: &str) -> Self {
        let folder = Self::new();
        folder.write("patients.csv", patients());
        folder.write("recipe.toml", recipe(method));
        folder
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Every file and folder, hidden ones included, relative to the folder.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut entries = Vec::new();
        list(self.root(), self.root(), &mut entries);
        entries.sort();
        entries
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(program(), arguments)
    }

    /// The same with the build that belongs to the tests: for runs that are stopped at work, which an optimized one has
    /// done too soon.
    pub(crate) fn slow_command(&self, arguments: &[&str]) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_velamen").into(), arguments)
    }

    fn command_of(&self, program: PathBuf, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&mut self.command(arguments))
    }

    /// Runs what must succeed.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        run
    }

    /// Runs what must fail with a code, say each of `says`, never [`CANARY`], and leave nothing behind.
    pub(crate) fn refused(&self, arguments: &[&str], code: i32, says: &[&str]) -> Run {
        let before = self.entries();
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {}", run.err);
        assert_eq!(self.entries(), before, "something was left behind by {arguments:?}");
        for text in says {
            assert!(run.err.contains(text), "{arguments:?}: no {text:?} in: {}", run.err);
        }
        assert!(!run.err.contains(CANARY), "a cell's value is shown: {}", run.err);
        assert!(!run.err.contains("panicked"), "{}", run.err);
        assert!(run.out.is_empty(), "{arguments:?} printed: {}", run.out);
        run
    }
}

fn list(root: &Path, folder: &Path, entries: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        entries.push(path.strip_prefix(root).unwrap().display().to_string());
        if path.is_dir() {
            list(root, &path, entries);
        }
    }
}

/// What a run said and returned.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A manifest's text as a release has it.
pub(crate) fn written(manifest: &serde_json::Value) -> String {
    serde_json::to_string_pretty(manifest).unwrap() + "\n"
}

/// The rows of delimited text without quotes, header first.
pub(crate) fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// One column of delimited text, sorted.
pub(crate) fn column(text: &str, name: &str) -> Vec<String> {
    let rows = rows(text);
    let position = rows[0].iter().position(|n| n == name).unwrap();
    let mut cells: Vec<String> = rows[1..].iter().map(|row| row[position].clone()).collect();
    cells.sort();
    cells
}
