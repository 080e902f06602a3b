//! What keeps a release of linked tables from being read.

use std::path::PathBuf;

use velamen_core::error::Problem;

/// A file that cannot be read. Cells are never shown.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file or folder cannot be opened or read.
    #[error("{}: cannot be read ({source})", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A row with more or fewer cells than the header.
    #[error("{}, row {row}: {cells} cells, {columns} columns in the header", file.display())]
    Cells {
        /// The file.
        file: PathBuf,
        /// The row, 1 for the first after the header.
        row: u64,
        /// Its cells.
        cells: usize,
        /// The columns of the header.
        columns: usize,
    },
    /// A cell that is no UTF-8.
    #[error("{}, row {row}, column {column}: no UTF-8 text", file.display())]
    Text {
        /// The file.
        file: PathBuf,
        /// The row, 1 for the first after the header, 0 for the header.
        row: u64,
        /// The column, from 1 on.
        column: usize,
    },
    /// A format that this checker does not read.
    #[error("{}: the format is not known", file.display())]
    Format {
        /// The file.
        file: PathBuf,
    },
    /// What the reader of another format says of a file.
    #[error("{0}")]
    Rows(Problem),
    /// Whoever called wants no more of it.
    #[error("interrupted")]
    Interrupted,
    /// More rows, persons or codes than fit.
    #[error("{}: over 4 billion rows", file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
    },
}

/// The text, what was expected and how to mend it.
impl From<Unreadable> for Problem {
    fn from(error: Unreadable) -> Self {
        let problem = Self::new(error.to_string());
        match error {
            Unreadable::Rows(problem) => problem,
            Unreadable::Interrupted => problem,
            Unreadable::File { .. } => problem.mend("restore the release as it was published"),
            Unreadable::Cells { .. } => problem.expected("a cell for each column").mend("write the row anew"),
            Unreadable::Text { .. } => problem.mend("write the file as UTF-8"),
            Unreadable::Format { .. } => problem.expected("a file that ends in .csv or .parquet"),
            Unreadable::TooLong { .. } => problem.mend("split the release"),
        }
    }
}
