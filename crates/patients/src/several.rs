//! Tables of persons in which several rows are of one person, of which the recipe does not say so.

use std::path::Path;

use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_job::person_numbers::{can_number, numbers_each, of_input, rows_of_one, traits};
use velamen_measure::profile::person_numbers::Candidate;
use velamen_recipe::{Code, JobError};

use crate::humans::{Human, Humans, Several, hash};
use crate::plan::{Plan, PlannedColumn, PlannedTable, Use};
use crate::recipe::LinkedRecipe;

/// The columns of a standard's table of persons that number people, with that of their birth.
const NUMBERS: [(Shape, &str, &str); 2] =
    [(Shape::Omop, "person_source_value", "year_of_birth"), (Shape::Synthea, "SSN", "BIRTHDATE")];

/// Those that name people, with sex and birth.
const NAMES: [(Shape, &[&str]); 1] = [(Shape::Synthea, &["LAST", "FIRST", "GENDER", "BIRTHDATE"])];

/// Refuses a table of persons that a column beside its key numbers, or whose neighbours look like one person. Of a standard's table,
/// numbers and names with a birth are compared, which no release shows; `rows = "independent"` under `[input]` says the same of another.
///
/// # Errors
/// [`JobError::recipe`], and what reading can give.
pub(crate) fn check(
    recipe: &LinkedRecipe,
    path: &Path,
    plan: &Plan,
    context: &Context<'_>,
) -> Result<(), JobError> {
    if recipe.input.rows.is_some() {
        return Ok(());
    }
    let table = &plan.tables[0];
    if plan.shape == Shape::Fhir {
        return plan.several().map_or(Ok(()), |words| Err(of_standard(recipe, path, words, "resource")));
    }
    let input = table.origin.open(&plan.reading())?;
    if plan.shape != Shape::Tables {
        let words = of_columns(plan.shape, table, &input, context)?;
        return words.map_or(Ok(()), |words| Err(of_standard(recipe, path, &words, "row")));
    }
    let shown = match numbered(table, &input, context)?.first() {
        Some(found) => Some(format!(
            "column `{}` tells {} people apart in {} rows",
            found.name, found.persons, found.records
        )),
        None => neighbours(table, &input, context)?,
    };
    let Some(shown) = shown else { return Ok(()) };
    let problem = Problem::new(format!(
        "table `{}`: several of its rows seem to be of one person: {shown}. Every promise would count rows",
        table.name
    ));
    let mend = "keep one row of each person in it, and the others in a table of their own with parent = { table = …, column = … }. \
                If each row is of another person, write rows = \"independent\" under [input]";
    Err(recipe.places.refuse(path, &["input"], problem.mend(mend)).coded(Code::PERSON_NUMBER))
}

fn of_standard(recipe: &LinkedRecipe, path: &Path, words: &str, one: &str) -> JobError {
    let problem = Problem::new(format!("{words}. Every promise would count them as several persons"));
    let mend = format!(
        "merge them first: one {one} for each human, to which all others lead. If each is another person, write rows = \
         \"independent\" under [input]"
    );
    recipe.places.refuse(path, &["input"], problem.mend(mend)).coded(Code::PERSON_NUMBER)
}

/// What is said of a standard's table if some of its rows are of one human.
fn of_columns(
    shape: Shape,
    table: &PlannedTable,
    input: &Input,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    let number = NUMBERS.iter().find(|(of, ..)| *of == shape);
    let numbers = number.map_or(Ok(Vec::new()), |(_, number, _)| hashes(input, &[number], context))?;
    let births = number.map_or(Ok(Vec::new()), |(.., birth)| hashes(input, &[birth], context))?;
    let names = NAMES.iter().find(|(of, _)| *of == shape);
    let names = names.map_or(Ok(Vec::new()), |(_, names)| hashes(input, names, context))?;
    let mut humans = Humans::default();
    for row in 0..numbers.len().max(names.len()) {
        let at = |all: &[Option<u64>]| all.get(row).copied().flatten();
        let numbers = at(&numbers).map(|number| (number, at(&births).unwrap_or_default()));
        let numbers = numbers.into_iter().collect();
        humans.add("", &Human { numbers, names: at(&names).into_iter().collect(), ..Human::default() });
    }
    let certain = humans.several().filter(|several| several.is_certain);
    Ok(certain.map(|several| of_rows(&table.name, &several)))
}

/// By row what stands for its cells of some columns; nothing where one is empty.
fn hashes(input: &Input, names: &[&str], context: &Context<'_>) -> Result<Vec<Option<u64>>, JobError> {
    let place = |name: &&str| input.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let Some(places) = names.iter().map(place).collect::<Option<Vec<usize>>>() else { return Ok(Vec::new()) };
    let requests = places.iter().zip(names).map(|(&place, name)| ColumnRequest::as_recorded(place, name));
    let read = input.read_in_order(&requests.collect::<Vec<_>>(), context)?;
    let rows = read.codes.first().map_or(0, Vec::len);
    let cells = |row: usize| {
        read.values.iter().zip(&read.codes).map(move |(values, codes)| values[codes[row] as usize].trim())
    };
    let of_row = |row: usize| cells(row).map(str::to_lowercase).collect::<Vec<_>>();
    let is_filled = |row: usize| cells(row).all(|cell| !cell.is_empty());
    Ok((0..rows).map(|row| is_filled(row).then(|| hash(&of_row(row)))).collect())
}

fn of_rows(table: &str, several: &Several) -> String {
    let seem = match several.number {
        1 => "a row seems to be the same human as an earlier one".to_owned(),
        number => format!("{number} rows seem to be the same humans as earlier ones"),
    };
    let (first, other) = (several.first.0 + 1, several.first.1 + 1);
    format!(
        "table `{table}`: {seem}, by number and birth, or by name, sex and birth; the first is row {first}, beside row \
         {other}"
    )
}

/// The columns beside the key that number people; those of sets and codes number diseases.
fn numbered(table: &PlannedTable, input: &Input, context: &Context<'_>) -> Result<Vec<Candidate>, JobError> {
    let kinds = input.kinds().unwrap_or_default();
    let is_plain = |place: usize| !kinds.get(place).is_some_and(|kind| kind.is_nested());
    let suspects = table.columns.iter().enumerate().filter(|(place, column)| is_plain(*place) && can(column));
    let suspects: Vec<usize> = suspects.map(|(place, _)| place).collect();
    of_input(input, &suspects, &traits(input), context)
}

/// Whether a column can number people.
fn can(column: &PlannedColumn) -> bool {
    !matches!(column.used, Use::Key | Use::Set { .. }) && can_number(&column.name)
}

/// What shows that neighbours are of one person.
fn neighbours(
    table: &PlannedTable,
    input: &Input,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    if numbers_each(input, context)? {
        return Ok(None);
    }
    let places = (0..table.columns.len()).filter_map(|place| match table.columns[place].used {
        Use::QuasiIdentifier { .. } => Some((place, true)),
        _ => None,
    });
    let mut places: Vec<(usize, bool)> = places.collect();
    let others = traits(input).into_iter().filter(|place| places.iter().all(|(one, _)| one != place));
    let others: Vec<(usize, bool)> = others.map(|place| (place, false)).collect();
    places.extend(others);
    let suspects: Vec<usize> = (0..table.columns.len()).filter(|&place| can(&table.columns[place])).collect();
    rows_of_one(input, &places, &suspects, context)
}
