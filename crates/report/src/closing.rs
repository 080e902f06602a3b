//! What ends the page: limits, how to check, terms, remarks, and the approval.

use super::sections::with_code;
use super::words::GLOSSARY;
use crate::language::{say, t};
use maud::{Markup, html};

/// What is not promised.
pub(super) fn limits(limits: &[String]) -> Markup {
    html! { ul { @for limit in limits { li { (t(limit)) } } } }
}

/// How to check the promises.
pub(super) fn how_to_check(entries: &[String]) -> Markup {
    html! {
        @for entry in entries {
            @match entry.strip_prefix("$ ") {
                Some(command) => pre { code { (command) } },
                None => p { (with_code(t(entry))) },
            }
        }
    }
}

/// How programs read the folder.
pub(super) fn reading(programs: &[(String, String)]) -> Markup {
    html! {
        p {
            (say!("{} says the same, {} describes each column. Run these lines in the \
             release's folder.", html! { code { "README.md" } }, html! { code { "codebook.csv" } }))
        }
        @for (program, code) in programs {
            h3 { (program) }
            pre tabindex="0" { code { (code) } }
        }
    }
}

/// The terms of the page.
pub(super) fn glossary() -> Markup {
    html! { dl.glossary { @for (term, meaning) in GLOSSARY { dt { (t(term)) } dd { (t(meaning)) } } } }
}

/// Further remarks.
pub(super) fn notes(notes: &[String]) -> Markup {
    html! { ul { @for note in notes { li { (with_code(note)) } } } }
}

/// What is signed when a board has decided; filled in on paper.
pub(super) fn approval() -> Markup {
    html! {
        p { (t("For the board that decides on the release. To be filled in on the printed page.")) }
        ul.boxes {
            li { span.box aria-hidden="true" {} (t("approved as it is")) }
            li { span.box aria-hidden="true" {} (t("approved under conditions")) }
            li { span.box aria-hidden="true" {} (t("not approved")) }
        }
        div.signatures {
            (line(t("Conditions or reasons")))
            (line(t("Name and role")))
            (line(t("Place and date")))
            (line(t("Signature")))
        }
    }
}

fn line(label: &str) -> Markup {
    html! { div.line { span { (label) } span.rule {} } }
}
