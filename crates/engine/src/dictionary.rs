//! From cell text to codes, per column and worker.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule};

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

/// How values are spelled in the cells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spelling {
    /// Cells that mean a missing value, besides the empty one.
    pub(crate) nulls: Vec<String>,
    /// Whether cells that look like formulas have an apostrophe more in front.
    pub(crate) escaped: bool,
}

/// What is wrong with one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadCell {
    Encoding,
    NotInHierarchy,
}

/// The distinct values that one worker saw in one column, each checked once.
#[derive(Debug)]
pub(crate) struct Dictionary {
    rule: Arc<Rule>,
    spelling: Arc<Spelling>,
    /// Codes of values that fit a word.
    short: ShortTable,
    /// Codes of longer values.
    long: HashTable<u32>,
    /// Code → text as it stood in the file.
    raw: Vec<Box<[u8]>>,
    /// Code → value, where it is not the text.
    coded: Vec<Option<Box<str>>>,
    /// Code → code whose value it is: markers of missing values share one.
    canonical: Vec<u32>,
    null: Option<u32>,
    /// The length of all texts together.
    bytes: u64,
}

impl Dictionary {
    pub(crate) fn new(rule: Arc<Rule>, spelling: Arc<Spelling>) -> Self {
        Self {
            rule,
            spelling,
            short: ShortTable::new(),
            long: HashTable::new(),
            raw: Vec::new(),
            coded: Vec::new(),
            canonical: Vec::new(),
            null: None,
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

    #[cold]
    fn insert_short(&mut self, packed: u64, cell: &[u8]) -> Result<u32, BadCell> {
        let code = self.insert(cell)?;
        self.short.insert(packed, code);
        Ok(code)
    }

    fn long(&mut self, cell: &[u8]) -> Result<u32, BadCell> {
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
        match self.null {
            Some(code) => code,
            None => self.push(b"", true, None),
        }
    }

    #[cold]
    fn insert(&mut self, cell: &[u8]) -> Result<u32, BadCell> {
        let written = std::str::from_utf8(cell).map_err(|_| BadCell::Encoding)?;
        let text = if self.spelling.escaped { unescape(written) } else { written };
        let null = text == NULL || self.spelling.nulls.iter().any(|marker| marker == text);
        if !null && !self.rule.contains(text) {
            return Err(BadCell::NotInHierarchy);
        }
        let unescaped = (text.len() < written.len()).then(|| text.to_owned());
        let coded = if null { None } else { self.rule.coded(text).or(unescaped) };
        Ok(self.push(cell, null, coded))
    }

    fn push(&mut self, cell: &[u8], null: bool, coded: Option<String>) -> u32 {
        let code = self.raw.len() as u32;
        self.raw.push(cell.into());
        self.bytes += cell.len() as u64;
        self.coded.push(coded.map(String::into_boxed_str));
        self.canonical.push(if null { *self.null.get_or_insert(code) } else { code });
        code
    }

    /// The value of each code; missing values are [`NULL`], and coded ones have their label.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.value(code))
    }

    /// The value of a code.
    pub(crate) fn value(&self, code: u32) -> &str {
        let place = code as usize;
        match &self.coded[place] {
            _ if self.null == Some(self.canonical[place]) || self.null == Some(code) => NULL,
            Some(coded) => coded,
            None => std::str::from_utf8(&self.raw[place]).expect("checked when the value was inserted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_cells_share_a_code_and_null_markers_share_a_value() {
        let mut dictionary = Dictionary::new(
            Arc::new(Rule::Flat),
            Arc::new(Spelling { nulls: vec!["NA".into()], escaped: true }),
        );
        let cells: [&[u8]; 7] = [b"a", b"a\0", b"longer than seven", b"NA", b"", b"a", b"'=1"];
        let codes: Vec<u32> = cells.iter().map(|cell| dictionary.code(cell).unwrap()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 0, 5]);
        assert_eq!(dictionary.bytes(), 1 + 2 + 17 + 2 + 3);
        let values: Vec<&str> = dictionary.values().collect();
        assert_eq!(values, ["a", "a\0", "longer than seven", "", "", "=1"]);
        assert_eq!(dictionary.code(&[0xff]), Err(BadCell::Encoding));
        assert_eq!(dictionary.null(), 3);
    }
}
