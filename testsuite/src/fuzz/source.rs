//! Bytes as choices: structured inputs are drawn from what the fuzzer mutates.

use arbitrary::Unstructured;
use serde_json::Value;

/// Choices out of bytes; when they are used up, every choice is the first one.
pub(super) struct Source<'a>(Unstructured<'a>);

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    /// A number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound.saturating_sub(1)).unwrap_or(0)
    }

    /// One of some.
    pub(super) fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// True in one of so many cases; never, when the bytes are used up.
    pub(super) fn once_in(&mut self, cases: usize) -> bool {
        self.below(cases) == cases - 1
    }

    /// Some bytes as text.
    pub(super) fn text(&mut self, most: usize) -> String {
        let length = self.below(most + 1).min(self.0.len());
        String::from_utf8_lossy(self.0.bytes(length).unwrap_or_default()).into_owned()
    }

    /// What no reader expects at most places.
    pub(super) fn odd(&mut self) -> Value {
        let text = *self.one(&ODD);
        match text {
            "" => self.text(12).into(),
            _ => serde_json::from_str(text).expect("the list holds JSON"),
        }
    }
}

/// Bytes to begin from: every choice the first one, and some others.
pub(super) const BYTES: [&str; 4] = [
    "\0",
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{a}\u{b}\u{c}\u{d}\u{e}\u{f}\u{10}\u{11}\u{12}\u{13}",
    "zy{xwvutsrq~ponmlkjihgfedcba`_^]\\[ZYXWVUTSRQPONMLKJIHGFEDCBA@?>=<;:987654321",
];

/// Values at the edges of what readers take; the empty one stands for a text of the fuzzer.
const ODD: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "64",
    "255",
    "256",
    "65536",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "0.5",
    "0.999999999",
    "-0.0",
    "1e-320",
    "1e300",
    "-1e300",
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    "[0,0]",
    "\"\"",
    "\"*\"",
    "\"[0-9]\"",
    "\">=90\"",
    "\"2024-02-30\"",
    "\"s\"",
    "",
];
