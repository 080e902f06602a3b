use clap::Args;
use velamen_recipe::{JobError, Recipe};

use super::entry::{Command, Run};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Schema>();

/// Print the JSON Schema of recipes, for editors
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  velamen schema > recipe.schema.json
      Editors with TOML support (Even Better TOML for VS Code, Taplo for Neovim, Helix and Zed)
      complete and check a recipe whose first line is: #:schema ./recipe.schema.json")]
pub(crate) struct Schema {}

impl Run for Schema {
    const NAME: &'static str = "schema";

    fn run(self) -> Result<(), JobError> {
        line(serde_json::to_string_pretty(&Recipe::schema()).unwrap_or_default());
        Ok(())
    }
}
