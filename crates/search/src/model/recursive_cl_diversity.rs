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

use velamen_contract::model::recursive_cl_diversity::{RecursiveClDiversityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, at_least, check_l,
    check_positive, parse_checked, schema_of,
};

impl Checkable for RecursiveClDiversityParams {
    fn check(&self) -> Result<(), Problem> {
        check_positive("c", self.c)?;
        check_l(self.l)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.l
    }
}

impl ClassModel for RecursiveClDiversityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        !class.is_certain()
            && (most(class) as f64) < self.c * rarer(self.l, class)
            && class.distinct(self.l) >= self.l
    }

    /// Removing records never adds to the rarer ones, so r₁ − s < c · (r_l + … + r_m).
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        at_least(most(class) as f64 - self.c * rarer(self.l, class), class)
    }
}

/// r₁: how many have the most frequent value.
fn most(class: &Class<'_>) -> u64 {
    class.sensitive.iter().map(|cell| cell.1).max().unwrap_or(0)
}

/// r_l + … + r_m, in descending order: of people with several values, each counts as one.
fn rarer(l: u64, class: &Class<'_>) -> f64 {
    let skipped = usize::try_from(l - 1).unwrap_or(usize::MAX);
    if class.pairs.is_empty() {
        let mut counts: Vec<u64> = class.sensitive.iter().map(|cell| cell.1).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        return counts.iter().skip(skipped).sum::<u64>() as f64;
    }
    let mut shares: Vec<f64> = class.spread().map(|(_, share)| share).collect();
    shares.sort_unstable_by(|a, b| b.total_cmp(a));
    shares.iter().skip(skipped).sum::<f64>() * class.size as f64
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<RecursiveClDiversityParams>(TERMS.name, value),
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
