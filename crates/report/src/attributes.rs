//! What was done to each attribute, and what it cost.

use super::figures::share;
use super::sections::{name, with_code};
use super::{Attribute, Metric};
use crate::language::t;
use crate::number::{number, percent};
use maud::{Markup, html};

/// The attributes.
pub(super) fn attributes(attributes: &[Attribute]) -> Markup {
    html! {
        p {
            (t("The loss runs from 0 % (all of the detail is there) to 100 % (nothing left)."))
        }
        div.scroll tabindex="0" role="region" aria-label=(t("Table of attributes")) {
            table.attributes.stack {
                thead { tr {
                    th scope="col" { (t("Attribute")) }
                    th scope="col" { (t("Role")) }
                    th scope="col" { (t("What was done")) }
                    th scope="col" { (t("Loss")) }
                    th scope="col" { (t("Released values look like")) }
                } }
                tbody { @for one in attributes { (attribute(one)) } }
            }
        }
    }
}

fn attribute(one: &Attribute) -> Markup {
    html! {
        tr {
            th scope="row" { (name(&one.name)) }
            td data-label=(t("Role")) { (t(&one.role)) }
            td.done data-label=(t("What was done")) { (t(&one.what)) }
            td.degree data-label=(t("Loss")) {
                @match one.loss {
                    Some(loss) => { @if loss.is_finite() { (meter(loss)) " " } (share(loss)) }
                    None => span.none { "–" }
                }
            }
            // Without an example the label would stand alone where rows are stacked.
            td data-label=[(!one.examples.is_empty()).then(|| t("Released values look like"))] {
                @for (index, example) in one.examples.iter().enumerate() {
                    @if index > 0 { ", " }
                    code { (name(example)) }
                }
            }
        }
    }
}

/// A small bar from 0 to 1; the number stands beside it.
fn meter(degree: f64) -> Markup {
    let width = (degree.clamp(0.0, 1.0) * 80.0).round();
    html! {
        svg.meter viewBox="0 0 82 12" width="82" height="12" aria-hidden="true" focusable="false" {
            rect x="0.5" y="0.5" width="81" height="11" rx="2" fill="#ffffff" stroke="#6d6479" {}
            rect x="1" y="1" width=(width) height="10" fill="#4b1d73" {}
        }
    }
}

/// What became of records.
pub(super) fn fates(fates: &[String]) -> Markup {
    html! { @for fate in fates { p { (with_code(fate)) } } }
}

/// What the release is still good for.
pub(super) fn utility(metrics: &[Metric]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(t("Table of figures")) {
            table.stack {
                thead { tr {
                    th scope="col" { (t("Metric")) }
                    th.number scope="col" { (t("Value")) }
                    th scope="col" { (t("Range")) }
                    th scope="col" { (t("What it means")) }
                } }
                tbody {
                    @for metric in metrics {
                        tr {
                            th scope="row" { (name(&metric.name)) }
                            td.number data-label=(t("Value")) { (number(metric.value)) }
                            td data-label=(t("Range")) { (t(&metric.range)) }
                            td.prose { (t(&metric.meaning)) }
                        }
                    }
                }
            }
        }
    }
}

/// What an adversary makes of the counterfeits.
pub(super) fn telling(metrics: &[Metric]) -> Markup {
    html! {
        p {
            (t("From the release alone an adversary estimates for every record whether it is counterfeit: by the sizes of classes, \
             the catalog, and the sensitive values that go with the quasi-identifiers in classes without counterfeits. These are \
             the figures of one fixed adversary, measured with the truth; a stronger one may exist."))
        }
        (utility(metrics))
    }
}

/// What each step spent of a privacy budget.
pub(super) fn budget(steps: &[[String; 3]], spent_on: &[(String, f64)]) -> Markup {
    html! {
        p {
            (t("Each step that looks at the records spends a part of the budget; the parts add up to the ε and δ that are \
             promised. ε bounds by which factor, e to the power of ε, one record can change the probability of any \
             outcome; δ is the probability that this may fail."))
        }
        div.scroll tabindex="0" role="region" aria-label=(t("Table of steps")) {
            table {
                thead { tr {
                    th scope="col" { (t("Step")) }
                    th scope="col" { (t("ε spent")) }
                    th scope="col" { (t("δ spent")) }
                } }
                tbody {
                    @for [step, epsilon, delta] in steps {
                        tr { th scope="row" { (name(step)) } td.number { (epsilon) } td.number { (delta) } }
                    }
                }
            }
        }
        @if !spent_on.is_empty() { (shares(spent_on)) }
    }
}

/// By what was counted its share of what ε and δ buy.
fn shares(spent_on: &[(String, f64)]) -> Markup {
    html! {
        p {
            (t("What ε and δ buy is measured as ρ (zero-concentrated differential privacy). It was spent on these counts and \
             choices: the larger a share, the less noise."))
        }
        div.scroll tabindex="0" role="region" aria-label=(t("Table of shares")) {
            table {
                thead { tr { th scope="col" { (t("Step")) } th scope="col" { (t("Share of ρ")) } } }
                tbody {
                    @for (what, share) in spent_on {
                        tr { th scope="row" { (name(what)) } td.number { (percent(*share)) } }
                    }
                }
            }
        }
    }
}
