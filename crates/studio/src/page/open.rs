//! Open: a file below the folder that was named, one that is dropped into the window, or the built-in sample.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use maud::{Markup, html};
use velamen_assess::profile::Profile;
use velamen_recipe::JobError;
use velamen_report::language::{mark, say, t};

use super::{Page, change, changed, count, go_on, show};
use crate::App;
use crate::folder::is_recipe;
use crate::form::Form;
use crate::project::{Opened, Project, open};
use crate::streams::append;
use crate::worker::locked;

/// The most bytes of a file that is dropped; larger ones are opened from a folder.
const MOST_BYTES: u64 = 2 << 30;

/// How long the page waits for a small table.
const PATIENCE: Duration = Duration::from_millis(1500);

pub(super) const PAGE: Page = Page::always("open", mark("Open"), view).routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/open/file", file);
    let router = change(router, "/open/folder", folder);
    let router = change(router, "/open/sample", sample);
    let router = change(router, "/open/keep", kept);
    change(router, "/open/drop", dropped)
}

fn view(app: &App, project: Option<&Project>) -> Markup {
    html! {
        h1 { (t("Open a table")) }
        p.lead { (t("Everything you do here becomes a line of the recipe, which the command line runs to the same bytes. Nothing leaves this machine.")) }
        @if let Some(project) = project {
            p.done {
                @if let Some(profile) = &project.profile {
                    (say!("{} is open: {} records, {} columns", html! { strong { (project.title) } }, count(profile.records), columns_of(project, profile)))
                } @else { (say!("{} is open", html! { strong { (project.title) } })) }
                ". " a href="attributes" { (t("Go on to its attributes")) } "."
            }
        }
        div.opening {
        @if app.folders.is_named() { (in_folder(app)) }
        (drop_zone(app))
        section aria-labelledby="sample-heading" {
            h2 #sample-heading { (t("The built-in sample")) }
            p { (t("Synthetic patients with age, sex, length of stay, district, surgery and diagnosis. None of them exists.")) }
            button #open-sample type="button" hx-post="open/sample" { (t("Open the sample")) }
        }
        }
    }
}

/// The columns of the table itself, without those that the recipe derives.
fn columns_of(project: &Project, profile: &Profile) -> usize {
    let derived = project.recipe().map(|recipe| recipe.derived).unwrap_or_default();
    profile.columns.iter().filter(|column| !derived.contains_key(&column.name)).count()
}

fn in_folder(app: &App) -> Markup {
    let files = app.folders.files();
    let (recipes, tables): (Vec<&String>, Vec<&String>) = files.iter().partition(|name| is_recipe(name));
    html! {
        section aria-labelledby="folder-heading" {
            h2 #folder-heading { (t("In the folder")) }
            p { code { (app.folders.base().display()) } }
            @if files.is_empty() { p { (t("There is no table or recipe in it.")) } }
            (linked_folders(&files))
            form hx-post="open/file" {
                @for (name, files) in [(t("Tables"), tables), (t("Recipes"), recipes)] {
                    @if !files.is_empty() {
                        h3 { (name) }
                        ul.files {
                            @for file in files { li { button type="submit" name="file" value=(file) { (file) } } }
                        }
                    }
                }
            }
        }
    }
}

/// The folders that hold linked tables of a known shape.
fn linked_folders(files: &[String]) -> Markup {
    // A release may not lie inside its input: the studio's own folder cannot be one.
    let (own, below): (Vec<&str>, Vec<&str>) = exports(files).into_iter().partition(|folder| *folder == OWN);
    html! {
        @if !below.is_empty() {
            form hx-post="open/folder" {
                h3 { (t("Folders of linked tables (OMOP, FHIR, Synthea)")) }
                ul.files {
                    @for folder in below {
                        li { button type="submit" name="folder" value=(folder) { (folder) } }
                    }
                }
            }
        }
        @if !own.is_empty() {
            p.note { (t("This folder looks like an export of linked tables. To release its linked tables, start the studio with the folder above it: a release does not lie inside its input.")) }
        }
    }
}

/// What the studio's own folder is called.
const OWN: &str = ".";

/// The folders whose files are those of a known shape.
fn exports(files: &[String]) -> Vec<&str> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| !is_recipe(file)) {
        let (folder, name) = file.rsplit_once('/').unwrap_or((OWN, file));
        folders.entry(folder).or_default().push(name);
    }
    let known = folders.into_iter().filter(|(_, names)| velamen_patients::shape_of(names).is_some());
    known.map(|(folder, _)| folder).collect()
}

fn drop_zone(app: &App) -> Markup {
    let many = app.folders.is_in_memory();
    html! {
        section aria-labelledby="drop-heading" {
            h2 #drop-heading { (t("A file of yours")) }
            div #drop.drop data-drop="open/drop" data-many=[many.then_some("open/keep")]
                data-taking=(t("Taking the file…")) data-taking-several=(t("Taking the files…")) {
                label for="file" { (t("Drop a table here, or choose one")) }
                input #file type="file" multiple[many] accept=".csv,.tsv,.txt,.gz,.zst,.parquet,.arrow,.feather,.ndjson,.xlsx,.xlsm,.xlsb,.xls,.ods,.toml";
                @if many {
                    label for="files" { (t("or a folder of linked tables")) }
                    input #files type="file" webkitdirectory;
                }
                p.note { @if many { (t("It stays in this page: nothing is sent, and the page forbids the browser every connection. Choose several files for a recipe with its hierarchies. All of it is gone when you close or reload the page.")) } @else { (kept_here(app)) } }
                p #drop-said role="status" {}
            }
        }
    }
}

fn kept_here(app: &App) -> Markup {
    say!(
        "It stays on this machine. A copy is kept in the private folder {} until the studio ends. Start {} to open files where they lie.",
        html! { code { (app.folders.own().display()) } },
        html! { code { "velamen studio DIR" } }
    )
}

async fn file(State(app): State<App>, form: Form) -> Response {
    match app.folders.below(form.text("file")) {
        Ok(path) => opened(&app, Opened::File(path)).await,
        Err(error) => changed(&app, &PAGE, &form, Err(error)),
    }
}

async fn folder(State(app): State<App>, form: Form) -> Response {
    match app.folders.below(form.text("folder")) {
        Ok(path) => opened(&app, Opened::Folder(path)).await,
        Err(error) => changed(&app, &PAGE, &form, Err(error)),
    }
}

async fn sample(State(app): State<App>) -> Response {
    opened(&app, Opened::Sample).await
}

/// Waits a moment: small tables are there at once, of others the progress is shown.
async fn opened(app: &App, what: Opened) -> Response {
    let number = || locked(&app.project).as_ref().map(|project| project.number);
    let before = number();
    open(app, what);
    app.worker.idle_within(PATIENCE).await;
    if number() == before {
        return show(app, &PAGE, &Form::default());
    }
    if let Some(project) = locked(&app.project).as_mut() {
        project.arrived = false;
    }
    go_on(app, &PAGE)
}

/// Takes a file, block by block, and opens it.
async fn dropped(State(app): State<App>, request: Request) -> Response {
    match taken(&app, request).await {
        Ok(target) => opened(&app, Opened::File(target)).await,
        Err(refused) => refused,
    }
}

/// Takes one of several files, which are opened from the list of them.
async fn kept(State(app): State<App>, request: Request) -> Response {
    match taken(&app, request).await {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(refused) => refused,
    }
}

/// Where the file lies that a request brings, or the answer if it cannot be taken.
async fn taken(app: &App, request: Request) -> Result<PathBuf, Response> {
    let Ok(_one) = app.receiving.try_acquire() else {
        return Err((StatusCode::CONFLICT, "Another file is being received.\n").into_response());
    };
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let name = url::form_urlencoded::parse(query).find(|(key, _)| key == "name");
    let name = name.map(|(_, name)| name.into_owned()).unwrap_or_default();
    let Some(target) = app.folders.place_for(&name) else {
        return Err((StatusCode::BAD_REQUEST, "The file has no name that can be kept.\n").into_response());
    };
    match received(&target, request.into_body()).await {
        Ok(()) => Ok(target),
        Err(error) => {
            // Whatever came is of no use.
            let _gone = std::fs::remove_file(&target);
            Err(changed(app, &PAGE, &Form::default(), Err(error)))
        }
    }
}

async fn received(target: &Path, body: Body) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(target, "keep the file", &error);
    let mut file = std::fs::File::create(target).map_err(failed)?;
    let (mut blocks, mut bytes) = (body.into_data_stream(), 0);
    while let Some(block) = blocks.next().await {
        let block = block
            .map_err(|_| JobError::unusable("the file did not arrive whole").mend("drop it once more"))?;
        bytes += block.len() as u64;
        if bytes > MOST_BYTES {
            return Err(JobError::too_large("the file is larger than 2 GiB")
                .mend("start `velamen studio DIR` with its folder"));
        }
        file = append(file, block).await.map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_the_table_of_persons_are_offered() {
        let files = ["a/PERSON.csv", "b/c/person.parquet", "persons.csv", "person.toml", "d/visit.csv"];
        let files = files.map(str::to_owned);
        assert_eq!(exports(&files), ["a", "b/c"]);
        assert_eq!(exports(&["person.csv.gz".to_owned()]), ["."]);
        assert_eq!(exports(&["fhir/Patient.ndjson", "fhir/Group.ndjson"].map(str::to_owned)), ["fhir"]);
    }
}
