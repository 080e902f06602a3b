//! An attestation: a signed statement of what a release is and what the checker found, for readers who have no folder.
//!
//! # Definition
//! A [statement of in-toto](https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md), version 1: its subjects
//! are the files of the folder with their SHA-256, its predicate has the promises, every finding, and the program. Beside it
//! stands its signature in minisign's form, over the bytes of the file.
//!
//! What is believed of it is what is computed again: the subjects from the folder's files, the promises from
//! `release.json`, the findings by the checker.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use velamen_checker::Finding;
use velamen_contract::model;
use velamen_recipe::{JobError, Read};

use crate::checksums::{checksum, checksums};
use crate::{output_file, outputs, sign};

/// What the statement is.
const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// What its predicate is.
pub const PREDICATE: &str = "urn:velamen:release:v1";

/// The version that states and checks.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The signature of a statement's file.
fn signature_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".minisig");
    name.into()
}

/// What is stated of a release, of which `findings` were found.
///
/// # Errors
/// [`JobError::io`] if the folder cannot be read.
pub fn statement(folder: &Path, findings: &Value) -> Result<Value, JobError> {
    let subjects = checksums(folder)?;
    let subject = |(name, sum): (&String, &String)| json!({ "name": name, "digest": { "sha256": sum } });
    Ok(json!({
        "_type": STATEMENT,
        "subject": subjects.iter().map(subject).collect::<Value>(),
        "predicateType": PREDICATE,
        "predicate": {
            "promises": promises(folder)?,
            "findings": findings,
            "program": program(),
        },
    }))
}

/// The program that states: its version, its platform, and its file, where the program is our own.
fn program() -> Value {
    let file =
        std::env::current_exe().ok().filter(|path| path.file_stem().is_some_and(|name| name == "velamen"));
    let sum = file.and_then(|path| checksum(&path).ok());
    json!({
        "name": "velamen",
        "version": VERSION,
        "platform": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        "sha256": sum,
    })
}

/// The promises of a release as its manifest has them.
fn promises(folder: &Path) -> Result<Value, JobError> {
    let path = folder.join(velamen_report::manifest::FILE);
    let text = std::fs::read(&path).map_err(|error| JobError::io(&path, "read", &error))?;
    let manifest: Value = serde_json::from_slice(&text)
        .map_err(|error| JobError::data(format!("{}: {error}", path.display())))?;
    Ok(manifest["privacy"].clone())
}

/// Writes a statement outside of its release, and its signature.
///
/// # Errors
/// [`JobError`] of a key that does not read, or of writing.
pub fn write(
    statement: &Value,
    folder: &Path,
    file: &Path,
    key: &Path,
    password: Option<String>,
) -> Result<(), JobError> {
    let signature = signature_of(file);
    let reads = [Read::release(folder), Read::new("the key", key)];
    outputs::refuse(file, &reads)?;
    outputs::refuse(&signature, &reads)?;
    let text = serde_json::to_string_pretty(statement).unwrap_or_default() + "\n";
    let signed = sign::signed(key, password, text.as_bytes(), &format!("velamen {VERSION} attestation"))?;
    for (path, text) in [(file, &text), (&*signature, &signed)] {
        output_file::write(path, |path| {
            std::fs::write(path, text).map_err(|error| JobError::io(path, "write", &error))
        })?;
    }
    Ok(())
}

/// Whether a statement is signed with a key and says of a release what is there, and what the checker finds; `findings` are those
/// of somebody who has the release alone.
///
/// # Errors
/// [`JobError::usage`] if the key is none, [`JobError::io`] if the statement or the folder cannot be read.
pub fn check(folder: &Path, file: &Path, key: &Path, findings: &Value) -> Result<Finding, JobError> {
    let text = std::fs::read(file).map_err(|error| JobError::io(file, "read the attestation", &error))?;
    let (public, is_signed) = sign::is_signed(key, &text, &signature_of(file))?;
    let asked = json!({ "signed-with": public, "unlike": [] });
    let found = |reached: Value, holds: bool| Finding::of("attestation", asked.clone(), reached, holds);
    if !is_signed {
        return Ok(found(json!("not signed with this key, or changed since"), false));
    }
    let Some(stated) = Statement::read(&text) else {
        return Ok(found(json!({ "unlike": ["the form of the statement"] }), false));
    };
    let unlike = unlike(folder, &stated)?;
    let findings = read_back(findings);
    let other = unlike_findings(&stated.predicate.findings, &findings);
    if unlike.is_empty() && !other.is_empty() && is_by_other_version(&stated.predicate, &findings, &other) {
        let why = "another version stated it, whose findings cannot all be compared";
        return Ok(Finding::not_checked("attestation", asked, why));
    }
    let unlike: Vec<String> = unlike.into_iter().chain(other.into_iter().map(in_words)).collect();
    let holds = unlike.is_empty();
    Ok(found(json!({ "unlike": unlike }), holds))
}

/// Findings as a statement gives them back, whose numbers were read from a text.
fn read_back(findings: &Value) -> Vec<Value> {
    serde_json::from_str(&findings.to_string()).unwrap_or_default()
}

fn in_words(name: &str) -> String {
    format!("the finding {}", if name.is_empty() { "without a name" } else { name })
}

/// A statement as it is written: nothing else may stand there, or it would seem to be checked, too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    predicate_type: String,
    predicate: Predicate,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: Sum,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sum {
    sha256: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Predicate {
    promises: Value,
    findings: Vec<Value>,
    program: Program,
}

/// The signer's word: nobody can see which program made a statement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    #[serde(rename = "name")]
    _name: String,
    version: String,
    #[serde(rename = "platform")]
    _platform: String,
    #[serde(rename = "sha256")]
    _sha256: Option<String>,
}

impl Statement {
    /// The statement of a text; `None` of another, and where a name stands twice in an object, since readers take the first or the
    /// last.
    fn read(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        (names_of_text(text) == names_of(&value)).then(|| serde_json::from_value(value).ok())?
    }
}

/// How many names stand in the objects of a text in JSON: as many as colons outside of strings.
fn names_of_text(text: &[u8]) -> usize {
    let (mut names, mut in_string, mut escaped) = (0, false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b':' if !in_string => names += 1,
            _ => {}
        }
    }
    names
}

fn names_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(names_of).sum(),
        Value::Object(fields) => fields.values().map(|field| 1 + names_of(field)).sum(),
        _ => 0,
    }
}

/// What a statement has otherwise than the release, except for the findings.
fn unlike(folder: &Path, stated: &Statement) -> Result<Vec<String>, JobError> {
    if stated.kind != STATEMENT || stated.predicate_type != PREDICATE {
        return Ok(vec!["the kind of the statement".into()]);
    }
    let there = checksums(folder)?;
    let mut unlike = match subjects(&stated.subject) {
        Some(stated) => {
            let names: std::collections::BTreeSet<_> = stated.keys().chain(there.keys()).collect();
            names.into_iter().filter(|name| stated.get(*name) != there.get(*name)).cloned().collect()
        }
        None => vec!["the subjects".to_owned()],
    };
    if stated.predicate.promises != promises(folder)? {
        unlike.push("the promises".into());
    }
    Ok(unlike)
}

/// The sums of the subjects by name; `None` if a name stands twice.
fn subjects(stated: &[Subject]) -> Option<BTreeMap<String, String>> {
    let sum = |subject: &Subject| (subject.name.clone(), subject.digest.sha256.clone());
    let sums: BTreeMap<_, _> = stated.iter().map(sum).collect();
    (sums.len() == stated.len()).then_some(sums)
}

/// The findings that are stated otherwise than they are found, by the name of their promise.
fn unlike_findings<'a>(stated: &'a [Value], found: &'a [Value]) -> Vec<&'a str> {
    // Each counts once: one that stands twice says something of its own.
    let mut left: Vec<&Value> = found.iter().collect();
    let mut unlike = Vec::new();
    for one in stated {
        match left.iter().position(|other| *other == one) {
            Some(place) => drop(left.swap_remove(place)),
            None => unlike.push(one),
        }
    }
    let mut names: Vec<&str> = unlike.into_iter().chain(left).map(promise).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The promise of a finding; nothing of what is none.
fn promise(finding: &Value) -> &str {
    finding["promise"].as_str().unwrap_or_default()
}

/// Whether another version stated the findings, and all that is otherwise are checks that only one of both has. Models are none of them:
/// what a release promises stands in it.
fn is_by_other_version(predicate: &Predicate, found: &[Value], unlike: &[&str]) -> bool {
    let is_one_sided = |name: &&str| {
        let has = |findings: &[Value]| findings.iter().any(|one| promise(one) == *name);
        !name.is_empty() && has(&predicate.findings) != has(found) && model::find(name).is_none()
    };
    predicate.program.version != VERSION && unlike.iter().all(is_one_sided)
}
