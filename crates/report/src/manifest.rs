//! What follows from a manifest by the method that it names.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use velamen_checker::Finding;
use velamen_contract::Promises;
use velamen_contract::manifest::{NoisySteps, Unreadable};
use velamen_core::release::CatalogRow;
use velamen_recipe::{Code, JobError};
use velamen_search::method;
use velamen_search::method::{Facts, Records};

pub use velamen_contract::manifest::{
    AdversaryEntry, AttributeEntry, Attributes, DataFile, FILE, FORMAT, Manifest, Missing,
};

/// A manifest as its file has it: hierarchies can lie in files of their own.
pub(crate) type Stated = Manifest<Map<String, Value>>;

/// What follows from the method that a manifest names, as far as this version knows it.
pub trait OfMethod {
    /// What holds of the release by its method; of a method that is not known what holds of most.
    fn facts(&self) -> Facts;

    /// Whether the release is made of noisy counts.
    fn is_noisy(&self) -> bool {
        self.facts().is_noisy()
    }

    /// Whether the records are invented from noisy counts of few attributes at a time.
    fn is_invented(&self) -> bool {
        self.facts().records == Records::Invented
    }

    /// Whether the release holds a random sample of the original.
    fn is_sampled(&self) -> bool;

    /// What the checker has to check.
    ///
    /// # Errors
    /// [`JobError::promise`] if something that has to be checked is not there, [`JobError::data`] if it does not read.
    fn promises(&self, catalog: Vec<CatalogRow>) -> Result<Promises, JobError>;
}

impl OfMethod for Manifest {
    fn facts(&self) -> Facts {
        method::released_facts(self.method.entries()).unwrap_or(Facts::SEARCH)
    }

    fn is_sampled(&self) -> bool {
        self.sample.is_some() || self.facts().records == Records::Sampled
    }

    fn promises(&self, catalog: Vec<CatalogRow>) -> Result<Promises, JobError> {
        let steps = match self.facts().records {
            Records::Noisy { counted, others } => Some(NoisySteps { counted, others }),
            _ => None,
        };
        let promises = Promises::of(self, catalog, steps).map_err(unreadable)?;
        let measured = self.is_invented().then(|| self.measurements()).transpose().map_err(unreadable)?;
        Ok(Promises { measured, ..promises })
    }
}

fn unreadable(what: Unreadable) -> JobError {
    let problem = format!("{FILE}: {what}");
    match what {
        Unreadable::Spent(_) => JobError::data(problem),
        Unreadable::Attribute(_) | Unreadable::Method(_) => {
            JobError::promise(problem).coded(Code::RELEASE_BROKEN)
        }
    }
}

/// Puts what the checker found beside what was asked.
pub fn set_reached(manifest: &mut Manifest, findings: &[Finding]) {
    for promise in &mut manifest.privacy {
        let same = |finding: &&Finding| finding.promise == promise.model && finding.asked == promise.asked;
        if let Some(finding) = findings.iter().find(same) {
            promise.reached = finding.reached.clone();
        }
    }
}

/// The released file in a release folder; a manifest can name none outside.
///
/// # Errors
/// [`JobError::data`] if it does.
pub fn data_path(data: &DataFile, folder: &Path) -> Result<PathBuf, JobError> {
    let name = Path::new(&data.file);
    if name.file_name() != Some(name.as_os_str()) {
        let problem = format!("{}: data.file: no plain name", folder.join(FILE).display());
        return Err(JobError::data(problem).expected("the name of a file in the release's folder"));
    }
    Ok(folder.join(name))
}
