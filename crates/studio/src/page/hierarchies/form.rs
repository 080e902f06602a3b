//! The forms of hierarchies: the kinds that a recipe can write, read off its schema.

use std::sync::OnceLock;

use maud::{Markup, html};
use serde_json::{Map, Value as Json};
use velamen_assess::profile::suggested_key;
use velamen_recipe::{HierarchySection, JobError};
use velamen_report::language::t;

use crate::column::Column;
use crate::form::Form;
use crate::schema::{Field, fields, prose_text, resolved, table};
use crate::words::plain;

/// A file is a text, not a table.
const FILE: &str = "file";

/// One kind of hierarchy.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its first key.
    pub(super) id: String,
    title: String,
    fields: Vec<Field>,
}

/// All kinds, in the order of the schema.
pub(super) fn kinds() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let root = schemars::schema_for!(HierarchySection).to_value();
        let mut kinds = Vec::new();
        variants(&root, &root, "", &mut kinds);
        kinds
    })
}

fn variants(root: &Json, schema: &Json, said: &str, kinds: &mut Vec<Kind>) {
    let title = schema["description"].as_str().unwrap_or_default();
    let title = if said.is_empty() { title } else { said };
    let schema = resolved(root, schema);
    if let Some(all) = schema["anyOf"].as_array() {
        for one in all {
            // What refers to several forms has a word for all of them; each has its own.
            let is_one = resolved(root, one)["anyOf"].is_null();
            variants(
                root,
                one,
                if is_one { one["description"].as_str().unwrap_or_default() } else { "" },
                kinds,
            );
        }
        return;
    }
    let own = fields(root, schema);
    let first = own.iter().find(|field| field.required).or(own.first()).map_or(FILE, |field| &field.key);
    // A value or `*`, which recipes write by leaving the hierarchy out.
    if first == "domain" {
        return;
    }
    let taken = kinds.iter().filter(|kind| kind.id.starts_with(first)).count();
    let id = if taken > 0 { format!("{first}-{}", taken + 1) } else { first.to_owned() };
    kinds.push(Kind { id, title: title.to_owned(), fields: own });
}

/// The kind of a section as it is written.
pub(super) fn kind_of(section: &Json) -> Option<&'static Kind> {
    let written = section.as_object();
    kinds().iter().find(|kind| match written {
        None => kind.fields.is_empty(),
        Some(written) => {
            let knows = |key: &String| kind.fields.iter().any(|field| field.key == *key);
            let takes = |field: &Field| match written.get(&field.key) {
                None => !field.required,
                // ZIP codes name a file or list areas.
                Some(value) => value.is_array() == field.takes_lists(),
            };
            !kind.fields.is_empty() && written.keys().all(knows) && kind.fields.iter().all(takes)
        }
    })
}

/// The kind that a form says.
pub(super) fn kind_asked(form: &Form) -> Option<&'static Kind> {
    kinds().iter().find(|kind| kind.id == form.text("kind"))
}

impl Kind {
    pub(super) fn is_file(&self) -> bool {
        self.fields.is_empty()
    }

    /// Whether it is the table of rows, which has an editor of its own.
    pub(super) fn is_rows(&self) -> bool {
        self.id == "rows"
    }

    /// The section that a form says, and what a recipe writes for it.
    ///
    /// # Errors
    /// [`JobError::usage`] with the key that is wrong.
    pub(super) fn read(&self, form: &Form) -> Result<Json, JobError> {
        if self.is_file() {
            return match form.text(FILE).trim() {
                "" => Err(JobError::usage("no file").mend("choose one")),
                file => Ok(file.into()),
            };
        }
        table(&self.fields, form).map(Json::from).map_err(JobError::usage)
    }

    /// Values to begin with, where the column suggests any; `top` is where one group of high values begins.
    pub(super) fn suggested(&self, column: &Column, top: Option<f64>) -> Json {
        let suggested = |field: &Field| {
            Some((field.key.clone(), suggested_key(&self.id, &field.key, &column.values, top)?))
        };
        Json::from(self.fields.iter().filter_map(suggested).collect::<Map<_, _>>())
    }

    /// Whether it can be written with a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.iter().any(|field| field.key == key)
    }

    /// The fields, with what stands in the recipe or was filled in last.
    pub(super) fn view(&self, section: &Json, typed: Option<&Form>, files: &[String]) -> Markup {
        html! {
            @if self.is_file() {
                @let chosen = typed.map(|form| form.text(FILE)).or(section.as_str()).unwrap_or_default();
                div.field {
                    label for="h-file" { (t("File below the folder")) }
                    select #h-file name=(FILE) {
                        option value="" { (t("choose a file")) }
                        @for file in files { option value=(file) selected[file == chosen] { (file) } }
                    }
                }
            } @else {
                @for field in &self.fields { (field.view("h", section.get(&field.key), typed)) }
            }
        }
    }
}

/// The choice of a kind.
pub(super) fn choice(chosen: Option<&Kind>) -> Markup {
    html! {
        select #kind name="kind" hx-post="hierarchies/kind" hx-trigger="change delay:300ms" {
            option value="" selected[chosen.is_none()] { (t("None: a value or *")) }
            @for kind in kinds() {
                option value=(kind.id) selected[chosen.is_some_and(|chosen| chosen.id == kind.id)] { (kind.id) ": " (prose_text(t(plain(&kind.title)))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use velamen_core::hierarchy::KINDS;

    use super::*;

    fn column(values: &[&str]) -> Column {
        Column { values: values.iter().map(|value| ((*value).to_owned(), 1)).collect(), missing: 0 }
    }

    #[test]
    fn every_kind_of_the_schema_has_a_form() {
        let mut ids: Vec<&str> = kinds().iter().map(|kind| kind.id.as_str()).collect();
        // Besides those whose values have a form: ZIP codes have two forms.
        let others =
            ["file", "age", "ordered", "interval", "cuts", "mask", "rows", "equal-width", "us-zip-2"];
        let mut expected: Vec<&str> = KINDS.names().chain(others).collect();
        ids.sort_unstable();
        expected.sort_unstable();
        assert_eq!(ids, expected, "the forms, and KINDS with what this test names besides");
        assert!(kinds().iter().all(|kind| !kind.title.is_empty()));
    }

    /// What is suggested for a column is a hierarchy, and is known again.
    #[test]
    fn suggestions_are_hierarchies_of_their_kind() {
        let columns =
            [column(&["17", "42", "90"]), column(&["2020-01-31", "2022-05-06"]), column(&["abc", "abd"])];
        let mut seen = 0;
        for kind in kinds() {
            for column in &columns {
                let section = kind.suggested(column, None);
                let Ok(read) = serde_json::from_value::<HierarchySection>(section.clone()) else { continue };
                if super::super::picture::definition(&read, std::path::Path::new("r.toml"), column).is_err() {
                    continue;
                }
                seen += 1;
                assert_eq!(kind_of(&section).map(|kind| &kind.id), Some(&kind.id), "{section}");
            }
        }
        assert!(seen >= 10, "{seen}");
    }

    #[test]
    fn kinds_are_known_from_what_is_written() {
        let id = |section: Json| kind_of(&section).map(|kind| kind.id.as_str());
        assert_eq!(id(json!("age.csv")), Some("file"));
        assert_eq!(id(json!({ "interval": [5], "min": 0, "max": 99 })), Some("interval"));
        assert_eq!(id(json!({ "us-zip": "zip.csv" })), Some("us-zip"));
        assert_eq!(id(json!({ "us-zip": ["036"], "plus-4": true })), Some("us-zip-2"));
        assert_eq!(id(json!({ "rows": [["a", "*"]] })), Some("rows"));
        assert_eq!(id(json!({ "age": 90, "max": 120 })), Some("age"));
        assert_eq!(id(json!({ "nothing": 1 })), None);
    }
}
