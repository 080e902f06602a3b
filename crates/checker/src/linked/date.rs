//! Dates as a release may write them, by the calendar alone.

#![allow(clippy::arithmetic_side_effects, reason = "years have four digits")]

use velamen_contract::linked::{Dates, FIRST_DAY, Unit};

/// Days from 1 January 1970 on.
pub(super) type Day = i32;

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date {
    year: i32,
    month: i32,
    day: i32,
}

impl Date {
    /// `YYYY-MM-DD`, and nothing else.
    pub(super) fn read(cell: &str) -> Option<Self> {
        if cell.len() != 10 || !cell.bytes().enumerate().all(is_of_date) {
            return None;
        }
        let mut parts = cell.split('-').map(|part| part.parse().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let date = Self { year, month, day };
        (1..=date.days_of_month()).contains(&day).then_some(date)
    }

    const fn days_of_month(self) -> i32 {
        match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0) => 29,
            2 => 28,
            _ => 0,
        }
    }

    /// The day's number: years that begin in March, so that 29 February is the last day of one.
    pub(super) const fn number(self) -> Day {
        let (year, month) =
            if self.month > 2 { (self.year, self.month - 3) } else { (self.year - 1, self.month + 9) };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leap_days + (153 * month + 2) / 5 + self.day - 1 - 719_468
    }

    const fn is_first_of_month(self) -> bool {
        self.day == 1
    }
}

/// Whether a byte can stand at that place of a date.
fn is_of_date((at, byte): (usize, u8)) -> bool {
    match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    }
}

/// What each date is held against.
pub(super) struct Rule {
    dates: Dates,
    /// The first day that relative dates can have.
    first: Day,
    /// The first and the last day that shifted dates can have; none where no window is declared.
    span: Option<(Day, Day)>,
}

impl Rule {
    /// Fails where the window does not read.
    pub(super) fn new(dates: Dates, window: Option<&[String; 2]>) -> Option<Self> {
        let first = Date::read(FIRST_DAY)?.number();
        let span = match (dates, window) {
            (Dates::Shift(most), Some([start, end])) => {
                let most = i32::try_from(most).ok()?;
                let start = Date::read(start)?.number().checked_add(most)?;
                Some((start, Date::read(end)?.number().checked_sub(most)?))
            }
            _ => None,
        };
        Some(Self { dates, first, span })
    }

    pub(super) const fn is_relative(&self) -> bool {
        matches!(self.dates, Dates::Relative(_))
    }

    /// The first day of every person, where dates are relative.
    pub(super) const fn first(&self) -> Day {
        self.first
    }

    /// What is wrong with a cell, or its day.
    pub(super) fn read(&self, cell: &str) -> Result<Day, &'static str> {
        let date = Date::read(cell).ok_or("no date of the form YYYY-MM-DD")?;
        let day = date.number();
        match self.dates {
            Dates::None => Err("a date, although none is released"),
            Dates::Year if date.month != 1 || date.day != 1 => Err("another day than 1 January"),
            Dates::Relative(_) if day < self.first => Err("a day before the first of all"),
            Dates::Relative(unit) if !is_whole(unit, date, day - self.first) => Err("no whole unit"),
            Dates::Shift(_) if self.span.is_some_and(|(start, end)| day < start || day > end) => {
                Err("a day that the shift can have moved over the window's end")
            }
            Dates::Year | Dates::Relative(_) | Dates::Shift(_) => Ok(day),
        }
    }
}

/// Whether a window reads, and lies inside another.
pub(super) fn is_within(window: &[String; 2], all: Option<&[String; 2]>) -> bool {
    let days = |[first, last]: &[String; 2]| Some((Date::read(first)?.number(), Date::read(last)?.number()));
    match (days(window), all.and_then(days)) {
        (Some((first, last)), Some((start, end))) => start <= first && first < last && last <= end,
        _ => false,
    }
}

const fn is_whole(unit: Unit, date: Date, days: i32) -> bool {
    match unit {
        Unit::Week => days % 7 == 0,
        Unit::Month => date.is_first_of_month(),
        Unit::Quarter => date.is_first_of_month() && date.month % 3 == 1,
    }
}
