//! What a command may write: nothing that it reads.
//!
//! Every output of every command goes through [`refuse`] before anything is read or written, and no option of a
//! command line lifts it. A file is the same as another by what the file system says, so that links of either
//! kind and other spellings of a path are seen through.

use std::path::{Path, PathBuf};

use velamen_core::error::{Place, Problem};
use velamen_engine::FileFormat;
pub use velamen_recipe::Read;
use velamen_recipe::{Code, JobError};

/// Refuses an output that is what the command reads, a folder that holds it, inside a folder that is read, or
/// standard output, which no output that is a path goes to.
///
/// # Errors
/// [`JobError::usage`].
pub fn refuse(output: &Path, reads: &[Read]) -> Result<(), JobError> {
    refuse_dash(output)?;
    let clash = reads.iter().find_map(|read| Some((clash(output, read)?, read)));
    let Some((how, Read { what, .. })) = clash else { return Ok(()) };
    let problem = match how {
        Clash::Same => format!("is {what}, which would be written over"),
        Clash::Holds => format!("holds {what}, which would be written over"),
        Clash::Inside => format!("lies inside {what}, which would be changed"),
    };
    let refusal = JobError::usage(format!("{}: {problem}", output.display())).mend("name another output");
    Err(refusal.coded(Code::OVERWRITES_INPUT))
}

/// Refuses `-`: a file or folder of that name is never meant.
///
/// # Errors
/// [`JobError::usage`].
pub fn refuse_dash(output: &Path) -> Result<(), JobError> {
    if output != Path::new("-") {
        return Ok(());
    }
    let problem = Problem::new("standard output is not supported here")
        .mend("name a file or folder (`./-` if it is called so)");
    Err(JobError::usage(problem.after("-: ")).coded(Code::DASH))
}

/// The format that a file's name asks for.
///
/// # Errors
/// [`JobError::usage`] if it is none that can be written.
pub fn format_of(output: &Path) -> Result<FileFormat, JobError> {
    FileFormat::to_write(output).map_err(|problem| JobError::usage(problem).at(Place::file(output)))
}

/// Refuses an output file that exists: it may be the only copy of something.
///
/// # Errors
/// [`JobError::io`].
pub(crate) fn refuse_existing(output: &Path) -> Result<(), JobError> {
    match output.metadata() {
        Ok(there) if there.is_file() => {
            Err(JobError::unusable(format!("{}: already exists", output.display()))
                .mend("remove it or name another output")
                .coded(Code::OUTPUT_EXISTS))
        }
        _ => Ok(()),
    }
}

/// Refuses outputs of one command of which one is `-` or another.
///
/// # Errors
/// [`JobError::usage`].
pub fn refuse_clashes(outputs: &[PathBuf]) -> Result<(), JobError> {
    let places: Vec<Option<PathBuf>> =
        outputs.iter().map(|output| std::path::absolute(output).ok()).collect();
    for (number, output) in outputs.iter().enumerate() {
        refuse_dash(output)?;
        let earlier = || (0..number).filter(|&earlier| places[earlier].is_some());
        if earlier().any(|earlier| places[earlier] == places[number] || same(&outputs[earlier], output)) {
            let problem = Problem::new("is asked for twice").mend("give each output a name of its own");
            return Err(JobError::usage(problem.after(&format!("{}: ", output.display()))));
        }
    }
    Ok(())
}

enum Clash {
    Same,
    Holds,
    Inside,
}

/// How an output would change what is read. What does not exist changes nothing, but for a folder it would be in.
fn clash(output: &Path, Read { path: read, folder, .. }: &Read) -> Option<Clash> {
    if same(output, read) {
        return Some(Clash::Same);
    }
    let place = |path: &Path| Some(parent(path).canonicalize().ok()?.join(path.file_name()?));
    if let Ok(folder) = output.canonicalize() {
        // A link goes with the folder that it lies in, though its file would stay.
        let places = [place(read), read.canonicalize().ok()];
        if places.into_iter().flatten().any(|place| place.starts_with(&folder)) {
            return Some(Clash::Holds);
        }
    }
    let inside = *folder && place(output)?.starts_with(read.canonicalize().ok()?);
    inside.then_some(Clash::Inside)
}

/// The folder that a path lies in.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// The path from a recipe's folder to a file: as it is where it lies elsewhere.
pub fn relative(path: &Path, base: &Path) -> String {
    let inside = path.strip_prefix(base).unwrap_or(path);
    let shown = if inside.is_absolute() || base == Path::new("") || path.starts_with(base) {
        inside.to_owned()
    } else {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    };
    shown.display().to_string()
}

/// Whether both exist and are one file or folder. Devices are written to without harm.
#[cfg(unix)]
fn same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |path: &Path| {
        let found = path.metadata().ok().filter(|found| found.is_file() || found.is_dir())?;
        Some((found.dev(), found.ino()))
    };
    number(one).is_some_and(|found| number(other) == Some(found))
}

#[cfg(not(unix))]
fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|found| other.canonicalize().is_ok_and(|other| other == found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(output: &Path, read: &Path) -> Option<String> {
        refuse(output, &[Read::new("the input", read)]).err().map(|error| {
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        })
    }

    #[test]
    fn what_is_read_is_seen_through_links_and_spellings() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("in.csv"), "x").unwrap();
        std::fs::write(at("other.csv"), "x").unwrap();
        std::fs::hard_link(at("in.csv"), at("hard.csv")).unwrap();
        let mut same = vec!["in.csv", "hard.csv", "sub/../in.csv"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("in.csv"), at("soft.csv")).unwrap();
            same.push("soft.csv");
        }
        for one in &same {
            for other in &same {
                let message = refused(&at(one), &at(other)).unwrap();
                assert!(message.contains("is the input"), "{one} {other}: {message}");
            }
            assert_eq!(refused(&at("other.csv"), &at(one)), None);
            assert_eq!(refused(&at("new.csv"), &at(one)), None);
        }
    }

    #[test]
    fn folders_are_looked_into() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("release/deep")).unwrap();
        std::fs::create_dir(at("elsewhere")).unwrap();
        std::fs::write(at("release/deep/in.csv"), "x").unwrap();
        std::fs::write(at("elsewhere/in.csv"), "x").unwrap();
        assert!(refused(&at("release"), &at("release/deep/in.csv")).unwrap().contains("holds the input"));
        assert!(refused(&at("release"), &at("release")).unwrap().contains("is the input"));
        assert_eq!(refused(&at("release/new.csv"), &at("release")), None);
        let inside = refuse(&at("release/new.csv"), &[Read::release(&at("release"))]).unwrap_err();
        assert!(inside.to_string().contains("inside the release"));
        assert_eq!(refused(&at("release"), &at("elsewhere/in.csv")), None);
        assert_eq!(refused(&at("release/new.csv"), &at("elsewhere")), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("elsewhere/in.csv"), at("release/link.csv")).unwrap();
            std::os::unix::fs::symlink(at("release"), at("same")).unwrap();
            assert!(refused(&at("release"), &at("release/link.csv")).is_some());
            assert!(refused(&at("release"), &at("same/deep/in.csv")).is_some());
            assert!(refused(&at("same"), &at("release/deep/in.csv")).is_some());
        }
    }

    #[test]
    fn a_dash_is_no_name() {
        assert!(refuse_dash(Path::new("-")).unwrap_err().to_string().contains("standard output"));
        assert!(refuse_dash(Path::new("./-")).is_ok());
    }
}
