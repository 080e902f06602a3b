//! Recursive (c, l)-diversity.
//!
//! # Definition
//! At least l distinct sensitive values, and r₁ < c · (r_l + … + r_m) for the counts r in descending order.
//!
//! # Parameters
//! `c`: How much more frequent the commonest value may be than the rarer ones together, above 0.
//! `l`: From which value in descending order the rarer ones begin, at least 2.
//!
//! # Complexity
//! O(values in the class · log).
//!
//! # References
//! Machanavajjhala et al. 2007, "l-diversity".
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::recursive_cl_diversity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, at_least, check_positive, parse_as,
    schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecursiveClDiversityParams {
    /// How much more frequent the commonest value may be than the rarer ones together, above 0.
    c: f64,
    /// From which value in descending order the rarer ones begin, at least 2.
    l: u64,
}

#[derive(Debug, Clone)]
struct RecursiveClDiversity(RecursiveClDiversityParams);

impl TryFrom<RecursiveClDiversityParams> for RecursiveClDiversity {
    type Error = String;

    fn try_from(params: RecursiveClDiversityParams) -> Result<Self, String> {
        check_positive("c", params.c)?;
        if params.l < 2 {
            return Err("l must be at least 2".into());
        }
        Ok(Self(params))
    }
}

impl Model for RecursiveClDiversity {
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

impl ClassModel for RecursiveClDiversity {
    fn holds(&self, class: &Class<'_>) -> bool {
        let mut counts: Vec<u64> = class.sensitive.iter().map(|cell| cell.1).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let rarer: u64 = counts.iter().skip(self.0.l as usize - 1).sum();
        counts.len() as u64 >= self.0.l && (counts[0] as f64) < self.0.c * rarer as f64
    }

    /// Removing records never adds to the rarer ones, so r₁ − s < c · (r_l + … + r_m).
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let mut counts: Vec<u64> = class.sensitive.iter().map(|cell| cell.1).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let rarer: u64 = counts.iter().skip(self.0.l as usize - 1).sum();
        at_least(counts.first().map_or(0.0, |&most| most as f64 - self.0.c * rarer as f64), class)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<RecursiveClDiversityParams, RecursiveClDiversity>(TERMS.name, value),
    schema: schema_of::<RecursiveClDiversityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn the_bound_is_strict() {
        let model = bound("recursive-cl-diversity", json!({ "c": 2.0, "l": 2 }), &[]);
        assert!(holds(&model, &[3, 1, 1]) && !holds(&model, &[4, 1, 1]) && !holds(&model, &[5]));
    }
}
