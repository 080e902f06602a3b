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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::differential_privacy::TERMS;
use velamen_dp::Rational;

use super::{Distribution, Entry, Judge, Model, Monotonicity, parse_as, schema_of, to_value};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DifferentialPrivacyParams {
    /// The logarithm of the ratio by which one record may change a probability, above 0.
    epsilon: f64,
    /// The probability that may fall outside that ratio, from 0 and below 1; 0 if left out.
    #[serde(default)]
    delta: f64,
}

#[derive(Debug, Clone)]
struct DifferentialPrivacy(DifferentialPrivacyParams);

impl TryFrom<DifferentialPrivacyParams> for DifferentialPrivacy {
    type Error = String;

    fn try_from(params: DifferentialPrivacyParams) -> Result<Self, String> {
        for (name, number) in [("epsilon", params.epsilon), ("delta", params.delta)] {
            let rational = Rational::from_decimal(number).map_err(|error| format!("{name}: {error}"))?;
            if name == "epsilon" && rational == Rational::ZERO {
                return Err("epsilon must be above 0".into());
            }
        }
        if params.delta >= 1.0 {
            return Err("delta is a probability, from 0 and below 1".into());
        }
        Ok(Self(params))
    }
}

impl Model for DifferentialPrivacy {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Err("is a property of the method, not of a table: choose [method] name = \"ipa\" or \"safe-pub\""
            .into())
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::None,
    parse: |value| parse_as::<DifferentialPrivacyParams, DifferentialPrivacy>(TERMS.name, value),
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
