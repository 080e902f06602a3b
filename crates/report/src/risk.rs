//! The risk that a person is found, by thresholds of authorities.

use crate::language::{self, say, t, text};
use crate::number::{count, percent};
use maud::{Markup, html};
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::reidentification;
use velamen_measure::risk::reidentification::{Matched, is_above, risks, whole};

use super::sections::mark;
use super::{AskedRisk, Risk};
use crate::matching::Matching;

/// A bound that somebody named: the risk, how it is written, whether only the highest risk can meet it, and who
/// asks for it.
struct Threshold {
    risk: f64,
    written: &'static str,
    highest_only: bool,
    source: &'static str,
}

/// From the strictest to the mildest.
const THRESHOLDS: [Threshold; 5] = [
    Threshold {
        risk: 1.0 / 20.0,
        written: language::mark("0.05, groups of 20"),
        highest_only: false,
        source: language::mark("strict; data that anybody may download"),
    },
    Threshold {
        // 1/12 is the first risk of a group that is at most 0.09.
        risk: 0.09,
        written: language::mark("0.09, groups of 12"),
        // Both name a maximum.
        highest_only: true,
        source: language::mark(
            "European Medicines Agency, policy 0070; Health Canada, public release of clinical information",
        ),
    },
    Threshold {
        risk: 1.0 / 11.0,
        written: language::mark("no cell of 1 to 10"),
        // A rule on the smallest cell.
        highest_only: true,
        source: language::mark("Centers for Medicare & Medicaid Services (USA), cell size suppression"),
    },
    Threshold {
        risk: 1.0 / 5.0,
        written: language::mark("0.2, groups of 5"),
        highest_only: false,
        source: language::mark("common for data shared under a contract"),
    },
    Threshold {
        risk: 1.0 / 3.0,
        written: language::mark("1/3, groups of 3"),
        highest_only: false,
        source: language::mark("mild; trusted recipients under a contract"),
    },
];

/// How many thresholds of others a highest risk is within, of how many, and the strictest of them.
pub(super) fn met_of_others(highest: f64) -> (usize, usize, Option<&'static str>) {
    let mut within = THRESHOLDS.iter().filter(|threshold| !is_above(highest, threshold.risk));
    let strictest = within.next();
    let number = within.count() + usize::from(strictest.is_some());
    (number, THRESHOLDS.len(), strictest.map(|threshold| threshold.written))
}

/// A named column of figures: the release, or the originals.
struct Side {
    name: &'static str,
    classes: Vec<Matched>,
    /// What decides on the risk besides their sizes.
    matching: Option<Matching>,
    /// The highest risk that the checker found, where that is promised.
    checked: Option<f64>,
    /// The journalist's highest risk, where a population is known.
    journalist: Option<f64>,
    /// What is said where it is not.
    unknown: &'static str,
    /// Whose the records are, where people are counted.
    people: Option<Holdings>,
}

/// What is said of a threshold that a bound exceeds and the risk itself may be within.
const OPEN: &str = language::mark("not known");
/// What is known of the journalist's risk without a population.
const NO_POPULATION: &str = language::mark("no population is known; at most the prosecutor's");
/// The same where a promise is about one whose table recipients do not have.
const NOT_CHECKED: &str =
    language::mark("not checked without the population's table; at most the prosecutor's");

impl Side {
    fn new(name: &'static str, sizes: &[(u64, u64)], population: Option<u64>, k_map: Option<u64>) -> Self {
        let classes = whole(sizes);
        let estimate = population.map(|size| reidentification::estimated(sizes, size));
        let estimate =
            estimate.and_then(|classes| risks(&classes, 1.0)).map(|risks| risks.journalist.highest);
        let counted = k_map.map(|size| 1.0 / size.max(1) as f64);
        Self {
            name,
            classes,
            matching: None,
            checked: None,
            journalist: counted.or(estimate),
            unknown: NO_POPULATION,
            people: None,
        }
    }

    /// Of who knows that the person is there.
    fn prosecutor(&self, threshold: f64) -> Option<reidentification::Risk> {
        let of_people = self.people.as_ref().and_then(|people| people.by_record(threshold));
        let own = of_people.or_else(|| self.matching.as_ref().and_then(|matching| matching.risk(threshold)));
        let risk = own.or_else(|| risks(&self.classes, threshold).map(|risks| risks.prosecutor))?;
        Some(reidentification::Risk { highest: risk.highest.max(self.checked.unwrap_or(0.0)), ..risk })
    }

    /// Whether its risks are bounds: how many people the records of a group belong to is not released.
    fn is_bound(&self) -> bool {
        matches!(self.matching, Some(Matching::Persons(..)))
    }

    /// What is told of a threshold without a verdict.
    fn compared(&self, risk: f64, threshold: f64) -> &'static str {
        match is_above(risk, threshold) {
            true if self.is_bound() => t(OPEN),
            above => compared(above),
        }
    }

    /// The share of records, or people, that are alone in their group.
    fn alone(&self) -> Option<f64> {
        if let Some(people) = &self.people {
            return Some(people.alone() as f64 / people.people().max(1) as f64);
        }
        match &self.matching {
            Some(Matching::Wildcards(_)) => self.prosecutor(0.5).map(|risk| risk.share_at_risk),
            _ => risks(&self.classes, 0.5).map(|risks| risks.prosecutor.share_at_risk),
        }
    }
}

/// The highest risk of the release's records, if the adversary knows that a person is there.
pub(super) fn highest(risk: &Risk) -> Option<f64> {
    prosecutor(risk, 1.0).map(|risk| risk.highest)
}

/// The risk of the release's records, if the adversary knows that a person is there.
pub(super) fn prosecutor(risk: &Risk, threshold: f64) -> Option<reidentification::Risk> {
    after(risk).prosecutor(threshold)
}

/// The figures of the release.
fn after(risk: &Risk) -> Side {
    let after = Side::new(t("Release"), &risk.after, risk.population, risk.k_map);
    let unknown = if risk.unchecked { NOT_CHECKED } else { NO_POPULATION };
    let people = risk.matching.as_ref().and_then(Matching::people).cloned();
    Side { matching: risk.matching.clone(), checked: risk.checked, unknown, people, ..after }
}

impl Risk {
    /// The people of each group that are promised, where the release does not tell whose its records are.
    pub(super) fn promised_people(&self) -> Option<u64> {
        match self.matching {
            Some(Matching::Persons(_, least)) => Some(least),
            _ => None,
        }
    }

    /// Whether the release's figures count people, who can have several records.
    pub(super) fn counts_people(&self) -> bool {
        self.matching.as_ref().and_then(Matching::people).is_some()
    }
}

/// The section.
pub(super) fn section(risk: &Risk) -> Markup {
    let before = Side::new(t("Original data"), &risk.before, risk.population, None);
    let before = Side { people: risk.people_before.clone(), ..before };
    let people = risk.counts_people();
    let sides: Vec<Side> =
        [before, after(risk)].into_iter().filter(|side| !side.classes.is_empty()).collect();
    let headings = headings(&sides, people);
    html! {
        p {
            (t("Someone who knows a person's quasi-identifiers looks for the person's record and finds the group of \
             records that share them. The chance of picking the right record is 1 divided by the group size"))
            @if people {
                " " (t("where each person has one. Here a person can have several: whoever picks a record finds her with her \
                 share of the group's records, and whoever picks one of the group's people with 1 divided by their number. \
                 Who stands in several groups is as easy to find as in the one where she is found most often. All figures \
                 count people"))
            }
            @if let Some(least) = risk.promised_people() {
                " " (say!("where each person has one. Here a person can have several, and a group can have fewer people than records. How many \
                 is not released. The risk is at most that of the {} people that are promised in each group, for somebody who picks one \
                 of them and not one of their records. The custodian's own page counts the people", count(least)))
            }
            "."
        }
        (measures(&sides, people))
        @if let Some(asked) = &risk.asked {
            h3 { (t("The threshold that is asked for")) }
            (table(&sides, people, &asked_row(asked, &sides, &headings)))
        }
        h3 { (t("Thresholds that others use")) }
        p {
            @match &risk.asked {
                Some(_) => (t("This release was not asked to meet these. They are here for comparison.")),
                None => (t("This release was not asked to meet a threshold. These are here for comparison.")),
            }
            " "
            (say!("A release meets a threshold by the highest risk if even its smallest group is large enough, and by the mean \
             risk if the mean over all {} is low enough. Where a rule is about the highest risk alone, the mean is \
             left open (–). Guidance varies; if unsure, use the highest risk.", if people { t("people") } else { t("records") }))
        }
        (table(&sides, people, &html! { @for one in &THRESHOLDS { (threshold(one, &sides, &headings)) } }))
        @for note in &risk.notes { p { (t(note)) } }
    }
}

fn measures(sides: &[Side], people: bool) -> Markup {
    let row = |label: &str, words: fn(&Side) -> String| {
        html! { tr { th scope="row" { (label) } @for side in sides { td data-label=(side.name) { (words(side)) } } } }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(t("Table of adversaries")) {
            table.stack {
                caption { (t("Risk of re-identification: 0 % to 100 %, lower is better")) }
                thead { tr {
                    th scope="col" { (t("Adversary")) }
                    @for side in sides { th scope="col" { (side.name) } }
                } }
                tbody {
                    (row(t("Prosecutor, highest: the person easiest to find"), |side| {
                        side.prosecutor(1.0).map_or(String::new(), |risk| in_words(risk.highest))
                    }))
                    @if people {
                        (row(t("Prosecutor who picks a person, not a record"), |side| {
                            let picked = side.people.as_ref().and_then(|people| people.by_person(1.0));
                            picked.map_or("–".to_owned(), |risk| in_words(risk.highest))
                        }))
                    }
                    (row(t("Journalist, highest: anybody of the population"), |side| match side.journalist {
                        Some(risk) => in_words(risk),
                        None => t(side.unknown).to_owned(),
                    }))
                    (row(if people { t("Marketer: mean over all people") } else { t("Marketer: mean over all records") }, |side| {
                        side.prosecutor(1.0).map_or(String::new(), |risk| in_words(risk.mean))
                    }))
                    (row(if people { t("People who are alone in a group") } else { t("Records that are alone in their group") }, |side| {
                        side.alone().map_or(String::new(), percent)
                    }))
                }
            }
        }
    }
}

/// "20.0 % (1 in 5)", "40.0 % (2 in 5)", "27.0 % (about 3 in 10)".
pub(super) fn in_words(risk: f64) -> String {
    format!("{} ({})", percent(risk), odds(risk))
}

/// A risk as simple a fraction as there is near it; one that is not quite it is not smaller, which would say too little.
fn odds(risk: f64) -> String {
    const NEAR: f64 = 0.005;
    let is_near = |(of, all): &(u64, u64)| (risk * *all as f64 / *of as f64 - 1.0).abs() <= NEAR;
    let one = (1.0 / risk).round().max(1.0) as u64;
    let most = |all: u64| if matches!(all, 6..=9) { 1 } else { all - 1 };
    let fractions = || (2..=10).flat_map(|all| (1..=most(all)).map(move |of| (of, all)));
    let share = |(of, all): &(u64, u64)| *of as f64 / *all as f64;
    if let Some((of, all)) = [(1, one)].into_iter().chain(fractions()).find(is_near) {
        return text!("{0} in {1}", count(of), count(all));
    }
    if risk < 0.1 {
        return text!("about {} in {}", 1, count((1.0 / risk).floor() as u64));
    }
    let above = fractions().filter(|fraction| share(fraction) > risk);
    match above.min_by(|a, b| share(a).total_cmp(&share(b))) {
        Some((of, all)) => text!("about {} in {}", of, all),
        // 1 in 1 would be certain.
        None => t("more than 9 in 10").to_owned(),
    }
}

/// What the columns of thresholds are called.
fn columns(people: bool) -> [&'static str; 3] {
    let above = if people { t("People above") } else { t("Records above") };
    [t("Highest risk"), t("Mean risk"), above]
}

/// The same of each side with its name: a cell bears it where the rows are stacked.
fn headings(sides: &[Side], people: bool) -> Vec<[String; 3]> {
    let named = |side: &Side| columns(people).map(|column| format!("{}, {column}", side.name));
    match sides {
        [_] => vec![columns(people).map(str::to_owned)],
        _ => sides.iter().map(named).collect(),
    }
}

fn table(sides: &[Side], people: bool, rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(t("Table of thresholds")) {
            table.close.stack {
                thead {
                    tr {
                        th scope="col" rowspan="2" { (t("Threshold")) }
                        @for Side { name, .. } in sides { th scope="colgroup" colspan="3" { (name) } }
                    }
                    tr {
                        @for _ in sides {
                            @for column in columns(people) { th scope="col" { (column) } }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// The threshold that was asked of the release, which is the last: of the highest risk, and met or not.
fn asked_row(asked: &AskedRisk, sides: &[Side], headings: &[[String; 3]]) -> Markup {
    let met = |risk: f64| mark(!is_above(risk, asked.risk), [t("met"), t("not met")]);
    let told = |at: usize, risk: f64| match at + 1 == sides.len() {
        true => met(risk),
        false => html! { (compared(is_above(risk, asked.risk))) },
    };
    html! {
        tr {
            th.threshold scope="row" { (percent(asked.risk)) span.source { (asked.by) } }
            @for (at, (side, [highest, mean, above])) in sides.iter().zip(headings).enumerate() {
                @if let Some(risk) = side.prosecutor(asked.risk) {
                    td data-label=(highest) { (told(at, risk.highest)) }
                    td data-label=(mean) { span.none { "–" } }
                    td.number data-label=(above) { (percent(risk.share_at_risk)) }
                }
            }
        }
    }
}

fn compared(is_above: bool) -> &'static str {
    if is_above { t("above") } else { t("within") }
}

/// A threshold that nobody asked for.
fn threshold(threshold: &Threshold, sides: &[Side], headings: &[[String; 3]]) -> Markup {
    let sides = sides.iter().zip(headings);
    let known = sides.filter_map(|(side, of)| Some((side, side.prosecutor(threshold.risk)?, of)));
    html! {
        tr {
            th.threshold scope="row" { (t(threshold.written)) span.source { (t(threshold.source)) } }
            @for (side, risk, [highest, mean, above]) in known {
                td data-label=(highest) { (side.compared(risk.highest, threshold.risk)) }
                td data-label=(mean) {
                    @if threshold.highest_only { span.none { "–" } } @else { (side.compared(risk.mean, threshold.risk)) }
                }
                td.number data-label=(above) {
                    @if side.is_bound() && risk.share_at_risk > 0.0 { (t(OPEN)) } @else { (percent(risk.share_at_risk)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_bind_where_they_say() {
        let page = |size| section(&Risk { after: vec![(size, 3)], ..Risk::default() }).into_string();
        let highest_and_mean = |size| page(size).matches(">within</td>").count();
        // Two of the five thresholds are of the highest risk alone.
        assert_eq!([2, 3, 5, 10, 11, 12, 20].map(highest_and_mean), [0, 2, 4, 4, 5, 6, 8]);
        assert_eq!(page(20).matches("–</span>").count(), 2);
    }

    /// Only what was asked for is met or not met; all else is compared.
    #[test]
    fn one_threshold_is_judged() {
        let asked = |risk| Some(AskedRisk { risk, by: "The recipe".to_owned() });
        let page = |risk| {
            section(&Risk { after: vec![(10, 3)], asked: asked(risk), ..Risk::default() }).into_string()
        };
        let marks = |page: &str| {
            [page.matches("</span> met</span>").count(), page.matches("</span> not met</span>").count()]
        };
        assert_eq!([marks(&page(0.2)), marks(&page(0.09))], [[1, 0], [0, 1]]);
        let unasked = section(&Risk { after: vec![(10, 3)], ..Risk::default() }).into_string();
        assert_eq!(marks(&unasked), [0, 0]);
        assert!(unasked.contains("not asked to meet a threshold"));
    }

    #[test]
    fn odds_are_simple_and_not_too_little() {
        let risks = [1.0, 0.95, 0.7, 0.4, 0.36, 0.27, 1.0 / 3.0, 0.2, 0.11, 0.1, 0.095, 1.0 / 1234.0];
        let expected = [
            "1 in 1",
            "more than 9 in 10",
            "7 in 10",
            "2 in 5",
            "about 2 in 5",
            "about 3 in 10",
            "1 in 3",
            "1 in 5",
            "about 1 in 9",
            "1 in 10",
            "about 1 in 10",
            "1 in 1,234",
        ];
        assert_eq!(risks.map(odds), expected.map(str::to_owned));
    }

    #[test]
    fn originals_stand_beside_the_release_if_they_are_given() {
        let risk = Risk { before: vec![(1, 4)], after: vec![(4, 1)], k_map: Some(9), ..Risk::default() };
        let page = section(&risk).into_string();
        assert!(page.contains("Original data") && page.contains("11.1\u{202f}% (1 in 9)"));
    }
}
