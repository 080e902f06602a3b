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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::alpha_k_anonymity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, at_least, check_k,
    check_share, excess, parse_as, schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AlphaKAnonymityParams {
    /// The largest share of one sensitive value in a class, above 0 and at most 1.
    alpha: f64,
    /// The least class size, at least 2.
    k: u64,
}

#[derive(Debug, Clone)]
struct AlphaKAnonymity(AlphaKAnonymityParams);

impl TryFrom<AlphaKAnonymityParams> for AlphaKAnonymity {
    type Error = String;

    fn try_from(params: AlphaKAnonymityParams) -> Result<Self, String> {
        check_k(params.k)?;
        check_share("alpha", params.alpha)?;
        Ok(Self(params))
    }
}

impl Model for AlphaKAnonymity {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.0.k
    }
}

impl ClassModel for AlphaKAnonymity {
    fn holds(&self, class: &Class<'_>) -> bool {
        let most = class.sensitive.iter().map(|cell| cell.1).max().unwrap_or(0);
        class.persons >= self.0.k && most as f64 <= self.0.alpha * class.size as f64 * (1.0 + ROUNDING)
    }

    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let most = class.sensitive.iter().map(|cell| cell.1).max().unwrap_or(0);
        if class.persons < self.0.k { class.size } else { at_least(excess(most, self.0.alpha, class), class) }
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<AlphaKAnonymityParams, AlphaKAnonymity>(TERMS.name, value),
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
