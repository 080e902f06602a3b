//! `index.html`: every trend beside what was measured, then the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use velamen_report::head;

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
                    p { (met(&trends)) " of " (trends.len()) " trends are met." }
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

fn met(trends: &[&Trend]) -> usize {
    trends.iter().filter(|trend| trend.met).count()
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
