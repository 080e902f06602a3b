//! Tables in: files of several formats to one frequency table.

#[cfg(test)]
mod agreement;
pub(crate) mod batches;
pub(crate) mod blocks;
pub(crate) mod cells;
pub(crate) mod columnar;
mod counted;
pub(crate) mod decode;
pub(crate) mod delimited;
pub(crate) mod file;
pub(crate) mod form;
mod guess;
pub(crate) mod heading;
mod input;
pub(crate) mod ipc;
pub(crate) mod memo;
mod order;
pub(crate) mod raw;
pub(crate) mod reading;
mod regular;
mod rows;
pub(crate) mod share;
pub(crate) mod text;
mod unchanged;
mod unlisted;

pub use self::batches::Batches;
pub use self::counted::Combinations;
pub use self::decode::{Encoding, delimiter, encoding};
pub use self::file::SourceFile;
pub use self::form::{CountedRecords, Form, Header, Sheet};
pub use self::guess::{Guess, sheets_of};
pub use self::heading::is_value_like;
pub use self::input::{Input, ReadOptions};
pub use self::order::Ordered;
pub use self::raw::Raw;
pub use self::reading::Reading;
pub use self::rows::Rows;
