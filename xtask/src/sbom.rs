//! The software bill of materials of the program: what it is built from, as CycloneDX 1.5 reads it.
//!
//! All of it is cargo's own answer: the crates that the target's binary links, with versions and licences, and from the
//! lock file the SHA-256 sums that cargo checks what it fetches against. The same sources give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{Outcome, cargo, output, root};

const HELP: &str = "\
cargo xtask sbom FILE [--target TRIPLE] [--features FEATURES]
  --target    of which system (this machine's when left out)
  --features  of velamen-cli";

/// The crate whose binary it is.
const BINARY: &str = "velamen-cli";

/// Names and versions of the lock file, with the sums of what was fetched.
type Sums = BTreeMap<(String, String), String>;

struct Request {
    file: PathBuf,
    target: String,
    features: String,
}

/// Writes the bill of the command line's arguments.
pub(crate) fn run() -> Outcome {
    let request = request().ok_or(HELP)?;
    let filter = ["--filter-platform", &request.target];
    let features: Vec<String> = request.features.split(',').map(|name| format!("{BINARY}/{name}")).collect();
    let features = if request.features.is_empty() { String::new() } else { features.join(",") };
    let asked = ["metadata", "--format-version", "1", "--locked", "--features", &features];
    let metadata = output(cargo().args(asked).args(filter))?;
    let metadata: Value = serde_json::from_slice(&metadata).map_err(|error| error.to_string())?;
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).map_err(|error| error.to_string())?;
    let bill = bill(&metadata, &sums(&lock)?).ok_or("cargo metadata does not have the form that is known")?;
    let text = serde_json::to_string_pretty(&bill).map_err(|error| error.to_string())? + "\n";
    std::fs::write(&request.file, text).map_err(|error| format!("{}: {error}", request.file.display()))?;
    println!("{} crates in {}", bill["components"].as_array().map_or(0, Vec::len), request.file.display());
    Ok(())
}

fn request() -> Option<Request> {
    let mut arguments = std::env::args().skip(2);
    let mut request =
        Request { file: arguments.next()?.into(), target: host().ok()?, features: String::new() };
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--target" => request.target = arguments.next()?,
            "--features" => request.features = arguments.next()?,
            _ => return None,
        }
    }
    Some(request)
}

/// This machine's triple.
fn host() -> Result<String, String> {
    let said = output(std::process::Command::new("rustc").arg("-vV"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say what machine this is".to_owned())
}

fn sums(lock: &str) -> Result<Sums, String> {
    let lock: toml::Table = toml::from_str(lock).map_err(|error| error.to_string())?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let sum = |package: &toml::Value| {
        Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?))
    };
    Ok(packages.filter_map(sum).collect())
}

/// The bill, from what cargo says of all packages.
fn bill(metadata: &Value, sums: &Sums) -> Option<Value> {
    let packages = metadata["packages"].as_array()?;
    let known: BTreeMap<&str, &Value> =
        packages.iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let edges = edges(metadata)?;
    let start = packages.iter().find(|package| package["name"] == BINARY)?["id"].as_str()?;
    let linked = reached(start, &edges);
    let components: Vec<Value> = linked
        .iter()
        .filter(|id| **id != start)
        .map(|id| component(known.get(id)?, sums))
        .collect::<Option<_>>()?;
    let depends = |id: &&str| {
        let on: Option<Vec<String>> =
            edges.get(id)?.iter().map(|other| Some(url(known.get(other)?))).collect();
        Some(json!({ "ref": url(known.get(id)?), "dependsOn": on? }))
    };
    let dependencies: Vec<Value> = linked.iter().map(depends).collect::<Option<_>>()?;
    let mut program = component(known.get(start)?, sums)?;
    program["type"] = "application".into();
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": program },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// What each package links: neither tests nor build scripts.
fn edges(metadata: &Value) -> Option<BTreeMap<&str, BTreeSet<&str>>> {
    metadata["resolve"]["nodes"].as_array()?.iter().map(linked_by).collect()
}

fn linked_by(node: &Value) -> Option<(&str, BTreeSet<&str>)> {
    let linked = node["deps"].as_array()?.iter().filter(is_normal);
    Some((node["id"].as_str()?, linked.filter_map(|dependency| dependency["pkg"].as_str()).collect()))
}

fn is_normal(dependency: &&Value) -> bool {
    dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

/// A package and all that it links.
fn reached<'a>(start: &'a str, edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(id) = open.pop() {
        open.extend(edges.get(id).into_iter().flatten().copied().filter(|next| found.insert(next)));
    }
    found
}

fn component(package: &Value, sums: &Sums) -> Option<Value> {
    let (name, version) = (package["name"].as_str()?, package["version"].as_str()?);
    let mut component = json!({
        "type": "library",
        "bom-ref": url(package),
        "name": name,
        "version": version,
        "purl": url(package),
    });
    if let Some(licence) = package["license"].as_str() {
        // As older crates write it.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(sum) = sums.get(&(name.to_owned(), version.to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    Some(component)
}

/// The package's URL, by which vulnerabilities are looked up.
fn url(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_nothing_else() {
        let package =
            |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let on = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let node = |id: &str, deps: Vec<Value>| json!({ "id": id, "deps": deps });
        let nodes = [
            node(BINARY, vec![on("a", Value::Null), on("b", "build".into())]),
            node("a", vec![on("c", Value::Null), on("d", "dev".into())]),
            node("b", vec![]),
            node("c", vec![]),
            node("d", vec![]),
        ];
        let packages: Vec<Value> = [BINARY, "a", "b", "c", "d"].map(package).into();
        let metadata = json!({ "packages": packages, "resolve": { "nodes": nodes } });
        let lock = "[[package]]\nname = \"c\"\nversion = \"1.0.0\"\nchecksum = \"77\"\n";
        let bill = bill(&metadata, &sums(lock).expect("a lock file")).expect("a bill");
        let names: Vec<&Value> =
            bill["components"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["a", "c"]);
        assert_eq!(bill["components"][1]["hashes"][0]["content"], "77");
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/c@1.0.0"]));
    }
}
