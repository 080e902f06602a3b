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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::distinct_l_diversity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, parse_as, schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DistinctLDiversityParams {
    /// The least number of distinct sensitive values in a class, at least 2.
    l: u64,
}

#[derive(Debug, Clone)]
struct DistinctLDiversity(DistinctLDiversityParams);

impl TryFrom<DistinctLDiversityParams> for DistinctLDiversity {
    type Error = String;

    fn try_from(params: DistinctLDiversityParams) -> Result<Self, String> {
        if params.l < 2 {
            return Err("l must be at least 2".into());
        }
        Ok(Self(params))
    }
}

impl Model for DistinctLDiversity {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.0.l
    }
}

impl ClassModel for DistinctLDiversity {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.sensitive.len() as u64 >= self.0.l
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_as::<DistinctLDiversityParams, DistinctLDiversity>(TERMS.name, value),
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
