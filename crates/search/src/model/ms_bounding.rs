//! MS(k, θ*)-bounding.
//!
//! # Definition
//! |E| ≥ k, and each sensitive value's share in the class is at most its own bound θ.
//!
//! # Parameters
//! `k`: The least class size, at least 2.
//! `theta`: The largest share of each sensitive value named, above 0 and at most 1; others are not bounded.
//!
//! # Complexity
//! O(values in the class).
//!
//! # References
//! Jin et al. 2010, "Versatile publishing for privacy preservation"; named as future work in Lee 2017.
//!
//! # Deviations
//! None.

use velamen_contract::model::ms_bounding::{MsBoundingParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, ROUNDING, check_k, check_share,
    lost_beyond, parse_checked, schema_of,
};

impl Checkable for MsBoundingParams {
    fn check(&self) -> Result<(), Problem> {
        check_k(self.k)?;
        self.theta.values().try_for_each(|&theta| check_share("theta", theta))?;
        Ok(())
    }

    fn bind(&self, distribution: &Distribution<'_>) -> Result<Judge, String> {
        if self.theta.keys().any(|name| !distribution.values.contains(name)) {
            return Err("theta names a value that the attribute does not have".into());
        }
        let bound = |value: &String| self.theta.get(value).copied().unwrap_or(1.0);
        Ok(Judge::class(Bounds { k: self.k, bounds: distribution.values.iter().map(bound).collect() }))
    }

    fn least_size(&self) -> u64 {
        self.k
    }
}

#[derive(Debug)]
struct Bounds {
    k: u64,
    bounds: Vec<f64>,
}

impl ClassModel for Bounds {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.k && self.holds_of_values(class)
    }

    fn holds_of_values(&self, class: &Class<'_>) -> bool {
        let within = |cell: &(u32, u64)| {
            cell.1 as f64 <= self.bounds[cell.0 as usize] * class.size as f64 * (1.0 + ROUNDING)
        };
        class.sensitive.iter().all(within)
    }

    fn least_lost(&self, class: &Class<'_>) -> u64 {
        if class.size < self.k {
            return class.size;
        }
        lost_beyond(class, |value| self.bounds[value as usize])
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<MsBoundingParams>(TERMS.name, value),
    schema: schema_of::<MsBoundingParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};
    use super::*;

    #[test]
    fn each_value_has_its_own_bound() {
        let model = bound("ms-bounding", json!({ "k": 2, "theta": { "1": 0.25 } }), &[4, 4]);
        assert!(holds(&model, &[3, 1]) && !holds(&model, &[2, 2]) && !holds(&model, &[1, 0]));
        let unknown = (ENTRY.parse)(json!({ "k": 2, "theta": { "x": 0.25 } })).unwrap();
        let values = ["0".to_owned()];
        assert!(
            unknown.bind(&Distribution { values: &values, counts: &[1], ..Distribution::default() }).is_err()
        );
    }
}
