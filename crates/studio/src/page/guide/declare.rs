//! What a private release needs that no record may decide: values to declare, and hierarchies that nobody knows the source of.

use maud::{Markup, html};
use serde_json::Value;
use velamen_assess::guide::{Declarations, FROM_RECORDS};
use velamen_recipe::{JobError, Recipe};
use velamen_report::language::{say, t};

use super::fields;
use crate::App;
use crate::edit::{Edit, without};
use crate::form::Form;

/// The field that names a column.
const COLUMN: &str = "column";

pub(super) fn section(recipe: &Recipe, declarations: &Declarations, asked: &Form) -> Markup {
    html! {
        section #declare aria-labelledby="declare-heading" {
            h2 #declare-heading { (t("What you still have to declare")) }
            p { (t("The promise of a private release covers what is drawn by chance, and not what was read off the table before. So the guide took out the hierarchies, ends of ranges and levels that cells may have decided.")) }
            (undeclared(declarations))
            @if !declarations.kept.is_empty() { (kept(declarations, asked)) }
            p.note {
                (t("Go through the roles above, too: they were filled in from names and figures of the columns."))
                @if !recipe.input.null.is_empty() { " " (say!("So was {}, the texts that mean a missing value.", html! { code { "null" } })) }
                @if !recipe.derived.is_empty() { " " (t("So were the columns that follow from others.")) }
            }
        }
    }
}

/// The columns without values, with the form and with lines to paste.
fn undeclared(declarations: &Declarations) -> Markup {
    if declarations.undeclared.is_empty() {
        return html! { p.done { (t("Every column has declared values.")) } };
    }
    html! {
        p { (t("These columns need a list of all values that there can be, whether they occur or not, or the least and the greatest number:")) }
        ul #undeclared { @for name in &declarations.undeclared { li { (name) } } }
        p { (say!("For invented records, fill them in under {}. A sample of genuine records needs a hierarchy of each instead: {}.",
            html! { a href="attributes#domains-heading" { (t("Attributes")) } }, html! { a href="hierarchies" { (t("Hierarchies")) } })) }
        details {
            summary { (t("Lines to paste into the recipe")) }
            p.note { (t("They follow from the names and types of the columns: correct them.")) }
            pre { (declarations.lines) }
        }
    }
}

/// Hierarchies that stay, each with what takes it out.
fn kept(declarations: &Declarations, asked: &Form) -> Markup {
    html! {
        p { (t("These hierarchies stay. The recipe does not say where their values and ends come from. If somebody read them off this table, take them out:")) }
        ul #kept {
            @for (number, (name, file)) in declarations.kept.iter().enumerate() {
                li {
                    (name) @if let Some(file) = file { " (" code { (file) } ")" } " "
                    button #{ "forget-" (number) } type="button" hx-post="guide/forget" hx-vals=(of_column(name, asked)) {
                        (t("Take it out")) span.hidden { ": " (name) }
                    }
                }
            }
        }
    }
}

fn of_column(name: &str, asked: &Form) -> String {
    let mut vals = fields(asked);
    vals.insert(COLUMN.to_owned(), name.into());
    Value::from(vals).to_string()
}

/// The edits that take a column's hierarchy out.
pub(super) fn forget(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    Ok(without(form.text(COLUMN), &FROM_RECORDS))
}
