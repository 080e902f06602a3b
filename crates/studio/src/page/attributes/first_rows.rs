//! The first rows of the table, as the form that says how it is read would read them.

use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};
use velamen_core::hierarchy::NULL;
use velamen_recipe::{JobError, Recipe};
use velamen_report::language::{say, t};

use super::reading::edits;
use crate::App;
use crate::edit::edited;
use crate::form::Form;
use crate::head::{Head, head};
use crate::page::status;
use crate::streams::apart;
use crate::worker::{Asked, locked};

/// The place of the rows below the form: they follow what is typed.
pub(super) fn place(open: bool, values: bool) -> Markup {
    let trigger = if open {
        "load, input from:#reading-form delay:400ms"
    } else {
        "toggle from:#reading, input from:#reading-form delay:400ms"
    };
    html! {
        div #first-rows role="region" aria-label=(t("First rows")) aria-live="polite" hx-post="attributes/first-rows" hx-trigger=(trigger)
            hx-include="#reading-form" hx-target="#first-rows-shown" hx-select="#first-rows-shown" hx-swap="outerHTML" {
            @if values { div #first-rows-shown {} } @else { (ask()) }
        }
    }
}

/// What stands there until values are asked for.
fn ask() -> Markup {
    html! {
        div #first-rows-shown {
            button #show-first-rows type="button" hx-post="attributes/first-rows" hx-vals="{\"show\":\"yes\"}" hx-trigger="click" { (t("Show the first rows")) }
        }
    }
}

/// The rows alone.
pub(super) async fn first_rows(State(app): State<App>, form: Form) -> Response {
    let asked = {
        let mut project = locked(&app.project);
        project.as_mut().map(|project| {
            project.values |= !form.text("show").is_empty();
            (project.asked(), project.values)
        })
    };
    let shown = match asked {
        None => html! { div #first-rows-shown {} },
        Some((_, false)) => ask(),
        Some((asked, true)) => {
            // A workbook has to be read whole.
            let read = apart(move || read(&app, &asked, &form)).await;
            read.map_or_else(|| html! { div #first-rows-shown {} }, |read| shown(&read))
        }
    };
    Html(shown.into_string()).into_response()
}

/// The first rows under the recipe with what the form says, which is not in it yet.
fn read(app: &App, asked: &Asked, form: &Form) -> Result<Head, JobError> {
    let text = edited(&asked.text, &edits(form)?)?;
    let recipe = Recipe::from_text(&text, &asked.path)?;
    app.folders.admit(&recipe, &asked.path)?;
    let table = recipe.input.path.as_ref().ok_or_else(|| JobError::usage("the table is not a file"))?;
    head(table, &recipe.read_options(&asked.path)?)
}

fn shown(read: &Result<Head, JobError>) -> Markup {
    html! {
        div #first-rows-shown {
            @match read {
                Err(mistake) => div.care { (status::said(mistake)) },
                Ok(Head { columns, records }) => {
                    div.scroll tabindex="0" role="region" aria-label=(t("The first rows as they are read")) { table.first-rows {
                        caption.note { (say!("The first {} rows, read so", records.len())) }
                        thead { tr { @for column in columns { th scope="col" { (column) } } } }
                        tbody { @for record in records { tr { @for cell in record { td { @if cell == NULL { span.note { (t("missing")) } } @else { (cell) } } } } } }
                    } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;

    #[test]
    fn rows_follow_the_form_once_values_are_asked_for() {
        let open = Open::new(&[("t.csv", "name;age\nAnna;41,5\nBert;?\nCara;12\n")]);
        let before = open.text();
        let hidden = open.post(first_rows, &[("delimiter", ";")]);
        assert!(hidden.contains("Show the first rows") && !hidden.contains("Anna"), "{hidden}");
        let shown = open.post(first_rows, &[("show", "yes"), ("delimiter", ";"), ("null", "?")]);
        assert!(shown.contains("<td>Anna</td>") && shown.matches(">missing<").count() == 1, "{shown}");
        let one = open.post(first_rows, &[("delimiter", "|"), ("header", "no")]);
        assert!(one.contains("name;age"), "{one}");
        assert!(open.post(first_rows, &[("skip-lines", "-1")]).contains("whole number"));
        assert_eq!(open.text(), before, "looking changes nothing");
    }
}
