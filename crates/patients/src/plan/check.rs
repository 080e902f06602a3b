//! What a recipe must say, and what it must not.

use std::path::Path;

use velamen_contract::linked::{Dates, SetPromise, Shape, Tier};
use velamen_core::error::Problem;
use velamen_engine::source::encoding;
use velamen_recipe::JobError;

use super::{Plan, PlannedTable, Use, column, preset};
use crate::days;
use crate::fhir::EXTENSIONS;
use crate::recipe::{DEMOGRAPHICS, LinkedRecipe, MONDRIAN, THIN};
use crate::shape::{self, Known};

/// The largest m that is searched for.
const MOST_ITEMS: u8 = 3;

/// The most days of a shift: ten years.
const MOST_SHIFT: u32 = 3_653;

/// The age from which on HIPAA and others want people to be one group.
const TOP_AGE: u32 = 90;

/// What can be said before a file is looked at.
pub(super) fn sections(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let refuse = |at: &[&str], problem: Problem| Err(recipe.places.refuse(path, at, problem));
    let input = &recipe.input;
    let given = [input.folder.is_some(), input.path.is_some(), input.database.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        let expected = "folder = \"export\", path = \"patients.csv\" or database = \"sqlite:patients.db\"";
        return refuse(&["input"], Problem::new("no folder of tables, or more than one").expected(expected));
    }
    if let Some(Err(problem)) = input.encoding.as_deref().map(encoding) {
        return refuse(&["input", "encoding"], problem.after("input.encoding: "));
    }
    if input.encoding.is_some() && input.database.is_some() {
        let problem = Problem::new("`encoding` is for files, not for a database");
        return refuse(&["input", "encoding"], problem.mend("leave it out"));
    }
    if input.shape == Some(Shape::Fhir) && input.database.is_some() {
        let problem = Problem::new("resources of FHIR are files");
        return refuse(&["input", "database"], problem.expected("folder = \"export\""));
    }
    if input.shape == Some(Shape::Fhir) && recipe.persons.dates == Some(Dates::None) {
        let problem = Problem::new("resources of FHIR have days: an immunization without one is none");
        return refuse(
            &["persons", "dates"],
            problem.expected("\"year\", { relative = \"month\" } or a shift"),
        );
    }
    if recipe.method.name != THIN {
        return refuse(&["method", "name"], Problem::new("not a method for linked tables").expected(THIN));
    }
    if !DEMOGRAPHICS.contains(&recipe.method.demographics.as_str()) {
        let problem = Problem::new("not a method that chooses what person columns show");
        return refuse(&["method", "demographics"], problem.expected(DEMOGRAPHICS.join(", ")));
    }
    if recipe.method.suppression_limit.is_some_and(|limit| !(0.0..=1.0).contains(&limit)) {
        return refuse(
            &["method", "suppression-limit"],
            Problem::new("not a share").expected("a number from 0 to 1"),
        );
    }
    if recipe.persons.tier == Tier::Public && recipe.persons.top_age.is_some_and(|top| top > TOP_AGE) {
        let problem = Problem::new("ages over 90 are one value in the public tier");
        return refuse(&["persons", "top-age"], problem.expected("90 or less"));
    }
    recipe.format(path)?;
    extensions(recipe, path)?;
    units(recipe, path)?;
    preset::sections(recipe, path)?;
    lists(recipe, path)?;
    privacy(recipe, path)?;
    dates(recipe, path)
}

/// Extensions are those that are known, and of FHIR.
fn extensions(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let refuse = |problem: Problem| Err(recipe.places.refuse(path, &["persons", "extensions"], problem));
    let named = &recipe.persons.extensions;
    if !named.is_empty() && recipe.input.shape != Some(Shape::Fhir) {
        return refuse(Problem::new("extensions are elements of FHIR").mend("leave `extensions` out"));
    }
    let is_unknown = |address: &&String| !EXTENSIONS.iter().any(|known| known.name == column::last(address));
    match named.iter().find(is_unknown) {
        None => Ok(()),
        Some(_) => {
            let known: Vec<&str> = EXTENSIONS.iter().map(|known| known.name).collect();
            refuse(Problem::new("extensions: one that cannot be released").expected(known.join(", ")))
        }
    }
}

/// Declared names of units are of FHIR, and names.
fn units(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let refuse = |problem: Problem| Err(recipe.places.refuse(path, &["persons", "units"], problem));
    let named = &recipe.persons.units;
    if !named.is_empty() && recipe.input.shape != Some(Shape::Fhir) {
        return refuse(Problem::new("units are declared for FHIR alone").mend("leave `units` out"));
    }
    // Of another system than UCUM it is declared with it.
    match named.iter().all(|name| is_name(name.rsplit_once('|').map_or(name.as_str(), |(_, code)| code))) {
        true => Ok(()),
        false => refuse(
            Problem::new("units: a name that no unit has")
                .expected("units = [\"mg/dL\", \"urn:system|code\"]"),
        ),
    }
}

/// Whether a text can be the name of a unit: in a cell, a bar stands before it.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && !name.contains(|letter: char| letter == '|' || letter.is_control())
}

/// Refuses to leave out what a standard wants in each row.
fn needed(plan: &Plan, table: &PlannedTable, recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let wanted = shape::required(plan.shape, &table.name);
    let sets = shape::tables(plan.shape)
        .iter()
        .filter(|known| plan.shape == Shape::Fhir && known.name == table.name);
    let sets = sets.flat_map(|known| known.columns).filter(|(_, known)| matches!(known, Known::Set));
    let mut names = wanted.iter().chain(sets.map(|(name, _)| name));
    let is_left_out =
        |name: &str| table.columns.iter().any(|column| column.name == name && column.used == Use::Dropped);
    match names.find(|name| is_left_out(name)) {
        None => Ok(()),
        Some(name) => {
            let at = ["tables", &table.name, "attributes", name];
            let problem = Problem::new(format!("a resource of `{}` needs its `{name}`", table.name));
            let mend = format!("leave its role out, or the table: [tables.{}] drop = true", table.name);
            Err(recipe.places.refuse(path, &at, problem.mend(mend)))
        }
    }
}

/// What stands between items is something.
fn lists(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let of_tables = recipe.tables.iter().flat_map(|(table, section)| {
        section
            .attributes
            .iter()
            .map(move |(name, column)| (vec!["tables", table, "attributes", name], column))
    });
    let of_one = recipe.attributes.iter().map(|(name, column)| (vec!["attributes", name.as_str()], column));
    let mut empty = of_tables.chain(of_one).filter(|(_, column)| column.items.as_deref() == Some(""));
    match empty.next() {
        None => Ok(()),
        Some((at, _)) => {
            let problem = Problem::of(&["items"], "nothing stands between the items of a cell");
            Err(recipe.places.refuse(path, &at, problem.expected("items = \";\" or another text")))
        }
    }
}

fn privacy(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    if recipe.privacy.is_empty() {
        let expected = "[[privacy]] model = \"k-km-anonymity\", k = 5, m = 2";
        return Err(recipe.places.refuse(
            path,
            &["privacy"],
            Problem::new("no privacy model").expected(expected),
        ));
    }
    for (place, promise) in recipe.privacy.iter().enumerate() {
        let refuse =
            |problem: Problem| Err(recipe.places.refuse(path, &["privacy", &place.to_string()], problem));
        if promise.k() < 2 || u32::try_from(promise.k()).is_err() {
            return refuse(Problem::of(&["k"], "k is a number of persons").expected("a whole number from 2"));
        }
        let has_sets = !matches!(promise, SetPromise::Classes { .. });
        if has_sets && !(1..=MOST_ITEMS).contains(&promise.m()) {
            return refuse(
                Problem::of(&["m"], "m is the number of codes that somebody knows").expected("1, 2 or 3"),
            );
        }
    }
    Ok(())
}

fn dates(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let persons = &recipe.persons;
    let refuse = |problem: Problem| Err(recipe.places.refuse(path, &["persons", "dates"], problem));
    let Some(Dates::Shift(days)) = persons.dates else { return Ok(()) };
    if persons.tier == Tier::Public {
        let problem = Problem::new("a shift is no anonymity: the gaps between a person's days stay");
        return refuse(
            problem
                .expected("\"year\" or { relative = \"month\" } for the public tier")
                .mend("or tier = \"agreement\""),
        );
    }
    if !(1..=MOST_SHIFT).contains(&days) {
        return refuse(Problem::new("not a shift").expected("1 to 3653 days"));
    }
    if persons.window.is_none() {
        let problem = Problem::new("a shift shows at the ends of the data unless they are cut off");
        return refuse(
            problem.expected("window = [\"2015-01-01\", \"2024-12-31\"], the days that the data are about"),
        );
    }
    if recipe.key.is_none() {
        return refuse(
            Problem::new("a shift needs a secret key")
                .mend("add [key] with file = \"…\" or environment = \"…\""),
        );
    }
    Ok(())
}

/// The window in days.
pub(super) fn window(recipe: &LinkedRecipe, path: &Path) -> Result<Option<[i32; 2]>, JobError> {
    span(recipe, path, &["persons", "window"], recipe.persons.window.as_ref())
}

/// The window of a table in days, which lies inside that of all.
pub(super) fn window_of(
    recipe: &LinkedRecipe,
    path: &Path,
    table: &str,
    window: Option<&[String; 2]>,
) -> Result<Option<[i32; 2]>, JobError> {
    let at = ["tables", table, "window"];
    let Some(own) = span(recipe, path, &at, window)? else { return Ok(None) };
    match self::window(recipe, path)? {
        Some(all) if all[0] <= own[0] && own[1] <= all[1] => Ok(Some(own)),
        _ => {
            let problem = Problem::new("the window of a table lies inside that of all persons");
            let expected = "[persons] window = [\"2015-01-01\", \"2024-12-31\"], and days inside it here";
            Err(recipe.places.refuse(path, &at, problem.expected(expected)))
        }
    }
}

/// The days of a window.
fn span(
    recipe: &LinkedRecipe,
    path: &Path,
    at: &[&str],
    window: Option<&[String; 2]>,
) -> Result<Option<[i32; 2]>, JobError> {
    let refuse = |problem: Problem| recipe.places.refuse(path, at, problem);
    let Some([first, last]) = window else { return Ok(None) };
    let day = |text: &str| {
        days::parse(text).ok_or_else(|| refuse(Problem::new("window: not a day").expected("YYYY-MM-DD")))
    };
    let (first, last) = (day(first)?, day(last)?);
    if first >= last {
        return Err(refuse(
            Problem::new("window: it ends before it begins").expected("the first day, then the last"),
        ));
    }
    if let Some(Dates::Shift(shift)) = recipe.persons.dates
        && last - first <= 2 * shift as i32
    {
        let problem =
            Problem::new("the shift is as long as the window: nothing would be left between its cut ends");
        return Err(refuse(problem.mend("shift by fewer days")));
    }
    Ok(Some([first, last]))
}

/// A level is one of all persons.
fn levels(plan: &Plan, recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let persons = &plan.tables[0];
    let asked = persons.columns.iter().find(|column| column.level.is_some());
    let Some(column) = asked.filter(|_| recipe.method.demographics == MONDRIAN) else { return Ok(()) };
    let at = ["tables", &persons.name, "attributes", &column.name];
    let problem = "`level`: with demographics = \"mondrian\" each class has values of its own";
    let problem = Problem::new(problem).after(&format!("{}.{}: ", persons.name, column.name));
    Err(recipe.places.refuse(path, &at, problem.mend("leave `level` out, or demographics = \"optimal\"")))
}

/// What only columns show.
pub(super) fn plan(plan: &Plan, recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    levels(plan, recipe, path)?;
    if plan.m() > 0 && plan.sets().next().is_none() {
        let problem = Problem::new("no column has the role `set`, of which the privacy model speaks");
        return Err(recipe.places.refuse(
            path,
            &["privacy"],
            problem.mend("give a column of codes role = \"set\""),
        ));
    }
    for table in &plan.tables {
        needed(plan, table, recipe, path)?;
        let has_key = table.column(&Use::Key).is_some();
        let has_parent = table.column(&Use::Parent).is_some();
        let is_person = table.parent.is_none();
        let missing = match (is_person, has_key, has_parent) {
            (true, false, _) if plan.tables.len() > 1 => "a key: key = \"patient_id\"",
            (false, _, false) => "a parent: parent = { table = \"patients\", column = \"patient_id\" }",
            _ => continue,
        };
        let problem = Problem::new(format!(
            "table `{}` has no {}",
            table.name,
            if is_person { "key" } else { "parent" }
        ));
        return Err(recipe.places.refuse(path, &["tables", &table.name], problem.expected(missing)));
    }
    Ok(())
}
