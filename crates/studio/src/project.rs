//! What is open: a recipe, whose text is the one truth, and what was found out about its table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_assess::profile::{ColumnProfile, Profile, ProfileRequest, suggest};
use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_engine::source::Guess;
use velamen_measure::risk::quasi_identifiers::{Measure, Threshold};
use velamen_patients::LinkedRecipe;
use velamen_recipe::{Code, JobError, Recipe};
use velamen_report::language::mark;

use crate::App;
use crate::edit::{Edit, edited, written};
use crate::folder::{Folders, is_recipe};
use crate::form::Form;
use crate::history::History;
use crate::sample;
use crate::worker::{Asked, locked};

/// How many candidates are shown.
const CANDIDATES: usize = 5;

/// Above so many records nothing is computed that the person did not ask for.
const LARGE: u64 = 200_000;

/// A recipe that is open.
pub struct Project {
    /// The table's name.
    pub(crate) title: String,
    /// Where the recipe stands, or would.
    pub(crate) path: PathBuf,
    pub(crate) history: History,
    /// What the table is like, where it is a file.
    pub(crate) profile: Option<Arc<Profile>>,
    /// How many people are in the tables, where it is a folder of them.
    pub(crate) persons: Option<u64>,
    /// The names of the sheets, where the table is one of a workbook.
    pub(crate) sheets: Vec<String>,
    /// Whether the person asked for values.
    pub(crate) values: bool,
    /// The answers of the guide that were taken last, as its address writes them.
    pub(crate) answers: Form,
    /// Whether the person has not been led on from the page that opened it.
    pub(crate) arrived: bool,
    /// Counts what was opened: results of an earlier table are not for this one.
    pub(crate) number: u64,
}

impl Project {
    /// The recipe's text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.history.text()
    }

    /// What changes whenever another window has something else to show.
    pub(crate) fn revision(&self) -> String {
        format!("{}-{}-{}", self.number, self.history.changes(), u8::from(self.values))
    }

    /// Whether a search over the table may take long; of a table that was not counted nobody knows.
    pub(crate) fn is_large(&self) -> bool {
        self.profile.as_ref().is_none_or(|profile| profile.records > LARGE)
    }

    /// Whether it is a table that was read, for which a recipe was suggested just now.
    pub(crate) fn is_new(&self) -> bool {
        self.profile.is_some() && !is_recipe(&self.title)
    }

    /// Its text and place, for a task.
    pub(crate) fn asked(&self) -> Asked {
        Asked { text: self.text().to_owned(), path: self.path.clone() }
    }

    /// The recipe, as far as it can be read without its hierarchies.
    ///
    /// # Errors
    /// [`JobError::recipe`] with the line.
    pub fn recipe(&self) -> Result<Recipe, JobError> {
        Recipe::from_text(self.text(), &self.path)
    }

    /// Whether it is one of linked tables.
    pub(crate) fn is_linked(&self) -> bool {
        velamen_patients::is_linked(self.text())
    }

    /// What is wrong with its text.
    pub(crate) fn mistake(&self) -> Option<JobError> {
        match self.is_linked() {
            true => self.asked().linked_recipe().err(),
            false => self.recipe().err(),
        }
    }

    /// Makes changes to the recipe, all or none.
    ///
    /// # Errors
    /// [`JobError`] if a change cannot be made, or the recipe would read from or write to elsewhere.
    pub(crate) fn change(&mut self, folders: &Folders, edits: &[Edit]) -> Result<(), JobError> {
        let text = edited(self.text(), edits)?;
        self.replace(folders, text)
    }

    /// Changes values of a recipe: what breaks one that was in order is refused.
    ///
    /// # Errors
    /// [`JobError`] as [`Project::change`], and what would be wrong with the recipe.
    pub(crate) fn change_values(&mut self, folders: &Folders, edits: &[Edit]) -> Result<(), JobError> {
        let asked = Asked { text: edited(self.text(), edits)?, path: self.path.clone() };
        if self.asked().resolved(folders).is_ok() {
            asked.resolved(folders)?;
        }
        self.replace(folders, asked.text)
    }

    /// Puts another text in place of the recipe's. One that does not read is taken: it is shown what is wrong.
    ///
    /// # Errors
    /// [`JobError::usage`] if it would read from or write to elsewhere.
    pub(crate) fn replace(&mut self, folders: &Folders, text: String) -> Result<(), JobError> {
        let asked = Asked { text: text.clone(), path: self.path.clone() };
        if velamen_patients::is_linked(&text) {
            if let Ok(recipe) = asked.linked_recipe() {
                folders.admit_linked(&recipe, &self.path)?;
            }
        } else if let Ok(recipe) = Recipe::from_text(&text, &self.path) {
            folders.admit(&recipe, &self.path)?;
        }
        self.history.change(text);
        Ok(())
    }

    /// What the recipe says of its table and of how that is read.
    fn input(&self) -> Option<String> {
        let document = self.text().parse::<toml_edit::DocumentMut>().ok()?;
        document.get("input").map(ToString::to_string)
    }

    /// Goes a step in the history; whether the table is then read otherwise than before.
    pub(crate) fn step(&mut self, go: fn(&mut History)) -> bool {
        let before = self.input();
        go(&mut self.history);
        self.input() != before
    }
}

impl Asked {
    /// The recipe of linked tables.
    ///
    /// # Errors
    /// [`JobError::recipe`] with the line.
    pub(crate) fn linked_recipe(&self) -> Result<LinkedRecipe, JobError> {
        let base = self.path.parent().unwrap_or(Path::new(""));
        LinkedRecipe::parse(&self.text, &self.path, base, &velamen_recipe::Overrides::default())
    }

    /// The same, within the studio's folders.
    ///
    /// # Errors
    /// [`JobError`] if it is wrong, or leads out of them.
    pub(crate) fn linked(&self, folders: &Folders) -> Result<LinkedRecipe, JobError> {
        let recipe = self.linked_recipe()?;
        folders.admit_linked(&recipe, &self.path)?;
        Ok(recipe)
    }

    /// The recipe to run, within the studio's folders.
    ///
    /// # Errors
    /// [`JobError`] if it is wrong, or leads out of them.
    pub(crate) fn resolved(&self, folders: &Folders) -> Result<velamen_recipe::Resolved, JobError> {
        let recipe = Recipe::from_text(&self.text, &self.path)?;
        folders.admit(&recipe, &self.path)?;
        recipe.resolve()
    }
}

/// What is opened.
#[derive(Debug, Clone)]
pub(crate) enum Opened {
    /// The built-in sample.
    Sample,
    /// A table or recipe below the folders.
    File(PathBuf),
    /// A folder of linked tables of a known shape.
    Folder(PathBuf),
}

/// Opens it on the worker's thread; the project is there when that is done.
pub(crate) fn open(app: &App, what: Opened) {
    let own = Arc::clone(app);
    app.worker.put(mark("Looking at the table"), move |bench, context| {
        // Files in memory have no time by which another one of the same name and size would be noticed.
        bench.forget();
        let project = match what {
            Opened::Sample => of_sample(&own.folders, context)?,
            Opened::File(path) if is_recipe(&path.to_string_lossy()) => {
                of_recipe(&own.folders, &path, context)?
            }
            Opened::Folder(path) => of_folder(&own.folders, &path, context)?,
            Opened::File(path) => match of_table(&own.folders, &path, context) {
                // How the file is written can be said by hand.
                Err(error) if error.exit_code() == DATA => {
                    put(&own, unread(&own.folders, &path));
                    return Err(error);
                }
                other => other?,
            },
        };
        put(&own, project);
        Ok(())
    });
}

/// The exit code of what is wrong with a table.
const DATA: u8 = 4;

fn put(app: &App, project: Project) {
    let mut open = locked(&app.project);
    let number = open.as_ref().map_or(0, |before| before.number) + 1;
    *open = Some(Project { number, ..project });
}

/// A table that could not be read, with a recipe that says no more than where it lies.
fn unread(folders: &Folders, table: &Path) -> Project {
    let path = recipe_of(folders, table);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let written = |text: &str| written(&serde_json::Value::from(text));
    let input = velamen_job::outputs::relative(table, folders.base());
    let text = format!(
        "[input]\npath = {}\n\n[output]\npath = {}\n",
        written(&input),
        written(&format!("{stem}-release"))
    );
    project(name_of(table), path, text, None)
}

/// Where the recipe of a table goes.
fn recipe_of(folders: &Folders, table: &Path) -> PathBuf {
    let stem = name_of(table);
    let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("table");
    folders.base().join(format!("{stem}.toml"))
}

/// Reads the open table as its recipe says now. Where that gives other columns, the recipe is suggested anew.
pub(crate) fn read_again(app: &App) {
    let own = Arc::clone(app);
    app.worker.put(mark("Looking at the table"), move |_, context| {
        let asked =
            locked(&own.project).as_ref().map(|project| (project.asked(), project.number, project.values));
        let Some((asked, number, values)) = asked else { return Ok(()) };
        let recipe = Recipe::from_text(&asked.text, &asked.path)?;
        own.folders.admit(&recipe, &asked.path)?;
        let Some(table) = recipe.input.path.clone() else { return Ok(()) };
        let request = request(table, recipe.read_options(&asked.path)?, values);
        let (profile, text) = suggest(&request, own.folders.base(), context)?;
        let named = profile.columns.iter().all(|column| recipe.attributes.contains_key(&column.name));
        if let Some(project) = locked(&own.project).as_mut().filter(|project| project.number == number) {
            // Whoever changed it meanwhile has the last word.
            if !named && project.text() == asked.text {
                project.history.amend(text);
            }
            project.profile = Some(Arc::new(profile));
        }
        Ok(())
    });
}

/// Looks at the open table once more, with values or without.
pub(crate) fn look_again(app: &App, values: bool) {
    let own = Arc::clone(app);
    app.worker.put(mark("Looking at the table"), move |_, context| {
        let asked = locked(&own.project).as_ref().map(|project| (project.asked(), project.number));
        let Some((asked, number)) = asked else { return Ok(()) };
        if velamen_patients::is_linked(&asked.text) {
            return Ok(());
        }
        let recipe = Recipe::from_text(&asked.text, &asked.path)?;
        own.folders.admit(&recipe, &asked.path)?;
        let profile = profile_of(&recipe, &asked.path, values, context)?;
        if let Some(project) = locked(&own.project).as_mut().filter(|project| project.number == number) {
            let profile = profile.map(|profile| with_derived(profile, project.profile.as_deref(), &recipe));
            (project.profile, project.values) = (profile.map(Arc::new), values);
        }
        Ok(())
    });
}

/// The profile with the rows of columns that follow from others, which a file does not have.
fn with_derived(mut profile: Profile, before: Option<&Profile>, recipe: &Recipe) -> Profile {
    let is_unread = |name: &String| profile.columns.iter().all(|own| own.name != *name);
    let known =
        |column: &&ColumnProfile| recipe.derived.contains_key(&column.name) && is_unread(&column.name);
    let derived: Vec<ColumnProfile> =
        before.into_iter().flat_map(|before| &before.columns).filter(known).cloned().collect();
    profile.columns.extend(derived);
    profile
}

fn of_sample(folders: &Folders, context: &Context<'_>) -> Result<Project, JobError> {
    sample::write(folders.own(), context)?;
    let path = folders.own().join("recipe.toml");
    let text = sample::recipe();
    let recipe = Recipe::from_text(&text, &path)?;
    let profile = profile_of(&recipe, &path, false, context)?.map(Arc::new);
    // Nobody waits for it on the page that opens tables.
    Ok(Project { arrived: false, ..project("Synthetic patients".into(), path, text, profile) })
}

/// A folder of a known shape, with the recipe that is suggested for it.
fn of_folder(folders: &Folders, folder: &Path, context: &Context<'_>) -> Result<Project, JobError> {
    folders.inside(folder)?;
    let (found, text) = velamen_patients::profile(folder, shape_of(folder)?, folders.base(), context)?;
    let name = name_of(folder);
    let path = folders.base().join(format!("{name}.toml"));
    Ok(Project { persons: Some(found.persons), ..project(name, path, text, None) })
}

/// What an export is, by the names of its files.
fn shape_of(folder: &Path) -> Result<Shape, JobError> {
    let entries = folder.read_dir().map_err(|error| JobError::io(folder, "read the folder", &error))?;
    let names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    velamen_patients::shape_of(&names).ok_or_else(|| {
        JobError::usage(format!("{}: no export of a known shape", folder.display()))
            .expected("the table of persons of OMOP, FHIR or Synthea")
    })
}

fn of_recipe(folders: &Folders, path: &Path, context: &Context<'_>) -> Result<Project, JobError> {
    let linked = velamen_recipe::text_of(path)?;
    if velamen_patients::is_linked(&linked) {
        Asked { text: linked.clone(), path: path.to_owned() }.linked(folders)?;
        return Ok(project(name_of(path), path.to_owned(), linked, None));
    }
    let recipe = Recipe::load(path, &velamen_recipe::Overrides::default())?;
    folders.admit(&recipe, path)?;
    let text =
        std::fs::read_to_string(path).map_err(|error| JobError::io(path, "read the recipe", &error))?;
    let profile = profile_of(&recipe, path, false, context)?.map(Arc::new);
    Ok(project(name_of(path), path.to_owned(), text, profile))
}

fn of_table(folders: &Folders, table: &Path, context: &Context<'_>) -> Result<Project, JobError> {
    folders.inside(table)?;
    let path = recipe_of(folders, table);
    let (mut request, (mut profile, mut text), guess) = read_table(folders, table, context)?;
    if profile.is_none() {
        // The recipe is the one place to say it, and there is none yet.
        request.read.headerless = true;
        let (mut found, suggested) = suggest(&request, folders.base(), context)?;
        found.notes.insert(0, NO_HEADER.into());
        (profile, text) = (Some(found), suggested);
    }
    let profile = profile.map(|mut profile| {
        profile.notes.splice(0..0, guessed(&guess));
        Arc::new(profile)
    });
    Ok(project(name_of(table), path, text, profile))
}

/// A table that was read, or that has no header, as it was read, and what was guessed for it.
type ReadTable = (ProfileRequest, (Option<Profile>, String), Guess);

/// Reads a table as it is; only where that fails, as its beginning seems to be written. Commas before decimals alone are looked for
/// in any case: with them a table reads, as text.
fn read_table(folders: &Folders, table: &Path, context: &Context<'_>) -> Result<ReadTable, JobError> {
    let guess = Guess::of(table).map_err(JobError::from)?;
    let commas = Guess { decimal_comma: guess.decimal_comma, ..Guess::default() };
    let plain = read_as(folders, table, &commas, context);
    match plain {
        Err(error) if error.exit_code() == DATA && guess != commas => {
            let guessed = read_as(folders, table, &guess, context);
            guessed.map_err(|other| if other.is_interrupted() { other } else { error })
        }
        plain => plain,
    }
}

fn read_as(
    folders: &Folders,
    table: &Path,
    guess: &Guess,
    context: &Context<'_>,
) -> Result<ReadTable, JobError> {
    let read = guess.fill(&velamen_engine::source::ReadOptions::default());
    let request = request(table.to_owned(), read, false);
    let found = match suggest(&request, folders.base(), context) {
        Ok((profile, text)) => (Some(profile), text),
        Err(error) if error.code() == Code::NO_HEADER => (None, String::new()),
        Err(error) => return Err(error),
    };
    Ok((request, found, guess.clone()))
}

/// What was taken of a table's form, for the person to correct.
fn guessed(guess: &Guess) -> Vec<String> {
    let Guess { skip_lines, sheet, encoding, decimal_comma } = guess;
    let sheet = sheet.as_ref().map(|_| {
        "The workbook has several sheets: the first one that holds a table is taken (`sheet`).".to_owned()
    });
    let above = (*skip_lines > 0).then(|| {
        let lines = if *skip_lines == 1 {
            "The line above the names of the columns is"
        } else {
            "The lines above the names of the columns are"
        };
        format!("{lines} left out (`skip-lines = {skip_lines}`).")
    });
    let encoding = encoding.map(|encoding| {
        let label = encoding.name().to_ascii_lowercase();
        format!("The text is not UTF-8 and is read as {label} (`encoding = \"{label}\"`).")
    });
    let comma =
        decimal_comma.then(|| "Numbers have a comma before their decimals (`decimal = \",\"`).".to_owned());
    [sheet, above, encoding, comma].into_iter().flatten().collect()
}

fn project(title: String, path: PathBuf, text: String, profile: Option<Arc<Profile>>) -> Project {
    let table = Recipe::from_text(&text, &path).ok().and_then(|recipe| recipe.input.path);
    let sheets = table.map_or_else(Vec::new, |table| velamen_engine::source::sheets_of(&table));
    Project {
        title,
        path,
        history: History::new(text),
        profile,
        persons: None,
        sheets,
        values: false,
        answers: Form::default(),
        arrived: true,
        number: 0,
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What is said of a table that was opened without a header.
const NO_HEADER: &str = "the first line looks like a record, so the columns are called 1, 2, …; if it names the columns after all, \
                         write `header = true` in the recipe in place of `header = false`, and the names in its sections";

/// The profile of a recipe's table; none where it does not lie in a file.
fn profile_of(
    recipe: &Recipe,
    path: &Path,
    values: bool,
    context: &Context<'_>,
) -> Result<Option<Profile>, JobError> {
    let Some(table) = recipe.input.path.clone() else { return Ok(None) };
    let request = request(table, recipe.read_options(path)?, values);
    velamen_assess::profile::profile(&request, context).map(Some)
}

fn request(table: PathBuf, read: velamen_engine::source::ReadOptions, values: bool) -> ProfileRequest {
    ProfileRequest {
        table: table.into(),
        read,
        sample: None,
        threshold: Threshold::usual(Measure::Distinction),
        top: Some(CANDIDATES),
        show_values: values,
        recipe: None,
        overwrite: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;

    #[test]
    fn a_table_without_header_is_opened_with_numbered_columns() {
        let sex = |n: usize| if n.is_multiple_of(3) { "F" } else { "M" };
        let record =
            |n: usize| format!("{},{},{},I{}\n", 20 + n * 7 % 60, 10_000 + n * 37 % 90, sex(n), 60 + n % 5);
        let records: String = (0..200).map(record).collect();
        let open = Open::new(&[("bare.csv", &format!("41,77516,M,I63\n{records}"))]);
        let text = open.text();
        assert!(text.contains("header = false") && text.contains("[attributes.4]"), "{text}");
        assert!(!text.contains("77516"), "{text}");
        let project = locked(&open.app.project);
        let profile = project.as_ref().and_then(|project| project.profile.as_ref()).unwrap();
        assert_eq!(profile.records, 201);
        assert!(profile.notes[0].contains("looks like a record"), "{:?}", profile.notes);
    }
}
