//! Guide: five questions in plain words, what the answers set in the recipe, and releases to choose from.

mod answers;
mod declare;
mod edits;
mod offered;
mod questions;
mod releases;
mod set;
mod shown;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::http::header::HeaderName;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde_json::{Map, Value};
use velamen_assess::guide::{Plan, plan};
use velamen_assess::profile::ColumnProfile;
use velamen_recipe::{JobError, Mistake, Recipe};
use velamen_report::language::{mark, say, t};

use super::{Page, change, changed, kept, show, status, with_project};
use crate::App;
use crate::candidate::forget_stopped;
use crate::edit::{Edit, edited};
use crate::form::Form;
use crate::project::Project;
use crate::worker::locked;
use answers::{POSTED, answers};
use edits::edits;

/// The field of the address that says that the answers were taken, and its value.
const TAKEN: (&str, &str) = ("taken", "yes");

/// The field that asks for the releases of a large table.
const MAKE: &str = "make";

pub(super) const PAGE: Page = Page::new("guide", mark("Guide"), view)
    .after("open")
    .keeps(&["who", "use", "rows", "worst", TAKEN.0, MAKE])
    .changes(&[("choose", choose), ("forget", declare::forget)])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/guide/take", take);
    let router = change(router, "/guide/values", values);
    change(router, "/guide/again", again)
}

/// The open recipe with what the answers come to.
struct Guided {
    recipe: Recipe,
    plan: Plan,
    /// By release the edits that make the recipe name it.
    edits: Vec<Vec<Edit>>,
}

fn columns(project: &Project) -> &[ColumnProfile] {
    project.profile.as_ref().map_or(&[], |profile| &profile.columns)
}

/// What the answers of a form come to.
fn guided(project: &Project, form: &Form) -> Result<Guided, Mistake> {
    let recipe = project.recipe()?;
    let answers = answers(form, &recipe, columns(project))?;
    let plan = plan(&answers, &recipe, columns(project)).map_err(JobError::usage)?;
    let edits = plan.releases.iter().map(|release| edits(project, &recipe, &plan, release)).collect();
    Ok(Guided { recipe, plan, edits })
}

impl Guided {
    /// The recipe's text for each release.
    fn texts(&self, project: &Project) -> Result<Vec<String>, Mistake> {
        self.edits.iter().map(|edits| edited(project.text(), edits)).collect()
    }
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    if project.profile.is_none() {
        return unread();
    }
    let asked = &remembered(project, asked);
    let is_taken = asked.text(TAKEN.0) == TAKEN.1;
    html! {
        h1 { (t("Guide")) }
        p.lead { (say!("Five questions lead to releases that you choose from. Every answer is a change to the recipe, and Undo takes it back. If you know what you want, go on to the {}.", html! { a href="attributes" { (t("attributes")) } })) }
        @match project.recipe() {
            Err(_) => p.care { (t("The recipe cannot be read: correct its text, or undo.")) },
            Ok(recipe) => {
                details #questions open[!is_taken] {
                    summary { h2 { (t("The five questions")) } }
                    (questions::form(&recipe, columns(project), asked))
                }
                @if is_taken { (outcome(app, project, asked)) }
            }
        }
    }
}

/// The answers of the form or of the address; where these say nothing, those that were taken last, so that every link to the guide
/// shows them.
fn remembered(project: &Project, asked: &Form) -> Form {
    let says = |(name, _): (&str, &str)| name != MAKE && (name == POSTED || PAGE.keeps.contains(&name));
    let mut all = asked.clone();
    if !asked.fields().any(says) {
        project.answers.fields().for_each(|(name, value)| all.add(name, value));
    }
    all
}

/// What stands where no table was read.
fn unread() -> Markup {
    html! {
        h1 { (t("Guide")) }
        p { (say!("The guide needs a table that was read. {} first.", html! { a href="attributes" { (t("Say how it is written")) } })) }
    }
}

/// What was set, and the releases.
fn outcome(app: &App, project: &Project, asked: &Form) -> Markup {
    match guided(project, asked) {
        Err(mistake) => html! { div.alert #refused role="alert" { (status::said(&mistake)) } },
        Ok(guided) => html! {
            (set::section(&guided.recipe, &guided.plan, asked))
            @if let Some(declarations) = &guided.plan.declarations { (declare::section(&guided.recipe, declarations, asked)) }
            (releases::section(app, project, &guided, asked))
        },
    }
}

/// What says which answers a change was made under.
fn fields(asked: &Form) -> Map<String, Value> {
    kept(&PAGE, asked).map(|(name, value)| (name.to_owned(), value.into())).collect()
}

/// Takes the answers into the recipe, and shows what they set and the releases.
async fn take(Shared(app): Shared<App>, form: Form) -> Response {
    let taken = with_project(&app, |project| {
        let guided = guided(project, &form)?;
        project.change(&app.folders, &guided.edits[guided.plan.usual])?;
        project.answers = taken_of(&form);
        Ok(())
    });
    if taken.is_err() {
        return changed(&app, &PAGE, &form, taken);
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let place = format!("{}?{}#releases", PAGE.path, query.extend_pairs(taken_of(&form).fields()).finish());
    (StatusCode::NO_CONTENT, [(HeaderName::from_static("hx-redirect"), place)]).into_response()
}

/// The answers of a form as those that were taken.
fn taken_of(form: &Form) -> Form {
    let answers = kept(&PAGE, form).filter(|(name, _)| *name != TAKEN.0 && *name != MAKE);
    Form::with(&answers.chain([TAKEN]).collect::<Vec<_>>())
}

/// The edits of the release that was chosen.
fn choose(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    with_project(app, |project| {
        let mut guided = guided(project, form)?;
        let gone =
            || JobError::usage("there is no such release any more").mend("answer the questions once more");
        let place = form.text("release").parse().ok().filter(|place: &usize| *place < guided.edits.len());
        Ok(guided.edits.swap_remove(place.ok_or_else(gone)?))
    })
}

async fn values(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_mut() {
        project.values = true;
    }
    show(&app, &PAGE, &form)
}

async fn again(Shared(app): Shared<App>, form: Form) -> Response {
    forget_stopped(&app);
    show(&app, &PAGE, &form)
}
