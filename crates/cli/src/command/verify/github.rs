//! Findings as workflow commands of GitHub Actions, which show them beside a pull request.

use std::path::Path;

use velamen_checker::{Finding, State};
use velamen_report::printed::figures;

/// One annotation for each finding that is not held, and a last one with the outcome.
pub(super) fn commands(release: &Path, findings: &[Finding]) -> Vec<String> {
    let one = |finding: &Finding| match finding.state {
        State::Held | State::Stated => None,
        State::Broken => Some(command("error", &format!("{} is broken", finding.promise), &figures(finding))),
        State::NotChecked => Some(command(
            "warning",
            &format!("{} was not checked", finding.promise),
            finding.why_not_checked(),
        )),
    };
    let of = |state: State| findings.iter().filter(|finding| finding.state == state).count();
    let outcome = format!(
        "{}: {} promises hold, {} are broken, {} were not checked, {} can be shown by no release",
        release.display(),
        of(State::Held),
        of(State::Broken),
        of(State::NotChecked),
        of(State::Stated)
    );
    let last = command("notice", "velamen verify", &outcome);
    findings.iter().filter_map(one).chain([last]).collect()
}

/// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
fn command(level: &str, title: &str, message: &str) -> String {
    format!("::{level} title={}::{}", property(title), data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(command("error", "a: b, c", "5 %\n::x"), "::error title=a%3A b%2C c::5 %25%0A::x");
    }
}
