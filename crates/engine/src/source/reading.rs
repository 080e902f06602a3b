//! What is read of a table, and for whom.

use std::sync::Arc;

use arrow_schema::DataType;
use velamen_core::context::Context;

use super::file::SourceFile;
use super::form::Form;
use crate::derive::DerivedColumn;
use crate::dictionary::{ColumnRequest, Spelling};
use crate::sieve;
use crate::worker::Keep;

/// Some columns of a table whose head was read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) form: &'a Form,
    /// The names of all columns.
    pub(crate) names: &'a [String],
    /// Their types, if they have any.
    pub(crate) kinds: Option<&'a [DataType]>,
    /// The delimiter of delimited text.
    pub(crate) delimiter: u8,
    pub(crate) spelling: &'a Arc<Spelling>,
    pub(crate) show_values: bool,
    /// The columns that are asked for, and after them the sources of derived ones and those that say which records are kept.
    pub(crate) columns: &'a [ColumnRequest],
    /// How many are asked for.
    pub(crate) asked: usize,
    /// Those of them that are derived: they stand beyond the file's columns.
    pub(crate) derived: &'a [DerivedColumn],
    /// What records meet that are kept.
    pub(crate) conditions: &'a [sieve::Asked],
    pub(crate) context: &'a Context<'a>,
    /// What becomes of the records.
    pub(crate) keep: Keep<'a>,
}

impl<'a> Reading<'a> {
    /// The requests that the file answers, each with its place among all.
    pub(crate) fn in_file(self) -> impl Iterator<Item = (usize, &'a ColumnRequest)> {
        let width = self.names.len();
        self.columns.iter().enumerate().filter(move |(_, column)| column.index < width)
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &'a SourceFile {
        self.file
    }

    /// How it is to be read.
    #[must_use]
    pub fn form(&self) -> &'a Form {
        self.form
    }

    /// The names of all its columns, as its head told them.
    #[must_use]
    pub fn names(&self) -> &'a [String] {
        self.names
    }
}
