//! The folder of results: complete or not there, like every output.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use velamen_job::refuse_dash;
use velamen_recipe::JobError;

/// A table as it is written: a header, then rows of text.
#[derive(Debug, Clone, Default)]
pub(super) struct ResultTable {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A table with its picture.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    /// The files' name without extension.
    pub(super) file: String,
    pub(super) title: String,
    /// What was done, in a few sentences.
    pub(super) note: String,
    pub(super) table: ResultTable,
    pub(super) svg: String,
}

/// A number as tables hold it: in full, empty where it is missing.
pub(super) fn cell(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// The folder while it is filled; removed unless it is published.
#[derive(Debug)]
pub(super) struct Folder {
    target: PathBuf,
    prepared: TempDir,
}

impl Folder {
    /// Refuses a target that exists and makes a temporary folder beside it.
    ///
    /// # Errors
    /// [`JobError::usage`], [`JobError::io`].
    pub(super) fn prepare(target: &Path) -> Result<Self, JobError> {
        refuse_dash(target)?;
        if target.file_name().is_none() {
            return Err(JobError::usage(format!("{}: not a folder that can be made", target.display())));
        }
        refuse_existing(target)?;
        let parent = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(parent).map_err(|error| JobError::io(parent, "create the folder", &error))?;
        let prepared = tempfile::Builder::new().prefix(".velamen-").tempdir_in(parent);
        let prepared = prepared.map_err(|error| JobError::io(parent, "create a folder in", &error))?;
        Ok(Self { target: target.to_owned(), prepared })
    }

    /// Writes a text file.
    ///
    /// # Errors
    /// [`JobError::io`].
    pub(super) fn text(&self, name: &str, text: &str) -> Result<(), JobError> {
        let path = self.prepared.path().join(name);
        std::fs::write(&path, text).map_err(|error| JobError::io(&self.target.join(name), "write", &error))
    }

    /// Writes a figure: `NAME.csv` and `NAME.svg`.
    ///
    /// # Errors
    /// [`JobError::io`].
    pub(super) fn figure(&self, figure: &Figure) -> Result<(), JobError> {
        let name = format!("{}.csv", figure.file);
        let failed = |error: csv::Error| {
            JobError::unusable(format!("{}: cannot write: {error}", self.target.join(&name).display()))
        };
        let mut writer = csv::Writer::from_path(self.prepared.path().join(&name)).map_err(failed)?;
        writer.write_record(&figure.table.header).map_err(failed)?;
        figure.table.rows.iter().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
        writer.flush().map_err(|error| JobError::io(&self.target.join(&name), "write", &error))?;
        self.text(&format!("{}.svg", figure.file), &figure.svg)
    }

    /// Brings the folder to its name.
    ///
    /// # Errors
    /// [`JobError::io`].
    pub(super) fn publish(self) -> Result<(), JobError> {
        refuse_existing(&self.target)?;
        readable(self.prepared.path())?;
        std::fs::rename(self.prepared.path(), &self.target)
            .map_err(|error| JobError::io(&self.target, "put the folder in place", &error))?;
        let _ = self.prepared.keep();
        Ok(())
    }
}

fn refuse_existing(target: &Path) -> Result<(), JobError> {
    if target.symlink_metadata().is_ok() {
        return Err(
            JobError::unusable(format!("{}: already exists", target.display())).mend("name another output")
        );
    }
    Ok(())
}

/// As any new folder, not for the owner alone.
#[cfg(unix)]
fn readable(path: &Path) -> Result<(), JobError> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, permissions)
        .map_err(|error| JobError::io(path, "set permissions of", &error))
}

#[cfg(not(unix))]
fn readable(_path: &Path) -> Result<(), JobError> {
    Ok(())
}
