//! `index.html`: every trend beside what was measured, then the pictures.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::output::Figure;
use super::{Section, Trend};

const STYLE: &str = include_str!("../../report/style.css");

/// What a browser may load for the page: nothing but its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const TITLE: &str = "Lee et al. 2017, reproduced";

/// The page.
pub(super) fn html(sample: &str, patients: u64, sections: &[Section]) -> String {
    let trends: Vec<&Trend> = sections.iter().flat_map(|section| &section.trends).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light";
                title { (TITLE) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { p.kind { "Published beside measured" } h1 { (TITLE) } }
                main {
                    (introduction(sample, patients, &trends))
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

fn introduction(sample: &str, patients: u64, trends: &[&Trend]) -> Markup {
    let met = trends.iter().filter(|trend| trend.met).count();
    html! {
        p {
            "Figures 5 to 10 on " (sample) "; figure 11 on " (patients) " synthetic records. "
            (met) " of " (trends.len()) " trends are met. The authors' hierarchies and their patient sample are not \
            public, so that trends can be expected to agree, digits cannot. Nothing was tuned."
        }
        p {
            "The baseline is the optimal full-domain generalization that is k-anonymous without suppression, of least \
            LM. h-ceiling is shown as published (padding to exactly k, values drawn uniformly) and as it is the default \
            here (random padding, values drawn from the table), which resists the minimality attack. Where uniform \
            draws hit values that too few records have, no catalog is safe and there is no release."
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
