//! Calendar dates as tables write them.

/// The formats that are known, best known first. `Y`, `M` and `D` stand for digits, `Mon` for an English
/// month, in full or by three letters; months and days may have one digit where something stands between them.
const FORMATS: [&str; 21] = [
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "YYYY.MM.DD",
    "YYYYMMDD",
    "MM/DD/YYYY",
    "DD/MM/YYYY",
    "DD.MM.YYYY",
    "DD-MM-YYYY",
    "MM-DD-YYYY",
    "DD-Mon-YYYY",
    "DD Mon YYYY",
    "YYYY년 MM월 DD일",
    "YYYY-MM",
    "MM/DD/YY",
    "DD/MM/YY",
    "DD.MM.YY",
    "Mon DD, YYYY",
    "Mon DD YYYY",
    "YYYYMM",
    "MM/YYYY",
    "Mon YYYY",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// How the dates of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateFormat {
    pattern: &'static str,
    /// Whether a time of day may follow.
    pub time: bool,
}

/// A day of the calendar; a date without day has 1.
pub type Day = (u32, u32, u32);

impl DateFormat {
    /// All formats, those without time of day first.
    pub fn all() -> impl Iterator<Item = Self> {
        let with = |time| FORMATS.iter().map(move |&pattern| Self { pattern, time });
        with(false).chain(with(true))
    }

    /// The pattern, such as `YYYY-MM-DD`, without the time.
    #[must_use]
    pub fn pattern(self) -> &'static str {
        self.pattern
    }

    /// The other order of month and day, where one text can be read in both.
    #[must_use]
    pub fn swapped(self) -> Option<Self> {
        let swapped = match self.pattern {
            "MM/DD/YYYY" => "DD/MM/YYYY",
            "DD/MM/YYYY" => "MM/DD/YYYY",
            "DD-MM-YYYY" => "MM-DD-YYYY",
            "MM-DD-YYYY" => "DD-MM-YYYY",
            "MM/DD/YY" => "DD/MM/YY",
            "DD/MM/YY" => "MM/DD/YY",
            _ => return None,
        };
        Some(Self { pattern: swapped, time: self.time })
    }

    /// The day that a text means: one that exists, from 1850 to 2149.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<Day> {
        let mut rest = text;
        let (mut day, mut pattern) = ((0, 0, 1), self.pattern);
        let separated = !self.pattern.starts_with("YYYYMM");
        while let Some(first) = pattern.chars().next() {
            let part = ["YYYY", "YY", "Mon", "MM", "DD"].into_iter().find(|part| pattern.starts_with(part));
            match part {
                Some("Mon") => (day.1, rest) = month(rest)?,
                Some(part) => {
                    let least = if part.starts_with('Y') || !separated { part.len() } else { 1 };
                    let number;
                    (number, rest) = digits(rest, least, part.len())?;
                    match first {
                        'Y' if part == "YY" => {
                            day.0 = if number < 50 { 2000 + number } else { 1900 + number }
                        }
                        'Y' => day.0 = number,
                        'M' => day.1 = number,
                        _ => day.2 = number,
                    }
                }
                None => rest = rest.strip_prefix(first)?,
            }
            pattern = &pattern[part.map_or(first.len_utf8(), str::len)..];
        }
        let ended = rest.is_empty() || (self.time && is_time(rest));
        (ended && exists(day)).then_some(day)
    }
}

/// As many digits as there are, from `least` to `most` of them.
fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let found = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    (found >= least).then(|| Some((text[..found].parse().ok()?, &text[found..])))?
}

fn month(text: &str) -> Option<(u32, &str)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let name = text[..letters].to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| *month == name || name == month[..3])?;
    Some((place as u32 + 1, &text[letters..]))
}

/// `T10:20`, ` 10:20:30.5Z`, ` 00:00 +09:00`.
fn is_time(text: &str) -> bool {
    let Some(time) = text.strip_prefix(['T', ' ']) else { return false };
    let mut parts = time.splitn(3, ':');
    let hour =
        parts.next().and_then(|hour| digits(hour, 1, 2)).filter(|(hour, rest)| *hour < 25 && rest.is_empty());
    let minute = parts.next().and_then(|minute| digits(minute, 2, 2)).filter(|(minute, _)| *minute < 60);
    let allowed = |c: char| c.is_ascii_digit() || ".:+- ZAPMapm".contains(c);
    hour.is_some()
        && minute.is_some_and(|(_, rest)| rest.chars().all(allowed))
        && parts.all(|rest| rest.chars().all(allowed))
}

/// Whether the calendar has the day, in the years of living memory and of plans.
#[must_use]
pub fn exists((year, month, day): Day) -> bool {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1850..2150).contains(&year) && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(pattern: &str, time: bool, text: &str) -> Option<Day> {
        DateFormat::all().find(|f| f.pattern == pattern && f.time == time).unwrap().parse(text)
    }

    #[test]
    fn days_are_read_by_their_format() {
        let expected = Some((2024, 2, 29));
        assert_eq!(day("YYYY-MM-DD", false, "2024-02-29"), expected);
        assert_eq!(day("YYYYMMDD", false, "20240229"), expected);
        assert_eq!(day("MM/DD/YYYY", false, "2/29/2024"), expected);
        assert_eq!(day("DD-Mon-YYYY", false, "29-FEB-2024"), expected);
        assert_eq!(day("YYYY년 MM월 DD일", false, "2024년 2월 29일"), expected);
        assert_eq!(day("DD/MM/YY", false, "29/02/24"), expected);
        assert_eq!(day("DD.MM.YY", false, "29.02.24"), expected);
        assert_eq!(day("Mon DD, YYYY", false, "February 29, 2024"), expected);
        assert_eq!(day("Mon DD, YYYY", false, "Feb 29, 2024"), expected);
        assert_eq!(day("YYYYMM", false, "202402"), Some((2024, 2, 1)));
        assert_eq!(day("Mon YYYY", false, "february 2024"), Some((2024, 2, 1)));
        for time in ["T10:20:30Z", " 10:20", " 00:00:00.000", " 1:05 PM"] {
            assert_eq!(day("YYYY-MM-DD", true, &format!("2024-02-29{time}")), expected, "{time}");
        }
    }

    #[test]
    fn what_is_no_day_is_not_read() {
        for text in
            ["2023-02-29", "2024-13-01", "2024-00-10", "1024-01-01", "2024-1", "2024-02-29x", "٢٠٢٤-01-01"]
        {
            assert_eq!(day("YYYY-MM-DD", true, text), None, "{text}");
        }
        assert_eq!(day("YYYYMMDD", false, "2024131"), None);
        assert_eq!(day("YYYYMM", false, "20241"), None);
        assert_eq!(day("Mon DD, YYYY", false, "Febr 29, 2024"), None);
        assert_eq!(day("YYYY-MM-DD", false, "2024-02-29 10:20"), None);
        assert_eq!(day("YYYY-MM-DD", true, "2024-02-29 lunch"), None);
        assert_eq!(day("DD-Mon-YYYY", false, "29-가나-2024"), None);
    }
}
