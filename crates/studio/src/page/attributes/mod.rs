//! Attributes: one row a column, with its role, hierarchy and weight. No value of a cell, unless it was asked for.

mod column_cost;
mod derived;
mod domains;
mod first_rows;
mod kept;
mod reading;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_assess::profile::{ColumnProfile, Profile};
use velamen_contract::AskedFor;
use velamen_core::frequency::Role;
use velamen_measure::profile::finding::Sure;
use velamen_recipe::keys::foreign_to;
use velamen_recipe::{AttributeSection, HierarchySection, JobError, PrivacySection, Recipe};
use velamen_report::language::{mark, say, t, text};

use super::{Page, change, count, percent, sections, show, with_project, written};
use crate::App;
use crate::edit::{Edit, at, without};
use crate::form::Form;
use crate::project::{Project, look_again};
use crate::reasons;
use crate::schema::coded;
use crate::told;

/// The roles with a word on each, in the order of the form.
const ROLES: [(Role, &str); 5] = [
    (Role::Identifier, mark("names a person: never released")),
    (Role::QuasiIdentifier, mark("others may know it: generalized")),
    (Role::Sensitive, mark("what nobody may learn of a person")),
    (Role::Insensitive, mark("released as it is")),
    (Role::Person, mark("says which records are of one person: never released")),
];

/// What the form says for a column that the recipe does not name.
const UNNAMED: &str = "";

pub(super) const PAGE: Page = Page::new("attributes", mark("Attributes"), view)
    .after("open")
    .keeps(&[column_cost::FIELD])
    .changes(&[
        ("role", role),
        ("roles", roles),
        ("weight", weight),
        ("domain", domains::domain),
        ("records", domains::records),
        ("derived", derived::change),
        ("section", sections::change),
    ])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/attributes/reading", reading::read);
    let router = change(router, "/attributes/first-rows", first_rows::first_rows);
    change(router, "/attributes/values", values)
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let recipe = project.recipe().ok();
    let Some(profile) = &project.profile else {
        return html! {
            h1 { (t("Attributes")) }
            @match recipe.as_ref().filter(|recipe| recipe.input.path.is_some()) {
                Some(recipe) => {
                    p { (t("The table could not be read as it was tried. Say how it is written:")) }
                    (reading::section(recipe, &project.sheets, true, &first_rows::place(true, project.values)))
                }
                None => p { (t("The table is not a file of this machine: name its attributes in the recipe, by hand.")) },
            }
        };
    };
    // Another page may have asked for values since the profile was made.
    let values = project.values && profile.columns.iter().any(|column| column.values.is_some());
    html! {
        h1 { (t("Attributes")) }
        p.lead { (t("What may outsiders know of a person, and what must they not learn? Give each column its role.")) }
        (legend())
        @if project.history.can_undo() && !profile.notes.is_empty() { p.note { (t("Said when the table was opened, of the recipe that was suggested then:")) } }
        @for note in &profile.notes { p.care { (told::remark(note)) } }
        (markers(profile))
        @if let Some(recipe) = &recipe { (reading::section(recipe, &project.sheets, false, &first_rows::place(false, project.values))) }
        form #bulk hx-post="attributes/roles" { (many()) }
        div.scroll tabindex="0" role="region" aria-label=(t("Columns")) {
            table.attributes.stacked {
                thead { tr {
                    th scope="col" { span.hidden { (t("Chosen")) } }
                    th scope="col" { (t("Column")) }
                    th scope="col" { (t("Role")) }
                    th scope="col" { (t("Type")) }
                    th.number scope="col" { (t("Distinct")) }
                    th.number scope="col" { (t("Missing")) }
                    th scope="col" { (t("Hierarchy")) }
                    th scope="col" { (t("Weight")) }
                    @if values { th scope="col" { (t("Least, greatest, most frequent")) } }
                } }
                tbody {
                    @for (number, column) in profile.columns.iter().enumerate() {
                        (row(number, column, profile.records, recipe.as_ref(), values))
                    }
                    @for (place, name) in unprofiled(profile, recipe.as_ref()).enumerate() {
                        (derived_row(profile.columns.len() + place, name, recipe.as_ref(), values))
                    }
                }
            }
        }
        @if let Some(recipe) = &recipe { (column_cost::section(app, project, recipe, asked)) (derived::section(recipe, asked)) (sections::WHERE.with(project, PAGE.path, asked, &kept::section(app, project, recipe, profile.records))) (domains::section(recipe)) }
        form.inline hx-post="attributes/values" {
            input type="hidden" name="show" value=(if values { "no" } else { "yes" });
            button #values type="submit" {
                @if values { (t("Hide values")) } @else { (t("Show values of the cells")) }
            }
            span.note { (t("Values are shown on this machine only, and only once you ask.")) }
        }
    }
}

/// Cells that look like missing values, as `profile` lists them on the terminal: how often, and never which records.
fn markers(profile: &Profile) -> Markup {
    let suspected = profile.columns.iter().filter(|column| !column.suspected_missing.is_empty());
    html! {
        @for column in suspected {
            p.care {
                @let all = html! { @for (place, found) in column.suspected_missing.iter().enumerate() {
                    @if place > 0 { ", " }
                    (say!("{} in {} records", html! { code { (found.marker) } }, count(found.records)))
                } };
                (say!("Some cells of {} look like missing values: {}. If they are, name them below, under \"How the file is read\".", column.name, all))
            }
        }
    }
}

/// What the roles mean.
fn legend() -> Markup {
    html! {
        details #roles {
            summary { (t("What the roles mean")) }
            dl.promise { @for (role, meaning) in ROLES { dt { (written(&role)) } dd { (t(meaning)) } } }
        }
    }
}

/// One role for all columns that are chosen.
fn many() -> Markup {
    html! {
        div.bar {
            button type="button" data-check="[form=bulk]" data-all=(t("Choose all")) data-none=(t("Choose none")) { (t("Choose all")) }
            label for="bulk-role" { (t("Set the chosen columns to")) }
            select #bulk-role name="role" { @for (role, _) in ROLES { option value=(written(&role)) selected[role == Role::QuasiIdentifier] { (written(&role)) } } }
            button #bulk-set type="submit" { (t("Set")) }
        }
    }
}

/// The columns that follow from others and that no profile has looked at.
fn unprofiled<'a>(profile: &'a Profile, recipe: Option<&'a Recipe>) -> impl Iterator<Item = &'a str> {
    let derived = recipe.into_iter().flat_map(|recipe| recipe.derived.keys());
    derived.map(String::as_str).filter(|name| profile.columns.iter().all(|column| column.name != **name))
}

/// The row of a column that follows from others: its values are known once the recipe runs.
fn derived_row(number: usize, name: &str, recipe: Option<&Recipe>, values: bool) -> Markup {
    let section = recipe.and_then(|recipe| recipe.attributes.get(name));
    let figures = html! {
        td data-of=(t("Type")) { (t("follows from others")) }
        td.number data-of=(t("Distinct")) { "–" }
        td.number data-of=(t("Missing")) { "–" }
    };
    line((number, name, section), &html! {}, &figures, values.then(|| html! { "–" }))
}

fn row(number: usize, column: &ColumnProfile, records: u64, recipe: Option<&Recipe>, values: bool) -> Markup {
    let section = recipe.and_then(|recipe| recipe.attributes.get(&column.name));
    let figures = html! {
        td data-of=(t("Type")) { span { (reasons::kind(&column.kind)) @if column.fits < 1.0 { " (" (percent(column.fits)) ")" } } }
        td.number data-of=(t("Distinct")) { (count(column.distinct as u64)) }
        td.number data-of=(t("Missing")) { @if column.missing > 0 { (percent(column.missing as f64 / records.max(1) as f64)) } @else { (t("none")) } }
    };
    let values = values.then(|| shown(column));
    line((number, &column.name, section), &suspicion(number, column), &figures, values)
}

/// A row: what can be set of a column, what its values are like, and the values if they are shown.
fn line(
    (number, name, section): (usize, &str, Option<&AttributeSection>),
    suspicion: &Markup,
    figures: &Markup,
    values: Option<Markup>,
) -> Markup {
    let vals = json!({ "name": name }).to_string();
    html! {
        tr {
            td data-of=(t("Chosen")) { input type="checkbox" form="bulk" #{ "chosen-" (number) } name="name" value=(name) aria-label=(say!("Choose {}", name)); }
            th scope="row" { (name) (suspicion) }
            td data-of=(t("Role")) {
                select #{ "role-" (number) } name="role" aria-label=(say!("Role of {}", name)) hx-post="attributes/role"
                    hx-trigger="change" hx-vals=(vals) {
                    @if section.is_none() { option value=(UNNAMED) selected { (t("not named")) } }
                    @for (role, meaning) in ROLES {
                        option value=(written(&role)) selected[section.is_some_and(|section| section.role == role)]
                            title=(t(meaning)) { (written(&role)) }
                    }
                }
            }
            (figures)
            td data-of=(t("Hierarchy")) { (hierarchy(name, section)) }
            td data-of=(t("Weight")) { (weight_of(number, name, section)) }
            @if let Some(values) = values { td data-of=(t("Least, greatest, most frequent")) { span { (values) } } }
        }
    }
}

fn sure(sure: Sure) -> &'static str {
    match sure {
        Sure::Possible => mark("possible"),
        Sure::Likely => mark("likely"),
        Sure::Certain => mark("certain"),
    }
}

/// Why a column may name persons.
fn suspicion(number: usize, column: &ColumnProfile) -> Markup {
    html! {
        @for (at, finding) in column.findings.iter().enumerate() {
            details.suspicion #{ "finding-" (number) "-" (at) } {
                summary { (t(sure(finding.sure))) ": " (t(finding.title)) }
                p { (coded(&reasons::suspicion(finding))) }
            }
        }
    }
}

fn hierarchy(name: &str, section: Option<&AttributeSection>) -> Markup {
    let Some(section) = section.filter(|section| section.role == Role::QuasiIdentifier) else {
        return html! { span.note { "–" } };
    };
    let query: String =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("attribute", name).finish();
    html! {
        a href={ "hierarchies?" (query) } { (in_words(section.hierarchy.as_ref())) } br;
        a.note href=(column_cost::link(name)) aria-label=(say!("What {} costs", name)) { (t("what it costs")) }
    }
}

/// A hierarchy in a few words.
fn in_words(hierarchy: Option<&HierarchySection>) -> String {
    let Some(hierarchy) = hierarchy else { return t("a value or *").into() };
    if let Some(file) = hierarchy.file() {
        return text!("file {}", file.file_name().unwrap_or_default().to_string_lossy());
    }
    let fields = serde_json::to_value(hierarchy).unwrap_or_default();
    let first = fields.as_object().and_then(|fields| fields.iter().next());
    first.map_or_else(String::new, first_in_words)
}

fn first_in_words((key, value): (&String, &Value)) -> String {
    match value {
        Value::Array(items)
            if items.iter().all(|item| item.is_number() || item.is_string()) && items.len() < 6 =>
        {
            let items: Vec<String> = items.iter().map(plain).collect();
            format!("{key} {}", items.join(", "))
        }
        Value::Array(items) => text!("{}, {} entries", key, items.len()),
        Value::String(text) => format!("{key} {text}"),
        _ => key.clone(),
    }
}

/// Numbers without a point where they need none, texts without quotes.
fn plain(item: &Value) -> String {
    item.as_f64().map_or_else(|| item.as_str().unwrap_or_default().to_owned(), |number| number.to_string())
}

fn weight_of(number: usize, name: &str, section: Option<&AttributeSection>) -> Markup {
    let Some(section) = section.filter(|section| section.role == Role::QuasiIdentifier) else {
        return html! { span.note { "–" } };
    };
    let weight = section.weight.map(|weight| weight.to_string()).unwrap_or_default();
    let vals = json!({ "name": name }).to_string();
    html! {
        input.narrow #{ "weight-" (number) } type="number" min="0" step="any" name="weight" value=(weight) placeholder="1"
            aria-label=(say!("Weight of {}", name)) hx-post="attributes/weight" hx-trigger="change" hx-vals=(vals);
    }
}

fn shown(column: &ColumnProfile) -> Markup {
    html! {
        @if let Some(values) = &column.values {
            (say!("{}, {}, {} in {}", html! { code { (values.least) } }, html! { code { (values.greatest) } }, html! { code { (values.most_frequent) } }, count(values.records)))
        }
    }
}

/// The edit that gives an attribute a role; keys that the new role cannot have go.
fn with_role(name: &str, role: &str) -> Result<Vec<Edit>, JobError> {
    let known = ROLES.iter().find(|(known, _)| written(known) == role);
    let (known, _) = known.ok_or_else(|| JobError::usage(format!("`{role}` is no role")))?;
    let set = Edit::Set(at(["attributes", name, "role"]), json!(role));
    Ok(std::iter::once(set).chain(without(name, &foreign_to(*known))).collect())
}

fn role(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    roles(app, form)
}

/// The edits that give a column a role, and take out the models that looked at it as a sensitive one.
pub(super) fn with_role_and_models(recipe: &Recipe, name: &str, role: Role) -> Result<Vec<Edit>, JobError> {
    Ok(with_role(name, &written(&role))?.into_iter().chain(models_of(recipe, &[name])).collect())
}

pub(super) fn roles(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let names: Vec<&str> = form.all("name").collect();
    let role = form.text("role");
    let each = names.iter().map(|name| with_role(name, role)).collect::<Result<Vec<_>, _>>()?;
    let gone = if role == written(&Role::Sensitive) {
        Vec::new()
    } else {
        with_project(app, |project| Ok(models_of(&project.recipe()?, &names)))?
    };
    Ok(each.into_iter().flatten().chain(gone).collect())
}

/// The edits that take out the models of attributes that are sensitive no more: they would promise nothing, and refuse every run.
fn models_of(recipe: &Recipe, names: &[&str]) -> Vec<Edit> {
    // From the last one, so that the places of the others stay.
    let numbered = recipe.privacy.iter().enumerate().rev();
    let gone = numbered.filter(|(_, section)| is_of(section, names));
    gone.map(|(number, _)| Edit::Remove(at(["privacy", &number.to_string()]))).collect()
}

fn is_of(section: &PrivacySection, names: &[&str]) -> bool {
    let parameters = Value::Object(section.parameters.clone());
    AskedFor(&parameters).attribute().is_some_and(|of| names.contains(&of))
}

fn weight(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let wanted = form.text("weight").trim();
    let number = wanted.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
    let weight = match (wanted, number) {
        ("", _) => None,
        (_, Some(weight)) => Some(json!(weight)),
        _ => return Err(JobError::usage("a weight is a number from 0")),
    };
    Ok(vec![Edit::set_or_remove(at(["attributes", form.text("name"), "weight"]), weight)])
}

async fn values(State(app): State<App>, form: Form) -> Response {
    look_again(&app, form.text("show") == "yes");
    app.worker.idle_within(std::time::Duration::from_secs(1)).await;
    show(&app, &PAGE, &form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::edited;

    #[test]
    fn models_of_what_is_sensitive_no_more_go_and_the_others_stay() {
        let text = "[input]\npath = \"t.csv\"\n[attributes.sex]\nrole = \"sensitive\"\n[attributes.pain]\nrole = \"sensitive\"\n\
            [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\n\
            # Of sex.\n[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\nattribute = \"sex\"\n\
            [[privacy]]\nmodel = \"t-closeness\"\nt = 0.2\nattribute = \"pain\"\n\
            [[privacy]]\nmodel = \"recursive-c-l-diversity\"\nl = 2\nc = 2.0\nattribute = \"sex\"\n\
            [method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";
        let recipe = Recipe::in_memory(text).unwrap();
        let after = edited(text, &models_of(&recipe, &["sex"])).unwrap();
        assert!(!after.contains("l-diversity") && !after.contains("# Of sex"), "{after}");
        assert!(after.contains("k-anonymity") && after.contains("t-closeness"), "{after}");
        assert!(models_of(&recipe, &["age"]).is_empty());
    }
}
