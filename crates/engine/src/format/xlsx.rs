//! Workbooks (.xlsx, .ods, .xlsb, .xls), in builds with the feature `workbooks`; others know these files and refuse them.

#[cfg(feature = "workbooks")]
mod compound;
#[cfg(feature = "workbooks")]
mod sheets;

#[cfg(feature = "workbooks")]
pub(crate) use self::sheets::{names as sheets, sheet};

use super::entry::{Entry, Facts, Programs, Sign};

/// Of a build without the feature.
const LEFT_OUT: Entry = Entry {
    name: "xlsx",
    also: &["ods"],
    extensions: &["xlsm", "xlsb", "xls"],
    // Of all archives: a name says more.
    sign: Some(Sign { bytes: b"PK\x03\x04", sure: false }),
    facts: Facts {
        delimited: None,
        keyed: false,
        packs_itself: true,
        media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    },
    programs: Programs::NONE,
    ..Entry::left_out("workbooks")
};

#[cfg(not(feature = "workbooks"))]
pub(super) const ENTRY: Entry = LEFT_OUT;

#[cfg(feature = "workbooks")]
pub(super) const ENTRY: Entry = Entry {
    lacks: None,
    reader: super::entry::Reader { open: sheets::open, read: sheets::read, count: None },
    ..LEFT_OUT
};

/// A build without the feature finds no sheet.
#[cfg(not(feature = "workbooks"))]
pub(crate) fn sheet(_: &crate::source::SourceFile) -> (Option<crate::source::Sheet>, u64) {
    (None, 0)
}

/// It knows none of their names, either.
#[cfg(not(feature = "workbooks"))]
pub(crate) fn sheets(_: &crate::source::SourceFile) -> Vec<String> {
    Vec::new()
}
