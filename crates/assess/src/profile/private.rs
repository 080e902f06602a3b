//! A first recipe for invented records with differential privacy, from names and answers alone.
//!
//! A domain, a role or a budget that depended on a cell would say something of a record that no budget pays for. So no record is
//! read: the header names the columns, the person who asks declares the rest, and what nobody has declared stands in the recipe
//! as a task. Two tables with the same header give the same recipe, byte by byte.

mod answers;
mod text;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_engine::Outside;
use velamen_engine::source::ReadOptions;
use velamen_measure::profile::header;
use velamen_measure::profile::identifier::Identifier;
use velamen_recipe::{JobError, Overrides, Recipe};

pub use self::answers::Answers;
use self::answers::Domain;
pub(crate) use self::text::{DomainForm, domain_of};
use super::{Candidates, Profile, ProfileRequest, recipe};

/// What a recipe for invented records declares, and what remains to be declared.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PrivateRecipe {
    /// The columns, in the order of the file.
    pub columns: Vec<DeclaredColumn>,
    /// What nobody has declared yet: columns without a domain, `epsilon` and the like.
    pub undeclared: Vec<String>,
    /// Lines of TOML to paste and correct, for what is undeclared.
    pub lines: String,
}

/// A column as its name and the answers have it.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DeclaredColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Whether nothing of it remains to be declared.
    pub declared: bool,
    /// Where the role comes from.
    pub why: String,
    /// Its domain, if somebody declared one.
    #[serde(skip)]
    domain: Option<Domain>,
}

/// Names the columns of a table, and writes a recipe if one is asked for. No record is read.
///
/// # Errors
/// [`JobError::usage`] where an answer is about no column, or the table's records name its columns; what opening a table can
/// give; [`JobError::io`] if the recipe exists already or cannot be written.
pub fn private(request: &ProfileRequest, answers: &Answers) -> Result<Profile, JobError> {
    if let Some(target) = &request.recipe {
        recipe::refuse_existing(target, request)?;
    }
    let read = ReadOptions { outside: Outside::Apart, ..request.read.clone() };
    let input = request.table.open(&read)?;
    if input.format.is_keyed() {
        let problem =
            Problem::new("--private: the records of this format name its columns, and none is read")
                .mend("convert the table to a format with a header, such as CSV");
        return Err(JobError::usage(problem));
    }
    let columns = columns(&input.columns, answers)?;
    let folder = request.recipe.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let drafted = text::Draft { columns: &columns, answers, folder, request };
    let (undeclared, lines) = (drafted.undeclared(), drafted.lines());
    if undeclared.is_empty() {
        refuse_wrong(&drafted.recipe()?, folder)?;
    }
    if let Some(target) = &request.recipe {
        recipe::write(target, &drafted.recipe()?)?;
    }
    Ok(Profile {
        records: 0,
        sampled: None,
        counts_people: answers.person.is_some(),
        notes: drafted.notes(),
        columns: Vec::new(),
        candidates: Candidates::none(request.threshold),
        recipe: request.recipe.clone(),
        folder: None,
        private: Some(PrivateRecipe { columns, undeclared, lines }),
    })
}

/// Answers that make no recipe are refused before it is written.
fn refuse_wrong(recipe: &str, folder: &Path) -> Result<(), JobError> {
    let read = Recipe::parse(recipe, Path::new("the recipe"), folder, &Overrides::default());
    let wrong =
        |error: JobError| JobError::usage(Problem::new(format!("the answers make no recipe: {error}")));
    read.and_then(|recipe| recipe.resolve()).map(drop).map_err(wrong)
}

/// Each column by its name and the answers.
fn columns(names: &[String], answers: &Answers) -> Result<Vec<DeclaredColumn>, JobError> {
    let domains = answers.domains()?;
    let asked = domains.keys().chain(&answers.drop).chain(&answers.person).chain(&answers.missing);
    for name in asked {
        if !names.contains(name) {
            let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let problem = Problem::new(format!("`{name}` is no column of the table")).naming(name);
            return Err(JobError::usage(problem.expected(known.join(", "))));
        }
    }
    Ok(names.iter().map(|name| column(name, domains.get(name).cloned(), answers)).collect())
}

fn column(name: &String, domain: Option<Domain>, answers: &Answers) -> DeclaredColumn {
    let (role, why) = role(name, domain.is_some(), answers);
    let declared = match role {
        Role::QuasiIdentifier => domain.is_some(),
        Role::Person => answers.records_per_person.is_some(),
        _ => true,
    };
    DeclaredColumn { name: name.clone(), role, declared, why, domain }
}

/// A column's role: what was answered, else what its name promises.
fn role(name: &String, has_domain: bool, answers: &Answers) -> (Role, String) {
    if answers.person.as_ref() == Some(name) {
        return (Role::Person, "numbers the people, as was answered".into());
    }
    if answers.drop.contains(name) {
        return (Role::Identifier, "is dropped, as was answered".into());
    }
    if has_domain {
        return (Role::QuasiIdentifier, "has a domain, as was answered".into());
    }
    match header::identifier(name) {
        // Of a date or a place a year or a region can be released.
        Some((Identifier::Date | Identifier::Geographic, _)) | None => {
            (Role::QuasiIdentifier, "is to be released".into())
        }
        Some((identifier, phrase)) => {
            let letter = identifier.letter();
            (Role::Identifier, format!("({letter}) is dropped: \"{phrase}\" is a name of direct identifiers"))
        }
    }
}
