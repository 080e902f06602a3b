//! Explore: the releases that no other beats, to choose one of. A change of a figure shows at once what it does.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_job::Solution;
use velamen_search::method::REGISTRY;

use super::{Step, change, changed, count, edit, number, percent, show, status, with_project};
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::front::{Found, front, look};
use crate::project::Project;
use crate::scatter::{Point, scatter};
use crate::worker::locked;

/// How long a change waits for its answer, before the page shows progress instead.
const PATIENCE: Duration = Duration::from_millis(700);

/// The most rows of the table.
const MOST_ROWS: usize = 50;

pub(super) fn routes() -> Router<App> {
    let router = change(Router::new(), "/explore/set", set);
    let router = change(router, "/explore/choose", choose);
    let router = change(router, "/explore/free", free);
    change(router, "/explore/again", again)
}

pub(super) fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let found = front(app, project);
    html! {
        h1 { "Explore" }
        p.lead { "Each point is a release that no other beats: less risk costs detail. Choose one." }
        (figures(project))
        @match &found {
            Some(found) => (of_found(found, project, asked)),
            None => (waiting()),
        }
    }
}

fn waiting() -> Markup {
    html! { div #front { (poll()) p { "Looking…" } } }
}

/// Asks for the front again while the look goes on. It has nothing inside that would inherit what it asks for.
fn poll() -> Markup {
    html! { div hx-get="explore" hx-trigger="load delay:300ms" hx-target="#front" hx-select="#front" {} }
}

fn of_found(found: &Found, project: &Project, asked: &Form) -> Markup {
    let whole = found.whole.as_ref();
    let name = whole.map_or("loss", |front| front.figure.as_str());
    let over = found.is_over();
    html! {
        div #front {
            @if !over { (poll()) }
            @if let Some(mistake) = &found.mistake {
                @if mistake.kind == "interrupted" {
                    p.care { "You stopped the search. What was found until then is shown; others may beat it. "
                        button #again type="button" hx-post="explore/again" { "Search again" } }
                } @else {
                    div.alert role="alert" { (status::said(mistake)) }
                }
            }
            @if let Some(note) = whole.and_then(|front| front.note.as_ref()) { p.care { "No exact figure is shown before the release: " (note) "." } }
            @if !found.solutions.is_empty() {
                p.summary role="status" {
                    strong { (found.solutions.len()) " release" @if found.solutions.len() != 1 { "s" } }
                    @match whole {
                        Some(front) if !front.nodes => { ": the method makes this one" }
                        Some(front) if front.partial => { ", after a look at a part of all combinations of levels" }
                        Some(_) => { ": every combination of levels was looked at" }
                        None => { " so far" }
                    }
                    @if let Some(took) = found.took { ", in " (format!("{:.2}", took.as_secs_f64())) " s" }
                    ". Exact figures are for you alone."
                }
                (picture(found, project, name))
                (pair(found, project, asked, name))
                (table(found, project, asked, name))
            }
            @if project.has_chosen() {
                p { "The recipe names the levels of one release. "
                    button #free type="button" hx-post="explore/free" { "Leave the levels to the search" } }
            }
        }
    }
}

/// The numbers of models and method, as the recipe has them, and the method's name.
fn figures(project: &Project) -> Markup {
    let Ok(recipe) = project.recipe() else { return html! {} };
    let method =
        recipe.method.keys.get("name").and_then(Value::as_str).unwrap_or(velamen_search::method::USUAL.name);
    let models = recipe.privacy.iter().enumerate().flat_map(|(number, section)| {
        let own = section.parameters.iter().filter(|(_, value)| value.is_number());
        own.map(move |(key, value)| {
            (format!("privacy.{number}.{key}"), format!("{}: {key}", section.model), value.clone())
        })
    });
    let own = recipe.method.keys.iter().filter(|(_, value)| value.is_number());
    let own = own.map(|(key, value)| (format!("method.{key}"), key.clone(), value.clone()));
    html! {
        div.figures {
            @for (place, label, value) in models.chain(own) { (figure(&place, &label, &value)) }
            div.field {
                label for="method" { "Method" }
                select #method name="value" hx-post="explore/set" hx-trigger="change" hx-vals=(json!({"place": "method.name"})) {
                    @for entry in REGISTRY.iter() {
                        @if entry.written() == entry.name {
                            option value=(entry.name) selected[entry.name == method] title=(entry.summary) { (entry.name) }
                        }
                    }
                }
            }
        }
    }
}

fn figure(place: &str, label: &str, value: &Value) -> Markup {
    let id = format!("set-{}", place.replace('.', "-"));
    let step = if value.is_i64() || value.is_u64() { "1" } else { "any" };
    html! {
        div.field {
            label for=(id) { (label) }
            input.narrow #(id) type="number" name="value" value=(value) step=(step) hx-post="explore/set"
                hx-trigger="change" hx-vals=(json!({"place": place}));
        }
    }
}

fn picture(found: &Found, project: &Project, name: &str) -> Markup {
    let point = |(index, solution): (usize, &Solution)| Point {
        at: (solution.value, solution.highest_risk),
        index,
        title: format!(
            "{name} {}, highest risk {}, suppressed or counterfeit {}",
            number(solution.value),
            number(solution.highest_risk),
            percent(solution.changed)
        ),
        chosen: project.is_chosen(solution),
    };
    let points: Vec<Point> = found.solutions.iter().enumerate().map(point).collect();
    html! {
        figure {
            (scatter(&points, name, "highest risk of re-identification"))
            figcaption { "Left is more detail, down is less risk. Every point is a row of the table below." }
        }
    }
}

/// Two solutions side by side.
fn pair(found: &Found, project: &Project, asked: &Form, name: &str) -> Markup {
    let index = |field: &str, usual: usize| asked.text(field).parse().unwrap_or(usual);
    let sides = [index("a", 0), index("b", 1)]
        .map(|index| found.solutions.get(index).map(|solution| (index, solution)));
    let [Some(a), Some(b)] = sides else { return html! {} };
    let levels: Vec<&String> = a.1.levels.keys().collect();
    let row = |label: &str, of: &dyn Fn(&Solution) -> String| {
        html! {
            tr { th scope="row" { (label) } @for (_, solution) in [a, b] { td.number { (of(solution)) } } }
        }
    };
    html! {
        section.pair-of aria-labelledby="pair-heading" {
            h2 #pair-heading { "Side by side" }
            div.scroll tabindex="0" role="region" aria-label="Two releases" {
                table.narrow-table {
                    thead { tr {
                        th scope="col" { "Figure" }
                        @for (index, _) in [a, b] { th.number scope="col" { "Release " (index + 1) } }
                    } }
                    tbody {
                        (row(name, &|s| number(s.value)))
                        (row("highest risk", &|s| number(s.highest_risk)))
                        (row("mean risk", &|s| number(s.mean_risk)))
                        (row("suppressed records", &|s| count(s.suppressed)))
                        (row("counterfeits", &|s| count(s.counterfeits)))
                        (row("classes", &|s| count(s.classes)))
                        @for qi in levels { (row(&format!("level of {qi}"), &|s| s.levels.get(qi).map(Value::to_string).unwrap_or_default())) }
                        tr { td {} @for (index, solution) in [a, b] { td.number { (chooser(index, solution, project, "pair")) } } }
                    }
                }
            }
        }
    }
}

/// What rows are put in order by, the least first.
type Figure = fn(&Solution) -> f64;

/// How rows can be put in order: the name in the address, and the figure.
const ORDERS: [(&str, Figure); 4] = [
    ("figure", |solution| solution.loss),
    ("risk", |solution| solution.highest_risk),
    ("changed", |solution| solution.changed),
    ("classes", |solution| -(solution.classes as f64)),
];

fn table(found: &Found, project: &Project, asked: &Form, name: &str) -> Markup {
    let by = ORDERS.iter().find(|(order, _)| *order == asked.text("sort")).unwrap_or(&ORDERS[0]);
    let most = |field: &str| asked.text(field).parse::<f64>().unwrap_or(f64::INFINITY);
    let (risk, changed) = (most("most-risk"), most("most-changed") / 100.0);
    let mut rows: Vec<(usize, &Solution)> = found.solutions.iter().enumerate().collect();
    rows.retain(|(_, solution)| solution.highest_risk <= risk && solution.changed <= changed + 1e-12);
    rows.sort_by(|a, b| by.1(a.1).total_cmp(&by.1(b.1)));
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    html! {
        section aria-labelledby="table-heading" {
            h2 #table-heading { "All of them" }
            form.inline.filters hx-get="explore" hx-trigger="change" {
                label for="sort" { "Order" }
                select #sort name="sort" {
                    @for ((order, _), words) in ORDERS.iter().zip(["most detail", "least risk", "least suppressed", "most classes"]) {
                        option value=(order) selected[*order == by.0] { (words) }
                    }
                }
                label for="most-risk" { "Highest risk at most" }
                input.narrow #most-risk type="number" step="any" min="0" max="1" name="most-risk" value=(asked.text("most-risk"));
                label for="most-changed" { "Suppressed or counterfeit at most, %" }
                input.narrow #most-changed type="number" step="any" min="0" max="100" name="most-changed" value=(asked.text("most-changed"));
                @for field in ["a", "b"] { input type="hidden" name=(field) value=(asked.text(field)); }
            }
            div.scroll tabindex="0" role="region" aria-label="Table of releases" {
                table {
                    thead { tr {
                        th scope="col" { "Release" }
                        th scope="col" { span.hidden { "Choose" } }
                        th.number scope="col" { (name) }
                        th.number scope="col" { "Highest risk" }
                        th.number scope="col" { "Suppressed" }
                        th.number scope="col" { "Counterfeits" }
                        th.number scope="col" { "Classes" }
                        th scope="col" { "Levels" }
                    } }
                    tbody { @for (index, solution) in rows.iter().take(MOST_ROWS) { (row(*index, solution, project, asked)) } }
                }
            }
            @if rows.is_empty() { p { "None is within these limits." } }
            @if left_out > 0 { p.note { (left_out) " more are in the picture; the limits above narrow them down." } }
        }
    }
}

fn row(index: usize, solution: &Solution, project: &Project, asked: &Form) -> Markup {
    let beside = |field: &str, other: &str| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair(field, &index.to_string());
        let stays = [other, "sort", "most-risk", "most-changed"];
        query.extend_pairs(asked.fields().filter(|(name, value)| stays.contains(name) && !value.is_empty()));
        format!("explore?{}", query.finish())
    };
    html! {
        tr #{ "release-" (index + 1) } .chosen[project.is_chosen(solution)] {
            th scope="row" { (index + 1) @if project.is_chosen(solution) { " ✓" span.hidden { " chosen" } } }
            td.actions {
                (chooser(index, solution, project, "row"))
                a href=(beside("a", "b")) aria-label={ "Show release " (index + 1) " on the left" } { "left" }
                " "
                a href=(beside("b", "a")) aria-label={ "Show release " (index + 1) " on the right" } { "right" }
            }
            td.number { (number(solution.value)) }
            td.number { (number(solution.highest_risk)) }
            td.number { (count(solution.suppressed)) }
            td.number { (count(solution.counterfeits)) }
            td.number { (count(solution.classes)) }
            td.levels { @for (at, (name, level)) in solution.levels.iter().enumerate() { @if at > 0 { ", " } (name) " " (level) } }
        }
    }
}

fn chooser(index: usize, solution: &Solution, project: &Project, place: &str) -> Markup {
    html! {
        @if !solution.set.is_empty() {
            button #{ "choose-" (place) "-" (index) } type="button" hx-post="explore/choose" hx-vals=(json!({"index": index}))
                disabled[project.is_chosen(solution)] aria-label={ "Choose release " (index + 1) } { "Choose" }
        }
    }
}

/// A number of the recipe, or the method's name.
async fn set(State(app): State<App>, form: Form) -> Response {
    let place: Vec<String> = form.text("place").split('.').map(str::to_owned).collect();
    let wanted = form.text("value").trim();
    let keys: Vec<&str> = place.iter().map(String::as_str).collect();
    let edits = match (&keys[..], number_of(wanted)) {
        (["method", "name"], _) => with_project(&app, |project| Ok(method_edits(project, wanted))),
        (["privacy" | "method", ..], Some(number)) => Ok(vec![Edit::Set(place.clone(), number)]),
        _ => Err(velamen_recipe::JobError::Usage(format!("`{wanted}`: expected a number"))),
    };
    let result = edits.and_then(|edits| with_project(&app, |project| project.change(&app.folders, &edits)));
    if result.is_ok() {
        begin(&app).await;
    }
    changed(&app, Step::Explore, &form, result)
}

/// Begins to look, and waits a moment: most answers are there then.
async fn begin(app: &App) {
    // The lock is gone before the wait.
    if let Some(project) = locked(&app.project).as_ref() {
        front(app, project);
    }
    app.worker.idle_within(PATIENCE).await;
}

fn number_of(text: &str) -> Option<Value> {
    let whole = text.parse::<i64>().map(Value::from).ok();
    whole.or_else(|| text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
}

/// Another method; keys that it does not know go with the old one.
fn method_edits(project: &Project, name: &str) -> Vec<Edit> {
    let known = REGISTRY.find(name).map(velamen_search::method::Entry::known_keys).unwrap_or_default();
    let keys = project.recipe().map(|recipe| recipe.method.keys).unwrap_or_default();
    let foreign = keys.keys().filter(|key| *key != "name" && !known.contains(key));
    let gone = foreign.map(|key| Edit::Remove(at(["method", key])));
    gone.chain([Edit::Set(at(["method", "name"]), name.into())]).collect()
}

async fn choose(State(app): State<App>, form: Form) -> Response {
    let edits = with_project(&app, |project| {
        let none = || velamen_recipe::JobError::Usage("there is no such release any more".into());
        let found = front(&app, project).ok_or_else(none)?;
        let index: usize = form.text("index").parse().map_err(|_| none())?;
        let solution = found.solutions.get(index).ok_or_else(none)?;
        solution.set.iter().map(|pair| Edit::of_flag(pair)).collect()
    });
    edit(&app, Step::Explore, &form, edits)
}

/// Takes the chosen levels out of the recipe.
async fn free(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let text = project.free_text();
        project.replace(&app.folders, text)
    });
    begin(&app).await;
    changed(&app, Step::Explore, &form, result)
}

async fn again(State(app): State<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        look(&app, project);
    }
    show(&app, Step::Explore, &form)
}
