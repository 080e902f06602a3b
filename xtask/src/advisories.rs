//! The lock file against a local copy of the RustSec advisory database.
//!
//! The copy is searched for in `$ADVISORY_DB` and in `advisory-db` in cargo's home; where there is
//! none, this says so and passes: a check that needs the network must not stop work without it.
//! A release is no such work: with `ADVISORIES=required` this fails then.

use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};
use toml::{Table, Value};

use crate::{Outcome, root};

/// Advisories that we live with, each with its reason.
const ACCEPTED: [(&str, &str); 0] = [];

pub(crate) fn run() -> Outcome {
    let Some(database) = database() else {
        return not_looked_up(std::env::var("ADVISORIES").is_ok_and(|wanted| wanted == "required"));
    };
    let locked = locked()?;
    let mut problems = Vec::new();
    for (name, version) in &locked {
        let Ok(folder) = std::fs::read_dir(database.join("crates").join(name)) else { continue };
        for entry in folder.flatten() {
            if let Some(problem) = concerns(&entry.path(), name, version) {
                problems.push(problem);
            }
        }
    }
    problems.sort();
    println!("{} locked crates checked against {}", locked.len(), database.display());
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// What a missing database comes to. `.ci/run` looks for these words.
fn not_looked_up(required: bool) -> Outcome {
    let said = "advisories: NOT LOOKED UP: there is no local copy of the database; clone \
                https://github.com/RustSec/advisory-db and name it in ADVISORY_DB";
    if required {
        return Err(said.into());
    }
    println!("{said}");
    Ok(())
}

fn database() -> Option<PathBuf> {
    let named = std::env::var_os("ADVISORY_DB").map(PathBuf::from);
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    let usual = home.map(|home| home.join("advisory-db"));
    named.into_iter().chain(usual).find(|folder| folder.join("crates").is_dir())
}

fn locked() -> Result<Vec<(String, Version)>, String> {
    let path = root().join("Cargo.lock");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lock: Table = text.parse().map_err(|error| format!("Cargo.lock: {error}"))?;
    let packages = lock.get("package").and_then(Value::as_array).ok_or("Cargo.lock lists no packages")?;
    let foreign = packages.iter().filter(|package| package.get("source").is_some());
    foreign.map(|package| one(package).ok_or_else(|| "Cargo.lock: a package does not read".into())).collect()
}

fn one(package: &Value) -> Option<(String, Version)> {
    let name = package.get("name")?.as_str()?.to_owned();
    Some((name, Version::parse(package.get("version")?.as_str()?).ok()?))
}

/// What an advisory says of this version; `None` if nothing.
fn concerns(path: &Path, name: &str, version: &Version) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let advisory: Table = text.split("```toml").nth(1)?.split("```").next()?.parse().ok()?;
    affected(&advisory, version).then(|| {
        let id = advisory.get("advisory").and_then(|a| a.get("id")).and_then(Value::as_str);
        format!("{name} {version}: {}", id.unwrap_or("an advisory without a name"))
    })
}

fn affected(advisory: &Table, version: &Version) -> bool {
    let head = advisory.get("advisory");
    let text = |key: &str| head.and_then(|head| head.get(key)).and_then(Value::as_str);
    let id = text("id").unwrap_or_default();
    if head.and_then(|head| head.get("withdrawn")).is_some() || ACCEPTED.iter().any(|(known, _)| *known == id)
    {
        return false;
    }
    // Remarks such as `unmaintained` are no vulnerability.
    if matches!(text("informational"), Some("unmaintained" | "notice")) {
        return false;
    }
    let matches = |key: &str| {
        let ranges =
            advisory.get("versions").and_then(|versions| versions.get(key)).and_then(Value::as_array);
        ranges
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .any(|range| VersionReq::parse(range).is_ok_and(|range| range.matches(version)))
    };
    !matches("patched") && !matches("unaffected")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_needs_the_database_and_other_work_does_not() {
        assert!(not_looked_up(false).is_ok());
        assert!(not_looked_up(true).unwrap_err().contains("NOT LOOKED UP"));
        let workflow =
            std::fs::read_to_string(root().join(".github/workflows/release.yml")).expect("the workflow");
        let (before, publish) = workflow.split_once("  publish:").expect("the job that publishes");
        assert!(before.contains("ADVISORIES: required") && before.contains("cargo xtask advisories"));
        assert!(publish.contains("needs: [advisories, "), "nothing is published without");
        let ci = std::fs::read_to_string(root().join(".ci/run")).expect("the script");
        assert!(ci.contains("NOT LOOKED UP"), "the script says so at its end");
    }

    #[test]
    fn patched_unaffected_and_withdrawn_versions_are_let_through() {
        let advisory: Table =
            "[advisory]\nid = \"X\"\n[versions]\npatched = [\">= 1.2.3\"]\nunaffected = [\"< 1.0.0\"]"
                .parse()
                .expect("valid TOML");
        let is_affected = |text: &str| affected(&advisory, &Version::parse(text).expect("a version"));
        assert!(is_affected("1.0.0") && is_affected("1.2.2"));
        assert!(!is_affected("1.2.3") && !is_affected("0.9.0"));
        let withdrawn: Table =
            "[advisory]\nid = \"X\"\nwithdrawn = \"2024-01-01\"".parse().expect("valid TOML");
        assert!(!affected(&withdrawn, &Version::new(1, 0, 0)));
    }
}
