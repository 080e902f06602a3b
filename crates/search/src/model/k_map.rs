//! k-map.
//!
//! # Definition
//! Every class has at least k records in the population: as counted in the population's table, or as
//! estimated from its size N. The estimate takes a class's sample size to be Poisson with mean k·n/N if the
//! class has k records in the population. It asks for a sample size that would be reached with a
//! probability of at most `significance` if it had no more: the least s with P(X ≥ s) ≤ significance, or k if that is
//! less. `zero-truncated-poisson` takes into account that only classes of at least one record are
//! seen.
//!
//! # Parameters
//! `k`: at least 2. `estimate`: `poisson` or `zero-truncated-poisson`, only where the population's
//! size, not its table, is given. `significance`: above 0 and below 1, 0.05 if left out.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Sweeney 2001, "Computational disclosure control" (k-map); El Emam & Dankar 2008, "Protecting
//! privacy using k-anonymity" (the estimate).
//!
//! # Deviations
//! None.

use serde_json::Value;
use velamen_contract::model::k_map::{Estimate, KMapParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, check_k, parse_as, schema_of,
    to_value,
};

#[derive(Debug, Clone)]
struct KMap(KMapParams);

impl TryFrom<KMapParams> for KMap {
    type Error = Problem;

    fn try_from(params: KMapParams) -> Result<Self, Problem> {
        check_k(params.k)?;
        if !(params.significance > 0.0 && params.significance < 1.0) {
            return Err(Problem::of(&["significance"], "significance is a probability, above 0 and below 1"));
        }
        Ok(Self(params))
    }
}

impl Model for KMap {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        match (distribution.population, self.0.estimate) {
            (Some(population), None) if population.table => Ok(Judge::class(self.clone())),
            (Some(population), Some(estimate)) => {
                let fraction = (distribution.records as f64 / population.size as f64).min(1.0);
                Ok(Judge::class(LeastSample(self.least_sample(estimate, fraction))))
            }
            (Some(_), None) => {
                Err("needs `estimate`, or the population's table: [population] path = \"…\"".into())
            }
            (None, _) => Err("needs the population: [population] path = \"…\" or size = …".into()),
        }
    }
}

impl KMap {
    /// The least sample size of a class for which k-map is taken to hold.
    fn least_sample(&self, estimate: Estimate, fraction: f64) -> u64 {
        let lambda = self.0.k as f64 * fraction;
        let (mut probability, mut below) = ((-lambda).exp(), 0.0);
        let seen = if estimate == Estimate::Poisson { 1.0 } else { -(-lambda).exp_m1() };
        for size in 0..self.0.k {
            // `below` is P(X < size); the rest must be rare enough.
            if size > 0 && 1.0 - below / seen <= self.0.significance {
                return size;
            }
            if size > 0 || estimate == Estimate::Poisson {
                below += probability;
            }
            probability *= lambda / (size + 1) as f64;
        }
        self.0.k
    }
}

impl ClassModel for KMap {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size == 0 || class.population >= self.0.k
    }
}

#[derive(Debug)]
struct LeastSample(u64);

impl ClassModel for LeastSample {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size == 0 || class.size >= self.0
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_as::<KMapParams, KMap>(TERMS.name, value),
    schema: schema_of::<KMapParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_the_population() {
        let model = KMap::try_from(KMapParams { k: 5, estimate: None, significance: 0.05 }).unwrap();
        let holds =
            |size, population| ClassModel::holds(&model, &Class { population, ..Class::new(size, &[]) });
        assert!(holds(1, 5) && !holds(4, 4) && holds(0, 1));
    }

    #[test]
    fn the_estimate_is_a_quantile() {
        // λ = 10·0.1 = 1: P(X ≥ 3) = 0.0803, P(X ≥ 4) = 0.0190; given X ≥ 1 that is 0.127 and 0.030.
        let least = |estimate| {
            let params = json!({ "k": 10, "estimate": estimate });
            let model = (ENTRY.parse)(params).unwrap();
            let population = Some(super::super::Population { size: 1000, table: false });
            let distribution = Distribution { records: 100, population, ..Distribution::default() };
            let Judge::Class(model) = model.bind(&distribution).unwrap() else { unreachable!() };
            (1..=10).find(|&size| model.holds(&Class::new(size, &[]))).unwrap()
        };
        assert_eq!((least("poisson"), least("zero-truncated-poisson")), (4, 4));
    }

    #[test]
    fn a_census_is_its_own_population() {
        let model = KMap::try_from(KMapParams { k: 3, estimate: None, significance: 0.05 }).unwrap();
        assert_eq!(model.least_sample(Estimate::Poisson, 1.0), 3);
        assert!(model.least_sample(Estimate::Poisson, 1e-6) <= 2);
    }
}
