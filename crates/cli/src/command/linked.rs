//! Releases of linked tables on the command line.

use std::path::Path;

use velamen_patients::{
    EstimatedBy, FolderProfile, LinkedEstimate, LinkedFigures, LinkedRecipe, LinkedRisk, Outcome, Survived,
    TableProfile,
};
use velamen_recipe::{JobError, Overrides};

use super::summary::{checked, percent};
use super::{Runner, fresh_seed};
use crate::table::{Side, TextTable};
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
    let outcome =
        runner.with(&seed, |context| velamen_patients::anonymize(&recipe, path, overwrite, context))?;
    outcome.warnings.iter().for_each(warning);
    if json {
        line(outcome.manifest.to_json().trim_end());
    } else {
        summary(&outcome);
    }
    Ok(())
}

/// `25 of 28 persons (89 %)`.
fn left([before, after]: [u64; 2], what: &str) -> String {
    let share = percent(after as f64 / before.max(1) as f64);
    format!("{} of {} {what} ({share})", grouped(after), grouped(before))
}

fn summary(outcome: &Outcome) {
    if is_quiet() {
        return;
    }
    let Survived { persons, pairs, rows } = outcome.survived;
    line(format!(
        "{}, {}, {}",
        left(persons, "persons"),
        left(pairs, "pairs of person and code"),
        left(rows, "rows")
    ));
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
        let words = found
            .map(|finding| format!("asked {}; reached {}", plain(&finding.asked), plain(&finding.reached)));
        promises.row(vec![promise.name().to_owned(), words.unwrap_or_default()]);
    }
    promises.print_indented();
    line(checked(&outcome.findings));
    line(format_args!("publish    {}  (look at report.html)", outcome.release.display()));
    line(format_args!("keep safe  {}", outcome.custodian.display()));
}

/// What a release of linked tables shows of persons.
pub(super) fn figures(found: &LinkedFigures) {
    line(format!(
        "{} persons in {} classes of person columns, the smallest of {}; {} codes, {} pairs of person and code",
        grouped(found.persons),
        grouped(found.classes),
        grouped(found.least_class),
        grouped(found.codes),
        grouped(found.pairs)
    ));
    line("");
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right("codes known"),
        right("largest k"),
        right("in classes"),
        right("alone, best codes"),
        right("alone, random codes"),
    ]);
    for (m, k) in &found.largest_k {
        let share = |shares: &std::collections::BTreeMap<u8, f64>| {
            shares.get(m).map_or_else(String::new, |share| percent(*share))
        };
        let in_classes = found.largest_k_in_classes.get(m).map_or_else(String::new, |k| grouped(*k));
        table.row(vec![
            m.to_string(),
            grouped(*k),
            in_classes,
            share(&found.alone_by_best),
            share(&found.alone_by_random),
        ]);
    }
    table.print();
    line("");
    for (m, rho) in &found.largest_rho {
        let known = if *m == 1 { "one code".to_owned() } else { format!("{m} codes") };
        line(format!("Who knows {known} of a person is sure of another by {} at most.", percent(*rho)));
    }
    gaps(found.alone_by_gaps, found.with_three_days);
}

fn gaps(alone: u64, persons: u64) {
    line(format!(
        "{} of {} persons with three days or more are alone by the gaps between the first three.",
        grouped(alone),
        grouped(persons)
    ));
}

/// Who is alone in linked tables.
pub(super) fn risk(found: &LinkedRisk) {
    line(format!(
        "{} persons in {} classes of person columns, the smallest of {}; {} alone in theirs",
        grouped(found.persons),
        grouped(found.classes),
        grouped(found.least_class),
        grouped(found.alone_by_columns)
    ));
    gaps(found.alone_by_gaps, found.with_three_days);
    line("");
    line("Persons alone by codes, by those that tell most and by random ones:");
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right("codes known"),
        right("codes, best"),
        right("random"),
        right("and columns, best"),
        right("random"),
        right("and gaps, best"),
        right("random"),
    ]);
    for m in found.by_codes.keys() {
        let mut row = vec![m.to_string()];
        for shares in [&found.by_codes, &found.by_columns_and_codes, &found.by_gaps_and_codes] {
            let of = shares.get(m).map(|of| [percent(of.best), percent(of.random)]);
            row.extend(of.unwrap_or_default());
        }
        table.row(row);
    }
    table.print();
}

/// How much of linked tables a run would keep.
pub(super) fn estimate(found: &LinkedEstimate) {
    line(format!(
        "{} persons, {} codes, {} pairs of person and code; the most codes of a person: {}",
        grouped(found.persons),
        grouped(found.codes),
        grouped(found.pairs),
        grouped(found.largest_set)
    ));
    line(format!(
        "k = {}: {} classes of person columns; {} persons are left out",
        grouped(found.k),
        grouped(found.classes),
        grouped(found.left_out)
    ));
    line("");
    line("Pairs of person and code that a run keeps:");
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right("codes known"),
        ("together with", Side::Left),
        right("kept"),
        ("by", Side::Left),
    ]);
    for kept in &found.kept {
        let with = if kept.in_classes { "person columns" } else { "nothing" };
        let by = match kept.by {
            EstimatedBy::Thin => "the folder's codes",
            EstimatedBy::Table => "a table of made-up patients",
        };
        let share = kept.share.map_or_else(|| "unknown".into(), percent);
        table.row(vec![kept.m.to_string(), with.into(), share, by.into()]);
    }
    table.print();
    line("Floors of other codes, numbers of rows and the window can take more.");
}

/// The columns of a table that have a role, each with the table's name before it.
fn of_role(table: &TableProfile, role: &str) -> Vec<String> {
    let columns = table.columns.iter().filter(|column| column.role == role);
    columns.map(|column| format!("{}.{}", table.table, column.column)).collect()
}

/// What a folder of linked tables holds.
pub(super) fn folder(found: &FolderProfile, recipe: Option<&Path>) {
    line(format!(
        "{} persons, {} codes, {} pairs of person and code; the most codes of a person: {}",
        grouped(found.persons),
        grouped(found.codes),
        grouped(found.pairs),
        grouped(found.largest_set)
    ));
    line(format!("{} persons have a code that nobody else has", grouped(found.alone_by_one)));
    line("");
    let mut tables =
        TextTable::new(&[("table", Side::Left), ("rows", Side::Right), ("most of a person", Side::Right)]);
    for table in &found.tables {
        tables.row(vec![table.table.clone(), grouped(table.rows), grouped(table.most_rows)]);
    }
    tables.print();
    if !found.left_out.is_empty() {
        line(format!("left out: {}", found.left_out.join(", ")));
    }
    line("");
    let mut columns = TextTable::new(&[("released as", Side::Left), ("columns", Side::Left)]);
    for role in ["quasi-identifier", "set", "code", "value", "date"] {
        let names: Vec<String> = found.tables.iter().flat_map(|table| of_role(table, role)).collect();
        if !names.is_empty() {
            columns.row(vec![role.to_owned(), names.join(", ")]);
        }
    }
    columns.print();
    if let Some(recipe) = recipe {
        line("");
        line(format!("First recipe: {}. Read it and correct it, then run", recipe.display()));
        line(format!("  velamen anonymize {}", recipe.display()));
    }
}
