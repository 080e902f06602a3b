//! Invented records of velamen beside those of mbi and dpmm, in one run.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::pycanon::velamen;
use crate::{Outcome, root};

/// The folder with Adult in codes, which is not part of the project.
const TABLE: &str = "VELAMEN_ADULT_14";
/// A Python with dpmm; mbi is that of `PYTHON`.
const DPMM: &str = "VELAMEN_DPMM_PYTHON";

/// Runs `bench/invented.py` where a folder with the table is named and Python has numpy; else says what is missing.
pub(crate) fn run() -> Outcome {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let Some(table) = std::env::var_os(TABLE) else {
        println!(
            "{TABLE} names no folder with Adult in codes: neither its anchors nor other tools are compared"
        );
        return Ok(());
    };
    if !has_numpy(&python) {
        println!(
            "{} has no numpy (see PYTHON): invented records of other tools are not compared",
            python.display()
        );
        return Ok(());
    }
    let mut command = Command::new(&python);
    command.arg(root().join("bench").join("invented.py"));
    command.arg("--velamen").arg(velamen()?).arg("--data").arg(table);
    if let Some(dpmm) = std::env::var_os(DPMM) {
        command.arg("--dpmm").arg(dpmm);
    }
    ended(&python, command)
}

fn has_numpy(python: &OsString) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import numpy"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn ended(python: &OsString, mut command: Command) -> Outcome {
    let ended = command.status().map_err(|error| format!("{}: {error}", python.display()))?;
    if ended.success() { Ok(()) } else { Err("bench/invented.py failed".to_owned()) }
}
