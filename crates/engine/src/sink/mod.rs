//! Tables out: a release, or any other rows of labels, to a file.

pub(crate) mod delimited;
pub(crate) mod lines;
pub(crate) mod out;
mod parsed;
pub(crate) mod table;
pub(crate) mod typed;
mod write;

pub use self::lines::Lines;
pub use self::out::{BatchWriter, Out};
pub use self::table::{ColumnKind, Copies, OutColumn, OutTable};
