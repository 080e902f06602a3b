//! What is asked of a form, and who answers what its figures need.

use std::path::PathBuf;

use serde_json::Value;
use velamen_recipe::JobError;

use super::name::FormName;

/// What is asked.
#[derive(Debug, Clone)]
pub struct EvidenceRequest {
    /// The release's folder.
    pub release: PathBuf,
    /// The form.
    pub form: FormName,
    /// The custodian's folder.
    pub custodian: Option<PathBuf>,
    /// The file of what somebody wrote.
    pub answers: Option<PathBuf>,
    /// The file of the filled form.
    pub output: Option<PathBuf>,
    /// The secret key that signs a statement.
    pub key: Option<PathBuf>,
}

/// Whoever runs other operations: they lie above, and are named here alone.
pub trait Asks {
    /// The answer of an operation, and what it says of the exit code.
    ///
    /// # Errors
    /// What the operation refuses.
    fn ask(&self, operation: &str, request: Value) -> Result<(Value, Result<(), JobError>), JobError>;

    /// Whether the form may still be made.
    ///
    /// # Errors
    /// [`JobError::interrupted`] if somebody wishes to stop.
    fn check(&self) -> Result<(), JobError>;

    /// Whether the command line takes a part of the request without its name.
    fn is_plain(&self, operation: &str, key: &str) -> bool;
}
