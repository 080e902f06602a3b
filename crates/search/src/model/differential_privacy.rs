//! (ε, δ)-differential privacy.
//!
//! # Definition
//! For any two tables that differ in one record and any set of releases, P(release in the set) for the
//! one is at most e^ε times that for the other, plus δ.
//!
//! # Parameters
//! `epsilon`: above 0. `delta`: from 0 and below 1; left out: 0, which is pure differential privacy.
//!
//! # Complexity
//! None: no table meets it or fails it.
//!
//! # References
//! Dwork et al. 2006, "Calibrating noise to sensitivity in private data analysis".
//!
//! # Deviations
//! A property of how a release is made, not of the release: it is kept by the methods `ipa`
//! ([`crate::method::ipa::private`]), `contingency-table` ([`crate::method::contingency_table`]) and `safe-pub`
//! ([`crate::method::safe_pub`], for δ above 0), and bound to no table.

use velamen_contract::model::differential_privacy::{DifferentialPrivacyParams, TERMS};
use velamen_core::error::Problem;
use velamen_dp::Rational;

use super::{Checkable, Distribution, Entry, Judge, Monotonicity, parse_checked, schema_of};

impl Checkable for DifferentialPrivacyParams {
    fn check(&self) -> Result<(), Problem> {
        for (name, number) in [("epsilon", self.epsilon), ("delta", self.delta)] {
            let rational = Rational::from_decimal(number)
                .map_err(|error| Problem::of(&[name], format!("{name}: {error}")))?;
            if name == "epsilon" && rational == Rational::ZERO {
                return Err(Problem::of(&["epsilon"], "epsilon must be above 0"));
            }
        }
        if self.delta >= 1.0 {
            return Err(Problem::of(&["delta"], "delta is a probability, from 0 and below 1"));
        }
        Ok(())
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Err("is a property of a method, such as name = \"ipa\" or \"safe-pub\", and not of a table".into())
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::None,
    parse: |value| parse_checked::<DifferentialPrivacyParams>(TERMS.name, value),
    schema: schema_of::<DifferentialPrivacyParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Distribution, find};

    #[test]
    fn parameters_are_checked_and_no_table_is_bound() {
        let parse = find("differential-privacy").unwrap().parse;
        let model = parse(json!({ "epsilon": 1.0, "delta": 1e-5 })).unwrap();
        assert!(model.bind(&Distribution::default()).unwrap_err().contains("safe-pub"));
        assert_eq!(parse(json!({ "epsilon": 1.0 })).unwrap().parameters()["delta"], 0.0);
        for (epsilon, delta) in [(0.0, 1e-5), (-1.0, 1e-5), (1.0, -1e-5), (1.0, 1.0), (1.0, 1e-30)] {
            assert!(parse(json!({ "epsilon": epsilon, "delta": delta })).is_err(), "{epsilon} {delta}");
        }
    }
}
