//! Analyses: what somebody wants to estimate, on the original and on the trial release, side by side.

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_assess::compare::{Analyses, AnalysisOptions, RangeReading, analysis_forest};
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_recipe::{JobError, Mistake};
use velamen_report::forest;
use velamen_report::language::{mark, say, t};

use super::compare::of_trial;
use super::{Page, change, show, status};
use crate::App;
use crate::form::Form;
use crate::project::Project;
use crate::trial::{analyses, asked_analyses, begin_analyses};
use crate::worker::locked;

pub(super) const PAGE: Page = Page::new("analyses", mark("Analyses"), view).after("compare").routes(routes);

/// How ranges may be read, as the form calls it.
const READINGS: [(&str, &str, RangeReading); 4] = [
    ("draws", mark("by random draws"), RangeReading::Draws),
    ("fitted", mark("as fitted to the release"), RangeReading::Fitted),
    ("middle", mark("by their middle"), RangeReading::Middle),
    ("bounds", mark("by both ends, of means and shares alone"), RangeReading::Bounds),
];

fn routes() -> Router<App> {
    change(Router::new(), "/analyses/estimate", estimate)
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    html! {
        h1 { (t("Analyses")) }
        p.lead { (t("Would your conclusions change? State what you want to estimate: it is estimated on the original and on the release that the recipe makes now. For you alone: figures of original records are shown, and groups are called by their values.")) }
        (of_trial(app, project, "analyses", |_| html! {
            (form(app, project, asked))
            @if let Some(shown) = analyses(app, project, shown) { (shown) }
        }))
    }
}

/// What is asked: the form that was posted, or what was estimated last.
fn form(app: &App, project: &Project, asked: &Form) -> Markup {
    let last = asked_analyses(app, project).unwrap_or_default();
    let posted = Some(asked.text("formulas")).filter(|text| !text.trim().is_empty());
    let formulas = posted.map_or_else(|| last.analysis.join("\n"), ToOwned::to_owned);
    let reading = reading(asked.text("reading")).unwrap_or(last.reading);
    let by = Some(asked.text("by").to_owned()).filter(|by| !by.is_empty()).or(last.by.into_iter().next());
    html! {
        form #analyses-form hx-post="analyses/estimate" {
            div.field {
                label for="formulas" { (t("Analyses, one a line")) }
                textarea #formulas name="formulas" rows="4" spellcheck="false" autocomplete="off" aria-describedby="formulas-help" { (formulas) }
                p.note #formulas-help {
                    (say!("{} is a regression, linear or logistic as the outcome is; {} is a mean; {} is Cox’s regression.", html! { code { "stay ~ age + sex" } }, html! { code { "stay ~ 1" } }, html! { code { "Surv(days, died) ~ age" } }))
                }
            }
            div.fields {
                div.field {
                    label for="by" { (t("Means and shares in the groups of")) }
                    select #by name="by" {
                        option value="" { (t("no attribute")) }
                        @for name in released(project) { option value=(name) selected[by.as_deref() == Some(&name)] { (name) } }
                    }
                }
                div.field {
                    label for="reading" { (t("Released ranges are read")) }
                    select #reading name="reading" {
                        @for (value, words, of) in READINGS { option value=(value) selected[of == reading] { (t(words)) } }
                    }
                }
            }
            button #estimate type="submit" { (t("Estimate on both")) }
        }
    }
}

/// What was found, or why nothing was.
fn shown(found: &Result<Analyses, Mistake>) -> Markup {
    match found {
        Ok(found) => results(found),
        Err(mistake) => html! { div.alert #refused role="alert" { (status::said(mistake)) } },
    }
}

fn results(found: &Analyses) -> Markup {
    html! {
        section #estimates aria-labelledby="estimates-heading" {
            h2 #estimates-heading { (t("Original and release")) }
            (forest::part(&crate::findings::analyses(analysis_forest(found))))
        }
    }
}

/// The attributes that a release shows.
fn released(project: &Project) -> Vec<String> {
    let Ok(recipe) = project.recipe() else { return Vec::new() };
    let shown = |role| matches!(role, Role::QuasiIdentifier | Role::Sensitive | Role::Insensitive);
    let all = recipe.attributes.iter().filter(|(_, section)| shown(section.role));
    all.map(|(name, _)| name.clone()).collect()
}

fn reading(name: &str) -> Option<RangeReading> {
    READINGS.iter().find(|(value, ..)| *value == name).map(|(_, _, reading)| *reading)
}

/// What a form asks for.
fn options(form: &Form) -> Result<AnalysisOptions, JobError> {
    let lines = form.text("formulas").lines().map(str::trim).filter(|line| !line.is_empty());
    let analysis: Vec<String> = lines.map(ToOwned::to_owned).collect();
    // Elsewhere a line without it names a file.
    if let Some(at) = analysis.iter().position(|line| !line.contains('~')) {
        let problem = Problem::new(format!("analysis {}: there is no `~`", at + 1));
        return Err(JobError::usage(problem.expected("a formula such as `stay ~ age + sex`")));
    }
    let by: Vec<String> = form.all("by").filter(|by| !by.is_empty()).map(ToOwned::to_owned).collect();
    if analysis.is_empty() && by.is_empty() {
        let problem = Problem::new("no analysis is stated");
        return Err(JobError::usage(
            problem.expected("a formula such as `stay ~ age + sex`, or an attribute"),
        ));
    }
    Ok(AnalysisOptions { analysis, by, reading: reading(form.text("reading")).unwrap_or_default() })
}

async fn estimate(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_analyses(&app, project, options(&form));
    }
    app.worker.idle_within(std::time::Duration::from_secs(1)).await;
    show(&app, &PAGE, &form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_asks_for_formulas_and_never_for_a_file() {
        let of = |text: &str| options(&Form::of(text));
        let asked = of("formulas=stay+%7E+age%0A%0A+sex+%7E+1+&by=&reading=middle").unwrap();
        assert_eq!((asked.analysis.len(), asked.by.len()), (2, 0));
        assert_eq!((asked.analysis[1].as_str(), asked.reading), ("sex ~ 1", RangeReading::Middle));
        assert_eq!(of("formulas=&by=sex").unwrap().by, ["sex"]);
        for wrong in ["formulas=%2Fetc%2Fpasswd", "formulas=&by=", "formulas=a+%7E+b%0Aanalyses.toml"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
