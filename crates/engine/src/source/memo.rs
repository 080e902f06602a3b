//! What a worker remembers of one column: the codes of cells by their bits, so that no value is printed or looked up
//! as text twice.

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use rustc_hash::FxHashMap;

/// The code of a value that was not met yet.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Whole numbers that lie no farther apart have a table of their codes: ages, years, days, postcodes.
const NEAR: i64 = 1 << 17;

/// What a worker remembers of one column.
#[derive(Default)]
pub(crate) struct Memo {
    /// Whole numbers that lie close together → codes.
    pub(super) near: Near,
    /// Other cells of at most 64 bits → codes.
    pub(super) words: FxHashMap<i64, u32>,
    /// Cells of 128 bits, or views of texts that stand in them → codes.
    pub(super) wide: FxHashMap<u128, u32>,
    /// The dictionary of the batch before and its codes.
    pub(super) dictionary: Option<(ArrayRef, Vec<u32>)>,
}

/// A column's cells as numbers, each other for each value. Missing cells have any.
pub(super) enum Bits {
    /// At most 64 bits, with the sign of signed types.
    Words(Vec<i64>),
    Wide(Vec<i128>),
    /// Its cells have no bits of their own.
    None,
}

impl Bits {
    pub(super) fn of(array: &dyn Array) -> Self {
        match array.data_type() {
            DataType::Boolean => {
                return Self::Words(array.as_boolean().values().iter().map(i64::from).collect());
            }
            DataType::Decimal128(..) => {
                return Self::Wide(array.as_primitive::<Decimal128Type>().values().to_vec());
            }
            _ => {}
        }
        let data = array.to_data();
        let rows = ..array.len();
        match array.data_type().primitive_width() {
            Some(1) => Self::Words(data.buffer::<i8>(0)[rows].iter().map(|&word| word.into()).collect()),
            Some(2) => Self::Words(data.buffer::<i16>(0)[rows].iter().map(|&word| word.into()).collect()),
            Some(4) => Self::Words(data.buffer::<i32>(0)[rows].iter().map(|&word| word.into()).collect()),
            Some(8) => Self::Words(data.buffer::<i64>(0)[rows].to_vec()),
            _ => Self::None,
        }
    }
}

/// Codes of whole numbers by their distance from the least.
#[derive(Default)]
pub(super) struct Near {
    least: i64,
    codes: Vec<u32>,
}

impl Near {
    /// Covers these numbers besides those before; `false` if they lie too far apart.
    pub(super) fn cover(&mut self, words: &[i64]) -> bool {
        let (Some(&least), Some(&most)) = (words.iter().min(), words.iter().max()) else { return true };
        let covered = self.codes.len() as i64;
        let (least, most) = match covered {
            0 => (least, most),
            _ => (least.min(self.least), most.max(self.least + (covered - 1))),
        };
        let Some(span) = most.checked_sub(least).filter(|span| *span < NEAR) else { return false };
        if span >= covered {
            let mut codes = vec![UNKNOWN; span as usize + 1];
            let before = if covered == 0 { 0 } else { (self.least - least) as usize };
            codes[before..before + self.codes.len()].copy_from_slice(&self.codes);
            (self.least, self.codes) = (least, codes);
        }
        true
    }

    /// The code of a number that is covered.
    pub(super) fn of(&mut self, word: i64) -> &mut u32 {
        &mut self.codes[(word - self.least) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_close_together_have_a_table_that_grows_both_ways() {
        let mut near = Near::default();
        assert!(near.cover(&[]) && near.cover(&[30, 35, 30]));
        (*near.of(30), *near.of(35)) = (0, 1);
        assert!(near.cover(&[-5, 31]) && near.cover(&[40]));
        *near.of(-5) = 2;
        assert_eq!([30, 35, -5, 31, 40].map(|word| *near.of(word)), [0, 1, 2, UNKNOWN, UNKNOWN]);
        assert_eq!(near.codes.len(), 46);
    }

    #[test]
    fn numbers_far_apart_have_none() {
        let mut near = Near::default();
        assert!(!near.cover(&[i64::MIN, i64::MAX]) && !near.cover(&[0, NEAR]));
        assert!(near.cover(&[i64::MAX - 1]) && near.cover(&[i64::MAX]) && !near.cover(&[0]));
        *near.of(i64::MAX) = 7;
        assert_eq!(*near.of(i64::MAX), 7);
        assert!(Near::default().cover(&[0, NEAR - 1]));
    }
}
