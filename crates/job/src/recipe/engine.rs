//! What the reduction of the table may take.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Recipe;
use crate::error::JobError;

/// `[engine]`
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EngineSection {
    /// The most memory that the run may need, for example "8 GiB"; left out: what the machine has free.
    pub memory: Option<String>,
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

impl Recipe {
    /// The bytes of memory that are allowed, if the recipe says so.
    pub(super) fn memory(&self, path: &Path) -> Result<Option<u64>, JobError> {
        let Some(text) = &self.engine.memory else { return Ok(None) };
        let wrong = || {
            let problem = "engine.memory: expected a number and a unit, for example \"8 GiB\" or \"500 MB\"";
            JobError::recipe(path, problem)
        };
        bytes(text).map(Some).ok_or_else(wrong)
    }
}

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
