//! Texts that stand for missing values, a fixed list.

use super::number;

/// Texts that mean nothing else.
pub const CERTAIN: [&str; 24] = [
    "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "(null)", "#NULL!", "<NA>", "?", "-", "--",
    ".", "NIL", "#NV", "k. A.", "k.A.", "k. a.", "n. a.", "n.a.", "N/K", "n/k",
];

/// Texts that can be values of their own.
pub const DOUBTFUL: [&str; 29] = [
    "None",
    "none",
    "NONE",
    "nil",
    "na",
    "Na",
    "missing",
    "Missing",
    "unknown",
    "Unknown",
    "UNKNOWN",
    "not known",
    "Not known",
    "not recorded",
    "Not recorded",
    "not stated",
    "Not stated",
    "keine Angabe",
    "Keine Angabe",
    "ohne Angabe",
    "unbekannt",
    "Unbekannt",
    "fehlt",
    "fehlend",
    "미상",
    "결측",
    "모름",
    "무응답",
    "해당없음",
];

/// Numbers that stand for a missing one where they lie far from all others.
pub const NUMBERS: [&str; 19] = [
    "9", "99", "999", "9999", "99999", "999999", "88", "888", "8888", "77", "777", "7777", "-1", "-9", "-99",
    "-999", "-9999", "999.9", "99.9",
];

/// Whether a value could be a marker in some column.
#[must_use]
pub fn is_listed(value: &str) -> bool {
    let number = |text: &str| number::parse(text).map(|number| number.value);
    let is_number =
        || number(value).is_some_and(|of| NUMBERS.iter().any(|marker| number(marker) == Some(of)));
    CERTAIN.contains(&value) || DOUBTFUL.contains(&value) || is_number()
}
