//! Where the table is reduced, and what that may take.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use velamen_core::error::Problem;

use super::Recipe;
use crate::JobError;

/// `[engine]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EngineSection {
    /// Who reads the table and counts its distinct combinations.
    pub kind: EngineKind,
    /// cluster: the scheduler, as df://host:port.
    pub scheduler: Option<String>,
    /// cluster: the folder of a driver's certificates, which `velamen cluster certificates` makes; left out, the
    /// cluster is asked in the clear.
    pub certificates: Option<PathBuf>,
    /// cluster: the seconds that one answer may take; 600 if left out.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// cluster: how often a question is asked again whose answer is wrong or does not come; 2 if left out.
    #[schemars(range(max = 100))]
    pub retries: Option<u32>,
    /// cluster: into how many tasks a question is cut; 16 if left out.
    #[schemars(range(min = 1, max = 4096))]
    pub tasks: Option<u32>,
    /// cluster: whether Ballista may change a plan while it runs; true if left out.
    pub adaptive: Option<bool>,
    /// cluster: a folder that every node sees under this path, in which executors write the released
    /// records; left out: the driver writes them.
    pub shared: Option<PathBuf>,
    /// The most memory that the run may need, for example "8 GiB"; left out: what the machine has free.
    pub memory: Option<String>,
}

/// Who reads the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// This process.
    #[default]
    InProcess,
    /// A cluster of Apache Ballista.
    Cluster,
}

/// A cluster that a recipe asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterEngine {
    /// `df://host:port`
    pub scheduler: String,
    /// The folder of the driver's certificates; `None` where the cluster is asked in the clear.
    pub certificates: Option<PathBuf>,
    /// Seconds for one answer.
    pub timeout: u64,
    /// Attempts after the first.
    pub retries: u32,
    /// Tasks of a question.
    pub tasks: usize,
    /// Whether a plan may change while it runs.
    pub adaptive: bool,
    /// Where executors write; `None` where the driver does.
    pub shared: Option<PathBuf>,
}

impl Recipe {
    /// The cluster, if one is asked for.
    pub(super) fn engine(&self, path: &Path) -> Result<Option<ClusterEngine>, JobError> {
        let wrong = |keys: &[&str], problem: Problem| {
            Err(self.refuse(path, &["engine"], problem.after("engine: ").with(keys)))
        };
        let section = &self.engine;
        let EngineSection {
            kind,
            scheduler,
            certificates,
            timeout,
            retries,
            tasks,
            adaptive,
            shared,
            memory: _,
        } = section;
        if *kind == EngineKind::InProcess {
            let given = scheduler.is_some() || certificates.is_some() || timeout.is_some();
            if given || retries.is_some() || tasks.is_some() || adaptive.is_some() || shared.is_some() {
                return wrong(&["kind"], "its settings go with kind = \"cluster\"".into());
            }
            return Ok(None);
        }
        let Some(scheduler) = scheduler.clone() else {
            return wrong(
                &["kind", "scheduler"],
                "kind = \"cluster\" needs scheduler = \"df://host:port\"".into(),
            );
        };
        let address = scheduler.strip_prefix("df://").and_then(|address| address.rsplit_once(':'));
        if address.is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
            return wrong(
                &["scheduler"],
                Problem::new("scheduler: a wrong value").expected("\"df://host:port\""),
            );
        }
        if *timeout == Some(0) {
            return wrong(
                &["timeout"],
                Problem::new("timeout: a wrong value").expected("at least one second"),
            );
        }
        if retries.is_some_and(|retries| retries > 100) {
            return wrong(&["retries"], Problem::new("retries: a wrong value").expected("at most 100"));
        }
        if tasks.is_some_and(|tasks| !(1..=4096).contains(&tasks)) {
            return wrong(&["tasks"], Problem::new("tasks: a wrong value").expected("1 to 4096"));
        }
        Ok(Some(ClusterEngine {
            scheduler,
            certificates: certificates.clone(),
            timeout: timeout.unwrap_or(600),
            retries: retries.unwrap_or(2),
            tasks: tasks.unwrap_or(16) as usize,
            adaptive: adaptive.unwrap_or(true),
            shared: shared.clone(),
        }))
    }

    /// The bytes of memory that are allowed, if the recipe says so.
    pub(super) fn memory(&self, path: &Path) -> Result<Option<u64>, JobError> {
        let Some(text) = &self.engine.memory else { return Ok(None) };
        let wrong = || {
            let problem = Problem::new("engine.memory: a wrong value")
                .expected("a number and a unit, for example \"8 GiB\" or \"500 MB\"");
            self.refuse(path, &["engine", "memory"], problem)
        };
        bytes(text).map(Some).ok_or_else(wrong)
    }
}

/// Whether a path names an object of a store.
pub fn is_object(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("s3://"))
}

/// Names of sizes with their bytes; longer names first, that "GiB" is not taken for "B".
const UNITS: [(&str, f64); 7] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("B", 1.0),
];

fn bytes(text: &str) -> Option<u64> {
    let (unit, factor) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
    let bytes = number * factor;
    (bytes.is_finite() && bytes >= 1.0).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        let read = ["8 GiB", "500MB", "1.5 KiB", "7 B"].map(bytes);
        assert_eq!(read, [Some(8 << 30), Some(500_000_000), Some(1536), Some(7)]);
        for wrong in ["8", "GiB", "-1 GB", "nan MB", "8 gib", "0 B", "inf GB"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
