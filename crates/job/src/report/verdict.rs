//! The paragraph that a reader sees first.

use super::Promise;

/// The verdict: whether all is well, the headline, and what follows from it.
#[derive(Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) tone: Tone,
    pub(super) headline: String,
    pub(super) rest: String,
}

/// What the verdict amounts to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tone {
    Holds,
    Broken,
    Silent,
}

/// The verdict on a method that does not keep what was published of it.
pub(super) fn warned(warning: &str) -> Verdict {
    let headline = "This release does not protect as its method claims.".to_owned();
    Verdict { tone: Tone::Broken, headline, rest: warning.to_owned() }
}

/// The verdict on these promises. A check of the files is told only if it fails: then nothing can be relied on.
pub(super) fn verdict(promises: &[Promise], checks: &[Promise]) -> Verdict {
    let failed: Vec<&Promise> = checks.iter().filter(|one| !one.holds).collect();
    let counted: Vec<&Promise> = promises.iter().chain(failed).collect();
    let broken: Vec<&str> = counted.iter().filter(|one| !one.holds).map(|one| one.name.as_str()).collect();
    match (counted.len(), broken.len()) {
        (0, _) => Verdict {
            tone: Tone::Silent,
            headline: "No promise was made.".to_owned(),
            rest: "This page lists no privacy promise, so nothing can be concluded from it about the \
                   protection of the people in the data."
                .to_owned(),
        },
        (all, 0) => Verdict {
            tone: Tone::Holds,
            headline: "Every promise holds.".to_owned(),
            rest: kept(all, promises),
        },
        (all, count) => Verdict {
            tone: Tone::Broken,
            headline: format!("{} {} not hold.", list(&broken), if count == 1 { "does" } else { "do" }),
            rest: format!(
                "{} The data does not keep all that was asked of it and should not be released as it is.",
                tally(count, all)
            ),
        },
    }
}

fn kept(all: usize, promises: &[Promise]) -> String {
    let names: Vec<&str> = promises.iter().map(|one| one.name.as_str()).collect();
    match all {
        1 => format!("What was asked of this release is reached: {}.", list(&names)),
        _ => format!("All {all} promises asked of this release are reached: {}.", list(&names)),
    }
}

fn tally(broken: usize, all: usize) -> String {
    match (broken, all) {
        (1, 1) => "It is the only promise that was asked.".to_owned(),
        _ if broken == all => format!("None of the {all} promises that were asked holds."),
        _ => format!(
            "{broken} of the {all} promises that were asked {}.",
            if broken == 1 { "fails" } else { "fail" }
        ),
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [firsts @ .., last] => format!("{} and {last}", firsts.join(", ")),
    }
}
