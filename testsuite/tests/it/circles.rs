//! Guards that the files of a crate use each other one way: none uses, by whatever detour, a file that uses it.
//!
//! A file uses another by naming what is defined there, in an import or in a path. A name that a module only
//! re-exports counts for the file that defines it. Tests are left out: they stand beside what they test.
//!
//! A module and its own parts are one thing in several files: a registry lists the parts that implement its trait.
//! So what parts take from the modules around them is left out, and then what these take from their parts: neither
//! may leave a circle.

mod python;
pub(super) mod rust;
pub(super) mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// File → the files that it uses → the names that it takes from each.
pub(super) type Uses = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A room of files that use each other, the files, and why they may.
type Known = (&'static str, &'static [&'static str], &'static str);

/// Circles that are left.
const KNOWN: [Known; 0] = [];

/// The sets of files that use each other.
fn circles(uses: &Uses) -> BTreeSet<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reach(uses, file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in &reached {
        // A file in a circle reaches itself.
        let circle: BTreeSet<&str> =
            others.iter().filter(|other| reached[**other].contains(file)).copied().collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found
}

/// The files that a file uses, by whatever detour.
fn reach<'u>(uses: &'u Uses, file: &str) -> BTreeSet<&'u str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = uses[file].keys().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(uses[next].keys().map(String::as_str));
        }
    }
    reached
}

/// All but the uses between these two files.
fn without(uses: &Uses, left_out: impl Fn(&str, &str) -> bool) -> Uses {
    let mut kept = uses.clone();
    for (file, used) in &mut kept {
        used.retain(|other, _| !left_out(file, other));
    }
    kept
}

/// Whether a module is part of another.
fn is_within(part: &str, whole: &str) -> bool {
    part != whole && rust::module(part).starts_with(&rust::module(whole))
}

/// The uses without what parts take from the modules around them, and without what these take from their parts.
fn one_way(uses: &Uses) -> [Uses; 2] {
    [without(uses, is_within), without(uses, |file, other| is_within(other, file))]
}

/// The circles of a crate but those that are known, each with what ties it.
fn told(uses: &Uses, known: &[&[&str]]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for graph in one_way(uses) {
        let new =
            circles(&graph).into_iter().filter(|circle| !known.iter().any(|known| lies_in(circle, known)));
        found.extend(new.map(|circle| ties(&graph, &circle)));
    }
    found
}

fn lies_in(circle: &BTreeSet<&str>, files: &[&str]) -> bool {
    circle.iter().all(|file| files.contains(file))
}

fn ties(uses: &Uses, circle: &BTreeSet<&str>) -> String {
    let mut lines = format!("{} files use each other in a circle:\n", circle.len());
    for file in circle {
        for (other, names) in uses[*file].iter().filter(|(other, _)| circle.contains(other.as_str())) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines += &format!("  {file} uses {other}: {}\n", names.join(", "));
        }
    }
    lines
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The production files of every crate, by their path below `crates`, with their text.
pub(super) fn of_crates() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let files = sources(&folder.join("src"), "rs").into_iter();
        let production = files.filter(|(file, _)| !file.ends_with("tests.rs"));
        found.extend(production.map(|(file, text)| (format!("{name}/src/{file}"), text)));
    }
    assert!(found.len() > 300, "{} files were found", found.len());
    found
}

/// The files below a folder with this extension, but for tests, by their paths there.
pub(super) fn sources(folder: &Path, extension: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder of sources") {
            let path = entry.expect("an entry of a folder").path();
            let of_tests = ["tests", "tests.rs"].iter().any(|end| path.ends_with(end));
            if path.is_dir() && !of_tests {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) && !of_tests {
                let name = path.strip_prefix(folder).expect("a file of the folder");
                let text = std::fs::read_to_string(&path).expect("a source file");
                found.insert(name.to_string_lossy().replace('\\', "/"), text);
            }
        }
    }
    found
}

/// Every crate of the workspace, by its folder.
fn crates() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("crates")).expect("the crates");
    let name = |entry: std::fs::DirEntry| format!("crates/{}", entry.file_name().to_string_lossy());
    let mut names: Vec<String> = folders.map(|entry| name(entry.expect("a crate"))).collect();
    names.extend(["testsuite", "xtask"].map(str::to_owned));
    names.sort();
    names
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    let mut seen = 0;
    for name in crates() {
        let uses = rust::uses(&sources(&root().join(&name).join("src"), "rs"));
        seen += uses.values().map(BTreeMap::len).sum::<usize>();
        let known: Vec<&[&str]> = KNOWN.iter().filter(|known| known.0 == name).map(|known| known.1).collect();
        found.extend(told(&uses, &known).iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(seen > 1000, "only {seen} uses were found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_modules_of_the_python_package_import_each_other_in_a_circle() {
    let uses = python::uses(&sources(&root().join("crates/python/python/velamen"), "py"));
    assert!(uses.values().map(BTreeMap::len).sum::<usize>() > 20, "{uses:?}");
    let found = told(&uses, &[]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn circles_that_are_left_are_there() {
    for (name, files, reason) in KNOWN {
        let uses = rust::uses(&sources(&root().join(name).join("src"), "rs"));
        let is_left = |graph: &Uses| circles(graph).iter().any(|circle| lies_in(circle, files));
        assert!(one_way(&uses).iter().any(is_left), "{name}: this circle is gone, strike it: {reason}");
    }
}

/// Files of a made-up crate, or package.
fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// What is told of a made-up crate.
fn of_crate(files: &[(&str, &str)]) -> Vec<String> {
    told(&rust::uses(&tree(files)), &[]).into_iter().collect()
}

#[test]
fn a_circle_is_named_however_it_is_written() {
    for back in [
        "use crate::a::One;",
        "use super::a::{self, One};",
        "use super::{a::{One, Two as Three}};",
        "use super::a;\nfn f() { a::one() }",
        "fn f() -> crate::a::One { todo!() }",
        "fn f() { super::a::one() }",
        // By way of a module that only re-exports.
        "use crate::One;",
        "fn f() { super::One }",
    ] {
        let found = of_crate(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::One;"),
            ("a.rs", "use crate::b::Beside;\npub struct One;"),
            ("b/mod.rs", "use crate::c::Third;\npub struct Beside;"),
            ("c.rs", &format!("{back}\npub struct Third;")),
        ]);
        assert_eq!(found.len(), 1, "{back}: {found:?}");
        for file in ["3 files", "a.rs uses b/mod.rs: Beside", "b/mod.rs uses c.rs: Third", "c.rs uses a.rs"] {
            assert!(found[0].contains(file), "{back}: {found:?}");
        }
    }
}

#[test]
fn what_names_nothing_of_another_file_ties_nothing() {
    for back in [
        "// use crate::a::One;",
        "/// As [`crate::a::One`].",
        "const A: &str = \"crate::a::One\";",
        "const A: &str = r#\"\" crate::a::One\"#;",
        "const A: char = '\"'; // crate::a::One \"",
        "#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}",
        "#[cfg(test)]\nuse crate::a::One;",
        "fn f<'a>(other: &'a other::a::One) {}",
    ] {
        let found = of_crate(&[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use crate::b::Two;\npub struct One;"),
            ("b.rs", &format!("{back}\npub struct Two;")),
        ]);
        assert!(found.is_empty(), "{back}: {found:?}");
    }
}

#[test]
fn a_module_and_its_parts_may_use_each_other_but_for_what_ties_the_parts() {
    let registry = (
        "list/mod.rs",
        "mod one;\nmod two;\npub struct Entry;\nconst ALL: [Entry; 2] = [one::ENTRY, two::ENTRY];",
    );
    let part = "use super::Entry;\npub const ENTRY: Entry = Entry;";
    let tied = format!("{part}\nuse super::two::ENTRY as OTHER;");
    assert!(of_crate(&[registry, ("list/one.rs", &tied), ("list/two.rs", part)]).is_empty());
    let back = format!("{part}\nuse super::one::ENTRY as OTHER;");
    let found = of_crate(&[registry, ("list/one.rs", &tied), ("list/two.rs", &back)]);
    assert!(!found.is_empty() && found.iter().all(|circle| circle.starts_with("2 files")), "{found:?}");
    // A part that takes from a neighbour of the module what takes from the part.
    let neighbour = ("other.rs", "use crate::list::Entry;\npub struct Other;");
    let far = format!("{part}\nuse crate::other::Other;");
    let found = of_crate(&[registry, ("list/one.rs", &far), ("list/two.rs", part), neighbour]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_known_circle_that_grows_is_named() {
    let files =
        [("lib.rs", "mod a;\nmod b;\nmod c;"), ("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;")];
    let known: &[&[&str]] = &[&["a.rs", "b.rs"]];
    assert!(told(&rust::uses(&tree(&files)), known).is_empty());
    let grown = [files[0], files[1], ("b.rs", "use crate::{a::A, c::C};"), ("c.rs", "use crate::a::A;")];
    assert_eq!(told(&rust::uses(&tree(&grown)), known).len(), 1);
}

#[test]
fn a_circle_of_python_modules_is_named() {
    let files = [
        ("__init__.py", "from .a import One\n"),
        ("a.py", "import json\nfrom .b import (\n    Two,\n)\n"),
        ("b.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a, c\n"),
        ("c.py", "from typing import Any\n"),
    ];
    let found: Vec<String> = told(&python::uses(&tree(&files)), &[]).into_iter().collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("a.py uses b.py") && found[0].contains("b.py uses a.py: a"), "{found:?}");
    assert!(told(&python::uses(&tree(&[files[0], files[1], files[3]])), &[]).is_empty());
}
