//! Days as numbers from 1970-01-01.

/// 2015-01-01: no row is earlier.
pub(super) const FIRST: i32 = 16_436;

/// 2024-12-31: no row is later.
pub(super) const LAST: i32 = 20_088;

/// Year, month and day of a day number (Howard Hinnant's algorithm for the proleptic Gregorian calendar).
pub(super) fn date(day: i32) -> (i32, u32, u32) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i32::from(month <= 2), month as u32, of_month as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(-1), (1969, 12, 31));
        assert_eq!(date(FIRST), (2015, 1, 1));
        assert_eq!(date(FIRST + 424), (2016, 2, 29));
        assert_eq!(date(LAST), (2024, 12, 31));
    }
}
