//! Paths stay below the folders that the studio may use; links are followed only inside them.

use std::path::{Component, Path, PathBuf};

use velamen_patients::LinkedRecipe;
use velamen_recipe::{JobError, Recipe};

/// The most files that are listed.
const MOST_FILES: usize = 500;

/// How deep folders are listed.
const DEPTH: usize = 4;

/// The folder that was named, if one was, and the studio's own.
#[derive(Debug)]
pub(crate) struct Folders {
    named: Option<PathBuf>,
    own: PathBuf,
    /// Whether both are in the memory of a page of the browser.
    in_memory: bool,
}

impl Folders {
    /// # Errors
    /// [`JobError::io`] if one of them cannot be read.
    pub(crate) fn new(named: Option<&Path>, own: &Path) -> Result<Self, JobError> {
        Ok(Self { named: named.map(real_folder).transpose()?, own: real_folder(own)?, in_memory: false })
    }

    /// Those of a page in the browser: its memory holds files, and what is dropped lies beside the recipe.
    ///
    /// # Errors
    /// [`JobError::io`] if one of them cannot be read.
    pub(crate) fn in_memory(named: &Path, own: &Path) -> Result<Self, JobError> {
        Ok(Self { in_memory: true, ..Self::new(Some(named), own)? })
    }

    /// Whether files are in the memory of a page of the browser.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// A place for a file that is dropped: one of its own, or in the page's memory under its name, where it replaces
    /// another and may lie in a folder. `None` if the name leads elsewhere.
    pub(crate) fn place_for(&self, name: &str) -> Option<PathBuf> {
        let is_plain =
            |part: &str| !part.starts_with('.') && Path::new(part).file_name() == Some(part.as_ref());
        if self.in_memory {
            let parts = name.split('/');
            let fits = parts.clone().count() <= DEPTH + 1 && parts.clone().all(is_plain);
            let place = fits.then(|| self.base().join(name))?;
            std::fs::create_dir_all(place.parent()?).ok()?;
            return Some(place);
        }
        let plain = Some(name).filter(|name| is_plain(name))?;
        let folder = tempfile::Builder::new().prefix("file-").tempdir_in(&self.own).ok()?;
        // It goes with the folder that it is in.
        Some(folder.keep().join(plain))
    }

    /// Where the recipe stands and the release goes.
    pub(crate) fn base(&self) -> &Path {
        self.named.as_deref().unwrap_or(&self.own)
    }

    /// The studio's own folder, which goes when it ends.
    pub(crate) fn own(&self) -> &Path {
        &self.own
    }

    pub(crate) fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// The path of a file or folder below the base, by its name from there.
    ///
    /// # Errors
    /// [`JobError::usage`] if it leads out.
    pub(crate) fn below(&self, name: &str) -> Result<PathBuf, JobError> {
        let path = self.base().join(name);
        match Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            true if !name.is_empty() => self.inside(&path).map(|()| path),
            _ => Err(outside(&path)),
        }
    }

    /// Refuses a path that leads out of the folders, by itself or by a link.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub(crate) fn inside(&self, path: &Path) -> Result<(), JobError> {
        let real = real(path).ok_or_else(|| outside(path))?;
        let mut roots = self.named.iter().chain([&self.own]);
        match roots.any(|root| real.starts_with(root)) {
            true => Ok(()),
            false => Err(outside(path)),
        }
    }

    /// Refuses a recipe that reads or writes outside the folders, before any of it is read.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub(crate) fn admit(&self, recipe: &Recipe, path: &Path) -> Result<(), JobError> {
        recipe.reads(path).iter().try_for_each(|read| self.inside(&read.path))?;
        self.inside(&recipe.output.path)?;
        self.inside(&velamen_recipe::custodian_of(&recipe.output.path))
    }

    /// The same of a recipe of linked tables.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub(crate) fn admit_linked(&self, recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
        recipe.reads(path).iter().try_for_each(|read| self.inside(&read.path))?;
        // A folder of a known shape is read whole: what a link in it leads to as well.
        let entries = recipe.input.folder.iter().filter_map(|folder| folder.read_dir().ok()).flatten();
        entries.flatten().try_for_each(|entry| self.inside(&entry.path()))?;
        self.inside(&recipe.output.path)?;
        self.inside(&velamen_recipe::custodian_of(&recipe.output.path))
    }

    /// The files below the base that can be opened, by their names from there, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(self.base(), "", DEPTH, &mut found);
        found.sort();
        found
    }
}

fn real_folder(path: &Path) -> Result<PathBuf, JobError> {
    let real = path.canonicalize().map_err(|error| JobError::io(path, "open the folder", &error))?;
    match real.is_dir() {
        true => Ok(real),
        false => Err(JobError::usage(format!("{}: a wrong value", path.display())).expected("a folder")),
    }
}

/// The path without links: of what does not exist yet, as far as it does.
fn real(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Some(real),
        // A link that leads nowhere could lead anywhere later.
        Err(_) if path.symlink_metadata().is_ok() => None,
        Err(_) => Some(real(path.parent()?)?.join(path.file_name()?)),
    }
}

fn outside(path: &Path) -> JobError {
    JobError::usage(format!("{}: outside the folder that the studio was started with", path.display()))
        .mend("start it with a folder that holds the file")
}

/// Adds files that can be opened; folders of releases, hidden ones and links are left out.
fn list(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        if found.len() >= MOST_FILES || name.starts_with('.') {
            continue;
        }
        let named = format!("{prefix}{name}");
        if kind.is_dir()
            && depth > 0
            && !entry.path().join("release.json").exists()
            && !name.ends_with(".custodian")
        {
            list(&entry.path(), &format!("{named}/"), depth - 1, found);
        } else if kind.is_file() && can_be_opened(&name) {
            found.push(named);
        }
    }
}

/// Whether it is a recipe or a table, by its name.
fn can_be_opened(name: &str) -> bool {
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    is_recipe(name)
        || plain
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending.parse::<velamen_engine::FileFormat>().is_ok())
}

/// Whether it is a recipe, by its name.
pub(crate) fn is_recipe(name: &str) -> bool {
    name.ends_with(".toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, Folders) {
        let root = tempfile::tempdir().unwrap();
        for folder in ["named/deep", "own", "elsewhere"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("named/table.csv"), "a\n1\n").unwrap();
        std::fs::write(root.path().join("elsewhere/secret.csv"), "a\n1\n").unwrap();
        let folders = Folders::new(Some(&root.path().join("named")), &root.path().join("own")).unwrap();
        (root, folders)
    }

    #[test]
    fn names_lead_below_the_folder_only() {
        let (_root, folders) = folders();
        assert!(folders.below("table.csv").is_ok());
        assert!(folders.below("deep/not-there-yet.csv").is_ok());
        for name in
            ["", ".", "..", "../elsewhere/secret.csv", "deep/../../elsewhere/secret.csv", "/etc/passwd"]
        {
            assert!(folders.below(name).is_err(), "{name}");
        }
    }

    #[test]
    fn what_is_dropped_lies_under_its_own_name() {
        let (root, folders) = folders();
        let base = folders.base().to_owned();
        let page = Folders::in_memory(&base, &root.path().join("own")).unwrap();
        assert_eq!(page.place_for("omop/person.csv"), Some(base.join("omop/person.csv")));
        assert!(base.join("omop").is_dir());
        for name in
            ["", "..", "../a.csv", "a/../../b.csv", "a//b.csv", "/a.csv", "a/", "a/b/c/d/e/f.csv", ".hidden"]
        {
            assert_eq!(page.place_for(name), None, "{name}");
        }
        // On a machine, a folder is named when the studio starts.
        assert_eq!(folders.place_for("omop/person.csv"), None);
        assert!(folders.place_for("person.csv").is_some_and(|place| place.ends_with("person.csv")));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_only() {
        let (root, folders) = folders();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(root.path().join(to), root.path().join("named").join(name)).unwrap();
        };
        link("named/table.csv", "inside.csv");
        link("elsewhere/secret.csv", "outside.csv");
        link("elsewhere", "folder");
        link("elsewhere/nothing", "dangling");
        assert!(folders.below("inside.csv").is_ok());
        for name in ["outside.csv", "folder/secret.csv", "folder/new.csv", "dangling"] {
            assert!(folders.below(name).is_err(), "{name}");
        }
        assert_eq!(folders.files(), ["table.csv"]);
    }

    #[test]
    fn a_recipe_of_linked_tables_may_name_nothing_outside() {
        let (root, folders) = folders();
        let path = folders.base().join("recipe.toml");
        let overrides = velamen_recipe::Overrides::default();
        let of = |text: &str| {
            folders
                .admit_linked(&LinkedRecipe::parse(text, &path, folders.base(), &overrides).unwrap(), &path)
        };
        let output = "[output]\npath = \"out\"\n";
        assert!(of(&format!("[input]\nfolder = \"deep\"\n{output}")).is_ok());
        let secret = root.path().join("elsewhere/secret.csv");
        let secret = secret.display();
        for text in [
            format!("[input]\nfolder = \"../elsewhere\"\n{output}"),
            format!("[input]\npath = \"{secret}\"\n{output}"),
            format!("[input]\nfolder = \"deep\"\n[key]\nfile = \"{secret}\"\n{output}"),
            format!(
                "[input]\nfolder = \"deep\"\n[tables.a]\npath = \"../../elsewhere/secret.csv\"\n{output}"
            ),
            format!(
                "[input]\nfolder = \"deep\"\n[tables.a.attributes.b]\nrole = \"set\"\nhierarchy = \"{secret}\"\n{output}"
            ),
            "[input]\nfolder = \"deep\"\n[output]\npath = \"../elsewhere/out\"\n".to_owned(),
        ] {
            assert!(of(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_recipe_may_name_nothing_outside() {
        let (root, folders) = folders();
        let path = folders.base().join("recipe.toml");
        let of = |text: &str| folders.admit(&Recipe::from_text(text, &path).unwrap(), &path);
        let output = "[output]\npath = \"out\"\n";
        assert!(of(&format!("[input]\npath = \"table.csv\"\n{output}")).is_ok());
        let secret = root.path().join("elsewhere/secret.csv");
        let secret = secret.display();
        for text in [
            format!("[input]\npath = \"{secret}\"\n{output}"),
            format!("[input]\npath = \"../elsewhere/secret.csv\"\n{output}"),
            format!(
                "[input]\npath = \"table.csv\"\n[attributes.a]\nrole = \"sensitive\"\nhierarchy = \"{secret}\"\n{output}"
            ),
            format!(
                "[input]\npath = \"table.csv\"\n[attributes.a]\nrole = \"sensitive\"\ndomain = \"{secret}\"\n{output}"
            ),
            format!("[input]\ndatabase = \"sqlite:{secret}\"\nquery = \"select 1\"\n{output}"),
            format!("[key]\nfile = \"{secret}\"\n[input]\npath = \"table.csv\"\n{output}"),
            format!("[input]\npath = \"table.csv\"\n[population]\npath = \"{secret}\"\n{output}"),
            "[input]\npath = \"table.csv\"\n[output]\npath = \"../elsewhere/out\"\n".to_owned(),
        ] {
            assert!(of(&text).is_err(), "{text}");
        }
    }
}
