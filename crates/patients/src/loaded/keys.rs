//! Keys of a table: which row has which.

use std::hash::{Hash, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::NONE;
use crate::compact::Compact;
use crate::filed::Filed;
use crate::key_texts::{Packed, Values};
use crate::uuid::shown;

/// How many keys in a file are compared at a time.
const AT_A_TIME: usize = 1 << 20;

/// The keys of a table's rows.
#[derive(Debug)]
pub(crate) enum Keys {
    /// In memory.
    Listed(Arc<List>),
    /// In a file.
    Filed(Filed),
}

/// Keys by row: numbers or UUIDs where all are written as such, else texts.
#[derive(Debug)]
pub(crate) enum List {
    /// Whole numbers without leading zeros.
    Numbers(Vec<u64>),
    /// UUIDs in small letters.
    Uuids(Vec<u128>),
    /// Anything else.
    Texts(Packed),
}

/// The row of each key.
///
/// Memory: 4 to 8 bytes for each beside the keys.
#[derive(Debug)]
pub(crate) struct RowOf {
    list: Arc<List>,
    /// Rows by the hash of their keys, each in its place or the next free one.
    slots: Vec<u32>,
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

/// The hash of a key.
fn hash(key: impl Hash) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    // A multiplication's highest bits depend on all others.
    (hasher.finish().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl Keys {
    /// From texts by number and the text of each row.
    ///
    /// # Errors
    /// What is wrong, and the texts.
    pub(crate) fn of(values: Values, codes: &Compact) -> Result<Self, Box<(WrongKey, Values)>> {
        if let Some(row) = codes.iter().position(|code| values.is_empty(code as usize)) {
            return Err(Box::new((WrongKey::Empty(row), values)));
        }
        let (keys, values) = match values {
            Values::Filed(filed) => (Self::Filed(filed), Values::Each(Vec::new())),
            values => (Self::Listed(Arc::new(List::of(&values, codes))), values),
        };
        let twice = match &keys {
            Self::Filed(filed) => twice_in_file(filed),
            Self::Listed(list) => list.twice(),
        };
        match (twice, keys) {
            (None, keys) => Ok(keys),
            (Some(row), Self::Filed(filed)) => Err(Box::new((WrongKey::Twice(row), Values::Filed(filed)))),
            (Some(row), Self::Listed(_)) => Err(Box::new((WrongKey::Twice(row), values))),
        }
    }

    /// The text of a row's key.
    pub(crate) fn text(&self, row: usize) -> String {
        match self {
            Self::Listed(list) => list.text(row),
            Self::Filed(filed) => filed.text(row),
        }
    }

    /// The row of each key.
    pub(crate) fn rows(&self) -> RowOf {
        match self {
            Self::Listed(list) => RowOf::of(Arc::clone(list)),
            Self::Filed(filed) => RowOf::in_file(filed),
        }
    }

    /// Whether all keys could be read.
    ///
    /// # Errors
    /// If a file of keys cannot be read any more.
    pub(crate) fn check(&self) -> std::io::Result<()> {
        match self {
            Self::Listed(_) => Ok(()),
            Self::Filed(filed) => filed.check(),
        }
    }

    /// Those of the rows that stay.
    ///
    /// # Errors
    /// If a file of keys cannot be written.
    pub(super) fn only(self, kept: &[bool]) -> std::io::Result<Self> {
        let rows = || (0..kept.len()).filter(|&row| kept[row]);
        let list = match self {
            Self::Listed(list) => list,
            Self::Filed(filed) => {
                let mut left = Filed::new(filed.folder());
                rows().try_for_each(|row| left.push(&filed.text(row)))?;
                filed.check()?;
                return Ok(Self::Filed(left));
            }
        };
        Ok(Self::Listed(Arc::new(match &*list {
            List::Numbers(numbers) => List::Numbers(rows().map(|row| numbers[row]).collect()),
            List::Uuids(uuids) => List::Uuids(rows().map(|row| uuids[row]).collect()),
            List::Texts(texts) => List::Texts(Packed::of(rows().map(|row| texts.get(row)))),
        })))
    }
}

impl List {
    fn of(values: &Values, codes: &Compact) -> Self {
        if let Some(uuids) = each(values, codes, &|value| values.uuid(value)) {
            return Self::Uuids(uuids);
        }
        if let Some(numbers) = each(values, codes, &|value| number(&values.text(value))) {
            return Self::Numbers(numbers);
        }
        let mut packed = Packed::default();
        codes.iter().for_each(|code| packed.push(&values.text(code as usize)));
        Self::Texts(packed)
    }

    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Uuids(uuids) => uuids.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(numbers) => numbers[row].to_string(),
            Self::Uuids(uuids) => shown(uuids[row]),
            Self::Texts(texts) => texts.get(row).to_owned(),
        }
    }

    fn hash(&self, row: usize) -> usize {
        match self {
            Self::Numbers(numbers) => hash(numbers[row]),
            Self::Uuids(uuids) => hash(uuids[row]),
            Self::Texts(texts) => hash(texts.get(row)),
        }
    }

    /// A row whose key an earlier one has.
    fn twice(&self) -> Option<usize> {
        match self {
            Self::Numbers(numbers) => repeated(numbers.len(), &|row| numbers[row]),
            Self::Uuids(uuids) => repeated(uuids.len(), &|row| uuids[row]),
            Self::Texts(texts) => repeated(texts.len(), &|row| texts.get(row)),
        }
    }
}

impl RowOf {
    fn in_file(filed: &Filed) -> Self {
        let rows = || 0..filed.len();
        let uuids: Option<Vec<u128>> = rows().map(|row| filed.uuid(row)).collect();
        let numbers = || rows().map(|row| number(&filed.text(row))).collect::<Option<Vec<u64>>>();
        let list = uuids
            .map(List::Uuids)
            .or_else(|| numbers().map(List::Numbers))
            .unwrap_or_else(|| List::Texts(packed(filed)));
        Self::of(Arc::new(list))
    }

    /// Of keys by their texts and the text of each row.
    pub(crate) fn of_texts(values: &Values, codes: &Compact) -> Self {
        match values {
            Values::Filed(filed) => Self::in_file(filed),
            Values::Each(_) => Self::of(Arc::new(List::of(values, codes))),
        }
    }

    fn of(list: Arc<List>) -> Self {
        let mut slots = vec![NONE; (list.len() + list.len() / 2 + 1).next_power_of_two()];
        for row in 0..list.len() {
            let mut place = list.hash(row) & (slots.len() - 1);
            while slots[place] != NONE {
                place = (place + 1) & (slots.len() - 1);
            }
            slots[place] = row as u32;
        }
        Self { list, slots }
    }

    /// The row that has a key.
    pub(crate) fn row(&self, values: &Values, value: usize) -> Option<u32> {
        match &*self.list {
            List::Numbers(numbers) => {
                let key = number(&values.text(value))?;
                self.find(hash(key), |row| numbers[row] == key)
            }
            List::Uuids(uuids) => {
                let key = values.uuid(value)?;
                self.find(hash(key), |row| uuids[row] == key)
            }
            List::Texts(texts) => {
                let key = values.text(value);
                self.find(hash(&*key), |row| texts.get(row) == key)
            }
        }
    }

    fn find(&self, hash: usize, is_it: impl Fn(usize) -> bool) -> Option<u32> {
        let places = (0..self.slots.len()).map(|next| (hash + next) & (self.slots.len() - 1));
        let mut rows = places.map(|place| self.slots[place]).take_while(|row| *row != NONE);
        rows.find(|row| is_it(*row as usize))
    }
}

/// The texts of keys in a file.
fn packed(filed: &Filed) -> Packed {
    let mut packed = Packed::default();
    (0..filed.len()).for_each(|row| packed.push(&filed.text(row)));
    packed
}

/// Each row's key, if all are of one form.
fn each<T: Copy>(values: &Values, codes: &Compact, read: &dyn Fn(usize) -> Option<T>) -> Option<Vec<T>> {
    let values: Option<Vec<T>> = (0..values.len()).map(read).collect();
    values.map(|values| codes.iter().map(|code| values[code as usize]).collect())
}

/// The later row of two that have the same key.
fn repeated<T: Ord>(rows: usize, key: &(dyn Fn(usize) -> T + Sync)) -> Option<usize> {
    use rayon::slice::ParallelSliceMut as _;
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.par_sort_unstable_by(|&a, &b| (key(a as usize), a).cmp(&(key(b as usize), b)));
    let pairs = order.windows(2);
    pairs.filter(|pair| key(pair[0] as usize) == key(pair[1] as usize)).map(|pair| pair[1] as usize).min()
}

/// The same of keys in a file: a part of their hashes at a time, so that memory does not follow their number.
fn twice_in_file(filed: &Filed) -> Option<usize> {
    let parts = filed.len() / AT_A_TIME + 1;
    (0..parts).filter_map(|part| twice_in_part(filed, (part, parts))).min()
}

fn twice_in_part(filed: &Filed, (part, parts): (usize, usize)) -> Option<usize> {
    let hashed = (0..filed.len()).map(|row| (hash_in_file(filed, row), row as u32));
    let mut hashes: Vec<(u32, u32)> = hashed.filter(|(hash, _)| *hash as usize % parts == part).collect();
    hashes.sort_unstable();
    let same = hashes.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1);
    same.filter_map(|same| {
        let texts: Vec<String> = same.iter().map(|(_, row)| filed.text(*row as usize)).collect();
        let later = (1..same.len()).find(|&later| texts[..later].contains(&texts[later]));
        later.map(|later| same[later].1 as usize)
    })
    .min()
}

fn hash_in_file(filed: &Filed, row: usize) -> u32 {
    filed.uuid(row).map_or_else(|| hash(filed.text(row)), hash) as u32
}

#[cfg(test)]
mod tests {
    use velamen_engine::Scratch;

    use super::*;
    use crate::uuid::uuid;

    fn values(texts: &[&str]) -> Values {
        Values::Each(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    fn filed(texts: &[&str]) -> Values {
        let mut filed = Filed::new(&Arc::new(Scratch::new("velamen-test-").unwrap()));
        texts.iter().for_each(|text| filed.push(text).unwrap());
        Values::Filed(filed)
    }

    /// Of texts in memory; those in a file are the same.
    fn keys(texts: &[&str]) -> Result<Keys, WrongKey> {
        let of = |values| Keys::of(values, &Compact::own(texts.len())).map_err(|wrong| wrong.0);
        let (listed, filed) = (of(values(texts)), of(filed(texts)));
        match (&listed, &filed) {
            (Ok(listed), Ok(filed)) => {
                let (rows, other) = (listed.rows(), filed.rows());
                for (row, text) in texts.iter().enumerate() {
                    assert_eq!([listed.text(row), filed.text(row)], [*text; 2]);
                    let found = |of: &RowOf| of.row(&values(&[text]), 0);
                    assert_eq!([found(&rows), found(&other)], [Some(row as u32); 2]);
                }
            }
            _ => assert_eq!(listed.as_ref().err(), filed.as_ref().err()),
        }
        listed
    }

    fn row(keys: &Keys, text: &str) -> Option<u32> {
        keys.rows().row(&values(&[text]), 0)
    }

    fn list(keys: &Keys) -> &List {
        let Keys::Listed(list) = keys else { panic!("keys in memory") };
        list
    }

    #[test]
    fn seven_is_not_double_o_seven() {
        let both = keys(&["7", "007"]).unwrap();
        assert!(matches!(list(&both), List::Texts(_)));
        assert_eq!((row(&both, "7"), row(&both, "007"), row(&both, "07")), (Some(0), Some(1), None));
        assert_eq!(row(&keys(&["7", "8"]).unwrap(), "007"), None);
    }

    #[test]
    fn a_uuid_has_one_spelling() {
        let uuids = ["00000000-0000-0000-0000-000000000001", "ffffffff-0f2a-4b6c-8000-0123456789ab"];
        let both = keys(&uuids).unwrap();
        assert!(matches!(list(&both), List::Uuids(_)));
        let other = uuids[1].to_uppercase();
        assert_eq!((row(&both, uuids[1]), row(&both, &other)), (Some(1), None));
        let texts = keys(&[uuids[0], &other, "urn:a"]).unwrap();
        assert!(matches!(list(&texts), List::Texts(_)));
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
        assert!(matches!(list(&keys(&[&large, "18446744073709551616"]).unwrap()), List::Texts(_)));
        assert!(matches!(list(&keys(&[&large, "9223372036854775808"]).unwrap()), List::Numbers(_)));
    }

    #[test]
    fn keys_that_are_left_are_those_of_their_rows() {
        let of = |values| Keys::of(values, &Compact::own(3)).unwrap().only(&[true, false, true]).unwrap();
        let texts = ["a", "b", "c"];
        for left in [of(values(&texts)), of(filed(&texts))] {
            assert_eq!([left.text(0), left.text(1)], ["a", "c"]);
            assert_eq!([row(&left, "a"), row(&left, "b"), row(&left, "c")], [Some(0), None, Some(1)]);
        }
    }

    #[test]
    fn parts_of_the_hashes_find_what_all_of_them_find() {
        let mut texts: Vec<String> = (0..2_000).map(|row| format!("k{row}")).collect();
        texts[1_700] = "k900".into();
        texts[1_900] = "k3".into();
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let Values::Filed(filed) = filed(&refs) else { unreachable!() };
        let found = (0..7).filter_map(|part| twice_in_part(&filed, (part, 7))).collect::<Vec<_>>();
        assert_eq!(found.iter().min(), Some(&1_700));
        assert_eq!(twice_in_file(&filed), Some(1_700));
    }
}
