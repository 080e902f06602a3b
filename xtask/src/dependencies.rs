//! Licences and duplicate versions of what we depend on, from cargo's own answers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Outcome, cargo, output};

/// Licences that a dependency may be under: permissive, and compatible with ours.
const LICENSES: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
    "bzip2-1.0.6",
];

/// Crates that may be built in more than one version, each with its reason.
const DUPLICATES: [(&str, &str); 24] = [
    (
        "base64",
        "object_store, below Ballista (feature cluster), its reqwest and postgres-protocol (feature database) ask for 0.22",
    ),
    ("block-buffer", "object_store (feature cluster) has md-5 0.10, DataFusion 0.11"),
    ("const-oid", "x509-cert, below tokio-postgres-rustls (feature database), asks for 0.9"),
    ("cpufeatures", "sha2 0.10, below minisign's scrypt"),
    ("crypto-common", "object_store (feature cluster) has md-5 0.10, DataFusion 0.11"),
    ("digest", "object_store (feature cluster) has md-5 0.10, DataFusion 0.11"),
    ("fallible-iterator", "tokio-postgres asks for 0.2, rusqlite for 0.3 (feature database)"),
    ("foldhash", "petgraph, below DataFusion (feature sql), has hashbrown 0.15 with 0.1"),
    ("getrandom", "ahash, below arrow-rs, still asks for 0.3; ring (features cluster and database) for 0.2"),
    ("hashbrown", "dashmap and petgraph, below DataFusion (feature sql), ask for 0.14 and 0.15"),
    ("hmac", "minisign asks for scrypt 0.11, which has 0.12"),
    ("itertools", "object_store, below DataFusion (feature sql), asks for 0.14"),
    ("md-5", "object_store, below Ballista (feature cluster), asks for 0.10"),
    ("num-bigint", "num, below smartcore, and bigdecimal, below DataFusion (feature sql), ask for 0.4"),
    ("phf", "chrono-tz, below DataFusion (feature sql), asks for 0.12"),
    ("phf_shared", "as phf"),
    ("rand", "DataFusion (feature sql) asks for 0.9"),
    ("rand_chacha", "rand 0.9, below DataFusion (feature sql)"),
    ("rand_core", "rand 0.9, below DataFusion (feature sql)"),
    ("sha2", "minisign asks for scrypt 0.11, which has 0.10"),
    ("syn", "derive macros are moving from 2 to 3; needed at build time only"),
    ("tower-http", "reqwest, below object_store (feature cluster), asks for 0.6"),
    ("zstd", "compression-codecs, below DataFusion's file formats (feature cluster), asks for 0.14"),
    ("zstd-safe", "compression-codecs, below DataFusion's file formats (feature cluster), asks for 0.14"),
];

/// Every dependency has an expression that our list can satisfy.
pub(crate) fn licenses() -> Outcome {
    let metadata = output(cargo().args(["metadata", "--format-version", "1", "--locked", "--all-features"]))?;
    let metadata: Value = serde_json::from_slice(&metadata).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let mut problems = Vec::new();
    for package in packages {
        let expression = package["license"].as_str().unwrap_or("none given");
        if !satisfied(expression) {
            problems.push(format!("{} {}: licence {expression}", package["name"], package["version"]));
        }
    }
    println!("licences of {} crates checked, {} refused", packages.len(), problems.len());
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Whether the list satisfies an SPDX expression; `/` is read as `OR`, as older crates write it.
fn satisfied(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    alternatives(&words, &mut at) == Some(true) && at == words.len()
}

fn alternatives(words: &[&str], at: &mut usize) -> Option<bool> {
    let mut held = all_of(words, at)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        held |= all_of(words, at)?;
    }
    Some(held)
}

fn all_of(words: &[&str], at: &mut usize) -> Option<bool> {
    let mut held = one(words, at)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        held &= one(words, at)?;
    }
    Some(held)
}

/// A licence or a bracket; `None` where the expression breaks off.
fn one(words: &[&str], at: &mut usize) -> Option<bool> {
    let word = *words.get(*at)?;
    *at += 1;
    if word == "(" {
        let held = alternatives(words, at)?;
        *at += 1;
        return (words.get(*at - 1)? == &")").then_some(held);
    }
    if words.get(*at) != Some(&"WITH") {
        return Some(LICENSES.contains(&word));
    }
    let name = [word, "WITH", words.get(*at + 1)?].join(" ");
    *at += 2;
    Some(LICENSES.contains(&name.as_str()))
}

/// No crate is built twice for this machine, but for those with a reason.
pub(crate) fn duplicates() -> Outcome {
    let arguments = [
        "tree",
        "--workspace",
        "--locked",
        "--all-features",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--edges",
    ];
    let tree = output(cargo().args(arguments).arg("normal,build,dev"))?;
    let tree = String::from_utf8_lossy(&tree).into_owned();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(version);
        }
    }
    let excused = |name: &str| DUPLICATES.iter().any(|(known, _)| *known == name);
    let list = |found: &BTreeSet<&str>| found.iter().copied().collect::<Vec<_>>().join(", ");
    let twice = || versions.iter().filter(|(_, found)| found.len() > 1);
    let problems: Vec<String> = twice()
        .filter(|(name, _)| !excused(name))
        .map(|(name, found)| format!("{name} is built in the versions {}", list(found)))
        .collect();
    println!("{} crates, {} in more than one version", versions.len(), twice().count());
    for (name, reason) in DUPLICATES {
        match twice().find(|(found, _)| **found == name) {
            Some((_, found)) => println!("  {name} {}: {reason}", list(found)),
            None => println!("  {name} is no longer built twice: take it off the list"),
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        for good in [
            "MIT",
            "Unlicense/MIT",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(satisfied(good), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "none given", "", "(MIT", "MIT OR", "Unlicense"] {
            assert!(!satisfied(bad), "{bad}");
        }
    }
}
