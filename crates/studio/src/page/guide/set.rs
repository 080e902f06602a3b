//! What the answers set, question by question.

use maud::{Markup, html};
use serde_json::Value;
use velamen_assess::guide::{Kind, Plan};
use velamen_core::frequency::Role;
use velamen_recipe::Recipe;
use velamen_report::language::{mark, say, t};
use velamen_report::number;

use super::answers::{Answer, COLUMN, EACH_ROW, INTENTS, RECIPIENTS, UNKNOWN, WORST, of_role, strictest};
use super::shown::title;
use crate::form::Form;

pub(super) fn section(recipe: &Recipe, plan: &Plan, asked: &Form) -> Markup {
    html! {
        section #set aria-labelledby="set-heading" {
            h2 #set-heading { (t("What your answers set")) }
            dl.promise {
                dt { (t("1. Who gets it")) } dd { (label(&RECIPIENTS, asked.text("who"))) }
                dt { (t("2. What it is for")) }
                dd { (label(&INTENTS, asked.text("use"))) " " (say!("It begins with {}.", html! { strong { (t(usual(plan))) } })) }
                dt { (t("3. What others may know")) } dd { (roles(recipe)) }
                dt { (t("4. Who is in it more than once")) } dd { (rows(recipe, asked.text("rows"))) }
                dt { (t("5. What would be the worst")) } dd { (label(&WORST, asked.text("worst"))) (protected(plan)) }
            }
        }
    }
}

/// The answer in its own words, or the strictest in its place.
fn label<T: Default + PartialEq>(answers: &[Answer<T>], word: &str) -> Markup {
    match answers.iter().find(|answer| answer.word == word) {
        Some(answer) => html! { (t(answer.label)) "." },
        None => html! { (not_answered()) (t(strictest(answers))) "." },
    }
}

fn not_answered() -> Markup {
    html! { span.mark { (t("not answered")) } " " (t("The strictest counts:")) " " }
}

fn usual(plan: &Plan) -> &'static str {
    let release = &plan.releases[plan.usual];
    title(release.kind)
}

/// What becomes of the columns, as the recipe has it.
fn roles(recipe: &Recipe) -> Markup {
    let all = [
        (Role::QuasiIdentifier, mark("Made coarser: ")),
        (Role::Sensitive, mark("Secret: ")),
        (Role::Insensitive, mark("Released as they are: ")),
        (Role::Identifier, mark("Left out: ")),
    ];
    html! {
        ul {
            @for (role, words) in all {
                @let names: Vec<&str> = of_role(recipe, role).collect();
                @if !names.is_empty() { li { (t(words)) (names.join(", ")) } }
            }
        }
    }
}

fn rows(recipe: &Recipe, word: &str) -> Markup {
    let person = of_role(recipe, Role::Person).next();
    html! {
        @if ![EACH_ROW, COLUMN, UNKNOWN].contains(&word) { (not_answered()) (t("it is not known.")) " " }
        @match person {
            Some(name) => (say!("People are counted by {}, which is left out.", html! { code { (name) } })),
            None if word == EACH_ROW => (t("Each row is another person.")),
            None => (t("A run refuses the table if it finds signs that a person has several rows.")),
        }
    }
}

/// The models that the release begins with.
fn protected(plan: &Plan) -> Markup {
    let release = &plan.releases[plan.usual];
    let is_private = matches!(release.kind, Kind::Invented | Kind::InventedFast | Kind::Sample);
    html! {
        @if is_private { " " (t("A differentially private method is used.")) }
        @else if !plan.protected.is_empty() { " " (say!("Kept secret: {}.", plan.protected.join(", "))) }
        " " (t("That asks for:"))
        ul { @for model in &release.models { li { (in_words(model)) } } }
    }
}

/// A model with what it asks for: `k-anonymity: k = 5`.
fn in_words(model: &Value) -> Markup {
    let entries = model.as_object().into_iter().flatten();
    let own = entries.filter(|(key, _)| *key != "model");
    let own: Vec<String> = own.map(|(key, value)| format!("{key} = {}", figure(value))).collect();
    html! { code { (figure(&model["model"])) } @if !own.is_empty() { ": " (own.join(", ")) } }
}

/// A name as it is, a number as readers write it.
fn figure(value: &Value) -> String {
    value.as_str().map_or_else(|| number::written(&value.to_string()), str::to_owned)
}
