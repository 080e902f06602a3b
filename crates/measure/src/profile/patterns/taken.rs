//! A cell, taken apart once for all shapes, and which of them it can have.
//!
//! Every distinct value of a table is looked at, so most shapes are ruled out by what the value is made of: for each number of
//! digits, of letters and of others there is a set of the shapes that can have so many, and a value is asked only for the
//! shapes in all three sets.

use std::sync::LazyLock;

use super::runs::{Run, runs};
use super::{PATTERNS, Pattern, Traits, Within};

/// A set of shapes, by their places in [`PATTERNS`].
type Shapes = u128;

const _: () = assert!(PATTERNS.len() <= Shapes::BITS as usize, "a set has a bit for each shape");

/// Larger numbers share a set.
const COUNTED: usize = 128;

/// The shapes that can have so many digits, letters or others.
struct Sets {
    digits: [Shapes; COUNTED],
    letters: [Shapes; COUNTED],
    others: [Shapes; COUNTED],
    words: Shapes,
    numbers: Shapes,
    own: Shapes,
}

static SETS: LazyLock<Sets> = LazyLock::new(|| {
    let by = |bounds: fn(&Pattern) -> (u32, u32)| {
        std::array::from_fn(|number| {
            shapes(|pattern| {
                let (least, most) = bounds(pattern);
                // The last set is that of all greater numbers, too.
                let is_last = number == COUNTED - 1;
                (is_last || least <= number as u32) && number as u32 <= most
            })
        })
    };
    Sets {
        digits: by(|pattern| pattern.made.digits),
        letters: by(|pattern| pattern.made.letters),
        others: by(|pattern| pattern.made.others),
        words: shapes(|pattern| matches!(pattern.within, Within::Words)),
        numbers: shapes(|pattern| matches!(pattern.within, Within::Numbers(_))),
        own: shapes(|pattern| matches!(pattern.within, Within::Own(..))),
    }
});

fn shapes(wanted: impl Fn(&Pattern) -> bool) -> Shapes {
    let places = PATTERNS.iter().enumerate().filter(|(_, pattern)| wanted(pattern));
    places.fold(0, |set, (place, _)| set | 1 << place)
}

impl Sets {
    /// The shapes that a value of such traits can have, and some more.
    fn of(&self, traits: Traits) -> Shapes {
        let at = |number: u32| (number as usize).min(COUNTED - 1);
        self.digits[at(traits.digits)] & self.letters[at(traits.letters)] & self.others[at(traits.others)]
    }
}

/// A cell, taken apart once for all shapes.
pub(in crate::profile) struct Taken<'a> {
    text: &'a str,
    traits: Traits,
    words: Vec<(&'a str, Traits)>,
    runs: Vec<Run<'a>>,
    shapes: Shapes,
}

impl<'a> Taken<'a> {
    pub(in crate::profile) fn of(text: &'a str, traits: Traits) -> Self {
        let (sets, parted) = (&*SETS, traits.is_parted());
        let mut shapes = sets.of(traits);
        let (mut found, mut numbers) = (Vec::new(), Vec::new());
        if parted {
            shapes |= sets.own;
            for word in words(text).filter(|word| word.len() < text.len()) {
                let traits = Traits::of(word);
                let can_be = if traits.is_plain() { 0 } else { sets.of(traits) & sets.words };
                if can_be != 0 {
                    shapes |= can_be;
                    found.push((word, traits));
                }
            }
            if traits.digits > 5 {
                numbers = runs(text);
            }
            if !numbers.is_empty() {
                shapes |= sets.numbers;
            }
        }
        Self { text, traits, words: found, runs: numbers, shapes }
    }

    /// The places of the shapes that the cell can have, as a whole or within.
    pub(in crate::profile) fn shapes(&self) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.shapes;
        std::iter::from_fn(move || {
            let place = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (place < Shapes::BITS).then_some(place as usize)
        })
    }

    /// What the cell is to a shape: it has it, it has it within, or it has its layout at least.
    pub(in crate::profile) fn look(&self, pattern: &Pattern) -> Look {
        if pattern.can_be(self.traits) {
            if (pattern.fits)(self.text) {
                return Look::Whole;
            }
            if pattern.layout.is_some_and(|layout| layout(self.text)) {
                return Look::Layout;
            }
        }
        if self.has_within(pattern) { Look::Within } else { Look::Nothing }
    }

    /// Whether a longer text has the shape within.
    fn has_within(&self, pattern: &Pattern) -> bool {
        match pattern.within {
            Within::No => false,
            Within::Own(can, search) => self.traits.is_parted() && can(self.traits) && search(self.text),
            Within::Words => {
                self.words.iter().any(|(word, traits)| pattern.can_be(*traits) && (pattern.fits)(word))
            }
            Within::Numbers(search) => self.runs.iter().any(|run| search(*run)),
        }
    }
}

/// What a cell is to a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::profile) enum Look {
    Whole,
    Within,
    Layout,
    Nothing,
}

/// The words of a text without the punctuation around them, those left out that no shape can have.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut left = text;
    let parts = std::iter::from_fn(move || {
        while !left.is_empty() {
            let (word, tells, rest) = word(left);
            left = rest;
            if tells {
                return Some(word);
            }
        }
        None
    });
    let plain =
        parts.map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | '\'' | '!' | '?' | '=')));
    plain.filter(|word| !word.is_empty())
}

/// The first word, whether it has a digit or a sign of an address, and what follows the separator.
fn word(text: &str) -> (&str, bool, &str) {
    let mut tells = false;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            b'0'..=b'9' | b'@' | b':' | b'.' => tells = true,
            b',' | b';' | b'<' | b'>' | b'(' | b')' | b'"' | b'[' | b']' | b' ' | b'\t'..=b'\r' => {
                return (&text[..at], tells, &text[at + 1..]);
            }
            // The first byte of a character that can be a space.
            0xc2 | 0xe1..=0xe3 => {
                let first = text[at..].chars().next().filter(|first| first.is_whitespace());
                if let Some(space) = first {
                    return (&text[..at], tells, &text[at + space.len_utf8()..]);
                }
            }
            _ => {}
        }
    }
    (text, tells, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_every_space() {
        let spaces =
            ['\u{85}', '\u{a0}', '\u{1680}', '\u{2003}', '\u{2028}', '\u{202f}', '\u{205f}', '\u{3000}'];
        for space in spaces.into_iter().chain([' ', '\t', '\n', '\u{b}', '\u{c}', '\r', ';', '"']) {
            assert!(space.is_whitespace() || space.is_ascii());
            let text = format!("né 1.{space}né{space}(é2)");
            assert_eq!(words(&text).collect::<Vec<_>>(), ["1", "é2"], "{space:?}");
        }
    }

    #[test]
    fn no_shape_is_ruled_out_that_a_value_has() {
        let texts = [
            "jane@example.org",
            "Tel. 0171 5554433",
            "192.168.10.1",
            "call +49 171 5554433 or jane@example.org",
            "52.52000, 13.40495",
            "12 Main Street, Springfield",
            "1HGCM82633A004352",
            "4111 1111 1111 1111",
            "978-0-306-40615-7",
            "AB 12 34 56 C",
        ];
        for text in
            texts.into_iter().map(str::to_owned).chain([format!("{} 0171 5554433", "word ".repeat(99))])
        {
            let taken = Taken::of(&text, Traits::of(&text));
            for (place, pattern) in PATTERNS.iter().enumerate() {
                let listed = taken.shapes().any(|shape| shape == place);
                assert!(listed || taken.look(pattern) == Look::Nothing, "{text}: {}", pattern.title);
            }
        }
    }
}
