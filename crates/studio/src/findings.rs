//! What attacks, analyses and single changes came to, in the language that is spoken. The sentences are made in English, for the terminal,
//! too; here they are taken apart at the places of their figures and names.

use velamen_report::forest::{ForestPage, ForestSection};
use velamen_report::language::{mark, refilled, t};
use velamen_report::number;

use crate::words::of_pages;

/// The attacks by their names.
const ATTACKS: [(&str, &str); 10] = [
    ("linkage", mark("Linkage")),
    ("inference", mark("Inference")),
    ("background", mark("Background knowledge")),
    ("presence", mark("Presence")),
    ("minimality", mark("Minimality")),
    ("counterfeits", mark("Counterfeits")),
    ("composition", mark("Composition")),
    ("control", mark("Control group")),
    ("simulation", mark("Simulation")),
    ("membership", mark("Membership")),
];

/// What attacks ask and find, with `{}` where figures and names stand; the longer ones first where one begins like another.
const OF_ATTACKS: [&str; 68] = [
    mark("which released record is a person's"),
    mark("what a person's sensitive value is"),
    mark("the same, if the adversary can exclude values or knows others in the class"),
    mark("whether a person is in the table at all"),
    mark("which records are counterfeit, if the adversary knows the algorithm"),
    mark("which records are likely counterfeit, by who learned it from runs of the same recipe"),
    mark("which records are likely counterfeit"),
    mark("what two releases reveal together"),
    mark("what is learned about people because they are in the release, beside what is learned about others"),
    mark("whether one record was in the table, from many runs with fresh seeds"),
    mark("knows {} of {} quasi-identifiers (mean of {} sets at random)"),
    mark("knows {} of {} quasi-identifiers (mean of all {} sets)"),
    mark("knows {} of {} quasi-identifiers"),
    mark("the worst set: {}"),
    mark("the worst set"),
    mark("one candidate only, and the right one"),
    mark("all candidates are the person's"),
    mark("{}: certain of one parent"),
    mark("{}: the likeliest value is right"),
    mark("{}: certain of one value"),
    mark("{}: certain, and right"),
    mark("{}: belief in the right value"),
    mark("{}: the largest gain of belief"),
    mark("{}: 1 value excluded: right"),
    mark("{}: 1 value excluded: certain"),
    mark("{}: {} values excluded: right"),
    mark("{}: {} values excluded: certain"),
    mark("{}: 1 other person known: right"),
    mark("{}: 1 other person known: certain"),
    mark("{}: {} other persons known: right"),
    mark("{}: {} other persons known: certain"),
    mark("advantage over guessing"),
    mark("people in the table whom a class fits"),
    mark("outsiders whom a class fits"),
    mark("belief that who fits is in the table"),
    mark("counterfeits that counting locates"),
    mark("a guess finds a counterfeit"),
    mark("people in classes that are then too small"),
    mark("records in classes that are then too small"),
    mark(
        "k counts people, and whose the released records are is not certain: these figures compare records with k, so that more classes can be too small than they say",
    ),
    mark(
        "padding is exact and more is asked than k-anonymity: an adversary who looks at which classes would hold without a record of theirs can locate more than these figures say",
    ),
    mark("AUC, all records"),
    mark("AUC, classes that can hold counterfeits"),
    mark("AUC, by counting alone"),
    mark("AUC, by one number of a class"),
    mark("AUC, as the adversary expects by the release alone"),
    mark("AUC, classes of at most k + 6 records"),
    mark("AUC, three in ten real records known"),
    mark("right record of a person alone in a class"),
    mark("right record of a person in a class of fewer than k people"),
    mark("right record of a person among fewer than k real ones"),
    mark("belief in the own record of a person alone"),
    mark("a person alone in a class is protected as by k = {}"),
    mark("the records are noisy counts, none of which is a person's"),
    mark("the release has no sensitive attribute"),
    mark("there is no sensitive attribute, or nothing is to be known"),
    mark("the values are means: some class is always the nearest"),
    mark("hardly any combination of values is missing in the original"),
    mark("the release has no catalog of counterfeits"),
    mark("the release has no counterfeits"),
    mark("it needs a second release of some of the same people"),
    mark("it needs records of people who are not in the release"),
    mark("it needs many runs of the recipe on tables that are drawn again"),
    mark("it needs many runs of the method with and without a record"),
    mark("records drawn again would be other people's"),
    mark("classes overlap, so that the original does not tell which records are counterfeit"),
    mark(
        "classes overlap, so that the original does not tell which records are counterfeit; custodian.json has the figures",
    ),
    mark(
        "{} persons are alone in a class and {} among fewer than k real records; {} records of padded classes have a value without a row of the catalog and are real for sure",
    ),
];

/// The thresholds that somebody asks for.
const THRESHOLDS: [&str; 5] = [
    mark("as asked for"),
    mark("1/5, classes of 5"),
    mark("1/11, classes of 11: CMS cell sizes"),
    mark("0.09: EMA Policy 0070, Health Canada"),
    mark("1/20, classes of 20: for everybody"),
];

/// Single changes of a recipe.
const CHANGES: [&str; 8] = [
    mark("method optimal with local recoding"),
    mark("method {}"),
    mark("without column `{}`"),
    mark("{}: k = {}"),
    mark("suppression limit {}"),
    mark("`{}` at level {} or above"),
    mark("`{}` as recorded"),
    mark("`{}` in intervals of {}"),
];

/// What queries count.
const QUERIES: [&str; 5] = [
    mark("workload"),
    mark("counts by attribute"),
    mark("range, up to 1 %"),
    mark("range, 1 % to 10 %"),
    mark("range, above 10 %"),
];

/// What analyses say.
const OF_ANALYSES: [&str; 16] = [
    mark(
        "Of {} estimates of the original, the release has {}. Their confidence intervals overlap by {} % on average. Of {} effects, {} have the same direction and {} the same significance; {} significant ones are turned around.",
    ),
    mark(
        "{}: {}. Records used: {} of the original, {} of the release; {} released ones show nothing of an attribute, {} miss a value.",
    ),
    mark("other direction and significance"),
    mark("other direction"),
    mark("other significance"),
    mark("original: {}"),
    mark("release: {}"),
    mark("all estimates"),
    mark(
        "a released range or set is read as the release's own values lie in it, estimated from its exact values and narrower ranges; this assumes that its records lie like all others, whatever their other attributes are, and intervals do not know of the guess",
    ),
    mark(
        "a released range is read by its middle, a set by equal shares of its values that the original has; this assumes that records lie evenly in it, whatever their other attributes are",
    ),
    mark("bounds: every range at its lowest and at its highest; they hold for the records that are used"),
    mark(
        "{} draws: each record gets a random value of its range or set, as the release's own values lie in it and whatever its other attributes are; estimates are combined by Rubin's rules",
    ),
    mark(
        "suppressed records are left out wherever a quasi-identifier is used; this assumes that they are like the others",
    ),
    mark(
        "a released record weighs the probability, by the catalog, that it is real; this assumes that counterfeits are like the real records of their group and sensitive value",
    ),
    mark("standard errors do not count the noise of the release: its intervals are too narrow"),
    mark(
        "all figures are for the custodian: the original's are computed without noise, also beside a differentially private release",
    ),
];

/// What is estimated, and why it cannot be: words at places of the sentences.
const KINDS: [&str; 16] = [
    mark("Means"),
    mark("Proportions"),
    mark("Differences"),
    mark("Odds ratios"),
    mark("Correlation"),
    mark("Linear regression"),
    mark("Logistic regression, odds ratios"),
    mark("Kaplan–Meier survival"),
    mark("Cox regression, hazard ratios"),
    mark("no records"),
    mark("too few records"),
    mark("the outcome has one value only"),
    mark("one of the columns has one value only"),
    mark("follows from other columns, or does not vary"),
    mark("no finite estimate: columns separate the outcome, or a combination has no records"),
    mark("the iterations did not converge"),
];

/// An attack's name as a heading.
pub(crate) fn attack(name: &str) -> String {
    ATTACKS
        .iter()
        .find(|(known, _)| *known == name)
        .map_or_else(|| name.to_owned(), |(_, words)| t(words).to_owned())
}

/// What an attack asks or finds, or why it was not tried.
pub(crate) fn of_attack(text: &str) -> String {
    told(text, &OF_ATTACKS)
}

/// Who asks for a threshold.
pub(crate) fn threshold(name: &str) -> String {
    told(name, &THRESHOLDS)
}

/// A single change of a recipe.
pub(crate) fn change(words: &str) -> String {
    told(words, &CHANGES)
}

/// What queries of a kind count.
pub(crate) fn query(kind: &str) -> String {
    told(kind, &QUERIES)
}

/// The page of analyses.
pub(crate) fn analyses(page: ForestPage) -> ForestPage {
    let of = |text: &str| told(text, &OF_ANALYSES);
    let sections = page.sections.into_iter().map(|mut section: ForestSection| {
        section.about = of(&section.about);
        for row in &mut section.rows {
            row.remark = of(&row.remark);
        }
        section
    });
    let sections = sections.collect();
    let assumptions = page.assumptions.iter().map(|text| of(text)).collect();
    ForestPage { summary: of(&page.summary), sections, assumptions, level: page.level }
}

fn told(text: &str, patterns: &[&str]) -> String {
    let text = of_pages(text);
    refilled(&text, patterns, value).unwrap_or(text)
}

/// A figure, or words that have a line of their own; names stay.
fn value(english: &str) -> String {
    let is_figure = |sign: char| sign.is_ascii_digit() || " .,%\u{202f}".contains(sign);
    match english {
        _ if KINDS.contains(&english) => t(english).to_owned(),
        _ if english.chars().all(is_figure) => number::written(english),
        _ => english.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use velamen_report::language::{Language, speaking};

    use super::*;

    fn german(of: fn(&str) -> String, text: &str) -> String {
        speaking(Language::German, || of(text))
    }

    #[test]
    fn sentences_are_taken_apart_at_names_and_figures() {
        assert_eq!(
            of_attack("knows 2 of 4 quasi-identifiers (mean of all 6 sets)"),
            "knows 2 of 4 quasi-identifiers (mean of all 6 sets)"
        );
        assert!(
            german(of_attack, "knows 2 of 4 quasi-identifiers (mean of all 6 sets)")
                .starts_with("kennt 2 von 4")
        );
        assert!(german(of_attack, "diagnosis: certain of one value").starts_with("diagnosis: "));
        assert!(
            german(of_attack, "give records of people who are not in the release: --control TABLE")
                .starts_with("dafür")
        );
        assert_eq!(german(change, "suppression limit 0.05"), "Unterdrückung bis 0,05");
        assert_eq!(german(threshold, "1/5, classes of 5"), "1/5, Klassen von 5");
        assert_eq!(german(change, "something new"), "something new");
    }

    #[test]
    fn every_attack_and_model_is_named() {
        for entry in velamen_measure::risk::attack::REGISTRY {
            assert!(ATTACKS.iter().any(|(name, _)| *name == entry.name), "{}", entry.name);
            assert!(OF_ATTACKS.contains(&entry.summary), "{}", entry.summary);
        }
    }
}
