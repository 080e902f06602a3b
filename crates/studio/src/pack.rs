//! A folder as one ZIP file, to be taken away from where the studio wrote it.

use std::io::{Seek, Write};
use std::path::Path;

use velamen_recipe::JobError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::run::files;

/// Writes the files of a folder below one name, in the order of their names: one folder, the same bytes.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, or the archive cannot be written.
pub(crate) fn pack(folder: &Path, into: impl Write + Seek) -> Result<(), JobError> {
    let failed = |error: &std::io::Error| JobError::io(folder, "pack", error);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .large_file(true);
    let mut archive = ZipWriter::new(into);
    for file in files(folder) {
        archive.start_file(format!("{name}/{file}"), options).map_err(|error| failed(&error.into()))?;
        let mut content = std::fs::File::open(folder.join(&file)).map_err(|error| failed(&error))?;
        std::io::copy(&mut content, &mut archive).map_err(|error| failed(&error))?;
    }
    archive.finish().map(drop).map_err(|error| failed(&error.into()))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;

    #[test]
    fn a_folder_is_packed_whole_and_always_alike() {
        let place = tempfile::tempdir().unwrap();
        let release = place.path().join("stays release");
        std::fs::create_dir_all(release.join("data")).unwrap();
        for (name, text) in [("b.csv", "x\n1\n"), ("a.json", "{}"), ("data/PERSON.csv", "id\n1\n")] {
            std::fs::write(release.join(name), text).unwrap();
        }
        let packed = || {
            let mut bytes = Cursor::new(Vec::new());
            pack(&release, &mut bytes).unwrap();
            bytes.into_inner()
        };
        assert_eq!(packed(), packed());
        let mut archive = zip::ZipArchive::new(Cursor::new(packed())).unwrap();
        let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
        assert_eq!(names, ["stays release/a.json", "stays release/b.csv", "stays release/data/PERSON.csv"]);
        let mut text = String::new();
        archive.by_name("stays release/b.csv").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "x\n1\n");
    }
}
