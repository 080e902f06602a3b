//! What kinds of hierarchies share: the structure of their values.

use crate::hierarchy::Ancestor;

/// What a kind of hierarchies knows of values.
///
/// Laws: a label of one level has one label at the next; the leaves of the labels of a level add up to the
/// domain; `ancestor` is asked for what `read` gave.
pub trait Structure: std::fmt::Debug + Send + Sync {
    /// The number of the most general level.
    fn top(&self) -> u8;
    /// The leaves of the domain.
    fn domain(&self) -> u64;
    /// A value in its one spelling; `None` if it is not of the domain.
    fn read(&self, value: &str) -> Option<String>;
    /// The label over a leaf at a level above 0; `None` at the top.
    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor>;
    /// What values look like, for messages.
    fn expectation(&self) -> String;
    /// All leaves, where they can be listed.
    fn leaves(&self) -> Option<Vec<String>> {
        None
    }
    /// What stands at a level between the first and the last, in a reader's words, such as "the month".
    fn shown(&self, _level: u8) -> Option<String> {
        None
    }
    /// Whether a value stands for an event that newspapers report, such as an accident; `None` where no value does.
    fn public_events(&self) -> Option<fn(&str) -> bool> {
        None
    }
    /// The least level that HIPAA's Safe Harbor allows, 45 CFR 164.514(b)(2).
    fn safe_harbor(&self) -> u8 {
        0
    }
}

/// How many codes begin with the first `from` characters of one: `alphabet(i)` characters can stand at place
/// `i`, and a code can end after each of `ends`. `None` if they are more than 2⁶³.
pub(super) fn codes_under(from: usize, ends: &[usize], alphabet: impl Fn(usize) -> u64) -> Option<u64> {
    let of_length = |end: usize| (from..end).try_fold(1u64, |n, place| n.checked_mul(alphabet(place)));
    let mut ends = ends.iter().filter(|&&end| end >= from);
    ends.try_fold(0u64, |sum, &end| sum.checked_add(of_length(end)?)).filter(|&n| n <= 1 << 63)
}
