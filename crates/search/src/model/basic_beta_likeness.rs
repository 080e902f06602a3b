//! Basic β-likeness.
//!
//! # Definition
//! (q − p)/p ≤ β for every sensitive value whose share q in the class exceeds its share p in the table.
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

use velamen_contract::model::basic_beta_likeness::{BasicBetaLikenessParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, check_positive,
    lost_beyond, parse_checked, schema_of,
};

impl Checkable for BasicBetaLikenessParams {
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
            q <= p || (q - p) / p <= self.beta + ROUNDING
        })
    }

    /// A value's share in the parts that hold is at most its bound, so it is in all of them together.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        lost_beyond(class, |value| self.shares[value as usize] * (1.0 + self.beta))
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<BasicBetaLikenessParams>(TERMS.name, value),
    schema: schema_of::<BasicBetaLikenessParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn gains_are_relative() {
        let model = bound("basic-beta-likeness", json!({ "beta": 1.0 }), &[1, 3]);
        assert!(holds(&model, &[1, 1]) && !holds(&model, &[2, 1]) && holds(&model, &[0, 1]));
    }
}
