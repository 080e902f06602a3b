//! Guards that the documents agree with the code and with each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use velamen_assess::operation::OPERATIONS;
use velamen_cli::COMMANDS;
use velamen_core::error::code;
use velamen_recipe::Recipe;
use velamen_search::{metric, model};

/// Files of more lines than this need a reason.
const MOST_LINES: usize = 500;

/// Longer files, each with its reason.
const LONG_FILES: [(&str, &str); 3] = [
    ("crates/measure/src/profile/finding/kinds.rs", "two tables of columns that are read beside each other"),
    ("crates/measure/src/profile/patterns/mod.rs", "the one list of shapes, an entry each"),
    (
        "crates/search/src/method/one_level/local_recoding.rs",
        "the searches, their bound and what is kept of them",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace exists")
}

/// All files of the repository with this extension, but for what is built.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry of a folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let skipped = name == "target" || name.starts_with('.');
            if path.is_dir() && !skipped && !path.join("CACHEDIR.TAG").exists() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// The text outside fenced blocks.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// What stands in round brackets after `](`.
fn links(text: &str) -> Vec<String> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link.trim().to_owned()).collect()
}

#[test]
fn links_point_at_files() {
    let mut checked = 0;
    for file in files("md") {
        for link in links(&prose(&read(&file))) {
            if link.contains("://") || link.starts_with("mailto:") || link.starts_with('#') {
                continue;
            }
            let target = link.split('#').next().unwrap_or_default();
            let path = file.parent().unwrap_or(Path::new("")).join(target);
            assert!(path.exists(), "{}: the link {link} leads nowhere", shown(&file));
            checked += 1;
        }
    }
    assert!(checked > 20, "only {checked} links found");
}

/// Every string under `const` or `enum` of a JSON Schema.
fn names_in(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("const", Value::String(name)) => drop(names.insert(name.clone())),
                    ("enum", Value::Array(list)) => {
                        names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ => names_in(value, names),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| names_in(value, names)),
        _ => {}
    }
}

/// Every key under `properties` of a JSON Schema.
fn keys_in(schema: &Value, keys: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(properties) = map.get("properties").and_then(Value::as_object) {
                keys.extend(properties.keys().cloned());
            }
            map.values().for_each(|value| keys_in(value, keys));
        }
        Value::Array(list) => list.iter().for_each(|value| keys_in(value, keys)),
        _ => {}
    }
}

#[test]
fn every_name_and_key_of_the_recipe_is_documented() {
    let schema = Recipe::schema();
    let mut expected: BTreeSet<String> = model::REGISTRY.names().map(str::to_owned).collect();
    expected.extend(metric::REGISTRY.iter().map(|metric| metric.name.to_owned()));
    names_in(&schema, &mut expected);
    keys_in(&schema, &mut expected);
    for method in ["h-ceiling", "optimal", "suppression", "relocation"] {
        assert!(expected.contains(method), "the schema does not list the method {method}");
    }
    let page = read(&root().join("docs/recipe.md"));
    let missing: Vec<&String> = expected.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/recipe.md does not name {missing:?}");
}

/// The command that only packages call.
const HIDDEN: &str = "man";

#[test]
fn every_command_and_every_operation_has_a_row() {
    let operations: Vec<&str> = OPERATIONS.names().collect();
    let commands: Vec<&str> = COMMANDS.names().filter(|name| *name != HIDDEN).collect();
    for (page, names) in
        [("docs/commands.md", [commands, operations.clone()].concat()), ("docs/python.md", operations)]
    {
        let text = read(&root().join(page));
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let rows: BTreeSet<&str> =
            rows.flat_map(|row| row.split('`')).filter_map(|code| code.split([' ', '(']).next()).collect();
        let missing: Vec<&&str> = names.iter().filter(|name| !rows.contains(**name)).collect();
        assert!(missing.is_empty(), "{page} has no row for {missing:?}");
    }
}

#[test]
fn cited_references_exist() {
    let bibliography = read(&root().join("docs/references.bib"));
    let keys: BTreeSet<&str> = bibliography
        .lines()
        .filter(|line| line.starts_with('@'))
        .filter_map(|line| Some(line.split_once('{')?.1.trim_end_matches(',').trim()))
        .collect();
    let entries = bibliography.lines().filter(|line| line.starts_with('@')).count();
    assert_eq!(keys.len(), entries, "a key stands twice in docs/references.bib");
    let mut cited = BTreeSet::new();
    for file in files("md").iter().filter(|file| shown(file).starts_with("docs/")) {
        let text = read(file);
        for rest in text.split("[@").skip(1) {
            let key = rest.split([']', ',', ';']).next().unwrap_or_default().to_owned();
            assert!(keys.contains(key.as_str()), "{}: no entry for {key}", shown(file));
            cited.insert(key);
        }
    }
    let unused: Vec<&&str> = keys.iter().filter(|key| !cited.contains(**key)).collect();
    assert!(unused.is_empty(), "docs/references.bib has entries that nobody cites: {unused:?}");
}

/// Every page can be found from the table of contents, but for decisions and error codes, which have lists of their own.
#[test]
fn the_table_of_contents_has_every_page() {
    let summary = read(&root().join("docs/SUMMARY.md"));
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    let elsewhere = ["decisions/", "errors/E", "SUMMARY.md"];
    let pages = files("md").into_iter().map(|file| shown(&file));
    let pages = pages.filter_map(|file| file.strip_prefix("docs/").map(str::to_owned));
    let missing: Vec<String> = pages
        .filter(|page| !elsewhere.iter().any(|start| page.starts_with(start)) && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
}

#[test]
fn every_decision_is_linked() {
    let architecture = read(&root().join("ARCHITECTURE.md"));
    for file in files("md").iter().filter(|file| shown(file).starts_with("docs/decisions/")) {
        assert!(architecture.contains(&shown(file)), "ARCHITECTURE.md does not link {}", shown(file));
    }
}

#[test]
fn files_are_short_or_have_a_reason() {
    for file in files("rs") {
        let (name, lines) = (shown(&file), read(&file).lines().count());
        let excused = LONG_FILES.iter().any(|(listed, _)| *listed == name);
        assert!(lines <= MOST_LINES || excused, "{name} has {lines} lines; split it or give a reason here");
        assert!(lines > MOST_LINES || !excused, "{name} is listed as long, but has {lines} lines");
    }
}

/// The command in the fenced block after `<!-- name -->`, as `.ci/run` reads it.
fn command(readme: &str, name: &str) -> Option<String> {
    let block = readme.split_once(&format!("<!-- {name} -->"))?.1.split("```").nth(1)?;
    block.strip_prefix("sh\n").map(|text| text.trim().to_owned())
}

#[test]
fn the_readme_has_the_commands_that_are_checked() {
    let readme = read(&root().join("README.md"));
    assert_eq!(command(&readme, "demo").as_deref(), Some("cargo run --release -- demo"));
    assert_eq!(command(&readme, "test").as_deref(), Some("cargo test --workspace"));
}

/// The page of each error code, as `velamen explain` prints it, and the list of all; `INSTA_UPDATE=always` writes them.
#[test]
fn every_error_code_has_its_page_in_the_docs() {
    let folder = root().join("docs/errors");
    let mut pages: Vec<(String, String)> =
        code::ALL.iter().map(|code| (format!("{code}.md"), format!("{}\n", code.page()))).collect();
    let mut list = String::from(
        "# Error codes\n\nEvery error of `velamen` begins with its code: `error[E0409]: …`. The first two digits are the exit code. \
         A code keeps its meaning\nfrom version to version; the words of a message may change. `velamen explain E0409` prints the page.\n\n\
         | code | mistake |\n| --- | --- |\n",
    );
    for code in code::ALL {
        list += &format!("| [{code}]({code}.md) | {} |\n", code.title());
    }
    pages.push(("README.md".to_owned(), list));
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        std::fs::create_dir_all(&folder).expect("the folder of pages");
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).expect("a page is written");
        }
    }
    for (name, text) in &pages {
        assert_eq!(read(&folder.join(name)), *text, "docs/errors/{name} is not what the program says");
    }
    let kept = std::fs::read_dir(&folder).expect("the folder of pages").count();
    assert_eq!(kept, pages.len(), "a page in docs/errors has no code");
}
