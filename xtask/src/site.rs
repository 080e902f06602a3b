//! The documentation as a site: docs/ with links that work there, built by mdBook, and every link of the result checked.
//!
//! In the repository, pages link sources. On the site these links lead to the repository's address, if Cargo.toml has one,
//! and are plain names otherwise. Error codes, decisions and references, which have no place in SUMMARY.md, get one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::{Outcome, output, root};

/// The page that is made of the Python package's docstrings.
const PYTHON_REFERENCE: &str = "python-functions.md";

/// Builds `target/book` and checks it. The environment's `MDBOOK` names another program.
pub(crate) fn run() -> Outcome {
    let root = root().canonicalize().map_err(|error| format!("the workspace: {error}"))?;
    let (source, book) = (root.join("target/site"), root.join("target/book"));
    for folder in [&source, &book] {
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(failed(folder))?;
        }
    }
    let repository = repository(&root)?;
    for file in files(&root.join("docs"))? {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        // mdBook makes index.html of README.md and leaves the links to it as they are.
        let copy = source.join(name.to_string_lossy().replace("README.md", "index.md"));
        std::fs::create_dir_all(copy.parent().unwrap_or(&source)).map_err(failed(&copy))?;
        match file.extension().is_some_and(|extension| extension == "md") {
            true => write(&copy, &page(name, &read(&file)?, repository.as_deref()))?,
            false => drop(std::fs::copy(&file, &copy).map_err(failed(&file))?),
        }
    }
    let docs = source.join("docs");
    write(&docs.join("references.md"), &references(&read(&docs.join("references.bib"))?))?;
    let has_reference = python_reference(&root, &docs)?;
    write(&docs.join("SUMMARY.md"), &summary(&docs)?)?;
    write(&source.join("book.toml"), &read(&root.join("book.toml"))?)?;
    let mdbook = std::env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    output(Command::new(mdbook).arg("build").arg("--dest-dir").arg(&book).arg(&source))?;
    let (pages, links) = checked(&book)?;
    println!("{} has {pages} pages; each of their {links} links leads somewhere", book.display());
    if !has_reference {
        println!("no reference of the Python package: this Python has no griffe");
    }
    if !has_search(&book)? {
        println!("no search box: this mdbook was built without its feature `search`");
    }
    Ok(())
}

/// The page of all functions of the Python package, by griffe, which reads its sources; whether this Python has griffe.
/// The environment's `PYTHON` names another one.
fn python_reference(root: &Path, docs: &Path) -> Result<bool, String> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let has =
        Command::new(&python).args(["-c", "import griffe"]).output().is_ok_and(|run| run.status.success());
    if has {
        let page = output(Command::new(&python).arg(root.join("crates/python/reference.py")))?;
        write(&docs.join(PYTHON_REFERENCE), &String::from_utf8_lossy(&page))?;
    }
    Ok(has)
}

/// Whether mdBook wrote an index for the search box.
fn has_search(book: &Path) -> Result<bool, String> {
    Ok(files(book)?.iter().any(|file| is_index(file)))
}

fn is_index(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("searchindex"))
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String + use<> {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(failed(path))
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(failed(path))
}

/// The address of the repository that Cargo.toml names.
fn repository(root: &Path) -> Result<Option<String>, String> {
    let manifest: toml::Table =
        read(&root.join("Cargo.toml"))?.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let address =
        manifest.get("workspace").and_then(|workspace| workspace.get("package")?.get("repository")?.as_str());
    Ok(address.map(|address| address.trim_end_matches('/').to_owned()))
}

/// All files under a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}

/// A page's text with links that work on the site; `name` is its path in the repository.
fn page(name: &Path, text: &str, repository: Option<&str>) -> String {
    let mut fenced = false;
    let mut made = String::new();
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        match fenced || fence {
            true => made.push_str(line),
            false => {
                let line = linked(name, line, repository).replace("errors/README.md", "errors/index.md");
                made.push_str(&cited(&line, name));
            }
        }
    }
    made
}

/// A line's links that leave docs/, as the site has them.
fn linked(name: &Path, line: &str, repository: Option<&str>) -> String {
    let (mut made, mut rest) = (String::new(), line);
    while let Some(middle) = rest.find("](") {
        let open = rest[..middle].rfind('[');
        let close = rest[middle..].find(')').map(|close| middle + close);
        let (Some(open), Some(close)) = (open, close) else { break };
        let (words, link) = (&rest[open + 1..middle], &rest[middle + 2..close]);
        made.push_str(&rest[..open]);
        match outside(name, link) {
            None => made.push_str(&rest[open..=close]),
            Some(path) => made.push_str(&match repository {
                Some(address) => format!("[{words}]({address}/blob/main/{path})"),
                None if path.ends_with(words.trim_matches('`')) => format!("`{path}`"),
                None => format!("{words} (`{path}`)"),
            }),
        }
        rest = &rest[close + 1..];
    }
    made + rest
}

/// Where a link leads in the repository, if that is outside docs/.
fn outside(name: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
        return None;
    }
    let target = link.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> =
        name.parent()?.components().filter_map(|part| part.as_os_str().to_str()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    (parts.first() != Some(&"docs")).then(|| parts.join("/"))
}

/// A line whose citations `[@key]` lead to the references.
fn cited(line: &str, name: &Path) -> String {
    let up = "../".repeat(name.components().count().saturating_sub(2));
    let mut made = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("[@") {
        let Some((keys, behind)) = after.split_once(']') else { break };
        made.push_str(before);
        let link = |key: &str| {
            let key = key.trim().trim_start_matches('@');
            format!("[{key}]({up}references.md#{key})")
        };
        made.push_str(&keys.split([';', ',']).map(link).collect::<Vec<_>>().join(", "));
        rest = behind;
    }
    made + rest
}

/// The bibliography as a page.
fn references(bibliography: &str) -> String {
    let mut page = String::from("# References\n");
    for entry in bibliography.split("\n@") {
        let Some((_, rest)) = entry.split_once('{') else { continue };
        let Some((key, fields)) = rest.split_once(',') else { continue };
        let field = |name: &str| {
            let line = fields.lines().map(str::trim).find(|line| {
                line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
            })?;
            Some(line.split_once('=')?.1.trim().trim_end_matches(',').replace(['{', '}', '"'], ""))
        };
        let words: Vec<String> =
            ["author", "title", "journal", "booktitle", "publisher", "year", "doi", "url"]
                .into_iter()
                .filter_map(field)
                .collect();
        let _ = write!(page, "\n<a id=\"{key}\"></a>**{key}**: {}.\n", words.join(". "));
    }
    page
}

/// The line of SUMMARY.md after which the reference of the Python package stands.
const PYTHON: &str = "- [Python](python.md)\n";

/// SUMMARY.md with the pages that it leaves out.
fn summary(docs: &Path) -> Result<String, String> {
    let entries = |folder: &str, begin: &str, indent: &str| -> Result<String, String> {
        let mut list = String::new();
        for file in files(&docs.join(folder))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&file)?;
            let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
            if name.starts_with(begin) && name.ends_with(".md") {
                let _ = writeln!(list, "{indent}- [{}]({folder}/{name})", title.replace(['[', ']'], ""));
            }
        }
        Ok(list)
    };
    let codes = "- [Error codes](errors/index.md)\n";
    let summary = read(&docs.join("SUMMARY.md"))?;
    if !summary.contains(codes) {
        return Err(format!("docs/SUMMARY.md has no line {codes}"));
    }
    let summary = summary.replace(codes, &(codes.to_owned() + &entries("errors", "E", "  ")?));
    let summary = match docs.join(PYTHON_REFERENCE).exists() {
        true => summary.replace(PYTHON, &format!("{PYTHON}  - [Every function]({PYTHON_REFERENCE})\n")),
        false => summary,
    };
    let decisions = entries("decisions", "0", "")?;
    Ok(format!("{}\n- [References](references.md)\n\n# Decisions\n\n{decisions}", summary.trim_end()))
}

/// How many pages and links a site has, once every link within it leads to a file, and to a place there.
fn checked(book: &Path) -> Result<(usize, usize), String> {
    let mut pages = BTreeMap::new();
    for file in files(book)?.into_iter().filter(|file| file.extension().is_some_and(|e| e == "html")) {
        // All pages in one, whose links lead to the others; and the page of a wrong address, which lies at the root.
        if !file.ends_with("print.html") && !file.ends_with("404.html") {
            pages.insert(file.clone(), read(&file)?);
        }
    }
    let places: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(file, text)| (file, values(text, "id").collect())).collect();
    let (mut links, mut broken) = (0, Vec::new());
    for (file, text) in &pages {
        for link in values(text, "href").chain(values(text, "src")) {
            if link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:") {
                continue;
            }
            links += 1;
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => file.clone(),
                path => joined(file.parent().unwrap_or(book), path),
            };
            let is_there = match places.get(&target) {
                Some(places) => place.is_empty() || places.contains(place),
                None => target.exists() && !path.ends_with(".md"),
            };
            if !is_there {
                let page = file.strip_prefix(book).unwrap_or(file);
                broken.push(format!("{}: {link} leads nowhere", page.display()));
            }
        }
    }
    broken.sort();
    broken.dedup();
    if broken.is_empty() { Ok((pages.len(), links)) } else { Err(broken.join("\n")) }
}

/// The values of an attribute in a page's text.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!(" {attribute}=\"");
    let mut rest = text;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(begin.as_str())?;
        let (value, behind) = after.split_once('"')?;
        rest = behind;
        Some(value)
    })
}

/// A relative path from a folder, without `..`.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut made = PathBuf::new();
    for part in folder.join(path.split('?').next().unwrap_or_default()).components() {
        match part {
            Component::ParentDir => drop(made.pop()),
            part => made.push(part),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_sources_work_on_the_site() {
        let name = Path::new("docs/methods/risk.md");
        let line =
            "See [risk.rs](../../crates/risk.rs), [the map](../../ARCHITECTURE.md) and [CI](../ci.md#a).";
        assert_eq!(
            linked(name, line, None),
            "See `crates/risk.rs`, the map (`ARCHITECTURE.md`) and [CI](../ci.md#a)."
        );
        let there = linked(name, line, Some("https://example.org/v"));
        assert!(there.contains("[risk.rs](https://example.org/v/blob/main/crates/risk.rs)"), "{there}");
        assert_eq!(
            cited("As [@lee2017; @lee2020] say.", name),
            "As [lee2017](../references.md#lee2017), [lee2020](../references.md#lee2020) say."
        );
        assert_eq!(page(name, "```\n[a](../../b)\n```\n", None), "```\n[a](../../b)\n```\n");
    }

    #[test]
    fn values_are_found() {
        let found: Vec<&str> = values("<a href=\"x\"> <a href=\"y#z\">", "href").collect();
        assert_eq!(found, ["x", "y#z"]);
        assert_eq!(joined(Path::new("/b/m"), "../x.html"), Path::new("/b/x.html"));
    }
}
