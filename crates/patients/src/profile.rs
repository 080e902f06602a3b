//! What a folder of linked tables holds, and a recipe to begin with.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_recipe::{JobError, Overrides, quoted};

use crate::keep::{Items, first_items};
use crate::loaded::{Rows, load};
use crate::plan::{Plan, PlannedColumn, PlannedTable, Use, unknown};
use crate::recipe::{LinkedRecipe, Orphans};
use crate::shape::shape_of;

/// The k of recipes that are suggested.
const K: usize = 5;

/// From how many persons on two codes may be known, in classes of person columns.
const TWO_CODES: usize = 100_000;

/// What a recipe of OMOP says of the persons' columns.
const OF_OMOP: &str = "
[tables.person.attributes.year_of_birth]
role = \"quasi-identifier\"
hierarchy = { interval = [5, 10, 20], min = 1900, max = 2039 }

# Known together with sex and age if it is released:
# [tables.person.attributes.race_concept_id]
# role = \"quasi-identifier\"
";

/// What a recipe of Synthea says of the persons' columns.
const OF_SYNTHEA: &str = "
[tables.patients.attributes.BIRTHDATE]
role = \"quasi-identifier\"
hierarchy = { date = [\"year\", \"10-years\"], min = \"1900-01-01\", max = \"2039-12-31\" }

# Known together with sex and age if it is released:
# [tables.patients.attributes.RACE]
# role = \"quasi-identifier\"
";

/// What a recipe of FHIR says of the persons' columns.
const OF_FHIR: &str = "
[tables.Patient.attributes.birthDate]
role = \"quasi-identifier\"
hierarchy = { date = [\"year\", \"10-years\"], min = \"1900-01-01\", max = \"2039-12-31\" }
";

/// What a folder holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FolderProfile {
    /// Persons.
    pub persons: u64,
    /// The tables that are released, that of persons first.
    pub tables: Vec<TableProfile>,
    /// The tables that are left out.
    pub left_out: Vec<String>,
    /// Different codes of sets.
    pub codes: u64,
    /// Pairs of person and code.
    pub pairs: u64,
    /// The most codes of a person.
    pub largest_set: u64,
    /// Persons who have a code that nobody else has.
    pub alone_by_one: u64,
    /// How many codes somebody may know by the suggested recipe.
    pub m: u8,
}

/// What a table holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TableProfile {
    /// Its name.
    pub table: String,
    /// Its file.
    pub file: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// The most rows of a person.
    pub most_rows: u64,
    /// What becomes of each column, unless a recipe says otherwise.
    pub columns: Vec<FolderColumn>,
}

/// What becomes of a column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FolderColumn {
    /// Its name.
    pub column: String,
    /// Its role.
    pub role: String,
}

/// Profiles a folder of a known shape; `base` is the folder of the recipe whose text is given beside.
///
/// # Errors
/// What reading can give, with table, row and column.
pub fn profile(
    folder: &Path,
    shape: Shape,
    base: &Path,
    context: &Context<'_>,
) -> Result<(FolderProfile, String), JobError> {
    check_shape(folder, shape)?;
    let given = velamen_job::outputs::relative(folder, base);
    let unknown = unknown(folder, shape)?;
    let text = |persons: usize| text(&given, shape, persons) + &unknown;
    // The persons are not counted yet.
    let recipe = LinkedRecipe::parse(&text(0), Path::new("recipe.toml"), base, &Overrides::default())?;
    let (plan, tables) = read(recipe, context)?;
    let items = Items::of(&plan, &tables);
    let sets = first_items(&items, &tables);
    let mut counts = vec![0u32; items.cut.len()];
    sets.items().iter().for_each(|&item| counts[item as usize] += 1);
    let persons = tables[0].number;
    let is_alone = |&person: &usize| sets.of(person).iter().any(|&item| counts[item as usize] == 1);
    let most = |table: usize| {
        let mut of = vec![0u64; persons];
        tables[table].persons.iter().for_each(|&person| of[person as usize] += 1);
        of.into_iter().max().unwrap_or(0)
    };
    let table = |(place, planned): (usize, &PlannedTable)| TableProfile {
        table: planned.name.clone(),
        file: plan.shown_file(planned).to_owned(),
        rows: tables[place].number as u64,
        most_rows: most(place),
        columns: columns(planned),
    };
    let profile = FolderProfile {
        persons: persons as u64,
        tables: plan.tables.iter().enumerate().map(table).collect(),
        left_out: plan.dropped.clone(),
        codes: counts.iter().filter(|count| **count > 0).count() as u64,
        pairs: sets.len() as u64,
        largest_set: (0..persons).map(|person| sets.of(person).len() as u64).max().unwrap_or(0),
        alone_by_one: (0..persons).filter(is_alone).count() as u64,
        m: known_codes(persons),
    };
    Ok((profile, text(persons) + &dangling(&plan, &tables)))
}

/// The tables of a folder. Where keys lead nowhere, they are read without those rows and references: a first recipe is wanted all the
/// same.
fn read(mut recipe: LinkedRecipe, context: &Context<'_>) -> Result<(Plan, Vec<Rows>), JobError> {
    let path = Path::new("recipe.toml");
    let mut plan = Plan::of(&recipe, path, &|| context.check().is_err())?;
    let refused = match load(&mut plan, context) {
        Ok(tables) => return Ok((plan, tables)),
        Err(refused) => refused,
    };
    for table in plan.tables.iter().filter(|table| table.parent.is_some()) {
        recipe.tables.entry(table.name.clone()).or_default().orphans = Orphans::Drop;
    }
    let again = Plan::of(&recipe, path, &|| context.check().is_err())
        .and_then(|mut plan| load(&mut plan, context).map(|tables| (plan, tables)));
    // What else is wrong was refused the first time, too.
    again.map_err(|_| refused)
}

/// What a recipe says of tables whose keys lead nowhere.
fn dangling(plan: &Plan, tables: &[Rows]) -> String {
    let mut text = String::new();
    for (planned, rows) in plan.tables.iter().zip(tables).filter(|(_, rows)| rows.orphans + rows.dangling > 0)
    {
        let name = &planned.name;
        let _ = write!(
            text,
            "\n# {} rows belong to nobody and are left out; {} references lead to no row and are emptied. Mend the keys, if they should not.\n[tables.{name}]\norphans = \"drop\"\n",
            rows.orphans, rows.dangling
        );
    }
    text
}

/// Refuses a folder that is one of another shape by the names of its files.
fn check_shape(folder: &Path, shape: Shape) -> Result<(), JobError> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (looks, option) = match shape_of(&names) {
        Some(Shape::Fhir) if shape != Shape::Fhir => ("FHIR", "fhir"),
        Some(Shape::Omop) if shape != Shape::Omop => ("the OMOP CDM", "omop"),
        Some(Shape::Synthea) if shape != Shape::Synthea => ("Synthea", "synthea"),
        _ => return Ok(()),
    };
    let problem = Problem::new(format!("{}: it looks like {looks}", folder.display()));
    Err(JobError::data(problem.mend(format!("profile it with --as {option}"))))
}

impl FolderColumn {
    fn of(column: &PlannedColumn) -> Self {
        Self { column: column.name.clone(), role: role(&column.used).into() }
    }
}

/// What becomes of the columns of a table.
pub(crate) fn columns(planned: &PlannedTable) -> Vec<FolderColumn> {
    planned.columns.iter().map(FolderColumn::of).collect()
}

const fn known_codes(persons: usize) -> u8 {
    if persons < TWO_CODES { 1 } else { 2 }
}

/// The name of what a column is used for.
const fn role(used: &Use) -> &'static str {
    match used {
        Use::Dropped => "identifier",
        Use::Key => "key",
        Use::Parent | Use::Reference(_) => "reference",
        Use::QuasiIdentifier { .. } => "quasi-identifier",
        Use::Set { .. } => "set",
        Use::MainCode | Use::Code => "code",
        Use::Value { .. } | Use::Band { .. } => "value",
        Use::FirstDate | Use::Date | Use::PeriodEnd => "date",
        Use::Constant(_) => "constant",
        Use::Insensitive => "insensitive",
    }
}

/// The share of persons that may be left out: on small folders what two classes of fewer than k need.
fn limit(persons: usize) -> f64 {
    let needed = (2 * (K - 1)) as f64 / persons.max(1) as f64;
    ((needed * 20.0).ceil() / 20.0).clamp(0.05, 1.0)
}

/// The recipe's text.
fn text(folder: &str, shape: Shape, persons: usize) -> String {
    let shape = match shape {
        Shape::Omop => "omop",
        Shape::Fhir => "fhir",
        Shape::Synthea => "synthea",
        Shape::Tables => "tables",
    };
    let mut text = String::new();
    text.push_str("# A first recipe, suggested by `velamen profile`. Each column of the standard has a role already; name here what is\n# to be otherwise, then run `velamen anonymize` with it.\n");
    let _ = write!(text, "[input]\nfolder = {}\nshape = \"{shape}\"\n", quoted(folder));
    text.push_str("\n[persons]\n# For anybody. With tier = \"agreement\" dates = { shift = 180 } and rounded numbers are allowed; a shift needs [key] and window.\ntier = \"public\"\n");
    // R4 wants the day of an immunization.
    let none = if shape == "fhir" { "" } else { ", or \"none\"" };
    let _ = writeln!(text, "# Or {{ relative = \"month\" }}{none}.\ndates = \"year\"");
    text.push_str("# The k persons of most rows have equally many.\ncounts = \"cap\"\n# The first and the last day that the data are about: declare them, rows outside go.\n# window = [\"2015-01-01\", \"2024-12-31\"]\n");
    text.push_str(match shape {
        "synthea" => OF_SYNTHEA,
        "fhir" => OF_FHIR,
        _ => OF_OMOP,
    });
    let m = known_codes(persons);
    let _ = write!(
        text,
        "\n# Somebody knows the person columns and up to m codes: at least k persons fit, or none.\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = {K}\nm = {m}\n"
    );
    let _ = write!(
        text,
        "\n[method]\nname = \"thin\"\nsuppression-limit = {}\n\n[output]\npath = \"release\"\n",
        limit(persons)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_folders_may_lose_two_classes() {
        assert_eq!([28, 100, 1000].map(limit), [0.3, 0.1, 0.05]);
        assert_eq!([1_000, 200_000].map(known_codes), [1, 2]);
    }
}
