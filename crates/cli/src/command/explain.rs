use clap::Args;
use velamen_core::error::code::{ALL, Code};
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use crate::table::TextTable;
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Explain>();

/// Explain an error code: what it means, an example, how to mend it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen explain E0409
  velamen explain
      Lists all codes. The first two digits are the exit code.")]
pub(crate) struct Explain {
    /// The code, as in error[E0409]; all are listed when left out
    code: Option<Code>,
}

impl Run for Explain {
    const NAME: &'static str = "explain";

    fn run(self) -> Result<(), JobError> {
        match self.code {
            Some(code) => line(code.page()),
            None => list(),
        }
        Ok(())
    }
}

fn list() {
    let mut table = TextTable::plain(2);
    ALL.iter().for_each(|code| table.row(vec![code.to_string(), code.title().to_owned()]));
    table.print();
}
