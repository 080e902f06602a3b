//! What a quasi-identifier costs: the release with it beside the one that leaves it out.

use maud::{Markup, html};
use velamen_core::frequency::Role;
use velamen_job::Solution;
use velamen_recipe::Recipe;
use velamen_report::language::{say, t};

use super::{PAGE, with_role};
use crate::App;
use crate::cost::{RecipeCost, figures};
use crate::edit::edited;
use crate::form::Form;
use crate::page::{address, count, fixed, percent, status, written};
use crate::project::Project;
use crate::told;

/// The field of the address that names the column.
pub(super) const FIELD: &str = "cost";

/// Where the cost of a column is shown.
pub(super) fn link(name: &str) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair(FIELD, name).finish();
    format!("attributes?{query}#cost")
}

/// The column that is asked for, with what it costs once that is known.
pub(super) fn section(app: &App, project: &Project, recipe: &Recipe, asked: &Form) -> Markup {
    let name = asked.text(FIELD);
    let is_qi = recipe.attributes.get(name).is_some_and(|section| section.role == Role::QuasiIdentifier);
    let without = is_qi.then(|| with_role(name, &written(&Role::Identifier)));
    let without = without.and_then(Result::ok).and_then(|edits| edited(project.text(), &edits).ok());
    let Some(without) = without else { return html! {} };
    let known = figures(app, project, &[project.text().to_owned(), without], true);
    html! {
        section #cost aria-labelledby="cost-heading" {
            h2 #cost-heading { (say!("What {} costs", name)) }
            @match &known.figures[..] {
                [Some(with), Some(without)] => (compared(name, with, without)),
                _ => {
                    div hx-get=(address(&PAGE, asked)) hx-trigger="load delay:400ms" hx-target="#cost" hx-select="#cost" {}
                    p role="status" { (t("The release is being made with it and without.")) }
                }
            }
        }
    }
}

fn compared(name: &str, with: &RecipeCost, without: &RecipeCost) -> Markup {
    match (with, without) {
        (Ok(Ok(with)), Ok(Ok(without))) => table(name, with, without),
        (Ok(Err(why)), _) | (_, Ok(Err(why))) => {
            html! { p.care { (say!("No exact figure is shown before the release: {}", told::remark(why))) } }
        }
        (Err(mistake), _) => {
            html! { p.care { (say!("With it no release can be made: {}", status::said(mistake))) } }
        }
        (_, Err(mistake)) => {
            html! { p.care { (say!("Without it no release can be made: {}", status::said(mistake))) } }
        }
    }
}

fn table(name: &str, with: &Solution, without: &Solution) -> Markup {
    let figures = [
        (t("loss of detail of the columns that stay"), [with, without].map(|one| fixed(one.value, 3))),
        (t("suppressed records"), [with, without].map(|one| count(one.suppressed))),
        (t("counterfeits"), [with, without].map(|one| count(one.counterfeits))),
        (t("highest risk"), [with, without].map(|one| percent(one.highest_risk))),
        (t("classes"), [with, without].map(|one| count(one.classes))),
    ];
    html! {
        div.scroll tabindex="0" role="region" aria-label=(say!("What {} costs", name)) { table.narrow-table {
            thead { tr { th scope="col" { span.hidden { (t("Figure")) } } th scope="col" { (say!("With {}", name)) } th scope="col" { (t("Without it")) } } }
            tbody { @for (row, both) in &figures {
                tr.differs[both[0] != both[1]] { th scope="row" { (row) } @for said in both { td { (said) } } }
            } }
        } }
        p.note { (t("To leave it out, give it the role identifier.")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;
    use axum::extract::State;
    use axum::response::Response;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        hierarchy = { interval = [10, 50], min = 0, max = 99 }\nlevel = 1\n[attributes.sex]\nrole = \"quasi-identifier\"\n\
        [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";

    async fn page_of(State(app): State<App>, form: Form) -> Response {
        crate::page::show(&app, &PAGE, &form)
    }

    #[test]
    fn a_column_is_weighed_and_the_recipe_stays() {
        let row = |n: usize| format!("{},{}\n", 20 + n % 40, if n < 3 { "M" } else { "F" });
        let table = format!("age,sex\n{}", (0..200).map(row).collect::<String>());
        let studio = Open::new(&[("t.csv", &table), ("recipe.toml", RECIPE)]);
        studio.post(page_of, &[(FIELD, "age")]);
        studio.settle();
        let page = studio.post(page_of, &[(FIELD, "age")]);
        let cost = &page[page.find("id=\"cost\"").unwrap()..];
        // Three men hide in no group, with or without their age; nothing but their sex is left without it.
        assert!(cost.contains("stay</th><td>0.") && cost.contains("<td>1.000</td>"), "{cost}");
        assert!(cost.contains("classes</th><td>4</td><td>1</td>"), "{cost}");
        assert_eq!(studio.text(), RECIPE);
        assert!(!studio.post(page_of, &[(FIELD, "name")]).contains("id=\"cost\""));
    }
}
