//! A release that a test changes, and what `verify` says of it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use velamen_checker::State;
use velamen_job::{conclusion, verify};

use super::forger::Files;
use super::{context, patients, run};

pub(super) const OPTIMAL: &str =
    "[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n[method]\nname = \"optimal\"\n";

/// Where releases of earlier versions stand.
pub(super) fn releases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forged_manifests/releases")
}

/// A release in a folder of its own.
pub(super) struct Forged(pub(super) tempfile::TempDir);

impl Forged {
    /// As it was made; a table with `disease` as the sensitive attribute.
    pub(super) fn made(method: &str, output: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("patients.csv"), patients()).unwrap();
        let text = format!(
            "{}{method}[attributes.who]\nrole = \"identifier\"\n[output]\npath = \"release\"\n{output}",
            super::TABLE
        );
        run(folder.path(), "release", &text).unwrap();
        Self(folder)
    }

    /// As it was made, and verified.
    pub(super) fn of(method: &str, output: &str) -> Self {
        let forged = Self::made(method, output);
        let verified = context(|context| verify(&forged.release(), None, context)).unwrap();
        let broken: Vec<_> = verified.iter().filter(|f| f.state == State::Broken).collect();
        assert_eq!(forged.code(), 0, "{output}: {} {broken:?}", forged.broken());
        forged
    }

    pub(super) fn new() -> Self {
        Self::of(OPTIMAL, "")
    }

    /// One of these files.
    pub(super) fn with(files: &Files) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("release")).unwrap();
        let forged = Self(folder);
        files.iter().for_each(|(name, content)| forged.write(name, content));
        forged
    }

    /// A release that stands in the repository.
    pub(super) fn fixture(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = releases().join(name);
        let to = folder.path().join("release");
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        Self(folder)
    }

    pub(super) fn release(&self) -> PathBuf {
        self.0.path().join("release")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.release().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(super) fn alter(&self, name: &str, alter: impl Fn(&str) -> String) {
        let before = self.read(name);
        let after = alter(&before);
        assert_ne!(before, after);
        self.write(name, after);
    }

    pub(super) fn manifest(&self, alter: impl Fn(&mut Value)) {
        self.alter("release.json", |text| {
            let mut manifest = serde_json::from_str(text).unwrap();
            alter(&mut manifest);
            serde_json::to_string_pretty(&manifest).unwrap() + "\n"
        });
    }

    /// The exit code of `verify`, and what is not fine, or its error.
    fn verdict(&self) -> (u8, String) {
        let verified = context(|context| verify(&self.release(), None, context));
        let concluded = verified.and_then(|findings| conclusion(&findings));
        concluded.map_or_else(|error| (error.exit_code(), error.to_string()), |()| (0, String::new()))
    }

    /// The exit code of `verify`.
    pub(super) fn code(&self) -> u8 {
        self.verdict().0
    }

    /// What of `verify` is not fine, or its error.
    pub(super) fn broken(&self) -> String {
        self.verdict().1
    }

    /// That `verify` says broken, and of what.
    pub(super) fn is_broken(&self, what: &str) {
        let (code, broken) = self.verdict();
        assert_eq!(code, 3, "{what}: {broken}");
        assert!(broken.contains(what), "no {what:?} in {broken}");
    }
}
