//! The part that each column plays.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_recipe::keys::foreign_to;
use velamen_recipe::{AttributeSection, Recipe};

use super::answers::{Answers, Knows, People, Worst, is_private};
use crate::profile::ColumnProfile;

/// A key of the recipe, and what it is set to; nothing takes it out.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The keys that lead to it.
    pub place: Vec<String>,
    /// Its value.
    pub value: Option<Value>,
}

impl Setting {
    fn of_attribute(name: &str, key: &str, value: Option<Value>) -> Self {
        Self { place: ["attributes", name, key].map(str::to_owned).to_vec(), value }
    }
}

/// A role for each column.
pub(super) type Roles = BTreeMap<String, Role>;

/// The columns that the table or the recipe has.
fn names(recipe: &Recipe, columns: &[ColumnProfile]) -> Vec<String> {
    let profiled = columns.iter().map(|column| column.name.clone());
    recipe.attributes.keys().cloned().chain(profiled).collect()
}

pub(super) fn roles(answers: &Answers, recipe: &Recipe, columns: &[ColumnProfile]) -> Result<Roles, Problem> {
    let roles: Roles = names(recipe, columns)
        .into_iter()
        .map(|name| (name.clone(), role(&name, answers, recipe.attributes.get(&name))))
        .collect();
    if let Some(People::Column(name)) = &answers.people
        && !roles.contains_key(name)
    {
        return Err(Problem::new("which column says whose row it is was not answered")
            .mend("choose the column under question 4"));
    }
    if !roles.values().any(|role| *role == Role::QuasiIdentifier) {
        return Err(Problem::new("no column is one that others may know")
            .mend("choose at least one under question 3, such as age or sex"));
    }
    Ok(roles)
}

fn role(name: &str, answers: &Answers, section: Option<&AttributeSection>) -> Role {
    let current = section.map(|section| section.role);
    match &answers.people {
        Some(People::Column(person)) if person == name => return Role::Person,
        // What the profile found counts people: more than nothing.
        None | Some(People::Unknown) if current == Some(Role::Person) => return Role::Person,
        _ => {}
    }
    match answers.knows.get(name).copied().unwrap_or_default() {
        Knows::Names => Role::Identifier,
        Knows::Others => Role::QuasiIdentifier,
        Knows::House => of_house(name, answers, current),
    }
}

/// The role of a column that nobody outside the house knows.
fn of_house(name: &str, answers: &Answers, current: Option<Role>) -> Role {
    match answers.worst.unwrap_or_default() {
        // A private method invents or draws records of all columns together.
        Worst::Anything => Role::QuasiIdentifier,
        Worst::Secret if answers.secrets.is_empty() || answers.secrets.contains(name) => Role::Sensitive,
        Worst::Secret => Role::Insensitive,
        Worst::Found if current == Some(Role::Insensitive) => Role::Insensitive,
        Worst::Found => Role::Sensitive,
    }
}

/// The sensitive columns that get a model.
pub(super) fn protected(roles: &Roles, answers: &Answers) -> Vec<String> {
    let is_asked = answers.worst == Some(Worst::Secret);
    let sensitive = roles.iter().filter(|(_, role)| is_asked && **role == Role::Sensitive);
    sensitive.map(|(name, _)| name.clone()).collect()
}

/// What the recipe has to say for these roles, as far as it does not.
pub(super) fn settings(
    roles: &Roles,
    answers: &Answers,
    recipe: &Recipe,
    columns: &[ColumnProfile],
) -> Vec<Setting> {
    let mut all = Vec::new();
    for (name, role) in roles {
        let column = columns.iter().find(|column| column.name == *name);
        all.extend(of_role(name, *role, recipe.attributes.get(name), column));
    }
    all.extend(rows(answers, recipe));
    let person = roles.iter().find(|(_, role)| **role == Role::Person).map(|(name, _)| name);
    all.extend(person.and_then(|name| of_person(name, answers, recipe)));
    all
}

/// The edits that give a column a role; what the role cannot have goes.
fn of_role(
    name: &str,
    role: Role,
    section: Option<&AttributeSection>,
    column: Option<&ColumnProfile>,
) -> Vec<Setting> {
    if section.is_some_and(|section| section.role == role) {
        return Vec::new();
    }
    let mut all = vec![Setting::of_attribute(name, "role", Some(json!(role)))];
    let foreign = if section.is_some() { foreign_to(role) } else { Vec::new() };
    all.extend(foreign.into_iter().map(|key| Setting::of_attribute(name, key, None)));
    if section.is_some_and(|section| section.records_per_person.is_some()) {
        all.push(Setting::of_attribute(name, "records-per-person", None));
    }
    if role == Role::Person {
        all.push(Setting::of_attribute(name, "rows", None));
    }
    if role == Role::QuasiIdentifier && section.is_none_or(|section| section.hierarchy.is_none()) {
        all.extend(column.and_then(|column| of_hierarchy(name, column)));
    }
    all
}

/// The hierarchy that the profile has for a column.
fn of_hierarchy(name: &str, column: &ColumnProfile) -> Option<Setting> {
    let definition = column.suggestion.hierarchy.as_ref().filter(|_| !column.is_identifier())?;
    let written = serde_json::to_value(definition).ok()?;
    Some(Setting::of_attribute(name, "hierarchy", Some(written)))
}

/// Whether each row is of another person.
fn rows(answers: &Answers, recipe: &Recipe) -> Option<Setting> {
    let wanted = answers.people == Some(People::EachRow);
    let value = wanted.then(|| json!("independent"));
    let place = ["input", "rows"].map(str::to_owned).to_vec();
    (recipe.input.rows.is_some() != wanted).then_some(Setting { place, value })
}

/// How many records of a person a private method counts: one where nothing else is said.
fn of_person(name: &str, answers: &Answers, recipe: &Recipe) -> Option<Setting> {
    let held = recipe.attributes.get(name).and_then(|section| section.records_per_person);
    let will_be_private = answers.worst.unwrap_or_default() == Worst::Anything;
    let value = match (will_be_private, held) {
        (true, None) => Some(json!(1)),
        // It came with the private method.
        (false, Some(_)) if is_private(recipe) => None,
        _ => return None,
    };
    Some(Setting::of_attribute(name, "records-per-person", value))
}
