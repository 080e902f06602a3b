//! The method and its keys.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_recipe::{JobError, Recipe};
use velamen_report::language::{say, t};
use velamen_search::method;

use super::{Schemas, answered, has_fields};
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::page::methods::MethodChoice;
use crate::page::with_project;
use crate::schema::{Field, Shape, differences, table};

/// The entry that a method section names.
pub(super) fn named(recipe: &Recipe) -> Option<&'static method::Entry> {
    method::find(&recipe.method.keys).ok().map(|(entry, _)| entry)
}

/// What the section holds, the seed among it.
fn section(recipe: &Recipe) -> Map<String, Json> {
    let mut keys = recipe.method.keys.clone();
    if let Some(seed) = &recipe.method.seed {
        keys.insert("seed".to_owned(), json!(seed));
    }
    keys
}

pub(super) fn method_section(recipe: &Recipe, schemas: &Schemas, asked: &Form) -> Markup {
    let entry = named(recipe);
    let keys = section(recipe);
    let is_open = asked.text("of") == "method";
    let typed = Some(asked).filter(|form| is_open && has_fields(form));
    let chosen = entry.map_or("", |entry| entry.name);
    let choice = MethodChoice {
        chosen,
        post: "promises/method",
        field: "method",
        trigger: "change delay:300ms",
        vals: None,
        offers: |_| true,
    };
    html! {
        section aria-labelledby="method-heading" {
            h2 #method-heading { (t("Method")) }
            div.panel {
                (choice.view(t("How the release is found")))
                @if let Some(entry) = entry {
                    p { (t((entry.words)(&keys))) }
                    details #keys open[is_open] {
                        summary { (say!("Keys of {}", entry.name)) }
                        form.fields hx-post="promises/keys" hx-trigger="change, submit" {
                            input type="hidden" name="of" value="method";
                            @for field in schemas.method(entry) { (field.view("k", keys.get(&field.key), typed)) }
                        }
                    }
                }
            }
        }
    }
}

/// Another method; keys that it does not know go.
pub(super) async fn of_method(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let recipe = project.recipe()?;
        let name = form.text("method");
        let entry =
            method::REGISTRY.find(name).ok_or_else(|| JobError::usage(format!("`{name}` is no method")))?;
        let known = entry.known_keys();
        let place = |key: &str| at(["method", key]);
        let foreign = recipe.method.keys.keys().filter(|key| *key != "name" && !known.contains(key));
        let mut edits = vec![Edit::Set(place("name"), entry.written().into())];
        edits.extend(foreign.map(|key| Edit::Remove(place(key))));
        edits.extend(entry.alias.map(|alias| Edit::Set(place(alias.key), alias.value.into())));
        Ok(edits)
    });
    answered(&app, &Form::default(), &form, edits).await
}

pub(super) async fn keys(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let recipe = project.recipe()?;
        let entry = named(&recipe).ok_or_else(|| JobError::usage("the method is not known"))?;
        let is_own = |field: &Field| !matches!(field.shape, Shape::Fixed(_));
        let own: Vec<Field> = Schemas::new().method(entry).into_iter().filter(is_own).collect();
        let after = table(&own, &form)
            .map_err(|problem| JobError::usage(problem.after(&format!("{}: ", entry.name))))?;
        Ok(differences(&at(["method"]), &own, &section(&recipe), &after))
    });
    answered(&app, &Form::with(&[("of", "method")]), &form, edits).await
}
