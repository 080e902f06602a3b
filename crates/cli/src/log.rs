//! `--log`: what a run did and how long it took, for who operates it. It holds steps, times, counts and the messages
//! that standard error has, too; never a cell, and no path that these do not show.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

/// The first line of a log, so that nothing else is taken for one and written to.
const FIRST: &str = "# velamen log\n";

/// Begins a log in a file, or on standard error for `-`. A log that is there is continued.
///
/// # Errors
/// [`JobError::io`] if the file cannot be written, or holds something else.
pub(crate) fn start(file: &Path) -> Result<(), JobError> {
    match file == Path::new("-") {
        true => begin(std::io::stderr),
        false => begin(Mutex::new(open(file)?)),
    }
}

fn begin(writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) -> Result<(), JobError> {
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_target(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(writer)
        .try_init()
        .map_err(|error| JobError::unusable(format!("cannot start the log: {error}")))
}

fn open(path: &Path) -> Result<File, JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "write the log", &error);
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    let mut first = Vec::new();
    (&file).take(FIRST.len() as u64).read_to_end(&mut first).map_err(failed)?;
    match &first[..] {
        [] => file.write_all(FIRST.as_bytes()).map_err(failed)?,
        there if there == FIRST.as_bytes() => {}
        _ => {
            let problem = Problem::new("is no log of velamen, and is not written to")
                .mend("name another file for --log");
            return Err(JobError::unusable(problem.after(&format!("{}: ", path.display()))));
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_continued_and_nothing_else_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.log");
        for _ in 0..2 {
            open(&path).unwrap().write_all(b"x\n").unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{FIRST}x\nx\n"));
        let table = folder.path().join("patients.csv");
        std::fs::write(&table, "age\n31\n").unwrap();
        assert!(open(&table).unwrap_err().to_string().contains("no log of velamen"));
        assert_eq!(std::fs::read_to_string(&table).unwrap(), "age\n31\n");
    }
}
