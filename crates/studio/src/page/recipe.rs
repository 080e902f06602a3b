//! The recipe beside every page: what every click changes, to be read, copied and edited by hand.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use velamen_core::frequency::Role;
use velamen_recipe::{AttributeSection, Mistake, Recipe};
use velamen_report::language::{say, t};
use velamen_search::method::{self, Purpose};

use super::{PAGES, Page, attributes, change, changed, edit, with_project};
use crate::App;
use crate::difference::{Fate, difference};
use crate::edit::edited;
use crate::form::Form;
use crate::history::History;
use crate::project::{Project, look_again};
use crate::worker::{Asked, locked};

pub(super) fn routes() -> Router<App> {
    let router = change(Router::new(), "/undo", undo);
    let router = change(router, "/redo", redo);
    let router = change(router, "/mend", mend);
    router.route("/recipe", get(text).post(write))
}

/// The recipe's text; lines that the last change made are marked.
pub(super) fn aside(app: &App, project: &Project, vals: &str) -> Markup {
    let mistake = project.mistake();
    let denied = denied(app, project);
    html! {
        aside #recipe aria-label=(t("Recipe")) {
            div.bar {
                h2 { (t("Recipe")) }
                button #copy type="button" data-copy="#recipe-text" data-copied=(t("Copied")) { (t("Copy")) }
            }
            @if let Some(mistake) = &mistake { (super::status::alert(mistake)) }
            @if let Some(denied) = &denied {
                (super::status::alert(&denied.mistake))
                @if !denied.roles.is_empty() { (ways_out(denied, vals)) }
            }
            (last_change(project))
            details #recipe-whole {
                summary { (t("The whole recipe")) }
                pre #recipe-text tabindex="0" aria-label=(t("Text of the recipe")) {
                    @for (line, new) in marked(project) {
                        @if new { mark { (coloured(line)) } "\n" } @else { (coloured(line)) "\n" }
                    }
                }
            }
            details #by-hand {
                summary { (t("Edit by hand")) }
                form hx-post="recipe" hx-vals=(vals) {
                    label for="recipe-edit" { (t("Text of the recipe, in TOML")) }
                    textarea #recipe-edit name="text" rows="24" spellcheck="false" autocomplete="off" { (project.text()) }
                    p.care.outdated hidden { (t("The recipe has changed since you began to type. Taking this text replaces that change.")) }
                    button type="submit" { (t("Take this text")) }
                }
            }
        }
    }
}

/// A column whose role the private method does not take, and the roles that would do.
struct Denied {
    mistake: Mistake,
    column: String,
    roles: Vec<Role>,
}

/// What a private method does not take, if that is it: which roles it knows is a rule of the method, so each is tried.
fn denied(app: &App, project: &Project) -> Option<Denied> {
    let asked = project.asked();
    let recipe = project.recipe().ok().filter(|_| !project.is_linked())?;
    let (method, _) = method::find(&recipe.method.keys).ok()?;
    let mut others = recipe.attributes.iter().filter(|(_, section)| is_other(section)).peekable();
    if method.purpose != Purpose::Private || others.peek().is_none() {
        return None;
    }
    let mistake = asked.resolved(&app.folders).err()?;
    let column = mistake.place().attribute()?.to_owned();
    others.find(|(name, _)| **name == column)?;
    let roles = [Role::QuasiIdentifier, Role::Identifier];
    let roles = roles.into_iter().filter(|role| is_way_out(app, &asked, &recipe, (&column, *role))).collect();
    Some(Denied { mistake, column, roles })
}

fn is_other(section: &AttributeSection) -> bool {
    matches!(section.role, Role::Sensitive | Role::Insensitive)
}

/// Whether the recipe with that role of a column is no longer refused for this column.
fn is_way_out(app: &App, asked: &Asked, recipe: &Recipe, (column, role): (&String, Role)) -> bool {
    let edits = attributes::with_role_and_models(recipe, column, role);
    let text = edits.and_then(|edits| edited(&asked.text, &edits));
    let after = text.map(|text| Asked { text, path: asked.path.clone() }.resolved(&app.folders));
    after.is_ok_and(|after| after.err().is_none_or(|other| other.place().attribute() != Some(column)))
}

/// A button for each role that would do.
fn ways_out(denied: &Denied, vals: &str) -> Markup {
    html! { p #ways-out { @for role in &denied.roles { (way_out(&denied.column, *role, vals)) " " } } }
}

fn way_out(column: &str, role: Role, vals: &str) -> Markup {
    let mut vals: Map<String, Value> = serde_json::from_str(vals).unwrap_or_default();
    vals.insert("name".into(), column.into());
    vals.insert("role".into(), json!(role));
    let column = html! { code { (column) } };
    html! {
        button id={ "mend-" (if role == Role::Identifier { "out" } else { "known" }) } type="button" hx-post="mend"
            hx-vals=(Value::from(vals).to_string()) {
            @if role == Role::Identifier { (say!("Leave {} out", column)) } @else { (say!("Make {} a quasi-identifier", column)) }
        }
    }
}

/// Gives a column the role with which the method takes it.
async fn mend(State(app): State<App>, form: Form) -> Response {
    let edits = attributes::roles(&app, &form);
    edit(&app, page_of(&form), &form, edits)
}

/// The lines that the last change made, each below the heading of its section, and those that it took out.
fn last_change(project: &Project) -> Markup {
    let lines = changed_lines(project);
    html! {
        div #recipe-change tabindex="0" role="region" aria-label=(t("Last change")) {
            h3 { (t("Last change")) }
            @if lines.is_empty() { p.note { (t("None yet: what you click stands here as text.")) } }
            @else { pre { @for (line, fate) in &lines { (of_fate(line, *fate)) "\n" } } }
        }
    }
}

fn of_fate(line: &str, fate: Fate) -> Markup {
    html! {
        @match fate {
            Fate::Kept => (coloured(line)),
            Fate::New => mark { (coloured(line)) },
            Fate::Gone => del { span.hidden { (t("removed:")) " " } (line) },
        }
    }
}

/// Lines that came or went, below the headings of their sections. Comments that went are not worth a word.
fn changed_lines(project: &Project) -> Vec<(&str, Fate)> {
    let (mut heading, mut lines) = (None, Vec::new());
    for (line, fate) in since_before(project) {
        if line.starts_with('[') {
            heading = Some((line, Fate::Kept)).filter(|_| fate == Fate::Kept);
        }
        let is_shown = match fate {
            Fate::Kept => false,
            Fate::New => !line.trim().is_empty(),
            Fate::Gone => !line.trim().is_empty() && !line.starts_with('#'),
        };
        if is_shown {
            lines.extend(heading.take());
            lines.push((line, fate));
        }
    }
    lines
}

/// All lines, with what the last change did to them.
fn since_before(project: &Project) -> Vec<(&str, Fate)> {
    difference(project.history.before().unwrap_or(project.text()), project.text())
}

/// A line of TOML: comments are pale, headings stand out.
fn coloured(line: &str) -> Markup {
    html! {
        @if line.starts_with('#') { span.comment { (line) } }
        @else if line.starts_with('[') { strong { (line) } }
        @else { (line) }
    }
}

/// The lines that stand, and whether each is new since the text before.
fn marked(project: &Project) -> impl Iterator<Item = (&str, bool)> {
    let lines = since_before(project).into_iter().filter(|(_, fate)| *fate != Fate::Gone);
    lines.map(|(line, fate)| (line, fate == Fate::New && !line.trim().is_empty()))
}

/// The page that a change was made on.
pub(super) fn page_of(form: &Form) -> &'static Page {
    PAGES.find(form.text("page")).unwrap_or(&super::open::PAGE)
}

/// The text as a file.
async fn text(State(app): State<App>) -> Response {
    let text = locked(&app.project).as_ref().map(|project| project.text().to_owned());
    let Some(text) = text else { return StatusCode::NOT_FOUND.into_response() };
    ([(header::CONTENT_TYPE, "application/toml"), (header::CONTENT_DISPOSITION, "attachment")], text)
        .into_response()
}

pub(in crate::page) async fn undo(State(app): State<App>, form: Form) -> Response {
    step(&app, &form, History::undo)
}

async fn redo(State(app): State<App>, form: Form) -> Response {
    step(&app, &form, History::redo)
}

fn step(app: &App, form: &Form, go: fn(&mut History)) -> Response {
    app.worker.forget_failure();
    let result = with_project(app, |project| {
        let reads_otherwise = project.step(go);
        Ok(reads_otherwise.then_some(project.values))
    });
    // What is known of the columns is that of the table as it is read now.
    if let Ok(Some(values)) = result {
        look_again(app, values);
    }
    changed(app, page_of(form), form, result.map(drop))
}

async fn write(State(app): State<App>, form: Form) -> Response {
    // Forms send line ends as carriage return and line feed.
    let text = form.text("text").replace("\r\n", "\n");
    let result = with_project(&app, |project| project.replace(&app.folders, text));
    changed(&app, page_of(&form), &form, result)
}

#[cfg(test)]
mod tests {
    use super::{Role, mend};
    use crate::opened::Open;
    use crate::page::attributes::PAGE;

    const PRIVATE: &str = "[input]\npath = \"t.csv\"\nrows = \"independent\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
         hierarchy = { interval = [10], min = 0, max = 99 }\n[attributes.ill]\nrole = \"sensitive\"\n\
         [[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1\ndelta = 1e-9\n[method]\nname = \"mst\"\n[output]\npath = \"out\"\n";

    #[test]
    fn a_column_that_a_private_method_does_not_take_has_buttons_that_mend_it() {
        let studio = Open::new(&[("t.csv", "age,ill\n1,a\n2,b\n"), ("r.toml", PRIVATE)]);
        let page = studio.shown(&PAGE);
        assert!(page.contains("is neither quasi-identifier nor identifier"), "{page}");
        assert!(page.contains("Leave <code>ill</code> out") && page.contains("id=\"mend-out\""), "{page}");
        let role = serde_json::to_value(Role::Identifier).unwrap();
        let page =
            studio.post(mend, &[("page", "attributes"), ("name", "ill"), ("role", role.as_str().unwrap())]);
        assert!(studio.text().contains("[attributes.ill]\nrole = \"identifier\""), "{}", studio.text());
        assert!(!page.contains("ways-out"), "{page}");
    }

    #[test]
    fn the_recipe_is_folded_to_its_last_change() {
        let text = "[input]\npath = \"t.csv\"\n\n# Years.\n[attributes.age]\nrole = \"sensitive\"\n\n[output]\npath = \"out\"\n";
        let studio = Open::new(&[("t.csv", "age\n1\n2\n"), ("r.toml", text)]);
        let page = studio.shown(&PAGE);
        assert!(
            page.contains("None yet") && page.contains("<details id=\"recipe-whole\"><summary>"),
            "{page}"
        );
        let after = text.replace("sensitive", "identifier");
        crate::worker::locked(&studio.app.project)
            .as_mut()
            .unwrap()
            .replace(&studio.app.folders, after)
            .unwrap();
        let page = studio.shown(&PAGE);
        let (_, change) = page.split_once("id=\"recipe-change\"").unwrap();
        let (change, whole) = change.split_once("id=\"recipe-whole\"").unwrap();
        assert!(change.contains("</span>role = &quot;sensitive&quot;</del>"), "{change}");
        assert!(
            change.contains("<strong>[attributes.age]</strong>\n<del>")
                && change.contains("</del>\n<mark>role = &quot;identifier&quot;</mark>"),
            "{change}"
        );
        assert!(!change.contains("[input]") && whole.contains("[input]"), "{change}");
    }

    #[test]
    fn a_role_that_others_have_too_is_a_change() {
        let text = "[input]\npath = \"t.csv\"\n\n[attributes.age]\nrole = \"quasi-identifier\"\n\n[attributes.zip]\nrole = \"identifier\"\n\n[output]\npath = \"out\"\n";
        let studio = Open::new(&[("t.csv", "age,zip\n1,1\n2,2\n"), ("r.toml", text)]);
        let after = text.replace("\"identifier", "\"quasi-identifier");
        let mut project = crate::worker::locked(&studio.app.project);
        let project = project.as_mut().unwrap();
        project.replace(&studio.app.folders, after).unwrap();
        let change = super::last_change(project).into_string();
        let expected = "<strong>[attributes.zip]</strong>\n<del><span class=\"hidden\">removed: </span>role = &quot;identifier&quot;</del>\n\
            <mark>role = &quot;quasi-identifier&quot;</mark>";
        assert!(change.contains(expected) && !change.contains("attributes.age"), "{change}");
    }
}
