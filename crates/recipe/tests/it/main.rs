//! Wrong recipes, refused in process: no table is there, so that none can have been read.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod bad_recipe;
mod wrong_recipes;

use velamen_recipe::{JobError, Overrides, Recipe};

/// What becomes of a recipe's text that stands in `recipe.toml`, alone in a folder.
fn resolved(text: &str, overrides: &Overrides) -> Result<(), JobError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    std::fs::write(&path, text).unwrap();
    Recipe::load(&path, overrides).and_then(|recipe| recipe.resolve()).map(drop)
}

/// Refuses a recipe in words that name its file; returns them.
fn refused(text: &str, says: &[&str]) -> String {
    refused_for(text, &Overrides::default(), 5, &[says, &["recipe.toml"]].concat())
}

/// Refuses a recipe with one key set.
fn refused_with(text: &str, pair: &str, code: u8, says: &[&str]) {
    let overrides = Overrides { set: vec![pair.to_owned()], ..Overrides::default() };
    refused_for(text, &overrides, code, says);
}

fn refused_for(text: &str, overrides: &Overrides, code: u8, says: &[&str]) -> String {
    let error = resolved(text, overrides).unwrap_err();
    let said = error.to_string();
    assert_eq!(error.exit_code(), code, "{said}");
    for words in says {
        assert!(said.contains(words), "no {words:?} in: {said}");
    }
    said
}
