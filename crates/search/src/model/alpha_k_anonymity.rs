//! (α, k)-anonymity.
//!
//! # Definition
//! |E| ≥ k and every sensitive value's share q of the class is at most α.
//!
//! # Parameters
//! `alpha`: The largest share of one sensitive value in a class, above 0 and at most 1.
//! `k`: The least class size, at least 2.
//!
//! # Complexity
//! O(values in the class).
//!
//! # References
//! Wong et al. 2006, "(α, k)-anonymity".
//!
//! # Deviations
//! None.

use velamen_contract::model::alpha_k_anonymity::{AlphaKAnonymityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, at_least, check_k,
    check_share, excess, parse_checked, schema_of,
};

impl Checkable for AlphaKAnonymityParams {
    fn check(&self) -> Result<(), Problem> {
        check_k(self.k)?;
        check_share("alpha", self.alpha)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.k
    }
}

impl ClassModel for AlphaKAnonymityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.k && self.holds_of_values(class)
    }

    fn holds_of_values(&self, class: &Class<'_>) -> bool {
        let most = class.sensitive.iter().map(|cell| cell.1).max().unwrap_or(0);
        most as f64 <= self.alpha * class.size as f64 * (1.0 + ROUNDING)
    }

    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let most = class.sensitive.iter().map(|cell| cell.1).max().unwrap_or(0);
        if class.size < self.k { class.size } else { at_least(excess(most, self.alpha, class), class) }
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<AlphaKAnonymityParams>(TERMS.name, value),
    schema: schema_of::<AlphaKAnonymityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};
    use super::*;

    #[test]
    fn the_commonest_value_counts() {
        let model = bound("alpha-k-anonymity", json!({ "alpha": 0.5, "k": 4 }), &[]);
        assert!(holds(&model, &[2, 1, 1]) && !holds(&model, &[3, 1, 1]) && !holds(&model, &[1, 1, 1]));
        assert!((ENTRY.parse)(json!({ "alpha": 0.0, "k": 4 })).is_err());
    }
}
