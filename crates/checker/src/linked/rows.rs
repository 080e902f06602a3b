//! Rows, whatever they are read from.

use super::unreadable::Unreadable;

/// A row's cells as text.
pub type Row = csv::StringRecord;

/// A reader of one file. Another format is another implementation.
pub trait Source {
    /// The names of the columns, in the file's order.
    fn columns(&self) -> &Row;

    /// Puts the next row in place of the last one; `false` after the last.
    fn next(&mut self, row: &mut Row) -> Result<bool, Unreadable>;

    /// After the last row: whether the file has other bytes than its cells need. Needless quotes, other line ends and empty
    /// lines could mark a row. Of resources also whether one lacks what its standard asks of it.
    fn has_needless_bytes(&self) -> bool;

    /// The first row with such bytes, where it is known.
    fn needless_row(&self) -> Option<u64> {
        None
    }
}
