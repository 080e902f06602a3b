//! The files that a run of a recipe reads.

use std::path::{Path, PathBuf};

use super::{AttributeSection, DomainSection, HierarchySection, Recipe};

/// A file or folder that a command reads.
#[derive(Debug, Clone)]
pub struct Read {
    /// What messages call it: "the input".
    pub what: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Whether what lies in it belongs to it.
    pub folder: bool,
}

impl Read {
    /// A file, by the words that messages have for it.
    pub fn new(what: impl Into<String>, path: &Path) -> Self {
        Self { what: what.into(), path: path.to_owned(), folder: false }
    }

    /// A release, which stays as it was certified.
    pub fn release(path: &Path) -> Self {
        Self { folder: true, ..Self::new("the release", path) }
    }
}

impl Recipe {
    /// All of them, the recipe itself included.
    #[must_use]
    pub fn reads(&self, path: &Path) -> Vec<Read> {
        let base = path.parent().unwrap_or(Path::new(""));
        let sqlite = |address: &Option<String>| {
            address.as_deref().and_then(|address| address.strip_prefix("sqlite:")).map(|file| base.join(file))
        };
        let single = [
            ("the recipe", Some(path.to_owned())),
            ("the input", self.input.path.clone()),
            ("the input's database", sqlite(&self.input.database)),
            ("the database that gets the table", sqlite(&self.output.database)),
            ("the population", self.population.as_ref().and_then(|population| population.path.clone())),
            ("the budget's ledger", self.budget.as_ref().map(|budget| budget.ledger.clone())),
            ("the key file", self.key.as_ref().and_then(|key| key.file.clone())),
        ];
        let single = single.into_iter().filter_map(|(what, file)| Some(Read::new(what, &file?)));
        let named = self.attributes.iter().flat_map(|(name, attribute)| {
            attribute
                .files()
                .into_iter()
                .map(move |(what, file)| Read::new(format!("the {what} of `{name}`"), file))
        });
        let attached = self.output.attach.iter().map(|file| Read::new("an attached file", &base.join(file)));
        single.chain(named).chain(attached).collect()
    }
}

impl AttributeSection {
    fn files(&self) -> Vec<(&'static str, &Path)> {
        let hierarchy = self.hierarchy.as_ref().and_then(HierarchySection::file);
        let domain = match &self.domain {
            Some(DomainSection::File(file)) => Some(file.as_path()),
            _ => None,
        };
        let files = [("hierarchy", hierarchy), ("domain", domain)];
        files.into_iter().filter_map(|(what, file)| Some((what, file?))).collect()
    }
}
