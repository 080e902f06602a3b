//! A build without the feature `encodings`: text is UTF-8.

use std::io::Read;

use velamen_core::error::Problem;

use crate::packing::left_out;

/// There is none besides UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {}

impl Encoding {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match *self {}
    }
}

/// Refuses every label.
///
/// # Errors
/// Always, with the feature that reads such text.
pub fn encoding(label: &str) -> Result<&'static Encoding, Problem> {
    Err(left_out(label, "encodings"))
}

pub(crate) fn decoded(_: Box<dyn Read + Send>, encoding: &'static Encoding) -> Box<dyn Read + Send> {
    match *encoding {}
}

/// What is not UTF-8 is told when it is read.
pub(crate) fn told_encoding(_: &[u8]) -> Option<&'static Encoding> {
    None
}

pub(crate) fn beginning(_: &[u8], encoding: &'static Encoding) -> String {
    match *encoding {}
}
