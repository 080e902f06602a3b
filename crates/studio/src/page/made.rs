//! The release that was made last, and what became since.

use maud::{Markup, html};
use velamen_report::language::{say, t};

use crate::App;
use crate::worker::locked;

/// What became since of the release that was made last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Current,
    OtherRecipe,
    /// Another one was tried since, and none was made.
    BeforeRefusal,
}

impl Age {
    pub(super) fn of(app: &App, same_recipe: bool) -> Self {
        let is_refused = locked(&app.runs).is_tried && app.worker.status().is_none();
        match (is_refused, same_recipe) {
            (true, _) => Self::BeforeRefusal,
            (false, true) => Self::Current,
            (false, false) => Self::OtherRecipe,
        }
    }
}

/// Where a release lies that was made from here.
pub(super) fn made_where(release: &std::path::Path, age: Age) -> Markup {
    let path = html! { code { (release.display()) } };
    html! {
        @match age {
            Age::Current => p.done role="status" { strong { (t("Made and checked:")) " " } (path) },
            Age::OtherRecipe => { p.done role="status" { strong { (t("Made and checked:")) " " } (path) } p.care { (t("The recipe has changed since.")) } }
            Age::BeforeRefusal => p.care #before-refusal role="status" { (say!("The last run made no release. What follows is the one from before: {}", path)) },
        }
    }
}
