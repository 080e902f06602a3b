//! Numbers and values by row, in as few bytes as they need.

use std::ops::Index;

use rustc_hash::FxHashMap;

/// A number for each row.
///
/// Memory: nothing where all rows have the same number or each its own, else 1, 2 or 4 bytes for each, by the greatest.
#[derive(Debug, Clone)]
pub(crate) struct Compact {
    len: usize,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    /// All rows have the same.
    Same(u32),
    /// Each row has its own number.
    Own,
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

impl Default for Compact {
    fn default() -> Self {
        Self { len: 0, form: Form::Same(0) }
    }
}

impl Compact {
    /// Each of so many rows has its own number.
    pub(crate) const fn own(len: usize) -> Self {
        Self { len, form: Form::Own }
    }

    /// How many rows there are.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The number of a row.
    pub(crate) fn at(&self, row: usize) -> u32 {
        assert!(row < self.len, "a row of the column");
        match &self.form {
            Form::Same(number) => *number,
            Form::Own => row as u32,
            Form::Bytes(numbers) => numbers[row].into(),
            Form::Shorts(numbers) => numbers[row].into(),
            Form::Words(numbers) => numbers[row],
        }
    }

    /// Those of all rows.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.len).map(|row| self.at(row))
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, number: u32) {
        self.fit(number, self.len);
        match &mut self.form {
            Form::Same(same) => *same = number,
            Form::Own => {}
            Form::Bytes(numbers) => numbers.push(number as u8),
            Form::Shorts(numbers) => numbers.push(number as u16),
            Form::Words(numbers) => numbers.push(number),
        }
        self.len += 1;
    }

    /// Gives a row another number.
    pub(crate) fn put(&mut self, row: usize, number: u32) {
        self.fit(number, row);
        match &mut self.form {
            Form::Same(_) | Form::Own => {}
            Form::Bytes(numbers) => numbers[row] = number as u8,
            Form::Shorts(numbers) => numbers[row] = number as u16,
            Form::Words(numbers) => numbers[row] = number,
        }
    }

    /// Takes a form in which a row can have a number.
    fn fit(&mut self, number: u32, row: usize) {
        let fits = match &self.form {
            Form::Same(same) => self.len == 0 || *same == number,
            Form::Own => number as usize == row,
            Form::Bytes(_) => number <= u8::MAX.into(),
            Form::Shorts(_) => number <= u16::MAX.into(),
            Form::Words(_) => true,
        };
        if fits {
            return;
        }
        let greatest = match &self.form {
            Form::Same(same) => *same,
            Form::Own => self.len as u32,
            Form::Bytes(_) | Form::Shorts(_) | Form::Words(_) => 0,
        };
        let numbers = self.iter();
        self.form = match greatest.max(number) {
            0..=0xFF => Form::Bytes(numbers.map(|number| number as u8).collect()),
            0x100..=0xFFFF => Form::Shorts(numbers.map(|number| number as u16).collect()),
            _ => Form::Words(numbers.collect()),
        };
    }
}

impl FromIterator<u32> for Compact {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut compact = Self::default();
        numbers.into_iter().for_each(|number| compact.push(number));
        compact
    }
}

/// What tells two values apart.
pub(crate) trait Value: Copy {
    /// Its bits.
    fn bits(self) -> u64;
}

impl Value for i32 {
    fn bits(self) -> u64 {
        u64::from(self.cast_unsigned())
    }
}

impl Value for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// A value for each row: each value is held once, or a few times.
#[derive(Debug, Clone)]
pub(crate) struct Distinct<T> {
    values: Vec<T>,
    codes: Compact,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { values: Vec::new(), codes: Compact::default() }
    }
}

impl<T: Value> Distinct<T> {
    /// From values by number, and the number of each row.
    pub(crate) const fn of(values: Vec<T>, codes: Compact) -> Self {
        Self { values, codes }
    }

    /// How many rows there are.
    pub(crate) const fn len(&self) -> usize {
        self.codes.len()
    }

    /// Those of all rows.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.codes.iter().map(|code| self.values[code as usize])
    }

    /// Gives some rows another value.
    pub(crate) fn put(&mut self, rows: impl IntoIterator<Item = usize>, value: T) {
        let known = self.values.iter().position(|known| known.bits() == value.bits());
        let code = known.unwrap_or(self.values.len());
        if known.is_none() {
            self.values.push(value);
        }
        rows.into_iter().for_each(|row| self.codes.put(row, code as u32));
    }

    /// The different values that rows have.
    pub(crate) fn held(&self) -> Vec<T> {
        let mut is_held = vec![false; self.values.len()];
        self.codes.iter().for_each(|code| is_held[code as usize] = true);
        self.values.iter().zip(is_held).filter(|(_, is_held)| *is_held).map(|(value, _)| *value).collect()
    }

    /// Changes all values alike.
    pub(crate) fn change(&mut self, change: impl Fn(T) -> T) {
        self.values.iter_mut().for_each(|value| *value = change(*value));
    }

    /// The rows of which `kept` says so.
    pub(crate) fn only(self, kept: &[bool]) -> Self {
        let codes = self.codes.iter().zip(kept).filter(|(_, kept)| **kept).map(|(code, _)| code);
        Self { codes: codes.collect(), values: self.values }
    }
}

impl<T: Value> FromIterator<T> for Distinct<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut known: FxHashMap<u64, u32> = FxHashMap::default();
        let mut distinct = Self::default();
        for value in all {
            let next = distinct.values.len() as u32;
            let code = *known.entry(value.bits()).or_insert(next);
            if code == next {
                distinct.values.push(value);
            }
            distinct.codes.push(code);
        }
        distinct
    }
}

impl<T> Index<usize> for Distinct<T> {
    type Output = T;

    fn index(&self, row: usize) -> &T {
        &self.values[self.codes.at(row) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_what_they_are_in_any_form() {
        let all: [&[u32]; 7] = [
            &[],
            &[7, 7, 7],
            &[0, 1, 2, 3],
            &[255, 0, 255],
            &[1, 256, 65_535, 2],
            &[3, 3, 65_536, 0],
            &[u32::MAX, 0, 300],
        ];
        for numbers in all {
            let compact: Compact = numbers.iter().copied().collect();
            assert_eq!(compact.iter().collect::<Vec<_>>(), numbers);
            for (row, other) in (0..numbers.len()).zip([0, 255, 256, 1 << 20]) {
                let (mut changed, mut expected) = (compact.clone(), numbers.to_vec());
                changed.put(row, other);
                expected[row] = other;
                assert_eq!(changed.iter().collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn each_row_has_its_own_number_until_one_has_another() {
        let mut own = Compact::own(300);
        own.push(300);
        assert_eq!(own.iter().collect::<Vec<_>>(), (0..=300).collect::<Vec<_>>());
        assert!(matches!(own.form, Form::Own));
        own.put(2, 0);
        own.push(7);
        assert_eq!((own.at(1), own.at(2), own.at(300), own.at(301)), (1, 0, 300, 7));
    }

    #[test]
    fn values_are_held_once() {
        let mut days: Distinct<i32> = [5, 9, 5, 7].into_iter().collect();
        assert_eq!((days.values.len(), days[1], days[3]), (3, 9, 7));
        days.put([0, 3], -1);
        assert_eq!(days.iter().collect::<Vec<_>>(), [-1, 9, 5, -1]);
        let mut numbers: Distinct<f64> = [0.5, f64::NAN, -0.0, f64::NAN].into_iter().collect();
        assert_eq!((numbers.values.len(), numbers[3].is_nan()), (3, true));
        numbers.change(|number| number * 2.0);
        assert_eq!(numbers[0].to_bits(), 1.0f64.to_bits());
        assert_eq!(days.only(&[false, true, true, false]).iter().collect::<Vec<_>>(), [9, 5]);
    }
}
