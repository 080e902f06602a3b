//! Releases of linked tables on the command line.

use std::path::Path;

use velamen_patients::{LinkedRecipe, Outcome, Survived};
use velamen_recipe::{JobError, Overrides};

use super::summary::{checked, percent};
use super::{Runner, fresh_seed};
use crate::table::TextTable;
use crate::terminal::{grouped, is_quiet, line, plain, warning};

/// `anonymize` of a recipe of linked tables; `flags` are those that it does not know, and whether they were given.
pub(super) fn anonymize(
    runner: &Runner,
    path: &Path,
    overrides: &Overrides,
    (overwrite, json): (bool, bool),
    flags: &[(&str, bool)],
) -> Result<(), JobError> {
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        return Err(JobError::usage(format!("{flag}: not for linked tables")).mend("leave it out"));
    }
    let recipe = LinkedRecipe::load(path, overrides)?;
    let seed = fresh_seed()?;
    let outcome = runner.with(&seed, |context| velamen_patients::anonymize(&recipe, path, overwrite, context))?;
    outcome.warnings.iter().for_each(warning);
    if json {
        line(outcome.manifest.to_json().trim_end());
    } else {
        summary(&outcome);
    }
    Ok(())
}

fn summary(outcome: &Outcome) {
    if is_quiet() {
        return;
    }
    let Survived { persons, pairs, rows } = outcome.survived;
    let of = |[before, after]: [u64; 2], what: &str| {
        let share = percent(after as f64 / before.max(1) as f64);
        format!("{} of {} {what} ({share})", grouped(after), grouped(before))
    };
    line(format!("{}, {}, {}", of(persons, "persons"), of(pairs, "pairs of person and code"), of(rows, "rows")));
    let mut tables = TextTable::plain(2);
    for (name, table) in &outcome.manifest.tables {
        tables.row(vec![name.clone(), format!("{} rows", grouped(table.records))]);
    }
    line("released");
    tables.print_indented();
    line("promised");
    let mut promises = TextTable::plain(2);
    for promise in &outcome.manifest.privacy {
        let found = outcome.findings.iter().find(|finding| finding.promise == promise.name());
        let words = found.map(|finding| format!("asked {}; reached {}", plain(&finding.asked), plain(&finding.reached)));
        promises.row(vec![promise.name().to_owned(), words.unwrap_or_default()]);
    }
    promises.print_indented();
    line(checked(&outcome.findings));
    line(format_args!("publish    {}  (look at report.html)", outcome.release.display()));
    line(format_args!("keep safe  {}", outcome.custodian.display()));
}
