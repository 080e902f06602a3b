//! Keys of a table: which row has which.

use rustc_hash::FxHashMap;

use crate::key_texts::{Packed, Values, shown};

/// The keys of a table's rows: numbers or UUIDs where all are written as such, else texts.
#[derive(Debug)]
pub(crate) enum Keys {
    /// Whole numbers without leading zeros.
    Numbers(Vec<u64>),
    /// UUIDs in small letters.
    Uuids(Vec<u128>),
    /// Anything else.
    Texts(Packed),
}

/// The row of each key.
#[derive(Debug)]
pub(crate) enum RowOf {
    Numbers(FxHashMap<u64, u32>),
    Uuids(FxHashMap<u128, u32>),
    Texts(FxHashMap<Box<str>, u32>),
}

/// What is wrong with a column of keys, and in which row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WrongKey {
    Empty(usize),
    Twice(usize),
}

/// A number as keys are written: `007` is another key than `7`.
fn number(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with('0');
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten().filter(|_| is_plain)
}

impl Keys {
    /// From texts by number and the text of each row.
    pub(crate) fn of(values: &Values, codes: &[u32]) -> Result<Self, WrongKey> {
        if let Some(row) = codes.iter().position(|&code| values.is_empty(code as usize)) {
            return Err(WrongKey::Empty(row));
        }
        let keys = Self::parsed(values, codes);
        match keys.twice() {
            Some(row) => Err(WrongKey::Twice(row)),
            None => Ok(keys),
        }
    }

    fn parsed(values: &Values, codes: &[u32]) -> Self {
        if let Some(uuids) = each(values, codes, &|value| values.uuid(value)) {
            return Self::Uuids(uuids);
        }
        if let Some(numbers) = each(values, codes, &|value| number(&values.text(value))) {
            return Self::Numbers(numbers);
        }
        let texts: Vec<_> = (0..values.len()).map(|value| values.text(value)).collect();
        Self::Texts(Packed::of(codes.iter().map(|&code| &*texts[code as usize])))
    }

    /// A row whose key an earlier one has.
    fn twice(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => repeated(numbers.len(), &|row| numbers[row]),
            Self::Uuids(uuids) => repeated(uuids.len(), &|row| uuids[row]),
            Self::Texts(texts) => repeated(texts.len(), &|row| texts.get(row)),
        }
    }

    /// The text of a row's key.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(numbers) => numbers[row].to_string(),
            Self::Uuids(uuids) => shown(uuids[row]),
            Self::Texts(texts) => texts.get(row).to_owned(),
        }
    }

    /// The row of each key.
    pub(crate) fn rows(&self) -> RowOf {
        match self {
            Self::Numbers(numbers) => RowOf::Numbers(numbers.iter().copied().zip(0..).collect()),
            Self::Uuids(uuids) => RowOf::Uuids(uuids.iter().copied().zip(0..).collect()),
            Self::Texts(texts) => RowOf::Texts(texts.iter().map(Box::from).zip(0..).collect()),
        }
    }
}

impl RowOf {
    /// The row that has a key.
    pub(crate) fn row(&self, values: &Values, value: usize) -> Option<u32> {
        match self {
            Self::Numbers(rows) => rows.get(&number(&values.text(value))?).copied(),
            Self::Uuids(rows) => rows.get(&values.uuid(value)?).copied(),
            Self::Texts(rows) => rows.get(&*values.text(value)).copied(),
        }
    }
}

/// Each row's key, if all are of one form.
fn each<T: Copy>(values: &Values, codes: &[u32], read: &dyn Fn(usize) -> Option<T>) -> Option<Vec<T>> {
    let values: Option<Vec<T>> = (0..values.len()).map(read).collect();
    values.map(|values| codes.iter().map(|&code| values[code as usize]).collect())
}

/// The later row of two that have the same key.
fn repeated<T: Ord>(rows: usize, key: &(dyn Fn(usize) -> T + Sync)) -> Option<usize> {
    use rayon::slice::ParallelSliceMut as _;
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.par_sort_unstable_by(|&a, &b| (key(a as usize), a).cmp(&(key(b as usize), b)));
    let pairs = order.windows(2);
    pairs.filter(|pair| key(pair[0] as usize) == key(pair[1] as usize)).map(|pair| pair[1] as usize).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_texts::uuid;

    fn values(texts: &[&str]) -> Values {
        Values::Each(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    fn keys(texts: &[&str]) -> Result<Keys, WrongKey> {
        Keys::of(&values(texts), &(0..texts.len() as u32).collect::<Vec<_>>())
    }

    fn row(keys: &Keys, text: &str) -> Option<u32> {
        keys.rows().row(&values(&[text]), 0)
    }

    #[test]
    fn seven_is_not_double_o_seven() {
        let both = keys(&["7", "007"]).unwrap();
        assert!(matches!(both, Keys::Texts(_)));
        assert_eq!((row(&both, "7"), row(&both, "007"), row(&both, "07")), (Some(0), Some(1), None));
        assert_eq!(row(&keys(&["7", "8"]).unwrap(), "007"), None);
    }

    #[test]
    fn a_uuid_has_one_spelling() {
        let uuids = ["00000000-0000-0000-0000-000000000001", "ffffffff-0f2a-4b6c-8000-0123456789ab"];
        let both = keys(&uuids).unwrap();
        assert!(matches!(both, Keys::Uuids(_)));
        assert_eq!([both.text(0), both.text(1)], uuids);
        let other = uuids[1].to_uppercase();
        assert_eq!((row(&both, uuids[1]), row(&both, &other)), (Some(1), None));
        let texts = keys(&[uuids[0], &other, "urn:a"]).unwrap();
        assert!(matches!(texts, Keys::Texts(_)));
        assert_eq!([texts.text(0), texts.text(1), texts.text(2)], [uuids[0], &other, "urn:a"]);
        assert_eq!(row(&texts, "urn:a"), Some(2));
        assert_eq!(keys(&[uuids[0], uuids[1], uuids[0]]).unwrap_err(), WrongKey::Twice(2));
        assert!(
            ["+0000001-0000-0000-0000-000000000001", "1", "", "é0000000-0000-0000-0000-00000000001"]
                .iter()
                .all(|text| uuid(text).is_none())
        );
    }

    #[test]
    fn empty_and_repeated_keys_are_found() {
        assert_eq!(keys(&["1", ""]).unwrap_err(), WrongKey::Empty(1));
        assert_eq!(keys(&["1", "2", "3", "2", "1"]).unwrap_err(), WrongKey::Twice(3));
        assert_eq!(keys(&["a", "b", "a"]).unwrap_err(), WrongKey::Twice(2));
        let large = u64::MAX.to_string();
        assert!(matches!(keys(&[&large, "18446744073709551616"]).unwrap(), Keys::Texts(_)));
        assert!(matches!(keys(&[&large, "9223372036854775808"]).unwrap(), Keys::Numbers(_)));
    }
}
