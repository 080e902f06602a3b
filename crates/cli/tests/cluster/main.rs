//! A cluster of real processes on loopback: the same release as in process, or a clear error.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]
#![allow(clippy::print_stderr, reason = "tests say what they left out, and what came of a kill")]

#[path = "../it/common/mod.rs"]
mod common;
#[cfg(feature = "cluster")]
mod equal;
#[cfg(feature = "cluster")]
mod faults;
#[cfg(all(feature = "cluster", target_os = "linux"))]
mod namespaces;
#[cfg(feature = "cluster")]
mod nodes;
#[cfg(feature = "cluster")]
mod objects;
#[cfg(all(feature = "cluster", target_os = "linux"))]
mod sniffed;
#[cfg(feature = "cluster")]
mod strangers;

#[cfg(not(feature = "cluster"))]
#[test]
fn a_build_without_the_feature_says_how_to_get_it() {
    let folder = common::Folder::with(common::OPTIMAL);
    let hint = ["cargo build", "--features cluster"];
    folder.refused(&["cluster", "scheduler"], 2, &hint);
    let cluster = ["--set", "engine.kind=cluster", "--set", "engine.scheduler=df://127.0.0.1:1"];
    folder.refused(&[&["anonymize", "recipe.toml"], &cluster[..]].concat(), 2, &hint);
}
