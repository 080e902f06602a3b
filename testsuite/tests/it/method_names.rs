//! Guards that a method, a model or a metric is its own files and a line: no other production code names one, as a text, a
//! path, a type or a constant, and none compares the name of one.

mod foreign;
mod meant;
mod seen;
mod snippets;
pub(super) mod words;

use std::path::{Path, PathBuf};

use meant::{COMPARED, MEANT, OWN, WRITES_RECIPES};
use seen::{Code, Thing};
use velamen_search::method::REGISTRY;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files below a folder that are no tests.
fn production(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && name != "tests" {
            production(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Every production file of every crate, below `crates`, with its code.
fn sources() -> Vec<(String, Code)> {
    let crates = root().join("crates");
    let mut files = Vec::new();
    for crate_folder in std::fs::read_dir(&crates).expect("the crates") {
        production(&crate_folder.expect("a crate").path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files were found", files.len());
    let read = |path: PathBuf| {
        let code = Code::of(&std::fs::read_to_string(&path).expect("a source file"));
        let below = path.strip_prefix(&crates).expect("it is below it");
        (below.to_string_lossy().replace('\\', "/"), code)
    };
    files.into_iter().map(read).chain(foreign::foreign()).collect()
}

/// The files that list all: each has a line for each.
const REGISTRIES: [&str; 5] = [
    "search/src/method/mod.rs",
    "search/src/model/mod.rs",
    "search/src/metric/mod.rs",
    "contract/src/model/mod.rs",
    "checker/src/model_check/mod.rs",
];

/// Words of paths to an entry that are no name of a method.
const ROOMS: [&str; 4] = ["entry", "rows", "private", "published"];

/// All methods, models and metrics: by their names, and by the modules that registries take their entries from.
fn things() -> Vec<Thing> {
    let models = velamen_contract::model::REGISTRY.iter().map(|terms| terms.name);
    let metrics = velamen_search::metric::REGISTRY.names();
    let mut things: Vec<Thing> =
        REGISTRY.iter().map(|entry| entry.name).chain(models).chain(metrics).map(Thing::named).collect();
    for registry in REGISTRIES {
        let text = std::fs::read_to_string(root().join("crates").join(registry)).expect("a registry");
        let code = Code::of(&text);
        let modules = ["ENTRY", "TERMS"].into_iter().flat_map(|constant| code.paths_to(constant));
        let modules = modules.filter(|word| !ROOMS.contains(&word.as_str()));
        things.extend(modules.map(|word| Thing::module(&word)));
    }
    things.sort();
    things.dedup();
    let among = |thing: &Thing| thing.clone().among(&things);
    things.iter().map(among).collect()
}

/// Where things have files of their own.
const ROOMS_OF_THINGS: [&str; 5] = [
    "search/src/method/",
    "search/src/model/",
    "search/src/metric/",
    "contract/src/model/",
    "checker/src/model_check/",
];

/// Whether a file is one of a thing's own: a part of its path below such a room is the thing's word, or a line of [`OWN`]
/// says so.
fn is_own(file: &str, word: &str) -> bool {
    let below = ROOMS_OF_THINGS.iter().find_map(|room| file.strip_prefix(room));
    below.is_some_and(|path| path.trim_end_matches(".rs").split('/').any(|part| part == word))
        || OWN.iter().any(|(place, words)| file.contains(place) && words.contains(&word))
}

/// Whether a file may name a thing, by a line of [`MEANT`].
fn is_meant(file: &str, word: &str) -> bool {
    MEANT.iter().any(|(meant, place, _)| *meant == word && file.contains(place))
}

fn may_name(file: &str, word: &str) -> bool {
    REGISTRIES.contains(&file)
        || WRITES_RECIPES.iter().any(|place| file.starts_with(place))
        || is_own(file, word)
}

#[test]
fn a_name_stands_in_its_own_files_alone() {
    let (files, mut wrong) = (sources(), Vec::new());
    for thing in things() {
        let others =
            files.iter().filter(|(file, _)| !may_name(file, &thing.word) && !is_meant(file, &thing.word));
        wrong.extend(others.filter_map(|(file, code)| Some(format!("{} in {file}", thing.seen(code)?))));
    }
    assert!(wrong.is_empty(), "read facts instead, or give a reason in MEANT:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_meant_is_still_named() {
    let files = sources();
    for &(word, place, reason) in MEANT {
        let things: Vec<Thing> = things().into_iter().filter(|thing| thing.word == word).collect();
        let mut named = files.iter().filter(|(file, _)| file.contains(place));
        let is_used = named.any(|(_, code)| things.iter().any(|thing| thing.seen(code).is_some()));
        assert!(is_used, "{place} no longer names {word}, strike it: {reason}");
    }
}

#[test]
fn what_writes_recipes_still_names_something() {
    let (files, things) = (sources(), things());
    for place in WRITES_RECIPES {
        let mut named = files.iter().filter(|(file, _)| file.starts_with(place));
        let is_used = named.any(|(_, code)| things.iter().any(|thing| thing.seen(code).is_some()));
        assert!(is_used, "{place} names nothing any more, strike it");
    }
}

#[test]
fn what_is_owned_is_still_named() {
    let (files, things) = (sources(), things());
    for (place, words) in OWN {
        for word in words {
            let thing = things.iter().find(|thing| thing.word == *word).expect("a thing");
            let mut own = files.iter().filter(|(file, _)| file.contains(place));
            assert!(own.any(|(_, code)| thing.seen(code).is_some()), "{place} has nothing of {word}");
        }
    }
}

#[test]
fn no_constant_of_a_name_is_compared() {
    let compared = sources()
        .into_iter()
        .filter_map(|(file, code)| Some(format!("{file}: {}", code.compared_constant()?)));
    let compared: Vec<String> =
        compared.filter(|found| !COMPARED.iter().any(|(file, _)| found.starts_with(file))).collect();
    assert!(compared.is_empty(), "read facts instead:\n{}", compared.join("\n"));
}

#[test]
fn who_may_compare_still_does() {
    let compared: Vec<String> = sources()
        .into_iter()
        .filter(|(_, code)| code.compared_constant().is_some())
        .map(|(file, _)| file)
        .collect();
    for (file, reason) in COMPARED {
        assert!(compared.iter().any(|found| found == file), "{file} compares no more, strike it: {reason}");
    }
}

/// Advice in messages names methods as words, for people. Each is one that a recipe can name.
#[test]
fn advice_names_methods_that_are_there() {
    const ADVICE: &str = "name = \\\"";
    let mut files = Vec::new();
    for crate_folder in ["search", "recipe", "job", "assess"] {
        production(&root().join("crates").join(crate_folder).join("src"), &mut files);
    }
    let mut named = 0;
    for path in &files {
        let text = code(path);
        for line in text.lines().filter(|line| line.contains("choose ")) {
            let words = line.split(ADVICE).skip(1).filter_map(|rest| rest.split('\\').next());
            let is_name = |word: &&str| !word.is_empty() && !word.contains('{');
            for word in words.filter(is_name) {
                named += 1;
                assert!(REGISTRY.find(word).is_some(), "{path:?} advises `{word}`");
            }
        }
    }
    assert!(named > 5, "{named} were found");
}

/// The text of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_reason_is_for_a_whole_crate() {
    for &(word, place, _) in MEANT {
        assert!(!place.trim_end_matches('/').ends_with("src"), "{word}: say which files of {place}");
    }
}
