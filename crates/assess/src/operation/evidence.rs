//! `evidence`: a form of a board or a regulator, filled from checks of a release.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use velamen_recipe::JobError;

use super::OPERATIONS;
use super::entry::{Concluded, Operation};
use super::table::Call;
use crate::evidence::{Asks, EvidenceRequest, FormName, evidence};

/// A form, filled from checks of a release.
#[derive(Debug)]
pub struct Evidence;

/// What is asked of [`Evidence`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The release folder; it is verified first.
    #[schemars(extend("format" = "release"))]
    pub release: PathBuf,
    /// The form.
    #[schemars(extend("x-flag" = true, "x-value" = "FORM", "x-argument" = "form"))]
    pub r#for: FormName,
    /// The custodian's folder, for items about the original records; the form is then the custodian's.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "DIR"))]
    pub custodian: Option<PathBuf>,
    /// A file for what no check can fill; it is kept over runs, and what changed since is marked.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE"))]
    pub answers: Option<PathBuf>,
    /// Where to write the form; the name ends with .html, .md, .json or .jsonld.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE"))]
    pub output: Option<PathBuf>,
    /// The secret key that signs the form `attestation`; the signature is written beside it.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "FILE", "x-needs" = "output"))]
    pub key: Option<PathBuf>,
}

/// The other operations, in the same call.
struct Asking<'a>(&'a Call<'a>);

impl Asks for Asking<'_> {
    fn ask(&self, operation: &str, request: Value) -> Result<Concluded, JobError> {
        let entry = OPERATIONS.find(operation);
        let entry = entry.ok_or_else(|| JobError::usage(format!("there is no operation `{operation}`")))?;
        entry.concluded(request, self.0)
    }

    fn check(&self) -> Result<(), JobError> {
        self.0.context.check().map_err(JobError::from)
    }

    fn is_plain(&self, operation: &str, key: &str) -> bool {
        let properties = OPERATIONS.find(operation).map(|entry| entry.properties()).unwrap_or_default();
        properties.iter().any(|one| one.name == key && one.required && !one.flag)
    }
}

impl Operation for Evidence {
    const NAME: &'static str = "evidence";
    const SUMMARY: &'static str = "Fill a form of a board or a regulator from checks of a release";
    const DETAILS: &'static str = "An item is filled from a check, with the command that shows the figure again, or it is yours to \
                                   write, or it does not apply. Nothing is invented.";
    type Request = Request;
    type Answer = crate::evidence::Evidence;

    fn run(request: Request, call: &Call<'_>) -> Result<Self::Answer, JobError> {
        let Request { release, r#for: form, custodian, answers, output, key } = request;
        evidence(&EvidenceRequest { release, form, custodian, answers, output, key }, &Asking(call))
    }

    fn conclusion(filled: Self::Answer) -> Result<(), JobError> {
        filled.conclusion()
    }
}
