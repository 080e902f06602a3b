//! The formats of released tables that are no resources.

use velamen_engine::FileFormat;

/// Whether columns of a format have types: released tables are CSV, or of such a one.
pub(crate) fn has_types(format: FileFormat) -> bool {
    format.format.is_written() && !format.is_delimited() && !format.is_keyed()
}
