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
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, check_positive,
    lost_beyond, parse_checked, schema_of,
};

impl Checkable for EnhancedBetaLikenessParams {
    fn check(&self) -> Result<(), Problem> {
        check_positive("beta", self.beta)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(Bounds { beta: self.beta, shares: distribution.shares() }))
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
        lost_beyond(class, |value| {
            let p = self.shares[value as usize];
            p * (1.0 + self.beta.min(-p.ln()))
        })
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
