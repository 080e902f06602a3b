//! The full addresses of the entries of bundles: what `urn:uuid:` references within a bundle lead to.

use std::ffi::OsString;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::found::{Found, UUID};

/// The ids of entries whose address is another UUID.
///
/// Memory: the addresses of one bundle at a time, and those of all that differ from the id. Most exports have none of these.
#[derive(Default)]
pub(super) struct Addresses {
    /// The file whose addresses are in `seen`.
    file: OsString,
    seen: FxHashSet<Box<str>>,
    /// By file, since each bundle has addresses of its own.
    renamed: FxHashMap<OsString, FxHashMap<Box<str>, Box<str>>>,
}

impl Addresses {
    /// Notes the address of an entry, if it is a UUID.
    ///
    /// # Errors
    /// [`JobError::data`] if an earlier entry of the file has it.
    pub(super) fn add(&mut self, found: &Found<'_>, id: &str) -> Result<(), JobError> {
        let Some(uuid) = found.uuid() else { return Ok(()) };
        let file = found.place.file.as_os_str();
        if self.file != file {
            self.file = file.to_owned();
            self.seen.clear();
        }
        if !self.seen.insert(uuid.into()) {
            let problem = Problem::new("the full address of an earlier entry");
            return Err(found.place.refuse("", problem.expected("an address of its own for each entry")));
        }
        if uuid != id {
            self.renamed.entry(file.to_owned()).or_default().insert(uuid.into(), id.into());
        }
        Ok(())
    }

    /// The id of the entry of a file that has an address; nothing where it is the UUID itself.
    pub(super) fn id(&self, file: &Path, address: &str) -> Option<String> {
        let ids = self.renamed.get(file.as_os_str())?;
        ids.get(address.strip_prefix(UUID)?).map(|id| id.clone().into())
    }
}
