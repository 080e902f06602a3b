//! `velamen measure` against pycanon, an independent checker, on the stored tables.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{Outcome, cargo, output, root};

const FOLDER: &str = "crates/measure/tests/pycanon";

pub(crate) fn run() -> Outcome {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    if !has_pycanon(&python) {
        println!("pycanon: {} cannot import it (see PYTHON); skipped", python.display());
        return Ok(());
    }
    let binary = velamen()?;
    let folder = root().join(FOLDER);
    let stored = std::fs::read(folder.join("expected.json")).map_err(|error| format!("{FOLDER}: {error}"))?;
    let stored: Value = serde_json::from_slice(&stored).map_err(|error| format!("{FOLDER}: {error}"))?;
    let mut problems = Vec::new();
    for entry in stored["tables"].as_array().ok_or("expected.json lists no tables")? {
        let table = entry["table"].as_str().unwrap_or_default();
        let mut command = Command::new(&python);
        command.arg(folder.join("compare.py")).arg("--velamen").arg(&binary);
        command.arg(folder.join("tables").join(table));
        command.args(["--qi", &names(&entry["qi"]), "--sensitive", &names(&entry["sensitive"])]);
        match output(&mut command) {
            Ok(text) => print!("{table}: {}", String::from_utf8_lossy(&text)),
            Err(problem) => problems.push(format!("{table}: {problem}")),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn names(list: &Value) -> String {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
}

fn has_pycanon(python: &OsString) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import pycanon, pandas"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The binary: `$VELAMEN`, or built now.
pub(crate) fn velamen() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("VELAMEN") {
        return std::path::absolute(named).map_err(|error| format!("VELAMEN: {error}"));
    }
    let messages = output(cargo().args(["build", "--bin", "velamen", "--message-format", "json"]))?;
    let messages = String::from_utf8_lossy(&messages).into_owned();
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let binary = built.filter_map(|message| Some(PathBuf::from(message["executable"].as_str()?))).next_back();
    binary.ok_or_else(|| "cargo built no velamen".into())
}
