//! Explore: the releases that no other beats, to choose one of. A change of a figure shows at once what it does.

mod solutions;

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_assess::profile::WHOLE_TABLE;
use velamen_contract::AskedFor;
use velamen_job::Solution;
use velamen_recipe::{Class, JobError, PrivacySection, Recipe};
use velamen_report::language::{mark, say, t};
use velamen_search::method::{Entry, REGISTRY, USUAL};

use super::methods::MethodChoice;
use super::{Page, change, changed, fixed, percent, show, status, with_project};
use crate::App;
use crate::edit::{Edit, at, edited};
use crate::form::Form;
use crate::front::{FoundFront, front, front_of, look};
use crate::levels::Levels;
use crate::project::Project;
use crate::told;
use crate::worker::locked;
use solutions::{GEOMETRIC, Shown, made_by, shown};

/// How long a change waits for its answer, before the page shows progress instead.
const PATIENCE: Duration = Duration::from_millis(700);

pub(super) const PAGE: Page = Page::new("explore", mark("Explore"), view)
    .after("promises")
    .keeps(&["sort", "most-risk", "most-changed", "a", "b", "levels"])
    .changes(&[("choose", choose)])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/explore/set", set);
    let router = change(router, "/explore/suppress", suppress);
    let router = change(router, "/explore/free", free);
    change(router, "/explore/again", again)
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let found = front(app, project);
    html! {
        h1 { (t("Explore")) }
        p.lead { (t("Each point is a release that no other beats in detail, in risk, and in records left as they are. Choose one.")) }
        (figures(project))
        @if project.has_chosen() {
            p.done { (t("The recipe fixes the levels of one release.")) " "
                button #free type="button" hx-post="explore/free" { (t("Leave the levels to the search")) } }
        }
        div #front {
            @match &found {
                Some(found) => (of_found(app, found, project, asked)),
                None => { (poll(asked)) p { (t("Looking…")) } }
            }
        }
    }
}

/// Asks for the front again while the look goes on. It has nothing inside that would inherit what it asks for.
fn poll(asked: &Form) -> Markup {
    html! { div hx-get=(super::address(&PAGE, asked)) hx-trigger="load delay:300ms" hx-target="#front" hx-select="#front" {} }
}

fn of_found(app: &App, found: &FoundFront, project: &Project, asked: &Form) -> Markup {
    let whole = found.whole.as_ref();
    let is_single = whole.is_some_and(|front| !front.nodes && front.note.is_none());
    html! {
        @if !found.is_over() { (poll(asked)) }
        @if let Some(what) = found.behind {
            p.care #behind { (status::behind(t("This search waits"), what)) " "
                button #again type="button" hx-post="explore/again" { (t("Search now")) } }
        }
        (mistake(found))
        @if let Some(note) = whole.and_then(|front| front.note.as_ref()) { p.care { (say!("No exact figure is shown before the release: {}", told::remark(note))) } }
        @if let Some(own) = found.solutions.first().filter(|_| is_single) {
            (single(project, own, found))
            (levels_instead(app, project, asked, Some(own)))
        } @else if found.solutions.is_empty() && is_refused(found, project) {
            (levels_instead(app, project, asked, None))
        } @else if !found.solutions.is_empty() {
            (summary(found))
            @if found.of_people { (of_people()) }
            (shown(&Shown { found, project, asked, method: None, beside: None, levels: &Levels::of(app, project) }))
        }
    }
}

/// Whether the method refuses the table's promises, and another one might keep them.
fn is_refused(found: &FoundFront, project: &Project) -> bool {
    let is_promise = |mistake: &velamen_recipe::Mistake| mistake.class() == Class::Promise;
    found.mistake.as_ref().is_some_and(is_promise) && method_of(project) != WHOLE_TABLE
}

fn mistake(found: &FoundFront) -> Markup {
    html! {
        @if let Some(mistake) = &found.mistake {
            @if mistake.is_interrupted() {
                p.care { (t("You stopped the search. What was found until then is shown; others may beat it.")) " "
                    button #again type="button" hx-post="explore/again" { (t("Search again")) } }
            } @else {
                div.alert role="alert" { (status::said(mistake)) }
            }
        }
    }
}

fn summary(found: &FoundFront) -> Markup {
    html! {
        p.summary role="status" {
            @let number = html! { strong { @if found.solutions.len() == 1 { (t("1 release")) } @else { (say!("{} releases", found.solutions.len())) } } };
            @match found.whole.as_ref() {
                Some(front) if front.partial => { (say!("{}, from some of the combinations of levels", number)) }
                Some(_) => { (say!("{}, from every combination of levels", number)) }
                None => { (say!("{} so far", number)) }
            }
            ". " span.note { (t("These figures are exact, and for you alone.")) }
        }
    }
}

/// The release of a method that makes one.
fn single(project: &Project, own: &Solution, found: &FoundFront) -> Markup {
    let of_people = found.of_people;
    html! {
        section aria-labelledby="single-heading" {
            h2 #single-heading { (say!("What {} makes", method_in_words(project))) }
            dl.facts {
                div { dt { (t("loss, geometric mean")) } dd { (fixed(own.value, 3)) } }
                div { dt { (t("highest risk")) } dd { (percent(own.highest_risk)) } }
                @if of_people { div { dt { (t("mean risk")) } dd { (percent(own.mean_risk)) } } }
                div { dt { (t("suppressed")) } dd { (super::count(own.suppressed)) } }
                div { dt { (t("classes")) } dd { (super::count(own.classes)) } }
            }
            @if found.by_records {
                p.note #by-records { (t("It chooses levels by records, and here a person can have several: so only the release that it makes now is shown, and there is nothing to choose. Change a figure above, or choose levels for the whole table below.")) }
            } @else {
                p.note { (t("It recodes each group of records by itself, so it makes one release and leaves nothing to choose. Change k above, or look below.")) }
            }
            @if of_people { (self::of_people()) }
            p.note { (t(GEOMETRIC)) }
        }
    }
}

/// What the risks count where a person can have several records.
fn of_people() -> Markup {
    html! {
        p.note #of-people { (t("The risks count people: each is as easy to find as by the largest share of a class's records that are hers.")) }
    }
}

/// The front of the search over whole-table levels, beside a method that has none.
fn levels_instead(app: &App, project: &Project, asked: &Form, own: Option<&Solution>) -> Markup {
    let text =
        project.recipe().ok().and_then(|recipe| edited(&project.free_text(), &whole_table(&recipe)).ok());
    let Some(text) = text else { return html! {} };
    let wanted = !project.is_large() || !asked.text("levels").is_empty();
    let found = wanted.then(|| front_of(app, project, text)).flatten();
    html! {
        section #levels-instead aria-labelledby="levels-heading" {
            h2 #levels-heading { (t("What whole-table levels would give")) }
            p { (say!("Here each attribute has one level for all records: easier to explain and to analyse, at some loss of detail. Choosing one sets the method to {}.", html! { code { (WHOLE_TABLE) } })) }
            @match &found {
                None if !wanted => a.button #look-for-levels href="explore?levels=yes" { (t("Look for them")) },
                None => { (poll(asked)) p { (t("Looking…")) } }
                Some(found) => {
                    @if !found.is_over() { (poll(asked)) }
                    (mistake(found))
                    @if !found.solutions.is_empty() {
                        (summary(found))
                        (shown(&Shown { found, project, asked, method: Some(WHOLE_TABLE), beside: own, levels: &Levels::of(app, project) }))
                    }
                }
            }
        }
    }
}

fn method_of(project: &Project) -> String {
    let recipe = project.recipe().ok();
    let named = recipe.as_ref().and_then(|recipe| recipe.method.keys.get("name").and_then(Value::as_str));
    named.unwrap_or(USUAL.name).to_owned()
}

/// The method with what it does group by group.
fn method_in_words(project: &Project) -> Markup {
    let keys = project.recipe().map(|recipe| recipe.method.keys).unwrap_or_default();
    let by_group = BY_GROUP.iter().filter(|(key, _)| keys.get(*key) == Some(&Value::Bool(true)));
    html! { code { (method_of(project)) } @for (_, words) in by_group { " " (t(words)) } }
}

/// The numbers of models and method, as the recipe has them, and the method's name.
fn figures(project: &Project) -> Markup {
    let Ok(recipe) = project.recipe() else { return html! {} };
    let method = method_of(project);
    let models = recipe.privacy.iter().enumerate().flat_map(|(number, section)| {
        let own = section.parameters.iter().filter(|(_, value)| value.is_number());
        own.map(move |(key, value)| {
            (format!("privacy.{number}.{key}"), format!("{}: {key}", called(section)), value.clone())
        })
    });
    let is_shown = |key: &str, value: &Value| value.is_number() && key != SUPPRESSION;
    let own = recipe.method.keys.iter().filter(|(key, value)| is_shown(key, value));
    let own = own.map(|(key, value)| (format!("method.{key}"), key.clone(), value.clone()));
    let choice = MethodChoice {
        chosen: &method,
        post: "explore/set",
        field: "value",
        trigger: "change",
        vals: Some(json!({"place": "method.name"}).to_string()),
        offers: |entry| entry.written() == entry.name,
    };
    html! {
        div.figures {
            @for (place, label, value) in models.chain(own) { (figure(&place, &label, &value)) }
            (suppression(&recipe))
            (choice.view(t("Method")))
        }
    }
}

/// A model with the attribute that it looks at, as one can stand for several attributes.
fn called(section: &PrivacySection) -> String {
    let parameters = Value::Object(section.parameters.clone());
    let of = AskedFor(&parameters).attribute();
    of.map_or_else(|| section.model.clone(), |of| format!("{} ({of})", section.model))
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

/// The key of the share of records that may be suppressed.
const SUPPRESSION: &str = "suppression-limit";

/// The share that the recipe allows to suppress, as the method takes it; `None` where the method knows no limit.
fn limit(recipe: &Recipe) -> Option<f64> {
    let (entry, keys) = velamen_search::method::find(&recipe.method.keys).ok()?;
    let known = entry.known_keys().iter().any(|key| key == SUPPRESSION);
    known.then(|| keys.get(SUPPRESSION).and_then(Value::as_f64).unwrap_or(0.0))
}

/// How many records may be suppressed, as a slider that is there whatever the recipe says.
fn suppression(recipe: &Recipe) -> Markup {
    let limit = limit(recipe);
    let share = 100.0 * limit.unwrap_or(0.0);
    let most = if share > 50.0 { 100 } else { 50 };
    html! {
        div.field {
            label for="at-most" { (t("Suppress at most, % of records")) }
            span.slider {
                input #at-most type="range" name="percent" min="0" max=(most) step="0.5" value=(share) disabled[limit.is_none()]
                    hx-post="explore/suppress" hx-trigger="change" data-shown-in="at-most-shown";
                output #at-most-shown for="at-most" { @if limit.is_some() { (share) " %" } @else { (t("the method has no limit")) } }
            }
        }
    }
}

/// Another limit of suppression, in percent.
async fn suppress(State(app): State<App>, form: Form) -> Response {
    let percent = form.text("percent").parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
    let wrong = || JobError::usage("how many records may be suppressed is a share from 0 to 100 %");
    // A tenth of a percent, without the digits of a division.
    let edits = percent.ok_or_else(wrong).map(|percent| {
        vec![Edit::Set(at(["method", SUPPRESSION]), json!((percent * 10.0).round() / 1000.0))]
    });
    let result = edits.and_then(|edits| with_project(&app, |project| project.change(&app.folders, &edits)));
    if result.is_ok() {
        begin(&app).await;
    }
    changed(&app, &PAGE, &form, result)
}

/// A number of the recipe, or the method's name.
async fn set(State(app): State<App>, form: Form) -> Response {
    let place: Vec<String> = form.text("place").split('.').map(str::to_owned).collect();
    let wanted = form.text("value").trim();
    let keys: Vec<&str> = place.iter().map(String::as_str).collect();
    let edits = match (&keys[..], number_of(wanted)) {
        (["method", "name"], _) => with_project(&app, |project| Ok(with_method(&project.recipe()?, wanted))),
        (["privacy" | "method", ..], Some(number)) => Ok(vec![Edit::Set(place.clone(), number)]),
        _ => Err(JobError::usage(format!("`{wanted}`: a wrong value")).expected("a number")),
    };
    let result =
        edits.and_then(|edits| with_project(&app, |project| project.change_values(&app.folders, &edits)));
    if result.is_ok() {
        begin(&app).await;
    }
    changed(&app, &PAGE, &form, result)
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
fn with_method(recipe: &Recipe, name: &str) -> Vec<Edit> {
    let known = REGISTRY.find(name).map(Entry::known_keys).unwrap_or_default();
    let foreign = recipe.method.keys.keys().filter(|key| *key != "name" && !known.contains(key));
    let gone = foreign.map(|key| Edit::Remove(at(["method", key])));
    gone.chain([Edit::Set(at(["method", "name"]), name.into())]).collect()
}

/// Keys with which a method gives groups of records levels of their own.
const BY_GROUP: [(&str, &str); 2] =
    [("local-recoding", mark("with local recoding")), ("cell-suppression", mark("with cell suppression"))];

/// The edits that make one level for the whole table of what the recipe's method does.
fn whole_table(recipe: &Recipe) -> Vec<Edit> {
    let by_group = BY_GROUP.iter().filter(|(key, _)| recipe.method.keys.contains_key(*key));
    let gone = by_group.map(|(key, _)| Edit::Remove(at(["method", key])));
    gone.chain(with_method(recipe, WHOLE_TABLE)).collect()
}

/// The edits that make the recipe name a release of the front, by what makes it or by its index.
fn choice(app: &App, project: &Project, form: &Form) -> Result<Vec<Edit>, JobError> {
    let recipe = project.recipe()?;
    let (method, found) = match form.text("method") {
        "" => (Vec::new(), front(app, project)),
        WHOLE_TABLE => {
            let method = whole_table(&recipe);
            let text = edited(&project.free_text(), &method)?;
            (method, front_of(app, project, text))
        }
        _ => return Err(no_such_release()),
    };
    let index: usize = form.text("index").parse().map_err(|_| no_such_release())?;
    let found = found.ok_or_else(no_such_release)?;
    let solution = match form.text("set") {
        "" => found.solutions.get(index),
        set => found.solutions.iter().find(|solution| made_by(solution) == set),
    };
    let solution = solution.ok_or_else(no_such_release)?;
    let levels = solution.set.iter().map(|pair| Edit::of_flag(pair));
    method.into_iter().map(Ok).chain(levels).collect()
}

fn no_such_release() -> JobError {
    JobError::usage("there is no such release any more")
}

fn choose(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    with_project(app, |project| choice(app, project, form))
}

/// Takes the chosen levels out of the recipe.
async fn free(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let text = project.free_text();
        project.replace(&app.folders, text)
    });
    begin(&app).await;
    changed(&app, &PAGE, &form, result)
}

async fn again(State(app): State<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        look(&app, project);
    }
    show(&app, &PAGE, &form)
}

#[cfg(test)]
mod tests;
