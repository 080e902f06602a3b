//! A release that is written and not checked.

use velamen_core::context::Context;
use velamen_core::release::Release;
use velamen_core::release::certify::{Finding, State};

use super::certified::Certified;
use super::population;
use super::searched::Searched;
use crate::error::JobError;
use crate::folders::Folders;
use crate::manifest::Manifest;
use crate::verify;

/// A release in temporary folders. It has no outputs before [`Made::certify`].
pub struct Made<'a> {
    pub(super) searched: Searched<'a>,
    pub(super) release: Release,
    /// Per class of a full-domain plan the id it got.
    pub(super) ids: Vec<u64>,
    pub(super) manifest: Manifest,
    pub(super) folders: Folders,
}

impl<'a> Made<'a> {
    /// Reads the released file back and checks every promise.
    ///
    /// # Errors
    /// [`JobError::Promise`] if one is broken, or could be checked and was not.
    pub fn certify(mut self, context: &Context<'_>) -> Result<Certified<'a>, JobError> {
        let population = population::rows(&self.searched.table, &self.manifest);
        let findings = verify::check(self.folders.release(), &self.manifest, population, context)?;
        refuse_broken(&findings)?;
        self.manifest.set_reached(&findings);
        Ok(Certified { made: self, findings })
    }
}

fn refuse_broken(findings: &[Finding]) -> Result<(), JobError> {
    // What a run could check and did not is no better than what is broken.
    let refused = |finding: &&Finding| match finding.state {
        State::Held | State::Stated => false,
        State::Broken | State::NotChecked => true,
    };
    let broken: Vec<String> = findings
        .iter()
        .filter(refused)
        .map(|finding| format!("{} (asked {}, reached {})", finding.promise, finding.asked, finding.reached))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(JobError::Promise(format!("the checker refuses the release: {}", broken.join("; "))))
}
