//! What people read: results on standard output, everything else on standard error.

use std::fmt::Display;
use std::io::Write;

/// A line of the result. A closed pipe ends the output, not the run.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A remark beside the result.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A warning.
pub(crate) fn warning(text: impl Display) {
    note(format_args!("warning: {text}"));
}

/// What ended the run.
pub(crate) fn error(text: impl Display) {
    note(format_args!("error: {text}"));
}
