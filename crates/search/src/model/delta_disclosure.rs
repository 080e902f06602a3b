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

use velamen_contract::model::delta_disclosure::{DeltaDisclosureParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, check_positive, lost_beyond,
    parse_checked, schema_of,
};

impl Checkable for DeltaDisclosureParams {
    fn check(&self) -> Result<(), Problem> {
        check_positive("delta", self.delta)
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(Bounds { delta: self.delta, shares: distribution.shares() }))
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
        lost_beyond(class, |value| self.shares[value as usize] * self.delta.exp2())
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::None,
    parse: |value| parse_checked::<DeltaDisclosureParams>(TERMS.name, value),
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
