//! Choices of methods, by what they are taken for: whoever is new to them finds one for every day first.

use maud::{Markup, html};
use velamen_report::language::{mark, t};
use velamen_search::method::{Entry, Purpose, REGISTRY};

use crate::words::plain;

/// The groups in their order, with a word on each.
const GROUPS: [(Purpose, &str); 4] = [
    (Purpose::Everyday, mark("for everyday use")),
    (Purpose::Contract, mark("for a recipient under contract")),
    (Purpose::Private, mark("differentially private")),
    (Purpose::Papers, mark("from papers")),
];

/// What a choice of methods differs in from others.
pub(super) struct MethodChoice<'a> {
    /// The name that is chosen.
    pub(super) chosen: &'a str,
    /// Where a choice is posted.
    pub(super) post: &'a str,
    /// Its field.
    pub(super) field: &'a str,
    /// When it is posted.
    pub(super) trigger: &'a str,
    /// What is posted beside it.
    pub(super) vals: Option<String>,
    /// Which entries can be chosen.
    pub(super) offers: fn(&Entry) -> bool,
}

impl MethodChoice<'_> {
    fn of(&self, purpose: Purpose) -> impl Iterator<Item = &'static Entry> {
        let offers = self.offers;
        REGISTRY.iter().filter(move |entry| entry.purpose == purpose && offers(entry))
    }

    fn option(&self, entry: &Entry) -> Markup {
        html! {
            @let summary = t(plain(entry.summary)).replace('`', "");
            option value=(entry.name) selected[entry.name == self.chosen] title=(summary) { (entry.name) ": " (summary) }
        }
    }

    fn select(&self, id: &str, options: &Markup) -> Markup {
        html! {
            select id=(id) name=(self.field) hx-post=(self.post) hx-trigger=(self.trigger) hx-vals=[&self.vals] { (options) }
        }
    }

    /// The choice; baselines, which nobody releases by, are folded away below it.
    pub(super) fn view(&self, label: &str) -> Markup {
        let is_baseline = self.of(Purpose::Baseline).any(|entry| entry.name == self.chosen);
        let usual = html! {
            @if is_baseline { option value=(self.chosen) selected { (self.chosen) } }
            @for (purpose, words) in GROUPS {
                optgroup label=(t(words)) { @for entry in self.of(purpose) { (self.option(entry)) } }
            }
        };
        let baselines = html! {
            @if !is_baseline { option value=(self.chosen) selected { (t("none")) } }
            @for entry in self.of(Purpose::Baseline) { (self.option(entry)) }
        };
        html! {
            div.field {
                label for="method" { (label) }
                (self.select("method", &usual))
                details #baselines open[is_baseline] {
                    summary { (t("Baselines, to compare with")) }
                    label.hidden for="baseline" { (t("Baseline")) }
                    (self.select("baseline", &baselines))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(chosen: &str) -> String {
        let all = MethodChoice {
            chosen,
            post: "set",
            field: "value",
            trigger: "change",
            vals: None,
            offers: |_| true,
        };
        all.view("Method").into_string()
    }

    #[test]
    fn every_method_can_be_chosen_once_and_baselines_are_folded() {
        let usual = choice(velamen_search::method::USUAL.name);
        for entry in REGISTRY.iter() {
            let option = format!("<option value=\"{}\"", entry.name);
            let times = if entry.name == velamen_search::method::USUAL.name { 2 } else { 1 };
            assert_eq!(usual.matches(&option).count(), times, "{}", entry.name);
        }
        let (before, folded) = usual.split_once("<details").unwrap();
        assert!(before.contains("for everyday use") && !folded.starts_with(" id=\"baselines\" open"));
        let baseline = REGISTRY.iter().find(|entry| entry.purpose == Purpose::Baseline).unwrap();
        assert!(!before.contains(&format!("value=\"{}\"", baseline.name)));
        assert!(choice(baseline.name).contains("<details id=\"baselines\" open"));
    }
}
