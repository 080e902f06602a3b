//! The part that each column plays.

use serde_json::json;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_recipe::keys::foreign_to;
use velamen_recipe::{AttributeSection, Recipe};

use super::answers::{Answers, Knows, People, Worst, is_private};
use super::declared::{without_domain, without_records};
use super::setting::{Roles, Setting};
use crate::profile::ColumnProfile;

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
        let section = recipe.attributes.get(name);
        all.extend(of_role(name, *role, section, answers));
        all.extend(of_values(name, *role, (section, column), answers.is_private(), is_private(recipe)));
    }
    all.extend(rows(answers, recipe));
    let person = roles.iter().find(|(_, role)| **role == Role::Person).map(|(name, _)| name);
    all.extend(person.and_then(|name| of_person(name, answers, recipe)));
    all
}

/// The edits that give a column a role; what the role cannot have goes.
fn of_role(name: &str, role: Role, section: Option<&AttributeSection>, answers: &Answers) -> Vec<Setting> {
    if section.is_some_and(|section| section.role == role) {
        return Vec::new();
    }
    let mut all = vec![Setting::of_attribute(name, "role", Some(json!(role)))];
    let foreign = if section.is_some() { foreign_to(role) } else { Vec::new() };
    // Where records are invented, a quasi-identifier keeps what was declared of it.
    let foreign = foreign.into_iter().filter(|key| !(answers.is_private() && *key == "domain"));
    all.extend(foreign.map(|key| Setting::of_attribute(name, key, None)));
    if section.is_some_and(|section| section.records_per_person.is_some()) {
        all.push(Setting::of_attribute(name, "records-per-person", None));
    }
    if role == Role::Person {
        all.push(Setting::of_attribute(name, "rows", None));
    }
    all
}

/// The edits of what a column's values are: under a private answer nothing that a record may have decided, else the hierarchy of the
/// profile for a column that becomes coarser.
fn of_values(
    name: &str,
    role: Role,
    (section, column): (Option<&AttributeSection>, Option<&ColumnProfile>),
    will_be_private: bool,
    was_private: bool,
) -> Vec<Setting> {
    if will_be_private {
        return section.map_or_else(Vec::new, |section| without_records(name, section, was_private));
    }
    let mut all = Vec::new();
    if let Some(section) = section.filter(|_| was_private) {
        all.extend(without_domain(name, role, section));
    }
    let is_new = was_private || section.is_none_or(|section| section.role != role);
    let has_none = section.is_none_or(|section| section.hierarchy.is_none());
    if role == Role::QuasiIdentifier && is_new && has_none {
        all.extend(column.map_or_else(Vec::new, |column| of_hierarchy(name, column)));
    }
    all
}

/// The hierarchy that the profile has for a column, and where its group of high values begins.
fn of_hierarchy(name: &str, column: &ColumnProfile) -> Vec<Setting> {
    let Some(definition) = column.suggestion.hierarchy.as_ref().filter(|_| !column.is_identifier()) else {
        return Vec::new();
    };
    let top = column.suggestion.top.map(|top| ("top", json!(top)));
    let keys = [("hierarchy", json!(definition))].into_iter().chain(top);
    keys.map(|(key, value)| Setting::of_attribute(name, key, Some(value))).collect()
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
    let value = match (answers.is_private(), held) {
        (true, None) => Some(json!(1)),
        // It came with the private method.
        (false, Some(_)) if is_private(recipe) => None,
        _ => return None,
    };
    Some(Setting::of_attribute(name, "records-per-person", value))
}
