//! Which columns of a table are what, where a recipe or the request says so.

use velamen_core::frequency::Role;
use velamen_engine::Outside;
use velamen_engine::source::ReadOptions;
use velamen_recipe::{JobError, Origin, Overrides, Resolved};

use super::recipe::TheRecipe;
use super::table::{Call, Reading};

/// What a request says of a table's columns, and its recipe of those that the request leaves out.
#[derive(Debug, Default)]
pub(super) struct NamedColumns {
    /// The quasi-identifiers.
    pub(super) qis: Vec<String>,
    /// The sensitive attributes.
    pub(super) sensitive: Vec<String>,
    /// The column that says whose the records are.
    pub(super) person: Option<String>,
    /// How the table is read.
    pub(super) read: ReadOptions,
}

impl NamedColumns {
    /// With what the recipe of the table says. A release names its columns itself: there only the person is the recipe's.
    ///
    /// # Errors
    /// [`JobError::recipe`] if the recipe is wrong, [`JobError::usage`] if both say how the table is read, or the recipe does
    /// not say which pseudonym is that of people.
    pub(super) fn with(
        mut self,
        (recipe, table): (Option<&TheRecipe>, &Origin),
        (reading, show_values): (&Reading, bool),
        call: &Call<'_>,
    ) -> Result<Self, JobError> {
        let read = call.reading(reading, show_values)?;
        let Some(recipe) = recipe else { return Ok(Self { read, ..self }) };
        if *reading != Reading::default() {
            return Err(JobError::usage("--recipe says how the table is read")
                .mend("leave out the other options of reading, or leave out --recipe and name the columns"));
        }
        let is_release = table.folder().is_some();
        let resolved = recipe.resolved(Some(table).filter(|_| !is_release), &Overrides::default())?;
        if self.person.is_none() {
            self.person = person_of(&resolved)?;
        }
        if !is_release {
            fill(&mut self.qis, &resolved, Role::QuasiIdentifier);
            fill(&mut self.sensitive, &resolved, Role::Sensitive);
        }
        let show_values = read.show_values;
        let read =
            ReadOptions { show_values, outside: Outside::default(), refuse_mark: false, ..resolved.read };
        Ok(Self { read, ..self })
    }
}

/// The recipe's columns of a role, where none is named.
fn fill(names: &mut Vec<String>, recipe: &Resolved, role: Role) {
    if names.is_empty() {
        let of_role = recipe.attributes.iter().filter(|attribute| attribute.role == role);
        names.extend(of_role.map(|attribute| attribute.name.clone()));
    }
}

/// The column by which a run of the recipe counts people: the person, or what becomes a pseudonym.
fn person_of(recipe: &Resolved) -> Result<Option<String>, JobError> {
    let person = recipe.attributes.iter().find(|attribute| attribute.role == Role::Person);
    let pseudonyms = recipe.identities.pseudonyms.iter().map(|(name, _)| name);
    let mut dependent = pseudonyms.filter(|name| !recipe.independent.contains(name));
    match (person, dependent.next(), dependent.next()) {
        (Some(person), ..) => Ok(Some(person.name.clone())),
        (None, Some(_), Some(_)) => Err(JobError::usage("--recipe: several columns become pseudonyms")
            .mend("name the one that says whose the records are with --person")),
        (None, one, _) => Ok(one.cloned()),
    }
}
