//! The length of stay, given what kind of stay a diagnosis asks for.
//!
//! A stay of 0 days is a visit. The days of an admission follow a mixture of two geometric
//! distributions, four short ones to one long, whose tail ends at the longest recorded stay.

use crate::published::{STAY_MEN, STAY_WOMEN};

/// Lengths of stay are 0..STAYS days.
pub(crate) const STAYS: usize = 112;

/// Ages by ten years: fine enough for a length of stay, which is published by ten years.
pub(crate) const DECADES: usize = 10;

/// What kind of stay a diagnosis asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Nearly always a visit.
    Visit,
    /// A visit, or a few days.
    Short,
    /// An admission as often as not.
    Acute,
    /// Mostly an admission, and a long one.
    Severe,
    /// Seldom an admission, but then of weeks.
    Mental,
    /// A delivery, or being born.
    Birth,
    /// A stroke: as published, by sex.
    Stroke,
}

/// A [`Stay`] with stroke split by sex: the kinds that have their own distributions.
pub(crate) const KINDS: usize = 8;

/// The number of a kind of stay for one sex.
pub(crate) fn kind(stay: Stay, sex: usize) -> usize {
    stay as usize + if stay == Stay::Stroke { sex } else { 0 }
}

/// Visits per thousand, and the mean days of an admission in tenths, before age counts; in
/// the order of [`Stay`], stroke last and twice.
const KIND: [(u64, u64); KINDS] = [
    (790, 26),
    (600, 36),
    (450, 62),
    (250, 110),
    (700, 240),
    (80, 31),
    (STROKE_VISITS, 0),
    (STROKE_VISITS, 0),
];

/// Visits per thousand stroke patients.
const STROKE_VISITS: u64 = 300;

/// The weights of 0..[`STAYS`] days.
pub(crate) fn weights(kind: usize, surgery: bool, decade: usize) -> Vec<u64> {
    let (visits, mean) = KIND[kind];
    let stroke = kind >= Stay::Stroke as usize;
    // Half as long again at age 80 as at age 0; an operation halves the visits and adds three days.
    let mean = match stroke {
        true => stroke_mean(kind - Stay::Stroke as usize, decade) * 1000 / (1000 - visits),
        false => mean * (16 + decade as u64) / 16,
    };
    match surgery && kind != Stay::Visit as usize {
        true => mixture(visits / 2, mean + 30),
        false => mixture(visits, mean),
    }
}

/// The published mean stay of stroke patients in tenths of a day.
///
/// Below age 30 a handful of women stand behind each printed mean (7.7 days at 20 to 29, then 1.7), so
/// that those ages take a smooth line instead; ages 90 to 99, not printed, stay a tenth longer than 80 to 89.
fn stroke_mean(sex: usize, decade: usize) -> u64 {
    let published = if sex == 0 { STAY_MEN } else { STAY_WOMEN };
    let mean = match (sex, decade) {
        (1, 0..=2) => 15 + decade as u16,
        (_, 9) => published[8] * 11 / 10,
        _ => published[decade],
    };
    u64::from(mean)
}

/// Visits, and admissions of the given mean in tenths of a day.
fn mixture(visits_per_thousand: u64, mean: u64) -> Vec<u64> {
    let short = geometric((mean * 6 / 10).max(10));
    let long = geometric((mean * 26 / 10).max(10));
    let admissions = 1000 - visits_per_thousand;
    let mut weights: Vec<u64> =
        short.iter().zip(&long).map(|(s, l)| (s * 8 + l * 2) / 10 * admissions).collect();
    weights[0] = (1 << 40) * visits_per_thousand;
    weights
}

/// A geometric distribution on 1, 2, ... with the given mean in tenths: in sum nearly 2⁴⁰, nothing at 0.
fn geometric(mean: u64) -> [u64; STAYS] {
    let mut weights = [0; STAYS];
    let mut weight = (1_u64 << 40) / mean * 10;
    for slot in &mut weights[1..] {
        *slot = weight;
        weight = weight / mean * (mean - 10);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(weights: &[u64]) -> f64 {
        let days: f64 = weights.iter().enumerate().map(|(days, &weight)| days as f64 * weight as f64).sum();
        days / weights.iter().map(|&weight| weight as f64).sum::<f64>()
    }

    #[test]
    fn stroke_stays_have_the_published_means() {
        for decade in 3..9 {
            for (sex, published) in [STAY_MEN, STAY_WOMEN].iter().enumerate() {
                let built = mean(&weights(kind(Stay::Stroke, sex), false, decade));
                let ratio = built * 10.0 / f64::from(published[decade]);
                assert!((0.9..1.1).contains(&ratio), "sex {sex}, decade {decade}: {ratio}");
            }
        }
    }

    #[test]
    fn stays_lengthen_with_age_and_surgery() {
        for kind in 0..KINDS {
            assert!(mean(&weights(kind, false, 8)) > mean(&weights(kind, false, 1)));
            if kind != Stay::Visit as usize {
                assert!(mean(&weights(kind, true, 5)) > mean(&weights(kind, false, 5)));
            }
        }
    }
}
