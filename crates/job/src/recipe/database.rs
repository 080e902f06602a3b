//! Databases in a recipe: input by query, output into a new table.

use std::path::Path;

use super::Recipe;
use crate::database::{Origin, Target};
use crate::error::JobError;

impl Recipe {
    /// Where the records come from. Nothing is connected yet.
    pub(super) fn origin(&self, path: &Path) -> Result<Origin, JobError> {
        let input = &self.input;
        let wrong = |problem: &str| Err(self.refuse(path, &["input"], format!("input: {problem}")));
        match (&input.path, &input.database, &input.query) {
            (Some(file), None, None) => Ok(Origin::File(file.clone())),
            (None, Some(_), Some(_)) if self.describes_a_file() => wrong(
                "`format`, `delimiter`, `header`, `columns` and `trim` are for files, not for a `database`",
            ),
            (None, Some(database), Some(query)) => Origin::query(path, database, query),
            _ => wrong("give either `path`, the table's file, or `database` and `query`"),
        }
    }

    fn describes_a_file(&self) -> bool {
        let input = &self.input;
        input.format.is_some()
            || input.delimiter.is_some()
            || input.columns.is_some()
            || input.trim
            || !input.header
    }

    /// The table that the release is to be in, if there is one.
    pub(super) fn target(&self, path: &Path) -> Result<Option<Target>, JobError> {
        match (&self.output.database, &self.output.table) {
            (None, None) => Ok(None),
            (Some(database), Some(table)) => Target::new(path, database, table).map(Some),
            _ => Err(self.refuse(path, &["output"], "output: `database` and `table` go together")),
        }
    }
}
