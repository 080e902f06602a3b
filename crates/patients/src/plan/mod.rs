//! What is to be done with each table and column: recipe, shape and the files' headers put together.

mod check;
mod column;
mod database;
mod digits;
mod files;
pub(crate) mod folder;
mod left_out;
mod preset;
mod roles;
mod rules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use velamen_contract::linked::{Counts, Dates, SetPromise, Shape, Tier};
use velamen_core::error::Problem;
use velamen_core::hierarchy::Rule;
use velamen_engine::source::ReadOptions;
use velamen_recipe::{JobError, Origin};

pub(crate) use column::{PlannedColumn, Use};
pub(crate) use left_out::unknown;

use crate::archive::Unpacked;
use crate::days::is_years_after;
use crate::fhir;
use crate::recipe::{LinkedRecipe, Orphans, PublicEvents};
use crate::shape::{self, Fate, KnownTable};
use crate::stop::Stop;
use folder::Found;

/// A recipe with all that follows from it before a record is read.
#[derive(Debug)]
pub struct Plan {
    pub(crate) shape: Shape,
    pub(crate) tier: Tier,
    pub(crate) dates: Dates,
    /// The first and the last day as declared, in days of the common era.
    pub(crate) window: Option<[i32; 2]>,
    /// The same as it is written.
    pub(crate) window_text: Option<[String; 2]>,
    pub(crate) counts: Counts,
    pub(crate) top_age: u32,
    pub(crate) privacy: Vec<SetPromise>,
    /// The tables that are released, parents before their children; the first is that of persons.
    pub(crate) tables: Vec<PlannedTable>,
    /// The tables of the folder that are left out.
    pub(crate) dropped: Vec<String>,
    /// Whether rows with codes of public events are left out.
    pub(crate) drops_public_events: bool,
    /// How tables' text is encoded.
    encoding: Option<String>,
    /// The folder, where it had to be unpacked; it stays as long as this does.
    unpacked: Option<Unpacked>,
}

/// A table that is released.
#[derive(Debug)]
pub(crate) struct PlannedTable {
    pub(crate) name: String,
    /// Its file, or what its file would be called.
    pub(crate) file: PathBuf,
    pub(crate) origin: Origin,
    /// The first and the last day that its rows are about, in days of the common era.
    pub(crate) window: Option<[i32; 2]>,
    /// The same as it is written.
    pub(crate) window_text: Option<[String; 2]>,
    /// The released file's name.
    pub(crate) released: String,
    /// Every column of the file.
    pub(crate) columns: Vec<PlannedColumn>,
    /// The table of its rows' parents, in [`Plan::tables`]; none of the table of persons.
    pub(crate) parent: Option<usize>,
    pub(crate) is_person_column: bool,
    pub(crate) is_referred_to: bool,
    /// Whether it is made anew from the first and last day of each person's released rows.
    pub(crate) is_made_anew: bool,
    pub(crate) orphans: Orphans,
    /// A hierarchy for each column that has one.
    pub(crate) rules: Vec<Option<Rule>>,
}

impl PlannedTable {
    /// The place of the column that is used so.
    pub(crate) fn column(&self, of: &Use) -> Option<usize> {
        self.columns.iter().position(|column| column.used == *of)
    }

    /// The places of the columns of sets.
    pub(crate) fn sets(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&place| matches!(self.columns[place].used, Use::Set { .. }))
    }

    /// The code that a row is about, as a set or by itself.
    pub(crate) fn main_code(&self) -> Option<usize> {
        self.sets().find(|&set| !self.columns[set].is_list()).or_else(|| self.column(&Use::MainCode))
    }
}

impl Plan {
    /// Whether a relative day is so many years after the person's first that it shows an age that is not told.
    pub(crate) fn is_late(&self, day: i32, first: i32) -> bool {
        match self.dates {
            Dates::Relative(unit) => is_years_after(day, first, unit, self.top_age as i32),
            Dates::None | Dates::Year | Dates::Shift(_) => false,
        }
    }

    /// Puts a recipe together with the files that it names.
    ///
    /// # Errors
    /// [`JobError::recipe`] or [`JobError::data`], each with table and column; [`JobError::interrupted`].
    pub(crate) fn of(recipe: &LinkedRecipe, path: &Path, stop: Stop<'_>) -> Result<Self, JobError> {
        check::sections(recipe, path)?;
        digits::check(recipe, path)?;
        let shape = recipe.input.shape.unwrap_or(Shape::Tables);
        let (found, unpacked) = folder::find(recipe, path, shape, stop)?;
        let (kept, dropped): (Vec<Found>, Vec<Found>) = found.into_iter().partition(Found::is_kept);
        let dropped = dropped.into_iter().map(|found| found.name).collect();
        has_persons(recipe, shape, &kept)?;
        parents(recipe, path, &kept)?;
        let kept = in_order(recipe, path, kept)?;
        let names: Vec<String> = kept.iter().map(|found| found.name.clone()).collect();
        let mut tables = Vec::new();
        for found in kept {
            let mut planned = table(recipe, path, found, &names)?;
            files::name(recipe, path, &tables, &mut planned)?;
            tables.push(planned);
        }
        let persons = &recipe.persons;
        let plan = Self {
            shape,
            tier: persons.tier,
            dates: persons.dates.unwrap_or(Dates::Year),
            window: check::window(recipe, path)?,
            window_text: persons.window.clone(),
            counts: persons.counts,
            top_age: persons.top_age.unwrap_or(90),
            privacy: preset::privacy(recipe, path)?,
            tables,
            dropped,
            drops_public_events: persons.public_events == PublicEvents::Drop,
            encoding: recipe.input.encoding.clone(),
            unpacked,
        };
        check::plan(&plan, recipe, path)?;
        Ok(plan)
    }

    /// What a table's file is called: nobody looks for it in a temporary folder.
    pub(crate) fn shown_file<'a>(&self, table: &'a PlannedTable) -> &'a Path {
        let name = table.file.file_name().map(Path::new);
        name.filter(|_| self.unpacked.is_some()).unwrap_or(&table.file)
    }

    /// Where a row of a table stood before its file was made.
    pub(crate) fn place(&self, table: &PlannedTable, row: usize) -> Option<(&Path, fhir::Within)> {
        self.unpacked.as_ref()?.places().of(&table.name, row)
    }

    /// The rows of tables that are in memory since their files were looked at, by name; of which nothing is left here.
    pub(crate) fn take_rows(&mut self) -> BTreeMap<String, fhir::Held> {
        self.unpacked.as_mut().map(Unpacked::take_rows).unwrap_or_default()
    }

    /// What was left out before there were tables.
    pub(crate) fn notes(&self) -> &[String] {
        self.unpacked.as_ref().map_or(&[], |unpacked| unpacked.notes())
    }

    /// What shows that several rows of persons are of one, before there were tables.
    pub(crate) fn several(&self) -> Option<&str> {
        self.unpacked.as_ref()?.several()
    }

    /// How its tables are read.
    pub(crate) fn reading(&self) -> ReadOptions {
        folder::reading(self.encoding.as_deref())
    }

    /// The largest number of persons that a promise asks for.
    pub(crate) fn k(&self) -> usize {
        self.privacy.iter().map(|promise| promise.k() as usize).max().unwrap_or(1)
    }

    /// The most items that somebody is to know.
    pub(crate) fn m(&self) -> u8 {
        self.privacy.iter().map(SetPromise::m).max().unwrap_or(0)
    }

    /// Whether sets are counted inside classes of person columns.
    pub(crate) fn counts_in_classes(&self) -> bool {
        self.privacy.iter().any(|promise| matches!(promise, SetPromise::SetsInClasses { .. }))
    }

    /// Whether dates are released, or decide which rows are.
    pub(crate) fn looks_at_dates(&self) -> bool {
        let has_window = self.window.is_some() || self.tables.iter().any(|table| table.window.is_some());
        self.dates != Dates::None || has_window
    }

    /// All columns of sets, as pairs of table and column.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.tables
            .iter()
            .enumerate()
            .flat_map(|(table, planned)| planned.sets().map(move |set| (table, set)))
    }

    /// The tables of which having a row is a person column.
    pub(crate) fn facts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.tables.len()).filter(|&table| self.tables[table].is_person_column)
    }
}

/// Refuses a folder of a known shape that has no table of persons.
fn has_persons(recipe: &LinkedRecipe, shape: Shape, found: &[Found<'_>]) -> Result<(), JobError> {
    let persons = shape::tables(shape).iter().find(|known| known.fate == Fate::Persons);
    let Some(missing) = persons.filter(|known| !found.iter().any(|table| table.name == known.name)) else {
        return Ok(());
    };
    let folder = recipe.input.folder.as_ref().map(|folder| format!("{}: ", folder.display()));
    let problem = format!("{}no table `{}` that is released", folder.unwrap_or_default(), missing.name);
    Err(JobError::data(Problem::new(problem).expected("the persons to whom the rows of other tables belong")))
}

/// Refuses parents that are no released table, or the table itself.
fn parents(recipe: &LinkedRecipe, path: &Path, found: &[Found<'_>]) -> Result<(), JobError> {
    let is_there =
        |name: &str, parent: &str| name != parent && found.iter().any(|other| other.name == parent);
    let lost = |found: &&Found<'_>| found.parent().is_some_and(|parent| !is_there(&found.name, &parent));
    match found.iter().find(lost) {
        None => Ok(()),
        Some(table) => {
            let problem = Problem::of(
                &["parent"],
                format!("the parent of table `{}` is no other released table", table.name),
            );
            Err(recipe.places.refuse(
                path,
                &["tables", &table.name],
                problem.expected("parent = { table = \"patients\", column = \"patient_id\" }"),
            ))
        }
    }
}

/// The tables with parents before their children, that of persons first.
fn in_order<'a>(
    recipe: &LinkedRecipe,
    path: &Path,
    mut left: Vec<Found<'a>>,
) -> Result<Vec<Found<'a>>, JobError> {
    let mut order: Vec<Found<'a>> = Vec::new();
    while !left.is_empty() {
        let is_left = |name: &String| left.iter().any(|found| found.name == *name);
        let ready = left.iter().position(|found| !found.needs().iter().any(is_left)).ok_or_else(|| {
            let names: Vec<&str> = left.iter().map(|found| found.name.as_str()).collect();
            let problem =
                Problem::new(format!("tables refer to each other in a circle: {}", names.join(", ")));
            recipe.places.refuse(path, &["tables"], problem.mend("leave one of the references out"))
        })?;
        order.push(left.remove(ready));
    }
    let persons = order.iter().position(Found::is_of_persons).ok_or_else(|| {
        let problem = Problem::new("no table of persons").expected("one table that has a key and no parent");
        recipe.places.refuse(path, &["tables"], problem)
    })?;
    let persons = order.remove(persons);
    order.insert(0, persons);
    match order.iter().skip(1).find(|found| found.is_of_persons()) {
        None => Ok(order),
        Some(second) => {
            let problem = Problem::new(format!("`{}` is a second table of persons", second.name))
                .mend("name its parent, or leave it out with drop = true");
            Err(recipe.places.refuse(path, &["tables", &second.name], problem))
        }
    }
}

fn table(
    recipe: &LinkedRecipe,
    path: &Path,
    found: Found<'_>,
    names: &[String],
) -> Result<PlannedTable, JobError> {
    let input = found.origin.open(&folder::reading(recipe.input.encoding.as_deref()))?;
    let mut columns = column::planned(recipe, path, &found, &input, names)?;
    let rules = rules::rules(recipe, path, &found, &mut columns)?;
    let parent = found.parent().and_then(|parent| names.iter().position(|name| *name == parent));
    let fate = found.known.map(|known| known.fate);
    let section = found.section;
    let window_text = section.and_then(|section| section.window.clone());
    Ok(PlannedTable {
        window: check::window_of(recipe, path, &found.name, window_text.as_ref())?,
        window_text,
        origin: found.origin,
        released: folder::released_name(&found.file, found.shape, recipe.format(path)?),
        parent,
        is_person_column: section
            .and_then(|s| s.is_person_column)
            .unwrap_or(fate == Some(Fate::PersonColumn)),
        is_referred_to: section.and_then(|s| s.is_referred_to).unwrap_or(fate == Some(Fate::ReferredTo)),
        is_made_anew: fate == Some(Fate::Periods),
        orphans: section.map_or(Orphans::Refuse, |section| section.orphans),
        columns,
        rules,
        name: found.name,
        file: found.file,
    })
}

/// The table of that name in a shape.
pub(crate) fn known(shape: Shape, name: &str) -> Option<&'static KnownTable> {
    shape::tables(shape).iter().find(|table| table.name == name)
}
