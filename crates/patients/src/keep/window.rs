//! Rows whose released day would lie outside the window, or too near to its ends.

use velamen_contract::linked::Dates;

use super::{Kept, Rules, Why};
use crate::days::{NO_DAY, year};
use crate::loaded::{Cells, Rows};
use crate::plan::Use;

/// Leaves out rows that begin outside the window of their table, or that of all, and empties other days there. With a shift of N days the window is that
/// of released days and ends N days before its ends, where no original day could have come from outside. A day of a calendar by which a person is as old as those whose age is not
/// told is outside, too. So is a relative one that is as many years after the person's first.
pub(super) fn apply(rules: &Rules<'_>, tables: &mut [Rows], kept: &mut Kept) {
    let margin = match rules.plan.dates {
        Dates::Shift(days) => days as i32,
        Dates::None | Dates::Year | Dates::Relative(_) => 0,
    };
    let oldest = rules.demographics.until - rules.plan.top_age as i32;
    let is_calendar = matches!(rules.plan.dates, Dates::Year | Dates::Shift(_));
    // Where dates are relative, else of nobody. Rows that go later move a first day towards the last one.
    let firsts = match rules.plan.dates {
        Dates::Relative(_) => kept.first_days(tables.iter().enumerate(), tables[0].number),
        Dates::None | Dates::Year | Dates::Shift(_) => Vec::new(),
    };
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        let window = planned.window.or(rules.plan.window).map(|[first, last]| first + margin..=last - margin);
        let inside = |day: i32, person: u32| {
            let moved = day + rules.shifts[person as usize];
            // Who was seen in so early a year is as old as those whose age is not told.
            let tells_age = is_calendar && year(moved) <= oldest;
            // So does a day that is as many years after the person's first.
            let is_late = firsts.get(person as usize).is_some_and(|&first| rules.plan.is_late(day, first));
            !tells_age && !is_late && window.as_ref().is_none_or(|window| window.contains(&moved))
        };
        for (place, column) in planned.columns.iter().enumerate() {
            let Rows { persons, columns, .. } = &mut tables[table];
            let Cells::Days(days) = &mut columns[place] else { continue };
            let is_outside = |row: &usize| days[*row] != NO_DAY && !inside(days[*row], persons[*row]);
            let outside: Vec<usize> = (0..days.len()).filter(is_outside).collect();
            match column.used {
                // That somebody died stays a person column; when, is not told.
                Use::FirstDate if !planned.is_person_column => {
                    outside.into_iter().for_each(|row| kept.leave(table, row, Why::Window));
                }
                _ => days.put(outside, NO_DAY),
            }
        }
    }
}
