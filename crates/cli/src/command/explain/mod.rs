//! What the documentation says of an error code, a method or a file, from the program itself.

mod pages;

use clap::Args;
use velamen_core::error::code::{ALL, Code};
use velamen_core::registry::Named;
use velamen_recipe::JobError;
use velamen_recipe::nearest::did_you_mean;

use self::pages::{PAGES, Page};
use super::entry::{Command, Run};
use crate::table::TextTable;
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Explain>();

/// Explain an error code, a method, or what stands in a recipe or a release
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen explain E0409
      What the code means, an example, how to mend it.
  velamen explain recipe
      Each key of a recipe with its values.
  velamen explain mondrian
      What the method does, and when to take it.
  velamen explain
      Lists all codes and pages. The first two digits of a code are the exit code.")]
pub(crate) struct Explain {
    /// A code, as in error[E0409], or the name of a page; all are listed when left out
    name: Option<String>,
}

impl Run for Explain {
    const NAME: &'static str = "explain";

    fn run(self) -> Result<(), JobError> {
        let Some(name) = self.name else {
            list();
            return Ok(());
        };
        match name.parse::<Code>() {
            Ok(code) => line(code.page()),
            Err(_) => line(page(&name)?.text.trim_end()),
        }
        Ok(())
    }
}

fn page(name: &str) -> Result<&'static Page, JobError> {
    PAGES.find(name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> JobError {
    if std::path::Path::new(name).exists() {
        return JobError::usage(format!("`{name}` is a file or a folder, and no error code and no page"))
            .mend("`velamen explain recipe` and `velamen explain release` say what stands in one; `velamen check` and `velamen report` look at yours");
    }
    let near = did_you_mean(name, PAGES.names());
    JobError::usage(format!("`{name}` is no error code and no page"))
        .mend(near.unwrap_or_else(|| "`velamen explain` lists all".to_owned()))
}

fn list() {
    let mut table = TextTable::plain(2);
    ALL.iter().for_each(|code| table.row(vec![code.to_string(), code.title().to_owned()]));
    PAGES.iter().for_each(|page| table.row(vec![page.name().to_owned(), page.title().to_owned()]));
    table.print();
}
