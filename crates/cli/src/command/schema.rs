use clap::Args;
use velamen_assess::compare::AnalysisFile;
use velamen_patients::LinkedRecipe;
use velamen_recipe::{JobError, Recipe};

use super::entry::{Command, Run};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Schema>();

/// Print the JSON Schema of recipes, for editors
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen schema --linked > linked.schema.json
      That of recipes of linked tables.
  velamen schema > recipe.schema.json
      Editors with TOML support (Even Better TOML for VS Code, Taplo for Neovim, Helix and Zed)
      complete and check a recipe whose first line is: #:schema ./recipe.schema.json")]
pub(crate) struct Schema {
    /// That of recipes of linked tables
    #[arg(long)]
    linked: bool,
    /// That of files of analyses, for `compare --analysis`
    #[arg(long, conflicts_with = "linked")]
    analyses: bool,
}

impl Run for Schema {
    const NAME: &'static str = "schema";

    fn run(self) -> Result<(), JobError> {
        let schema = match (self.linked, self.analyses) {
            (true, _) => LinkedRecipe::schema(),
            (_, true) => AnalysisFile::schema(),
            _ => Recipe::schema(),
        };
        line(serde_json::to_string_pretty(&schema).unwrap_or_default());
        Ok(())
    }
}
