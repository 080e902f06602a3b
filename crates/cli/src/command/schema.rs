use clap::Args;
use velamen_recipe::{JobError, Recipe};

use crate::terminal::line;

/// Print the JSON Schema of recipes
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  velamen schema > recipe.schema.json")]
pub(crate) struct Schema {}

impl Schema {
    pub(super) fn run(self) -> Result<(), JobError> {
        line(serde_json::to_string_pretty(&Recipe::schema()).unwrap_or_default());
        Ok(())
    }
}
