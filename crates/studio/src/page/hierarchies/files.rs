//! Hierarchies in files: found in the folder by name, dropped into the window, saved beside the recipe.

use axum::Router;
use axum::extract::{Path as Part, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use velamen_recipe::hierarchy::read_file;
use velamen_recipe::keys::foreign_beside;
use velamen_recipe::{AttributeSection, HierarchySection, JobError, Recipe};
use velamen_report::language::{say, t};

use super::table::rows_of;
use super::{base, below, change, finished, read_column, set, with_project};
use crate::App;
use crate::edit::{Edit, at, without};
use crate::form::Form;
use crate::project::Project;
use crate::rows::HierarchyRows;

/// The most bytes of a hierarchy that is dropped.
const MOST_BYTES: usize = 16 << 20;

pub(super) fn routes(router: Router<App>) -> Router<App> {
    let router = change(router, "/hierarchies/match", matched);
    let router = change(router, "/hierarchies/save", save);
    let router = change(router, "/hierarchies/drop", dropped_by_name);
    change(router, "/hierarchies/drop/{number}", dropped)
}

/// The files that can be hierarchies, by their names from the recipe's folder.
pub(super) fn names(app: &App, project: &Project) -> Vec<String> {
    let table = project.recipe().ok().and_then(|recipe| recipe.input.path);
    let is_other = |name: &&String| table.as_ref() != Some(&app.folders.base().join(name));
    let relative = |name: &String| {
        let path = app.folders.base().join(name);
        Some(path.strip_prefix(base(project)).ok()?.display().to_string())
    };
    let files = app.folders.files();
    files.iter().filter(|name| name.ends_with(".csv")).filter(is_other).filter_map(relative).collect()
}

/// Attributes without a file's hierarchy, with the files of the folder that are named after them: those without any
/// hierarchy, and those whose hierarchy is a rule.
fn waiting(app: &App, project: &Project, recipe: &Recipe) -> [Vec<(String, String)>; 2] {
    let files = names(app, project);
    let hierarchy = |name: &str| recipe.attributes[name].hierarchy.as_ref();
    let found = super::names(recipe)
        .into_iter()
        .filter(|name| hierarchy(name).is_none_or(|own| own.file().is_none()))
        .filter_map(|name| Some((name.to_owned(), file_for(&files, name)?.clone())));
    let (without, with) = found.partition(|(name, _)| hierarchy(name).is_none());
    [without, with]
}

/// All files of the folder that are named after an attribute.
pub(super) fn matching(app: &App, project: &Project, recipe: &Recipe) -> Markup {
    let [without, with] = waiting(app, project, recipe).map(|found| found.len());
    html! {
        @if without == 0 && with > 0 {
            form.inline hx-post="hierarchies/match" {
                span.note { @if with == 1 { (t("1 file of the folder is named after an attribute with another hierarchy.")) }
                    @else { (say!("{} files of the folder are named after attributes with another hierarchy.", with)) } }
                button #match-all type="submit" name="all" value="yes" { @if with == 1 { (t("Take it instead")) } @else { (t("Take them instead")) } }
            }
        }
        @if without > 0 {
            form.care.inline hx-post="hierarchies/match" {
                span { @if without == 1 { (t("1 file of the folder is named after attributes that have no hierarchy yet.")) }
                    @else { (say!("{} files of the folder are named after attributes that have no hierarchy yet.", without)) } }
                button #match type="submit" { @if without == 1 { (t("Take it")) } @else { (t("Take them all")) } }
                @if with > 0 {
                    button #match-all type="submit" name="all" value="yes" { @if with == 1 { (t("Take them all, and one in place of another hierarchy")) } @else { (say!("Take them all, and {} in place of other hierarchies", with)) } }
                }
            }
        }
    }
}

/// Where the hierarchy can be saved, and another one taken from.
pub(super) fn saving(project: &Project, name: &str, attribute: &AttributeSection) -> Markup {
    let is_file = attribute.hierarchy.as_ref().is_some_and(|section| section.file().is_some());
    let recipe = project.recipe();
    let number = recipe.ok().and_then(|recipe| recipe.attributes.keys().position(|other| other == name));
    html! {
        section.on-screen aria-labelledby="files-heading" {
            h2 #files-heading { (t("Its file")) }
            @if attribute.hierarchy.is_some() && !is_file {
                form.bar hx-post="hierarchies/save" {
                    input type="hidden" name="attribute" value=(name);
                    label for="save-as" { (t("Save beside the recipe as")) }
                    input #save-as type="text" name="file" value=(free_name(project, name)) autocomplete="off";
                    button #save type="submit" { (t("Save")) }
                    span.note { (t("One row a value, as ARX writes and reads it. The recipe names the file then.")) }
                }
            }
            @if let Some(number) = number {
                div.drop data-drop={ "hierarchies/drop/" (number) } data-many="hierarchies/drop" data-taking=(t("Taking the file…")) data-taking-several=(t("Taking the files…")) {
                    label for="hierarchy-file" { (t("Drop hierarchies of ARX here, or choose them")) }
                    input #hierarchy-file type="file" accept=".csv,.txt" multiple;
                    p.note { (say!("One row a value, without header: {}. One file is for {}; several go to the attributes that they are named after.", html! { code { (t("value;level 1;…;*")) } }, name)) }
                    p role="status" {}
                }
            }
        }
    }
}

/// A name that no file has.
fn free_name(project: &Project, name: &str) -> String {
    let plain: String =
        name.chars().map(|sign| if sign.is_alphanumeric() || sign == '-' { sign } else { '_' }).collect();
    let named = |number: u32| match number {
        1 => format!("{plain}.hierarchy.csv"),
        number => format!("{plain}.hierarchy-{number}.csv"),
    };
    let is_free = |file: &String| !base(project).join(file).exists();
    (1..).map(named).find(is_free).unwrap_or_default()
}

pub(super) async fn save(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let (recipe, name, file) = (project.recipe()?, form.text("attribute"), form.text("file").trim());
        let unknown = || JobError::usage("the recipe has no such attribute");
        let attribute = recipe.attributes.get(name).ok_or_else(unknown)?;
        if !file.ends_with(".csv") {
            return Err(JobError::usage("the name of a hierarchy's file ends in .csv"));
        }
        let path = below(&app, project, file)?;
        let column = read_column(&app, project, &recipe, name)?;
        let rows = rows_of(&app, project, attribute, &column)?;
        velamen_job::hierarchy::write(rows.rows(), &path)?;
        set(&app, project, name, Some(file.into()))
    });
    finished(&app, &form, result)
}

/// A name in small letters and digits alone.
fn folded(name: &str) -> String {
    name.to_lowercase().chars().filter(|sign| sign.is_alphanumeric()).collect()
}

/// The file that is named after an attribute: the shortest name that ends in it.
fn file_for<'f>(files: &'f [String], name: &str) -> Option<&'f String> {
    let name = folded(name);
    let is_named = |file: &&String| {
        let stem = stem(file);
        !name.is_empty() && (stem.ends_with(&name) || stem == format!("{name}hierarchy"))
    };
    files.iter().filter(is_named).min_by_key(|file| file.len())
}

fn stem(file: &str) -> String {
    folded(file.rsplit('/').next().unwrap_or(file).trim_end_matches(".csv"))
}

pub(super) async fn matched(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| {
        let mut edits = Vec::new();
        let [mut found, with] = waiting(&app, project, &project.recipe()?);
        if form.text("all") == "yes" {
            found.extend(with);
        }
        for (name, file) in found {
            let path = below(&app, project, &file)?;
            // A table that happens to be named so is none.
            if read_file(&path).and_then(HierarchyRows::new).is_ok() {
                let section = HierarchySection::File(path);
                edits.extend(without(&name, foreign_beside(Some(&section))));
                edits.push(Edit::Set(at(["attributes", &name, "hierarchy"]), file.into()));
            }
        }
        match edits.is_empty() {
            true => Err(JobError::usage(
                "no file of the folder is named after an attribute and holds a hierarchy",
            )),
            false => project.change(&app.folders, &edits),
        }
    });
    finished(&app, &form, result)
}

/// A hierarchy that is dropped on an attribute's page: its rows stand in the recipe.
async fn dropped(State(app): State<App>, Part(number): Part<usize>, request: Request) -> Response {
    received(&app, request, |recipe, _| recipe.attributes.keys().nth(number).cloned()).await
}

/// One of several hierarchies that are dropped together: it belongs to the attribute that it is named after.
async fn dropped_by_name(State(app): State<App>, request: Request) -> Response {
    received(&app, request, |recipe, file| {
        let files = [file.to_owned()];
        let named = super::names(recipe).into_iter().filter(|name| file_for(&files, name).is_some());
        // `age` ends `language`, too.
        named.max_by_key(|name| name.len()).map(str::to_owned)
    })
    .await
}

async fn received(app: &App, request: Request, whose: impl Fn(&Recipe, &str) -> Option<String>) -> Response {
    let query = request.uri().query().unwrap_or_default().as_bytes();
    let file =
        url::form_urlencoded::parse(query).find(|(key, _)| key == "name").map(|(_, name)| name.into_owned());
    let file = file.unwrap_or_default();
    let Ok(bytes) = axum::body::to_bytes(request.into_body(), MOST_BYTES).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "The file is larger than 16 MiB.\n").into_response();
    };
    let result = with_project(app, |project| {
        let recipe = project.recipe()?;
        let nobody = || JobError::usage(format!("{file}: no attribute is named so"));
        let name = whose(&recipe, &file).ok_or_else(nobody)?;
        let failed =
            |error: std::io::Error| JobError::unusable(format!("cannot keep the hierarchy: {error}"));
        let kept = tempfile::NamedTempFile::new_in(app.folders.own()).map_err(failed)?;
        std::fs::write(kept.path(), &bytes).map_err(failed)?;
        let rows = read_file(kept.path()).and_then(HierarchyRows::new)?;
        take(app, project, &recipe, &name, &rows)
    });
    match result {
        Ok(()) => "The hierarchy is in the recipe.\n".into_response(),
        Err(error) => (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
    }
}

/// Puts rows into the recipe. The column need not be there yet: rows are rows, and the picture counts what they lack.
fn take(
    app: &App,
    project: &mut Project,
    recipe: &Recipe,
    name: &str,
    rows: &HierarchyRows,
) -> Result<(), JobError> {
    let attribute = &recipe.attributes[name];
    let section: HierarchySection =
        serde_json::from_value(rows.json()).map_err(|error| JobError::usage(error.to_string()))?;
    let mut edits = without(name, foreign_beside(Some(&section)));
    edits.push(Edit::Set(at(["attributes", name, "hierarchy"]), rows.json()));
    edits.extend(without(name, &attribute.levels_above(rows.top() as u8)));
    project.change(&app.folders, &edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_an_attributes_name() {
        let files = [
            "adult.csv",
            "adult_hierarchy_age.csv",
            "adult_hierarchy_native-country.csv",
            "sex.csv",
            "zip.hierarchy.csv",
        ];
        let files = files.map(str::to_owned);
        let of = |name: &str| file_for(&files, name).map(String::as_str);
        assert_eq!(of("age"), Some("adult_hierarchy_age.csv"));
        assert_eq!(of("native-country"), Some("adult_hierarchy_native-country.csv"));
        assert_eq!((of("sex"), of("zip")), (Some("sex.csv"), Some("zip.hierarchy.csv")));
        assert_eq!((of("race"), of("")), (None, None));
    }
}
