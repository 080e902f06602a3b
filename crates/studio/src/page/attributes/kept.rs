//! How many rows, and people, the conditions of `[[where]]` leave.

use maud::{Markup, html};
use velamen_recipe::Recipe;
use velamen_report::language::{say, t};

use crate::App;
use crate::originals::originals;
use crate::page::{count, status};
use crate::project::Project;

/// What stays of so many rows, where the recipe names a condition.
pub(super) fn section(app: &App, project: &Project, recipe: &Recipe, rows: u64) -> Markup {
    if recipe.kept.is_empty() {
        return html! {};
    }
    match originals(app, project) {
        None => html! { p.note #rows-kept role="status" { (t("The rows that stay are being counted…")) } },
        Some(Err(mistake)) => {
            html! { p.care #rows-kept { (say!("The rows that stay cannot be counted: {}", status::said(&mistake))) } }
        }
        Some(Ok(read)) => html! {
            p.done #rows-kept role="status" {
                @let kept = html! { strong { (count(read.records)) } };
                @match read.people {
                    Some(people) => (say!("{} of {} rows stay, of {} people.", kept, count(rows), html! { strong { (count(people)) } })),
                    None => (say!("{} of {} rows stay.", kept, count(rows))),
                }
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::opened::Open;
    use crate::page::attributes::PAGE;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.who]\nrole = \"person\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        [attributes.sex]\nrole = \"quasi-identifier\"\n[[where]]\ncolumn = \"sex\"\namong = [\"f\"]\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n\
        [method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";

    #[test]
    fn what_a_condition_leaves_is_counted_in_rows_and_people() {
        let row = |n: usize| {
            format!("{},{},{}\n", n / 3, 30 + n / 3 % 20, if (n / 3).is_multiple_of(4) { "f" } else { "m" })
        };
        let table = "who,age,sex\n".to_owned() + &(0..240).map(row).collect::<String>();
        let studio = Open::new(&[("t.csv", &table), ("r.toml", RECIPE)]);
        studio.shown(&PAGE);
        studio.settle();
        let page = studio.shown(&PAGE);
        let words = page.replace("<strong>", "").replace("</strong>", "");
        assert!(words.contains("60 of 240 rows stay, of 20 people."), "{page}");
        let one_by_one = RECIPE
            .replace("role = \"person\"", "role = \"identifier\"")
            .replace("path = \"t.csv\"", "path = \"t.csv\"\nrows = \"independent\"");
        let studio = Open::new(&[("t.csv", &table), ("r.toml", &one_by_one)]);
        studio.shown(&PAGE);
        studio.settle();
        let page = studio.shown(&PAGE).replace("<strong>", "").replace("</strong>", "");
        assert!(page.contains("60 of 240 rows stay."), "{page}");
    }
}
