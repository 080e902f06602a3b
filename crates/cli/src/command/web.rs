use std::path::{Path, PathBuf};

use clap::Args;
use sha2::{Digest as _, Sha256};
use velamen_core::error::Problem;
use velamen_job::output_file;
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Web>();

/// The pages that the build was given, by their names; empty where it was given none.
const PAGES: [(&str, &str); 2] = [
    ("verify.html", include_str!(concat!(env!("OUT_DIR"), "/verify.html"))),
    ("velamen.html", include_str!(concat!(env!("OUT_DIR"), "/velamen.html"))),
];

/// Write the pages that verify and make releases in a browser
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen web --output /srv/intranet
      Writes verify.html and velamen.html, each one file with the program inside. They open by a double-click, without a server.

Recipients drop a release on verify.html and read what `velamen verify` says. velamen.html is the studio: it opens \
tables, makes releases and hands them back as ZIP files. Nothing is sent: the pages forbid the browser every connection.")]
pub(crate) struct Web {
    /// The folder in which they are written
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Replace a page that is there
    #[arg(long)]
    overwrite: bool,
}

impl Run for Web {
    const NAME: &'static str = "web";

    fn run(self) -> Result<(), JobError> {
        // All or none: what is in the way is found before the first is written.
        let places: Vec<PathBuf> =
            PAGES.iter().map(|page| place(*page, &self.output, self.overwrite)).collect::<Result<_, _>>()?;
        for ((_, text), to) in PAGES.iter().zip(places) {
            write(text, &to)?;
            let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
            line(format!("{}  {}", digest, to.display()));
        }
        Ok(())
    }
}

/// Where a page goes in a folder.
fn place((name, page): (&str, &str), folder: &Path, overwrite: bool) -> Result<PathBuf, JobError> {
    if page.is_empty() {
        let problem = Problem::new("this program was built without the pages of the browser");
        return Err(JobError::usage(problem.mend(
            "take a published one, or build it with VELAMEN_PAGES=target/page after `cargo xtask web`",
        )));
    }
    let to = folder.join(name);
    if !overwrite && to.exists() {
        let problem = Problem::new(format!("{}: is there already", to.display()));
        return Err(JobError::usage(problem.mend("give --overwrite, or another --output")));
    }
    Ok(to)
}

fn write(page: &str, to: &Path) -> Result<(), JobError> {
    let folder = to.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "create", &error))?;
    output_file::write(to, |path| {
        std::fs::write(path, page).map_err(|error| JobError::io(path, "write", &error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_once_and_replaced_on_demand() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new");
        let page = ("verify.html", "<!doctype html>");
        let to = place(page, &new, false).unwrap();
        write(page.1, &to).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "<!doctype html>");
        let refused = place(page, &new, false).unwrap_err();
        assert!(refused.exit_code() == 2 && refused.to_string().contains("--overwrite"), "{refused}");
        write("other", &place(page, &new, true).unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "other");
    }

    #[test]
    fn a_program_without_a_page_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let refused = place(("velamen.html", ""), folder.path(), false).unwrap_err();
        assert!(refused.exit_code() == 2 && refused.to_string().contains("without the pages"), "{refused}");
    }
}
