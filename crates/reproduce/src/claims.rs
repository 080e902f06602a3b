//! How many of a paper's claims are met: a claim counts once, by however many readings it is measured.

use super::Trend;

/// What is no claim of a paper has this in its published words.
pub(super) const NOT_IN_THE_PAPER: &str = "(not in the paper)";

/// Distinct claims and how many of them one reading meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claims {
    /// The reading that meets the most; none where no claim has several readings.
    pub(super) arm: Option<&'static str>,
    /// What it meets, with the claims that have one reading alone.
    pub(super) met: usize,
    pub(super) all: usize,
}

impl Claims {
    /// Of the trends by the best single reading.
    pub(super) fn of(trends: &[&Trend]) -> Self {
        let counted: Vec<&Trend> =
            trends.iter().copied().filter(|trend| !trend.published.contains(NOT_IN_THE_PAPER)).collect();
        let mut claims: Vec<(&str, &str)> =
            counted.iter().map(|trend| (&*trend.figure, &*trend.published)).collect();
        claims.sort_unstable();
        claims.dedup();
        let mut arms: Vec<&'static str> = counted.iter().filter_map(|trend| trend.arm).collect();
        arms.sort_unstable();
        arms.dedup();
        let met = |arm: Option<&str>| {
            counted.iter().filter(|trend| trend.met && (trend.arm.is_none() || trend.arm == arm)).count()
        };
        let best = arms.into_iter().map(Some).max_by_key(|arm| met(*arm)).flatten();
        Self { arm: best, met: met(best), all: claims.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_counts_once_and_only_where_the_paper_has_it() {
        let trends = [
            Trend::new("1", "alone", "so", true),
            Trend::by("one", "1", "of both", "so", true),
            Trend::by("other", "1", "of both", "not so", false),
            Trend::by("one", "2", "of both", "not so", false),
            Trend::by("other", "2", "of both", "not so", false),
            Trend::new("3", "(not in the paper) more", "so", true),
        ];
        let all: Vec<&Trend> = trends.iter().collect();
        assert_eq!(Claims::of(&all), Claims { arm: Some("one"), met: 2, all: 3 });
        assert_eq!(Claims::of(&all[..1]), Claims { arm: None, met: 1, all: 1 });
    }
}
