//! Numbers beside those that they were.

use rustc_hash::FxHashMap;

/// The least and the greatest released number by column and group.
#[derive(Debug, Default)]
pub(super) struct Ends(FxHashMap<String, FxHashMap<String, (f64, f64)>>);

impl Ends {
    pub(super) fn take(&mut self, column: &str, group: String, number: f64) {
        let groups = self.0.entry(column.to_owned()).or_default();
        let (least, greatest) = groups.entry(group).or_insert((number, number));
        (*least, *greatest) = (least.min(number), greatest.max(number));
    }

    /// Whether a released number is an end of its group, with the original one beyond it.
    fn is_beyond(&self, column: &str, group: &str, released: f64, original: f64) -> bool {
        let ends = self.0.get(column).and_then(|groups| groups.get(group));
        ends.is_some_and(|&(least, greatest)| {
            (released <= least && original < least) || (released >= greatest && original > greatest)
        })
    }
}

/// A number of a column and its group.
pub(super) struct Number<'a> {
    pub(super) column: &'a str,
    pub(super) group: &'a str,
    pub(super) released: &'a str,
    pub(super) original: &'a str,
}

impl Number<'_> {
    /// Whether it is the original one with so many digits, or at an end of its group. An empty cell shows nothing.
    pub(super) fn fits(&self, digits: u8, ends: Option<&Ends>) -> bool {
        if self.released.is_empty() {
            return true;
        }
        let (Ok(released), Ok(original)) =
            (self.released.parse::<f64>(), self.original.trim().parse::<f64>())
        else {
            return false;
        };
        let is_beyond = |ends: &Ends| ends.is_beyond(self.column, self.group, released, original);
        is_rounded(released, original, digits) || ends.is_none_or(is_beyond)
    }

    /// Whether it is the name of the original number's band; one outside of all belongs to the nearest.
    pub(super) fn is_in_band(&self, bounds: &[f64]) -> bool {
        if self.released.is_empty() {
            return true;
        }
        let Ok(original) = self.original.trim().parse::<f64>() else { return false };
        let inner = bounds.get(1..bounds.len().saturating_sub(1)).unwrap_or_default();
        let place = inner.iter().filter(|bound| **bound <= original).count();
        let name = |low: f64, high: f64| format!("[{}, {})", low + 0.0, high + 0.0);
        matches!(bounds.get(place..place + 2), Some(&[low, high]) if self.released == name(low, high))
    }
}

/// |released − original| is at most half a unit of the last of `digits` significant digits.
fn is_rounded(released: f64, original: f64, digits: u8) -> bool {
    if original == 0.0 {
        return released == 0.0;
    }
    let unit = 10_f64.powi(original.abs().log10().floor() as i32 + 1 - i32::from(digits));
    (released - original).abs() <= unit * 0.5 * (1.0 + 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_own_rounded() {
        for (released, original) in
            [(123_000.0, 123_456.0), (0.0123, 0.012_345), (-10.0, -9.996), (70.5, 70.5), (0.0, 0.0)]
        {
            assert!(is_rounded(released, original, 3), "{original}");
        }
        for (released, original) in [(124_000.0, 123_456.0), (71.0, 70.5), (0.1, 0.0), (10.0, -10.0)] {
            assert!(!is_rounded(released, original, 3), "{original}");
        }
    }

    #[test]
    fn a_number_can_stand_at_an_end_only_if_it_was_beyond() {
        let mut ends = Ends::default();
        [5.0, 7.0, 9.0].iter().for_each(|&number| ends.take("v", "g".into(), number));
        let fits =
            |released, original| Number { column: "v", group: "g", released, original }.fits(3, Some(&ends));
        assert!(fits("9", "12.5") && fits("5", "-3") && fits("", "7"));
        assert!(!fits("9", "6") && !fits("7", "12.5") && !fits("5", "") && !fits("5", "9"));
    }

    #[test]
    fn a_band_is_that_of_the_number() {
        let is_in = |released, original| {
            Number { column: "v", group: "", released, original }.is_in_band(&[0.0, 2.5, 10.0])
        };
        assert!(is_in("[0, 2.5)", "-1") && is_in("[2.5, 10)", "2.5") && is_in("[2.5, 10)", "99"));
        assert!(!is_in("[0, 2.5)", "2.5") && !is_in("[0, 10)", "3") && !is_in("[0, 2.5)", ""));
    }
}
