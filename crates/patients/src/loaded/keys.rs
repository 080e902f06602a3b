//! Keys of a table: which row has which.

use rustc_hash::FxHashMap;

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

/// Texts one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
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

/// Where a UUID has its dashes.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// A UUID as it is written in small letters: any other spelling is another key.
fn uuid(text: &str) -> Option<u128> {
    let bytes: &[u8; 36] = text.as_bytes().try_into().ok()?;
    let mut uuid = 0;
    for (place, byte) in bytes.iter().enumerate() {
        match (DASHES.contains(&place), byte) {
            (true, b'-') => {}
            (false, b'0'..=b'9') => uuid = (uuid << 4) | u128::from(byte - b'0'),
            (false, b'a'..=b'f') => uuid = (uuid << 4) | u128::from(byte - b'a' + 10),
            _ => return None,
        }
    }
    Some(uuid)
}

/// The text of a UUID.
fn shown(uuid: u128) -> String {
    let digits = format!("{uuid:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

impl Packed {
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut packed = Self::default();
        for text in texts {
            packed.text.push_str(text);
            packed.ends.push(packed.text.len());
        }
        packed
    }

    /// The text of a row.
    fn get(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }
}

impl Keys {
    /// From texts by number and the text of each row.
    pub(crate) fn of(values: &[String], codes: &[u32]) -> Result<Self, WrongKey> {
        if let Some(row) = codes.iter().position(|&code| values[code as usize].is_empty()) {
            return Err(WrongKey::Empty(row));
        }
        let keys = Self::parsed(values, codes);
        match keys.twice() {
            Some(row) => Err(WrongKey::Twice(row)),
            None => Ok(keys),
        }
    }

    fn parsed(values: &[String], codes: &[u32]) -> Self {
        if let Some(numbers) = each(values, codes, number) {
            return Self::Numbers(numbers);
        }
        if let Some(uuids) = each(values, codes, uuid) {
            return Self::Uuids(uuids);
        }
        Self::Texts(Packed::of(codes.iter().map(|&code| values[code as usize].as_str())))
    }

    /// A row whose key an earlier one has.
    fn twice(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => repeated(numbers.len(), &|row| numbers[row]),
            Self::Uuids(uuids) => repeated(uuids.len(), &|row| uuids[row]),
            Self::Texts(texts) => repeated(texts.ends.len(), &|row| texts.get(row)),
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
    pub(crate) fn row(&self, key: &str) -> Option<u32> {
        match self {
            Self::Numbers(rows) => rows.get(&number(key)?).copied(),
            Self::Uuids(rows) => rows.get(&uuid(key)?).copied(),
            Self::Texts(rows) => rows.get(key).copied(),
        }
    }
}

/// Each row's key, if all are of one form.
fn each<T: Copy>(values: &[String], codes: &[u32], read: fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let values: Option<Vec<T>> = values.iter().map(|value| read(value)).collect();
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
    fn a_uuid_has_one_spelling() {
        let uuids = ["00000000-0000-0000-0000-000000000001", "ffffffff-0f2a-4b6c-8000-0123456789ab"];
        let both = keys(&uuids).unwrap();
        assert!(matches!(both, Keys::Uuids(_)));
        assert_eq!([both.text(0), both.text(1)], uuids);
        let other = uuids[1].to_uppercase();
        assert_eq!((both.rows().row(uuids[1]), both.rows().row(&other)), (Some(1), None));
        let texts = keys(&[uuids[0], &other, "urn:a"]).unwrap();
        assert!(matches!(texts, Keys::Texts(_)));
        assert_eq!([texts.text(0), texts.text(1), texts.text(2)], [uuids[0], &other, "urn:a"]);
        assert_eq!(texts.rows().row("urn:a"), Some(2));
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
