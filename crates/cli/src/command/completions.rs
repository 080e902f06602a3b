use clap::{Args, CommandFactory};
use clap_complete::Shell;
use velamen_recipe::JobError;

use super::Cli;
use crate::terminal;

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

impl Completions {
    #[allow(clippy::unnecessary_wraps, reason = "as every command")]
    pub(super) fn run(self) -> Result<(), JobError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "velamen", &mut script);
        terminal::bytes(&script);
        Ok(())
    }
}
