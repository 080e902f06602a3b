//! Hierarchies: one attribute at a time, every kind as a form, with a live picture of its levels over the column.
//!
//! What is filled in is shown at once and becomes part of the recipe with a button. Rows are changed by hand
//! (`table.rs`): each change is a change of the recipe, also where the rows came from a file, which stays as it is.

mod covering;
mod files;
mod form;
mod picture;
mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value as Json, json};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;
use velamen_recipe::keys::foreign_beside;
use velamen_recipe::{AttributeSection, HierarchySection, JobError, Mistake, Recipe};
use velamen_report::language::{mark, say, t};

use super::{Page, change, changed, count, show, status, with_project};
use crate::App;
use crate::column::{Column, column, forget_failures};
use crate::edit::{Edit, at, without};
use crate::form::Form;
use crate::project::{Project, look_again};
use covering::{covering, why_not};
use form::{Kind, choice, kind_asked, kind_of};
use picture::{Picture, labels_of, rule};

/// How long a change waits for what it started.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);

pub(super) const PAGE: Page = Page::new("hierarchies", mark("Hierarchies"), view)
    .after("attributes")
    .keeps(&["attribute", "part"])
    .says(said)
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/hierarchies/kind", kind);
    let router = change(router, "/hierarchies/preview", preview);
    let router = change(router, "/hierarchies/use", take);
    let router = change(router, "/hierarchies/values", values);
    let router = change(router, "/hierarchies/again", again);
    table::routes(files::routes(router))
}

/// The attributes that can have a hierarchy.
fn names(recipe: &Recipe) -> Vec<&str> {
    let can = |section: &AttributeSection| matches!(section.role, Role::QuasiIdentifier | Role::Sensitive);
    let first = |section: &AttributeSection| section.role != Role::QuasiIdentifier;
    let mut names: Vec<_> = recipe.attributes.iter().filter(|(_, section)| can(section)).collect();
    names.sort_by_key(|(_, section)| first(section));
    names.into_iter().map(|(name, _)| name.as_str()).collect()
}

/// The attribute that is asked for, or the first.
fn chosen<'r>(recipe: &'r Recipe, asked: &Form) -> Option<(&'r str, &'r AttributeSection)> {
    let names = names(recipe);
    let name = names.iter().find(|name| **name == asked.text("attribute")).or(names.first())?;
    Some((name, recipe.attributes.get(*name)?))
}

/// A section as recipes write it: files by their names from the recipe's folder.
fn written(section: &HierarchySection, base: &Path) -> Json {
    let mut section = section.clone();
    if let Some(file) = section.path() {
        *file = file.strip_prefix(base).unwrap_or(file).to_owned();
    }
    json!(section)
}

/// The folder that a recipe's files are named from.
fn base(project: &Project) -> &Path {
    project.path.parent().unwrap_or(Path::new(""))
}

/// A section that was filled in; its file has to lie in the studio's folders.
fn section_of(app: &App, project: &Project, json: Json) -> Result<HierarchySection, JobError> {
    let mut section: HierarchySection =
        serde_json::from_value(json).map_err(|error| JobError::usage(error.to_string()))?;
    if let Some(file) = section.path() {
        *file = base(project).join(&*file);
    }
    section.file().map_or(Ok(()), |file| app.folders.inside(file))?;
    Ok(section)
}

/// What is shown of one attribute: what the recipe says, or what a form says and the recipe does not yet.
struct Draft<'a> {
    kind: Option<&'static Kind>,
    /// The section in words of the recipe.
    json: Json,
    section: Result<Option<HierarchySection>, JobError>,
    typed: Option<&'a Form>,
}

impl<'a> Draft<'a> {
    fn new(
        app: &App,
        project: &Project,
        attribute: &AttributeSection,
        column: &Column,
        asked: &'a Form,
    ) -> Self {
        let is_typed = asked.fields().any(|(name, _)| name == "kind");
        if !is_typed {
            let json =
                attribute.hierarchy.as_ref().map_or(Json::Null, |section| written(section, base(project)));
            let kind = attribute.hierarchy.as_ref().and_then(|_| kind_of(&json));
            let section = match &attribute.hierarchy {
                Some(_) => section_of(app, project, json.clone()).map(Some),
                None => Ok(None),
            };
            return Self { kind, json, section, typed: None };
        }
        let Some(kind) = kind_asked(asked) else {
            return Self { kind: None, json: Json::Null, section: Ok(None), typed: None };
        };
        let (read, typed) = match asked.text("suggest") {
            "" => (kind.read(asked), Some(asked)),
            _ => (Ok(covering(kind, kind.suggested(column, attribute.top), column)), None),
        };
        let json = read.as_ref().cloned().unwrap_or(Json::Null);
        let section = read.and_then(|json| section_of(app, project, json)).map(Some);
        Self { kind: Some(kind), json, section, typed }
    }

    /// What it makes of the column.
    fn rule(
        &self,
        project: &Project,
        attribute: &AttributeSection,
        column: &Column,
    ) -> Result<Rule, JobError> {
        match &self.section {
            Ok(section) => rule(section.as_ref(), attribute, &project.path, column),
            Err(error) => Err(JobError::usage(error.to_string())),
        }
    }

    /// Whether the recipe says something else.
    fn is_new(&self, attribute: &AttributeSection) -> bool {
        self.section.as_ref().is_ok_and(|section| json!(section) != json!(attribute.hierarchy))
    }
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let Ok(recipe) = project.recipe() else {
        return html! { h1 { (t("Hierarchies")) } p.care { (t("The recipe cannot be read: correct its text, or undo.")) } };
    };
    let Some((name, attribute)) = chosen(&recipe, asked) else {
        return html! {
            h1 { (t("Hierarchies")) }
            p { (say!("No column is a quasi-identifier yet. {}.", html! { a href="attributes" { (t("Set the roles first")) } })) }
        };
    };
    html! {
        h1 { (t("Hierarchies")) }
        p.lead { (t("In which steps may a value become coarser? The picture shows what each step leaves of the column.")) }
        (files::matching(app, project, &recipe))
        (attributes(&recipe, name))
        h2 #attribute { (name) @if attribute.role == Role::Sensitive { span.note { " " (t("sensitive: its hierarchy says which values are near each other")) } } }
        @match column(app, project, &recipe, name) {
            None => p { (t("Reading the column…")) },
            Some(Err(mistake)) => (unread(name, &mistake)),
            Some(Ok(column)) => (of_column(app, project, name, attribute, &column, asked)),
        }
    }
}

/// What is wrong with the column or with what is filled in, which stands where the picture would.
fn said(app: &App, project: &Project, asked: &Form) -> Option<String> {
    let recipe = project.recipe().ok()?;
    let (name, attribute) = chosen(&recipe, asked)?;
    match column(app, project, &recipe, name)? {
        Err(mistake) => Some(mistake.message()),
        Ok(column) => {
            let draft = Draft::new(app, project, attribute, &column, asked);
            draft.rule(project, attribute, &column).err().map(|error| error.to_string())
        }
    }
}

fn attributes(recipe: &Recipe, chosen: &str) -> Markup {
    html! {
        nav.choices aria-label=(t("Attributes")) {
            ul {
                @for name in names(recipe) {
                    @let has = recipe.attributes.get(name).is_some_and(|section| section.hierarchy.is_some());
                    li { a href={ "hierarchies?" (query(name)) } aria-current=[(name == chosen).then_some("true")] {
                        (name) @if !has { span.note { " " (t("none")) } }
                    } }
                }
            }
        }
    }
}

fn query(name: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair("attribute", name).finish()
}

fn unread(name: &str, mistake: &Mistake) -> Markup {
    html! {
        div.alert role="alert" { (status::said(mistake)) }
        form hx-post="hierarchies/again" {
            input type="hidden" name="attribute" value=(name);
            button #again type="submit" { (t("Read the column again")) }
        }
    }
}

fn of_column(
    app: &App,
    project: &Project,
    name: &str,
    attribute: &AttributeSection,
    column: &Column,
    asked: &Form,
) -> Markup {
    let draft = Draft::new(app, project, attribute, column, asked);
    let rule = draft.rule(project, attribute, column);
    html! {
        form #hierarchy-form.panel hx-post="hierarchies/use" {
            input type="hidden" name="attribute" value=(name);
            div.field { label for="kind" { (t("Kind")) } (choice(draft.kind)) }
            @match draft.kind {
                None => p.note { (say!("Without a hierarchy a value stays as it is or becomes {}.", html! { code { "*" } })) },
                Some(kind) => {
                    @if !kind.is_rows() {
                        div.fields hx-post="hierarchies/preview" hx-trigger="input delay:250ms" hx-include="#hierarchy-form"
                            hx-target="#picture" hx-select="#picture" {
                            (why_not(kind, column))
                            (kind.view(&draft.json, draft.typed, &files::names(app, project)))
                        }
                    }
                }
            }
            @if draft.kind.is_none_or(|kind| !kind.is_rows()) {
                div.bar { button #use.main type="submit" { @if draft.kind.is_some() { (t("Use this hierarchy")) } @else { (t("Use no hierarchy")) } } }
            }
        }
        section #picture aria-label=(t("Picture of the hierarchy")) {
            @match &rule {
                Ok(rule) => (shown(project, name, attribute, column, rule, &draft)),
                Err(error) => div.alert role="status" { (status::said(error)) },
            }
        }
        @if !draft.is_new(attribute) {
            (table::view(app, project, name, attribute, column, asked))
        }
        (files::saving(project, name, attribute))
    }
}

fn shown(
    project: &Project,
    name: &str,
    attribute: &AttributeSection,
    column: &Column,
    rule: &Rule,
    draft: &Draft<'_>,
) -> Markup {
    let picture = Picture::new(rule, column, labels_of(rule, project.values));
    html! {
        @if draft.is_new(attribute) {
            p.care role="status" { (t("A preview: the recipe still has the hierarchy of before.")) }
        }
        (picture.view(name))
        @if !project.values && !matches!(rule, Rule::Table(_)) {
            form.inline hx-post="hierarchies/values" hx-include="#hierarchy-form" {
                button #values type="submit" { (t("Show values of the cells")) }
                span.note { (t("Values are shown on this machine only, and only once you ask.")) }
            }
        }
    }
}

/// Another kind in the form, with what the column suggests. The recipe stays.
async fn kind(State(app): State<App>, form: Form) -> Response {
    let asked =
        Form::with(&[("attribute", form.text("attribute")), ("kind", form.text("kind")), ("suggest", "yes")]);
    show(&app, &PAGE, &asked)
}

/// The picture of what is filled in. The recipe stays.
async fn preview(State(app): State<App>, form: Form) -> Response {
    show(&app, &PAGE, &form)
}

async fn values(State(app): State<App>, form: Form) -> Response {
    look_again(&app, true);
    app.worker.idle_within(PATIENCE).await;
    show(&app, &PAGE, &form)
}

async fn again(State(app): State<App>, form: Form) -> Response {
    forget_failures(&app);
    show(&app, &PAGE, &form)
}

/// What is filled in becomes the recipe's.
async fn take(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let name = form.text("attribute");
        let json = kind_asked(&form).map(|kind| kind.read(&form)).transpose()?;
        set(&app, project, name, json)
    });
    finished(&app, &form, result)
}

/// The page after a change; what was filled in stays only where it was wrong.
fn finished(app: &App, form: &Form, result: Result<(), JobError>) -> Response {
    let asked = match &result {
        Ok(()) => Form::with(&[("attribute", form.text("attribute")), ("part", form.text("part"))]),
        Err(_) => form.clone(),
    };
    changed(app, &PAGE, &asked, result)
}

/// Puts a hierarchy into the recipe, once it fits the attribute.
fn set(app: &App, project: &mut Project, name: &str, json: Option<Json>) -> Result<(), JobError> {
    let recipe = project.recipe()?;
    let unknown = || JobError::usage("the recipe has no such attribute");
    let attribute = recipe.attributes.get(name).ok_or_else(unknown)?;
    let section = json.clone().map(|json| section_of(app, project, json)).transpose()?;
    let column = read_column(app, project, &recipe, name)?;
    let rule = rule(section.as_ref(), attribute, &project.path, &column)?;
    let place = at(["attributes", name, "hierarchy"]);
    let mut edits = without(name, foreign_beside(section.as_ref()));
    edits.push(Edit::set_or_remove(place, json));
    edits.extend(without(name, &attribute.levels_above(rule.top())));
    project.change(&app.folders, &edits)
}

/// The column, which is there once its page was shown.
fn read_column(app: &App, project: &Project, recipe: &Recipe, name: &str) -> Result<Arc<Column>, JobError> {
    match column(app, project, recipe, name) {
        Some(Ok(column)) => Ok(column),
        Some(Err(mistake)) => Err(JobError::usage(mistake.message())),
        None => Err(JobError::usage("the column is still being read").mend("try again in a moment")),
    }
}

/// The path of a file that recipes name from their folder.
///
/// # Errors
/// [`JobError::usage`] if it leads out of the studio's folders.
fn below(app: &App, project: &Project, file: &str) -> Result<PathBuf, JobError> {
    let is_plain = Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let path = base(project).join(file);
    match is_plain && !file.is_empty() {
        true => app.folders.inside(&path).map(|()| path),
        false => {
            Err(JobError::usage(format!("`{file}`: not a file of the recipe's folder"))
                .mend("name one that is"))
        }
    }
}
