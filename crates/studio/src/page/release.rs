//! Release: what will be written where, the estimate, the run, its findings and its public report.

use std::io::Seek as _;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use velamen_job::estimate::{Estimate, size};
use velamen_recipe::{JobError, custodian_of};
use velamen_report::language::{mark, say, t};
use velamen_search::method::{Records, released_facts};

use super::findings::findings;
use super::made::{Age, made_where};
use super::{Page, change, changed, count, fixed, number, sections, show, status, with_project};
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::pack::pack;
use crate::project::Project;
use crate::run::{Run, begin, begin_estimate, estimated, files, released_file, save};
use crate::shell::quoted;
use crate::streams::{apart, streamed, text_of};
use crate::told;
use crate::worker::locked;

/// How long the page waits for a small table.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

pub(super) const PAGE: Page = Page::new("release", mark("Release"), view)
    .after("risk")
    .changes(&[("output", output), ("seed", seed), ("section", sections::change)])
    .routes(routes);

fn routes() -> Router<App> {
    let router =
        Router::new().route("/report", get(report)).route("/file", get(file)).route("/packed", get(packed));
    let router = change(router.route("/evidence", get(form)), "/release/evidence", evidence);
    let router = change(router, "/release/estimate", estimate);
    let router = change(router, "/release/save", save_recipe);
    change(router, "/release/run", run)
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let last = locked(&app.runs).last.clone();
    html! {
        h1 { (t("Release")) }
        p.lead { (t("The checker reads the written file and checks every promise. Only then do both folders appear.")) }
        (places(app, project))
        (sections::REPORT.view(project, PAGE.path, asked))
        (estimate_of(app, project))
        section aria-labelledby="run-heading" {
            h2 #run-heading { (t("Make it")) }
            form hx-post="release/run" {
                (overwrite("run-overwrite", t("Replace a release of this name")))
                button.main #run type="submit" { (t("Make the release")) }
            }
        }
        @if let Some(last) = &last { (made(app, last, Age::of(app, last.text == project.text()))) }
        (by_command(app, project))
    }
}

pub(super) fn overwrite(id: &str, label: &str) -> Markup {
    html! { p.check { input #(id) type="checkbox" name="overwrite" value="yes"; " " label for=(id) { (label) } } }
}

fn places(app: &App, project: &Project) -> Markup {
    let Ok(recipe) = project.recipe() else {
        return html! { p.care { (t("The recipe does not read yet; see beside.")) } };
    };
    let release = &recipe.output.path;
    let shown = release.strip_prefix(app.folders.base()).unwrap_or(release);
    html! {
        section aria-labelledby="where-heading" {
            h2 #where-heading { (t("What is written where")) }
            div.field {
                label for="output" { (say!("Folder of the release, below {}", html! { code { (app.folders.base().display()) } })) }
                input #output name="output" value=(shown.display()) hx-post="release/output" hx-trigger="change";
            }
            dl.places {
                dt { (t("To hand over or publish")) } dd { code { (release.display()) } }
                dt { (t("For you alone: never publish it")) } dd { code { (custodian_of(release).display()) } }
            }
            @if !app.folders.is_named() {
                p.care { (say!("This folder is private and goes when the studio ends. Take the files below with you, or start {} with the folder of your table.", html! { code { "velamen studio DIR" } })) }
            }
            @match recipe.method.seed {
                // Below a release its warnings say that the seed is a secret.
                Some(_) => p { (t("The recipe fixes a seed: every run gives the same bytes.")) " "
                    @if locked(&app.runs).last.is_none() { (t("Keep the recipe as secret as the data.")) " " }
                    button #seed type="button" hx-post="release/seed" hx-vals=(json!({"fixed": "no"})) { (t("Take the seed out")) } },
                None => p { (t("Without a seed, methods that draw give other records in every run.")) " "
                    button #seed type="button" hx-post="release/seed" hx-vals=(json!({"fixed": "yes"})) { (t("Fix a seed")) } },
            }
        }
    }
}

fn estimate_of(app: &App, project: &Project) -> Markup {
    html! {
        section aria-labelledby="estimate-heading" {
            h2 #estimate-heading { (t("What it takes")) }
            @match estimated(app, project) {
                Some(Ok(estimate)) => (figures(&estimate)),
                Some(Err(mistake)) => div.alert role="alert" { (status::said(&mistake)) },
                None => button #estimate type="button" hx-post="release/estimate" { (t("Estimate memory, disk and time")) },
            }
        }
    }
}

fn figures(estimate: &Estimate) -> Markup {
    let seconds = estimate
        .cpu_seconds
        .map_or(t("no estimate").to_owned(), |seconds| format!("{} s", fixed(seconds, 1)));
    html! {
        dl.facts {
            div { dt { (t("records")) } dd { (count(estimate.records)) } }
            div { dt { (t("distinct combinations")) } dd { (count(estimate.combinations as u64)) } }
            div { dt { (t("combinations of levels")) } dd { (number(estimate.nodes)) } }
            div { dt { (say!("memory ({})", in_words(estimate.memory.fits))) } dd { (size(estimate.memory.needed)) } }
            div { dt { (say!("disk ({})", in_words(estimate.disk.fits))) } dd { (size(estimate.disk.needed)) } }
            div { dt { (t("processor time")) } dd { (seconds) } }
        }
    }
}

fn in_words(fits: bool) -> &'static str {
    if fits { t("fits") } else { t("does not fit") }
}

/// The last release: what was reached, and its files.
fn made(app: &App, run: &Run, age: Age) -> Markup {
    let outcome = &run.outcome;
    let manifest = &outcome.manifest;
    let invented = are_invented(manifest.method.entries());
    html! {
        section #made aria-labelledby="made-heading" {
            h2 #made-heading { (t("The release")) }
            (made_where(&outcome.release, age))
            dl.facts {
                div { dt { (t("records")) } dd { (count(manifest.records)) } }
                @if !invented {
                    div { dt { (t("suppressed")) } dd { (count(manifest.suppressed)) } }
                    @if let Some(counterfeits) = manifest.counterfeits { div { dt { (t("counterfeits")) } dd { (count(counterfeits)) } } }
                    div { dt { (t("classes")) } dd { (count(manifest.classes)) } }
                }
            }
            @for warning in &outcome.warnings { p.care { (told::remark(warning)) } }
            (findings(outcome.findings.iter().filter(|finding| !invented || !OF_CLASSES.contains(&&*finding.promise))))
            (crate::evidence::section(app, "release", &outcome.release))
            (handed_over(&outcome.release))
        }
    }
}

/// What the checker counts that says nothing of invented records: nobody is behind their classes, and none was suppressed.
const OF_CLASSES: [&str; 4] = ["classes", "suppressed", "suppressed-records", "suppression-limit"];

/// Whether the records of a release are nobody's.
fn are_invented(method: &Map<String, Value>) -> bool {
    released_facts(method).is_some_and(|facts| facts.records == Records::Invented)
}

/// The files of a release and its page.
pub(super) fn handed_over(release: &std::path::Path) -> Markup {
    html! {
        h3 { (t("Take it with you")) }
        div.taken {
            a.button #save-release href="packed?folder=release" download=(packed_name(release)) { (t("Save the release (ZIP)")) }
            a.button #save-custodian href="packed?folder=custodian" download=(packed_name(&custodian_of(release))) { (t("Save the custodian's folder (ZIP)")) }
            a.button #print-report href="report" target="_blank" rel="noopener" { (t("Print the report, or save it as PDF")) }
        }
        p.note { (t("The custodian's folder is for you alone. The report opens in a window of its own: print it there, or choose \"Save as PDF\" as the printer.")) }
        h3 { (t("Files")) }
        ul.files {
            @for name in files(release) {
                li { a.button href=(format!("file?{}", query("name", &name))) download=(name.rsplit('/').next().unwrap_or(&name)) { (name) } }
            }
        }
        h3 { (t("The public report")) }
        iframe #public-report src="report" sandbox title=(t("The public report")) loading="lazy" {}
    }
}

fn query(name: &str, value: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
}

/// The command that makes the same of the saved recipe.
pub(super) fn command(project: &Project) -> Markup {
    let name = project.path.file_name().unwrap_or_default().to_string_lossy();
    html! { pre #command { "velamen anonymize " (quoted(&name)) } }
}

/// From a page's memory the recipe is saved as files are elsewhere.
pub(super) fn taken_along(app: &App, project: &Project) -> Markup {
    let name = project.path.file_name().unwrap_or_default().to_string_lossy();
    html! {
        @if app.folders.is_in_memory() { p { a.button #take-recipe href="recipe" download=(name) { (t("Take the recipe with you")) } } }
    }
}

fn by_command(app: &App, project: &Project) -> Markup {
    html! {
        section aria-labelledby="command-heading" {
            h2 #command-heading { (t("The same by command")) }
            p { (saved_as(project)) }
            (command(project))
            (save_form(app))
            (taken_along(app, project))
        }
    }
}

/// What the command makes: the same bytes where a seed is fixed, else what a further run makes here.
fn saved_as(project: &Project) -> Markup {
    let path = html! { code { (project.path.display()) } };
    match project.recipe().is_ok_and(|recipe| recipe.method.seed.is_some()) {
        true => {
            say!(
                "The recipe beside is all there is to it. Saved as {}, the command line makes the same release:",
                path
            )
        }
        false => {
            say!(
                "The recipe beside is all there is to it. Saved as {}, the command line makes a release by it:",
                path
            )
        }
    }
}

fn save_form(app: &App) -> Markup {
    html! {
        form.inline hx-post="release/save" {
            button #save type="submit" { (t("Save the recipe")) }
            (overwrite("save-overwrite", t("Replace what is there")))
            @if !app.folders.is_named() { span.note { (t("into the private folder; copy its text to keep it")) } }
        }
    }
}

pub(super) fn output(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let wanted = form.text("output").trim();
    app.folders.below(wanted)?;
    Ok(vec![Edit::Set(at(["output", "path"]), relative(app, wanted))])
}

/// The folder as the recipe writes it: from where the recipe stands.
fn relative(app: &App, wanted: &str) -> Value {
    let base = with_project(app, |project| Ok(project.path.parent().map(std::path::Path::to_owned)));
    let base = base.ok().flatten().unwrap_or_default();
    Value::from(velamen_job::outputs::relative(&app.folders.base().join(wanted), &base))
}

fn seed(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let place = at(["method", "seed"]);
    match form.text("fixed") {
        "yes" => Ok(vec![Edit::Set(place, fresh_seed()?.into())]),
        _ => Ok(vec![Edit::Remove(place)]),
    }
}

/// 256 bits, as recipes write them.
fn fresh_seed() -> Result<String, JobError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| JobError::unusable(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn estimate(State(app): State<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_estimate(&app, project);
    }
    app.worker.idle_within(PATIENCE).await;
    show(&app, &PAGE, &form)
}

async fn run(State(app): State<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin(&app, project, form.text("overwrite") == "yes");
    }
    app.worker.idle_within(PATIENCE).await;
    show(&app, &PAGE, &form)
}

async fn evidence(State(app): State<App>, form: Form) -> Response {
    let begun = crate::evidence::begin(&app, &form);
    app.worker.idle_within(PATIENCE).await;
    changed(&app, &PAGE, &form, begun)
}

async fn save_recipe(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| save(&app, project, form.text("overwrite") == "yes"));
    changed(&app, &PAGE, &form, result)
}

/// The public report as it was written.
async fn report(State(app): State<App>) -> Response {
    let Some(release) = locked(&app.runs).release.clone() else { return missing() };
    let Ok(page) = text_of(&release.join("report.html")).await else { return missing() };
    alone(page)
}

/// The form that was filled last, as a page of its own in the same way.
async fn form(State(app): State<App>) -> Response {
    let page = locked(&app.runs).form.as_ref().map(|form| form.page.clone());
    page.map_or_else(missing, alone)
}

/// A page of its own, that may load nothing and run nothing.
fn alone(page: String) -> Response {
    let policy = format!(
        "default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
        styles(&page)
    );
    // The page Release shows it in a frame; nobody else does.
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::X_FRAME_OPTIONS, "SAMEORIGIN")];
    let mut response = (headers, page).into_response();
    response
        .headers_mut()
        .extend(HeaderValue::from_str(&policy).ok().map(|value| (header::CONTENT_SECURITY_POLICY, value)));
    response
}

/// The page's own style sheet by its hash.
fn styles(page: &str) -> String {
    let sheet = page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    sheet.map_or_else(|| "'none'".into(), |(sheet, _)| format!("'sha256-{}'", base64(&Sha256::digest(sheet))))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| char::from(DIGITS[(bits & 63) as usize]);
    let group = |chunk: &[u8]| -> String {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        let digits = (0..4).map(|at| if at <= chunk.len() { digit(bits >> (18 - 6 * at)) } else { '=' });
        digits.collect()
    };
    bytes.chunks(3).map(group).collect()
}

/// A file of the last release, to be kept elsewhere.
async fn file(State(app): State<App>, form: Form) -> Response {
    let release = locked(&app.runs).release.clone();
    let path = release.and_then(|release| released_file(&release, form.text("name")));
    let Some(path) = path else { return missing() };
    let Ok(file) = std::fs::File::open(&path) else { return missing() };
    let headers =
        [(header::CONTENT_TYPE, "application/octet-stream"), (header::CONTENT_DISPOSITION, "attachment")];
    (headers, streamed(file)).into_response()
}

/// The name under which a folder is saved.
fn packed_name(folder: &std::path::Path) -> String {
    format!("{}.zip", folder.file_name().unwrap_or_default().to_string_lossy())
}

/// The last release, or what is the custodian's of it, as one file.
async fn packed(State(app): State<App>, form: Form) -> Response {
    let release = locked(&app.runs).release.clone();
    let folder = release.map(|release| match form.text("folder") {
        "custodian" => custodian_of(&release),
        _ => release,
    });
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else { return missing() };
    let own = app.folders.own().to_owned();
    let file = match apart(move || packed_in(&own, &folder)).await {
        Some(Ok(file)) => file,
        Some(Err(error)) => {
            return (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response();
        }
        None => return missing(),
    };
    let headers = [(header::CONTENT_TYPE, "application/zip"), (header::CONTENT_DISPOSITION, "attachment")];
    (headers, streamed(file)).into_response()
}

/// A folder as one file without a name, in another folder.
fn packed_in(own: &std::path::Path, folder: &std::path::Path) -> Result<std::fs::File, JobError> {
    let failed = |error: std::io::Error| JobError::io(own, "write in", &error);
    let mut file = tempfile::tempfile_in(own).map_err(failed)?;
    pack(folder, &file)?;
    file.rewind().map_err(failed)?;
    Ok(file)
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "There is no release yet.\n").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn the_style_sheet_is_named_by_its_hash() {
        let page = "<style>a{}</style>";
        assert_eq!(styles(page).len(), "'sha256-'".len() + 44);
        assert_eq!(styles("<p>"), "'none'");
    }
}
