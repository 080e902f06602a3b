//! Codes of a column and the persons who have them.

use std::collections::HashMap;

/// Texts as numbers, in the order of their first sight.
#[derive(Default)]
pub(super) struct Numbered(HashMap<String, u32>);

impl Numbered {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.0.get(text) {
            return *number;
        }
        let next = self.0.len() as u32;
        self.0.insert(text.to_owned(), next);
        next
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Pairs of a code and a person. A pair that follows itself is kept once.
#[derive(Default)]
pub(super) struct Codes {
    numbered: Numbered,
    /// Code → the person of whom it was seen last.
    last: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Codes {
    pub(super) fn add(&mut self, person: u32, text: &str) {
        let code = self.numbered.number(text);
        match self.last.get_mut(code as usize) {
            Some(last) if *last == person => return,
            Some(last) => *last = person,
            // Codes are numbered in the order in which they are seen.
            None => self.last.push(person),
        }
        self.pairs.push((code, person));
    }

    /// The different codes.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.numbered.0.keys().map(String::as_str)
    }

    /// How many different codes there are.
    pub(super) fn len(&self) -> usize {
        self.numbered.len()
    }

    /// The pairs of code and person.
    pub(super) fn into_pairs(self) -> Vec<(u32, u32)> {
        self.pairs
    }

    /// The same before the pairs are taken, where rows ascend by person.
    pub(super) fn fewest_so_far(&self) -> Option<u64> {
        let mut counts = vec![0_u64; self.len()];
        for (code, _) in &self.pairs {
            if let Some(count) = counts.get_mut(*code as usize) {
                *count = count.saturating_add(1);
            }
        }
        counts.into_iter().min()
    }

    /// The number of persons of the code that fewest have.
    pub(super) fn fewest(self) -> Option<u64> {
        let mut pairs = self.pairs;
        pairs.sort_unstable();
        pairs.dedup();
        pairs.chunk_by(|a, b| a.0 == b.0).map(|of_code| of_code.len() as u64).min()
    }
}
