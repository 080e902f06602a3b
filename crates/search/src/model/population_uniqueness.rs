//! Population uniqueness.
//!
//! # Definition
//! The estimated share of the population's records that are unique in it is at most `share`. The kept
//! records are taken for a simple random sample of the population; a class is one of equal released
//! values.
//!
//! # Parameters
//! `share`: from 0 and below 1. `estimator`: `pitman`, `zayatz`, `snb`, or `dankar` for whichever of them
//! fits the sampling fraction. The population's size must be known.
//!
//! # Complexity
//! O(different class sizes + largest class) where a kept record is alone in its class, with a hundred
//! or so iterations of it for Pitman's estimator; O(1) where none is.
//!
//! # References
//! Dankar et al. 2012, "Estimating the re-identification risk of clinical data sets".
//!
//! # Deviations
//! None of the estimates needs to fall where classes merge: every node is judged by itself. Without a
//! unique in the sample all of them are 0, so the model holds.

use velamen_contract::model::population_uniqueness::{PopulationUniquenessParams, TERMS};
use velamen_core::error::Problem;
use velamen_core::uniqueness::{Estimator, Sample, estimate};

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero,
    parse_checked, schema_of,
};

impl Checkable for PopulationUniquenessParams {
    fn check(&self) -> Result<(), Problem> {
        check_from_zero("share", self.share)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        let population = distribution
            .population
            .ok_or_else(|| "needs the population's size: [population] size = … or path = \"…\"".to_owned())?;
        if population.size < distribution.records {
            return Err(
                "the population has fewer records than the input, which is to be a sample of it".into()
            );
        }
        let PopulationUniquenessParams { share, estimator } = *self;
        Ok(Judge::table(AtMost { share, estimator, population: population.size }))
    }
}

#[derive(Debug)]
struct AtMost {
    share: f64,
    estimator: Estimator,
    population: u64,
}

impl TableModel for AtMost {
    fn holds(&self, sizes: &Sizes) -> bool {
        let unique = sizes.first().is_some_and(|size| size.0 == 1);
        !unique || self.estimated(sizes) <= self.share * (1.0 + ROUNDING)
    }
}

impl AtMost {
    /// The share of the population that is unique; everybody where the sample is no sample of it.
    fn estimated(&self, sizes: &Sizes) -> f64 {
        Sample::new(sizes, self.population).map_or(1.0, |sample| estimate(&sample, self.estimator).share)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::None,
    parse: |value| parse_checked::<PopulationUniquenessParams>(TERMS.name, value),
    schema: schema_of::<PopulationUniquenessParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Population, find};
    use super::*;

    fn bind(parameters: Value, records: u64, size: Option<u64>) -> Result<Judge, String> {
        let population = size.map(|size| Population { size, table: false });
        let distribution = Distribution { records, population, ..Distribution::default() };
        (find("population-uniqueness").unwrap().parse)(parameters).unwrap().bind(&distribution)
    }

    fn holds(share: f64, estimator: &str, sizes: &Sizes, size: u64) -> bool {
        let records = sizes.iter().map(|size| size.0 * size.1).sum();
        let parameters = json!({ "share": share, "estimator": estimator });
        match bind(parameters, records, Some(size)) {
            Ok(Judge::Table(model)) => model.holds(sizes),
            other => panic!("no model of the table: {other:?}"),
        }
    }

    #[test]
    fn a_whole_population_shows_its_uniques() {
        for estimator in ["pitman", "zayatz", "snb", "dankar"] {
            assert!(holds(0.2, estimator, &[(1, 2), (4, 2)], 10), "{estimator}");
            assert!(!holds(0.19, estimator, &[(1, 2), (4, 2)], 10), "{estimator}");
        }
    }

    #[test]
    fn without_uniques_it_holds_as_the_estimators_have_it() {
        let sizes = [(2, 3), (5, 1)];
        for estimator in [Estimator::Pitman, Estimator::Zayatz, Estimator::Snb, Estimator::Dankar] {
            let model = AtMost { share: 0.0, estimator, population: 1000 };
            assert_eq!(model.estimated(&sizes), 0.0);
            assert!(model.holds(&sizes) && model.holds(&[]));
        }
    }

    #[test]
    fn a_smaller_sample_of_a_larger_population_says_less() {
        // Bayes' rule by hand for N = 20: s₁ = 2 of n = 10, P(1 | 4)/P(1 | 1) = 4·(10·9·8)/(19·18·17).
        let ratio: f64 = 4.0 * 720.0 / 5814.0;
        let share = 2.0 * (2.0 / (2.0 + 2.0 * ratio)) / 0.5 / 20.0;
        assert!(holds(share + 1e-9, "zayatz", &[(1, 2), (4, 2)], 20));
        assert!(!holds(share - 1e-9, "zayatz", &[(1, 2), (4, 2)], 20));
    }

    #[test]
    fn the_population_must_be_known_and_large_enough() {
        let asked = || json!({ "share": 0.1 });
        assert!(bind(asked(), 10, None).unwrap_err().contains("[population]"));
        assert!(bind(asked(), 10, Some(9)).unwrap_err().contains("fewer"));
        assert!(bind(asked(), 10, Some(10)).is_ok());
        let parse = find("population-uniqueness").unwrap().parse;
        assert!(
            parse(json!({ "share": 1.0 })).is_err()
                && parse(json!({ "share": 0.1, "estimator": "x" })).is_err()
        );
    }
}
