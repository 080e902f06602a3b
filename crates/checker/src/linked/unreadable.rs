//! What keeps a release of linked tables from being read.

use std::path::PathBuf;

/// A file that cannot be read. Cells are never shown.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file or folder cannot be opened or read.
    #[error("{}: cannot be read ({source}); restore it from the release as it was published", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A row with more or fewer cells than the header.
    #[error("{}, row {row}: {cells} cells, expected {columns} as in the header; give each row a cell for each column", file.display())]
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
    #[error("{}, row {row}, column {column}: no UTF-8 text; write the file as UTF-8", file.display())]
    Text {
        /// The file.
        file: PathBuf,
        /// The row, 1 for the first after the header, 0 for the header.
        row: u64,
        /// The column, from 1 on.
        column: usize,
    },
    /// A format that this checker does not read.
    #[error("{}: the format is not known; expected a file that ends in .csv", file.display())]
    Format {
        /// The file.
        file: PathBuf,
    },
    /// More rows, persons or codes than fit.
    #[error("{}: over 4 billion rows; split the release", file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
    },
}
