//! Enhanced β-likeness.
//!
//! # Definition
//! (q − p)/p ≤ min(β, −ln p) for every sensitive value whose share q in the class exceeds its share
//! p in the table.
//!
//! # Parameters
//! `beta`: The largest relative gain of any share, above 0.
//!
//! # Complexity
//! O(values in the class).
//!
//! # References
//! Cao & Karras 2012, "Publishing microdata with a robust privacy guarantee".
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::enhanced_beta_likeness::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, at_least, check_positive,
    excess, parse_as, schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnhancedBetaLikenessParams {
    /// The largest relative gain of any share, above 0.
    beta: f64,
}

#[derive(Debug, Clone)]
struct EnhancedBetaLikeness(EnhancedBetaLikenessParams);

impl TryFrom<EnhancedBetaLikenessParams> for EnhancedBetaLikeness {
    type Error = String;

    fn try_from(params: EnhancedBetaLikenessParams) -> Result<Self, String> {
        check_positive("beta", params.beta)?;
        Ok(Self(params))
    }
}

impl Model for EnhancedBetaLikeness {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(Bounds { beta: self.0.beta, shares: distribution.shares() }))
    }
}

#[derive(Debug)]
struct Bounds {
    beta: f64,
    shares: Vec<f64>,
}

impl ClassModel for Bounds {
    fn holds(&self, class: &Class<'_>) -> bool {
        let size = class.size as f64;
        class.sensitive.iter().all(|&(value, count)| {
            let (p, q) = (self.shares[value as usize], count as f64 / size);
            q <= p || (q - p) / p <= self.beta.min(-p.ln()) + ROUNDING
        })
    }

    /// A value's share in the parts that hold is at most its bound, so it is in all of them together.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let lost = |&(value, count): &(u32, u64)| {
            let p = self.shares[value as usize];
            excess(count, p * (1.0 + self.beta.min(-p.ln())), class)
        };
        at_least(class.sensitive.iter().map(lost).fold(0.0, f64::max), class)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<EnhancedBetaLikenessParams, EnhancedBetaLikeness>(TERMS.name, value),
    schema: schema_of::<EnhancedBetaLikenessParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn common_values_gain_less() {
        // p = ¾: −ln p = 0.288, so q may be at most 0.966.
        let model = bound("enhanced-beta-likeness", json!({ "beta": 1.0 }), &[1, 3]);
        assert!(holds(&model, &[1, 1]) && !holds(&model, &[0, 1]) && holds(&model, &[1, 20]));
    }
}
