//! The classes that persons are counted in.

use rayon::prelude::*;

/// The class of persons who are not released: they count for nothing.
pub const OUT: u32 = u32::MAX;

/// The persons of each class, ascending; classes by their number.
pub(crate) fn members(classes: &[u32]) -> Vec<Vec<u32>> {
    let mut order: Vec<(u32, u32)> =
        classes.iter().copied().zip(0..).filter(|&(class, _)| class != OUT).collect();
    order.par_sort_unstable();
    order
        .chunk_by(|one, next| one.0 == next.0)
        .map(|class| class.iter().map(|&(_, person)| person).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_outside_are_in_no_class() {
        assert_eq!(members(&[7, OUT, 2, 7]), [vec![2], vec![0, 3]]);
        assert!(members(&[OUT, OUT]).is_empty());
    }
}
