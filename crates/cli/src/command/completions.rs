use clap::Args;
use clap_complete::Shell;
use velamen_recipe::JobError;

use super::cli;
use super::entry::{Command, Run};
use crate::terminal;

pub(super) const COMMAND: Command = Command::of::<Completions>();

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen completions bash > ~/.local/share/bash-completion/completions/velamen
  velamen completions zsh > ~/.zfunc/_velamen
  velamen completions fish > ~/.config/fish/completions/velamen.fish
  velamen completions powershell >> $PROFILE")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Run for Completions {
    const NAME: &'static str = "completions";

    fn run(self) -> Result<(), JobError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut cli(), "velamen", &mut script);
        terminal::bytes(&script);
        Ok(())
    }
}
