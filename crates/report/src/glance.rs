//! The figures that a board asks for first, in one look: how easily a person is found, what protects the sensitive columns, and
//! what it cost.

use crate::language::{self, t, text};
use crate::number::{count, percent};
use maud::{Markup, html};
use velamen_contract::Promised;
use velamen_core::frequency::Role;
use velamen_measure::risk::reidentification::is_above;

use super::asked::{method_name, plain};
use super::bins::so_many;
use super::risk::{met_of_others, prosecutor};
use super::sections::name;
use super::verdict::list;
use super::{Report, Risk};
use crate::manifest::{Manifest, OfMethod};

/// What the first figures of a page need besides what it has anyway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glance {
    pub(super) records: u64,
    pub(super) method: String,
    pub(super) suppressed: u64,
    /// How many records are invented to stand beside others; `None` where that is not stated.
    pub(super) counterfeits: Option<u64>,
    /// What differential privacy is promised, in the parameters' names.
    pub(super) private: Option<String>,
    /// The sensitive columns.
    pub(super) sensitive: Vec<String>,
    /// The models that look at them.
    pub(super) models: Vec<String>,
    /// The sensitive columns that no model looks at.
    pub(super) bare: Vec<String>,
    /// Whether a missing value counts as equal to any, so that groups overlap.
    pub(super) wildcard: bool,
    /// The share of the quasi-identifiers' detail that is gone.
    pub(super) lost: Option<f64>,
}

impl Glance {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let looks = |promise: &&Promised| promise.terms().is_some_and(|terms| terms.facts.sensitive);
        let models: Vec<&Promised> = manifest.models().filter(looks).collect();
        let is_bare =
            |name: &&str| !models.iter().any(|model| model.attribute().is_none_or(|of| of == *name));
        let mut names: Vec<String> = models.iter().map(|model| model.model.clone()).collect();
        names.dedup();
        Self {
            records: manifest.records,
            method: method_name(manifest).to_owned(),
            suppressed: manifest.suppressed,
            counterfeits: manifest.counterfeits,
            private: manifest
                .models()
                .find(|promise| promise.is_private())
                .map(|promise| plain(&promise.asked)),
            sensitive: manifest.of_role(Role::Sensitive).map(str::to_owned).collect(),
            bare: manifest.of_role(Role::Sensitive).filter(is_bare).map(str::to_owned).collect(),
            models: names,
            wildcard: !manifest.missing.is_own_value(),
            // Of invented records nothing is generalized, and that says nothing of them.
            lost: manifest.lost_detail().filter(|_| !manifest.is_invented()),
        }
    }
}

/// A figure with its name, and what it is measured by.
struct Tile {
    label: &'static str,
    value: String,
    note: String,
}

fn tile(label: &'static str, value: impl Into<String>, note: impl Into<String>) -> Tile {
    Tile { label, value: value.into(), note: note.into() }
}

/// The figures, where the page is about one table.
pub(super) fn tiles(report: &Report) -> Markup {
    let Some(glance) = &report.glance else { return html! {} };
    let [highest, mean] = risks(glance, report.risk.as_ref());
    let all = [
        highest,
        mean,
        alike(glance, report),
        sensitive(glance),
        lost(glance, &report.loss),
        taken_out(glance),
        thresholds(report.risk.as_ref()),
        tile(t("Records"), count(glance.records), text!("by {}", glance.method)),
    ];
    html! {
        dl.facts.glance {
            @for Tile { label, value, note } in &all {
                div { dt { (label) } dd.long[value.chars().count() > 12] { (value) } dd.note { (note) } }
            }
        }
    }
}

const NOISE: &str = language::mark("noise hides who is there");

fn risks(glance: &Glance, risk: Option<&Risk>) -> [Tile; 2] {
    let labels = [t("Highest risk"), t("Mean risk")];
    let Some((risk, found)) = risk.and_then(|risk| Some((risk, prosecutor(risk, 1.0)?))) else {
        return labels.map(|label| match glance.private {
            Some(_) => tile(label, t("none by groups"), t(NOISE)),
            None => tile(label, t("not stated"), t("no group of records is shown")),
        });
    };
    let asked = match &risk.asked {
        Some(asked) => {
            let met = if is_above(found.highest, asked.risk) { t("not met") } else { t("met") };
            text!("asked: at most {}, {}", percent(asked.risk), met)
        }
        // Who picks a record can find a person with many of them more often: the verdict says so.
        None if risk.promised_people().is_some() => {
            t("for somebody who picks a person, not a record").to_owned()
        }
        None => t("no threshold was asked for").to_owned(),
    };
    let over = if risk.counts_people() { t("over all people") } else { t("over all records") };
    [tile(labels[0], told(risk, found.highest), asked), tile(labels[1], told(risk, found.mean), over)]
}

/// A risk in words: a bound where people are promised and not told apart.
fn told(risk: &Risk, share: f64) -> String {
    match risk.promised_people() {
        Some(_) => text!("at most {}", percent(share)),
        None => percent(share),
    }
}

/// How many look alike at least.
fn alike(glance: &Glance, report: &Report) -> Tile {
    let label = t("Look alike at least");
    if let Some(private) = &glance.private {
        return tile(
            t("Differential privacy"),
            private.replace("epsilon", "ε").replace("delta", "δ"),
            t(NOISE),
        );
    }
    let people = report.promised_people();
    let least = people.or_else(|| report.class_sizes.first().map(|&(size, _)| size));
    match least {
        Some(least) => {
            let whom = so_many(least, people.is_some() || report.counts_people);
            let groups: u64 = report.class_sizes.iter().map(|&(_, groups)| groups).sum();
            let note = match (glance.wildcard, groups) {
                // Groups overlap there: their number says nothing.
                (true, _) => t("if a missing value counts as equal to any").to_owned(),
                (false, 1) => t("in the only group").to_owned(),
                (false, groups) => text!("in each of {} groups", count(groups)),
            };
            tile(label, whom, note)
        }
        None => tile(label, t("nobody"), t("no group of records is shown")),
    }
}

/// What protects the sensitive columns.
fn sensitive(glance: &Glance) -> Tile {
    let label = t("Sensitive columns");
    let names = |names: &[String]| name(&list(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    match (&glance.sensitive[..], &glance.bare[..], &glance.private) {
        ([], ..) => tile(label, t("none named"), t("no column is said to be sensitive")),
        (all, _, Some(_)) => tile(label, t("differential privacy"), names(all)),
        (all, [], None) => tile(label, names(&glance.models), names(all)),
        (_, bare, None) => tile(label, t("nothing protects"), names(bare)),
    }
}

/// What the release costs, and the column that pays most.
fn lost(glance: &Glance, by_column: &[(String, f64)]) -> Tile {
    let label = t("Detail lost");
    let Some(lost) = glance.lost else {
        return tile(label, t("not stated"), t("nothing is generalized by groups"));
    };
    let most = by_column.iter().filter(|(_, loss)| loss.is_finite() && *loss > 0.0);
    let most = most.max_by(|one, other| one.1.total_cmp(&other.1));
    let note = most.map_or(t("no column lost any").to_owned(), |(column, loss)| {
        text!("most: {}, {}", name(column), percent(*loss))
    });
    tile(label, percent(lost), note)
}

/// Records that are not there, or are nobody's.
fn taken_out(glance: &Glance) -> Tile {
    let share = match glance.suppressed {
        0 => t("none").to_owned(),
        some => text!("{} records", count(some)),
    };
    let counterfeits = match (glance.counterfeits, &glance.private) {
        (_, Some(_)) => t("counterfeits: noise instead").to_owned(),
        (Some(0), None) => t("counterfeits: none").to_owned(),
        (Some(some), None) => text!("counterfeits: {}", count(some)),
        (None, None) => t("counterfeits: not stated").to_owned(),
    };
    tile(t("Suppressed"), share, counterfeits)
}

/// The strictest threshold of others that the highest risk is within.
fn thresholds(risk: Option<&Risk>) -> Tile {
    let label = t("Thresholds of others");
    let Some(found) = risk.and_then(|risk| prosecutor(risk, 1.0)) else {
        return tile(label, t("not compared"), t("they are about groups of records"));
    };
    let (within, all, strictest) = met_of_others(found.highest);
    let note = strictest
        .map_or_else(|| t("the mildest is 1/3").to_owned(), |written| text!("strictest: {}", t(written)));
    // The two reports of one release may differ here: only the custodian's knows whose the records are.
    let who = match risk {
        Some(risk) if risk.promised_people().is_some() => t("for somebody who picks a person, not a record"),
        Some(risk) if risk.counts_people() => t("for somebody who picks a record"),
        _ => "",
    };
    let note = if who.is_empty() { note } else { format!("{note}; {who}") };
    tile(label, text!("within {} of {}", within, all), note)
}
