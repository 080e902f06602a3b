//! Dates as R4 writes them (its datatypes `date` and `dateTime`): of three precisions, a time after a `T`.
//!
//! A time is never released. So one without seconds or a zone, which R4 does not allow but servers write, is read.

use crate::days;

/// What a birth looks like.
pub(super) const DATE: &str = "YYYY, YYYY-MM or YYYY-MM-DD";

/// What other days look like.
pub(super) const DATE_TIME: &str = "YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm";

/// Whether a text is a `date`: a year from 0001 on, a month of it, or a day of the calendar.
pub(super) fn is_date(text: &str) -> bool {
    match text.len() {
        4 => days::parse(&format!("{text}-01-01")).is_some(),
        7 => days::parse(&format!("{text}-01")).is_some(),
        10 => days::parse(text).is_some(),
        _ => false,
    }
}

/// Whether a text is a `dateTime`.
pub(super) fn is_date_time(text: &str) -> bool {
    match text.split_once('T') {
        None => is_date(text),
        Some((day, time)) => day.len() == 10 && is_date(day) && is_time(time),
    }
}

/// Whether a text is `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f`, and a zone that may be missing.
fn is_time(text: &str) -> bool {
    let (time, zone) = text.split_at(text.find(['Z', '+', '-']).unwrap_or(text.len()));
    let (whole, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = whole.is_ascii()
        && match whole.len() {
            5 => !time.contains('.') && is_clock(whole, 23),
            // A second may be a leap second.
            8 => is_clock(&whole[..5], 23) && whole.as_bytes()[5] == b':' && is_within(&whole[6..], 60),
            _ => false,
        };
    is_whole && is_fraction && is_zone(zone)
}

/// Whether a text is `Z` or `+hh:mm`, at most 14 hours; or nothing.
fn is_zone(text: &str) -> bool {
    matches!(text, "" | "Z") || text.strip_prefix(['+', '-']).is_some_and(|zone| is_clock(zone, 14))
}

/// Whether a text is `hh:mm` with at most so many hours.
fn is_clock(text: &str, hours: u8) -> bool {
    text.split_once(':').is_some_and(|(hour, minute)| is_within(hour, hours) && is_within(minute, 59))
}

/// Whether a text is a number of two digits up to a last one.
fn is_within(text: &str, last: u8) -> bool {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number && text.parse::<u8>().is_ok_and(|number| number <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_three_precisions() {
        for text in ["2015", "0001", "2015-12", "2016-02-29", "1581-01-01"] {
            assert!(is_date(text) && is_date_time(text), "{text}");
        }
        for text in ["", "0000", "0000-01", "0000-01-01", "15", "2015-13", "2015-02-29", "2015-1-1", "+201"] {
            assert!(!is_date(text) && !is_date_time(text), "{text}");
        }
        for text in ["2015-+1", "2015-01-+1", "2015-01-01 ", "é15", "2015/01/01", "2015-01-01T"] {
            assert!(!is_date(text) && !is_date_time(text), "{text}");
        }
    }

    #[test]
    fn times_stand_after_a_t() {
        let with = |time: &str| is_date_time(&format!("2015-02-07{time}"));
        for time in ["T13:28:17.239+02:00", "T00:00:00Z", "T23:59:60-14:00", "T13:28", "T13:28:17"] {
            assert!(with(time), "{time}");
        }
        for time in
            [" 13:28:17Z", "t13:28:17Z", "T", "T13", "T24:00:00Z", "T13:60:00Z", "T13:28:61Z", "T13:28.5"]
        {
            assert!(!with(time), "{time}");
        }
        for time in
            ["T13:28:17z", "T13:28:17+2:00", "T13:28:17+15:00", "T13:28:17.Z", "T13:28:17Zé", "T13:2é:17"]
        {
            assert!(!with(time), "{time}");
        }
        assert!(!is_date_time("2015T13:28:17Z") && !is_date("2015-02-07T13:28:17Z"));
    }
}
