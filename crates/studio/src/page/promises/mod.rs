//! Promises: preset, models and method as forms from the registries' schemas, each model with what it means, what it
//! costs on this table, and what it does not protect from.

mod cost;
mod method;
mod models;
#[cfg(test)]
mod tests;

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value as Json, json};
use velamen_core::frequency::Role;
use velamen_recipe::{JobError, Preset, Recipe};
use velamen_report::language::{mark, t};
use velamen_search::method::Entry as Method;

use super::{Page, change, changed, edit, sections, show, written};
use crate::App;
use crate::cost::forget_stopped;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::project::Project;
use crate::schema::{Field, Shape, fields, prose};
use cost::{costs, whole};
use method::{keys, method_section, of_method};
use models::{add, adding, card, choose, remove, set, weigh};

/// How long a change waits for what it costs.
const PATIENCE: Duration = Duration::from_millis(700);

pub(super) const PAGE: Page = Page::new("promises", mark("Promises"), view)
    .after("hierarchies")
    .keeps(&["part"])
    .changes(&[("section", sections::change)])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/promises/preset", preset);
    let router = change(router, "/promises/set", set);
    let router = change(router, "/promises/remove", remove);
    let router = change(router, "/promises/choose", choose);
    let router = change(router, "/promises/try", weigh);
    let router = change(router, "/promises/add", add);
    let router = change(router, "/promises/method", of_method);
    let router = change(router, "/promises/keys", keys);
    let router = change(router, "/promises/weigh", look);
    change(router, "/promises/again", again)
}

/// The schema of recipes, with all that is registered.
struct Schemas(Json);

impl Schemas {
    fn new() -> Self {
        Self(Recipe::schema())
    }

    fn of(&self, all: &Json, name: &str) -> Vec<Field> {
        let found = all["oneOf"].as_array().into_iter().flatten().find(|one| one["title"] == name);
        found.map(|table| fields(&self.0, table)).unwrap_or_default()
    }

    /// The fields of a model: its parameters, and the attributes that it looks at as a choice.
    fn model(&self, name: &str, recipe: &Recipe) -> Vec<Field> {
        let mut own = self.of(&self.0["$defs"]["PrivacySection"], name);
        let named = |role: Role| -> Vec<(String, String)> {
            let of = recipe.attributes.iter().filter(|(_, section)| section.role == role);
            of.map(|(name, _)| (name.clone(), String::new())).collect()
        };
        for field in &mut own {
            match (field.key.as_str(), &field.shape) {
                ("attribute", Shape::Text) => field.shape = Shape::Choice(named(Role::Sensitive)),
                ("attributes", Shape::Texts) => field.shape = Shape::Several(named(Role::QuasiIdentifier)),
                _ => {}
            }
        }
        own
    }

    fn method(&self, entry: &Method) -> Vec<Field> {
        self.of(&self.0["properties"]["method"], entry.name)
    }
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let Ok(recipe) = project.recipe() else {
        return html! { h1 { (t("Promises")) } p.care { (t("The recipe cannot be read: correct its text, or undo.")) } };
    };
    let schemas = Schemas::new();
    let costs = costs(app, project, &recipe, !asked.text("weigh").is_empty());
    html! {
        h1 { (t("Promises")) }
        p.lead { (t("What must hold of every release? All promises hold together, and the checker proves each on the written file.")) }
        (of_preset(&recipe))
        section aria-labelledby="models-heading" {
            h2 #models-heading { (t("Privacy models")) }
            @if recipe.privacy.is_empty() { p { (t("The recipe names no model yet. Most releases begin with k-anonymity.")) } }
            @for (number, section) in recipe.privacy.iter().enumerate() {
                (card(number, section, &schemas, &recipe, asked, costs.as_ref().map(|costs| costs.of(number))))
            }
            (whole(costs.as_ref()))
        }
        (adding(app, project, &recipe, &schemas, asked))
        (method_section(&recipe, &schemas, asked))
        (sections::POPULATION.view(project, PAGE.path, asked))
        (sections::IMPOSSIBLE.view(project, PAGE.path, asked))
    }
}

fn of_preset(recipe: &Recipe) -> Markup {
    let schema = schemars::schema_for!(Preset).to_value();
    let all = schema["oneOf"].as_array().into_iter().flatten();
    let presets: Vec<(&str, &str)> =
        all.filter_map(|one| Some((one["const"].as_str()?, one["description"].as_str()?))).collect();
    let chosen = recipe.preset.map(|preset| written(&preset)).unwrap_or_default();
    html! {
        section aria-labelledby="preset-heading" {
            h2 #preset-heading { (t("A published rule")) }
            div.field {
                label for="preset" { (t("Preset")) }
                select #preset name="preset" hx-post="promises/preset" hx-trigger="change delay:300ms" {
                    option value="" { (t("none")) }
                    @for (name, _) in &presets { option value=(name) selected[*name == chosen] { (name) } }
                }
                @if let Some((_, meaning)) = presets.iter().find(|(name, _)| *name == chosen) { p { (prose(t(meaning))) } }
            }
            @if let Some(preset) = recipe.preset {
                @let entry = preset.entry();
                dl.promise {
                    dt { (t("It sets")) }
                    dd { ul { @for line in &entry.sets { li { (t(line)) } } } }
                    dt { (t("It does not judge")) }
                    dd { ul { @for line in &entry.cannot_judge { li { (t(line)) } } } }
                }
            } @else {
                details {
                    summary { (t("What the rules are")) }
                    dl.promise { @for (name, meaning) in &presets { dt { (name) } dd { (prose(t(meaning))) } } }
                }
            }
        }
    }
}

/// Whether anything was filled in.
fn has_fields(form: &Form) -> bool {
    form.fields().any(|(name, _)| name.starts_with("f."))
}

async fn preset(State(app): State<App>, form: Form) -> Response {
    let wanted = Some(form.text("preset")).filter(|name| !name.is_empty());
    let known = wanted.map(|name| {
        let unknown = |_| JobError::usage(format!("`{name}` is no preset"));
        serde_json::from_value::<Preset>(name.into()).map_err(unknown)
    });
    let edits = known
        .transpose()
        .map(|preset| vec![Edit::set_or_remove(at(["preset"]), preset.map(|preset| json!(preset)))]);
    answered(&app, &Form::default(), &form, edits).await
}

/// Makes the edits, and waits a moment for what they cost; what was filled in stays where it was wrong.
async fn answered(app: &App, after: &Form, wrong: &Form, edits: Result<Vec<Edit>, JobError>) -> Response {
    let asked = if edits.is_ok() { after } else { wrong };
    let first = edit(app, &PAGE, asked, edits);
    if app.worker.status().is_none() || first.status() != axum::http::StatusCode::OK {
        return first;
    }
    settled(app, asked, first).await
}

/// The page once the worker has answered, if it does so soon.
async fn settled(app: &App, asked: &Form, first: Response) -> Response {
    let had = app.worker.failed().is_some();
    app.worker.idle_within(PATIENCE).await;
    match app.worker.status().is_none() && !had {
        true => changed(app, &PAGE, asked, Ok(())),
        false => first,
    }
}

/// Looks what the promises of a large table cost.
async fn look(State(app): State<App>, _form: Form) -> Response {
    let asked = Form::with(&[("weigh", "yes")]);
    let first = show(&app, &PAGE, &asked);
    settled(&app, &asked, first).await
}

async fn again(State(app): State<App>, form: Form) -> Response {
    forget_stopped(&app);
    show(&app, &PAGE, &form)
}
