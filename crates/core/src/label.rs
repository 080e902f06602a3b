//! Released labels: how they are written, and how they are read.
//!
//! Hierarchies and methods write labels here; whoever asks what a label covers reads it here. The checker
//! alone has a reader of its own (`velamen_checker`): a mistake here must not hide from it.
//!
//! # Definition
//! ```text
//! label  = "*"                       every value, the missing one included
//!        | ""                        the missing value
//!        | range | set | value
//! set    = "{" text "|" text … "}"    any of the texts, two at least
//! range  = "[" end "-" end "]"       numbers, both ends included
//!        | "[" text ".." text "]"    texts by code point, both ends included
//!        | coded                     numbers from or up to a bound
//! end    = number | coded
//! coded  = ">=" number | "<=" number
//! number = what Rust reads as `f64`, finite: 7, -3, +.5, 1e-5
//! value  = any other text: a number, a code, a date, a group's name, a masked code such as 130**
//! ```
//! - The dash of a range is the first one with an end on both sides: `[-5--1]` is −5 to −1, `[1e-5-2]` is
//!   0.00001 to 2. No text has two such dashes.
//! - A range whose ends are out of order is no range. Neither is one with an infinite end: an open end is coded.
//! - A coded end of a range is open: `[80->=90]` covers all from 80. It stands where the values of an attribute
//!   were coded before they came to Velamen.
//! - The texts of a set have no bar and no brace of their own.
//! - The texts of a range can have dots of their own. Then every place where it can be parted counts.
//! - A value can look like a range, since any text can be a value. Whoever knows the values asks them first.
//!
//! # Deviations
//! The checker reads what is written here alike. It knows less of other text: a range with a coded end is one
//! only of a table's own leaves, and the order of ends is checked after the reading, not in it.

/// A finite number.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Where numbers are coded as one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// `>=bound`
    Above,
    /// `<=bound`
    Below,
}

impl Open {
    /// What stands before the bound.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Above => ">=",
            Self::Below => "<=",
        }
    }

    /// The label of all numbers from, or up to, a bound.
    #[must_use]
    pub fn label(self, bound: impl std::fmt::Display) -> String {
        format!("{}{bound}", self.sign())
    }

    /// The side of a coded value and its bound, as it is written.
    #[must_use]
    pub fn read(label: &str) -> Option<(Self, &str)> {
        let of = |open: Self| label.strip_prefix(open.sign()).map(|bound| (open, bound));
        of(Self::Above).or_else(|| of(Self::Below)).filter(|(_, bound)| number(bound).is_some())
    }
}

/// Where a value stands among numbers: at itself or, if it is coded, at its bound.
#[must_use]
pub fn position(value: &str) -> Option<f64> {
    number(Open::read(value).map_or(value, |(_, bound)| bound))
}

/// The label of the numbers between two values, both included.
#[must_use]
pub fn of_numbers(low: impl std::fmt::Display, high: impl std::fmt::Display) -> String {
    format!("[{low}-{high}]")
}

/// The label of the texts between two values, both included.
#[must_use]
pub fn of_texts(first: &str, last: &str) -> String {
    format!("[{first}..{last}]")
}

/// Whether a text can be in a set.
#[must_use]
pub fn fits_set(text: &str) -> bool {
    !text.is_empty() && !text.contains(['|', '{', '}'])
}

/// The label of some texts, each of which fits a set.
#[must_use]
pub fn of_set<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("{{{}}}", texts.into_iter().collect::<Vec<_>>().join("|"))
}

/// A label that is a range or a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range<'a> {
    /// Of numbers, with the ends as they are written.
    Numbers(&'a str, &'a str),
    /// `>=bound` or `<=bound`.
    Open(Open, &'a str),
    /// What stands between the brackets of a range of texts.
    Texts(&'a str),
    /// What stands between the braces of a set.
    Set(&'a str),
}

impl<'a> Range<'a> {
    /// The range or set that a label is; `None` for any other.
    #[must_use]
    pub fn read(label: &'a str) -> Option<Self> {
        if let Some((open, bound)) = Open::read(label) {
            return Some(Self::Open(open, bound));
        }
        if let Some(inner) = label.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            return (inner.contains('|') && inner.split('|').all(fits_set)).then_some(Self::Set(inner));
        }
        let inner = label.strip_prefix('[')?.strip_suffix(']')?;
        let mut dashes = inner.match_indices('-').map(|(at, _)| (&inner[..at], &inner[at + 1..]));
        match dashes.find_map(|(low, high)| Some((low, high, position(low)?, position(high)?))) {
            Some((low, high, from, to)) => (from <= to).then_some(Self::Numbers(low, high)),
            None => parted(inner).next().is_some().then_some(Self::Texts(inner)),
        }
    }

    /// Its least and its greatest number, infinite at an open end; `None` for texts and sets.
    #[must_use]
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Open(Open::Above, bound) => Some((number(bound)?, f64::INFINITY)),
            Self::Open(Open::Below, bound) => Some((f64::NEG_INFINITY, number(bound)?)),
            Self::Numbers(low, high) => {
                let below = matches!(Open::read(low), Some((Open::Below, _)));
                let above = matches!(Open::read(high), Some((Open::Above, _)));
                let low = if below { f64::NEG_INFINITY } else { position(low)? };
                Some((low, if above { f64::INFINITY } else { position(high)? }))
            }
            Self::Texts(_) | Self::Set(_) => None,
        }
    }

    /// The two values between brackets; of texts where they part first.
    #[must_use]
    pub fn ends(&self) -> Option<(&'a str, &'a str)> {
        match *self {
            Self::Numbers(low, high) => Some((low, high)),
            Self::Texts(inner) => parted(inner).next(),
            Self::Open(..) | Self::Set(_) => None,
        }
    }

    /// Whether it covers a value.
    #[must_use]
    pub fn has(&self, value: &str) -> bool {
        match (self, self.bounds()) {
            (Self::Set(inner), _) => inner.split('|').any(|text| text == value),
            (Self::Texts(inner), _) => parted(inner).any(|(first, last)| first <= value && value <= last),
            (_, Some((low, high))) => position(value).is_some_and(|at| low <= at && at <= high),
            (_, None) => false,
        }
    }
}

/// The ways to part what stands between brackets into a first text and one that is not before it.
fn parted(inner: &str) -> impl Iterator<Item = (&str, &str)> {
    let at = (0..inner.len()).filter(|&at| inner.as_bytes()[at..].starts_with(b".."));
    at.map(|at| (&inner[..at], &inner[at + 2..])).filter(|(first, last)| first <= last)
}
