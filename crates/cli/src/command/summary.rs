//! What a run made, in words.

use velamen_checker::{Finding, State};
use velamen_contract::Promised;
use velamen_dp::Rational;
use velamen_job::{Account, Outcome};
use velamen_report::Manifest;
use velamen_report::OfMethod;

use crate::table::TextTable;
use crate::terminal::{grouped, is_quiet, line, plain};

/// What was released, promised and lost, and where to look.
pub(super) fn summary(outcome: &Outcome) {
    if is_quiet() {
        return;
    }
    let manifest = &outcome.manifest;
    line(records(manifest));
    line("released as");
    attributes(outcome).print_indented();
    line("promised");
    promises(&manifest.privacy).print_indented();
    if let Some(sentence) = detail(manifest) {
        line(sentence);
    }
    line(checked(&outcome.findings));
    line(format_args!("publish    {}  (look at report.html)", outcome.release.display()));
    if let Some(table) = &outcome.table {
        line(format_args!("table      {table}"));
    }
    if let Some(Account { spent, total }) = outcome.budget {
        let of = |spent: Rational, total: Rational| format!("{} of {}", spent.to_f64(), total.to_f64());
        let (epsilon, delta) = (of(spent.epsilon, total.epsilon), of(spent.delta, total.delta));
        line(format_args!("spent      epsilon {epsilon}, delta {delta}  (for you alone)"));
    }
    line(format_args!("keep safe  {}", outcome.custodian.display()));
}

/// `1,165 records in 6 classes: none suppressed, 45 counterfeits (4 %)`.
fn records(manifest: &Manifest) -> String {
    let (records, classes) = (manifest.records, manifest.classes);
    let of = |number: u64, what: &str| match number {
        0 => format!("no {what}s"),
        _ => {
            let plural = if number == 1 { "" } else { "s" };
            format!("{} {what}{plural} ({})", grouped(number), percent(number as f64 / records.max(1) as f64))
        }
    };
    let counterfeits = match manifest.counterfeits {
        Some(number) => of(number, "counterfeit"),
        None => "the number of counterfeits is not stated".to_owned(),
    };
    let plural = if classes == 1 { "class" } else { "classes" };
    let suppressed = of(manifest.suppressed, "suppressed record");
    format!("{} records in {} {plural}: {suppressed}, {counterfeits}", grouped(records), grouped(classes))
}

/// Each attribute with what is shown of its values.
fn attributes(outcome: &Outcome) -> TextTable {
    let mut table = TextTable::plain(2);
    for (name, words) in &outcome.shown {
        table.row(vec![name.clone(), words.clone()]);
    }
    table
}

fn promises(promises: &[Promised]) -> TextTable {
    let mut table = TextTable::plain(2);
    for promise in promises {
        let (asked, reached) = (plain(&promise.asked), plain(&promise.reached));
        table.row(vec![promise.model.clone(), format!("asked {asked}; reached {reached}")]);
    }
    table
}

/// How much of the quasi-identifiers' detail is gone, where the release states it; nothing of what is invented.
fn detail(manifest: &Manifest) -> Option<String> {
    let share = percent(manifest.lost_detail().filter(|_| !manifest.is_invented())?);
    Some(format!("detail lost: {share} of the quasi-identifiers (lm; 0 % as recorded, 100 % nothing left)"))
}

/// A share in whole per cent, or with what shows that it is not 0.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        small if small > 0.0 && small < 0.95 => {
            format!("{} %", plain(&((small * 100.0).ceil() / 100.0).into()))
        }
        whole => format!("{whole:.0} %"),
    }
}

/// That the written file passed all checks, since a run with others has no release, and what no file can show.
pub(super) fn checked(findings: &[Finding]) -> String {
    let stated = match &*named(findings, State::Stated) {
        "" => String::new(),
        stated => format!("; a release cannot show {stated}: for that, recipients have your word"),
    };
    let open = match &*named(findings, State::NotChecked) {
        "" => String::new(),
        unchecked => format!("; recipients cannot check {unchecked} without the population"),
    };
    format!("verified from the written file: every check passed{stated}{open}")
}

/// The promises in a state.
fn named(findings: &[Finding], state: State) -> String {
    let found = findings.iter().filter(|finding| finding.state == state);
    found.map(|finding| &*finding.promise).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_exact_as_readers_need() {
        let shown = [0.0, 0.00001, 0.0012, 0.0095, 0.1187, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "0.01 %", "0.12 %", "1 %", "12 %", "100 %"]);
    }
}
