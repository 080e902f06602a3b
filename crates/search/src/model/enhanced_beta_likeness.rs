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

use velamen_contract::model::enhanced_beta_likeness::{EnhancedBetaLikenessParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, RelativeGain, check_positive, parse_checked,
    schema_of,
};

impl Checkable for EnhancedBetaLikenessParams {
    fn check(&self) -> Result<(), Problem> {
        check_positive("beta", self.beta)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(RelativeGain::new(distribution, |share| self.beta.min(-share.ln()))))
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<EnhancedBetaLikenessParams>(TERMS.name, value),
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
