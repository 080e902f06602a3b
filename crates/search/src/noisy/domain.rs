//! The numbering of all cells of a node.

use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_dp::Rare;

/// All combinations of values, numbered in mixed radix: the last attribute counts fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellDomain {
    widths: Vec<u32>,
    len: u128,
}

impl CellDomain {
    /// The cells of a node: every value that the table's hierarchies and its sensitive column have, which
    /// must be the whole public domain. `None` past [`Rare::MOST_CELLS`].
    #[must_use]
    pub fn at(table: &FrequencyTable, node: &Node) -> Option<Self> {
        let qis = table.qis.iter().zip(&node.0).map(|(qi, &level)| qi.hierarchy.width(level));
        let sensitive = table.rest.sensitive().next();
        let values = sensitive.map_or(1, |column| table.rest.columns[column].values.len());
        Self::new(qis.chain(std::iter::once(values)).map(|width| width as u32).collect())
    }

    /// The combinations of attributes of that many values each; `None` past [`Rare::MOST_CELLS`].
    #[must_use]
    pub fn new(widths: Vec<u32>) -> Option<Self> {
        let len = widths.iter().try_fold(1u128, |len, &width| {
            len.checked_mul(width.into()).filter(|len| *len <= Rare::MOST_CELLS)
        })?;
        Some(Self { widths, len })
    }

    /// The number of cells.
    #[must_use]
    pub fn len(&self) -> u128 {
        self.len
    }

    /// Whether an attribute has no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of the cell of these codes.
    pub fn index(&self, codes: impl IntoIterator<Item = u32>) -> u128 {
        let digits = codes.into_iter().zip(&self.widths);
        digits.fold(0, |index, (code, &width)| index * u128::from(width) + u128::from(code))
    }

    /// The codes of a cell: the inverse of [`Self::index`].
    #[must_use]
    pub fn codes(&self, mut index: u128) -> Vec<u32> {
        let mut codes = vec![0; self.widths.len()];
        for (code, &width) in codes.iter_mut().zip(&self.widths).rev() {
            *code = (index % u128::from(width)) as u32;
            index /= u128::from(width);
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_codes_are_inverse() {
        let domain = CellDomain::new(vec![3, 1, 4]).unwrap();
        assert_eq!((domain.len(), domain.is_empty()), (12, false));
        assert!((0..12).all(|index| domain.index(domain.codes(index)) == index));
        assert_eq!(domain.codes(11), [2, 0, 3]);
        let large = CellDomain::new(vec![1 << 30; 4]).unwrap();
        assert_eq!(large.codes(large.len() - 1), [(1 << 30) - 1; 4]);
        assert_eq!(CellDomain::new(vec![u32::MAX; 4]), None);
        assert!(CellDomain::new(vec![5, 0]).unwrap().is_empty());
    }
}
