//! Tables of a database.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_engine::ColumnRequest;
use velamen_engine::source::ReadOptions;
use velamen_recipe::{JobError, Origin};

/// What gives the names of SQLite's tables.
const OF_SQLITE: &str = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')";

/// What gives the names of PostgreSQL's tables.
const OF_POSTGRESQL: &str =
    "SELECT table_name FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))";

/// The records of a table.
pub(super) fn table(recipe: &Path, address: &str, name: &str) -> Result<Origin, JobError> {
    let text = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
    Origin::query(recipe, address, &text, "input.database")
}

/// The names of all tables, in the order of the alphabet.
pub(super) fn names(recipe: &Path, address: &str) -> Result<Vec<String>, JobError> {
    let text = if address.starts_with("sqlite:") { OF_SQLITE } else { OF_POSTGRESQL };
    let origin = Origin::query(recipe, address, text, "input.database")?;
    let input = origin.open(&ReadOptions { may_be_empty: true, ..ReadOptions::default() })?;
    let request = ColumnRequest::as_recorded(0, &input.columns[0]);
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let mut read = input.read_in_order(&[request], &context)?;
    origin.close();
    let mut names = read.values.pop().unwrap_or_default();
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    Ok(names)
}
