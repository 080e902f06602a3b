//! The releases of a front: as points, two of them side by side, and as a table.

use maud::{Markup, html};
use serde_json::{Value, json};
use velamen_job::Solution;
use velamen_report::language::{mark, say, t, text};

use crate::form::Form;
use crate::front::FoundFront;
use crate::levels::Levels;
use crate::page::{count, fixed, percent};
use crate::project::Project;
use crate::scatter::{Point, scatter};

/// The most rows of the table.
const MOST_ROWS: usize = 50;

/// The figure of fronts that name none, which is that of a release beside one, too.
const USUAL: &str = velamen_search::metric::USUAL.name;

/// The two means of detail that are shown in the studio.
pub(super) const GEOMETRIC: &str = mark(
    "The loss is a geometric mean over the columns, from 0 to 1: what the search makes least. The detail lost in Guide and report is their plain mean, in percent.",
);

/// A front, and what is asked of it.
pub(super) struct Shown<'a> {
    pub(super) found: &'a FoundFront,
    pub(super) project: &'a Project,
    pub(super) asked: &'a Form,
    /// The method that choosing sets, where it is not the recipe's.
    pub(super) method: Option<&'static str>,
    /// A release beside the front, drawn with it.
    pub(super) beside: Option<&'a Solution>,
    /// What each level shows.
    pub(super) levels: &'a Levels,
}

impl Shown<'_> {
    fn is_chosen(&self, solution: &Solution) -> bool {
        self.method.is_none() && self.project.is_chosen(solution)
    }

    /// The name of the figure in recipes.
    fn name(&self) -> &str {
        self.found.whole.as_ref().map_or(USUAL, |front| front.figure.as_str())
    }

    /// The same in words, as it is called above the picture, too.
    fn called(&self) -> &str {
        if self.name() == USUAL { t("loss, geometric mean") } else { self.name() }
    }

    /// The two that stand side by side.
    fn pair(&self) -> [usize; 2] {
        let index = |field: &str, usual: usize| self.asked.text(field).parse().unwrap_or(usual);
        [index("a", 0), index("b", 1)]
    }
}

pub(super) fn shown(of: &Shown<'_>) -> Markup {
    html! {
        div.overview { (picture(of)) (pair(of)) }
        (table(of))
    }
}

/// A loss or another figure, with as many digits as help to choose.
fn figure(value: f64) -> String {
    match value {
        value if value == 0.0 || (0.001..10.0).contains(&value.abs()) => fixed(value, 3),
        value => crate::page::number(value),
    }
}

fn picture(of: &Shown<'_>) -> Markup {
    let name = of.name();
    let pair = of.pair();
    let most = of.found.solutions.iter().map(|solution| solution.changed).fold(0.0, f64::max);
    let point = |(index, solution): (usize, &Solution)| Point {
        at: (solution.value, solution.highest_risk),
        index: Some(index),
        title: text!(
            "{} {}, highest risk {}, suppressed or counterfeit {}",
            of.called(),
            figure(solution.value),
            percent(solution.highest_risk),
            percent(solution.changed)
        ),
        chosen: of.is_chosen(solution),
        label: pair.contains(&index).then(|| (index + 1).to_string()),
        shade: if most > 0.0 { (3.0 * solution.changed / most).round() as u8 } else { 0 },
    };
    let own = of.beside.filter(|_| name == USUAL).map(|own| Point {
        at: (own.value, own.highest_risk),
        index: None,
        title: text!(
            "the recipe's method: loss {}, highest risk {}",
            figure(own.value),
            percent(own.highest_risk)
        ),
        chosen: false,
        label: Some(t("now").into()),
        shade: 0,
    });
    let points: Vec<Point> = of.found.solutions.iter().enumerate().map(point).chain(own).collect();
    html! {
        figure.front {
            (scatter(&points, &text!("{}: left keeps more detail", of.called()), t("highest risk: lower is safer")))
            figcaption {
                (t("Every point is a row of the table below."))
                @if most > 0.0 { " " (say!("The darker, the more records are suppressed or counterfeit: up to {}.", percent(most))) }
                @if of.beside.is_some() { " " (t("The square is what the recipe makes now.")) }
                // Beside a single release it was said above.
                @if name == USUAL && of.beside.is_none() { " " (t(GEOMETRIC)) }
            }
        }
    }
}

/// Two solutions side by side.
fn pair(of: &Shown<'_>) -> Markup {
    let sides = of.pair().map(|index| of.found.solutions.get(index).map(|solution| (index, solution)));
    let [Some(a), Some(b)] = sides else { return html! {} };
    let levels: Vec<&String> = a.1.levels.keys().collect();
    let row = |label: &str, said: &dyn Fn(&Solution) -> String| {
        let both = [a, b].map(|(_, solution)| said(solution));
        html! {
            tr.differs[both[0] != both[1]] { th scope="row" { (label) } @for said in &both { td.number { (said) } } }
        }
    };
    html! {
        section.pair-of aria-labelledby="pair-heading" {
            h2 #pair-heading { (t("Side by side")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Two releases")) {
                table {
                    thead { tr {
                        th scope="col" { span.hidden { (t("Figure")) } }
                        @for (index, _) in [a, b] { th.number scope="col" { (say!("Release {}", index + 1)) } }
                    } }
                    tbody {
                        (row(of.called(), &|s| figure(s.value)))
                        (row(t("highest risk"), &|s| percent(s.highest_risk)))
                        (row(t("mean risk"), &|s| percent(s.mean_risk)))
                        (row(t("suppressed records"), &|s| count(s.suppressed)))
                        (row(t("counterfeits"), &|s| count(s.counterfeits)))
                        (row(t("classes"), &|s| count(s.classes)))
                        @for qi in levels { (row(&text!("what {} shows", qi), &|s| s.levels.get(qi).and_then(Value::as_u64).map(|level| of.levels.words(qi, level)).unwrap_or_default())) }
                        tr { td {} @for (index, solution) in [a, b] { td.number { (chooser(index, solution, of, "pair")) } } }
                    }
                }
            }
        }
    }
}

/// What rows are put in order by, the least first.
type Figure = fn(&Solution) -> f64;

/// The order where the page asks for none.
const BY_LOSS: (&str, Figure) = ("figure", |solution| solution.loss);

/// How rows can be put in order: the name in the address, and the figure.
const ORDERS: [(&str, Figure); 4] = [
    BY_LOSS,
    ("risk", |solution| solution.highest_risk),
    ("changed", |solution| solution.changed),
    ("classes", |solution| -(solution.classes as f64)),
];

fn table(of: &Shown<'_>) -> Markup {
    let (name, asked) = (of.called(), of.asked);
    let by = ORDERS.iter().find(|(order, _)| *order == asked.text("sort")).unwrap_or(&BY_LOSS);
    let most = |field: &str| asked.text(field).parse::<f64>().map_or(f64::INFINITY, |most| most / 100.0);
    let (risk, changed) = (most("most-risk"), most("most-changed"));
    let mut rows: Vec<(usize, &Solution)> = of.found.solutions.iter().enumerate().collect();
    rows.retain(|(_, solution)| solution.highest_risk <= risk + 1e-12 && solution.changed <= changed + 1e-12);
    rows.sort_by(|a, b| by.1(a.1).total_cmp(&by.1(b.1)));
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    let invents = of.found.solutions.iter().any(|solution| solution.counterfeits > 0);
    html! {
        section aria-labelledby="table-heading" {
            h2 #table-heading { (t("All releases")) }
            (filters(by.0, asked))
            div.scroll tabindex="0" role="region" aria-label=(t("Table of releases")) {
                table.releases {
                    thead { tr {
                        th scope="col" { (t("Release")) }
                        th.actions scope="col" { span.hidden { (t("Choose")) } }
                        th.number scope="col" { (name) }
                        th.number scope="col" { (t("Highest risk")) }
                        th.number scope="col" { (t("Suppressed")) }
                        @if invents { th.number scope="col" { (t("Counterfeits")) } }
                        th.number scope="col" { (t("Classes")) }
                        th scope="col" { (t("What becomes coarser")) }
                    } }
                    tbody { @for (index, solution) in rows.iter().take(MOST_ROWS) { (row(*index, solution, of, invents)) } }
                }
            }
            @if rows.is_empty() { p { (t("None is within these limits.")) } }
            @if left_out > 0 { p.note { (say!("{} more are in the picture; the limits above narrow them down.", left_out)) } }
        }
    }
}

fn filters(by: &str, asked: &Form) -> Markup {
    html! {
        form.inline.filters hx-get="explore" hx-trigger="change" {
            span.pair {
                label for="sort" { (t("Order")) }
                select #sort name="sort" {
                    @for ((order, _), words) in ORDERS.iter().zip([t("most detail"), t("least risk"), t("least suppressed"), t("most classes")]) {
                        option value=(order) selected[*order == by] { (words) }
                    }
                }
            }
            span.pair {
                label for="most-risk" { (t("Risk at most, %")) }
                input.narrow #most-risk type="number" step="any" min="0" max="100" name="most-risk" value=(asked.text("most-risk"));
            }
            span.pair {
                label for="most-changed" { (t("Suppressed or counterfeit at most, %")) }
                input.narrow #most-changed type="number" step="any" min="0" max="100" name="most-changed" value=(asked.text("most-changed"));
            }
            @for field in ["a", "b", "levels"] { @if !asked.text(field).is_empty() { input type="hidden" name=(field) value=(asked.text(field)); } }
        }
    }
}

/// The page with this release beside the one on the left.
fn beside(index: usize, asked: &Form) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("b", &index.to_string());
    let stays = ["a", "sort", "most-risk", "most-changed", "levels"];
    query.extend_pairs(asked.fields().filter(|(name, value)| stays.contains(name) && !value.is_empty()));
    format!("explore?{}", query.finish())
}

fn row(index: usize, solution: &Solution, of: &Shown<'_>, invents: bool) -> Markup {
    let is_chosen = of.is_chosen(solution);
    html! {
        tr #{ "release-" (index + 1) } .chosen[is_chosen] {
            th scope="row" { (index + 1) @if is_chosen { " ✓" span.hidden { " " (t("chosen")) } } }
            td.actions {
                (chooser(index, solution, of, "row"))
                a href=(beside(index, of.asked)) aria-label=(say!("Show release {} side by side", index + 1)) { (t("side by side")) }
            }
            td.number data-of=(of.called()) { (figure(solution.value)) }
            td.number data-of=(t("Highest risk")) { (percent(solution.highest_risk)) }
            td.number data-of=(t("Suppressed")) { (count(solution.suppressed)) }
            @if invents { td.number data-of=(t("Counterfeits")) { (count(solution.counterfeits)) } }
            td.number data-of=(t("Classes")) { (count(solution.classes)) }
            td.levels { (levels(solution, of.levels)) }
        }
    }
}

/// The levels that are not those of the original.
fn levels(solution: &Solution, words: &Levels) -> Markup {
    let mut raised = solution.levels.iter().filter(|(_, level)| level.as_u64() != Some(0)).peekable();
    html! {
        @if raised.peek().is_none() { span.note { (t("all as recorded")) } }
        @for (name, level) in raised { span.level { (name) ": " strong { (words.words(name, level.as_u64().unwrap_or_default())) } } " " }
    }
}

/// What makes a release, by which it is found again: its place changes while others are found.
pub(super) fn made_by(solution: &Solution) -> String {
    solution.set.join("\n")
}

fn chooser(index: usize, solution: &Solution, of: &Shown<'_>, place: &str) -> Markup {
    html! {
        @if !solution.set.is_empty() {
            // What is chosen keeps the focus, which a button that is switched off would lose.
            @let is_chosen = of.is_chosen(solution);
            @let vals = json!({"index": index, "set": made_by(solution), "method": of.method.unwrap_or_default()});
            button #{ "choose-" (place) "-" (index) } type="button" hx-post=[(!is_chosen).then_some("explore/choose")]
                hx-vals=[(!is_chosen).then_some(vals)] aria-disabled=[is_chosen.then_some("true")]
                aria-label=(say!("Choose release {}", index + 1)) { (t("Choose")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_help_to_choose() {
        assert_eq!((figure(0.0918).as_str(), figure(0.0).as_str()), ("0.092", "0.000"));
        assert_eq!((figure(1234.6).as_str(), figure(12.3456).as_str()), ("1,235", "12.3"));
    }
}
