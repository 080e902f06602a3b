//! Tables and releases in a caller's memory.

use std::path::{Path, PathBuf};

use velamen_contract::linked::Shape;
use velamen_core::error::Problem;
use velamen_engine::format::IN_MEMORY;
use velamen_recipe::JobError;

use super::LinkedRecipe;

/// What of a run is in the caller's memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct InMemory {
    /// The tables: their files stand for the run alone.
    pub tables: bool,
    /// The release: its folder stands for the run alone.
    pub release: bool,
}

/// How the file of a table is called that stands for a run alone.
#[must_use]
pub fn given_file(table: &str) -> String {
    format!("{table}.{}", IN_MEMORY.extension())
}

/// The tables of such a folder, by name, with their files.
fn tables_of(folder: &Path) -> Result<Vec<(String, PathBuf)>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read the folder", &error);
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(failed)?;
    let mut tables: Vec<(String, PathBuf)> =
        entries.into_iter().filter_map(|entry| named(entry.path())).collect();
    tables.sort();
    Ok(tables)
}

/// A table by its file, if it is called as such files are.
fn named(path: PathBuf) -> Option<(String, PathBuf)> {
    let name = path.file_stem()?.to_str()?.to_owned();
    path.extension().is_some_and(|extension| *extension == *IN_MEMORY.extension()).then_some((name, path))
}

impl LinkedRecipe {
    /// Takes the tables of a folder in the place of its own. Their files are called as [`given_file`] says, and stand for
    /// the run alone.
    ///
    /// # Errors
    /// [`JobError::usage`] if a table of the recipe is not there, or one that it does not name is.
    pub fn take_given(&mut self, folder: &Path) -> Result<(), JobError> {
        let given = tables_of(folder)?;
        self.in_memory.tables = true;
        self.input.database = None;
        if let ([(_, only)], true) = (&given[..], self.is_of_one_table()) {
            (self.input.folder, self.input.path) = (None, Some(only.clone()));
            return Ok(());
        }
        (self.input.folder, self.input.path) = (Some(folder.to_owned()), None);
        match self.input.shape {
            None | Some(Shape::Tables) => self.take_named(&given),
            Some(_) => Ok(()),
        }
    }

    /// Whether it describes one table, with sets of codes in its cells.
    fn is_of_one_table(&self) -> bool {
        let has_one = self.input.path.is_some() || self.tables.is_empty();
        has_one && self.tables.len() <= 1 && self.input.shape.is_none()
    }

    /// The given tables in the places of those that the recipe names.
    fn take_named(&mut self, given: &[(String, PathBuf)]) -> Result<(), JobError> {
        let is_given = |name: &String| given.iter().any(|(other, _)| other == name);
        let missing = self.tables.iter().find(|(name, section)| !section.drop && !is_given(name));
        if let Some((name, _)) = missing {
            let problem = Problem::new(format!("table `{name}` of the recipe is not given"));
            return Err(JobError::usage(problem.mend("give it, or leave it out with drop = true")));
        }
        if let Some((name, _)) = given.iter().find(|(name, _)| !self.tables.contains_key(name)) {
            let problem = Problem::new(format!("the recipe has no table `{name}`"));
            let mend = format!("leave the table out, or add [tables.{name}] to the recipe");
            return Err(JobError::usage(problem.mend(mend)));
        }
        for (name, section) in &mut self.tables {
            (section.path, section.query) = (Some(PathBuf::from(given_file(name))), None);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use velamen_recipe::Overrides;

    use super::*;

    fn recipe(text: &str) -> LinkedRecipe {
        let text = format!("{text}\n[output]\npath = \"release\"\n");
        LinkedRecipe::parse(&text, Path::new("r.toml"), Path::new(""), &Overrides::default())
            .expect("a recipe")
    }

    fn folder(tables: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for table in tables {
            fs::write(folder.path().join(given_file(table)), "").expect("a file");
        }
        folder
    }

    #[test]
    fn given_tables_stand_in_the_places_of_named_ones() {
        let tables = folder(&["patients", "stays"]);
        let mut linked =
            recipe("[input]\nfolder = \"x\"\n[tables.patients]\npath = \"p.csv\"\n[tables.stays]\n");
        linked.take_given(tables.path()).expect("both are given");
        assert_eq!(linked.tables["patients"].path, Some("patients.arrow".into()));
        assert_eq!(linked.input.folder.as_deref(), Some(tables.path()));
        assert!(linked.in_memory.tables && !linked.in_memory.release);
    }

    #[test]
    fn the_only_table_may_have_any_name() {
        let tables = folder(&["anything"]);
        let mut linked = recipe("[input]\npath = \"x.csv\"\n[attributes.codes]\nrole = \"set\"\n");
        linked.take_given(tables.path()).expect("the only one");
        assert_eq!(linked.input.path, Some(tables.path().join("anything.arrow")));
    }

    #[test]
    fn a_table_too_many_or_too_few_is_refused() {
        let named =
            "[input]\nfolder = \"x\"\n[tables.patients]\n[tables.stays]\n[tables.notes]\ndrop = true\n";
        let refused = |tables: &[&str]| {
            let folder = folder(tables);
            recipe(named).take_given(folder.path()).expect_err("refused").to_string()
        };
        assert!(refused(&["patients"]).contains("`stays` of the recipe is not given"));
        assert!(refused(&["patients", "stays", "wards"]).contains("no table `wards`"));
    }
}
