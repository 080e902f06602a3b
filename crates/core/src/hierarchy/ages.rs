//! Ages with the oldest in one group, as the HIPAA privacy rule wants them: `90` and above are `>=90`.
//!
//! # Summary
//! A short form of intervals from 0 with top coding.
//!
//! # Definition
//! Ages 0 … `max`; those from `age` up are coded as one value. The levels are intervals of `interval` years.
//! Where none are given they are those of 5, 10, 20, 30 and 40 years that nest and at which `age` begins one.
//!
//! # Parameters
//! `age`, the first coded age; `interval`; `max`, 120 where none is given.
//!
//! # Errors
//! A coded age outside 1 … `max`. What intervals and top coding refuse is refused by them.
//!
//! # Complexity
//! O(1).
//!
//! # References
//! [@hipaa164514], (b)(2)(i)(C)
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Definition, HierarchyError};
use crate::error::Problem;

/// Ages as recipes write them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ages {
    /// Ages from here up are released as one value; the HIPAA privacy rule wants 90.
    pub age: f64,
    /// The widths of the levels; left out: those of 5, 10, 20, 30, 40 that nest and begin at `age`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Vec<f64>>,
    /// The greatest age there can be; 120 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// Nobody is older.
const OLDEST: f64 = 120.0;

impl Ages {
    /// The intervals, and the bound from which ages are coded.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if the coded age is not one from 1 to `max`.
    pub fn definition(&self) -> Result<(Definition, f64), HierarchyError> {
        let max = self.max.unwrap_or(OLDEST);
        if !(self.age >= 1.0 && self.age < max && self.age.fract() == 0.0) {
            let problem = format!(
                "`age` is the first age that is coded, a whole number from 1 to below {max}: {{ age = 90 }}"
            );
            return Err(HierarchyError::Parameters(Problem::of(&["age"], problem)));
        }
        let interval = self.interval.clone().unwrap_or_else(|| usual_widths(self.age));
        Ok((Definition::Interval { interval, min: 0.0, max, decimals: 0 }, self.age))
    }
}

fn usual_widths(age: f64) -> Vec<f64> {
    let mut widths: Vec<f64> = Vec::new();
    for width in [5.0, 10.0, 20.0, 30.0, 40.0] {
        if age % width == 0.0 && widths.last().is_none_or(|last| width % last == 0.0) {
            widths.push(width);
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_begin_at_the_coded_age() {
        assert_eq!(usual_widths(90.0), [5.0, 10.0, 30.0]);
        assert_eq!(usual_widths(80.0), [5.0, 10.0, 20.0, 40.0]);
        assert_eq!((usual_widths(85.0), usual_widths(89.0)), (vec![5.0], vec![]));
    }

    #[test]
    fn the_coded_age_lies_in_the_domain() {
        let of = |age| Ages { age, interval: None, max: None }.definition();
        let interval = vec![5.0, 10.0, 30.0];
        assert_eq!(
            of(90.0),
            Ok((Definition::Interval { interval, min: 0.0, max: 120.0, decimals: 0 }, 90.0))
        );
        for age in [0.0, 120.0, 89.5, f64::NAN] {
            assert!(of(age).is_err());
        }
    }
}
