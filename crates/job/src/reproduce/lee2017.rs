//! Lee et al. 2017.

use std::path::PathBuf;

use velamen_core::context::Context;

use crate::error::JobError;

/// Records of the paper's real-world analysis.
pub const PATIENTS: u64 = 1_375_900;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// A folder with Adult and its hierarchies; the synthetic sample when left out.
    pub data: Option<PathBuf>,
    /// The folder to write.
    pub output: PathBuf,
    /// Records of figure 11.
    pub patients: u64,
}

/// A published trend beside what was measured.
#[derive(Debug, Clone)]
pub struct Trend {
    /// The figure.
    pub figure: String,
    /// What the paper says.
    pub published: String,
    /// What was measured.
    pub measured: String,
    /// Whether the trend is met.
    pub met: bool,
}

/// Runs it.
///
/// # Errors
/// [`JobError`].
pub fn reproduce(_request: &Request, _context: &Context<'_>) -> Result<Vec<Trend>, JobError> {
    Err(JobError::Usage("not yet".into()))
}
