//! How strongly two attributes go together.
//!
//! # Summary
//! Cramér's V and mutual information of a table of counts, which need not be whole.
//!
//! # Definition
//! Of a table n_ij with n records, row sums r_i and column sums c_j: χ² = Σ (n_ij − e_ij)² / e_ij with
//! e_ij = r_i c_j / n; V = √(χ² / (n · min(R − 1, C − 1))), R and C the rows and columns that have records;
//! I = Σ n_ij/n · log₂(n_ij n / (r_i c_j)).
//!
//! # Parameters
//! The table, row by row.
//!
//! # Errors
//! None. Where a side has one row or column only, both figures are 0: nothing varies.
//!
//! # Complexity
//! O(cells).
//!
//! # References
//! Cramér 1946, p. 282.
//!
//! # Deviations
//! No correction for small samples: both tables are compared as they are.

/// How strongly two attributes go together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Association {
    /// Cramér's V, from 0 to 1.
    pub cramers_v: f64,
    /// The mutual information in bits.
    pub mutual_information: f64,
}

impl Association {
    /// Of a table of counts, row by row, `columns` to each.
    #[must_use]
    pub fn new(counts: &[f64], columns: usize) -> Self {
        let mut by_row = vec![0.0; counts.len() / columns.max(1)];
        let mut by_column = vec![0.0; columns];
        for (cell, count) in counts.iter().enumerate() {
            by_row[cell / columns] += count;
            by_column[cell % columns] += count;
        }
        let total: f64 = by_row.iter().sum();
        let (mut chi_squared, mut information) = (0.0, 0.0);
        for (cell, count) in counts.iter().enumerate() {
            let expected = by_row[cell / columns] * by_column[cell % columns] / total;
            if expected > 0.0 {
                chi_squared += (count - expected).powi(2) / expected;
            }
            if *count > 0.0 {
                information += count / total * (count / expected).log2();
            }
        }
        let occupied = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count();
        let freedom = occupied(&by_row).min(occupied(&by_column)).saturating_sub(1);
        if freedom == 0 {
            return Self::default();
        }
        let cramers_v = (chi_squared / (total * freedom as f64)).sqrt().min(1.0);
        Self { cramers_v, mutual_information: information.max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Rows 30, 70; columns 40, 60: expected 12, 18, 28, 42.
        let found = Association::new(&[20.0, 10.0, 20.0, 50.0], 2);
        let chi_squared = 64.0 / 12.0 + 64.0 / 18.0 + 64.0 / 28.0 + 64.0 / 42.0;
        assert!((found.cramers_v - f64::sqrt(chi_squared / 100.0)).abs() < 1e-15);
        let term = |n: f64, e: f64| n / 100.0 * (n / e).log2();
        let information = term(20.0, 12.0) + term(10.0, 18.0) + term(20.0, 28.0) + term(50.0, 42.0);
        assert!((found.mutual_information - information).abs() < 1e-15);
    }

    #[test]
    fn the_ends_of_the_scale() {
        let equal = Association::new(&[5.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0], 3);
        assert!((equal.cramers_v - 1.0).abs() < 1e-15);
        assert!(Association::new(&[2.0, 4.0, 3.0, 6.0], 2).cramers_v < 1e-9);
        assert_eq!(Association::new(&[2.0, 4.0], 2), Association::default());
        assert_eq!(Association::new(&[0.0; 4], 2), Association::default());
    }
}
