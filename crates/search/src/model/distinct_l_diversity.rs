//! Distinct l-diversity.
//!
//! # Definition
//! The class has at least l distinct sensitive values.
//!
//! # Parameters
//! `l`: The least number of distinct sensitive values in a class, at least 2.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Machanavajjhala et al. 2007, "l-diversity".
//!
//! # Deviations
//! None.

use velamen_contract::model::distinct_l_diversity::{DistinctLDiversityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, check_l, parse_checked, schema_of,
};

impl Checkable for DistinctLDiversityParams {
    fn check(&self) -> Result<(), Problem> {
        check_l(self.l)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.l
    }
}

impl ClassModel for DistinctLDiversityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        !class.is_certain() && class.distinct(self.l) >= self.l
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_checked::<DistinctLDiversityParams>(TERMS.name, value),
    schema: schema_of::<DistinctLDiversityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn counts_values_not_records() {
        let model = bound("distinct-l-diversity", json!({ "l": 3 }), &[]);
        assert!(holds(&model, &[9, 1, 1]) && !holds(&model, &[9, 9]));
    }
}
