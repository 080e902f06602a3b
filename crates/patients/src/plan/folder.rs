//! The tables of a folder.

use std::path::{Path, PathBuf};

use velamen_contract::linked::{RESOURCES, Shape};
use velamen_core::error::Problem;
use velamen_engine::FileFormat;
use velamen_engine::source::{ReadOptions, encoding};
use velamen_recipe::nearest::did_you_mean;
use velamen_recipe::{JobError, Origin, quoted};

use super::database;
use crate::archive::{self, Unpacked};
use crate::fhir;
use crate::recipe::{LinkedRecipe, Orphans, PublicEvents, TableSection};
use crate::shape::{self, Fate, Known, KnownTable};
use crate::stop::Stop;

/// The name of the only table of a recipe that names no tables.
pub(crate) const ONLY: &str = "persons";

/// A table's file with what is known of it.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) name: String,
    /// Its file, or what its file would be called.
    pub(super) file: PathBuf,
    pub(super) origin: Origin,
    pub(super) section: Option<&'a TableSection>,
    pub(super) known: Option<&'static KnownTable>,
    pub(super) shape: Shape,
    /// Whether the recipe has no other table.
    pub(super) is_only: bool,
}

impl Found<'_> {
    pub(super) fn is_kept(&self) -> bool {
        let drops = self.section.is_some_and(|section| section.drop);
        let named = self.section.is_some_and(|section| !section.attributes.is_empty());
        !drops && (named || self.known.is_none_or(|known| known.fate != Fate::Dropped))
    }

    /// Whether it is the table of persons: it has no parent.
    pub(super) fn is_of_persons(&self) -> bool {
        self.parent().is_none()
    }

    /// The table of its rows' parents.
    pub(super) fn parent(&self) -> Option<String> {
        let given = self.section.and_then(|section| section.parent.as_ref());
        match (given, self.known) {
            (Some(parent), _) => Some(parent.table.clone()),
            (None, Some(known)) if known.fate != Fate::Persons => {
                shape::persons(self.shape).map(str::to_owned)
            }
            _ => None,
        }
    }

    /// The tables that have to be read before it.
    pub(super) fn needs(&self) -> Vec<String> {
        let of_shape =
            self.known.map_or(&[][..], |known| known.columns).iter().filter_map(|(_, known)| match known {
                Known::Reference(table) => Some((*table).to_owned()),
                _ => None,
            });
        let columns = self.section.into_iter().flat_map(|section| section.attributes.values());
        let given = columns.filter_map(|column| column.table.clone());
        self.parent().into_iter().chain(of_shape).chain(given).filter(|name| *name != self.name).collect()
    }
}

/// How tables are read; text is encoded as UTF-8 unless the recipe says otherwise.
pub(crate) fn reading(label: Option<&str>) -> ReadOptions {
    ReadOptions {
        may_be_empty: true,
        trusts_header: true,
        lists: true,
        encoding: label.and_then(|label| encoding(label).ok()),
        ..ReadOptions::default()
    }
}

/// The tables that a recipe and its folder name, and the folder if it had to be unpacked.
pub(super) fn find<'a>(
    recipe: &'a LinkedRecipe,
    path: &Path,
    shape: Shape,
    stop: Stop<'_>,
) -> Result<(Vec<Found<'a>>, Option<Unpacked>), JobError> {
    let input = &recipe.input;
    if let Some(file) = &input.path {
        let name = recipe.tables.keys().next().cloned().unwrap_or_else(|| ONLY.into());
        let section = recipe.tables.get(&name);
        let origin = Origin::File(file.clone());
        return Ok((
            vec![Found {
                name,
                file: file.clone(),
                origin,
                section,
                known: None,
                shape: Shape::Tables,
                is_only: true,
            }],
            None,
        ));
    }
    if let Some(address) = &input.database {
        return of_database(recipe, path, address, shape).map(|found| (found, None));
    }
    let folder = input.folder.as_ref().expect("a recipe names a file, a folder or a database");
    let mut unpacked = archive::unpacked(folder, stop)?;
    if shape == Shape::Fhir {
        let inside = unpacked.as_ref().map_or(folder.as_path(), Unpacked::folder);
        unpacked = Some(fhir::flattened(inside, folder, asked(recipe), stop)?);
    }
    let folder = unpacked.as_ref().map_or(folder.as_path(), Unpacked::folder);
    let found = match shape {
        Shape::Tables => {
            let named =
                recipe.tables.iter().map(|(name, section)| named(recipe, path, folder, name, section));
            named.collect::<Result<_, _>>()?
        }
        Shape::Fhir => {
            if let Some(unpacked) = &unpacked {
                kinds(recipe, unpacked)?;
            }
            of_shape(recipe, path, named_files(folder, str::to_owned)?.into_iter().map(file), shape)?
        }
        Shape::Omop | Shape::Synthea => {
            match (&unpacked, &input.folder) {
                (Some(unpacked), Some(archive)) => one_folder(unpacked, archive)?,
                _ => no_tables_within(folder, shape)?,
            }
            of_shape(recipe, path, files(folder)?.into_iter().map(file), shape)?
        }
    };
    Ok((found, unpacked))
}

/// What a recipe asks of resources of FHIR.
fn asked(recipe: &LinkedRecipe) -> fhir::Asked {
    let dropped = recipe.tables.iter().filter(|(_, section)| section.orphans == Orphans::Drop);
    fhir::Asked {
        days: fhir::Days::AsRecorded,
        orphans: dropped.map(|(name, _)| name.clone()).collect(),
        units: Some(recipe.persons.units.clone()),
        drops_events: recipe.persons.public_events == PublicEvents::Drop,
    }
}

/// Refuses kinds of resources that neither FHIR's shape nor the recipe knows, with the first place of one.
fn kinds(recipe: &LinkedRecipe, unpacked: &Unpacked) -> Result<(), JobError> {
    for (name, file) in named_files(unpacked.folder(), str::to_owned)? {
        let is_known = super::known(Shape::Fhir, &name).is_some() || recipe.tables.contains_key(&name);
        if let Some((file, within)) = unpacked.places().of(&name, 0).filter(|_| !is_known) {
            let place = format!("{}: {within}: ", file.display());
            return Err(unknown(file, &name, Shape::Fhir).after(&place));
        }
        if !is_known {
            return Err(unknown(&file, &name, Shape::Fhir));
        }
    }
    Ok(())
}

/// A file that was found.
fn file((name, file): (String, PathBuf)) -> (String, PathBuf, Origin) {
    (name, file.clone(), Origin::File(file))
}

/// A table whose file the recipe names.
fn named<'a>(
    recipe: &LinkedRecipe,
    path: &Path,
    folder: &Path,
    name: &str,
    section: &'a TableSection,
) -> Result<Found<'a>, JobError> {
    let refuse = |problem: Problem| recipe.places.refuse(path, &["tables", name], problem);
    if section.query.is_some() {
        let problem = Problem::of(&["query"], format!("table `{name}`: a query is for databases"));
        return Err(refuse(problem.expected("path = \"patients.csv\"")));
    }
    let missing =
        || refuse(Problem::new(format!("table `{name}` has no file")).expected("path = \"patients.csv\""));
    let file = folder.join(section.path.as_ref().ok_or_else(missing)?);
    let origin = Origin::File(file.clone());
    Ok(Found {
        name: name.to_owned(),
        file,
        origin,
        section: Some(section),
        known: None,
        shape: Shape::Tables,
        is_only: false,
    })
}

/// What gives the rows of a table of a database.
fn origin(
    path: &Path,
    address: &str,
    (name, section): (&str, Option<&TableSection>),
) -> Result<Origin, JobError> {
    match section.and_then(|section| section.query.as_deref()) {
        Some(query) => Origin::query(path, address, query, &format!("tables.{}.query", quoted(name))),
        None => database::table(path, address, name),
    }
}

/// A table of a database that the recipe names.
fn queried<'a>(
    path: &Path,
    address: &str,
    name: &str,
    section: &'a TableSection,
) -> Result<Found<'a>, JobError> {
    let origin = origin(path, address, (name, Some(section)))?;
    let (name, file) = (name.to_owned(), PathBuf::from(format!("{name}.csv")));
    Ok(Found {
        name,
        file,
        origin,
        section: Some(section),
        known: None,
        shape: Shape::Tables,
        is_only: false,
    })
}

/// The tables of a database: those that the recipe names, of a known shape all.
fn of_database<'a>(
    recipe: &'a LinkedRecipe,
    path: &Path,
    address: &str,
    shape: Shape,
) -> Result<Vec<Found<'a>>, JobError> {
    let file = |name: &str| PathBuf::from(format!("{name}.csv"));
    if shape == Shape::Tables {
        let found = |(name, section): (&'a String, &'a TableSection)| queried(path, address, name, section);
        return recipe.tables.iter().map(found).collect();
    }
    let mut there = Vec::new();
    for spelled in database::names(path, address)? {
        let name = spelled.to_ascii_lowercase();
        let is_wanted = super::known(shape, &name).is_some() || recipe.tables.contains_key(&name);
        // A database has tables of other programs, too.
        if is_wanted {
            there.push((
                name.clone(),
                file(&spelled),
                origin(path, address, (&spelled, recipe.tables.get(&name)))?,
            ));
        }
    }
    of_shape(recipe, path, there.into_iter(), shape)
}

/// The tables of a known shape among those that are there; capital letters do not matter.
fn of_shape<'a>(
    recipe: &'a LinkedRecipe,
    path: &Path,
    there: impl Iterator<Item = (String, PathBuf, Origin)>,
    shape: Shape,
) -> Result<Vec<Found<'a>>, JobError> {
    let mut found: Vec<Found<'a>> = Vec::new();
    for (name, file, origin) in there {
        let known = super::known(shape, &name);
        let section = recipe.tables.get(&name);
        if known.is_none() && section.is_none() {
            return Err(unknown(&shown(recipe, &file), &name, shape));
        }
        let is_gone = known.is_some_and(|known| known.fate == Fate::Dropped);
        if section.is_some_and(|section| is_gone && !section.drop && section.attributes.is_empty()) {
            let problem =
                Problem::new(format!("the shape leaves table `{name}` out, and its section names no column"))
                    .mend("give the columns that are to be released their roles, or leave the section out");
            return Err(recipe.places.refuse(path, &["tables", &name], problem));
        }
        if let Some(first) = found.iter().find(|found| found.name == name) {
            let problem = format!("{}: a second file of table `{name}`", shown(recipe, &file).display());
            let mend = format!("leave it or {} out", shown(recipe, &first.file).display());
            return Err(JobError::data(Problem::new(problem).mend(mend)));
        }
        found.push(Found { name, file, origin, section, known, shape, is_only: false });
    }
    if let Some(persons) =
        shape::persons(shape).filter(|name| !found.iter().any(|found| found.name == **name))
    {
        return Err(no_persons(recipe, persons, shape));
    }
    let is_there = |name: &&String| found.iter().any(|found| found.name == **name);
    match recipe.tables.keys().find(|name| !is_there(name)) {
        None => Ok(found),
        Some(name) => {
            let problem = Problem::new(format!("the folder has no table `{name}`"));
            let near = did_you_mean(name, found.iter().map(|found| found.name.as_str()));
            Err(recipe.places.refuse(path, &["tables", name], problem.mend_if(near)))
        }
    }
}

/// The refusal of a folder, or a database, without persons.
fn no_persons(recipe: &LinkedRecipe, persons: &str, shape: Shape) -> JobError {
    let folder = recipe.input.folder.as_ref().map(|folder| format!("{}: ", folder.display()));
    let problem = Problem::new(format!("{}no table `{persons}`", folder.unwrap_or_default()));
    JobError::data(problem.expected(match shape {
        Shape::Fhir => format!("{persons}.ndjson with at least one resource"),
        _ => format!("{persons}.csv with at least one row"),
    }))
}

/// A file as a recipe would name it: nobody looks for it in a temporary folder.
fn shown(recipe: &LinkedRecipe, file: &Path) -> PathBuf {
    match (&recipe.input.folder, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => file.to_owned(),
    }
}

/// Refuses tables of an archive that lie in more than one folder: which of them are meant, nobody knows.
fn one_folder(unpacked: &Unpacked, archive: &Path) -> Result<(), JobError> {
    let folder = unpacked.folder();
    let failed = |error: std::io::Error| JobError::io(archive, "read", &error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let problem = format!("{}: folder `{name}` has tables beside other ones", archive.display());
            let problem = Problem::new(problem).expected("all tables in one folder of the archive");
            return Err(JobError::data(problem));
        }
    }
    Ok(())
}

/// Refuses folders within a folder that have tables of its shape: which of them are meant, nobody knows.
fn no_tables_within(folder: &Path, shape: Shape) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read the folder", &error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let inside = entry.map_err(failed)?.path();
        // Vocabularies often lie in a folder of their own.
        let is_one = |name: &str| super::known(shape, name).is_some_and(|known| known.fate != Fate::Dropped);
        if inside.is_dir() && files(&inside)?.iter().any(|(name, _)| is_one(name)) {
            let problem = Problem::new(format!("{}: a folder of tables within the folder", inside.display()));
            return Err(JobError::data(
                problem.mend("put all tables into one folder, or name the one that is meant"),
            ));
        }
    }
    Ok(())
}

fn unknown(file: &Path, name: &str, shape: Shape) -> JobError {
    let near = did_you_mean(name, shape::tables(shape).iter().map(|table| table.name));
    let found = match shape {
        // The name stands in the data.
        Shape::Fhir => "a kind of resources that R4 does not have".to_owned(),
        _ => format!("{}: no table of this shape", file.display()),
    };
    let leave = match shape {
        Shape::Fhir => {
            "leave it out with [tables.NAME] drop = true, where NAME is its `resourceType`".to_owned()
        }
        _ => format!("leave it out with [tables.{}] drop = true", quoted(name)),
    };
    let problem = Problem::new(found).mend_if(near).mend(leave);
    JobError::data(problem)
}

/// The tables' files of a folder, by name in small letters.
pub(crate) fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, JobError> {
    named_files(folder, str::to_ascii_lowercase)
}

/// The tables' files of a folder, by what `named` makes of their names.
fn named_files(folder: &Path, named: fn(&str) -> String) -> Result<Vec<(String, PathBuf)>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read the folder", &error);
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(failed)?;
    let mut files: Vec<(String, PathBuf)> =
        entries.iter().filter_map(|entry| named_file(&entry.path(), named)).collect();
    files.sort();
    Ok(files)
}

/// The name of a table by its file's, where it is one.
fn named_file(path: &Path, named: fn(&str) -> String) -> Option<(String, PathBuf)> {
    let name = path.file_name()?.to_str()?;
    let is_table = !name.starts_with('.') && path.is_file() && FileFormat::named(path).is_some();
    is_table.then(|| (named(stem(name)), path.to_owned()))
}

/// A file's name without what its format is named by, packed or not.
fn stem(name: &str) -> &str {
    let unpacked = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    unpacked.rsplit_once('.').map_or(unpacked, |(stem, _)| stem)
}

/// The name of a table's released file, which is not packed.
pub(super) fn released_name(file: &Path, shape: Shape, format: FileFormat) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = if shape == Shape::Fhir { RESOURCES.to_owned() } else { format.extension() };
    format!("{}.{ending}", stem(&name))
}
