//! Class sizes and k-anonymity.
//!
//! # Definition
//! k = min |E| over the equivalence classes E. Mean class size = n / classes.
//!
//! # Errors
//! None. A table without classes has no least, mean or largest class and no k.
//!
//! # Complexity
//! O(classes) time, O(1) memory.
//!
//! # References
//! L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal of Uncertainty, Fuzziness
//! and Knowledge-Based Systems 10(5), 2002, Definition 3.
//!
//! # Deviations
//! None. A class is what the caller grouped: records, or people where a person can have several.

/// Records in all classes, each counted where it is. Range: 0 and up.
pub fn records(sizes: &[u64]) -> u64 {
    sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size))
}

/// The k of k-anonymity: the size of the least class. Range: 1 to n.
///
/// ```
/// assert_eq!(velamen_measure::measure::class_size::k(&[4, 2, 9]), Some(2));
/// ```
pub fn k(sizes: &[u64]) -> Option<u64> {
    sizes.iter().copied().min()
}

/// The mean class size. Range: 1 to n.
pub fn mean(sizes: &[u64]) -> Option<f64> {
    (!sizes.is_empty()).then(|| records(sizes) as f64 / sizes.len() as f64)
}

/// The size of the largest class. Range: 1 to n.
pub fn largest(sizes: &[u64]) -> Option<u64> {
    sizes.iter().copied().max()
}
