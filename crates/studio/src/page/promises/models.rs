//! Privacy models: those that the recipe names, and one more.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_core::frequency::Role;
use velamen_recipe::{JobError, PrivacySection, Recipe};
use velamen_report::in_people::of_people;
use velamen_report::language::{of_below, say, t};
use velamen_search::model;

use super::cost::{Cost, cost};
use super::{PAGE, Schemas, answered, has_fields, settled};
use crate::App;
use crate::cost::figures;
use crate::edit::{Edit, at, edited};
use crate::form::Form;
use crate::page::{show, with_project};
use crate::project::Project;
use crate::schema::{Field, Shape, differences, prose_text, table};

/// What a model means for a person in the data.
fn meaning(name: &str, parameters: &Map<String, Json>) -> String {
    velamen_report::meaning(name, &Json::from(parameters.clone()))
}

/// Whether a model counts people here, who can have several records.
fn counts_people(recipe: &Recipe, entry: Option<&model::Entry>) -> bool {
    let has_persons = recipe.attributes.values().any(|section| section.role == Role::Person);
    has_persons && entry.is_some_and(|entry| entry.terms.facts.counts_persons)
}

fn sentence(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs.next().map(|sign| sign.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", signs.as_str())
}

pub(super) fn card(
    number: usize,
    section: &PrivacySection,
    schemas: &Schemas,
    recipe: &Recipe,
    asked: &Form,
    own_cost: Option<Cost<'_>>,
) -> Markup {
    let entry = model::find(&section.model);
    let typed = Some(asked).filter(|form| form.text("number") == number.to_string());
    let meaning = meaning(&section.model, &section.parameters);
    let meaning = if counts_people(recipe, entry) { of_people(&meaning) } else { &meaning };
    let heading = format!("model-{number}");
    html! {
        article.card aria-labelledby=(heading) {
            h3 id=(heading) { (section.model) }
            p { (sentence(&of_below(meaning))) }
            form.fields hx-post="promises/set" hx-trigger="change, submit" {
                input type="hidden" name="number" value=(number);
                input type="hidden" name="of" value=(section.model);
                (own_fields(&format!("m{number}"), &schemas.model(&section.model, recipe), &section.parameters, typed))
            }
            dl.promise {
                @if let Some(own_cost) = &own_cost { dt { (t("What it costs here")) } dd { (cost(own_cost)) } }
                @if let Some(entry) = entry { dt { (t("What it does not protect from")) } dd { (t(entry.terms.limits)) } }
            }
            button id={ "remove-" (number) } type="button" hx-post="promises/remove" hx-vals=(json!({ "number": number.to_string(), "of": section.model })) {
                (t("Remove")) span.hidden { " " (section.model) }
            }
        }
    }
}

/// The fields of a model; choices of some quasi-identifiers, which few releases need, are folded.
fn own_fields(prefix: &str, fields: &[Field], values: &Map<String, Json>, typed: Option<&Form>) -> Markup {
    let is_rare = |field: &&Field| matches!(field.shape, Shape::Several(_));
    let view = |field: &Field| field.view(prefix, values.get(&field.key), typed);
    let is_used = |field: &Field| {
        values.contains_key(&field.key)
            || typed.is_some_and(|form| form.fields().any(|(name, _)| name == format!("f.{}", field.key)))
    };
    html! {
        @for field in fields.iter().filter(|field| !is_rare(field)) { (view(field)) }
        @for field in fields.iter().filter(is_rare) {
            details.field id={ (prefix) "-" (field.key) "-more" } open[is_used(field)] {
                summary { (say!("Limit it to some {}", field.key)) }
                (view(field))
            }
        }
    }
}

/// One more model: chosen, filled in, weighed, added.
pub(super) fn adding(
    app: &App,
    project: &Project,
    recipe: &Recipe,
    schemas: &Schemas,
    asked: &Form,
) -> Markup {
    let chosen = model::find(asked.text("model")).or_else(|| model::find(asked.text("part")));
    let typed = Some(asked).filter(|form| has_fields(form));
    let is_tried = asked.text("tried") == "yes";
    html! {
        section aria-labelledby="add-heading" {
            h2 #add-heading { (t("Add a promise")) }
            // What is being filled in stays when the page is asked for again.
            form #add-form.panel hx-post="promises/add" hx-preserve[asked.text("posted").is_empty()] {
                div.field {
                    label for="model" { (t("Model")) }
                    select #model name="model" hx-post="promises/choose" hx-trigger="change delay:300ms" {
                        option value="" { (t("choose a model")) }
                        @for entry in model::REGISTRY.iter() {
                            option value=(entry.terms.name) selected[chosen.is_some_and(|chosen| chosen.terms.name == entry.terms.name)] {
                                (entry.terms.name) ": " (prose_text(t(entry.terms.summary)))
                            }
                        }
                    }
                }
                @if let Some(entry) = chosen {
                    @let meaning = meaning(entry.terms.name, &Map::new());
                    @let meaning = if counts_people(recipe, chosen) { of_people(&meaning) } else { &meaning };
                    p { (sentence(&of_below(meaning))) }
                    @if entry.terms.facts.sensitive && !recipe.attributes.values().any(|section| section.role == Role::Sensitive) {
                        p.care { (say!("It needs a sensitive attribute, and no column has that role. {}.", html! { a href="attributes" { (t("Set it first")) } })) }
                    }
                    div.fields {
                        (own_fields("new", &schemas.model(entry.terms.name, recipe), &Map::new(), typed))
                    }
                    dl.promise {
                        @if is_tried { dt { (t("What it would cost here")) } (tried(app, project, schemas, recipe, asked)) }
                        dt { (t("What it does not protect from")) } dd { (t(entry.terms.limits)) }
                    }
                    div.bar {
                        button #add.main type="submit" { (say!("Add {}", entry.terms.name)) }
                        button #try type="button" hx-post="promises/try" hx-include="#add-form" { (t("What would it cost here?")) }
                    }
                }
            }
        }
    }
}

/// The costs of a model that is filled in and not added.
fn tried(app: &App, project: &Project, schemas: &Schemas, recipe: &Recipe, asked: &Form) -> Markup {
    let text = filled_in(schemas, recipe, asked).and_then(|model| edited(project.text(), &[push(model)]));
    let text = match text {
        Err(error) => return html! { dd #tried role="status" { (error.to_string()) } },
        Ok(text) => text,
    };
    let figures = figures(app, project, &[text, project.text().to_owned()], true).figures;
    let only = recipe.privacy.is_empty() && recipe.preset.is_none();
    let less = figures[1].as_ref().filter(|_| !only);
    // The form is kept as it is when the page comes again: this part asks for itself.
    let waits = (figures[0].is_none() || (figures[1].is_none() && !only)).then_some("promises/try");
    html! {
        dd #tried role="status" hx-post=[waits] hx-trigger=[waits.map(|_| "load delay:500ms")] hx-target="#tried" hx-select="#tried" {
            (cost(&Cost { more: figures[0].as_ref(), less, only, is_left: false, is_told: false }))
        }
    }
}

/// The table of a model that a form says.
fn filled_in(schemas: &Schemas, recipe: &Recipe, form: &Form) -> Result<Map<String, Json>, JobError> {
    let name = form.text("model");
    let entry = model::find(name).ok_or_else(|| JobError::usage("no model").mend("choose one"))?;
    let own = table(&schemas.model(name, recipe), form)
        .map_err(|problem| JobError::usage(problem.after(&format!("{name}: "))))?;
    checked(entry, &own)?;
    // Its name stands first.
    let mut all = Map::from_iter([("model".to_owned(), name.into())]);
    all.extend(own);
    Ok(all)
}

/// Refuses parameters that the model refuses.
fn checked(entry: &model::Entry, own: &Map<String, Json>) -> Result<(), JobError> {
    let is_its = |key: &str| !["model", "attribute", "attributes"].contains(&key);
    let parameters: Map<String, Json> =
        own.iter().filter(|(key, _)| is_its(key)).map(|(key, value)| (key.clone(), value.clone())).collect();
    (entry.parse)(parameters.into()).map(|_| ()).map_err(|error| JobError::usage(error.to_string()))
}

fn push(model: Map<String, Json>) -> Edit {
    Edit::Push(at(["privacy"]), model.into())
}

/// The model that a form is about; not the one that came to its place in another window.
fn asked_for<'r>(recipe: &'r Recipe, form: &Form) -> Result<(usize, &'r PrivacySection), JobError> {
    let number = form.text("number").parse().map_err(|_| JobError::usage("which model?"))?;
    let is_meant = |section: &&PrivacySection| ["", section.model.as_str()].contains(&form.text("of"));
    let section = recipe.privacy.get(number).filter(is_meant);
    let gone = || JobError::usage("there is no such model any more: the promises changed meanwhile");
    section.map(|section| (number, section)).ok_or_else(gone)
}

pub(super) async fn set(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let recipe = project.recipe()?;
        let (number, section) = asked_for(&recipe, &form)?;
        let entry = model::find(&section.model).ok_or_else(|| JobError::usage("the model is not known"))?;
        let own: Vec<Field> = Schemas::new()
            .model(&section.model, &recipe)
            .into_iter()
            .filter(|field| field.key != "model")
            .collect();
        let after = table(&own, &form)
            .map_err(|problem| JobError::usage(problem.after(&format!("{}: ", section.model))))?;
        checked(entry, &after)?;
        Ok(differences(&[String::from("privacy"), number.to_string()], &own, &section.parameters, &after))
    });
    answered(&app, &Form::default(), &form, edits).await
}

pub(super) async fn remove(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let recipe = project.recipe()?;
        let (number, _) = asked_for(&recipe, &form)?;
        Ok(vec![Edit::Remove(vec!["privacy".to_owned(), number.to_string()])])
    });
    answered(&app, &Form::default(), &form, edits).await
}

pub(super) async fn choose(State(app): State<App>, form: Form) -> Response {
    let model = form.text("model");
    show(&app, &PAGE, &Form::with(&[("model", model), ("part", model), ("posted", "yes")]))
}

pub(super) async fn weigh(State(app): State<App>, form: Form) -> Response {
    let mut asked = form;
    asked.add("tried", "yes");
    asked.add("posted", "yes");
    let first = show(&app, &PAGE, &asked);
    settled(&app, &asked, first).await
}

pub(super) async fn add(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let recipe = project.recipe()?;
        Ok(vec![push(filled_in(&Schemas::new(), &recipe, &form)?)])
    });
    answered(&app, &Form::with(&[("posted", "yes")]), &form, edits).await
}
