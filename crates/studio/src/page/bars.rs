//! Shares as bars, for tables.

use maud::{Markup, html};
use velamen_report::language::t;

use super::percent;

/// One bar, as long as the share.
pub(super) fn bar(share: f64) -> Markup {
    html! { (drawn(share, "part")) }
}

fn drawn(share: f64, class: &str) -> Markup {
    let width = format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
    html! {
        svg.bar width="100%" height="10" aria-hidden="true" {
            rect.rest width="100%" height="100%" {}
            rect class=(class) width=(width) height="100%" {}
        }
    }
}

/// Two bars above each other: before and after.
pub(super) fn twin(before: Option<f64>, after: Option<f64>) -> Markup {
    html! { (side(t("before"), before, "part")) (side(t("after"), after, "part after")) }
}

fn side(name: &str, share: Option<f64>, class: &str) -> Markup {
    let said = share.map_or("–".into(), percent);
    html! {
        span.twin { span.note { (name) } (drawn(share.unwrap_or(0.0), class)) span.value { (said) } }
    }
}
