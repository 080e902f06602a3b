//! δ-presence.
//!
//! # Definition
//! min ≤ |E| / |E in the population| ≤ max for every class of the population, those without a
//! released record (share 0) included. Such a class cannot be suppressed: the node fails.
//!
//! # Parameters
//! `min`, `max`: shares, min at most max, max above 0. Needs a population table that contains the
//! released one.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Nergiz, Atzori & Clifton 2007, "Hiding the presence of individuals from shared databases".
//!
//! # Deviations
//! None.

use velamen_contract::model::delta_presence::{DeltaPresenceParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, check_share,
    parse_checked, schema_of,
};

impl Checkable for DeltaPresenceParams {
    fn check(&self) -> Result<(), Problem> {
        check_share("max", self.max)?;
        if !(0.0..=self.max).contains(&self.min) {
            return Err(Problem::of(&["min"], "min is a share, from 0 to max"));
        }
        Ok(())
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        match distribution.population {
            Some(population) if population.table => Ok(Judge::class(self.clone())),
            _ => Err("needs the population's table: [population] path = \"…\"".into()),
        }
    }
}

impl ClassModel for DeltaPresenceParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        let (size, population) = (class.size as f64, class.population as f64);
        size >= self.min * population * (1.0 - ROUNDING) && size <= self.max * population * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<DeltaPresenceParams>(TERMS.name, value),
    schema: schema_of::<DeltaPresenceParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_class_of_the_population_alone_has_share_0() {
        let model = (ENTRY.parse)(json!({ "min": 0.1, "max": 0.5 })).unwrap();
        assert!(model.bind(&Distribution::default()).is_err());
        let population = Some(super::super::Population { size: 20, table: true });
        let distribution = Distribution { population, ..Distribution::default() };
        let Judge::Class(model) = model.bind(&distribution).unwrap() else { unreachable!() };
        let holds = |size, population| model.holds(&Class { population, ..Class::new(size, &[]) });
        assert!(holds(1, 10) && holds(5, 10) && !holds(6, 10) && !holds(0, 10) && !holds(1, 11));
    }
}
