use clap::Args;
use velamen_recipe::{JobError, Recipe};

use crate::terminal::line;

/// Print the JSON Schema of recipes, for editors
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  velamen schema > recipe.schema.json
      Editors with TOML support (Even Better TOML for VS Code, Taplo for Neovim, Helix and Zed)
      complete and check a recipe whose first line is: #:schema ./recipe.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(super) fn run(self) -> Result<(), JobError> {
        line(serde_json::to_string_pretty(&Recipe::schema()).unwrap_or_default());
        Ok(())
    }
}
