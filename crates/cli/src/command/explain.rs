use clap::Args;
use velamen_recipe::JobError;
use velamen_recipe::code::{ALL, Code};

use crate::table::Table;
use crate::terminal::line;

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

impl Explain {
    #[allow(clippy::unnecessary_wraps, reason = "as every command")]
    pub(super) fn run(self) -> Result<(), JobError> {
        match self.code {
            Some(code) => line(code.page()),
            None => list(),
        }
        Ok(())
    }
}

fn list() {
    let mut table = Table::plain(2);
    ALL.iter().for_each(|code| table.row(vec![code.to_string(), code.title().to_owned()]));
    table.print();
}
