//! Gathers the pages of the documentation that the program carries: a method's page needs no line of its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The guides that messages name, or that a person without the site asks for.
const GUIDES: [&str; 13] = [
    "choose-a-method",
    "cluster",
    "counterfeits",
    "database",
    "excel",
    "glossary",
    "limits",
    "linked-tables",
    "migrating",
    "recipe",
    "recipients",
    "release",
    "troubleshooting",
];

fn main() -> std::io::Result<()> {
    // Asked when it runs: a folder of built artifacts may serve several checkouts.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let docs = Path::new(&own).join("../../docs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", docs.join("methods").display());
    let guides = GUIDES.map(|name| docs.join(name).with_extension("md"));
    let mut methods: Vec<PathBuf> = std::fs::read_dir(docs.join("methods"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    methods.retain(|path| path.extension().is_some_and(|end| end == "md") && !path.ends_with("index.md"));
    methods.sort();
    let mut list = String::from("&[");
    for path in guides.iter().chain(&methods) {
        let name = path.file_stem().unwrap_or_default();
        let _ = write!(list, "Page {{ name: {name:?}, text: include_str!({path:?}) }},");
    }
    list.push(']');
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    std::fs::write(out.join("pages.rs"), list)?;
    println!("cargo::rerun-if-env-changed=VELAMEN_PAGES");
    ["verify.html", "velamen.html"].iter().try_for_each(|name| page_of_the_browser(&out, name))
}

/// A page that `cargo xtask web` made, where a folder of them is named; else an empty file.
fn page_of_the_browser(out: &Path, name: &str) -> std::io::Result<()> {
    let to = out.join(name);
    let Some(folder) = std::env::var_os("VELAMEN_PAGES") else { return std::fs::write(to, "") };
    // What is not absolute is below the workspace.
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder).join(name);
    println!("cargo::rerun-if-changed={}", from.display());
    std::fs::copy(from, to).map(drop)
}
