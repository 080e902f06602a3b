//! A page of the studio: which attributes the recipe names, and a button that takes one out.

use maud::{Markup, html};
use velamen_recipe::JobError;
use velamen_studio::{App, Edit, Form, Page, Project, at};

pub(crate) static PAGE: Page =
    Page::new("toy", "Toy", view).after("attributes").keeps(&["attribute"]).changes(&[("remove", remove)]);

fn view(_: &App, project: &Project, asked: &Form) -> Markup {
    let recipe = project.recipe().ok();
    let names = recipe.iter().flat_map(|recipe| recipe.attributes.keys());
    html! {
        h1 { "A toy page" }
        form hx-post="toy/remove" {
            @for name in names {
                button type="submit" name="attribute" value=(name) {
                    "Take out " (name) @if name == asked.text("attribute") { ", as asked" }
                }
            }
        }
    }
}

fn remove(_: &App, form: &Form) -> Result<Vec<Edit>, JobError> {
    match form.text("attribute") {
        "" => Err(JobError::usage("name an attribute")),
        name => Ok(vec![Edit::Remove(at(["attributes", name]))]),
    }
}
