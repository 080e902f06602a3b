//! `index.html`: every trend beside what was measured, then the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use velamen_report::head;

use super::claims::Claims;
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

/// How many trends are met, and of claims that several readings measure how many one of them meets.
fn summary(trends: &[&Trend]) -> Markup {
    let met = trends.iter().filter(|trend| trend.met).count();
    let claims = Claims::of(trends);
    html! {
        @if let Some(arm) = claims.arm {
            p {
                "The paper makes " (claims.all) " claims. The best single reading, " (arm) ", meets " (claims.met)
                " of them. The table below has one row for each claim and reading: " (met) " of " (trends.len()) " are met."
            }
        } @else {
            p { (met) " of " (trends.len()) " trends are met." }
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
