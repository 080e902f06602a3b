//! Which rows of the table are shown: those that are asked for, in order, a page of them.

use velamen_core::hierarchy::NULL;
use velamen_job::{Paired, PairedRow};

/// Rows on one page.
pub(super) const ROWS: usize = 50;

/// A side of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// How a value is compared with the one that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Contains,
    Is,
    Least,
    Most,
}

/// Rows by the value of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Find {
    /// The column's name.
    pub(crate) column: String,
    pub(crate) side: Side,
    pub(crate) test: Test,
    pub(crate) text: String,
}

impl Find {
    /// Whether a value is one that is asked for; numbers and days are compared as such, all else as text.
    pub(super) fn fits(&self, value: &str) -> bool {
        let typed = self.text.trim();
        // What is less as text need not be earlier or less.
        let as_text = || matches!(self.test, Test::Is | Test::Contains) && self.fits_one(value, typed);
        match as_cells(typed) {
            Some(wanted) => self.fits_one(value, &wanted) || as_text(),
            None => self.fits_one(value, typed),
        }
    }

    fn fits_one(&self, value: &str, wanted: &str) -> bool {
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let order = match (number(value), number(wanted)) {
            (Some(value), Some(wanted)) => value.partial_cmp(&wanted),
            (None, Some(_)) => None,
            _ => Some(value.cmp(wanted)),
        };
        match self.test {
            Test::Contains => value.to_lowercase().contains(&wanted.to_lowercase()),
            Test::Is => value == wanted || order.is_some_and(|order| order.is_eq()),
            Test::Least => value != NULL && order.is_some_and(|order| order.is_ge()),
            Test::Most => value != NULL && order.is_some_and(|order| order.is_le()),
        }
    }
}

/// A day such as 31.12.2020 and a number such as 66,5 as cells have them; nothing of what is neither.
fn as_cells(typed: &str) -> Option<String> {
    let is_number = |text: &&str| !text.is_empty() && text.chars().all(|one| one.is_ascii_digit());
    let parts: Vec<&str> = typed.split('.').collect();
    if let [day, month, year] = parts[..] {
        let is_day = [day, month, year].iter().all(|part| is_number(&part.trim())) && year.trim().len() == 4;
        return is_day.then(|| format!("{}-{:0>2}-{:0>2}", year.trim(), month.trim(), day.trim()));
    }
    let point = typed.replacen(',', ".", 1);
    (point != typed && point.parse::<f64>().is_ok()).then_some(point)
}

/// Rows by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Only {
    #[default]
    All,
    Changed,
    Unchanged,
    Suppressed,
    Counterfeit,
}

/// What rows are put in order by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    Class,
    Records,
    Value(Side, usize),
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    pub(super) find: Option<Find>,
    pub(super) only: Only,
    pub(super) class: Option<u64>,
    pub(super) order: Order,
    pub(super) descending: bool,
    /// The first row of the page, from 0.
    pub(super) first: usize,
}

/// A page of rows, and how many there are in all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PageOfRows {
    /// Places in the rows of the table.
    pub(super) rows: Vec<usize>,
    pub(super) distinct: usize,
    pub(super) records: u64,
}

/// The rows that are asked for. Nothing but one number for each row that fits is kept, and only the page is sorted.
///
/// Complexity: O(rows) time.
pub(super) fn page_of(paired: &Paired, wanted: &Wanted) -> PageOfRows {
    let fits = fitting(paired, wanted);
    let mut records = 0;
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    for (place, row) in (0..).zip(&paired.rows) {
        if fits(row) {
            records += row.count;
            keyed.push((key(paired, row, wanted), place));
        }
    }
    let distinct = keyed.len();
    PageOfRows { rows: cut(keyed, wanted.first), distinct, records }
}

/// The rows of a page, in order.
fn cut(mut keyed: Vec<(u64, u32)>, first: usize) -> Vec<usize> {
    if first >= keyed.len() {
        return Vec::new();
    }
    if first > 0 {
        keyed.select_nth_unstable(first);
    }
    let rest = &mut keyed[first..];
    if rest.len() > ROWS {
        rest.select_nth_unstable(ROWS);
    }
    let page = ROWS.min(rest.len());
    let page = &mut rest[..page];
    page.sort_unstable();
    page.iter().map(|(_, place)| *place as usize).collect()
}

fn key(paired: &Paired, row: &PairedRow, wanted: &Wanted) -> u64 {
    // What has no value comes last in either order.
    const LAST: u64 = u64::MAX;
    let key = match wanted.order {
        Order::Class => row.class(),
        Order::Records => Some(row.count),
        Order::Value(side, column) => code(paired, row, side, column).map(u64::from),
    };
    match key {
        Some(key) if wanted.descending => LAST - 1 - key,
        Some(key) => key,
        None => LAST,
    }
}

/// The code of a cell on one side.
pub(super) fn code(paired: &Paired, row: &PairedRow, side: Side, column: usize) -> Option<u32> {
    match side {
        Side::Before => paired.before(row, column),
        Side::After => paired.after(row, column),
    }
}

/// What is searched for: a side, a column, and by code whether its value fits.
type Values = (Side, usize, Vec<bool>);

/// The values that are searched for, each compared once.
fn values(paired: &Paired, find: &Find) -> Option<Values> {
    let column = paired.columns.iter().position(|column| column.name == find.column)?;
    let of = &paired.columns[column];
    let labels = if find.side == Side::Before { &of.before } else { &of.after };
    Some((find.side, column, labels.iter().map(|label| find.fits(label)).collect()))
}

fn has_value(paired: &Paired, row: &PairedRow, (side, column, values): &Values) -> bool {
    code(paired, row, *side, *column).is_some_and(|code| values[code as usize])
}

/// Whether a row is asked for.
fn fitting<'a>(paired: &'a Paired, wanted: &'a Wanted) -> impl Fn(&PairedRow) -> bool + 'a {
    let find = wanted.find.as_ref().and_then(|find| values(paired, find));
    move |row| {
        wanted.class.is_none_or(|class| row.class() == Some(class))
            && is_of(paired, row, wanted.only)
            && find.as_ref().is_none_or(|find| has_value(paired, row, find))
    }
}

fn is_of(paired: &Paired, row: &PairedRow, only: Only) -> bool {
    let changed = || (0..paired.columns.len()).any(|column| paired.is_changed(row, column));
    match only {
        Only::All => true,
        Only::Changed => changed(),
        Only::Unchanged => !changed(),
        Only::Suppressed => row.class().is_none(),
        Only::Counterfeit => row.is_counterfeit(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(test: Test, text: &str) -> Find {
        Find { column: "age".into(), side: Side::Before, test, text: text.into() }
    }

    #[test]
    fn values_are_compared_as_numbers_where_they_are() {
        assert!(find(Test::Least, "9").fits("10") && !find(Test::Most, "9").fits("10"));
        assert!(find(Test::Is, "7.0").fits("7") && !find(Test::Is, "7").fits("70"));
        assert!(find(Test::Least, "2024-01-02").fits("2024-01-10"));
        // As a table in German has days and numbers.
        assert!(
            find(Test::Least, "1.1.1980").fits("1980-01-01")
                && !find(Test::Least, "1.1.1980").fits("1979-12-31")
        );
        assert!(find(Test::Is, "66,0").fits("66") && find(Test::Most, "66,5").fits("66.4"));
        assert!(!find(Test::Least, "5").fits("") && !find(Test::Most, "5").fits("low"));
        assert!(find(Test::Contains, "FLU").fits("influenza") && find(Test::Is, "").fits(""));
    }

    #[test]
    fn a_page_is_what_sorting_all_would_give() {
        let keyed: Vec<(u64, u32)> = (0..1000u32).map(|n| (u64::from(n * 7919 % 613), n)).collect();
        let mut all = keyed.clone();
        all.sort_unstable();
        let all: Vec<usize> = all.into_iter().map(|(_, place)| place as usize).collect();
        for first in [0, 1, 50, 949, 950, 999] {
            assert_eq!(cut(keyed.clone(), first), all[first..(first + ROWS).min(1000)], "{first}");
        }
        assert!(cut(keyed, 1000).is_empty());
    }
}
