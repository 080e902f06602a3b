//! A page of estimates on two tables: tables of figures with a forest plot.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use crate::language::{self, say, t, text};
use crate::number::written;
use crate::page::head;

/// What this page has beside the style of all reports.
pub const STYLE: &str = include_str!("forest.css");
/// The width of a plot, in units of its picture.
const WIDTH: f64 = 240.0;
/// The height of a row.
const HEIGHT: f64 = 30.0;
/// Room beside the ends of the axis.
const MARGIN: f64 = 6.0;

/// The page.
#[derive(Debug)]
pub struct ForestPage {
    /// What it all comes to.
    pub summary: String,
    /// The level of the intervals.
    pub level: f64,
    /// By analysis.
    pub sections: Vec<ForestSection>,
    /// How the release was read.
    pub assumptions: Vec<String>,
}

/// One analysis.
#[derive(Debug)]
pub struct ForestSection {
    /// Its name.
    pub name: String,
    /// What it is, of how many records.
    pub about: String,
    /// Its estimates.
    pub rows: Vec<ForestRow>,
}

/// One estimate on both tables.
#[derive(Debug)]
pub struct ForestRow {
    /// What is estimated.
    pub name: String,
    /// Whether it is a ratio.
    pub ratio: bool,
    /// Whether it can have no effect: 0, or 1 of a ratio.
    pub effect: bool,
    /// Estimate, lower and upper end: original, release.
    pub sides: [Option<[f64; 3]>; 2],
    /// The overlap of the intervals.
    pub overlap: Option<f64>,
    /// What to notice.
    pub remark: String,
}

/// The page as one self-contained file, marked as the custodian's.
pub fn html(page: &ForestPage) -> String {
    let whole = markup! {
        (DOCTYPE)
        html lang="en" {
            (head("Analyses on original and release"))
            body.confidential.forest {
                style { (PreEscaped(STYLE)) }
                p.stamp { "CONFIDENTIAL" span { " · for the custodian only · never publish" } }
                header {
                    p.kind { "Custodian’s comparison" }
                    h1 { "Analyses on original and release" }
                    p { (page.summary) }
                    (key(page))
                }
                main {
                    @for (at, section) in page.sections.iter().enumerate() { (place(at, section)) }
                    section #assumptions aria-labelledby="assumptions-heading" {
                        h2 #assumptions-heading { "How the release was read" }
                        (assumptions(page))
                    }
                }
            }
        }
    };
    crate::page::without_forbidden(whole.into_string())
}

/// The same as a part of another page, whose style has [`STYLE`].
#[must_use]
pub fn part(page: &ForestPage) -> Markup {
    markup! {
        div.forest {
            p { (page.summary) }
            (key(page))
            @for (at, section) in page.sections.iter().enumerate() { (place(at, section)) }
            (assumptions(page))
        }
    }
}

/// What the marks stand for.
fn key(page: &ForestPage) -> Markup {
    let percent = 100.0 * page.level;
    markup! { p.key { (say!("{} original  {} release, with {} % confidence intervals", mark(0), mark(1), percent)) } }
}

fn assumptions(page: &ForestPage) -> Markup {
    markup! { ul { @for said in &page.assumptions { li { (sentence(said)) } } } }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn mark(side: usize) -> Markup {
    markup! { svg.mark-of width="34" height="12" viewBox="0 0 34 12" aria-hidden="true" { (interval(side, [17.0, 3.0, 31.0], 6.0)) } }
}

fn place(at: usize, section: &ForestSection) -> Markup {
    let axis = Axis::of(&section.rows);
    markup! {
        section aria-labelledby={ "analysis-" (at) } {
            h2 #{ "analysis-" (at) } { (section.name) }
            p { (section.about) }
            div.scroll tabindex="0" role="region" aria-label=(text!("Estimates of {}", section.name)) {
                // The studio stacks its tables by other names than the report.
                table.forest.stack.stacked {
                    thead { tr {
                        th scope="col" { (t("Estimate")) } th.number scope="col" { (t("Original")) } th.number scope="col" { (t("Release")) }
                        th scope="col" { (t("Intervals, on one axis")) @if let Some(axis) = &axis { span.source { (axis.ends()) } } }
                        th.number scope="col" { (t("Overlap")) }
                    } }
                    tbody { @for row in &section.rows { (line(row, axis.as_ref())) } }
                }
            }
        }
    }
}

fn line(row: &ForestRow, axis: Option<&Axis>) -> Markup {
    let overlap = row.overlap.map(|overlap| format!("{:.0} %", 100.0 * overlap));
    markup! {
        tr {
            th scope="row" { (named(row)) @if !row.remark.is_empty() { span.source { (row.remark) } } }
            td.number data-of=(t("Original")) data-label=(t("Original")) { span { (figures(row.sides[0])) } }
            td.number data-of=(t("Release")) data-label=(t("Release")) { span { (figures(row.sides[1])) } }
            td { @if let Some(axis) = axis { (plot(row, axis)) } }
            td.number data-of=(t("Overlap")) data-label=(t("Overlap")) { (overlap.unwrap_or_else(|| "–".into())) }
        }
    }
}

fn figures(side: Option<[f64; 3]>) -> Markup {
    let Some([estimate, low, high]) = side else { return markup! { "–" } };
    let [estimate, low, high] = [estimate, low, high].map(|figure| written(&short(figure)));
    markup! { (estimate) span.source { (say!("{} to {}", low, high)) } }
}

/// Three significant digits and more, as few as a reader uses.
#[must_use]
pub fn short(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "∞".into(),
        size if size != 0.0 && !(1e-4..1e6).contains(&size) => format!("{value:.2e}"),
        size if size >= 100.0 => format!("{value:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Where numbers stand in the plots of an analysis.
struct Axis {
    low: f64,
    high: f64,
    ratio: bool,
    effect: bool,
    /// Whether the constant is drawn: it is where there is nothing else.
    constant: bool,
}

impl Axis {
    /// Over all intervals that are finite; of regressions without the intercept, which is of another size.
    fn of(rows: &[ForestRow]) -> Option<Self> {
        let ratio = rows.iter().any(|row| row.ratio);
        let effect = rows.iter().any(|row| row.effect);
        let constant = rows.iter().all(is_constant);
        let plotted = || {
            rows.iter().filter(|row| constant || !is_constant(row)).flat_map(|row| row.sides.iter().flatten())
        };
        let ends = plotted().flat_map(|side| [on_axis(side[1], ratio), on_axis(side[2], ratio)]);
        let ends: Vec<f64> = ends.filter(|end| end.is_finite()).chain(effect.then_some(0.0)).collect();
        let low = ends.iter().copied().reduce(f64::min)?;
        let high = ends.iter().copied().reduce(f64::max)?;
        (high > low).then_some(Self { low, high, ratio, effect, constant })
    }

    fn at(&self, value: f64) -> f64 {
        let share = (on_axis(value, self.ratio) - self.low) / (self.high - self.low);
        MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN)
    }

    fn ends(&self) -> String {
        let back = |end: f64| written(&short(if self.ratio { end.exp() } else { end }));
        let (low, high) = (back(self.low), back(self.high));
        if self.ratio {
            text!("from {} at the left to {} at the right, ratios by their logarithm", low, high)
        } else {
            text!("from {} at the left to {} at the right", low, high)
        }
    }
}

/// What an analysis calls the constant of a regression: it is no effect.
const INTERCEPT: &str = language::mark("(intercept)");

fn is_constant(row: &ForestRow) -> bool {
    row.name == INTERCEPT
}

fn named(row: &ForestRow) -> &str {
    if is_constant(row) { t(INTERCEPT) } else { &row.name }
}

fn on_axis(value: f64, ratio: bool) -> f64 {
    if ratio { value.ln() } else { value }
}

fn plot(row: &ForestRow, axis: &Axis) -> Markup {
    if is_constant(row) && !axis.constant {
        return markup! { "" };
    }
    let none = axis.effect.then(|| axis.at(if axis.ratio { 1.0 } else { 0.0 }));
    let placed = |side: usize| {
        row.sides[side].map(|figures| interval(side, figures.map(|f| axis.at(f)), 10.0 * (side as f64 + 1.0)))
    };
    markup! {
        svg width=(WIDTH) height=(HEIGHT) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(text!("Intervals of {}", row.name)) {
            @if let Some(none) = none { line.none x1=(none) x2=(none) y1="0" y2=(HEIGHT) {} }
            @for side in 0..2 { @if let Some(drawn) = placed(side) { (drawn) } }
        }
    }
}

/// A line from end to end with a mark at the estimate: a full circle of the original, an open square of the release.
fn interval(side: usize, [at, low, high]: [f64; 3], y: f64) -> Markup {
    let class = ["original", "release"][side];
    markup! {
        g class=(class) {
            line x1=(low) x2=(high) y1=(y) y2=(y) {}
            @if side == 0 { circle cx=(at) cy=(y) r="4" {} } @else { rect x=(at - 4.0) y=(y - 4.0) width="8" height="8" {} }
        }
    }
}
