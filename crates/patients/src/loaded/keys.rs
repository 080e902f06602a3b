//! Keys of a table: which row has which.

use rustc_hash::FxHashMap;

/// The keys of a table's rows: numbers where all are written as such, else texts.
#[derive(Debug)]
pub(crate) enum Keys {
    /// Whole numbers without leading zeros.
    Numbers(Vec<u64>),
    /// Anything else.
    Texts(Vec<String>),
}

/// The row of each key.
#[derive(Debug)]
pub(crate) enum RowOf {
    Numbers(FxHashMap<u64, u32>),
    Texts(FxHashMap<String, u32>),
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
    pub(crate) fn of(values: &[String], codes: &[u32]) -> Result<Self, WrongKey> {
        if let Some(row) = codes.iter().position(|&code| values[code as usize].is_empty()) {
            return Err(WrongKey::Empty(row));
        }
        let numbers: Option<Vec<u64>> = values.iter().map(|value| number(value)).collect();
        let keys = match numbers {
            Some(numbers) => Self::Numbers(codes.iter().map(|&code| numbers[code as usize]).collect()),
            None => Self::Texts(codes.iter().map(|&code| values[code as usize].clone()).collect()),
        };
        match keys.twice() {
            Some(row) => Err(WrongKey::Twice(row)),
            None => Ok(keys),
        }
    }

    /// A row whose key an earlier one has.
    fn twice(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => repeated(numbers),
            Self::Texts(texts) => repeated(texts),
        }
    }

    /// The text of a row's key.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(numbers) => numbers[row].to_string(),
            Self::Texts(texts) => texts[row].clone(),
        }
    }

    /// The row of each key.
    pub(crate) fn rows(&self) -> RowOf {
        match self {
            Self::Numbers(numbers) => {
                RowOf::Numbers(numbers.iter().zip(0..).map(|(&key, row)| (key, row)).collect())
            }
            Self::Texts(texts) => {
                RowOf::Texts(texts.iter().zip(0..).map(|(key, row)| (key.clone(), row)).collect())
            }
        }
    }
}

impl RowOf {
    /// The row that has a key.
    pub(crate) fn row(&self, key: &str) -> Option<u32> {
        match self {
            Self::Numbers(rows) => rows.get(&number(key)?).copied(),
            Self::Texts(rows) => rows.get(key).copied(),
        }
    }
}

/// The later row of two that have the same key.
fn repeated<T: Ord + Sync>(keys: &[T]) -> Option<usize> {
    use rayon::slice::ParallelSliceMut as _;
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| (&keys[a as usize], a).cmp(&(&keys[b as usize], b)));
    let pairs = order.windows(2);
    pairs.filter(|pair| keys[pair[0] as usize] == keys[pair[1] as usize]).map(|pair| pair[1] as usize).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(texts: &[&str]) -> Result<Keys, WrongKey> {
        let values: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Keys::of(&values, &(0..values.len() as u32).collect::<Vec<_>>())
    }

    #[test]
    fn seven_is_not_double_o_seven() {
        let both = keys(&["7", "007"]).unwrap();
        assert!(matches!(both, Keys::Texts(_)));
        let rows = both.rows();
        assert_eq!((rows.row("7"), rows.row("007"), rows.row("07")), (Some(0), Some(1), None));
        assert_eq!(keys(&["7", "8"]).unwrap().rows().row("007"), None);
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
