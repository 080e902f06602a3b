//! Entropy l-diversity.
//!
//! # Definition
//! At least l distinct sensitive values, and −Σ q ln q ≥ ln l over the shares q in the class.
//!
//! # Parameters
//! `l`: The least effective number of sensitive values in a class, above 1.
//!
//! # Complexity
//! O(values in the class).
//!
//! # References
//! Machanavajjhala et al. 2007, "l-diversity".
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::entropy_l_diversity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, at_least, parse_as,
    schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntropyLDiversityParams {
    /// The least effective number of sensitive values in a class, above 1.
    l: f64,
}

#[derive(Debug, Clone)]
struct EntropyLDiversity(EntropyLDiversityParams);

impl TryFrom<EntropyLDiversityParams> for EntropyLDiversity {
    type Error = String;

    fn try_from(params: EntropyLDiversityParams) -> Result<Self, String> {
        if params.l.is_nan() || params.l <= 1.0 || params.l.is_infinite() {
            return Err("l must be above 1".into());
        }
        Ok(Self(params))
    }
}

impl Model for EntropyLDiversity {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.0.l.ceil() as u64
    }
}

impl ClassModel for EntropyLDiversity {
    fn holds(&self, class: &Class<'_>) -> bool {
        let size = class.size as f64;
        let entropy: f64 = class.sensitive.iter().map(|cell| cell.1 as f64 / size).map(|q| -q * q.ln()).sum();
        class.sensitive.len() as f64 >= self.0.l && entropy >= self.0.l.ln() - ROUNDING
    }

    /// Entropy is concave and at least 0: with a share σ lost, H ≥ (1 − σ)·ln l.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let size = class.size as f64;
        let entropy: f64 = class.sensitive.iter().map(|cell| cell.1 as f64 / size).map(|q| -q * q.ln()).sum();
        at_least(size * (1.0 - entropy / self.0.l.ln()), class)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<EntropyLDiversityParams, EntropyLDiversity>(TERMS.name, value),
    schema: schema_of::<EntropyLDiversityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn equal_shares_of_l_values_just_hold() {
        let model = bound("entropy-l-diversity", json!({ "l": 3 }), &[]);
        assert!(holds(&model, &[1, 1, 1]) && holds(&model, &[7, 7, 7]) && !holds(&model, &[2, 1, 1]));
    }
}
