//! The headline pair as files, so that a user can run `anonymize` on both.

use std::path::{Path, PathBuf};

use velamen_engine::FileFormat;
use velamen_recipe::{InputSection, JobError, Recipe, Resolved};

use super::neighbours::{Pair, file_format};

/// The recipe beside the tables.
const RECIPE: &str = "recipe.toml";

/// Two neighbouring tables as their files.
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    /// How the files' names end, and the delimiter if they are of delimited text.
    extension: String,
    delimiter: Option<u8>,
    with: Vec<u8>,
    without: Vec<u8>,
}

/// Where the two tables and the recipe are.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptTables {
    /// The recipe, which reads the table with the record.
    pub recipe: PathBuf,
    /// The table with the record.
    pub with: PathBuf,
    /// The table without.
    pub without: PathBuf,
}

impl Tables {
    pub(super) fn new(recipe: &Resolved, pair: &Pair) -> Result<Self, JobError> {
        let [with, without] = pair.files(recipe)?;
        let format = file_format(recipe);
        Ok(Self { extension: format.extension(), delimiter: format.free_delimiter(), with, without })
    }

    /// Writes both tables and the recipe into a folder that is empty or not there. The recipe has no seed,
    /// database, ledger or cluster: a run of it is one of those that were audited.
    ///
    /// # Errors
    /// [`JobError::io`].
    pub fn keep(&self, recipe: &Recipe, folder: &Path) -> Result<KeptTables, JobError> {
        empty_folder(folder)?;
        let of = |name: &str| folder.join(format!("{name}.{}", self.extension));
        let kept = KeptTables { recipe: folder.join(RECIPE), with: of("with"), without: of("without") };
        let write = |path: &Path, text: &[u8]| {
            std::fs::write(path, text).map_err(|error| JobError::io(path, "write", &error))
        };
        write(&kept.with, &self.with)?;
        write(&kept.without, &self.without)?;
        let text = text(&self.recipe(recipe)?).map_err(|error| {
            JobError::unusable(format!("{}: cannot write: {error}", kept.recipe.display()))
        })?;
        write(&kept.recipe, text.as_bytes())?;
        Ok(kept)
    }

    fn recipe(&self, recipe: &Recipe) -> Result<Recipe, JobError> {
        let mut recipe = recipe.clone();
        recipe.absolute().map_err(|error| JobError::unusable(format!("a path of the recipe: {error}")))?;
        recipe.input = InputSection {
            path: Some(format!("with.{}", self.extension).into()),
            database: None,
            query: None,
            format: Some(self.extension.clone()),
            delimiter: self.delimiter.map(|byte| char::from(byte).to_string()),
            header: None,
            columns: None,
            sheet: None,
            skip_lines: 0,
            encoding: None,
            ..recipe.input
        };
        recipe.derived.clear();
        recipe.output.path = "release".into();
        recipe.output.format = Some(FileFormat::default().extension());
        (recipe.output.database, recipe.output.table) = (None, None);
        (recipe.budget, recipe.method.seed) = (None, None);
        recipe.engine = velamen_recipe::EngineSection { memory: recipe.engine.memory, ..Default::default() };
        Ok(recipe)
    }
}

/// A recipe as TOML.
fn text(recipe: &Recipe) -> Result<String, toml::ser::Error> {
    toml::to_string(&toml::Table::try_from(recipe)?)
}

/// Makes a folder, or takes one in which nothing is. There can be original records in it: it is the
/// custodian's alone.
///
/// # Errors
/// [`JobError::io`].
pub fn empty_folder(folder: &Path) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "create the folder", &error);
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(
            JobError::unusable(format!("{}: is not empty", folder.display())).mend("name another folder")
        );
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}
