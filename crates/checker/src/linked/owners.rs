//! The first reading: whose each row is, by way of the keys.

use rayon::prelude::*;
use velamen_contract::linked::LinkedManifest;

use super::faults::{Faults, Place};
use super::keys::{Collected, Keys, NOBODY};
use super::plan::{Parent, Plan, Planned};
use super::rows::Row;
use super::source::{self, Folder};
use super::unreadable::Unreadable;

/// What a first reading of a table shows.
pub(super) struct Owned {
    /// The person of each row, in the file's order.
    pub(super) persons: Vec<u32>,
    /// The keys of a table that has some.
    pub(super) keys: Option<Keys>,
    faults: Faults,
}

/// Reads all tables, parents first. Tables that are equally far from persons are read at the same time.
pub(super) fn read(
    release: Folder<'_>,
    plan: &Plan<'_>,
    faults: &mut Faults,
) -> Result<Vec<Owned>, Unreadable> {
    let mut known: Vec<Option<Owned>> = plan.tables.iter().map(|_| None).collect();
    let deepest = plan.tables.iter().map(|planned| planned.depth).max().unwrap_or(0);
    for depth in 0..=deepest {
        let at_depth = plan.tables.par_iter().enumerate().filter(|(_, planned)| planned.depth == depth);
        let read = at_depth.map(|(at, planned)| Ok((at, owned(release, plan.manifest, planned, &known)?)));
        for (at, owned) in read.collect::<Result<Vec<_>, Unreadable>>()? {
            if let Some(place) = known.get_mut(at) {
                *place = Some(owned);
            }
        }
    }
    let mut all: Vec<Owned> = known.into_iter().flatten().collect();
    for owned in &mut all {
        faults.extend(std::mem::take(&mut owned.faults));
    }
    Ok(all)
}

fn owned(
    release: Folder<'_>,
    manifest: &LinkedManifest,
    planned: &Planned<'_>,
    known: &[Option<Owned>],
) -> Result<Owned, Unreadable> {
    let parent = planned.parent.map(|parent| (parent, parent_keys(parent, known)));
    let (mut source, mut row) =
        (source::of_table(release, manifest, (planned.name, planned.table))?, Row::new());
    let (mut collected, mut persons, mut faults) = (Collected::default(), Vec::new(), Faults::default());
    let place = Place::table(planned.name);
    let mut number = 0_u64;
    while source.next(&mut row)? {
        number = number.saturating_add(1);
        release.check(number)?;
        if planned.key.is_some_and(|key| !collected.take(row.get(key).unwrap_or_default())) {
            faults.add(
                place.row(number),
                "a key that is neither a number from 1 on nor a UUID as those before",
            );
        }
        if let Some((parent, keys)) = parent {
            let cell = row.get(parent.column).unwrap_or_default();
            let found = keys.and_then(|keys| keys.find(cell).map(|found| keys.person(found)));
            if found.is_none() {
                faults.add(place.row(number), "the row that it belongs to is not released");
            }
            persons.push(found.unwrap_or(NOBODY));
        }
    }
    let of_rows = parent.is_some().then_some(&*persons);
    let keys = planned.key.map(|_| Keys::new(&collected, of_rows, place, &mut faults));
    if planned.is_person() {
        let rows = 0..u32::try_from(number).unwrap_or(NOBODY);
        persons = keys.as_ref().map_or_else(|| rows.collect(), |keys| keys.numbers(&collected));
    }
    Ok(Owned { persons, keys, faults })
}

fn parent_keys(parent: Parent, known: &[Option<Owned>]) -> Option<&Keys> {
    known.get(parent.table)?.as_ref()?.keys.as_ref()
}
