//! Guards that a method, a model or a metric is its own files and a line: no other production code compares or repeats its
//! name.

use std::path::{Path, PathBuf};

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
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// Every production file of every crate.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for crate_folder in std::fs::read_dir(root().join("crates")).expect("the crates") {
        production(&crate_folder.expect("a crate").path().join("src"), &mut files);
    }
    assert!(files.len() > 300, "{} files were found", files.len());
    files
}

/// The text of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Where a method's name means something else, and what.
const OTHERWISE: [(&str, &str, &str); 6] = [
    ("h-ceiling", "release/mod.rs", "the promise of that name in release.json"),
    ("suppression", "checker/src/cells.rs", "a step of a privacy budget"),
    ("suppression", "verify/stated.rs", "a step of a privacy budget"),
    ("suppression", "ipa/published/mod.rs", "a step of a privacy budget"),
    ("suppression", "ipa/private/mod.rs", "a step of a privacy budget"),
    ("suppression", "ipa/private/entry.rs", "a step of a privacy budget"),
];

/// What writes recipes names methods: papers that are repeated, the sample's own recipe, those that are tried for a
/// recipe to begin with, and the one that stands for a broken section while the other sections are checked.
fn writes_recipes(path: &Path) -> bool {
    path.ends_with("profile/trial.rs")
        || path.ends_with("recipe/src/mistakes.rs")
        || path.components().any(|part| ["reproduce", "synth"].iter().any(|room| part.as_os_str() == *room))
}

#[test]
fn a_methods_name_stands_in_its_own_file_alone() {
    let files = sources();
    for entry in REGISTRY.iter() {
        let literal = format!("\"{}\"", entry.name);
        let otherwise =
            |path: &Path| OTHERWISE.iter().any(|(name, file, _)| *name == entry.name && path.ends_with(file));
        let with: Vec<&PathBuf> = files
            .iter()
            .filter(|path| !writes_recipes(path) && !otherwise(path) && code(path).contains(&literal))
            .collect();
        // A name that several entries share stands in the file of each.
        let sharing = REGISTRY.iter().filter(|other| other.written() == entry.name).count().max(1);
        assert!(with.len() <= sharing, "{} stands in {with:?}", entry.name);
        for path in with {
            assert!(path.components().any(|part| part.as_os_str() == "method"), "{literal} in {path:?}");
        }
    }
}

/// Where a model is meant by its name, and why.
const MEANT: [(&str, &str, &str); 0] = [];

/// The folders of a model's own files: its terms, its judge, its check.
fn is_own(path: &Path) -> bool {
    ["contract/src/model", "search/src/model", "checker/src/model_check"]
        .iter()
        .any(|folder| path.to_string_lossy().contains(folder))
}

#[test]
fn a_models_name_stands_in_its_own_files_alone() {
    let files = sources();
    for terms in velamen_contract::model::REGISTRY.iter() {
        let literal = format!("\"{}\"", terms.name);
        let meant =
            |path: &Path| MEANT.iter().any(|(name, file, _)| *name == terms.name && path.ends_with(file));
        let others = files.iter().filter(|path| !is_own(path) && !writes_recipes(path) && !meant(path));
        let with: Vec<&PathBuf> = others.filter(|path| code(path).contains(&literal)).collect();
        assert!(with.is_empty(), "{literal} in {with:?}: read the model's facts");
    }
}

/// A comparison with a model's own terms is one with its name. A method may aim at a model; others read facts.
#[test]
fn only_what_is_about_one_model_names_its_terms() {
    let aims = |path: &Path| {
        ["search/src/method", "checker/src/cells.rs", "job/src/verify"]
            .iter()
            .any(|place| path.to_string_lossy().contains(place))
    };
    for path in sources().iter().filter(|path| !is_own(path) && !writes_recipes(path) && !aims(path)) {
        let text = code(path);
        for terms in velamen_contract::model::REGISTRY.iter() {
            let identifier = format!("{}::TERMS", terms.name.replace('-', "_"));
            let compared = text.lines().any(|line| line.contains(&identifier) && line.contains("=="));
            assert!(!compared, "{identifier} is compared in {path:?}: read the model's facts");
        }
    }
}

/// Figures are read by the names of their metrics; what a metric is, nobody finds out by comparing its name.
#[test]
fn no_metrics_name_is_compared() {
    let files = sources();
    let own = |path: &Path| path.to_string_lossy().contains("search/src/metric");
    for path in files.iter().filter(|path| !own(path) && !writes_recipes(path)) {
        let text = code(path);
        for name in velamen_search::metric::REGISTRY.names() {
            let compared = [format!("== \"{name}\""), format!("!= \"{name}\""), format!("\"{name}\" =>")];
            let found = compared.iter().find(|comparison| text.contains(*comparison));
            assert!(found.is_none(), "{found:?} in {path:?}: say it in the metric's entry");
        }
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
