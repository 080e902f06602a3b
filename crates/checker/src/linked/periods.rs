//! Observation periods: from each person's first released day to the last. Days that were not made of the released rows
//! would show by how much they were moved.

use velamen_contract::linked::{LinkedManifest, Shape};

use super::date::Day;
use super::faults::{Faults, Place};

/// The table of a shape, and its columns of the first and of the last day.
const PERIODS: [(Shape, &str, [&str; 2]); 1] =
    [(Shape::Omop, "observation_period", ["observation_period_start_date", "observation_period_end_date"])];

/// The first and the last day of each person; [`NONE`] without one.
pub(super) type Spans = Vec<(Day, Day)>;

/// No day.
pub(super) const NONE: (Day, Day) = (Day::MAX, Day::MIN);

/// The place of the table in a manifest, and its two columns.
pub(super) fn of(manifest: &LinkedManifest) -> Option<(usize, [&'static str; 2])> {
    let (_, table, columns) = PERIODS.into_iter().find(|(shape, ..)| *shape == manifest.shape)?;
    let at = manifest.tables.keys().position(|name| name.eq_ignore_ascii_case(table))?;
    Some((at, columns))
}

/// The same days and more.
pub(super) fn widen(spans: &mut Spans, more: &[(Day, Day)]) {
    if spans.is_empty() {
        spans.extend_from_slice(more);
        return;
    }
    spans.iter_mut().zip(more).for_each(|(span, more)| *span = (span.0.min(more.0), span.1.max(more.1)));
}

/// Compares the days of the table with those of all others. `columns` are the spans of its columns, and `rows` the number of
/// its rows of each person.
pub(super) fn check(
    (table, names): (&str, [&str; 2]),
    (rows, columns): (&[u32], &[(&str, Spans)]),
    all: &[(Day, Day)],
    faults: &mut Faults,
) {
    let firsts = all.iter().map(|span| span.0);
    let lasts = all.iter().map(|span| span.1);
    let [first, last] = names;
    is_due((table, first), columns, firsts, faults);
    is_due((table, last), columns, lasts, faults);
    let with_days = all.iter().chain(std::iter::repeat(&NONE)).zip(rows);
    for (span, &rows) in with_days {
        if rows != u32::from(*span != NONE) {
            faults.add(Place::table(table), "a person with days without one period, or one without days");
        }
    }
}

/// Compares a column with the days that are due; a column that is not released has none.
fn is_due(
    (table, name): (&str, &str),
    columns: &[(&str, Spans)],
    due: impl Iterator<Item = Day>,
    faults: &mut Faults,
) {
    let Some((_, spans)) = columns.iter().find(|(column, _)| column.eq_ignore_ascii_case(name)) else {
        return;
    };
    for (span, due) in spans.iter().zip(due) {
        if *span != NONE && *span != (due, due) {
            let place = Place::table(table).column(name);
            faults.add(place, "a period that is not that of the person's released days");
        }
    }
}
