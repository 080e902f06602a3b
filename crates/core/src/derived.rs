//! Columns that follow from others: ages, spans of days, years, hours and rounded numbers.
//!
//! # Definition
//! Each cell of the sources is read as a whole number ([`Formula::read`]): a day as its number in the calendar, a
//! time as its hour, a number as the nearest multiple of a step. The derived value is a whole number of these
//! ([`Formula::derive`]), or missing where a source is, and is written as text ([`Formula::write`]).
//!
//! - age: full years from birth to a day. Who was born on 29 February is a year older on 1 March of other years.
//! - days: last − first, below 0 where they stand the other way round.
//! - rounded: round(x / step) · step, halves away from zero, in decimal arithmetic without loss.
//!
//! # Errors
//! A cell that is none of the kind ([`Formula::expectation`]), and a day before the birth.
//!
//! # Complexity
//! O(1) a cell; each distinct source text is read once.

use chrono::{Datelike, NaiveDate, NaiveTime};

/// A column that follows from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// Its name.
    pub name: String,
    /// How it follows.
    pub formula: Formula,
}

/// How a value follows from others of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// Full years from the first day to the second.
    Age(Days),
    /// Days from the first to the second.
    Between(Days),
    /// The year of a day.
    Year {
        /// The column.
        of: String,
        /// How it is written.
        written: Written,
    },
    /// The hour of a time of day, with or without a day before it, 0 to 23.
    Hour {
        /// The column.
        of: String,
    },
    /// The nearest multiple of a step.
    Rounded {
        /// The column.
        of: String,
        /// The step.
        to: Step,
    },
}

/// Two days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub from: Moment,
    /// The last.
    pub to: Moment,
}

/// A day of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// In a column, written so.
    Column(String, Written),
    /// The same for all records.
    Day(NaiveDate),
}

/// How the days of a column are written: a format of `strftime`, ISO 8601 where there is none. A time may follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written(pub Option<String>);

/// What the second of two days contradicts: it lies before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeforeBirth;

const ISO: &str = "%Y-%m-%d";

impl Written {
    /// The day that a text means; what follows it has to be a time.
    #[must_use]
    pub fn day(&self, text: &str) -> Option<NaiveDate> {
        // Of text that was read before, the day stands in ISO 8601, whatever the format.
        let own = self.0.as_deref().and_then(|format| day(text, format));
        own.or_else(|| day(text, ISO).filter(|_| is_iso(text)))
    }

    fn expectation(&self) -> String {
        match &self.0 {
            None => "a date such as 2021-03-04".into(),
            Some(format) => format!("a date of the form {format}"),
        }
    }
}

/// A day of ISO 8601 has all its digits.
fn is_iso(text: &str) -> bool {
    let day = text.as_bytes().get(..10);
    day.is_some_and(|day| day.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'))
}

/// The day that a text means; a time may follow it, whether or not the format has one.
pub(crate) fn day(text: &str, format: &str) -> Option<NaiveDate> {
    let (day, rest) = NaiveDate::parse_and_remainder(text, format).ok()?;
    is_time_or_nothing(rest).then_some(day)
}

fn is_time_or_nothing(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix(['T', ' ']).is_some_and(|time| hour(time).is_some())
}

/// The hour of `8:05`, `08:05:30.5`, `8:05 PM` or `08:05:00Z`.
fn hour(text: &str) -> Option<i64> {
    let text = text.trim();
    let (clock, half) = match text.len().checked_sub(2).and_then(|end| text.split_at_checked(end)) {
        Some((clock, half)) if half.eq_ignore_ascii_case("am") => (clock.trim_end(), Some(0)),
        Some((clock, half)) if half.eq_ignore_ascii_case("pm") => (clock.trim_end(), Some(12)),
        _ => (text, None),
    };
    let clock = clock.split(['Z', '+', '-']).next()?.trim_end();
    let seconds = NaiveTime::parse_from_str(clock, "%H:%M:%S%.f");
    seconds.or_else(|_| NaiveTime::parse_from_str(clock, "%H:%M")).ok()?;
    let hour: i64 = clock.split(':').next()?.parse().ok()?;
    match half {
        None => Some(hour),
        Some(half) => (1..=12).contains(&hour).then_some(hour % 12 + half),
    }
}

/// The hour of a time, which may stand after a day.
fn hour_of(text: &str) -> Option<i64> {
    let after_day = || text.split_once(['T', ' ']).filter(|(day, _)| day.len() >= 6).map(|(_, time)| time);
    hour(text).or_else(|| hour(after_day()?))
}

impl Moment {
    /// A day of ISO 8601, or else a column of days written so.
    #[must_use]
    pub fn of(text: &str, written: Written) -> Self {
        match NaiveDate::parse_from_str(text, ISO) {
            Ok(day) if text.len() == 10 => Self::Day(day),
            _ => Self::Column(text.into(), written),
        }
    }

    /// The column, if it is one.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Column(name, _) => Some(name),
            Self::Day(_) => None,
        }
    }
}

impl Days {
    fn moments(&self) -> [&Moment; 2] {
        [&self.from, &self.to]
    }

    /// Both days as numbers; those of columns are taken from the numbers in their order.
    fn numbers(&self, mut read: impl Iterator<Item = i64>) -> Option<[i64; 2]> {
        let mut next = |moment: &Moment| match moment {
            Moment::Day(day) => Some(number(*day)),
            Moment::Column(..) => read.next(),
        };
        Some([next(&self.from)?, next(&self.to)?])
    }
}

fn number(day: NaiveDate) -> i64 {
    i64::from(day.num_days_from_ce())
}

fn of_number(number: i64) -> Option<NaiveDate> {
    NaiveDate::from_num_days_from_ce_opt(i32::try_from(number).ok()?)
}

impl Formula {
    /// The columns that it looks at, one or two.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        match self {
            Self::Age(days) | Self::Between(days) => {
                days.moments().into_iter().filter_map(Moment::column).collect()
            }
            Self::Year { of, .. } | Self::Hour { of } | Self::Rounded { of, .. } => vec![of],
        }
    }

    fn written(&self, source: usize) -> Option<&Written> {
        match self {
            Self::Age(days) | Self::Between(days) => {
                let columns = days.moments().into_iter().filter_map(|moment| match moment {
                    Moment::Column(_, written) => Some(written),
                    Moment::Day(_) => None,
                });
                columns.into_iter().nth(source)
            }
            Self::Year { written, .. } => Some(written),
            Self::Hour { .. } | Self::Rounded { .. } => None,
        }
    }

    /// The number that a cell of a source means; `None` if it means none.
    #[must_use]
    pub fn read(&self, source: usize, text: &str) -> Option<i64> {
        match self {
            Self::Hour { .. } => hour_of(text),
            Self::Rounded { to, .. } => to.nearest(text),
            _ => self.written(source)?.day(text).map(number),
        }
    }

    /// Whether the cells of a source are days.
    #[must_use]
    pub fn reads_days(&self, source: usize) -> bool {
        self.written(source).is_some()
    }

    /// What a cell of a source should be.
    #[must_use]
    pub fn expectation(&self, source: usize) -> String {
        match self {
            Self::Hour { .. } => "a time of day such as 14:30, with or without a date before it".into(),
            Self::Rounded { .. } => "a number such as 12 or -3.5, of at most 15 digits".into(),
            _ => self.written(source).map(Written::expectation).unwrap_or_default(),
        }
    }

    /// The value that follows from the numbers of the sources, in their order.
    ///
    /// # Errors
    /// [`BeforeBirth`] if an age were below 0.
    pub fn derive(&self, read: &[i64]) -> Result<i64, BeforeBirth> {
        let first = read.first().copied().unwrap_or_default();
        let both = |days: &Days| days.numbers(read.iter().copied()).unwrap_or_default();
        match self {
            Self::Age(days) => {
                let [birth, at] = both(days).map(of_number);
                birth.zip(at).and_then(|(birth, at)| at.years_since(birth)).map(i64::from).ok_or(BeforeBirth)
            }
            Self::Between(days) => {
                let [from, to] = both(days);
                Ok(to - from)
            }
            Self::Year { .. } => Ok(of_number(first).map_or(0, |day| day.year().into())),
            Self::Hour { .. } | Self::Rounded { .. } => Ok(first),
        }
    }

    /// How a value is written.
    #[must_use]
    pub fn write(&self, value: i64) -> String {
        match self {
            Self::Rounded { to, .. } => to.write(value),
            _ => value.to_string(),
        }
    }

    /// Whether all values are whole numbers.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !matches!(self, Self::Rounded { to, .. } if to.decimals > 0)
    }
}

/// What numbers are rounded to multiples of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// In units of 10^−decimals.
    units: i64,
    decimals: u32,
}

/// The most digits of a number, so that arithmetic in 128 bits loses nothing.
const MOST_DIGITS: usize = 15;
/// The most decimals of a step.
const MOST_DECIMALS: u32 = 9;

impl Step {
    /// A step above 0, of at most 9 decimals.
    #[must_use]
    pub fn new(step: f64) -> Option<Self> {
        let (units, decimals) = decimal(&step.to_string())?;
        let units = i64::try_from(units).ok()?;
        (units > 0 && decimals <= MOST_DECIMALS).then_some(Self { units, decimals })
    }

    /// The multiple of the step that a number is nearest to.
    fn nearest(self, text: &str) -> Option<i64> {
        let (units, decimals) = decimal(text)?;
        let scale = |by: u32| 10i128.checked_pow(by);
        let most = decimals.max(self.decimals);
        let (number, step) =
            (units * scale(most - decimals)?, i128::from(self.units) * scale(most - self.decimals)?);
        let halves = 2 * number.abs() + step;
        i64::try_from(halves / (2 * step) * number.signum()).ok()
    }

    fn write(self, multiple: i64) -> String {
        let units = i128::from(multiple) * i128::from(self.units);
        let scale = 10i128.pow(self.decimals);
        let sign = if units < 0 { "-" } else { "" };
        let (whole, rest) = (units.abs() / scale, units.abs() % scale);
        if rest == 0 {
            return format!("{sign}{whole}");
        }
        let digits = format!("{rest:0width$}", width = self.decimals as usize);
        format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// A decimal number as a whole one and how many of its digits are decimals. White space around it is none of it.
fn decimal(text: &str) -> Option<(i128, u32)> {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let all = format!("{whole}{fraction}");
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    if !has_digit || all.len() > MOST_DIGITS || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i128 = if all.is_empty() { 0 } else { all.parse().ok()? };
    Some((if text.starts_with('-') { -number } else { number }, fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn days(from: &str, to: &str) -> Days {
        let of = |text| Moment::of(text, Written::default());
        Days { from: of(from), to: of(to) }
    }

    fn age(birth: &str, at: &str) -> Result<i64, BeforeBirth> {
        let formula = Formula::Age(days("birth", "at"));
        assert_eq!(formula.sources(), ["birth", "at"]);
        formula.derive(&[formula.read(0, birth).unwrap(), formula.read(1, at).unwrap()])
    }

    #[test]
    fn ages_count_birthdays() {
        assert_eq!(age("1980-05-17", "2024-05-16"), Ok(43));
        assert_eq!(age("1980-05-17", "2024-05-17"), Ok(44));
        assert_eq!(age("2024-05-17", "2024-05-17"), Ok(0));
        // A leap day's birthday is 1 March in other years.
        assert_eq!(age("2004-02-29", "2023-02-28"), Ok(18));
        assert_eq!(age("2004-02-29", "2023-03-01"), Ok(19));
        assert_eq!(age("2004-02-29", "2024-02-28"), Ok(19));
        assert_eq!(age("2004-02-29", "2024-02-29"), Ok(20));
        assert_eq!(age("1922-01-01", "2024-01-01"), Ok(102));
        assert_eq!(age("2024-05-18", "2024-05-17"), Err(BeforeBirth));
    }

    #[test]
    fn a_day_of_the_recipe_is_no_column() {
        let formula = Formula::Age(days("birth", "2024-12-31"));
        assert_eq!(formula.sources(), ["birth"]);
        assert_eq!(formula.derive(&[formula.read(0, "1950-12-31").unwrap()]), Ok(74));
        let stay = Formula::Between(days("2024-01-01", "out"));
        assert_eq!(stay.derive(&[stay.read(0, "2023-12-30").unwrap()]), Ok(-2));
    }

    #[test]
    fn days_are_read_by_their_format_with_or_without_a_time() {
        let written = |format: &str| Written(Some(format.into()));
        let day = NaiveDate::from_ymd_opt(2021, 3, 4);
        for text in ["04.03.2021", "4.3.2021", "04.03.2021 14:30", "04.03.2021 14:30:15", "2021-03-04"] {
            assert_eq!(written("%d.%m.%Y").day(text), day, "{text}");
        }
        assert_eq!(written("%m/%d/%Y %H:%M").day("03/04/2021 14:30"), day);
        assert_eq!(Written::default().day("2021-03-04T14:30:00Z"), day);
        for text in
            ["04.03.2021", "2021-3-4", "2021-02-30", "2021-03-04x", "2021-03-04 lunch", "20210304", ""]
        {
            assert_eq!(Written::default().day(text), None, "{text}");
        }
    }

    #[test]
    fn hours_are_read_with_and_without_a_day() {
        for (text, hour) in [
            ("14:30", Some(14)),
            ("8:05:30.5", Some(8)),
            ("2021-03-04T23:59:59Z", Some(23)),
            ("04.03.2021 0:10", Some(0)),
            ("12:10 AM", Some(0)),
            ("12:10pm", Some(12)),
            ("24:30", None),
            ("13:10 PM", None),
            ("2021-03-04", None),
            ("noon", None),
        ] {
            assert_eq!(hour_of(text), hour, "{text}");
        }
    }

    #[test]
    fn numbers_are_rounded_half_away_from_zero() {
        let round = |to: f64, text: &str| {
            let step = Step::new(to).unwrap();
            step.nearest(text).map(|multiple| step.write(multiple))
        };
        for (to, text, rounded) in [
            (5.0, "82.4", "80"),
            (5.0, "82.5", "85"),
            (5.0, "-82.5", "-85"),
            (0.5, "1.74", "1.5"),
            (0.5, "1.75", "2"),
            (0.25, "0.3", "0.25"),
            (0.1, "0.15", "0.2"),
            (10.0, "-4", "0"),
            (1.0, "007.50", "8"),
        ] {
            assert_eq!(round(to, text).as_deref(), Some(rounded), "{text} to {to}");
        }
        for text in ["", "-", ".", "1,5", "1e5", "x", "1234567890123456"] {
            assert_eq!(round(1.0, text), None, "{text}");
        }
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-10] {
            assert_eq!(Step::new(step), None, "{step}");
        }
    }

    proptest! {
        /// By years that are counted one by one.
        #[test]
        fn an_age_is_the_number_of_birthdays(birth in 0i32..60_000, after in 0i32..40_000) {
            let day = |number| NaiveDate::from_num_days_from_ce_opt(675_000 + number).unwrap();
            let (birth, at) = (day(birth), day(birth + after));
            let birthday = |year| {
                let own = NaiveDate::from_ymd_opt(year, birth.month(), birth.day());
                own.unwrap_or_else(|| NaiveDate::from_ymd_opt(year, 3, 1).unwrap())
            };
            let counted = (birth.year() + 1..=at.year()).filter(|&year| birthday(year) <= at).count();
            prop_assert_eq!(age(&birth.to_string(), &at.to_string()), Ok(counted as i64));
        }
    }
}
