//! Risk: three adversaries before and after, thresholds, what drives the risk, and what attacks get.

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_assess::Attacks;
use velamen_assess::risk::{RiskFigures, RiskReport};
use velamen_measure::risk::reidentification::Risk;
use velamen_report::language::{mark, say, t, text};

use super::bars::{bar, twin};
use super::compare::of_trial;
use super::{Page, change, count, percent, show, status};
use crate::App;
use crate::findings::{self, of_attack};
use crate::form::Form;
use crate::project::Project;
use crate::schema::coded;
use crate::told::{self, sentence};
use crate::trial::{attacks, begin_attacks};
use crate::worker::locked;

pub(super) const PAGE: Page = Page::new("risk", mark("Risk"), view).after("advice").routes(routes);

fn routes() -> Router<App> {
    change(Router::new(), "/risk/attack", attack)
}

fn view(app: &App, project: &Project, _asked: &Form) -> Markup {
    html! {
        h1 { (t("Risk")) }
        p.lead { (t("How likely somebody finds a person again: in the original, and in the release that the recipe makes now.")) }
        (of_trial(app, project, "risk", |trial| match &trial.risk {
            Ok(report) => html! { (of_report(report)) (of_attacks(app, project)) },
            Err(mistake) => html! { div.alert role="alert" { (status::said(mistake)) } },
        }))
    }
}

fn of_report(report: &RiskReport) -> Markup {
    html! {
        (in_short(report))
        (adversaries(report))
        (thresholds(&report.figures, whom(&[&report.figures])))
        (drivers(report))
        @if !report.remarks.is_empty() {
            section aria-labelledby="remarks-heading" {
                h2 #remarks-heading { (t("How to read this")) }
                ul.remarks { @for remark in &report.remarks { li { (told::remark(remark)) } } }
            }
        }
    }
}

const RECORDS: &str = mark("Records");
const PEOPLE: &str = mark("People");

/// What figures count.
fn whom(figures: &[&RiskFigures]) -> &'static str {
    match figures.iter().filter(|figures| figures.people.is_some()).count() {
        0 => RECORDS,
        all if all == figures.len() => PEOPLE,
        _ => mark("People or records"),
    }
}

/// The same of what stands side by side.
fn whom_beside(report: &RiskReport) -> &'static str {
    let both: Vec<&RiskFigures> = report.before.iter().chain([&report.figures]).collect();
    whom(&both)
}

/// What is said of those who are alone in their class.
fn alone_of(report: &RiskReport) -> &'static str {
    match whom_beside(report) {
        RECORDS => t("records alone in their class"),
        PEOPLE => t("people alone in their class"),
        _ => t("people or records alone in their class"),
    }
}

/// Before and after, in the figures that people ask for first.
fn in_short(report: &RiskReport) -> Markup {
    let (before, after) = (report.before.as_ref().and_then(prosecutor), prosecutor(&report.figures));
    let all = [
        (
            t("highest risk"),
            share(before.map(|prosecutor| prosecutor.highest)),
            share(after.map(|prosecutor| prosecutor.highest)),
        ),
        (
            t("mean risk"),
            share(before.map(|prosecutor| prosecutor.mean)),
            share(after.map(|prosecutor| prosecutor.mean)),
        ),
        (alone_of(report), uniques(report.before.as_ref()), uniques(Some(&report.figures))),
    ];
    html! {
        dl.facts.large {
            @for (name, before, after) in all {
                div { dt { (name) } dd { span.before { (before) } " " span aria-hidden="true" { "→" } span.hidden { " " (t("before,")) " " } " " strong { (after) } span.hidden { " " (t("after")) } } }
            }
        }
    }
}

fn uniques(figures: Option<&RiskFigures>) -> String {
    figures.map_or("–".into(), |figures| count(figures.uniques))
}

fn share(figure: Option<f64>) -> String {
    figure.map_or("–".into(), percent)
}

fn prosecutor(figures: &RiskFigures) -> Option<Risk> {
    figures.risks.map(|risks| risks.prosecutor)
}

fn adversaries(report: &RiskReport) -> Markup {
    let before = report.before.as_ref().and_then(|figures| figures.risks);
    let after = report.figures.risks;
    let all = [
        (
            t("Prosecutor"),
            t("knows that the person is in the table"),
            before.map(|r| r.prosecutor),
            after.map(|r| r.prosecutor),
        ),
        (
            t("Journalist"),
            t("knows the population only"),
            before.map(|r| r.journalist),
            after.map(|r| r.journalist),
        ),
        (
            t("Marketer"),
            t("matches every record with the population"),
            before.map(|r| r.marketer),
            after.map(|r| r.marketer),
        ),
    ];
    let at_risk = at_risk(report);
    html! {
        section aria-labelledby="adversaries-heading" {
            h2 #adversaries-heading { (t("Three adversaries")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of adversaries")) { table.twins.stacked {
                thead { tr {
                    th scope="col" { (t("Adversary")) }
                    th scope="col" { (t("Highest risk")) }
                    th scope="col" { (t("Mean risk")) }
                    th.number scope="col" { (at_risk) }
                } }
                tbody { @for (name, knows, before, after) in all { tr {
                    th scope="row" { (name) span.source { (knows) } }
                    td data-of=(t("Highest risk")) { (twin(before.map(|r| r.highest), after.map(|r| r.highest))) }
                    td data-of=(t("Mean risk")) { (twin(before.map(|r| r.mean), after.map(|r| r.mean))) }
                    td.number data-of=(at_risk) { span {
                        span.note { (t("before")) } " " (before.map_or("–".into(), |r| count(r.records_at_risk))) br;
                        span.note { (t("after")) } " " (after.map_or("–".into(), |r| count(r.records_at_risk)))
                    } }
                } } }
            } }
        }
    }
}

/// Who is at risk: by the first of the thresholds.
fn at_risk(report: &RiskReport) -> String {
    let threshold = report.figures.thresholds.first().map_or(1.0, |first| first.threshold);
    text!("{} above a risk of {}", t(whom_beside(report)), percent(threshold))
}

fn thresholds(figures: &RiskFigures, whom: &str) -> Markup {
    html! {
        section aria-labelledby="thresholds-heading" {
            h2 #thresholds-heading { (t("Thresholds that others use")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of thresholds")) { table.stacked {
                thead { tr {
                    th scope="col" { (t("Threshold")) }
                    th scope="col" { (t("Highest risk")) }
                    th scope="col" { (t("Mean risk")) }
                    th.number scope="col" { (say!("{} above", t(whom))) }
                } }
                tbody { @for threshold in &figures.thresholds { tr {
                    th scope="row" { (findings::threshold(&threshold.name)) }
                    td data-of=(t("Highest risk")) { (met(Some(threshold.prosecutor.highest_met))) }
                    td data-of=(t("Mean risk")) { (met(threshold.prosecutor.mean_met)) }
                    td.number data-of=(text!("{} above", t(whom))) { (count(threshold.prosecutor.records_at_risk)) }
                } } }
            } }
        }
    }
}

fn met(verdict: Option<bool>) -> Markup {
    html! { @match verdict { Some(true) => span.mark { (t("met")) }, Some(false) => span.mark.no { (t("not met")) }, None => "–" } }
}

/// Which attributes drive the risk: what leaving each out would come to.
fn drivers(report: &RiskReport) -> Markup {
    let before = report.before.as_ref().map(|figures| &figures.attributes);
    html! {
        section aria-labelledby="drivers-heading" {
            h2 #drivers-heading { (t("Which attributes drive it")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of attributes")) { table.stacked {
                thead { tr {
                    th scope="col" { (t("Without")) }
                    th.number scope="col" { (t("Mean risk before")) }
                    th.number scope="col" { (t("Mean risk after")) }
                    th.number scope="col" { (t("Alone before")) }
                    th.number scope="col" { (t("Alone after")) }
                    th.number scope="col" { (t("Part of the special uniques")) }
                } }
                tbody { @for attribute in &report.figures.attributes {
                    @let old = before.and_then(|all| all.iter().find(|other| other.name == attribute.name));
                    tr {
                        th scope="row" { (attribute.name) }
                        td.number data-of=(t("Mean risk before")) { (old.map_or("–".into(), |old| percent(old.mean_risk_without))) }
                        td.number data-of=(t("Mean risk after")) { (percent(attribute.mean_risk_without)) }
                        td.number data-of=(t("Alone before")) { (old.map_or("–".into(), |old| count(old.uniques_without))) }
                        td.number data-of=(t("Alone after")) { (count(attribute.uniques_without)) }
                        td.number data-of=(t("Part of the special uniques")) { (old.and_then(|old| old.contribution).map_or("–".into(), percent)) }
                    }
                } }
            } }
            p.note { (t("The lower the risk without an attribute, the more that attribute adds.")) " "
                (t("A special unique is a record that is alone by few attributes already; the last column says how much an attribute adds to such combinations before the release.")) }
        }
    }
}

fn of_attacks(app: &App, project: &Project) -> Markup {
    let found = attacks(app, project, |attacks| match attacks {
        Ok(attacks) => told(attacks),
        Err(mistake) => html! { div.alert role="alert" { (status::said(mistake)) } },
    });
    html! {
        section aria-labelledby="attacks-heading" {
            h2 #attacks-heading { (t("What an attack gets")) }
            @match found {
                Some(found) => (found),
                None => {
                    p { (t("Attacks on the trial release by somebody who has the original: linkage, inference, background knowledge and others.")) }
                    button #attack type="button" hx-post="risk/attack" { (t("Attack the trial release")) }
                }
            }
        }
    }
}

fn told(attacks: &Attacks) -> Markup {
    let (left_out, tried): (Vec<_>, Vec<_>) =
        attacks.attacks.iter().map(|attack| &attack.outcome).partition(|outcome| outcome.left_out.is_some());
    html! {
        @for outcome in tried {
            h3 { (findings::attack(&outcome.attack)) }
            p { (sentence(&of_attack(&outcome.summary))) }
            div.scroll tabindex="0" role="region" aria-label=(say!("Attack: {}", findings::attack(&outcome.attack))) { table.attack {
                thead { tr { th scope="col" { (t("What")) } th.number scope="col" { (t("How often")) } th.meter scope="col" { span.hidden { (t("as a bar")) } } th.number scope="col" { (t("Without the release")) } } }
                tbody { @for figure in &outcome.figures { tr {
                    th scope="row" { (of_attack(&figure.what)) }
                    td.number { (percent(figure.rate)) }
                    td.meter { (bar(figure.rate)) }
                    td.number { (figure.baseline.map_or("–".into(), percent)) }
                } } }
            } }
            @for note in &outcome.notes { p.note { (coded(&sentence(&of_attack(note)))) } }
        }
        @if !left_out.is_empty() {
            details #not-tried {
                summary { (say!("{} attacks do not fit this release, or need more than it and its original", left_out.len())) }
                dl.promise { @for outcome in left_out { dt { (findings::attack(&outcome.attack)) } dd { (sentence(&of_attack(outcome.left_out.as_deref().unwrap_or_default()))) } } }
            }
        }
    }
}

async fn attack(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_attacks(&app, project);
    }
    app.worker.idle_within(std::time::Duration::from_secs(1)).await;
    show(&app, &PAGE, &form)
}
