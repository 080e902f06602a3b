//! A toy operation, in whole: how many columns a table has. Its command, its function in Python and its part of the reference
//! follow from this file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_assess::operation::{Call, Entry, Operation, Reading, Table};
use velamen_recipe::JobError;

/// The registry's line.
pub(crate) static ENTRY: Entry = Entry::of::<Toy>();

/// How many columns a table has.
#[derive(Debug)]
pub(crate) struct Toy;

/// What is asked of [`Toy`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Request {
    /// The table.
    pub(crate) table: Table,
    /// How often each column counts.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 9), extend("x-value" = "N"))]
    pub(crate) times_each: u32,
    /// How the table is read.
    #[serde(flatten)]
    pub(crate) reading: Reading,
}

fn once() -> u32 {
    1
}

/// What was counted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Counted {
    /// The columns.
    pub(crate) all_columns: u64,
}

impl Operation for Toy {
    const NAME: &'static str = "toy";
    const SUMMARY: &'static str = "Count the columns of a table";
    type Request = Request;
    type Answer = Counted;

    fn run(request: Request, call: &Call<'_>) -> Result<Counted, JobError> {
        let read = call.reading(&request.reading, false)?;
        let input = call.origin(&request.table)?.open(&read)?;
        Ok(Counted { all_columns: input.columns.len() as u64 * u64::from(request.times_each) })
    }
}
