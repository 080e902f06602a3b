//! How the claims of a paper ended: a claim counts once, by however many readings it is measured.

use std::fmt;

use super::Trend;

/// What is no claim of a paper has this in its published words.
pub(super) const NOT_IN_THE_PAPER: &str = "(not in the paper)";

/// How a claim ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Settled {
    /// By its first reading, the paper's words as they stand.
    Met,
    /// By another one, which has this name.
    Reading(String),
    /// By none, and this is why none can.
    Impossible(String),
    /// By none of those tried.
    Open,
}

impl fmt::Display for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Met => f.write_str("met"),
            Self::Reading(name) => write!(f, "by a reading: {name}"),
            Self::Impossible(why) => write!(f, "shown impossible: {why}"),
            Self::Open => f.write_str("open"),
        }
    }
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) figure: String,
    pub(super) published: String,
    pub(super) settled: Settled,
}

/// All claims of a paper, in the order in which they are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claims(pub(super) Vec<Claim>);

impl Claims {
    pub(super) fn of(trends: &[&Trend]) -> Self {
        let mut claims: Vec<Claim> = Vec::new();
        for trend in trends.iter().filter(|trend| !trend.published.contains(NOT_IN_THE_PAPER)) {
            let same =
                |claim: &&mut Claim| claim.figure == trend.figure && claim.published == trend.published;
            match claims.iter_mut().find(same) {
                Some(claim) => claim.settled.or(trend),
                None => claims.push(Claim {
                    figure: trend.figure.clone(),
                    published: trend.published.clone(),
                    settled: Settled::first(trend),
                }),
            }
        }
        Self(claims)
    }

    fn count(&self, of: impl Fn(&Settled) -> bool) -> usize {
        self.0.iter().filter(|claim| of(&claim.settled)).count()
    }
}

impl Settled {
    fn first(trend: &Trend) -> Self {
        match &trend.impossible {
            _ if trend.met && !trend.timed => Self::Met,
            Some(why) => Self::Impossible(why.clone()),
            None => Self::Open,
        }
    }

    /// With what a further reading measured.
    fn or(&mut self, trend: &Trend) {
        match (&*self, &trend.arm, &trend.impossible) {
            (Self::Met | Self::Reading(_), ..) => {}
            (_, Some(arm), _) if trend.met && !trend.timed => *self = Self::Reading(arm.clone()),
            (Self::Open, _, Some(why)) => *self = Self::Impossible(why.clone()),
            _ => {}
        }
    }
}

/// `19 trends: 13 met, 4 by a named reading, 1 shown impossible, 1 open`.
impl fmt::Display for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.count(|settled| *settled == Settled::Met), "met"),
            (self.count(|settled| matches!(settled, Settled::Reading(_))), "by a named reading"),
            (self.count(|settled| matches!(settled, Settled::Impossible(_))), "shown impossible"),
            (self.count(|settled| *settled == Settled::Open), "open"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|part| part.0 > 0).map(|(count, how)| format!("{count} {how}")).collect();
        write!(f, "{} trends: {}", self.0.len(), parts.join(", "))
    }
}

/// The reading that meets the most claims, and how many those are, with the claims that have one reading alone; none where no
/// claim has several.
pub(super) fn best_reading<'a>(trends: &[&'a Trend]) -> Option<(&'a str, usize)> {
    let counted = |trend: &&&'a Trend| !trend.published.contains(NOT_IN_THE_PAPER);
    let counted: Vec<&'a Trend> = trends.iter().filter(counted).copied().collect();
    let mut arms: Vec<&str> = counted.iter().filter_map(|trend| trend.arm.as_deref()).collect();
    arms.sort_unstable();
    arms.dedup();
    let met = |arm: &str| counted.iter().filter(|trend| is_met_by(trend, arm)).count();
    arms.into_iter().map(|arm| (arm, met(arm))).max_by_key(|(_, met)| *met)
}

fn is_met_by(trend: &Trend, arm: &str) -> bool {
    trend.met && !trend.timed && trend.arm.as_deref().is_none_or(|own| own == arm)
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
            Trend::by("other", "2", "of both", "so", true),
            Trend::by("third", "2", "of both", "so", true),
            Trend::new("3", "(not in the paper) more", "so", true),
            Trend::by("one", "4", "never", "not so", false).shown_impossible("because"),
            Trend::by("other", "4", "never", "not so", false),
            Trend::by("one", "5", "reached all the same", "not so", false).shown_impossible("because"),
            Trend::by("other", "5", "reached all the same", "so", true),
            Trend::new("6", "unknown", "not so", false),
            Trend::by("clock", "7", "is quick", "so, this time", true).timed(),
            Trend::by("other", "7", "is quick", "so", true),
            Trend::new("8", "is slow", "so, this time", true).timed().shown_impossible("it differs"),
        ];
        let all: Vec<&Trend> = trends.iter().collect();
        let claims = Claims::of(&all);
        let settled: Vec<String> = claims.0.iter().map(|claim| claim.settled.to_string()).collect();
        let other = "by a reading: other";
        let [because, differs] = ["because", "it differs"].map(|why| format!("shown impossible: {why}"));
        assert_eq!(settled, ["met", "met", other, &because, other, "open", other, &differs]);
        assert_eq!(claims.to_string(), "8 trends: 2 met, 3 by a named reading, 2 shown impossible, 1 open");
        assert_eq!(best_reading(&all), Some(("other", 4)));
        assert_eq!(best_reading(&all[..1]), None);
        assert_eq!(Claims::of(&all[..1]).to_string(), "1 trends: 1 met");
    }
}
