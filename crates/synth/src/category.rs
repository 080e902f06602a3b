//! A row of the tables of diagnoses.

use crate::curves::Curve;
use crate::stay::Stay;

/// One three-character category of ICD-10.
#[derive(Debug)]
pub(crate) struct Category {
    pub(crate) code: &'static str,
    pub(crate) weight: u64,
    pub(crate) curve: &'static Curve,
    pub(crate) men_per_hundred: u64,
    pub(crate) surgery_per_thousand: u64,
    pub(crate) stay: Stay,
}

/// A row of the tables of categories.
pub(crate) const fn category(
    code: &'static str,
    weight: u64,
    curve: &'static Curve,
    men_per_hundred: u64,
    surgery_per_thousand: u64,
    stay: Stay,
) -> Category {
    Category { code, weight, curve, men_per_hundred, surgery_per_thousand, stay }
}
