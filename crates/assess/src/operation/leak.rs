//! `leak`: what attributes of a table leak.

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_recipe::JobError;

use super::entry::Operation;
use super::table::{Call, Reading, Table, TableOrRelease};
use crate::leak::{LeakRequest, Leaks, LimitFinding, leak};

/// What attributes of a table leak.
#[derive(Debug)]
pub struct Leak;

/// What is asked of [`Leak`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The table, in any format that can be read.
    pub table: Table,
    /// The attributes; all columns, with --after those of both tables, when left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C"))]
    pub attributes: Vec<String>,
    /// Also sets of attributes, up to this size.
    #[serde(default = "up_to")]
    #[schemars(range(min = 1), extend("x-value" = "N"))]
    pub up_to: u16,
    /// Only the sets that leak most, largest first.
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "M"))]
    pub top: Option<u32>,
    /// The largest share that a set may leak, 0 to 1: of those listed, with --after in the other table; exit code 9 if one
    /// leaks more.
    #[serde(default)]
    #[schemars(extend("x-value" = "SHARE"))]
    pub limit: Option<f64>,
    /// A column of weights: how much likelier each record is the one looked for. Left out: all are alike.
    #[serde(default)]
    #[schemars(extend("x-value" = "COLUMN", "x-without" = "after"))]
    pub prior: Option<String>,
    /// A release folder, or another table, to show beside it.
    #[serde(default)]
    #[schemars(extend("x-value" = "RELEASE_OR_TABLE"))]
    pub after: Option<TableOrRelease>,
    /// How tables are read.
    #[serde(flatten)]
    pub reading: Reading,
}

fn up_to() -> u16 {
    1
}

impl Operation for Leak {
    const NAME: &'static str = "leak";
    const SUMMARY: &'static str =
        "Estimate how much the values of attributes help to find a person in a table";
    type Request = Request;
    type Answer = Leaks;

    fn run(request: Request, call: &Call<'_>) -> Result<Leaks, JobError> {
        if request.limit.is_some_and(|limit| !(0.0..=1.0).contains(&limit)) {
            return Err(JobError::usage("--limit is a share from 0 to 1"));
        }
        let asked = LeakRequest {
            table: call.origin(&request.table)?,
            read: call.reading(&request.reading, false)?,
            after: call.origin_of(request.after.as_ref().map(|after| &after.0))?,
            attributes: request.attributes,
            up_to: usize::from(request.up_to),
            prior: request.prior,
            top: request.top.map(|most| most as usize),
        };
        let leaks = leak(&asked, call.context)?;
        Ok(match request.limit {
            Some(limit) => leaks.within(limit),
            None => leaks,
        })
    }

    fn conclusion(leaks: Leaks) -> Result<(), JobError> {
        leaks.limit.as_ref().map_or(Ok(()), LimitFinding::conclusion)
    }
}
