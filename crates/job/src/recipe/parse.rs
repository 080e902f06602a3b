//! From text and command line to a [`Recipe`].

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use toml::{Table, Value};
use velamen_dp::Seed;

use super::{DomainSection, HierarchySection, Overrides, Recipe, SeedSection, is_object};
use crate::error::JobError;

pub(super) fn recipe(
    text: &str,
    path: &Path,
    base: &Path,
    overrides: &Overrides,
) -> Result<Recipe, JobError> {
    let mut recipe = match overrides.set[..] {
        [] => toml::from_str(text).map_err(|error| wrong(path, text, &error))?,
        _ => changed(text, path, &overrides.set)?,
    };
    resolve_paths(&mut recipe, base);
    if let Some(input) = &overrides.input {
        recipe.input.path.clone_from(input);
    }
    if let Some(output) = &overrides.output {
        recipe.output.path.clone_from(output);
    }
    if let Some(seed) = &overrides.seed {
        Seed::from_str(seed).map_err(|error| JobError::Usage(format!("--seed {seed}: {error}")))?;
        recipe.method.seed = Some(SeedSection::Text(seed.clone()));
    }
    Ok(recipe)
}

fn wrong(path: &Path, text: &str, error: &toml::de::Error) -> JobError {
    let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or_default());
    let (number, start) = (before.lines().count().max(1), before.rfind('\n').map_or(0, |end| end + 1));
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    // What follows may be the key itself.
    if line.trim_start().starts_with("key") {
        let expected =
            "expected key = { file = \"…\" } or key = { environment = \"…\" }, never the key itself";
        return JobError::recipe(path, format!("line {number}: {expected}"));
    }
    JobError::recipe(path, error.to_string().trim_end().to_owned())
}

/// The recipe with the pairs of `--set` applied. A mistake that the file has without them is the
/// file's, with its line; any other is the command line's.
fn changed(text: &str, path: &Path, pairs: &[String]) -> Result<Recipe, JobError> {
    let mut table: Table = toml::from_str(text).map_err(|error| wrong(path, text, &error))?;
    for pair in pairs {
        set(&mut table, pair)?;
    }
    Recipe::deserialize(table).map_err(|error| match toml::from_str::<Recipe>(text) {
        Err(original) if original.message() == error.message() => wrong(path, text, &original),
        _ => JobError::Usage(format!("--set {}: {}", pairs.join(" --set "), error.message())),
    })
}

fn resolve_paths(recipe: &mut Recipe, base: &Path) {
    let resolve = |path: &mut PathBuf| *path = base.join(&*path);
    if !is_object(&recipe.input.path) {
        resolve(&mut recipe.input.path);
    }
    if let Some(shared) = &mut recipe.engine.shared {
        resolve(shared);
    }
    resolve(&mut recipe.output.path);
    if let Some(file) = recipe.key.as_mut().and_then(|key| key.file.as_mut()) {
        resolve(file);
    }
    if let Some(path) = recipe.population.as_mut().and_then(|population| population.path.as_mut()) {
        resolve(path);
    }
    for attribute in recipe.attributes.values_mut() {
        if let Some(file) = attribute.hierarchy.as_mut().and_then(HierarchySection::path) {
            resolve(file);
        }
        if let Some(DomainSection::File(file)) = &mut attribute.domain {
            resolve(file);
        }
    }
}

/// Applies one `key=value`: `method.h=0.2`, `privacy.0.k=10`, `output.format=parquet`.
fn set(table: &mut Table, pair: &str) -> Result<(), JobError> {
    let refuse = |problem: &str| JobError::Usage(format!("--set {pair}: {problem}"));
    let (key, value) = pair.split_once('=').ok_or_else(|| refuse("expected key=value"))?;
    let value = read_value(value);
    let parts: Vec<&str> = key.trim().split('.').collect();
    let (last, path) =
        parts.split_last().filter(|(last, _)| !last.is_empty()).ok_or_else(|| refuse("no key"))?;
    let mut root = Value::Table(std::mem::take(table));
    let mut place = &mut root;
    for part in path {
        place = step(place, part).ok_or_else(|| refuse("no such place in the recipe"))?;
    }
    let Value::Table(inner) = place else { return Err(refuse("no such place in the recipe")) };
    inner.insert((*last).to_owned(), value);
    if let Value::Table(changed) = root {
        *table = changed;
    }
    Ok(())
}

/// A table's entry, made if missing; an array's by number.
fn step<'a>(place: &'a mut Value, part: &str) -> Option<&'a mut Value> {
    match place {
        Value::Table(table) => Some(table.entry(part).or_insert_with(|| Value::Table(Table::new()))),
        Value::Array(array) => array.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    }
}

/// A TOML value; what is none is text.
fn read_value(text: &str) -> Value {
    let parsed = toml::from_str::<Table>(&format!("value = {text}")).ok().and_then(|mut t| t.remove("value"));
    parsed.unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"
        [input]
        path = "patients.csv"
        [attributes.age]
        role = "quasi-identifier"
        hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
        [attributes.sex]
        role = "quasi-identifier"
        hierarchy = "hierarchies/sex.csv"
        [attributes.diagnosis]
        role = "sensitive"
        [[privacy]]
        model = "k-anonymity"
        k = 5
        [method]
        name = "h-ceiling"
        h = 0.3
        seed = 42
        [output]
        path = "release"
    "#;

    fn read(text: &str, set: &[&str]) -> Result<Recipe, JobError> {
        let overrides =
            Overrides { set: set.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
        recipe(text, Path::new("recipe.toml"), Path::new("folder"), &overrides)
    }

    #[test]
    fn paths_are_relative_to_the_recipe() {
        let recipe = read(RECIPE, &[]).unwrap();
        assert_eq!(recipe.input.path, Path::new("folder/patients.csv"));
        assert!(
            matches!(&recipe.attributes["sex"].hierarchy, Some(HierarchySection::File(f)) if f == Path::new("folder/hierarchies/sex.csv"))
        );
    }

    #[test]
    fn set_changes_any_place() {
        let set =
            ["method.h=0.2", "privacy.0.k=10", "output.format=parquet", "attributes.zip.role=insensitive"];
        let recipe = read(RECIPE, &set).unwrap();
        assert_eq!(recipe.method.h, Some(0.2));
        assert_eq!(recipe.privacy[0].parameters["k"], 10);
        assert_eq!(recipe.output.format.as_deref(), Some("parquet"));
        assert!(recipe.attributes.contains_key("zip"));
        for wrong in ["method.h", "privacy.7.k=1", "=1"] {
            assert_eq!(read(RECIPE, &[wrong]).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }

    #[test]
    fn mistakes_are_located() {
        let message = |from: &str, to: &str| read(&RECIPE.replace(from, to), &[]).unwrap_err().to_string();
        assert!(message("h = 0.3", "hh = 0.3").contains("line 17"));
        assert!(message("h = 0.3", "hh = 0.3").contains("unknown field `hh`"));
        assert!(message("max = 99", "mx = 99").contains("mx"));
        assert!(message("role = \"sensitive\"", "role = \"secret\"").contains("quasi-identifier"));
        assert!(message("seed = 42", "seed = -1").contains("whole number"));
        assert!(message("\"hierarchies/sex.csv\"", "7").contains("path"));
    }
}
