use std::path::{Path, PathBuf};

use clap::Args;
use sha2::{Digest as _, Sha256};
use velamen_core::error::Problem;
use velamen_job::output_file;
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Web>();

/// The page that the build was given; empty where it was given none.
const VERIFY: &str = include_str!(concat!(env!("OUT_DIR"), "/verify.html"));

const NAME: &str = "verify.html";

/// Write the page that verifies releases in a browser
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen web --output /srv/intranet
      Writes verify.html, one file with the program inside. It opens by a double-click, without a server.

Recipients drop a release on the page and read what `velamen verify` says. Nothing is sent: the page forbids \
the browser every connection.")]
pub(crate) struct Web {
    /// The folder in which it is written
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Replace a page that is there
    #[arg(long)]
    overwrite: bool,
}

impl Run for Web {
    const NAME: &'static str = "web";

    fn run(self) -> Result<(), JobError> {
        let to = write(VERIFY, &self.output, self.overwrite)?;
        let digest: String = Sha256::digest(VERIFY).iter().map(|byte| format!("{byte:02x}")).collect();
        line(format!("{}  {}", digest, to.display()));
        Ok(())
    }
}

/// Writes a page into a folder.
fn write(page: &str, folder: &Path, overwrite: bool) -> Result<PathBuf, JobError> {
    if page.is_empty() {
        let problem = Problem::new("this program was built without the page of the browser");
        return Err(JobError::usage(problem.mend(
            "take a published one, or build it with VELAMEN_PAGES=target/page after `cargo xtask web`",
        )));
    }
    let to = folder.join(NAME);
    if !overwrite && to.exists() {
        let problem = Problem::new(format!("{}: is there already", to.display()));
        return Err(JobError::usage(problem.mend("give --overwrite, or another --output")));
    }
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "create", &error))?;
    output_file::write(&to, |path| {
        std::fs::write(path, page).map_err(|error| JobError::io(path, "write", &error))
    })?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_once_and_replaced_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let to = write("<!doctype html>", &folder.path().join("new"), false).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "<!doctype html>");
        let refused = write("other", &folder.path().join("new"), false).unwrap_err();
        assert!(refused.exit_code() == 2 && refused.to_string().contains("--overwrite"), "{refused}");
        write("other", &folder.path().join("new"), true).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "other");
    }

    #[test]
    fn a_program_without_a_page_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let refused = write("", folder.path(), false).unwrap_err();
        assert!(refused.exit_code() == 2 && refused.to_string().contains("without the page"), "{refused}");
    }
}
