//! The paragraph that a reader sees first.

use crate::language::{self, t, text};
use velamen_checker::State;
use velamen_contract::model as terms;

use super::Report;

/// The verdict: whether all is well, the headline, and what follows from it.
#[derive(Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) tone: Tone,
    pub(super) headline: String,
    pub(super) rest: Vec<String>,
}

/// What the verdict amounts to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tone {
    Kept,
    KeptBut,
    NotAllChecked,
    Broken,
    Silent,
}

/// The verdict on a page's promises. A check of the files is named only if it fails or was not made: then nothing
/// can be relied on.
pub(super) fn verdict(report: &Report) -> Verdict {
    let all = || report.promises.iter().chain(&report.checks);
    let named = |state: State| -> Vec<&str> {
        all().filter(|one| one.state == state).map(|one| one.name.as_str()).collect()
    };
    let (broken, unchecked) = (named(State::Broken), named(State::NotChecked));
    if all().next().is_none() && report.warning.is_none() {
        return silent();
    }
    let mut verdict = match (&broken[..], &report.warning, &unchecked[..]) {
        ([_, ..], ..) => self::broken(&broken),
        (_, Some(warning), _) => warned(warning),
        (.., [_, ..]) => not_all_checked(&unchecked),
        _ if report.objections.is_empty() => kept(t("The promises are kept."), Tone::Kept, report),
        _ => kept(t("The promises are kept, but read below what they leave open."), Tone::KeptBut, report),
    };
    match verdict.tone {
        // Before what is kept comes what speaks against it.
        Tone::KeptBut => drop(verdict.rest.splice(0..0, report.objections.iter().cloned())),
        Tone::NotAllChecked => verdict.rest.extend(report.objections.iter().cloned()),
        Tone::Kept | Tone::Broken | Tone::Silent => {}
    }
    verdict
}

fn silent() -> Verdict {
    Verdict {
        tone: Tone::Silent,
        headline: t("No promise was made.").to_owned(),
        rest: vec![
            t("This page lists no privacy promise, so nothing can be concluded from it about the protection of the people \
             in the data.")
                .to_owned(),
        ],
    }
}

/// The verdict on a method that does not keep what was published of it.
fn warned(warning: &str) -> Verdict {
    let headline = t("This release does not protect as its method claims.").to_owned();
    Verdict { tone: Tone::Broken, headline, rest: vec![language::of_below(warning)] }
}

fn broken(names: &[&str]) -> Verdict {
    let (headline, rest) = match names {
        [one] => (
            text!("Broken: {} is not kept.", one),
            t("The data does not keep the promise named here and should not be released as it is."),
        ),
        all => (
            text!("Broken: {} are not kept.", list(all)),
            t("The data does not keep the promises named here and should not be released as it is."),
        ),
    };
    Verdict { tone: Tone::Broken, headline, rest: vec![rest.to_owned()] }
}

fn not_all_checked(names: &[&str]) -> Verdict {
    Verdict {
        tone: Tone::NotAllChecked,
        headline: match names {
            [one] => text!("Not all is checked: {} is open.", one),
            all => text!("Not all is checked: {} are open.", list(all)),
        },
        rest: vec![
            t("All else is kept. What is missing for the check stands beside each; who has it can make this page again \
             with `velamen report RELEASE --population FILE`.")
                .to_owned(),
        ],
    }
}

fn kept(headline: &str, tone: Tone, report: &Report) -> Verdict {
    let (held, stated) = (promised(report, State::Held), promised(report, State::Stated));
    let mut rest = Vec::new();
    if !held.is_empty() {
        rest.push(text!("Checked in the released file and kept: {}.", list(&held)));
    }
    rest.extend(report.threshold.clone());
    if !stated.is_empty() {
        rest.push(text!("Stated by the custodian, since no release can show it: {}.", list(&stated)));
        rest.extend(stated.iter().any(|name| is_private(name)).then(|| t(BUDGET).to_owned()));
    }
    let stated = report.checks.iter().filter(|check| check.state == State::Stated);
    let stated: Vec<&str> = stated.map(|check| check.name.as_str()).collect();
    match &stated[..] {
        [] => {}
        [one] => rest.push(text!("{} rests on the custodian's word: what it means stands below.", one)),
        all => rest.push(text!("{} rest on the custodian's word: what they mean stands below.", list(all))),
    }
    Verdict { tone, headline: headline.to_owned(), rest }
}

/// The names of the promises in a state, each once: a model can be asked for several times, of other attributes.
fn promised(report: &Report, state: State) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for one in report.promises.iter().filter(|one| one.state == state) {
        if !names.contains(&one.name.as_str()) {
            names.push(&one.name);
        }
    }
    names
}

/// What of differential privacy is checked.
const BUDGET: &str = language::mark(
    "What the released file shows of this is checked: what was spent of the budget adds up to no more than is \
     promised, and nothing but declared values is released.",
);

fn is_private(name: &str) -> bool {
    terms::find(name).is_some_and(|terms| terms.facts.private)
}

/// What a state is called, with the class and the sign that show it.
pub(super) fn shown(state: State) -> (&'static str, &'static str, &'static str) {
    match state {
        State::Held => ("holds", "✓", t("kept")),
        State::Broken => ("broken", "✗", t("not kept")),
        State::NotChecked => ("unchecked", "?", t("not checked")),
        State::Stated => ("stated", "§", t("stated by the custodian")),
    }
}

/// A state in a word or a few.
#[must_use]
pub fn state_in_words(state: State) -> &'static str {
    shown(state).2
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [firsts @ .., last] => text!("{} and {}", firsts.join(", "), last),
    }
}
