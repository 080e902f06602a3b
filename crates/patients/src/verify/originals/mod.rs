//! Whether released rows are those of the original, by the custodian's folder. Nothing of what made the release is used.

mod cells;
mod days;
mod faults;
mod groups;
mod numbers;
mod relative;

use std::path::Path;

use velamen_checker::{Finding, State};
use velamen_contract::linked::{Column, Dates, LinkedManifest};
use velamen_core::context::Context;
use velamen_core::error::Class;
use velamen_recipe::JobError;

use self::cells::Row;
use self::faults::{Faults, Kind};
use self::relative::People;
use crate::beside::{self, Custody, Missing, Pair, Pairs};

/// The finding's name.
const NAME: &str = "originals";

/// What is known of the released rows and their originals.
///
/// # Errors
/// [`JobError::data`] or [`JobError::io`] if a table cannot be read.
pub(super) fn finding(
    release: &Path,
    manifest: &LinkedManifest,
    custodian: &Path,
    context: &Context<'_>,
) -> Result<Finding, JobError> {
    let asked = Faults::default().reached();
    let not_checked = |why: &str| Ok(Finding::not_checked(NAME, asked.clone(), why));
    let custody = match Custody::read(custodian, None, manifest.shape, &|| context.check().is_err()) {
        Ok(custody) => custody,
        Err(Missing(why)) => {
            return context.check().map_err(JobError::from).and_then(|()| not_checked(&why.to_string()));
        }
    };
    let persons = &manifest.persons.table;
    if manifest.person_table().is_none_or(|table| beside::key(table).is_none()) {
        return not_checked(&format!(
            "table `{persons}` has no key, so that no list can say whose a row is: make the release again with [tables.{persons}] key = \"…\" in the recipe"
        ));
    }
    let pairs = Pairs::read(release, manifest, &custody, context)?;
    let mut faults = Faults::default();
    let mut people = People::default();
    for (name, table) in &manifest.tables {
        context.check()?;
        match pairs.of(name) {
            Some(pair) => check(pair, &pairs, &mut people, &mut faults),
            None if custody.made_anew.contains(name) => {}
            None => faults.add_many(Kind::Rows, (name, "", 0), table.records),
        }
    }
    emptied(manifest, &custody, &mut faults);
    if let Dates::Relative(unit) = manifest.dates {
        people.check(unit, &pairs, &mut faults);
    }
    Ok(Finding::of(NAME, asked, faults.reached(), faults.is_none()))
}

/// What is said of a release that cannot be read back, if other findings say what is wrong with it.
///
/// # Errors
/// The error of reading where nothing else is broken, and what is none of data.
pub(super) fn unread(error: JobError, findings: &[Finding]) -> Result<Finding, JobError> {
    let is_told = findings.iter().any(|finding| finding.state == State::Broken);
    if error.class() != Class::Data || !is_told {
        return Err(error);
    }
    let why = format!("the tables cannot be compared, see the broken promises: {error}");
    Ok(Finding::not_checked(NAME, Faults::default().reached(), &why))
}

/// Compares the columns in which cells were emptied, as the manifest states them, with the custodian's record. A column that is not
/// stated is one whose empty cells nobody counts. References also lead to rows that were left out, which no record has.
fn emptied(manifest: &LinkedManifest, custody: &Custody, faults: &mut Faults) {
    for (name, table) in &manifest.tables {
        for (column, of) in &table.columns {
            let stated = table.emptied.contains(column);
            let may_be = stated && matches!(of, Column::Reference { .. });
            if custody.was_emptied(name, column).is_some_and(|emptied| emptied != stated) && !may_be {
                faults.add_column(Kind::Emptied, name, column);
            }
        }
    }
}

/// Compares the rows of a table with their originals.
fn check<'a>(pair: &'a Pair<'a>, pairs: &'a Pairs<'a>, people: &mut People<'a>, faults: &mut Faults) {
    match beside::key(pair.table) {
        Some(key) => with_keys(pair, key, pairs, people, faults),
        None => without_keys(pair, pairs, faults),
    }
}

/// Each row by its key.
fn with_keys<'a>(
    pair: &'a Pair<'a>,
    key: &str,
    pairs: &'a Pairs<'a>,
    people: &mut People<'a>,
    faults: &mut Faults,
) {
    let ends = pair.ends(true);
    let mut is_taken = vec![false; pair.original.rows];
    for (row, original) in pair.rows.iter().enumerate() {
        let free = original.filter(|&original| !std::mem::replace(&mut is_taken[original as usize], true));
        let Some(original) = free else {
            faults.add(Kind::Rows, (pair.name, key, row));
            continue;
        };
        let compared = Row { pair, pairs, row, original: original as usize, ends: Some(&ends) };
        for (kind, column) in compared.faults() {
            faults.add(kind, (pair.name, column, row));
        }
        people.add(pair, row, original as usize);
    }
}

/// Each row by its parent: it is like an original row of the same parent, and they are no more than those.
fn without_keys(pair: &Pair<'_>, pairs: &Pairs<'_>, faults: &mut Faults) {
    let Some((parent, above)) = beside::parent(pair.table) else { return };
    // A code that climbed hides whose group's end a number is at.
    let has_climbed = pair.table.columns.keys().any(|column| pairs.custody.has_climbed(pair.name, column));
    let ends = (!has_climbed).then(|| pair.ends(false));
    let mut left = pair.originals_by(parent);
    for row in 0..pair.released.rows {
        let place = (pair.name, parent, row);
        let of = pairs.custody.original(above, pair.released.cell(parent, row));
        let Some((originals, number)) = of.and_then(|of| left.get_mut(of)) else {
            faults.add(Kind::Persons, place);
            continue;
        };
        let fits =
            |&original: &usize| Row { pair, pairs, row, original, ends: ends.as_ref() }.faults().is_empty();
        if *number == 0 || !originals.iter().any(fits) {
            faults.add(Kind::Rows, place);
        }
        *number = number.saturating_sub(1);
    }
}
