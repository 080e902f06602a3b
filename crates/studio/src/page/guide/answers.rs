//! The answers as the form and the address of the page write them, each with what it means.

use std::collections::{BTreeMap, BTreeSet};

use velamen_assess::guide::{Answers, Intent, Knows, People, Recipients, Worst, known};
use velamen_assess::profile::ColumnProfile;
use velamen_core::frequency::Role;
use velamen_recipe::{JobError, Recipe};
use velamen_report::language::mark;

use crate::form::Form;

/// An answer to a question.
pub(super) struct Answer<T> {
    /// What the form writes.
    pub(super) word: &'static str,
    pub(super) value: T,
    /// What is clicked.
    pub(super) label: &'static str,
    /// What it means.
    pub(super) meaning: &'static str,
}

/// The strictest of them, which counts while nothing is answered.
pub(super) fn strictest<T: Default + PartialEq>(answers: &[Answer<T>]) -> &'static str {
    answers.iter().find(|answer| answer.value == T::default()).map_or("", |answer| answer.label)
}

const fn answer<T>(word: &'static str, value: T, label: &'static str, meaning: &'static str) -> Answer<T> {
    Answer { word, value, label, meaning }
}

pub(super) const RECIPIENTS: [Answer<Recipients>; 3] = [
    answer(
        "anyone",
        Recipients::Anyone,
        mark("Anyone"),
        mark("Open data, a website, an appendix of a paper. Nobody can be held to a rule."),
    ),
    answer(
        "contract",
        Recipients::Contract,
        mark("Named researchers under a contract"),
        mark("They sign that they look for nobody and pass nothing on."),
    ),
    answer(
        "house",
        Recipients::House,
        mark("Colleagues in the same house"),
        mark("They are bound by the same rules as you are."),
    ),
];

pub(super) const INTENTS: [Answer<Intent>; 3] = [
    answer(
        "groups",
        Intent::Groups,
        mark("Counts and means of groups"),
        mark("How many, how often, how long on average: by age, by place, by year."),
    ),
    answer(
        "models",
        Intent::Models,
        mark("Models with many columns"),
        mark("Regressions, classifiers, or anything that looks at many columns together."),
    ),
    answer(
        "shape",
        Intent::Shape,
        mark("Only to show what the table looks like"),
        mark("For teaching, to test a program, or to prepare an application for the data."),
    ),
];

pub(super) const WORST: [Answer<Worst>; 3] = [
    answer(
        "found",
        Worst::Found,
        mark("That somebody finds a person's row"),
        mark("Each row then looks like the rows of several others."),
    ),
    answer(
        "secret",
        Worst::Secret,
        mark("That a secret of a person becomes known, such as a diagnosis"),
        mark(
            "Rows that look alike then differ in the secret, too, so that it does not follow from finding the group.",
        ),
    ),
    answer(
        "anything",
        Worst::Anything,
        mark("That anything at all can be learned of one person"),
        mark(
            "Even whether the person is in the table. Chance is added by a differentially private method. It needs lists of all \
         possible values that were not read from the table, and keeps least detail.",
        ),
    ),
];

pub(super) const KNOWS: [Answer<Knows>; 3] = [
    answer("names", Knows::Names, mark("It names a person: leave it out"), ""),
    answer("others", Knows::Others, mark("Others may know it: make it coarser"), ""),
    answer("house", Knows::House, mark("Only we know it"), ""),
];

/// The words of the question whose rows are a person's.
pub(super) const EACH_ROW: &str = "each";
pub(super) const COLUMN: &str = "column";
pub(super) const UNKNOWN: &str = "unknown";

/// The fields of the form.
pub(super) const POSTED: &str = "posted";
pub(super) const PERSON: &str = "person";
pub(super) const SECRET: &str = "secret";

/// The field of who may know a column.
pub(super) fn field_of(column: &str) -> String {
    format!("knows.{column}")
}

/// The value of the answer that was given.
pub(super) fn given<T: Copy>(answers: &[Answer<T>], word: &str) -> Option<T> {
    answers.iter().find(|answer| answer.word == word).map(|answer| answer.value)
}

/// The names of all columns: those of the table, then those that follow from others.
pub(super) fn names(recipe: &Recipe, columns: &[ColumnProfile]) -> Vec<String> {
    let profiled: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let derived = recipe.attributes.keys().filter(|name| !profiled.contains(name)).cloned();
    let derived: Vec<String> = derived.collect();
    profiled.into_iter().chain(derived).collect()
}

/// Who may know each column: as the form says it, else as the recipe's roles do.
pub(super) fn knows(form: &Form, recipe: &Recipe, columns: &[ColumnProfile]) -> BTreeMap<String, Knows> {
    if form.text(POSTED).is_empty() {
        return known(recipe, columns);
    }
    let of = |name: String| Some((name.clone(), given(&KNOWS, form.text(&field_of(&name)))?));
    names(recipe, columns).into_iter().filter_map(of).collect()
}

/// The columns that hold the secrets.
pub(super) fn secrets(form: &Form, recipe: &Recipe) -> BTreeSet<String> {
    if !form.text(POSTED).is_empty() {
        return form.all(SECRET).map(str::to_owned).collect();
    }
    of_role(recipe, Role::Sensitive).map(str::to_owned).collect()
}

/// The column that says whose a row is; empty where none is named.
pub(super) fn person<'a>(form: &'a Form, recipe: &'a Recipe) -> &'a str {
    match form.text(POSTED) {
        "" => of_role(recipe, Role::Person).next().unwrap_or_default(),
        _ => form.text(PERSON),
    }
}

pub(super) fn of_role(recipe: &Recipe, role: Role) -> impl Iterator<Item = &str> {
    recipe.attributes.iter().filter(move |(_, section)| section.role == role).map(|(name, _)| name.as_str())
}

/// The answers of a form, or of an address beside the recipe.
///
/// # Errors
/// [`JobError::usage`] if a question has an answer that it does not offer.
pub(super) fn answers(form: &Form, recipe: &Recipe, columns: &[ColumnProfile]) -> Result<Answers, JobError> {
    let people = match form.text("rows") {
        EACH_ROW => Some(People::EachRow),
        COLUMN => Some(People::Column(person(form, recipe).to_owned())),
        UNKNOWN => Some(People::Unknown),
        other => unanswered(other)?,
    };
    Ok(Answers {
        recipients: of_question(&RECIPIENTS, form.text("who"))?,
        intent: of_question(&INTENTS, form.text("use"))?,
        knows: knows(form, recipe, columns),
        people,
        worst: of_question(&WORST, form.text("worst"))?,
        secrets: secrets(form, recipe),
    })
}

fn of_question<T: Copy>(answers: &[Answer<T>], word: &str) -> Result<Option<T>, JobError> {
    given(answers, word).map_or_else(|| unanswered(word), |value| Ok(Some(value)))
}

/// No answer; another word than those that are offered is refused.
fn unanswered<T>(word: &str) -> Result<Option<T>, JobError> {
    if word.is_empty() {
        return Ok(None);
    }
    Err(JobError::usage("an answer that the question does not offer").mend("answer the questions once more"))
}
