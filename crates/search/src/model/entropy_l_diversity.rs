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

use velamen_contract::model::entropy_l_diversity::{EntropyLDiversityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, at_least,
    parse_checked, schema_of,
};

impl Checkable for EntropyLDiversityParams {
    fn check(&self) -> Result<(), Problem> {
        if self.l.is_nan() || self.l <= 1.0 || self.l.is_infinite() {
            return Err(Problem::of(&["l"], "l must be above 1"));
        }
        Ok(())
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.l.ceil() as u64
    }
}

impl ClassModel for EntropyLDiversityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        let enough = self.l.ceil() as u64;
        entropy(class) >= self.l.ln() - ROUNDING && !class.is_certain() && class.distinct(enough) >= enough
    }

    /// Entropy is concave and at least 0: with a share σ lost, H ≥ (1 − σ)·ln l.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        at_least(class.size as f64 * (1.0 - entropy(class) / self.l.ln()), class)
    }
}

/// H of the shares that sum to 1.
fn entropy(class: &Class<'_>) -> f64 {
    class.spread().map(|(_, q)| -q * q.ln()).sum()
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<EntropyLDiversityParams>(TERMS.name, value),
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
