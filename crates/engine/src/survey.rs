//! What a table holds, in one pass that keeps no combination: for estimates before a run.

use velamen_core::context::Context;
use velamen_core::frequency::Role;

use crate::dictionary::ColumnRequest;
use crate::error::EngineError;
use crate::source::Input;
use crate::tally::{Tally, hash_of};
use crate::worker::Worker;

/// Figures of the requested columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// How many records, exactly.
    pub records: u64,
    /// Distinct combinations of all columns, with the relative standard error
    /// [`STANDARD_ERROR`](crate::STANDARD_ERROR).
    pub combinations: f64,
    /// The same of the quasi-identifiers alone.
    pub quasi_identifiers: f64,
    /// The same of the other columns.
    pub rest: f64,
    /// By column.
    pub columns: Vec<SurveyedColumn>,
}

/// Figures of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct SurveyedColumn {
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// How many distinct values, exactly.
    pub values: usize,
    /// The length of its distinct values together.
    pub text: u64,
    /// The length of all its cells together, each as the longest that it may be released as.
    pub bytes: u64,
    /// Distinct combinations of all other columns, estimated.
    pub without: f64,
}

impl Input {
    /// Looks at the requested columns of all records.
    ///
    /// Time: linear in the file, less than [`Input::read`] takes; memory: the distinct values of each column
    /// and 64 KiB a column.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn survey(&self, columns: &[ColumnRequest], context: &Context<'_>) -> Result<Survey, EngineError> {
        let workers = self.tallies(columns, context)?;
        let mut all = Tally::new(columns);
        let values = |c: usize| {
            let of = |worker: &Worker| {
                let hashed = |value: &str| (hash_of(value), value.len() as u64);
                worker.values(c).map(hashed).collect::<Vec<_>>()
            };
            let mut hashes: Vec<(u64, u64)> = workers.iter().flat_map(of).collect();
            hashes.sort_unstable();
            hashes.dedup();
            (hashes.len(), hashes.iter().map(|(_, length)| length).sum())
        };
        let values: Vec<(usize, u64)> = (0..columns.len()).map(values).collect();
        workers.iter().filter_map(Worker::tally).for_each(|tally| all.merge(tally));
        let column = |(c, request): (usize, &ColumnRequest)| SurveyedColumn {
            name: request.name.clone(),
            role: request.role,
            values: values[c].0,
            text: values[c].1,
            bytes: all.columns[c].bytes,
            without: all.columns[c].others.estimate(),
        };
        Ok(Survey {
            records: all.records,
            combinations: all.combinations.estimate(),
            quasi_identifiers: all.quasi_identifiers.estimate(),
            rest: all.rest.estimate(),
            columns: columns.iter().enumerate().map(column).collect(),
        })
    }
}
