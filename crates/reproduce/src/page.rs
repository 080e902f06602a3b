//! `index.html`: every trend beside what was measured, then the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use velamen_report::head;

use super::claims::{Claims, best_reading};
use super::output::Figure;
use super::{Section, Trend};

/// The page.
pub(super) fn html(title: &str, introduction: &Markup, sections: &[Section]) -> String {
    let trends: Vec<&Trend> = sections.iter().flat_map(|section| &section.trends).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body {
                header { p.kind { "Published beside measured" } h1 { (title) } }
                main {
                    (introduction)
                    (summary(&trends))
                    @if has_readings(&trends) {
                        section { h2 { "How each trend ended" } (settled(&Claims::of(&trends))) }
                    }
                    section { h2 { "Trends" } (table(&trends)) }
                    section {
                        h2 { "Pictures" }
                        @for figure in sections.iter().flat_map(|section| &section.figures) { (picture(figure)) }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// Whether some claim has been read in several ways, or has been shown to be impossible.
fn has_readings(trends: &[&Trend]) -> bool {
    trends.iter().any(|trend| trend.arm.is_some() || trend.impossible.is_some())
}

/// How many trends are met, and of claims that several readings measure how each ended.
fn summary(trends: &[&Trend]) -> Markup {
    let met = trends.iter().filter(|trend| trend.met).count();
    html! {
        @if has_readings(trends) {
            p {
                (Claims::of(trends)) ". A trend is met if the first reading meets it. "
                @if let Some((arm, met)) = best_reading(trends) {
                    "The best single reading, " (arm) ", meets " (met) ". "
                }
                "The second table below has one row for each trend and reading: " (met) " of " (trends.len()) " are met."
            }
        } @else {
            p { (met) " of " (trends.len()) " trends are met." }
        }
    }
}

fn settled(claims: &Claims) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "Figure" } th { "Published" } th { "Settled" } } }
                tbody {
                    @for claim in &claims.0 {
                        tr {
                            th scope="row" { (claim.figure) }
                            td.prose { (claim.published) }
                            td.prose { (claim.settled) }
                        }
                    }
                }
            }
        }
    }
}

fn table(trends: &[&Trend]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "Figure" } th { "Published" } th { "Measured" } th { "Trend" } } }
                tbody {
                    @for trend in trends {
                        tr {
                            th scope="row" { (trend.figure) }
                            td.prose { (trend.published) }
                            td.prose { (trend.measured) }
                            td.whole { @if trend.met { "met" } @else { strong { "not met" } } }
                        }
                    }
                }
            }
        }
    }
}

fn picture(figure: &Figure) -> Markup {
    html! {
        figure {
            div.scroll { (PreEscaped(&figure.svg)) }
            figcaption {
                strong { (figure.title) ". " } (figure.note) " "
                a href={ (figure.file) ".csv" } { (figure.file) ".csv" }
            }
        }
    }
}
