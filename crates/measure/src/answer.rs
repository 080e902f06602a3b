//! Bounds of a query's answer on records of which some are generalized and some are counterfeit.
//!
//! # Summary
//! What a released table lets one say of COUNT, SUM and AVG over the original records: an estimate, and
//! an interval that holds the answer whatever the original was.
//!
//! # Definition
//! A *part* is a number of released records that are alike for the query: each of them counts certainly
//! or possibly, and if it counts its value lies in low … high. Of the r records of a *stratum* exactly c
//! are counterfeit and do not count, nobody knows which. The bounds are the least and the greatest answer
//! over all ways to choose the c counterfeits, the possible records that count, and their values:
//! docs/methods/query.md has the proofs.
//! - Count: Σ max(0, a − c) and Σ min(b, r − c) over strata of a certain and b certain or possible records.
//! - Sum: every record contributes its extreme (0 among the choices where it only may count); the c
//!   contributions that help most are taken away.
//! - Mean: the root of max Σ (value − t) = 0, by Dinkelbach's iteration.
//!
//! # Parameters
//! Parts and strata; no others.
//!
//! # Errors
//! None.
//!
//! # Complexity
//! O(parts · log parts) for a sum; for a mean that times the iterations, which converge superlinearly.
//!
//! # References
//! Lee et al. 2017 for the catalog; Dinkelbach 1967 for the iteration.
//!
//! # Deviations
//! Means, and sums of fractions, are widened by the most that rounding can have taken off them.

use std::collections::BTreeMap;

/// Released records that are alike for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// An index into the strata.
    pub stratum: usize,
    /// How many records.
    pub records: u64,
    /// Whether each counts, if it is real; else it may.
    pub certain: bool,
    /// The least value of one that counts.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// The share of them that is expected to count.
    pub share: f64,
    /// What each is expected to add to a sum: value times share.
    pub mean: f64,
}

/// Records of which the catalog counts the counterfeits together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stratum {
    /// Released records.
    pub released: u64,
    /// How many of them are counterfeit.
    pub counterfeits: u64,
}

impl Stratum {
    fn real(self) -> u64 {
        self.released.saturating_sub(self.counterfeits)
    }

    /// The chance of a record to be real.
    fn trust(self) -> f64 {
        if self.counterfeits == 0 { 1.0 } else { self.real() as f64 / self.released as f64 }
    }
}

/// An estimate between two bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// What is to be expected.
    pub estimate: f64,
    /// The answer is not less.
    pub lower: f64,
    /// The answer is not greater.
    pub upper: f64,
}

/// How many records count.
#[must_use]
pub fn count(parts: &[Part], strata: &[Stratum]) -> Bounded {
    let (mut lower, mut upper) = (0, 0);
    for (stratum, parts) in by_stratum(parts) {
        let Stratum { counterfeits, .. } = strata[stratum];
        let certain: u64 = parts.iter().filter(|part| part.certain).map(|part| part.records).sum();
        let possible: u64 = parts.iter().map(|part| part.records).sum();
        lower += certain.saturating_sub(counterfeits);
        upper += if counterfeits == 0 { possible } else { possible.min(strata[stratum].real()) };
    }
    let expected = |part: &Part| part.records as f64 * part.share * strata[part.stratum].trust();
    let estimate = parts.iter().map(expected).sum::<f64>();
    bounded(estimate, lower as f64, upper as f64)
}

/// The sum of the values of the records that count; 0 where none does.
#[must_use]
pub fn total(parts: &[Part], strata: &[Stratum]) -> Bounded {
    let upper = greatest_total(parts, strata);
    let lower = -greatest_total(&negated(parts), strata);
    let margin = rounding(parts);
    let expected = |part: &Part| part.records as f64 * part.mean * strata[part.stratum].trust();
    bounded(parts.iter().map(expected).sum(), lower - margin, upper + margin)
}

/// The mean of the values of the records that count; `None` where none can.
///
/// Where possibly none counts, the bounds are those of the mean if one does.
#[must_use]
pub fn mean(parts: &[Part], strata: &[Stratum]) -> Option<Bounded> {
    let possible: Vec<Part> = parts.iter().filter(|part| can_count(part, strata)).copied().collect();
    let (records, sum) = (count(parts, strata), total(parts, strata));
    if possible.is_empty() {
        return None;
    }
    let upper = greatest_mean(&possible, strata, records.lower > 0.0);
    let lower = -greatest_mean(&negated(&possible), strata, records.lower > 0.0);
    let margin = rounding(parts) / records.lower.max(1.0) + rounding_of_means(&possible, records);
    let estimate =
        if records.estimate > 0.0 { sum.estimate / records.estimate } else { middle(lower, upper) };
    // No mean lies beyond its values.
    let least = possible.iter().map(|part| part.low).fold(f64::INFINITY, f64::min);
    let greatest = possible.iter().map(|part| part.high).fold(f64::NEG_INFINITY, f64::max);
    Some(bounded(estimate, (lower - margin).max(least), (upper + margin).min(greatest)))
}

/// A number between two bounds, which need not be finite.
fn middle(lower: f64, upper: f64) -> f64 {
    let middle = f64::midpoint(lower, upper);
    if middle.is_finite() { middle } else { 0.0 }
}

/// What rounding can have taken off the greatest mean t: the iteration ends where the computed surplus of a
/// choice over t is no longer above 0. That surplus, a sum of one term by part, is off by at most
/// (parts + 2) · ε · 2 · size · records, shared by the records that certainly count.
fn rounding_of_means(parts: &[Part], records: Bounded) -> f64 {
    let ends = parts.iter().flat_map(|part| [part.low.abs(), part.high.abs()]);
    let size = ends.filter(|end| end.is_finite()).fold(0.0, f64::max);
    let terms = 2.0 * (parts.len() as f64 + 2.0);
    2.0 * terms * f64::EPSILON * size * records.upper.max(1.0) / records.lower.max(1.0)
}

/// An estimate outside its bounds is moved to the nearer one.
fn bounded(estimate: f64, lower: f64, upper: f64) -> Bounded {
    // Adding 0 makes −0 of a negated sum 0.
    Bounded { estimate: estimate.max(lower).min(upper) + 0.0, lower: lower + 0.0, upper: upper + 0.0 }
}

fn can_count(part: &Part, strata: &[Stratum]) -> bool {
    let stratum = strata[part.stratum];
    part.records > 0 && (stratum.counterfeits == 0 || stratum.real() > 0)
}

fn by_stratum(parts: &[Part]) -> BTreeMap<usize, Vec<&Part>> {
    let mut strata: BTreeMap<usize, Vec<&Part>> = BTreeMap::new();
    for part in parts {
        strata.entry(part.stratum).or_default().push(part);
    }
    strata
}

/// The parts with values of opposite sign.
fn negated(parts: &[Part]) -> Vec<Part> {
    parts.iter().map(|part| Part { low: -part.high, high: -part.low, ..*part }).collect()
}

/// What rounding can have taken off a sum; 0 where all sums are of whole numbers and exact.
fn rounding(parts: &[Part]) -> f64 {
    let (mut size, mut records, mut whole) = (0.0, 0.0, true);
    for part in parts {
        size += part.records as f64 * part.low.abs().max(part.high.abs());
        records += part.records as f64;
        whole &= part.low.fract() == 0.0 && part.high.fract() == 0.0;
    }
    let exact = whole && size < 2f64.powi(53);
    if exact || !size.is_finite() { 0.0 } else { 2.0 * (records + 2.0) * f64::EPSILON * size }
}

/// What a stratum's records contribute at most, once its counterfeits are taken out: the least ones.
///
/// Gives (contribution, records that count).
fn best(stratum: Stratum, mut gains: Vec<(f64, u64, bool)>) -> (f64, u64) {
    let listed: u64 = gains.iter().map(|gain| gain.1).sum();
    let mut left = stratum.counterfeits.saturating_sub(stratum.released.saturating_sub(listed));
    if stratum.counterfeits > 0 && gains.iter().any(|gain| gain.0 < 0.0) {
        // Records that cannot count contribute 0, which is more.
        gains.push((0.0, stratum.released.saturating_sub(listed), false));
        left = stratum.counterfeits;
    }
    if left > 0 {
        gains.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let (mut sum, mut counted) = (0.0, 0);
    for (gain, records, counts) in gains {
        let real = records - left.min(records);
        left -= records - real;
        if real > 0 && counts {
            sum += gain * real as f64;
            counted += real;
        }
    }
    (sum, counted)
}

fn greatest_total(parts: &[Part], strata: &[Stratum]) -> f64 {
    by_stratum(parts).iter().map(|(&s, parts)| best(strata[s], parts.iter().map(gain).collect()).0).sum()
}

fn gain(part: &&Part) -> (f64, u64, bool) {
    (if part.certain { part.high } else { part.high.max(0.0) }, part.records, true)
}

/// The greatest mean over all choices of which at least one record counts.
fn greatest_mean(parts: &[Part], strata: &[Stratum], some_must_count: bool) -> f64 {
    let greatest = parts.iter().map(|part| part.high).fold(f64::NEG_INFINITY, f64::max);
    if !some_must_count || greatest.is_infinite() {
        return greatest;
    }
    // No choice has a mean below the least of the greatest values; from below each step is a mean that
    // some choice has, and the last one is one that no choice exceeds.
    let mut mean = parts.iter().map(|part| part.high).fold(f64::INFINITY, f64::min);
    let strata_parts = by_stratum(parts);
    loop {
        let (mut surplus, mut counted) = (0.0, 0);
        for (&stratum, parts) in &strata_parts {
            let gain = |part: &&Part| {
                let above = part.high - mean;
                let counts = part.certain || above > 0.0;
                (if counts { above } else { 0.0 }, part.records, counts)
            };
            let (sum, records) = best(strata[stratum], parts.iter().map(gain).collect());
            surplus += sum;
            counted += records;
        }
        let next = mean + surplus / counted as f64;
        if counted == 0 || next.is_nan() || next <= mean {
            return mean.min(greatest);
        }
        mean = next;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A record: stratum, certain, low, high.
    type Record = (usize, bool, f64, f64);

    /// The count, sum and values at the ends of every way in which the records can count.
    fn ways(records: &[Record], strata: &[Stratum]) -> Vec<(f64, f64)> {
        // Per record: not there or not counted, or counted with its least or its greatest value.
        let mut ways = Vec::new();
        for choice in 0..4usize.pow(records.len() as u32) {
            let of = |at: usize| choice / 4usize.pow(at as u32) % 4;
            let gone = |stratum: usize| {
                (0..records.len()).filter(|&at| records[at].0 == stratum && of(at) == 0).count() as u64
            };
            // What is not listed cannot count, and can be counterfeit as well.
            let fits = |(number, stratum): (usize, &Stratum)| {
                let listed = records.iter().filter(|record| record.0 == number).count() as u64;
                let gone = gone(number);
                gone <= stratum.counterfeits && stratum.counterfeits - gone <= stratum.released - listed
            };
            let silent = (0..records.len()).any(|at| records[at].1 && of(at) == 1);
            if silent || !strata.iter().enumerate().all(fits) {
                continue;
            }
            let value = |at: usize| match of(at) {
                2 => Some(records[at].2),
                3 => Some(records[at].3),
                _ => None,
            };
            let values: Vec<f64> = (0..records.len()).filter_map(value).collect();
            ways.push((values.len() as f64, values.iter().sum()));
        }
        ways
    }

    fn parts(records: &[Record]) -> Vec<Part> {
        let part = |&(stratum, certain, low, high): &Record| Part {
            stratum,
            records: 1,
            certain,
            low,
            high,
            share: if certain { 1.0 } else { 0.5 },
            mean: 0.0,
        };
        records.iter().map(part).collect()
    }

    fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    }

    fn record() -> impl Strategy<Value = Record> {
        (0..3usize, any::<bool>(), -4..4i32, 0..4i32).prop_map(|(stratum, certain, low, more)| {
            (stratum, certain, f64::from(low), f64::from(low + more))
        })
    }

    proptest! {
        #[test]
        fn bounds_are_the_extremes_over_all_ways(
            records in prop::collection::vec(record(), 0..7),
            others in prop::collection::vec((0..3u64, 0..4u64), 2),
        ) {
            let mut strata = vec![Stratum::default()];
            for (number, (unlisted, counterfeits)) in others.into_iter().enumerate() {
                let listed = records.iter().filter(|record| record.0 == number + 1).count() as u64;
                let released = listed + unlisted;
                strata.push(Stratum { released, counterfeits: counterfeits.min(released) });
            }
            strata[0].released = records.iter().filter(|record| record.0 == 0).count() as u64;
            let parts = parts(&records);
            let ways = ways(&records, &strata);
            let found = count(&parts, &strata);
            prop_assert_eq!((found.lower, found.upper), extremes(ways.iter().map(|way| way.0)));
            let found = total(&parts, &strata);
            prop_assert_eq!((found.lower, found.upper), extremes(ways.iter().map(|way| way.1)));
            let means = ways.iter().filter(|way| way.0 > 0.0).map(|way| way.1 / way.0);
            match mean(&parts, &strata) {
                Some(found) => {
                    let (low, high) = extremes(means);
                    prop_assert!((found.lower - low).abs() < 1e-9, "{} {low}", found.lower);
                    prop_assert!((found.upper - high).abs() < 1e-9, "{} {high}", found.upper);
                }
                None => prop_assert_eq!(means.count(), 0),
            }
        }
    }

    #[test]
    fn the_catalog_is_counted_against_the_certain_records() {
        // 8 released records of a value, 2 of them counterfeit: 5 match certainly, 1 possibly.
        let part = |records, certain| Part {
            stratum: 1,
            records,
            certain,
            low: 1.0,
            high: 1.0,
            share: if certain { 1.0 } else { 0.25 },
            mean: 0.0,
        };
        let strata = [Stratum::default(), Stratum { released: 8, counterfeits: 2 }];
        let found = count(&[part(5, true), part(1, false)], &strata);
        assert_eq!((found.lower, found.upper), (3.0, 6.0));
        assert!((found.estimate - 5.25 * 0.75).abs() < 1e-12);
    }

    #[test]
    fn fractions_are_never_rounded_inwards() {
        let tenth =
            Part { stratum: 0, records: 3, certain: true, low: 0.1, high: 0.1, share: 1.0, mean: 0.1 };
        let found = total(&[tenth], &[Stratum::default()]);
        let naive = 0.1 + 0.1 + 0.1;
        assert!(found.lower <= 0.3 && naive <= found.upper && found.upper - found.lower < 1e-12);
        // One record in 35, from parts that are added up one after the other.
        let part = |records, high| Part { records, low: high, high, mean: high, ..tenth };
        let found = mean(&[part(11, 0.0), part(1, 1.0), part(23, 0.0)], &[Stratum::default()]);
        assert!(found.is_some_and(|found| found.lower <= 1.0 / 35.0 && 1.0 / 35.0 <= found.upper));
    }
}
