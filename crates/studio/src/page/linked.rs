//! Linked tables: what each table becomes, the promise in words, the run and its report.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_checker::Finding;
use velamen_patients::{FolderColumn, Outline, TableOutline, check_meaning, check_title, outline, plain};
use velamen_recipe::{JobError, custodian_of};
use velamen_report::language::{mark, of_below, say, t, text};
use velamen_report::meaning;
use velamen_report::number::grouped_text;

use super::findings::{Said, table_of_findings};
use super::made::{Age, made_where};
use super::release::{command, handed_over, output, overwrite, taken_along};
use super::{Page, change, changed, count, percent, show, status, with_project};
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::project::Project;
use crate::run::{LinkedRun, begin_linked, save};
use crate::told;
use crate::worker::locked;

/// How long the page waits for a small folder.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

pub(super) const PAGE: Page = Page::new("linked", mark("Linked tables"), view)
    .of_linked()
    .keeps(&["table"])
    .changes(&[
        ("role", role),
        ("drop", drop_table),
        ("promise", promise),
        ("dates", dates),
        ("output", output),
    ])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/linked/run", run);
    let router = change(router, "/linked/evidence", evidence);
    change(router, "/linked/save", save_recipe)
}

/// The roles that a recipe can give a column.
const ROLES: [(&str, &str); 7] = [
    ("identifier", mark("left out")),
    ("quasi-identifier", mark("person column")),
    ("set", mark("set of codes")),
    ("code", mark("other code")),
    ("value", mark("number")),
    ("date", mark("date")),
    ("insensitive", mark("as recorded")),
];

/// What dates can become for anybody.
const DATES: [(&str, &str); 5] = [
    ("year", mark("their year")),
    ("month", mark("months since the first day")),
    ("quarter", mark("quarters since the first day")),
    ("week", mark("weeks since the first day")),
    ("none", mark("left out")),
];

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let looked = project.asked().linked(&app.folders).and_then(|recipe| outline(&recipe, &project.path));
    let last = locked(&app.runs).linked.clone();
    html! {
        h1 { (t("Linked tables")) }
        p.lead { (t("Persons are protected over all tables at once. Keys become new, and each reference still leads to a row of the same person.")) }
        @match &looked {
            Err(mistake) => div.alert role="alert" { (status::said(mistake)) },
            Ok(outline) => {
                (promised(project, outline, asked))
                (tables(outline, asked))
            }
        }
        (making(app, project, asked))
        @if let Some(last) = &last { (made(app, last, Age::of(app, last.text == project.text()))) }
    }
}

/// The promise in words, with what it depends on.
fn promised(project: &Project, outline: &Outline, asked: &Form) -> Markup {
    let recipe = project.asked().linked_recipe().ok();
    let model = recipe.as_ref().and_then(|recipe| recipe.privacy.first());
    let of_dates = recipe.as_ref().map(|recipe| written_dates(recipe.persons.dates));
    html! {
        section aria-labelledby="promise-heading" {
            h2 #promise-heading { (t("What is promised")) }
            ul #promises { @for words in &outline.promises { li { (words.replace('`', "")) } } }
            @if let Some(model) = model {
                form.inline hx-post="linked/promise" hx-trigger="change" {
                    input type="hidden" name="table" value=(asked.text("table"));
                    label for="k" { (t("Persons at least (k)")) }
                    input #k name="k" type="number" min="2" max="1000" value=(model.k());
                    @if model.m() > 0 {
                        label for="m" { (t("Codes known at most (m)")) }
                        input #m name="m" type="number" min="1" max="3" value=(model.m());
                    }
                }
            }
            @if let Some(of_dates) = &of_dates {
                form.inline hx-post="linked/dates" hx-trigger="change" {
                    input type="hidden" name="table" value=(asked.text("table"));
                    label for="dates" { (t("Dates become")) }
                    select #dates name="dates" {
                        @if !DATES.iter().any(|(name, _)| name == of_dates) { option value="" selected { (t("moved by days")) } }
                        @for (name, words) in DATES { option value=(name) selected[name == of_dates] { (t(words)) } }
                    }
                }
            }
            p.note { (t("Not promised: dates, the order of events, values, absences, and more codes than are named here.")) }
        }
    }
}

/// What dates become, as the page's choice has it.
fn written_dates(dates: Option<velamen_contract::linked::Dates>) -> String {
    let written = serde_json::to_value(dates.unwrap_or(velamen_contract::linked::Dates::Year));
    match written.unwrap_or_default() {
        Value::String(name) => name,
        Value::Object(unit) => unit.get("relative").and_then(Value::as_str).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

/// The tables as tabs.
fn tables(outline: &Outline, asked: &Form) -> Markup {
    let wanted = asked.text("table");
    let shown = outline.tables.iter().find(|table| table.table == wanted).or(outline.tables.first());
    html! {
        section aria-labelledby="tables-heading" {
            h2 #tables-heading { (t("The tables")) }
            nav.tabs aria-label=(t("Tables")) {
                ul {
                    @for table in &outline.tables {
                        @let is_shown = shown.is_some_and(|shown| shown.table == table.table);
                        li { a href=(address(&table.table)) aria-current=[is_shown.then_some("true")] { (table.table) } }
                    }
                }
            }
            @if let Some(table) = shown { (columns(table, outline.tables.first().is_some_and(|first| first.table != table.table))) }
            @if !outline.left_out.is_empty() {
                p.note #left-out { (say!("Left out: {}.", outline.left_out.join(", "))) }
            }
        }
    }
}

fn address(table: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    format!("{}?{}", PAGE.path, query.append_pair("table", table).finish())
}

/// The columns of a table with their roles.
fn columns(table: &TableOutline, can_go: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(text!("Columns of {}", table.table)) { table {
            thead { tr { th scope="col" { (t("Column")) } th scope="col" { (t("Role")) } } }
            tbody { @for column in &table.columns { tr {
                th scope="row" { (column.column) }
                td { (role_of(&table.table, column)) }
            } } }
        } }
        @if can_go {
            button #drop-table type="button" hx-post="linked/drop" hx-vals=(json!({"name": table.table}).to_string()) {
                (t("Leave this table out"))
            }
        }
    }
}

/// The choice of a column's role. Keys and references are those of the tables.
fn role_of(table: &str, column: &FolderColumn) -> Markup {
    let role = column.role.as_str();
    let vals = json!({"table": table, "column": column.column}).to_string();
    html! {
        @if ROLES.iter().any(|(name, _)| *name == role) {
            select id=(format!("role-{table}-{}", column.column)) name="role" aria-label=(text!("Role of {}", column.column))
                hx-post="linked/role" hx-trigger="change" hx-vals=(vals) {
                @for (name, words) in ROLES { option value=(name) selected[name == role] { (t(words)) } }
            }
        } @else { (t(role)) }
    }
}

/// Where the release goes, and the button that makes it.
fn making(app: &App, project: &Project, asked: &Form) -> Markup {
    let tab = json!({"table": asked.text("table")}).to_string();
    let release = project.asked().linked_recipe().ok().map(|recipe| recipe.output.path);
    html! {
        section aria-labelledby="run-heading" {
            h2 #run-heading { (t("Make the release")) }
            @if let Some(release) = &release {
                div.field {
                    label for="output" { (say!("Folder of the release, below {}", html! { code { (app.folders.base().display()) } })) }
                    input #output name="output" value=(release.strip_prefix(app.folders.base()).unwrap_or(release).display())
                        hx-post="linked/output" hx-vals=(tab) hx-trigger="change";
                }
                dl.places {
                    dt { (t("To hand over or publish")) } dd { code { (release.display()) } }
                    dt { (t("For you alone: never publish it")) } dd { code { (custodian_of(release).display()) } }
                }
            }
            form hx-post="linked/run" hx-vals=(tab) {
                (overwrite("run-overwrite", t("Replace a release of this name")))
                button.main #run type="submit" { (t("Make the release")) }
            }
            p { (t("The command line makes the same of the saved recipe:")) }
            (command(project))
            form.inline hx-post="linked/save" hx-vals=(tab) {
                button #save type="submit" { (t("Save the recipe")) }
                (overwrite("save-overwrite", t("Replace what is there")))
            }
            (taken_along(app, project))
        }
    }
}

/// The last release.
fn made(app: &App, run: &LinkedRun, age: Age) -> Markup {
    let outcome = &run.outcome;
    let survived = &outcome.survived;
    html! {
        section #made aria-labelledby="made-heading" {
            h2 #made-heading { (t("The release")) }
            (made_where(&outcome.release, age))
            dl.facts {
                (left(t("persons"), survived.persons))
                (left(t("pairs of person and code"), survived.pairs))
                (left(t("rows"), survived.rows))
            }
            @for warning in &outcome.warnings { p.care { (told::remark(warning)) } }
            div.scroll tabindex="0" role="region" aria-label=(t("Released tables")) { table {
                thead { tr { th scope="col" { (t("Table")) } th scope="col" { (t("Rows")) } } }
                tbody { @for (name, table) in &outcome.manifest.tables { tr {
                    th scope="row" { (name) } td { (count(table.records)) }
                } } }
            } }
            (table_of_findings(&outcome.findings, said))
            (crate::evidence::section(app, "linked", &outcome.release))
            (handed_over(&outcome.release))
        }
    }
}

/// A finding in words, as the report has it.
fn said(finding: &Finding) -> Said {
    let name = &finding.promise;
    let figures = |value: &Value| grouped_text(&plain(value));
    Said {
        name: html! { @match check_title(name) { Some(title) => { (title) } None => code { (name) } } },
        meaning: check_meaning(name).map_or_else(|| of_below(&meaning(name, &finding.asked)), str::to_owned),
        asked: figures(&finding.asked),
        reached: figures(&finding.reached),
    }
}

/// How much is left of something.
fn left(what: &str, [before, after]: [u64; 2]) -> Markup {
    let share = percent(after as f64 / before.max(1) as f64);
    html! { div { dt { (say!("{} of {}", what, count(before))) } dd { (count(after)) " (" (share) ")" } } }
}

fn role(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let (table, column, role) = (form.text("table"), form.text("column"), form.text("role"));
    if table.is_empty() || column.is_empty() || !ROLES.iter().any(|(name, _)| *name == role) {
        return Err(
            JobError::usage("not a role of a column").expected("a table, a column and one of the roles")
        );
    }
    Ok(vec![Edit::Set(at(["tables", table, "attributes", column, "role"]), role.into())])
}

fn drop_table(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    match form.text("name") {
        "" => Err(JobError::usage("no table is named").expected("the name of a table")),
        table => Ok(vec![Edit::Set(at(["tables", table, "drop"]), true.into())]),
    }
}

fn promise(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let number = |name: &str| form.text(name).trim().parse::<u32>().ok();
    let edits = ["k", "m"].into_iter().filter(|name| !form.text(name).is_empty()).map(|name| {
        let wrong = || JobError::usage(format!("{name}: a wrong value")).expected("a whole number");
        Ok(Edit::Set(at(["privacy", "0", name]), number(name).ok_or_else(wrong)?.into()))
    });
    edits.collect()
}

fn dates(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let wanted = match form.text("dates") {
        name @ ("year" | "none") => Value::from(name),
        unit @ ("week" | "month" | "quarter") => json!({ "relative": unit }),
        _ => return Err(JobError::usage("not what dates can become here").expected("one of the list")),
    };
    Ok(vec![Edit::Set(at(["persons", "dates"]), wanted)])
}

async fn evidence(State(app): State<App>, form: Form) -> Response {
    let begun = crate::evidence::begin(&app, &form);
    app.worker.idle_within(PATIENCE).await;
    changed(&app, &PAGE, &form, begun)
}

async fn run(State(app): State<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_linked(&app, project, form.text("overwrite") == "yes");
    }
    app.worker.idle_within(PATIENCE).await;
    show(&app, &PAGE, &form)
}

async fn save_recipe(State(app): State<App>, form: Form) -> Response {
    let result = with_project(&app, |project| save(&app, project, form.text("overwrite") == "yes"));
    changed(&app, &PAGE, &form, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;

    fn persons() -> String {
        let row = |n: usize| format!("{n},{},{}\n", if n.is_multiple_of(2) { "F" } else { "M" }, 1000 + n);
        format!("id,sex,note\n{}", (0..60).map(row).collect::<String>())
    }

    fn codes() -> String {
        format!("id,code\n{}", (0..60).map(|n| format!("{n},I1{}\n", n % 2)).collect::<String>())
    }

    const RECIPE: &str = "[input]\nfolder = \"in\"\n[tables.people]\npath = \"people.csv\"\nkey = \"id\"\n[tables.people.attributes]\n\
         sex = { role = \"quasi-identifier\" }\nnote = { role = \"identifier\" }\n[tables.codes]\npath = \"codes.csv\"\n\
         parent = { table = \"people\", column = \"id\" }\n[tables.codes.attributes.code]\nrole = \"set\"\n\
         [[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n[output]\npath = \"out\"\n";

    fn opened() -> Open {
        let open = Open::new(&[("linked.toml", RECIPE)]);
        let tables = open.folder.path().join("in");
        std::fs::create_dir(&tables).unwrap();
        std::fs::write(tables.join("people.csv"), persons()).unwrap();
        std::fs::write(tables.join("codes.csv"), codes()).unwrap();
        open
    }

    #[test]
    fn tables_are_tabs_and_roles_change_the_recipe() {
        let open = opened();
        let page =
            open.change(&PAGE, role, &[("table", "people"), ("column", "sex"), ("role", "identifier")]);
        assert!(open.text().contains("sex = { role = \"identifier\" }"), "{}", open.text());
        assert!(page.contains("Columns of people") && page.contains("linked?table=codes"), "{page}");
        assert!(!page.contains("1007"), "no cell is shown");
        open.undo();
        let page = open.change(&PAGE, promise, &[("k", "7"), ("m", "2"), ("table", "codes")]);
        assert!(open.text().contains("k = 7\nm = 2"), "{}", open.text());
        assert!(page.contains("finds at least 7 persons") && page.contains("Columns of codes"), "{page}");
        let page = open.change(&PAGE, dates, &[("dates", "month")]);
        assert!(
            page.contains("whole months since") && open.text().contains("relative = \"month\""),
            "{page}"
        );
    }

    #[test]
    fn what_cannot_run_is_said_in_its_place() {
        let open = opened();
        let page = open.change(&PAGE, drop_table, &[("name", "codes")]);
        assert!(page.contains("No column has the role"), "{page}");
        let page = open.change(&PAGE, role, &[("table", "people"), ("column", "sex"), ("role", "king")]);
        assert!(page.contains("Not a role of a column"), "{page}");
        let page = open.change(&PAGE, promise, &[("k", "many")]);
        assert!(page.contains("a whole number"), "{page}");
    }

    #[test]
    fn a_release_is_made_with_its_report() {
        let open = opened();
        open.post(run, &[]);
        open.settle();
        assert!(open.app.worker.failed().is_none(), "{:?}", open.app.worker.failed());
        let page = open.change(&PAGE, output, &[("output", "other")]);
        assert!(page.contains("Made and checked") && page.contains("data/people.csv"), "{page}");
        assert!(page.contains("<dd>60 (100") && page.contains("The recipe has changed since"), "{page}");
        assert!(page.contains("what is not promised") && page.contains("statements: 6"), "{page}");
        let german = velamen_report::language::speaking(velamen_report::language::Language::German, || {
            open.change(&PAGE, output, &[("output", "third")])
        });
        for english in
            ["not-covered", ">key<", "sentences", "missing:", "faults", "year</td>", "each is referred to"]
        {
            assert!(!german.contains(english), "{english}: {german}");
        }
        let folder = open.folder.path();
        assert!(folder.join("out/report.html").exists() && folder.join("out.custodian/keys.csv").exists());
    }
}
