//! What to give up: single changes of the recipe, each measured, each taken with one click.

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_assess::advise::{Advice, ChangeFigures};
use velamen_core::error::Problem;
use velamen_recipe::{JobError, Mistake};
use velamen_report::language::{mark, say, t};

use super::{Page, change, edit, percent, show, status};
use crate::App;
use crate::edit::Edit;
use crate::findings;
use crate::form::Form;
use crate::project::Project;
use crate::schema::coded;
use crate::trial::{advice, asked_analyses, begin_advice};
use crate::worker::locked;

pub(super) const PAGE: Page = Page::new("advice", mark("Advice"), view).after("analyses").routes(routes);

/// Changes that are shown.
const SHOWN: usize = 15;

fn routes() -> Router<App> {
    let router = change(Router::new(), "/advice/measure", measure);
    change(router, "/advice/take", take)
}

fn view(app: &App, project: &Project, _asked: &Form) -> Markup {
    let has_formulas =
        asked_analyses(app, project).is_some_and(|asked| !asked.analysis.is_empty() || !asked.by.is_empty());
    let page = html! { a href="analyses" { (t("Analyses")) } };
    html! {
        h1 { (t("Advice")) }
        p.lead { (t("What would another k, one column less, another hierarchy or another method change? Each change is made by itself and measured on the open table; nothing is released. For you alone: the figures are exact.")) }
        p {
            @if has_formulas { (say!("The overlap is that of the confidence intervals of the formulas that you stated under {}.", page)) }
            @else { (say!("If you state formulas under {}, the overlap of their confidence intervals is measured, too.", page)) }
        }
        button #measure type="button" hx-post="advice/measure" { (t("Measure single changes")) }
        @if let Some(shown) = advice(app, project, shown) { (shown) }
    }
}

fn shown(found: &Result<Advice, Mistake>) -> Markup {
    match found {
        Ok(advice) => measured(advice),
        Err(mistake) => html! { div.alert role="alert" { (status::said(mistake)) } },
    }
}

fn measured(advice: &Advice) -> Markup {
    html! {
        section #changes aria-labelledby="changes-heading" {
            h2 #changes-heading { (t("What each change would keep or cost")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of changes")) { table.stacked {
                thead { tr {
                    th scope="col" { (t("Change")) } th.number scope="col" { (t("Loss")) } th.number scope="col" { (t("Highest risk")) }
                    th.number scope="col" { (t("Suppressed or counterfeit")) } th.number scope="col" { (t("Overlap")) } th scope="col" { span.hidden { (t("Take it")) } }
                } }
                tbody {
                    tr { th scope="row" { (t("the recipe as it is")) } (figures(&advice.now)) td {} }
                    @for (at, change) in advice.changes.iter().take(SHOWN).enumerate() { tr {
                        th scope="row" { (coded(&findings::change(&change.change))) }
                        (figures(&change.figures))
                        td { button type="button" id={ "take-" (at) } hx-post="advice/take" hx-vals={ "{\"change\":\"" (at) "\"}" } aria-label=(say!("Take: {}", findings::change(&change.change))) { (t("Take")) } }
                    } }
                }
            } }
            p.note { (t("The loss is the figure of Explore: its mean over the columns is geometric, so that it is not the detail lost of guide and report. A column that is dropped counts as lost.")) }
            (others(t("No release, or none for these analyses"), &advice.impossible))
            (others(t("Not tried in 20 seconds"), &advice.not_tried))
        }
    }
}

fn figures(figures: &ChangeFigures) -> Markup {
    let all = [
        (t("Loss"), Some(figures.loss)),
        (t("Highest risk"), Some(figures.highest_risk)),
        (t("Suppressed or counterfeit"), Some(figures.changed)),
        (t("Overlap"), figures.mean_overlap),
    ];
    html! {
        @for (name, share) in all {
            td.number data-of=(name) { @match share { Some(share) => (percent(share)), None => "–" } }
        }
    }
}

fn others(what: &str, changes: &[String]) -> Markup {
    let said: Vec<String> = changes.iter().map(|change| findings::change(change)).collect();
    html! { @if !changes.is_empty() { p.note { (what) ": " (coded(&said.join("; "))) "." } } }
}

async fn measure(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_advice(&app, project);
    }
    app.worker.idle_within(std::time::Duration::from_secs(1)).await;
    show(&app, &PAGE, &form)
}

async fn take(Shared(app): Shared<App>, form: Form) -> Response {
    let edits = taken(&app, form.text("change"));
    edit(&app, &PAGE, &Form::default(), edits)
}

/// What one of the measured changes does to the recipe.
fn taken(app: &App, place: &str) -> Result<Vec<Edit>, JobError> {
    let project = locked(&app.project);
    let set =
        project.as_ref().and_then(|project| advice(app, project, |found| set_of(found, place)).flatten());
    let gone = || {
        JobError::usage(Problem::new("the change was not measured for this recipe").mend("measure once more"))
    };
    set.ok_or_else(gone)?.iter().map(|pair| Edit::of_flag(pair)).collect()
}

/// What `--set` needs for a measured change, by its place.
fn set_of(found: &Result<Advice, Mistake>, place: &str) -> Option<Vec<String>> {
    let changes = &found.as_ref().ok()?.changes;
    changes.get(place.parse::<usize>().ok()?).map(|change| change.set.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        hierarchy = { interval = [10, 50], min = 0, max = 99 }\n[attributes.sex]\nrole = \"quasi-identifier\"\n\
        [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"optimal\"\n[output]\npath = \"out\"\n";

    async fn page_of(Shared(app): Shared<App>, form: Form) -> Response {
        show(&app, &PAGE, &form)
    }

    #[test]
    fn a_measured_change_is_taken_into_the_recipe() {
        let row = |n: usize| format!("{},{}\n", 20 + n % 40, if n.is_multiple_of(2) { "M" } else { "F" });
        let table = format!("age,sex\n{}", (0..200).map(row).collect::<String>());
        let studio = Open::new(&[("t.csv", &table), ("recipe.toml", RECIPE)]);
        assert!(studio.post(take, &[("change", "0")]).contains("not measured"));
        studio.post(measure, &[]);
        studio.settle();
        let page = studio.post(page_of, &[]);
        assert!(page.contains("id=\"take-0\"") && page.contains("the recipe as it is"), "{page}");
        studio.post(take, &[("change", "0")]);
        assert_ne!(studio.text(), RECIPE);
        assert!(
            studio.post(take, &[("change", "0")]).contains("not measured"),
            "another recipe has advice of its own"
        );
    }
}
