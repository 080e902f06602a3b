//! Whole runs on a pair of tables: the files of a user in a folder of their own, and what each run leaves.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_engine::FileFormat;
use velamen_engine::source::ReadOptions;
use velamen_job::{Outcome, RunOptions};
use velamen_measure::risk::audit::{Event, Feature, Observed};
use velamen_recipe::{JobError, Origin, Resolved, custodian_of};
use velamen_search::method::Method;

use super::neighbours::{Pair, file_format};
use super::observe::{self, Ended, Target};
use super::rules::rules;

/// What is audited: `anonymize` itself, and in tests what replaces it.
pub(super) type Mechanism = dyn Fn(&Resolved, &RunOptions, &Context<'_>) -> Result<Outcome, JobError> + Sync;

/// Memory-backed, where there is one: a run writes some files that nobody keeps.
const MEMORY: &str = "/dev/shm";

/// A pair of tables with what is looked at.
pub(super) struct Subject<'a> {
    mechanism: &'a Mechanism,
    /// Holds the tables and the places, and goes with the subject.
    folder: TempDir,
    /// The recipe of each table, without an output.
    recipes: [Resolved; 2],
    /// Where runs at work release to; each is used by one at a time.
    places: Mutex<Vec<RunFolder>>,
    pub(super) target: Target,
    pub(super) chosen: Vec<Event>,
}

/// A folder for one run at a time, with the recipes that release to it.
struct RunFolder {
    folder: std::path::PathBuf,
    recipes: [Resolved; 2],
}

impl<'a> Subject<'a> {
    pub(super) fn new(mechanism: &'a Mechanism, recipe: &Resolved, pair: &Pair) -> Result<Self, JobError> {
        let folder = folder()?;
        let [with, without] = pair.files(recipe)?;
        let of = |name: &str, text: Vec<u8>| {
            let file = folder.path().join(format!("{name}.{}", file_format(recipe).extension()));
            std::fs::write(&file, text).map_err(|error| JobError::io(&file, "write", &error))?;
            Ok::<_, JobError>(Resolved { impossible: rules(recipe, pair), ..of_file(recipe, &file) })
        };
        let recipes = [of("with", with)?, of("without", without)?];
        Ok(Self {
            mechanism,
            recipes,
            places: Mutex::default(),
            target: Target::new(recipe, pair),
            chosen: observe::chosen(recipe, pair),
            folder,
        })
    }

    fn place(&self) -> Result<RunFolder, JobError> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.pop() {
            return Ok(place);
        }
        drop(places);
        let made = tempfile::Builder::new().prefix("run-").tempdir_in(self.folder.path());
        let folder =
            made.map_err(|error| JobError::io(self.folder.path(), "create a folder in", &error))?.keep();
        let recipes = self.recipes.clone();
        let recipes = recipes.map(|recipe| Resolved { output: folder.join("release"), ..recipe });
        Ok(RunFolder { folder, recipes })
    }

    /// One run on a table, and what `look` makes of it before its files are removed.
    fn with<T>(
        &self,
        table: usize,
        seed: &Seed,
        of: &Context<'_>,
        look: impl FnOnce(&Ended<'_>) -> T,
    ) -> Result<(T, Result<Outcome, JobError>), JobError> {
        self.with_method(None, table, seed, of, look)
    }

    /// The same, where another method may stand in the recipe's place.
    pub(super) fn with_method<T>(
        &self,
        method: Option<Arc<dyn Method>>,
        table: usize,
        seed: &Seed,
        of: &Context<'_>,
        look: impl FnOnce(&Ended<'_>) -> T,
    ) -> Result<(T, Result<Outcome, JobError>), JobError> {
        let mut place = self.place()?;
        let own = place.recipes[table].method.method.clone();
        place.recipes[table].method.method = method.unwrap_or_else(|| own.clone());
        let recipe = &place.recipes[table];
        let context = Context { seed, progress: &Silent, cancel: of.cancel };
        let result = (self.mechanism)(recipe, &RunOptions::default(), &context);
        if result.as_ref().is_err_and(JobError::is_interrupted) {
            return Err(JobError::interrupted());
        }
        let Origin::File(input) = &recipe.input else { unreachable!("tables are files") };
        let seen = look(&Ended { result: &result, release: &recipe.output, hidden: [input, &place.folder] });
        for folder in [recipe.output.clone(), custodian_of(&recipe.output)] {
            if folder.exists() {
                std::fs::remove_dir_all(&folder).map_err(|error| JobError::io(&folder, "remove", &error))?;
            }
        }
        place.recipes[table].method.method = own;
        self.places.lock().unwrap_or_else(PoisonError::into_inner).push(place);
        Ok((seen, result))
    }

    /// One run's numbers; what released nothing is a number, too.
    pub(super) fn observed(&self, table: usize, seed: &Seed, of: &Context<'_>) -> Result<Observed, JobError> {
        Ok(self.with(table, seed, of, |ended| ended.observed(&self.target))?.0)
    }

    /// How one run on a table ended.
    pub(super) fn outcome(
        &self,
        table: usize,
        seed: &Seed,
        of: &Context<'_>,
    ) -> Result<Result<Outcome, JobError>, JobError> {
        Ok(self.with(table, seed, of, |_| ())?.1)
    }

    /// What a number is of, found in one run on a table.
    pub(super) fn name(
        &self,
        table: usize,
        seed: &Seed,
        of: &Context<'_>,
        feature: Feature,
    ) -> Result<Option<String>, JobError> {
        Ok(self.with(table, seed, of, |ended| ended.name(&self.target, feature))?.0)
    }
}

/// The recipe of one of the tables, its file read as it was written. Nothing is added to a database or a
/// ledger.
fn of_file(recipe: &Resolved, file: &Path) -> Resolved {
    let read = ReadOptions {
        format: Some(file_format(recipe)),
        delimiter: file_format(recipe).free_delimiter(),
        columns: None,
        headerless: false,
        trusts_header: true,
        sheet: None,
        encoding: None,
        // The tables hold what is derived.
        derived: velamen_engine::Derived::default(),
        ..recipe.read.clone()
    };
    Resolved {
        input: Origin::File(file.to_owned()),
        read,
        format: Some(FileFormat::default()),
        engine: None,
        table: None,
        budget: None,
        ..recipe.clone()
    }
}

/// A folder that nobody else may look in: with records of the input there are originals in it.
fn folder() -> Result<TempDir, JobError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("velamen-audit-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    let made = builder.tempdir_in(MEMORY).or_else(|_| builder.tempdir());
    made.map_err(|error| JobError::unusable(format!("cannot make a temporary folder: {error}")))
}
