//! The step after a release has its name.

use velamen_recipe::JobError;

/// How the last step of a release ended.
pub(crate) enum Last {
    Done,
    /// It is as if it had never been tried.
    Undone(JobError),
    /// Nobody can tell.
    Unknown(JobError),
}
