//! δ-disclosure privacy.
//!
//! # Definition
//! |log₂(q/p)| < δ for every sensitive value that occurs in the class, q being its share in the
//! class and p its share in the table.
//!
//! # Parameters
//! `delta`: The bound on the change of any share, in bits, above 0.
//!
//! # Complexity
//! O(values in the class).
//!
//! # References
//! Brickell & Shmatikov 2008, "The cost of privacy".
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::delta_disclosure::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, at_least, check_positive, excess,
    parse_as, schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeltaDisclosureParams {
    /// The bound on the change of any share, in bits, above 0.
    delta: f64,
}

#[derive(Debug, Clone)]
struct DeltaDisclosure(DeltaDisclosureParams);

impl TryFrom<DeltaDisclosureParams> for DeltaDisclosure {
    type Error = String;

    fn try_from(params: DeltaDisclosureParams) -> Result<Self, String> {
        check_positive("delta", params.delta)?;
        Ok(Self(params))
    }
}

impl Model for DeltaDisclosure {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(Bounds { delta: self.0.delta, shares: distribution.shares() }))
    }
}

#[derive(Debug)]
struct Bounds {
    delta: f64,
    shares: Vec<f64>,
}

impl ClassModel for Bounds {
    fn holds(&self, class: &Class<'_>) -> bool {
        let size = class.size as f64;
        let change = |cell: &(u32, u64)| (cell.1 as f64 / size / self.shares[cell.0 as usize]).log2().abs();
        class.sensitive.iter().all(|cell| change(cell) < self.delta)
    }

    /// A value's share in the parts that hold is at most its bound, so it is in all of them together.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        let lost = |&(value, count): &(u32, u64)| {
            let p = self.shares[value as usize];
            excess(count, p * self.delta.exp2(), class)
        };
        at_least(class.sensitive.iter().map(lost).fold(0.0, f64::max), class)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::None,
    parse: |value| parse_as::<DeltaDisclosureParams, DeltaDisclosure>(TERMS.name, value),
    schema: schema_of::<DeltaDisclosureParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn absent_values_do_not_count() {
        let model = bound("delta-disclosure", json!({ "delta": 1.0 }), &[2, 2, 4]);
        // Shares ¼, ¼, ½ in the table: doubling is a change of exactly one bit.
        assert!(!holds(&model, &[1, 1, 0]) && holds(&model, &[1, 2, 4]));
    }
}
