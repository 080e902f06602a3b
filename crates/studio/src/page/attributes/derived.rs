//! Columns that follow from others, such as an age from a birth date: `[derived.NAME]`, with its role.

use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_core::frequency::Role;
use velamen_recipe::{DerivedSection, JobError, Recipe};
use velamen_report::follows;
use velamen_report::language::t;

use super::ROLES;
use crate::App;
use crate::edit::{Edit, at};
use crate::form::Form;
use crate::page::sections::checked;
use crate::page::{with_project, written};
use crate::schema::{Field, fields, resolved, table};

/// The keys of a section.
fn own_fields() -> Vec<Field> {
    let schema = Recipe::schema();
    let section = resolved(&schema, &schema["properties"]["derived"]["additionalProperties"]);
    fields(&schema, section)
}

/// The columns that there are, and a form for one more.
pub(super) fn section(recipe: &Recipe, asked: &Form) -> Markup {
    // What was taken is not typed any more.
    let name = Some(asked.text("derived-name")).filter(|name| !recipe.derived.contains_key(name.trim()));
    let name = name.unwrap_or_default();
    let typed = Some(asked).filter(|_| !name.is_empty());
    let role = asked.text("derived-role");
    html! {
        details #derived open[typed.is_some()] {
            summary { (t("Columns that follow from others")) @if !recipe.derived.is_empty() { " (" (recipe.derived.len()) ")" } }
            @if !recipe.derived.is_empty() { ul.held { @for (name, of) in &recipe.derived { (held(recipe, name, of)) } } }
            form hx-post="attributes/derived" {
                div.fields {
                    div.field { label for="derived-name" { (t("Name of the new column")) }
                        input #derived-name name="derived-name" type="text" required autocomplete="off" value=(name); }
                    div.field { label for="derived-role" { (t("Role of the new column")) }
                        select #derived-role name="derived-role" {
                            @for (known, meaning) in ROLES.iter().filter(|(role, _)| *role != Role::Person) {
                                option value=(written(known)) selected[written(known) == role || (role.is_empty() && *known == Role::QuasiIdentifier)] title=(t(meaning)) { (written(known)) }
                            }
                        } }
                    @for field in own_fields() { (field.view("derived", None, typed)) }
                }
                button #derive type="submit" { (t("Add the column")) }
            }
        }
    }
}

fn held(recipe: &Recipe, name: &str, of: &DerivedSection) -> Markup {
    let role = recipe.attributes.get(name).map(|section| written(&section.role));
    html! {
        li {
            strong { (name) } ": " (follows::derived(of)) ", " @match &role { Some(role) => code { (role) }, None => (t("without a role")) } " "
            button type="button" id={ "underive-" (name) } hx-post="attributes/derived" hx-vals=(json!({"remove": name})) { (t("Remove")) span.hidden { " " (name) } }
        }
    }
}

/// Adds a column with its role, or takes one out.
pub(super) fn change(app: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    let gone = form.text("remove");
    let edits = match gone {
        "" => added(form)?,
        name => vec![Edit::Remove(at(["derived", name])), Edit::Remove(at(["attributes", name]))],
    };
    with_project(app, |project| {
        let recipe = project.recipe()?;
        let name = form.text("derived-name").trim();
        if recipe.attributes.contains_key(name) || recipe.derived.contains_key(name) {
            return Err(
                JobError::usage(format!("there is a column `{name}` already")).mend("choose another name")
            );
        }
        checked(app, project, &edits)?;
        Ok(edits)
    })
}

fn added(form: &Form) -> Result<Vec<Edit>, JobError> {
    let name = form.text("derived-name").trim();
    if name.is_empty() {
        return Err(JobError::usage("the new column has no name").mend("give it one"));
    }
    let own: Map<String, Json> = table(&own_fields(), form)
        .map_err(|problem| JobError::usage(problem.after(&format!("derived.{name}: "))))?;
    let keys = own.into_iter().map(|(key, value)| Edit::Set(at(["derived", name, &key]), value));
    let role = Edit::Set(at(["attributes", name, "role"]), form.text("derived-role").into());
    Ok(keys.chain([role]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::PAGE;
    use super::*;
    use crate::opened::Open;

    #[test]
    fn a_column_that_follows_has_its_row() {
        let rows: String = (0..60).map(|n| format!("19{:02}-03-01,f\n", 40 + n % 50)).collect();
        let studio = Open::new(&[("t.csv", &format!("born,sex\n{rows}"))]);
        let form = [("derived-name", "year"), ("derived-role", "quasi-identifier"), ("f.year-of", "born")];
        let page = studio.change(&PAGE, change, &form);
        assert!(page.contains("follows from others</td>") && page.contains("Role of year"), "{page}");
    }

    #[test]
    fn an_age_follows_from_a_birth_date() {
        let rows: String = (0..60).map(|n| format!("19{:02}-03-0{},f\n", 40 + n % 50, 1 + n % 9)).collect();
        let studio = Open::new(&[("t.csv", &format!("born,sex\n{rows}"))]);
        let before = studio.text();
        let form = [
            ("derived-name", "age"),
            ("derived-role", "quasi-identifier"),
            ("f.age-at", "2024-12-31"),
            ("f.birth", "born"),
        ];
        let page = studio.change(&PAGE, change, &form);
        let text = studio.text();
        assert!(text.contains("[derived.age]\n") && text.contains("birth = \"born\""), "{page}");
        assert!(text.contains("[attributes.age]\nrole = \"quasi-identifier\""), "{text}");
        assert!(page.contains("Columns that follow from others (1)"), "{page}");
        let again = studio.change(&PAGE, change, &form);
        assert!(again.contains("already") && studio.text() == text, "{again}");
        let wrong = [("derived-name", "stay"), ("derived-role", "insensitive"), ("f.age-at", "2024-12-31")];
        assert!(studio.change(&PAGE, change, &wrong).contains("role=\"alert\""));
        assert_eq!(studio.text(), text);
        studio.change(&PAGE, change, &[("remove", "age")]);
        assert_eq!(studio.text().trim_end(), before.trim_end());
    }
}
