//! Where a mistake is.

use std::path::{Path, PathBuf};

/// A file, and the place in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Option<PathBuf>,
    /// The line there, counted from 1.
    pub line: Option<u64>,
    /// The flag that changed that place, if one did; then the line is not to blame.
    pub flag: Option<String>,
    /// The keys of the place in the recipe, such as `attributes`, `age`, `level`; empty where no place is to blame.
    pub keys: Vec<String>,
}

impl Place {
    /// A whole file.
    #[must_use]
    pub fn file(file: &Path) -> Self {
        Self { file: Some(file.to_owned()), ..Self::default() }
    }

    /// A line of a file, counted from 1.
    #[must_use]
    pub fn line(file: &Path, line: u64) -> Self {
        Self { line: Some(line), ..Self::file(file) }
    }

    /// The attribute of the recipe that it belongs to.
    #[must_use]
    pub fn attribute(&self) -> Option<&str> {
        match &self.keys[..] {
            [section, name, ..] if section == "attributes" => Some(name),
            _ => None,
        }
    }

    /// The recipe's key, with dots between its parts.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        (!self.keys.is_empty()).then(|| self.keys.join("."))
    }
}

/// What stands before the problem in a message: nothing, or the place and a colon.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match (&self.flag, self.line) {
            (Some(flag), _) => write!(f, "{flag}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}
