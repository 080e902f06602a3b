//! What the modules of a Python package import from each other.

use std::collections::BTreeMap;

use super::Uses;

/// Per file of the package what it uses of the others.
pub(super) fn uses(files: &BTreeMap<String, String>) -> Uses {
    let mut uses = Uses::new();
    for (path, text) in files {
        let used = uses.entry(path.clone()).or_default();
        for (from, names) in text.lines().filter_map(relative_import) {
            for name in names {
                let module = if from.is_empty() { name.as_str() } else { from };
                let file = format!("{module}.py");
                if files.contains_key(&file) {
                    used.entry(file).or_default().insert(name.clone());
                }
            }
        }
    }
    uses
}

/// The module of `from .module import a, b`, and the names; the first line of a list in brackets is enough.
fn relative_import(line: &str) -> Option<(&str, Vec<String>)> {
    let (module, names) = line.trim_start().strip_prefix("from .")?.split_once(" import ")?;
    let names = names.split([',', '(']).map(|name| name.split_whitespace().next().unwrap_or("…").to_owned());
    Some((module.trim(), names.collect()))
}
