//! The releases side by side: figures with what they mean, first rows, and a button each.

use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_assess::guide::{Kind, PlannedRelease};
use velamen_core::frequency::Role;
use velamen_report::language::{mark, say, t, text};

use super::answers::of_role;
use super::offered::{Offered, needs_another, offered};
use super::shown::{Shown, title};
use super::{Guided, MAKE, PAGE, fields};
use crate::App;
use crate::candidate::{Candidate, Measured, candidates, meaning};
use crate::form::Form;
use crate::page::{address, count, fixed, percent, status};
use crate::project::Project;

/// How it differs from the others.
fn words(release: &PlannedRelease) -> &'static str {
    match (release.kind, release.by_group) {
        (Kind::Stricter, false) => {
            mark("Twice as many look alike as you asked for. Each column has one level of detail.")
        }
        (Kind::Stricter, true) => {
            mark("Twice as many look alike as you asked for. Each group has ranges of its own.")
        }
        (Kind::AsAsked, false) => {
            mark("Each column has one level of detail in all rows, so that groups add up.")
        }
        (Kind::AsAsked, true) => {
            mark("The promises that you asked for. Each group has ranges of its own, made in one quick pass.")
        }
        (Kind::MoreDetail, true) => mark(
            "The promises that you asked for. Each group has as much detail as it can have, so one column shows values of different width.",
        ),
        (Kind::ByHalves, _) => mark(
            "The promises that you asked for. The rows are halved again and again, and each group has ranges of its own.",
        ),
        (Kind::MoreDetail, false) => mark("The promises that you asked for, with more detail."),
        (Kind::Invented, _) => mark(
            "Rows that belong to nobody. They follow noisy counts of the table and keep how columns go together. It takes longest.",
        ),
        (Kind::InventedFast, _) => {
            mark("Rows that belong to nobody. They follow noisy counts of single columns and of a few pairs.")
        }
        (Kind::Sample, _) => {
            mark("Some of the rows, made coarser; small groups are missing. It needs a large table.")
        }
    }
}

pub(super) fn section(app: &App, project: &Project, guided: &Guided, asked: &Form) -> Markup {
    let may = !project.is_large() || !asked.text(MAKE).is_empty();
    let shown = shown(app, project, guided, may);
    html! {
        section #releases aria-labelledby="releases-heading" {
            h2 #releases-heading tabindex="-1" { (t("Releases to choose from")) }
            @match shown {
                Err(mistake) => div.alert role="alert" { (status::said(&mistake)) },
                Ok(Offered { shown, notes }) => {
                    (lead(&shown))
                    @for note in &notes { p.care { (note) } }
                    (waiting(&shown, may, asked))
                    (mistakes(&shown))
                    (table(&shown, counts_people(guided), asked))
                    (above_asked(&shown))
                    (onward(&shown))
                    (first_rows(project, &shown, asked))
                }
            }
        }
    }
}

fn shown<'g>(
    app: &App,
    project: &Project,
    guided: &'g Guided,
    may: bool,
) -> Result<Offered<'g>, velamen_recipe::Mistake> {
    let texts = guided.texts(project)?;
    let now = meaning(project, project.text())?;
    let is_now = |place: usize| meaning(project, &texts[place]).is_ok_and(|meaning| meaning == now);
    let is_extra = |place: &usize| guided.plan.releases[*place].kind == Kind::ByHalves;
    let (extra, usual): (Vec<usize>, Vec<usize>) = (0..texts.len()).partition(is_extra);
    let wanted = |places: &[usize]| places.iter().map(|&place| texts[place].clone()).collect::<Vec<_>>();
    let made = |places: &[usize]| candidates(app, project, &wanted(places), may);
    let first = placed(guided, &usual, made(&usual), is_now);
    if !needs_another(&first) && !extra.iter().any(|&place| is_now(place)) {
        return Ok(offered(first));
    }
    let all = [usual, extra].concat();
    Ok(offered(placed(guided, &all, made(&all), is_now)))
}

/// The releases at some places of the plan, with what is known of each.
fn placed<'g>(
    guided: &'g Guided,
    places: &[usize],
    found: Vec<Option<Candidate>>,
    is_now: impl Fn(usize) -> bool,
) -> Vec<Shown<'g>> {
    let each = places.iter().zip(found);
    each.map(|(&place, found)| {
        let release = &guided.plan.releases[place];
        Shown { place, release, found, is_chosen: is_now(place) }
    })
    .collect()
}

fn lead(shown: &[Shown<'_>]) -> Markup {
    html! {
        p {
            @if shown.iter().all(Shown::is_private) {
                (t("No figure is shown before the release: whoever chose by one would learn of single people what no promise counts."))
            } @else {
                (t("Each is made of your table in the private folder and checked; nothing is published. For you alone: the figures are exact."))
            }
        }
    }
}

/// What is still to come, and how it is had.
fn waiting(shown: &[Shown<'_>], may: bool, asked: &Form) -> Markup {
    let is_stopped = |one: &Shown<'_>| one.mistake().is_some_and(velamen_recipe::Mistake::is_interrupted);
    html! {
        @if shown.iter().any(is_stopped) {
            p.care { (t("You stopped it.")) " " button #again type="button" hx-post="guide/again" hx-vals=(Value::from(fields(asked)).to_string()) { (t("Make the releases")) } }
        } @else if shown.iter().any(|one| one.found.is_none()) {
            @if may {
                div hx-get=(address(&PAGE, asked)) hx-trigger="load delay:400ms" hx-target="#releases" hx-select="#releases" {}
                p role="status" { (t("They are being made, one after the other…")) }
            } @else {
                p { (t("The table is large: making them takes a while.")) " "
                    a.button #make href={ (address(&PAGE, asked)) "&" (MAKE) "=yes#releases" } { (t("Make the releases")) } }
            }
        }
    }
}

/// Why a release cannot be made: each reason once.
fn mistakes(shown: &[Shown<'_>]) -> Markup {
    let failed = shown
        .iter()
        .filter_map(|one| Some((one, one.mistake().filter(|mistake| !mistake.is_interrupted())?)));
    let mut reasons: Vec<(String, Vec<&Shown<'_>>)> = Vec::new();
    for (one, mistake) in failed {
        let message = mistake.message().to_string();
        match reasons.iter_mut().find(|(reason, _)| *reason == message) {
            Some((_, of)) => of.push(one),
            None => reasons.push((message, vec![one])),
        }
    }
    html! { @for (_, of) in &reasons { (reason(of)) } }
}

fn reason(of: &[&Shown<'_>]) -> Markup {
    let titles: Vec<&str> = of.iter().map(|one| t(title(one.release.kind))).collect();
    html! {
        div.alert {
            strong { (titles.join(", ")) ": " }
            @if let Some(mistake) = of[0].mistake() { (status::said(mistake)) }
        }
    }
}

/// Why the highest risk can be above one in as many as look alike.
fn above_asked(shown: &[Shown<'_>]) -> Markup {
    let is_of_people = |one: &Shown<'_>| one.measured().is_some_and(|measured| measured.of_people);
    html! {
        @if shown.iter().any(is_of_people) {
            p.note #of-people {
                (t("A person with several rows of a group is picked more often than others of it: the risk is the share of its rows that are hers. So the highest risk can be above 1 divided by k, although at least k people look alike."))
            }
        }
    }
}

/// Whether it is known whose the rows are: a column says so, or each is another person's. If not, each row counts as a person.
fn counts_people(guided: &Guided) -> bool {
    guided.recipe.input.rows.is_some() || of_role(&guided.recipe, Role::Person).next().is_some()
}

fn table(shown: &[Shown<'_>], of_people: bool, asked: &Form) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(t("Table of releases")) { table.candidates {
            thead { tr {
                th scope="col" { span.hidden { (t("Figure")) } }
                @for one in shown { th scope="col" { (t(title(one.release.kind))) @if one.is_chosen { " " span.mark { (t("in the recipe")) } } } }
            } }
            tbody {
                tr { th scope="row" { (t("What it is")) } @for one in shown { td data-of=(t(title(one.release.kind))) { (t(words(one.release))) } } }
                @if shown.iter().any(|one| !one.is_private()) { (figures(shown, of_people, asked.text("use"))) }
                @else { tr { th scope="row" { (t("Figures")) } @for one in shown { td data-of=(t(title(one.release.kind))) { (t("after the release")) } } } }
                tr {
                    th scope="row" { (t("Take it")) }
                    @for one in shown { td data-of=(t(title(one.release.kind))) { (button(one, asked)) } }
                }
            }
        } }
    }
}

/// The row of a figure: its name, what it means, and how it is read off a release.
struct Figure {
    name: &'static str,
    means: &'static str,
    of: fn(&Measured) -> String,
}

const FIGURES: [Figure; 4] = [
    Figure {
        name: mark("Detail lost"),
        means: mark(
            "0 %: every value as recorded; 100 %: nothing left. The plain mean over the columns that others may know; Explore shows the geometric one.",
        ),
        of: |measured| share(measured.lost),
    },
    Figure {
        name: mark("Highest risk"),
        means: mark(
            "The chance that somebody who looks for a person picks the right row, for the person who is easiest to find.",
        ),
        of: |measured| share(measured.highest_risk),
    },
    Figure {
        name: mark("Suppressed"),
        means: mark("Rows whose values are all replaced by *, because too few others look like them."),
        of: |measured| of_all(measured.suppressed, measured.records),
    },
    Figure {
        name: mark("Counterfeit"),
        means: mark("Invented rows that fill up groups that are too small. Nobody is behind them."),
        of: |measured| of_all(measured.counterfeits, measured.records),
    },
];

const CLASSES: Figure = Figure {
    name: mark("Classes"),
    means: mark(
        "A class is a group of rows that look alike in all that others may know. More classes, more detail.",
    ),
    of: |measured| count(measured.classes),
};

/// The mean risk, with what it counts.
fn mean_risk(of_people: bool) -> Figure {
    let means = if of_people {
        mark("The same chance on average: 1 divided by the number of people who look alike.")
    } else {
        mark(
            "The same chance on average: 1 divided by the number of rows that look alike. Nobody knows whose the rows are.",
        )
    };
    Figure { name: mark("Mean risk"), means, of: |measured| share(measured.mean_risk) }
}

/// The figure of what the release is for.
fn of_use(word: &str) -> Figure {
    match word {
        "groups" => Figure {
            name: mark("For your counts: off by"),
            means: mark("Half of some hundred counts of groups are off by less than this."),
            of: |measured| share(measured.count_error),
        },
        "models" => Figure {
            name: mark("For your models: links changed by"),
            means: mark(
                "How strongly two columns go together (from 0 to 1), and by how much that changed on average.",
            ),
            of: |measured| measured.association_shift.map_or("–".into(), |shift| fixed(shift, 3)),
        },
        _ => Figure {
            name: mark("The picture: values moved"),
            means: mark(
                "The share of rows that would need another value to look like the table again, averaged over the columns.",
            ),
            of: |measured| share(measured.value_shift),
        },
    }
}

fn figures(shown: &[Shown<'_>], of_people: bool, intent: &str) -> Markup {
    let (own, mean) = (of_use(intent), mean_risk(of_people));
    let [lost, highest, suppressed, counterfeit] = &FIGURES;
    let all = [&own, lost, highest, &mean, suppressed, counterfeit, &CLASSES];
    html! { @for figure in all { (row(figure, shown)) } }
}

fn row(figure: &Figure, shown: &[Shown<'_>]) -> Markup {
    html! {
        tr {
            th scope="row" { (t(figure.name)) span.source { (t(figure.means)) } }
            @for one in shown {
                td.figure data-of=(t(title(one.release.kind))) { @match (one.measured(), &one.found) {
                    (Some(measured), _) => ((figure.of)(measured)),
                    (None, None) => "…",
                    (None, Some(_)) => "–",
                } }
            }
        }
    }
}

fn share(figure: Option<f64>) -> String {
    figure.map_or("–".into(), percent)
}

fn of_all(some: u64, all: u64) -> String {
    match some {
        0 => t("none").into(),
        some => format!("{} ({})", count(some), percent(some as f64 / all.max(1) as f64)),
    }
}

fn button(one: &Shown<'_>, asked: &Form) -> Markup {
    let place = one.place;
    let mut vals = fields(asked);
    vals.insert("release".to_owned(), json!(place.to_string()));
    // A private release is chosen first, and completed then.
    let is_impossible = one.mistake().is_some() && !one.is_private();
    html! {
        button id={ "choose-" (place) } type="button" hx-post="guide/choose" hx-vals=(Value::from(vals).to_string()) disabled[is_impossible] {
            (t("Choose")) span.hidden { " " (t(title(one.release.kind))) }
        }
    }
}

/// The way to the release, once one is in the recipe.
fn onward(shown: &[Shown<'_>]) -> Markup {
    html! {
        @match shown.iter().find(|one| one.is_chosen) {
            Some(one) if one.mistake().is_some() => p.care #chosen {
                (say!("{} is in the recipe, and cannot be released yet: what it lacks stands above.", html! { strong { (t(title(one.release.kind))) } }))
            },
            Some(one) => p.done #chosen { (say!("{} is in the recipe.", html! { strong { (t(title(one.release.kind))) } })) " "
                a.button href="release" { (t("Go on to the release")) }
                @if !one.is_private() { " " (say!("or see every row under {}.", html! { a href="table" { (t("Table")) } })) }
            },
            None => p.care { (t("The recipe names none of them now: it was changed by hand or on another page. Choose one to go on.")) },
        }
    }
}

fn first_rows(project: &Project, shown: &[Shown<'_>], asked: &Form) -> Markup {
    let with_rows: Vec<(&Shown<'_>, &Measured)> =
        shown.iter().filter_map(|one| Some((one, one.measured()?))).collect();
    html! {
        @if !with_rows.is_empty() {
            h3 { (t("Their first rows")) }
            @if project.values {
                p.note { (say!("One row of each of the first classes. {} stands for any value, {} for a range, {} for one of a list, and {} is a mask: the last digits are hidden. A value that stands as recorded is called a leaf.",
                    html! { code { "*" } }, html! { code { "[20-29]" } }, html! { code { "{A, B}" } }, html! { code { "101**" } })) }
                div.candidate-rows { @for (one, measured) in &with_rows { (rows_of(one, measured)) } }
            } @else {
                p { (t("They show values of cells, and values are not shown until you ask.")) " "
                    button #show-values type="button" hx-post="guide/values" hx-vals=(Value::from(fields(asked)).to_string()) { (t("Show their first rows")) } }
            }
        }
    }
}

fn rows_of(one: &Shown<'_>, measured: &Measured) -> Markup {
    let title = t(title(one.release.kind));
    html! {
        div.scroll tabindex="0" role="region" aria-label=(text!("First rows: {}", title)) { table {
            caption { (title) }
            @if measured.rows.is_empty() { tbody { tr { td { (t("No row of the release is one of the table.")) } } } }
            @else {
                thead { tr { @for column in &measured.columns { th scope="col" { (column) } } } }
                tbody { @for row in &measured.rows { tr { @for cell in row { td { @if cell.is_empty() { span.note { (t("missing")) } } @else { (cell) } } } } } }
            }
        } }
    }
}
