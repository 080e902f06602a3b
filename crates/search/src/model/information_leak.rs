//! Information leak of the quasi-identifiers.
//!
//! # Definition
//! Everyone of the n kept records is equally likely to be the one looked for: S₀ = log₂ n bits. Who knows the released
//! quasi-identifiers is left with a class: ΔS = Σ (|E|/n)(log₂ n − log₂ |E|). ΔS/S₀ is at most `share`; it is 0 where n is 1.
//! Some of the attributes never leak more than all.
//!
//! # Parameters
//! `share`: from 0 and below 1.
//!
//! # Complexity
//! O(different class sizes).
//!
//! # References
//! Longpré, Kreinovich & Dumrongpokaphan 2017, "Entropy as a measure of average loss of privacy"; as used by
//! Arca & Hewett 2021, section 3.1.
//!
//! # Deviations
//! Suppressed records are in no class and left out. ΔS never rises where classes merge, so it is searched as monotone without
//! suppression.

use velamen_contract::model::information_leak::{InformationLeakParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero,
    parse_checked, schema_of,
};

impl Checkable for InformationLeakParams {
    fn check(&self) -> Result<(), Problem> {
        check_from_zero("share", self.share)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for InformationLeakParams {
    fn holds(&self, sizes: &Sizes) -> bool {
        let records = sizes.iter().map(|size| size.0 * size.1).sum::<u64>() as f64;
        let leak: f64 =
            sizes.iter().map(|&(size, classes)| bits(size as f64, records) * classes as f64).sum();
        // Of no record and of one nothing can be learnt.
        records <= 1.0 || leak <= records.log2() * (self.share + ROUNDING)
    }
}

/// What a class adds to ΔS.
fn bits(size: f64, records: f64) -> f64 {
    size / records * (records.log2() - size.log2())
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<InformationLeakParams>(TERMS.name, value),
    schema: schema_of::<InformationLeakParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::table_holds;

    #[test]
    fn the_papers_leak_of_sex() {
        // 27 women and 33 men of 60 leak 0.993 of 5.907 bits: 0.168.
        let holds =
            |share: f64| table_holds("information-leak", json!({ "share": share }), &[(27, 1), (33, 1)]);
        assert!(holds(0.1681) && !holds(0.168));
        // One class leaks nothing, and everybody alone all.
        assert!(table_holds("information-leak", json!({ "share": 0.0 }), &[(60, 1)]));
        assert!(!table_holds("information-leak", json!({ "share": 0.999 }), &[(1, 60)]));
        assert!(table_holds("information-leak", json!({ "share": 0.0 }), &[(1, 1)]));
    }
}
