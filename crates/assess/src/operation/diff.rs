//! `diff`: what changed from one release to another.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_recipe::JobError;

use super::entry::Operation;
use super::table::Call;
use crate::diff::diff;

/// What changed from one release to another.
#[derive(Debug)]
pub struct Diff;

/// What is asked of [`Diff`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The first release's folder.
    #[schemars(extend("format" = "release"))]
    pub before: PathBuf,
    /// The second release's folder.
    #[schemars(extend("format" = "release"))]
    pub after: PathBuf,
}

impl Operation for Diff {
    const NAME: &'static str = "diff";
    const SUMMARY: &'static str = "Show what changed from one release to another";
    const DETAILS: &'static str =
        "Compares recipe, levels, figures, risk, promises and records, from what the two releases show.";
    type Request = Request;
    type Answer = crate::diff::Diff;

    fn run(request: Request, call: &Call<'_>) -> Result<Self::Answer, JobError> {
        diff(&request.before, &request.after, call.context)
    }
}
