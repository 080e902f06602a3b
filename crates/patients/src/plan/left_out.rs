//! What a folder has that its shape does not know: a suggested recipe leaves it out.

use std::fmt::Write as _;
use std::path::Path;

use velamen_contract::linked::Shape;
use velamen_engine::source::Input;
use velamen_recipe::{JobError, key};

use super::folder::{files, reading};
use crate::shape::{Fate, KnownTable};

/// Sections of a recipe that leave out the tables and columns of a folder that its shape does not know; none of what is packed, and of
/// resources.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if the folder or a header cannot be read.
pub(crate) fn unknown(folder: &Path, shape: Shape) -> Result<String, JobError> {
    let mut text = String::new();
    if !matches!(shape, Shape::Omop | Shape::Synthea) || !folder.is_dir() {
        return Ok(text);
    }
    for (name, file) in files(folder)? {
        match super::known(shape, &name) {
            None => {
                let _ = write!(
                    text,
                    "\n# No table of this shape: left out, unless somebody says what it holds.\n[tables.{}]\ndrop = true\n",
                    key(&name)
                );
            }
            Some(known) if known.fate != Fate::Dropped => {
                let columns = Input::open(&file, &reading(None))?.columns;
                columns.iter().filter(|column| !has(known, column)).for_each(|column| {
                    let _ = write!(
                        text,
                        "\n# No column of this shape: left out, unless somebody says what it holds.\n[tables.{}.attributes.{}]\nrole = \"identifier\"\n",
                        key(&name),
                        key(column)
                    );
                });
            }
            Some(_) => {}
        }
    }
    Ok(text)
}

fn has(known: &KnownTable, column: &str) -> bool {
    known.columns.iter().any(|(name, _)| name.eq_ignore_ascii_case(column))
}
