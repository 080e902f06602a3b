//! The risk that a record is re-identified: prosecutor, journalist, marketer.
//!
//! # Summary
//! How likely each of three adversaries is to match a record with its person, from the sizes of the
//! equivalence classes and, where the table is a sample, of the classes of its population.
//!
//! # Definition
//! n records in the classes J, of which class j has f_j in the table and F_j ≥ f_j in the population.
//! The risk of a record of class j is
//!
//! - prosecutor, who looks for one person and knows that they are in the table: 1/f_j;
//! - journalist, who looks for any person, and cannot know whether they are in the table: 1/F_j;
//! - marketer, who matches all records with a list of the population: 1/F_j; 1/f_j where the table is
//!   the population.
//!
//! Of each: the highest, the share of records above a threshold τ, and the mean over the records, which
//! is |J|/n for the prosecutor and (1/n) Σ f_j/F_j for the marketer. The journalist may begin at either
//! side: the mean is the larger of |J|/Σ F_j (who draws a person of the population's classes) and
//! (1/n) Σ f_j/F_j (who draws a record).
//!
//! Where only N, the population's size, is known, 1/F_j is estimated by its mean given f_j under Pitman's
//! model, θ and α of which are fitted to the sample (see [`velamen_core::uniqueness`]): F_j − f_j is negative
//! binomial with shape f_j − α and success probability π = (n + θ)/(N + θ), so that
//!
//!   E(1/F | f) = π ∫ w^(f − 1) (π + (1 − π)w)^(−1 − α) dw over 0 … 1.
//!
//! The highest risk is then 1/f of the smallest class, as F = f is not ruled out, and the records above τ are
//! the expected number, Σ f P(F < 1/τ | f).
//!
//! Where all records are alone, which no θ fits, α = 1: all may be alone in the population, too. In one
//! class θ = α = 0. See `docs/methods/risk.md`.
//!
//! # Parameters
//! [`Matched`] classes, and the threshold τ.
//!
//! # Returns
//! [`Risks`]; `None` where there is no record.
//!
//! # Errors
//! None.
//!
//! # Complexity
//! O(classes); [`estimated`] O(largest class + different sizes).
//!
//! # References
//! El Emam 2013, "Guide to the De-Identification of Personal Health Information", chapter 16; Dankar & El
//! Emam 2010 (marketer); Benedetti & Franconi 1998 (the estimate for θ = α = 0); Pitman 1995.
//!
//! # Deviations
//! The usual estimate has θ = α = 0, which is far too low in small samples. A risk is above τ only if it is by more than rounding, so that classes of 11 are
//! not above 1/11.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::uniqueness::{Sample, pitman_parameters};

/// Forgiven rounding, relative.
const ROUNDING: f64 = 1e-9;

/// What a sum of probabilities has to reach, and the most terms of it.
const ENOUGH: f64 = 1.0 - 1e-12;
const MOST_TERMS: u64 = 10_000_000;

/// Classes that are alike: the records of one, its risk against the population, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matched {
    /// f_j, at least 1.
    pub size: u64,
    /// F_j, or its mean given f_j.
    pub population: f64,
    /// 1/F_j, or its mean given f_j.
    pub risk: f64,
    /// How many classes are like this one.
    pub classes: u64,
    /// How F_j is distributed, where it was not counted.
    law: Option<Law>,
}

impl Matched {
    /// A class whose records in the population were counted.
    #[must_use]
    pub fn counted(size: u64, population: u64) -> Self {
        Self { size, population: population as f64, risk: 1.0 / population as f64, classes: 1, law: None }
    }

    /// The most that its records' risk can be.
    fn highest(&self) -> f64 {
        if self.law.is_some() { 1.0 / self.size as f64 } else { self.risk }
    }

    /// The probability that its records are above a threshold.
    fn chance_above(&self, threshold: f64) -> f64 {
        match self.law {
            Some(law) => law.chance_above(self.size, threshold),
            None => f64::from(u8::from(is_above(self.risk, threshold))),
        }
    }
}

/// The risk of one adversary's attack, over records, or over people where these are counted.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Risk {
    /// Of the record at highest risk.
    pub highest: f64,
    /// The mean over the records.
    pub mean: f64,
    /// How many records are above the threshold.
    pub records_at_risk: u64,
    /// Their share.
    pub share_at_risk: f64,
}

impl Risk {
    /// Of each figure the larger one: what stands against whoever may attack in two ways.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        Self {
            highest: self.highest.max(other.highest),
            mean: self.mean.max(other.mean),
            records_at_risk: self.records_at_risk.max(other.records_at_risk),
            share_at_risk: self.share_at_risk.max(other.share_at_risk),
        }
    }
}

/// The risks of the three adversaries.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Risks {
    /// Knows that the person is in the table.
    pub prosecutor: Risk,
    /// Knows the population only.
    pub journalist: Risk,
    /// Matches all records with the population; the mean is the share of right matches to be expected.
    pub marketer: Risk,
}

/// Classes of these sizes, (f, how many), that are all there is: the population is the table.
#[must_use]
pub fn whole(sizes: &[(u64, u64)]) -> Vec<Matched> {
    sizes.iter().filter(|(size, _)| *size > 0).map(matched).collect()
}

fn matched(&(size, classes): &(u64, u64)) -> Matched {
    Matched { classes, ..Matched::counted(size, size) }
}

/// Classes of these sizes, (f, how many), of a random sample of a population of N records. If the
/// population is not larger than the sample, it is the sample.
#[must_use]
pub fn estimated(sizes: &[(u64, u64)], population: u64) -> Vec<Matched> {
    let records: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
    if population <= records {
        return whole(sizes);
    }
    let mut sorted: Vec<(u64, u64)> = sizes.iter().copied().filter(|(size, _)| *size > 0).collect();
    sorted.sort_unstable();
    let law = Law::fitted(&sorted, records, population);
    let risks = law.risks(sorted.iter().map(|(size, _)| *size));
    let matched = |(&(size, classes), risk): (&(u64, u64), f64)| Matched {
        size,
        population: law.mean(size as f64),
        risk,
        classes,
        law: Some(law),
    };
    sorted.iter().zip(risks).map(matched).collect()
}

/// What three adversaries can expect; `None` without a record.
#[must_use]
pub fn risks(classes: &[Matched], threshold: f64) -> Option<Risks> {
    let of_size = |class: &Matched| (class.size * class.classes, 1.0 / class.size as f64);
    let prosecutor = of_records(classes.iter().map(of_size), threshold)?;
    let marketer = against_population(classes, threshold);
    let count = classes.iter().map(|class| class.classes).sum::<u64>() as f64;
    let population: f64 = classes.iter().map(|class| class.population * class.classes as f64).sum();
    let journalist = Risk { mean: marketer.mean.max(count / population), ..marketer };
    Some(Risks { prosecutor, journalist, marketer })
}

/// Where F is estimated, nothing is ruled out but what the table rules out: the highest is that of F = f, and
/// the records above the threshold are those to be expected.
fn against_population(classes: &[Matched], threshold: f64) -> Risk {
    let all: f64 = classes.iter().map(records).sum();
    let above: f64 = classes.iter().map(|class| records(class) * class.chance_above(threshold)).sum();
    Risk {
        highest: classes.iter().map(Matched::highest).fold(0.0, f64::max),
        mean: classes.iter().map(|class| records(class) * class.risk).sum::<f64>() / all,
        records_at_risk: above.round() as u64,
        share_at_risk: above / all,
    }
}

fn records(class: &Matched) -> f64 {
    (class.size * class.classes) as f64
}

/// The figures over records given as (how many, their risk); `None` without a record.
#[must_use]
pub fn of_records(parts: impl Iterator<Item = (u64, f64)>, threshold: f64) -> Option<Risk> {
    let (mut records, mut records_at_risk, mut sum, mut highest) = (0, 0, 0.0, 0.0f64);
    for (members, risk) in parts {
        records += members;
        sum += members as f64 * risk;
        highest = highest.max(risk);
        records_at_risk += if is_above(risk, threshold) { members } else { 0 };
    }
    let share = |part: f64| part / records as f64;
    let (mean, share_at_risk) = (share(sum), share(records_at_risk as f64));
    (records > 0).then_some(Risk { highest, mean, records_at_risk, share_at_risk })
}

/// Whether a risk is above a threshold by more than rounding.
#[must_use]
pub fn is_above(risk: f64, threshold: f64) -> bool {
    risk > threshold * (1.0 + ROUNDING)
}

/// How F − f is distributed: negative binomial of shape f − α with success probability π.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Law {
    pi: f64,
    alpha: f64,
}

impl Law {
    /// Pitman's model of these class sizes.
    fn fitted(sizes: &[(u64, u64)], records: u64, population: u64) -> Self {
        let alone = sizes.iter().all(|(size, _)| *size == 1);
        let usual = (0.0, if alone && records > 1 { 1.0 } else { 0.0 });
        let fitted = Sample::new(sizes, population).ok().and_then(|sample| pitman_parameters(&sample));
        let (theta, alpha) = fitted.unwrap_or(usual);
        Self { pi: (records as f64 + theta) / (population as f64 + theta), alpha }
    }

    /// E(F | f).
    fn mean(self, size: f64) -> f64 {
        size + (size - self.alpha) * (1.0 - self.pi) / self.pi
    }

    /// P(1/F > τ | f), that is P(F < 1/τ), term by term.
    fn chance_above(self, size: u64, threshold: f64) -> f64 {
        let shape = size as f64 - self.alpha;
        let (mut term, mut sum, mut more) = (self.pi.powf(shape), 0.0, 0u64);
        while is_above(1.0 / (size + more) as f64, threshold) && sum < ENOUGH && more < MOST_TERMS {
            sum += term;
            term *= (1.0 - self.pi) * (shape + more as f64) / (more + 1) as f64;
            more += 1;
        }
        sum.min(1.0)
    }

    /// E(1/F | f) for each of these ascending sizes.
    fn risks(self, sizes: impl Iterator<Item = u64>) -> Vec<f64> {
        let Self { pi, alpha } = self;
        let rest = 1.0 - pi;
        if rest < 0.5 {
            return sizes.map(|size| pi * self.series(size as f64)).collect();
        }
        // J(f + 1) = (1 − fπJ(f))/((1 − π)(f − α)); errors hardly grow, as π ≤ 1 − π. J(1) by expm1, or its
        // limit for α = 0.
        let first = if alpha > 1e-12 { (-alpha * pi.ln()).exp_m1() / alpha } else { -pi.ln() };
        let (mut at, mut integral) = (1u64, first / rest);
        let risk = |size: u64| {
            while at < size {
                integral = (1.0 - at as f64 * pi * integral) / (rest * (at as f64 - alpha));
                at += 1;
            }
            pi * integral
        };
        sizes.map(risk).collect()
    }

    /// The integral as a series in 1 − π, all terms of which are positive.
    fn series(self, size: f64) -> f64 {
        let (mut term, mut sum, mut i) = (1.0 / size, 0.0, 0.0);
        while term > sum * 1e-17 {
            sum += term;
            term *= (1.0 - self.pi) * (1.0 + self.alpha + i) / (size + i + 1.0);
            i += 1.0;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected.abs().max(1e-300)
    }

    #[test]
    fn four_classes_by_hand() {
        // f = 1, 2, 2, 5 of n = 10; F = 4, 2, 8, 10 of N = 24.
        let classes = [(1, 4), (2, 2), (2, 8), (5, 10)].map(|(size, of)| Matched::counted(size, of));
        let Risks { prosecutor, journalist, marketer } = risks(&classes, 0.2).unwrap();
        assert_eq!((prosecutor.highest, prosecutor.records_at_risk), (1.0, 5));
        assert!(near(prosecutor.mean, 0.4) && near(prosecutor.share_at_risk, 0.5));
        // 1/4 and 1/2 are above a fifth: three records.
        assert_eq!((journalist.highest, journalist.records_at_risk), (0.5, 3));
        // (1/4 + 2/2 + 2/8 + 5/10)/10 = 0.2; 4/24 is less.
        assert!(near(marketer.mean, 0.2) && near(journalist.mean, 0.2));
        assert_eq!(marketer.highest, 0.5);
    }

    #[test]
    fn a_journalist_may_begin_with_the_population() {
        // By record (1/2 + 9/100)/10, more than the 2 classes by 102 persons.
        let mean = |classes: [(u64, u64); 2]| {
            risks(&classes.map(|(size, of)| Matched::counted(size, of)), 0.5).unwrap().journalist.mean
        };
        assert!(near(mean([(1, 2), (9, 100)]), 0.059));
        // By record (9/10 + 1/2)/10 = 0.14, less than the 2 classes by 12 persons.
        assert!(near(mean([(9, 10), (1, 2)]), 2.0 / 12.0));
    }

    #[test]
    fn a_table_that_is_the_population_has_one_risk() {
        let classes = whole(&[(1, 2), (4, 2), (0, 7)]);
        let Risks { prosecutor, journalist, marketer } = risks(&classes, 0.2).unwrap();
        assert_eq!((prosecutor, prosecutor), (journalist, marketer));
        assert!(near(prosecutor.mean, 0.4) && prosecutor.records_at_risk == 10);
        assert_eq!(estimated(&[(1, 2), (4, 2)], 10), whole(&[(1, 2), (4, 2)]));
        assert!(risks(&[], 0.2).is_none() && risks(&whole(&[(0, 3)]), 0.2).is_none());
    }

    #[test]
    fn a_class_at_the_threshold_is_not_above_it() {
        for size in 1..200u64 {
            let found = risks(&whole(&[(size, 1)]), 1.0 / size as f64).unwrap();
            assert_eq!(found.prosecutor.records_at_risk, 0, "{size}");
            assert!(
                size == 1
                    || risks(&whole(&[(size - 1, 1)]), 1.0 / size as f64).unwrap().prosecutor.records_at_risk
                        > 0
            );
        }
    }

    /// Σ P(F | f)/F, term by term.
    fn summed(size: u64, law: Law) -> f64 {
        let shape = size as f64 - law.alpha;
        let mut probability = law.pi.powf(shape);
        let mut sum = 0.0;
        for more in 0..200_000 {
            let more = f64::from(more);
            sum += probability / (size as f64 + more);
            probability *= (1.0 - law.pi) * (shape + more) / (more + 1.0);
        }
        sum
    }

    #[test]
    fn the_estimate_is_the_mean_over_the_law() {
        for (pi, alpha) in [0.01, 0.1, 0.4, 0.5, 0.51, 0.7, 0.99]
            .into_iter()
            .flat_map(|pi| [0.0, 1e-13, 0.001, 0.3, 0.9].map(|alpha| (pi, alpha)))
        {
            let (law, sizes) = (Law { pi, alpha }, [1, 2, 3, 7, 20, 60]);
            for (size, found) in sizes.into_iter().zip(law.risks(sizes.into_iter())) {
                let expected = summed(size, law);
                assert!((found / expected - 1.0).abs() < 1e-8, "{size} of {law:?}: {found} {expected}");
            }
        }
        // The closed forms of f = 1 and 2 for α = 0: p ln(1/p)/q, and p/q − (p/q)² ln(1/p).
        let (p, q) = (0.05f64, 0.95f64);
        let found = Law { pi: p, alpha: 0.0 }.risks([1, 2].into_iter());
        let expected = [p / q * (1.0 / p).ln(), p / q - (p / q).powi(2) * (1.0 / p).ln()];
        assert!(near(found[0], expected[0]) && near(found[1], expected[1]));
    }

    #[test]
    fn what_no_model_fits() {
        // All alone: all may be alone in the population.
        assert!(near(risks(&estimated(&[(1, 30)], 1000), 0.1).unwrap().journalist.mean, 1.0));
        // One class of 2 of 20 records: p/q − (p/q)² ln(1/p).
        let ratio: f64 = 0.1 / 0.9;
        let expected = ratio - ratio * ratio * 10f64.ln();
        let Risks { journalist, .. } = risks(&estimated(&[(2, 1)], 20), 0.1).unwrap();
        assert!(near(journalist.mean, expected) && near(journalist.highest, 0.5));
        // P(F < 10 | f = 2) for p = 0.1: at least 2 of 9 draws.
        let expected = 1.0 - 0.9f64.powi(9) - 9.0 * 0.1 * 0.9f64.powi(8);
        assert!(near(journalist.share_at_risk, expected), "{journalist:?}");
    }

    proptest! {
        /// Between 1/E(F | f), by Jensen's inequality, and 1/f.
        #[test]
        fn the_estimate_lies_between_its_bounds(
            size in 1u64..100_000, pi in 1e-6f64..0.999_999, alpha in 0.0f64..1.0,
        ) {
            let law = Law { pi, alpha };
            let found = law.risks(std::iter::once(size))[0];
            prop_assert!(found >= 1.0 / law.mean(size as f64) * (1.0 - 1e-6), "{}", found);
            prop_assert!(found <= 1.0 / size as f64 * (1.0 + 1e-6), "{}", found);
        }

        /// Whatever the classes: the prosecutor is the strongest, and means are no higher than the highest.
        #[test]
        fn adversaries_are_ordered(classes in proptest::collection::vec((1u64..50, 0u64..200), 1..20), threshold in 0.0f64..1.0) {
            let classes: Vec<Matched> = classes.iter().map(|&(size, more)| Matched::counted(size, size + more)).collect();
            let Risks { prosecutor, journalist, marketer } = risks(&classes, threshold).unwrap();
            prop_assert!(prosecutor.highest >= journalist.highest && prosecutor.mean >= marketer.mean * (1.0 - 1e-12));
            prop_assert!(journalist.mean >= marketer.mean && prosecutor.records_at_risk >= marketer.records_at_risk);
            for risk in [prosecutor, journalist, marketer] {
                prop_assert!(risk.mean <= risk.highest * (1.0 + 1e-12) && risk.share_at_risk <= 1.0);
            }
        }
    }
}
