//! Text of other encodings as UTF-8 (the WHATWG's Encoding Standard), in builds with the feature `encodings`.

#[cfg(feature = "encodings")]
mod known;
#[cfg(not(feature = "encodings"))]
mod left_out;

#[cfg(feature = "encodings")]
pub use self::known::{Encoding, encoding};
#[cfg(feature = "encodings")]
pub(crate) use self::known::{beginning, decoded, told_encoding};
#[cfg(not(feature = "encodings"))]
pub use self::left_out::{Encoding, encoding};
#[cfg(not(feature = "encodings"))]
pub(crate) use self::left_out::{beginning, decoded, told_encoding};

use velamen_core::error::Problem;

/// The delimiter that a text names: one ASCII character, and none that delimited text needs for itself.
///
/// # Errors
/// With what was expected.
pub fn delimiter(text: &str) -> Result<u8, Problem> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err(Problem::new("a wrong value").expected("one ASCII character")),
    }
}
