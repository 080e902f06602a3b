//! What a feature leaves out is not handed on without that feature: the library builds without features, and a build of the
//! workspace, which has them all, does not show where it would not.

use std::collections::BTreeMap;

use crate::circles::of_crates;

/// The modules that a file declares under a condition, with it; and its `pub use` of a module, each with the condition above it.
fn conditions(text: &str) -> (BTreeMap<&str, &str>, Vec<(&str, &str)>) {
    let (mut declared, mut used) = (BTreeMap::new(), Vec::new());
    let mut condition = "";
    for line in text.lines() {
        let line = line.trim_end();
        let item = line
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub(super) ")
            .trim_start_matches("pub ");
        if let Some(found) = line.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]")) {
            condition = found;
            continue;
        }
        if let Some(name) = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            if condition.contains("feature") {
                declared.insert(name, condition);
            }
        } else if let Some((module, _)) = item.strip_prefix("use ").and_then(|path| path.split_once("::")) {
            used.push((module, condition));
        }
        if !line.starts_with("#[") && !line.starts_with("//") {
            condition = "";
        }
    }
    (declared, used)
}

/// The uses of a module under another condition than its own.
fn loose(text: &str) -> Vec<&str> {
    let (declared, used) = conditions(text);
    let is_loose =
        |module: &str, condition: &str| declared.get(module).is_some_and(|own| !condition.contains(own));
    used.iter().filter(|(module, condition)| is_loose(module, condition)).map(|(module, _)| *module).collect()
}

#[test]
fn what_a_feature_leaves_out_is_not_handed_on_without_it() {
    for (file, text) in of_crates() {
        assert_eq!(loose(&text), Vec::<&str>::new(), "{file}: a module under a condition is used without it");
    }
}

#[test]
fn a_use_without_the_condition_of_its_module_is_found() {
    let text = "#[cfg(feature = \"pages\")]\nmod bars;\nmod plain;\n\npub use bars::A;\n#[cfg(feature = \"pages\")]\npub use bars::B;\npub use plain::C;\n";
    assert_eq!(loose(text), ["bars"]);
}
