//! Numbers in nested intervals.

use super::{Ancestor, HierarchyError};
use crate::error::Problem;
use crate::label;

/// How the intervals of each level are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cuts {
    /// One width per level, each a multiple of the one before; intervals begin at the minimum.
    Sizes(Vec<i64>),
    /// Per level the ascending starts of the intervals after the first; each level's starts are
    /// among those of the level below.
    Starts(Vec<Vec<i64>>),
}

/// Numbers with a fixed count of decimals between a public minimum and maximum.
///
/// Level 0 is the number, then one level per entry of the cuts, then `*`. All values are held as
/// integers in units of 10^−decimals, so that degrees are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalRule {
    cuts: Cuts,
    min: i64,
    max: i64,
    decimals: u32,
}

impl IntervalRule {
    /// A rule over `min ..= max`, both and the cuts in units of 10^−decimals.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if the domain is empty, an interval does not nest in the next
    /// level's, or there are more than 253 levels.
    pub fn new(cuts: Cuts, min: i64, max: i64, decimals: u32) -> Result<Self, HierarchyError> {
        let refuse = |keys: &[&str], text: &str| Err(HierarchyError::Parameters(Problem::of(keys, text)));
        if min >= max || max.checked_sub(min).is_none() || decimals > 9 {
            return refuse(
                &["interval", "min", "max", "decimals"],
                "an interval hierarchy needs min < max and at most 9 decimals",
            );
        }
        let levels = match &cuts {
            Cuts::Sizes(sizes) => sizes.len(),
            Cuts::Starts(starts) => starts.len(),
        };
        if levels > 253 {
            return Err(HierarchyError::TooManyLevels);
        }
        match &cuts {
            Cuts::Sizes(sizes) if sizes.iter().any(|&s| s < 2) => {
                refuse(&["interval"], "each interval width must be at least 2 steps of the last decimal")
            }
            Cuts::Sizes(sizes) if sizes.windows(2).any(|w| w[1] % w[0] != 0 || w[1] == w[0]) => refuse(
                &["interval"],
                "each interval width must be a larger multiple of the one before, or a value would have two parents",
            ),
            Cuts::Starts(starts) if starts.iter().any(|s| s.windows(2).any(|w| w[0] >= w[1])) => {
                refuse(&["cuts"], "the cuts of a level must ascend")
            }
            Cuts::Starts(starts) if starts.iter().flatten().any(|&s| s <= min || s > max) => {
                refuse(&["min", "max"], "each cut must lie above min and not above max")
            }
            Cuts::Starts(starts) if starts.windows(2).any(|w| w[1].iter().any(|s| !w[0].contains(s))) => {
                refuse(
                    &["cuts"],
                    "each level's cuts must be among those of the level below, or a value would have two parents",
                )
            }
            _ => Ok(Self { cuts, min, max, decimals }),
        }
    }

    /// How many decimals the numbers have.
    #[must_use]
    pub fn decimals(&self) -> u32 {
        self.decimals
    }

    /// The least and the greatest number of the domain, in units of 10^−decimals.
    #[must_use]
    pub fn bounds(&self) -> (i64, i64) {
        (self.min, self.max)
    }

    /// The narrowest interval around a number of the domain, in units: an end that only `min` or `max` makes, which nobody
    /// chose as a start, is open.
    #[must_use]
    pub fn narrowest(&self, number: i64) -> (Option<i64>, Option<i64>) {
        let Some((low, high)) = self.ends(number, 1) else { return (None, None) };
        let (first, last) = match &self.cuts {
            Cuts::Sizes(sizes) => {
                let size = sizes[0];
                (self.min % size == 0, (self.max - self.min + 1) % size == 0)
            }
            Cuts::Starts(_) => (false, false),
        };
        (Some(low).filter(|low| first || *low > self.min), Some(high).filter(|high| last || *high < self.max))
    }

    pub(super) fn top(&self) -> u8 {
        let levels = match &self.cuts {
            Cuts::Sizes(sizes) => sizes.len(),
            Cuts::Starts(starts) => starts.len(),
        };
        levels as u8 + 1
    }

    /// The lowest level with one label for the whole domain.
    pub(super) fn height(&self) -> u8 {
        let whole = match &self.cuts {
            Cuts::Sizes(sizes) => sizes.iter().position(|size| size.unsigned_abs() >= self.domain()),
            Cuts::Starts(starts) => starts.iter().position(Vec::is_empty),
        };
        whole.map_or(self.top(), |level| level as u8 + 1)
    }

    pub(super) fn domain(&self) -> u64 {
        self.max.abs_diff(self.min) + 1
    }

    pub(super) fn expectation(&self) -> String {
        let kind = match self.decimals {
            0 => "a whole number".to_owned(),
            1 => "a number with at most 1 decimal".to_owned(),
            d => format!("a number with at most {d} decimals"),
        };
        format!("{kind} from {} to {}", self.show(self.min), self.show(self.max))
    }

    /// The number in units of 10^−decimals, if it belongs to the domain.
    pub(super) fn parse(&self, value: &str) -> Option<i64> {
        let (negative, digits) = match value.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, value.strip_prefix('+').unwrap_or(value)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.len() > self.decimals as usize {
            return None;
        }
        let padding = self.decimals as usize - fraction.len();
        let mut number = 0i64;
        for byte in whole.bytes().chain(fraction.bytes()).chain(std::iter::repeat_n(b'0', padding)) {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            number = number.checked_mul(10)?.checked_add(digit)?;
        }
        let number = if negative { -number } else { number };
        (self.min..=self.max).contains(&number).then_some(number)
    }

    /// A number of the domain in units of 10^−decimals.
    #[must_use]
    pub fn units(&self, value: &str) -> Option<i64> {
        self.parse(value)
    }

    /// Every number of the domain, ascending.
    pub(super) fn values(&self) -> impl Iterator<Item = String> + '_ {
        (self.min..=self.max).map(|number| self.show(number))
    }

    /// The number as [`Self::values`] spells it, if it belongs to the domain.
    pub(super) fn canonical(&self, value: &str) -> Option<String> {
        self.parse(value).map(|number| self.show(number))
    }

    /// The interval of `value` at a level above 0; `None` at the top.
    pub(super) fn ancestor(&self, value: &str, level: u8) -> Option<Ancestor> {
        let (low, high) = self.ends(self.parse(value)?, level)?;
        Some(Ancestor { label: self.interval(low, high), leaves: high.abs_diff(low) + 1 })
    }

    /// The interval around a number at a level above 0; `None` at the top.
    fn ends(&self, number: i64, level: u8) -> Option<(i64, i64)> {
        Some(match &self.cuts {
            Cuts::Sizes(sizes) => {
                let size = *sizes.get(usize::from(level) - 1)?;
                let low = self.min + (number - self.min) / size * size;
                (low, low.saturating_add(size - 1).min(self.max))
            }
            Cuts::Starts(starts) => {
                let starts = starts.get(usize::from(level) - 1)?;
                let after = starts.partition_point(|&s| s <= number);
                let low = if after == 0 { self.min } else { starts[after - 1] };
                (low, starts.get(after).map_or(self.max, |next| next - 1))
            }
        })
    }

    /// How many numbers of the domain are not below (or not above) a bound.
    pub(super) fn beyond(&self, bound: &str, above: bool) -> Option<u64> {
        let bound = self.parse(bound)?;
        Some(if above { self.max.abs_diff(bound) } else { bound.abs_diff(self.min) } + 1)
    }

    /// The first interval, from the lowest level up, that a bound cuts in two: it has numbers on
    /// both sides and does not reach to the domain's end.
    pub(super) fn broken_by(&self, bound: &str, above: bool) -> Option<String> {
        let number = self.parse(bound)?;
        (1..self.top()).find_map(|level| {
            let (low, high) = self.ends(number, level)?;
            let clean =
                if above { low == number || high == self.max } else { high == number || low == self.min };
            (!clean).then(|| self.interval(low, high))
        })
    }

    fn interval(&self, low: i64, high: i64) -> String {
        if low == high { self.show(low) } else { label::of_numbers(self.show(low), self.show(high)) }
    }

    /// A number of units as a value is spelled.
    #[must_use]
    pub fn show(&self, number: i64) -> String {
        if self.decimals == 0 {
            return number.to_string();
        }
        let scale = 10i64.pow(self.decimals);
        let sign = if number < 0 { "-" } else { "" };
        let (whole, fraction) = (number.unsigned_abs() / scale as u64, number.unsigned_abs() % scale as u64);
        format!("{sign}{whole}.{fraction:0width$}", width = self.decimals as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_begin_at_the_minimum_and_end_at_the_maximum() {
        let rule = IntervalRule::new(Cuts::Sizes(vec![5, 20]), 1, 99, 0).unwrap();
        let label = |value, level| rule.ancestor(value, level).unwrap();
        assert_eq!(label("5", 1).label, "[1-5]");
        assert_eq!(label("99", 1), Ancestor { label: "[96-99]".into(), leaves: 4 });
        assert!(rule.ancestor("99", 3).is_none());
    }

    #[test]
    fn decimals_are_exact() {
        let rule = IntervalRule::new(Cuts::Sizes(vec![50]), 100, 500, 1).unwrap();
        assert_eq!(rule.parse("23.4"), Some(234));
        assert_eq!(rule.parse("23.40"), Some(234));
        assert_eq!(rule.parse("23.45"), None);
        assert_eq!(rule.parse("50.1"), None);
        assert_eq!(rule.ancestor("23.4", 1).unwrap().label, "[20.0-24.9]");
    }

    #[test]
    fn contradictions_are_refused() {
        assert!(IntervalRule::new(Cuts::Sizes(vec![5, 12]), 0, 99, 0).is_err());
        assert!(IntervalRule::new(Cuts::Sizes(vec![5]), 9, 0, 0).is_err());
        assert!(IntervalRule::new(Cuts::Starts(vec![vec![10, 20], vec![15]]), 0, 99, 0).is_err());
    }

    #[test]
    fn not_every_text_is_a_number() {
        let rule = IntervalRule::new(Cuts::Sizes(vec![5]), -10, 99, 0).unwrap();
        assert_eq!(rule.parse("-7"), Some(-7));
        for text in ["", "-", ".", "1e3", "7 ", "x", "99999999999999999999"] {
            assert_eq!(rule.parse(text), None, "{text}");
        }
    }
}
