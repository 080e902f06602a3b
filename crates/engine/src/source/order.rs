//! Records in the order of the file, for who has to say which ones are meant.

use velamen_core::context::Context;

use super::input::Input;
use crate::dictionary::{ColumnRequest, Dictionary};
use crate::error::EngineError;
use crate::worker::Keep;

/// Some columns of all records, in the order of the file.
#[derive(Debug)]
pub struct Ordered {
    /// Per column its values; a value can stand there twice.
    pub values: Vec<Vec<String>>,
    /// Per column the place of each record's value.
    pub codes: Vec<Vec<u32>>,
}

impl Input {
    /// Reads the requested columns of all records without counting them.
    ///
    /// Time: linear in the file, on one core; memory: one number for each cell.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn read_in_order(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<Ordered, EngineError> {
        self.read_first(usize::MAX, columns, context)
    }

    /// As [`Input::read_in_order`], of at most the first `most` records; files in lines and in batches are not read further than that.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn read_first(
        &self,
        most: usize,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<Ordered, EngineError> {
        let mut workers = self.workers(columns, context, Keep::Order(most))?;
        let worker = workers.pop().expect("one worker reads in order");
        let (dictionaries, mut codes) = worker.into_order();
        let values = dictionaries.into_iter().take(columns.len()).map(Dictionary::into_values).collect();
        codes.iter_mut().for_each(|codes| codes.truncate(most));
        Ok(Ordered { values, codes })
    }
}
