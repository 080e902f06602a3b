//! From cell text to codes, per column and worker.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::Arc;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule, TOP};
use velamen_core::written::number::with_point;

use crate::formula::unescape;
use crate::short::{LONGEST, ShortTable, pack, pack_word};

/// A column that is read.
#[derive(Debug, Clone)]
pub struct ColumnRequest {
    /// Its position in the file.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its hierarchy; [`Rule::Flat`] where there is none.
    pub rule: Arc<Rule>,
    /// Whether values of the hierarchy that do not occur belong to the column's domain.
    pub whole_domain: bool,
}

impl ColumnRequest {
    /// A column whose cells are read as they are.
    #[must_use]
    pub fn as_recorded(index: usize, name: &str) -> Self {
        let (role, rule) = (Role::Insensitive, Arc::new(Rule::Flat));
        Self { index, name: name.to_owned(), role, rule, whole_domain: false }
    }
}

/// What becomes of records that cannot be read, or that have a value outside its attribute's domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outside {
    /// The first of them is an error.
    #[default]
    Refused,
    /// They are counted apart from all others, each by what it is alone: whether and where one is shows in
    /// nothing but [`Strays`](velamen_core::frequency::Strays). In files of delimited text every line is a
    /// record then, since a quote that is never closed would take records that follow.
    Apart,
}

/// The code of a cell whose value is outside its attribute's domain, where such records are kept apart.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// The code of a cell that cannot be read, where such records are kept apart. No value has a code from here up.
pub(crate) const BROKEN: u32 = u32::MAX - 1;

/// How values are spelled in the cells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spelling {
    /// Cells that mean a missing value, besides the empty one.
    pub(crate) nulls: Vec<String>,
    /// Whether cells that look like formulas have an apostrophe more in front.
    pub(crate) escaped: bool,
    /// What becomes of records with cells that have no value.
    pub(crate) outside: Outside,
    /// Whether a quasi-identifier's cell that is the mark of suppression is refused.
    pub(crate) refuses_mark: bool,
    /// Whether numbers have a decimal comma.
    pub(crate) decimal_comma: bool,
}

impl Spelling {
    /// What a cell says: without the apostrophe that releases put before formulas, numbers with a point.
    fn plain<'a>(&self, written: &'a str) -> Cow<'a, str> {
        let text = if self.escaped { unescape(written) } else { written };
        let pointed = if self.decimal_comma { with_point(text) } else { None };
        pointed.map_or(Cow::Borrowed(text), Cow::Owned)
    }
}

/// What is wrong with one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadCell {
    Encoding,
    NotInHierarchy,
    /// It would be read as suppressed once it is released.
    Mark,
}

impl BadCell {
    /// Its code where such records are kept apart.
    fn code(self) -> u32 {
        match self {
            Self::Encoding => BROKEN,
            Self::NotInHierarchy | Self::Mark => OUTSIDE,
        }
    }
}

/// The distinct values that one worker saw in one column, each checked once.
#[derive(Debug)]
pub(crate) struct Dictionary {
    rule: Arc<Rule>,
    spelling: Arc<Spelling>,
    /// Whether the mark of suppression is refused here.
    refuses_mark: bool,
    /// Codes of values that fit a word.
    short: ShortTable,
    /// Codes of longer values.
    long: HashTable<u32>,
    /// Code → text as it stood in the file; as values are spelled where records are kept apart.
    raw: Vec<Box<[u8]>>,
    /// Value → code, where records are kept apart: one code by value, however it is spelled, so that there
    /// are no more codes than the domain has values.
    by_value: FxHashMap<Box<str>, u32>,
    /// Longer texts that are spelled otherwise than their value → code.
    spelled: FxHashMap<Box<[u8]>, u32>,
    /// Code → value, where it is not the text.
    coded: FxHashMap<u32, Box<str>>,
    /// The codes of missing values: one for each marker that occurs, the first for all.
    nulls: Vec<u32>,
    /// The length of all texts together.
    bytes: u64,
}

impl Dictionary {
    pub(crate) fn new(rule: Arc<Rule>, role: Role, spelling: Arc<Spelling>) -> Self {
        Self {
            rule,
            refuses_mark: spelling.refuses_mark && role == Role::QuasiIdentifier,
            spelling,
            short: ShortTable::new(),
            long: HashTable::new(),
            raw: Vec::new(),
            by_value: FxHashMap::default(),
            spelled: FxHashMap::default(),
            coded: FxHashMap::default(),
            nulls: Vec::new(),
            bytes: 0,
        }
    }

    /// The number of codes handed out.
    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    /// The length of the distinct texts together.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What its values become.
    pub(crate) fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The code of a cell.
    #[inline]
    pub(crate) fn code(&mut self, cell: &[u8]) -> Result<u32, BadCell> {
        if cell.len() > LONGEST {
            return self.long(cell);
        }
        let packed = pack(cell);
        match self.short.get(packed) {
            Some(code) => Ok(code),
            None => self.insert_short(packed, cell),
        }
    }

    /// The code of the cell at `text[start..end]`; faster than [`Self::code`] as it reads the cell
    /// as one word.
    #[inline]
    pub(crate) fn code_within(&mut self, text: &[u8], start: usize, end: usize) -> Result<u32, BadCell> {
        let length = end - start;
        match text[start..].first_chunk() {
            Some(word) if length <= LONGEST => {
                let packed = pack_word(u64::from_le_bytes(*word), length);
                match self.short.get(packed) {
                    Some(code) => Ok(code),
                    None => self.insert_short(packed, &text[start..end]),
                }
            }
            _ => self.code(&text[start..end]),
        }
    }

    /// The code of a cell of at most [`LONGEST`] bytes that was met before, whose bytes are the first of the word.
    #[inline]
    pub(crate) fn code_of_word(&self, word: u64, length: usize) -> Option<u32> {
        self.short.get(pack_word(word, length))
    }

    #[cold]
    fn insert_short(&mut self, packed: u64, cell: &[u8]) -> Result<u32, BadCell> {
        let code = if self.is_apart() { self.insert_apart(cell) } else { self.insert(cell)? };
        self.short.insert(packed, code);
        Ok(code)
    }

    /// Whether records without a value of the domain are kept apart.
    pub(crate) fn is_apart(&self) -> bool {
        self.spelling.outside == Outside::Apart
    }

    /// The code of a longer cell where records are kept apart.
    #[cold]
    fn long_apart(&mut self, cell: &[u8]) -> u32 {
        if let Some(&code) = self.spelled.get(cell) {
            return code;
        }
        let code = self.insert_apart(cell);
        // Texts outside the domain are not remembered: there is no end of them.
        if code < BROKEN {
            self.spelled.insert(cell.into(), code);
        }
        code
    }

    /// The code of a cell's value, or of what is wrong with it.
    fn insert_apart(&mut self, cell: &[u8]) -> u32 {
        match self.read(cell) {
            Err(bad) => bad.code(),
            // A mask takes it for a code; released, it would be one with suppressed values.
            Ok((text, false)) if text == TOP && !matches!(*self.rule, Rule::Table(_)) => OUTSIDE,
            Ok((_, true)) => self.null(),
            Ok((text, false)) => {
                let value = self.rule.coded(&text).unwrap_or_else(|| self.rule.canonical(&text));
                match self.by_value.get(&*value) {
                    Some(&code) => code,
                    None => {
                        let code = self.push(value.as_bytes(), false, None);
                        self.by_value.insert(value.into_boxed_str(), code);
                        code
                    }
                }
            }
        }
    }

    /// The text of a cell, and whether it means a missing value.
    fn read<'a>(&self, cell: &'a [u8]) -> Result<(Cow<'a, str>, bool), BadCell> {
        let written = std::str::from_utf8(cell).map_err(|_| BadCell::Encoding)?;
        let text = self.spelling.plain(written);
        let null = text == NULL || self.spelling.nulls.iter().any(|marker| *marker == text);
        if !null && self.refuses_mark && text == TOP {
            return Err(BadCell::Mark);
        }
        if !null && !self.rule.contains(&text) {
            return Err(BadCell::NotInHierarchy);
        }
        Ok((text, null))
    }

    fn long(&mut self, cell: &[u8]) -> Result<u32, BadCell> {
        if self.is_apart() {
            return Ok(self.long_apart(cell));
        }
        let hash = FxBuildHasher.hash_one(cell);
        if let Some(&code) = self.long.find(hash, |&code| &*self.raw[code as usize] == cell) {
            return Ok(code);
        }
        let code = self.insert(cell)?;
        let raw = &self.raw;
        self.long.insert_unique(hash, code, |&code| FxBuildHasher.hash_one(&*raw[code as usize]));
        Ok(code)
    }

    /// The code of a missing cell.
    pub(crate) fn null(&mut self) -> u32 {
        match self.nulls.first() {
            Some(&code) => code,
            None => self.push(b"", true, None),
        }
    }

    #[cold]
    fn insert(&mut self, cell: &[u8]) -> Result<u32, BadCell> {
        let (text, null) = self.read(cell)?;
        let plain = (text.as_bytes() != cell).then(|| text.to_string());
        let coded = if null { None } else { self.rule.coded(&text).or(plain) };
        Ok(self.push(cell, null, coded))
    }

    fn push(&mut self, cell: &[u8], null: bool, coded: Option<String>) -> u32 {
        let code = self.raw.len() as u32;
        self.raw.push(cell.into());
        self.bytes += cell.len() as u64;
        self.coded.extend(coded.map(|value| (code, value.into_boxed_str())));
        self.nulls.extend(null.then_some(code));
        code
    }

    fn is_null(&self, code: u32) -> bool {
        self.nulls.contains(&code)
    }

    /// The text of a code as it stood in the file, or as its value is spelled where records are kept apart; `None`
    /// where it is missing.
    pub(crate) fn source_text(&self, code: u32) -> Option<Cow<'_, str>> {
        let text =
            || std::str::from_utf8(&self.raw[code as usize]).expect("checked when the value was inserted");
        (!self.is_null(code)).then(|| self.spelling.plain(text()))
    }

    /// Lets go of what finds the code of a cell: none is asked for any more.
    pub(crate) fn close(&mut self) {
        (self.short, self.long) = (ShortTable::new(), HashTable::new());
        (self.by_value, self.spelled) = (FxHashMap::default(), FxHashMap::default());
    }

    /// The value of each code; missing values are [`NULL`], and coded ones have their label.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.value(code))
    }

    /// The same, without a second copy of the texts.
    pub(crate) fn into_values(mut self) -> Vec<String> {
        (0..self.len() as u32).map(|code| self.take_value(code)).collect()
    }

    /// The value of a code, whose text is no longer here after it.
    fn take_value(&mut self, code: u32) -> String {
        if self.is_null(code) {
            return NULL.to_owned();
        }
        match self.coded.remove(&code) {
            Some(coded) => coded.into(),
            None => {
                let raw = std::mem::take(&mut self.raw[code as usize]);
                String::from_utf8(raw.into()).expect("checked when the value was inserted")
            }
        }
    }

    /// The value of a code.
    pub(crate) fn value(&self, code: u32) -> &str {
        match self.coded.get(&code) {
            _ if self.is_null(code) => NULL,
            Some(coded) => coded,
            None => {
                std::str::from_utf8(&self.raw[code as usize]).expect("checked when the value was inserted")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::{Cuts, IntervalRule};

    use super::*;

    #[test]
    fn equal_cells_share_a_code_and_null_markers_share_a_value() {
        let mut dictionary = Dictionary::new(
            Arc::new(Rule::Flat),
            Role::Insensitive,
            Arc::new(Spelling {
                nulls: vec!["NA".into()],
                escaped: true,
                outside: Outside::Refused,
                refuses_mark: true,
                decimal_comma: false,
            }),
        );
        let cells: [&[u8]; 7] = [b"a", b"a\0", b"longer than seven", b"NA", b"", b"a", b"'=1"];
        let codes: Vec<u32> = cells.iter().map(|cell| dictionary.code(cell).unwrap()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 0, 5]);
        assert_eq!(dictionary.bytes(), 1 + 2 + 17 + 2 + 3);
        let values: Vec<&str> = dictionary.values().collect();
        assert_eq!(values, ["a", "a\0", "longer than seven", "", "", "=1"]);
        assert_eq!(dictionary.code(&[0xff]), Err(BadCell::Encoding));
        assert_eq!(dictionary.null(), 3);
        assert!(dictionary.code(b"*").is_ok());
        let values: Vec<String> = dictionary.values().map(str::to_owned).collect();
        assert_eq!(dictionary.into_values(), values);
    }

    #[test]
    fn the_mark_of_suppression_is_refused_unless_it_means_a_missing_value() {
        let of = |nulls: Vec<String>| {
            let outside = Outside::Refused;
            let spelling = Arc::new(Spelling {
                nulls,
                escaped: true,
                outside,
                refuses_mark: true,
                ..Spelling::default()
            });
            Dictionary::new(Arc::new(Rule::Flat), Role::QuasiIdentifier, spelling)
        };
        assert_eq!(of(Vec::new()).code(b"*"), Err(BadCell::Mark));
        assert!(of(Vec::new()).code(b"**").is_ok());
        assert!(of(vec!["*".into()]).code(b"*").is_ok());
    }

    #[test]
    fn numbers_with_a_comma_are_those_with_a_point() {
        let weights = IntervalRule::new(Cuts::Sizes(vec![10]), 0, 1999, 1).unwrap();
        let rule = Arc::new(Rule::Interval(weights));
        let spelling = Spelling { decimal_comma: true, ..Spelling::default() };
        let mut dictionary = Dictionary::new(rule, Role::QuasiIdentifier, Arc::new(spelling));
        assert!(dictionary.code(b"70,5").is_ok() && dictionary.code(b"71.5").is_ok());
        assert_eq!(dictionary.values().collect::<Vec<_>>(), ["70.5", "71.5"]);
        assert_eq!(dictionary.source_text(0).as_deref(), Some("70.5"));
        assert_eq!(dictionary.code(b"1,2,3"), Err(BadCell::NotInHierarchy));
    }

    #[test]
    fn kept_apart_a_value_has_one_code_however_it_is_spelled() {
        let ages = IntervalRule::new(Cuts::Sizes(vec![5]), 0, 9_999_999_999, 0).unwrap();
        let spelling = Spelling { nulls: vec!["NA".into(), "not known".into()], ..Spelling::default() };
        let spelling = Spelling { outside: Outside::Apart, ..spelling };
        let mut dictionary =
            Dictionary::new(Arc::new(Rule::Interval(ages)), Role::QuasiIdentifier, Arc::new(spelling));
        let cells: [&[u8]; 10] =
            [b"5", b"05", b"000000005", b"123456789", b"", b"NA", b"not known", b"x", b"no number", &[0xff]];
        let mut codes = || cells.map(|cell| dictionary.code(cell).unwrap());
        assert_eq!(codes(), [0, 0, 0, 1, 2, 2, 2, OUTSIDE, OUTSIDE, BROKEN]);
        assert_eq!(codes(), [0, 0, 0, 1, 2, 2, 2, OUTSIDE, OUTSIDE, BROKEN]);
        assert_eq!(dictionary.null(), 2);
        assert_eq!(dictionary.values().collect::<Vec<_>>(), ["5", "123456789", ""]);
    }
}
