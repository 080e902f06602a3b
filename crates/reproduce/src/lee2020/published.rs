//! What the paper prints of information loss, and how figures are compared with it.

use crate::text;

/// The reading by the paper's equations, the first one.
pub(super) const EQUATIONS: &str = "the paper's equations";
/// That of the authors' public program.
pub(super) const PROGRAM: &str = "as the authors' program has it";

/// The same on fewer patients; how many classes are small depends on their number.
pub(super) const PROGRAM_ON_FEWER: &str = "as the authors' program has it, on 100,000 patients";

/// IL as Figure 6 has it, by the name of the method.
pub(super) struct Published {
    pub(super) ipa: f64,
    pub(super) k_anonymity: f64,
    pub(super) histogram: f64,
}

pub(super) const PUBLISHED: Published = Published { ipa: 0.28, k_anonymity: 0.43, histogram: 0.69 };
/// The range of Figure 8a.
pub(super) const PUBLISHED_RANGE: (f64, f64) = (0.16, 0.38);

/// A published level counts as met up to this difference.
pub(super) const NEAR: f64 = 0.05;

/// Figures in a row, for a trend.
pub(super) fn listed(values: &[f64]) -> String {
    values.iter().map(|&value| text(value)).collect::<Vec<_>>().join(" / ")
}

/// Whether each is below the one before.
pub(super) fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > pair[1])
}
