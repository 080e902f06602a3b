//! Where a table lies: a file or an object.

use std::path::Path;

use crate::error::ClusterError;

/// Whether a path names an object and no file.
#[must_use]
pub fn is_remote(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("s3://"))
}

/// Refuses names that mean another file to the cluster than to the driver.
pub(crate) fn plain(name: &str) -> Result<(), ClusterError> {
    if name.contains(['*', '?', '[', '%']) {
        return Err(ClusterError::Refused(
            format!("{name}: the cluster would take *, ?, [ and % for patterns").into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_told_from_files() {
        assert!(is_remote(Path::new("s3://bucket/table.csv")));
        assert!(!is_remote(Path::new("data/s3/table.csv")));
    }
}
