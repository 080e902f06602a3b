//! From text and command line to a [`Recipe`].

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use toml::{Table, Value};
use velamen_core::error::{Place, Problem};
use velamen_dp::Seed;

use super::places::{Places, key_and_value, key_at, line_at, may_be_secret, next_key, shown};
use super::said::{Said, Wrong};
use super::{DomainSection, HierarchySection, KeySection, Overrides, Recipe, SeedSection, is_object, method};
use crate::{Code, JobError};

pub(super) fn recipe(
    text: &str,
    path: &Path,
    base: &Path,
    overrides: &Overrides,
) -> Result<Recipe, JobError> {
    let mut table: Table = toml::from_str(text).map_err(|error| wrong(path, text, &error))?;
    let mut places = Places::of(text);
    for pair in &overrides.set {
        set(&mut table, pair)?;
        places.set(pair);
    }
    refuse_secret(&table, path, &places)?;
    refuse_linked(&table, path, &places)?;
    let notes = left_out(&mut table, &places);
    refuse_foreign(&table, path, &places)?;
    let mut recipe: Recipe = match overrides.set[..] {
        [] => toml::from_str(text).map_err(|error| wrong(path, text, &error))?,
        _ => changed(table, text, path, &overrides.set)?,
    };
    (recipe.file, recipe.places, recipe.notes) = (path.to_owned(), places, notes);
    resolve_paths(&mut recipe, base);
    if let Some(input) = &overrides.input {
        recipe.input.path = Some(input.clone());
        (recipe.input.database, recipe.input.query) = (None, None);
    }
    if let Some(output) = &overrides.output {
        recipe.output.path.clone_from(output);
    }
    if let Some(seed) = &overrides.seed {
        Seed::from_str(seed).map_err(|error| JobError::usage(format!("--seed {seed}: {error}")))?;
        recipe.method.seed = Some(SeedSection::Text(seed.clone()));
    }
    Ok(recipe)
}

/// A recipe of another form than that of one table, with where its keys stand: read, changed and refused in the same words.
pub(super) fn of_form<T: DeserializeOwned>(
    text: &str,
    path: &Path,
    pairs: &[String],
) -> Result<(T, Places), JobError> {
    let mut table: Table = toml::from_str(text).map_err(|error| wrong(path, text, &error))?;
    let mut places = Places::of(text);
    for pair in pairs {
        set(&mut table, pair)?;
        places.set(pair);
    }
    refuse_secret(&table, path, &places)?;
    let form = match pairs {
        [] => toml::from_str(text).map_err(|error| wrong(path, text, &error))?,
        _ => changed(table, text, path, pairs)?,
    };
    Ok((form, places))
}

/// The place of what is not in a file.
const MEMORY: &str = "memory";

/// A recipe whose records or release can be in memory.
pub(super) fn with_usual(
    text: &str,
    path: &Path,
    base: &Path,
    overrides: &Overrides,
) -> Result<Recipe, JobError> {
    let given: Table = toml::from_str(text).unwrap_or_default();
    let sections = ["input", "output"].into_iter().filter(|section| !given.contains_key(*section));
    // After what is given, so that its lines keep their numbers.
    let usual: String = sections.map(|section| format!("\n[{section}]\npath = \"{MEMORY}\"\n")).collect();
    recipe(&format!("{text}{usual}"), path, base, overrides)
}

/// What the parser says, with the line and the word that was probably meant, but without the text of the
/// recipe, which may hold secrets.
fn wrong(path: &Path, text: &str, error: &toml::de::Error) -> JobError {
    let (span, said) = (error.span().unwrap_or_default(), Said::of(error.message()));
    let problem = match said.wrong {
        _ if may_be_secret(text, span.start) => no_secret(),
        Wrong::Twice => {
            format!("the key `{}` stands here twice", text.get(span.clone()).unwrap_or_default()).into()
        }
        _ => said.explained(),
    };
    // The whole recipe has no line.
    if span.is_empty() && span.start == 0 {
        let mistake = JobError::recipe(path, problem);
        return mistake.mend("[input] and [output] are required, each with a path").coded(Code::RECIPE_VALUE);
    }
    let code = match said.wrong {
        Wrong::Field => Code::RECIPE_KEY,
        Wrong::Value => Code::RECIPE_VALUE,
        Wrong::Twice | Wrong::Syntax => Code::RECIPE_SYNTAX,
    };
    let start = said.unknown.and_then(|word| next_key(text, word, span.start)).unwrap_or(span.start);
    let place = Place { keys: key_at(text, start), ..Place::line(path, line_at(text, start) as u64) };
    JobError::recipe(path, problem).at(place).coded(code)
}

/// What is said in place of any mistake in `key`.
fn no_secret() -> Problem {
    Problem::new("what stands here may be the key itself")
        .expected("key = { file = \"…\" } or key = { environment = \"…\" }, never the key itself")
}

/// Refuses what stands under `key` and is not where the secret is, before any message can show it.
fn refuse_secret(table: &Table, path: &Path, places: &Places) -> Result<(), JobError> {
    match table.get("key").map(|key| KeySection::deserialize(key.clone())) {
        Some(Err(_)) => {
            Err(places.refuse(path, &["key"], Problem::of(&["file", "environment"], no_secret())))
        }
        _ => Ok(()),
    }
}

/// Refuses a recipe of linked tables, which has sections of its own.
fn refuse_linked(table: &Table, path: &Path, places: &Places) -> Result<(), JobError> {
    let names_folder = table.get("input").and_then(|input| input.get("folder")).is_some();
    let Some(at) = ["tables", "persons"]
        .into_iter()
        .find(|key| table.contains_key(*key))
        .or(names_folder.then_some("input"))
    else {
        return Ok(());
    };
    let problem = Problem::new("a recipe of linked tables, and this is about one table");
    Err(places.refuse(path, &[at], problem.mend("`velamen anonymize` and `velamen check` take it")))
}

/// Where `--set method.name` chooses another method, the recipe's keys that this one does not know go with
/// the old one. What is said of them.
fn left_out(table: &mut Table, places: &Places) -> Vec<String> {
    let Some(method) = table.get_mut("method").and_then(Value::as_table_mut) else { return Vec::new() };
    let Some(flag) = places.flag(&["method", "name"]) else { return Vec::new() };
    let foreign = foreign(method);
    let foreign = foreign.into_iter().filter(|(key, _)| places.flag(&["method", key]).is_none());
    let mut note = |(key, problem): (String, Problem)| {
        method.remove(&key);
        format!("{flag} leaves out a key of the recipe: {problem}")
    };
    foreign.map(&mut note).collect()
}

/// The keys of `[method]` that its method does not know, each with what is wrong.
fn foreign(section: &Table) -> Vec<(String, Problem)> {
    let keys = Map::deserialize(Value::Table(section.clone()));
    keys.map_or_else(|_| Vec::new(), |keys| method::foreign(&keys))
}

/// Refuses keys of `[method]` that its method does not know.
fn refuse_foreign(table: &Table, path: &Path, places: &Places) -> Result<(), JobError> {
    let foreign = table.get("method").and_then(Value::as_table).map(foreign);
    match foreign.into_iter().flatten().next() {
        Some((key, problem)) => match places.flag(&["method", &key]) {
            Some(flag) => Err(JobError::usage(problem.after(&format!("{flag}: "))).coded(Code::SET)),
            None => Err(places.refuse(path, &["method", &key], problem).coded(Code::METHOD_KEY)),
        },
        None => Ok(()),
    }
}

/// The recipe with the pairs of `--set` applied. A mistake that the file has without them is the
/// file's, with its line; any other is the command line's.
fn changed<T: DeserializeOwned>(
    table: Table,
    text: &str,
    path: &Path,
    pairs: &[String],
) -> Result<T, JobError> {
    T::deserialize(table).map_err(|error| match toml::from_str::<T>(text) {
        Err(original) if original.message() == error.message() => wrong(path, text, &original),
        _ => {
            let flags: Vec<String> = pairs.iter().map(|pair| shown(pair)).collect();
            let problem = Said::of(error.message()).explained().after(&format!("{}: ", flags.join(" ")));
            JobError::usage(problem).coded(Code::SET)
        }
    })
}

pub(super) fn resolve_paths(recipe: &mut Recipe, base: &Path) {
    let resolve = |path: &mut PathBuf| *path = base.join(&*path);
    if let Some(path) = recipe.input.path.as_mut().filter(|path| !is_object(path)) {
        resolve(path);
    }
    if let Some(shared) = &mut recipe.engine.shared {
        resolve(shared);
    }
    // Refused later, by the name that was given.
    if recipe.output.path != Path::new("-") {
        resolve(&mut recipe.output.path);
    }
    if let Some(budget) = &mut recipe.budget {
        resolve(&mut budget.ledger);
    }
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

/// What is said of a key that leads nowhere.
fn no_place() -> Problem {
    Problem::new("no such place in the recipe")
        .mend("entries of lists are numbered from 0, as in --set privacy.0.k=10")
}

/// No place in a recipe has more keys above it, by far. Values that nest as deep as a command line is long would be
/// dropped and read by as many calls.
const DEEPEST: usize = 64;

const NO_PAIR: &str = "a key without a value";

/// Applies one `key=value`: `method.h=0.2`, `privacy.0.k=10`, `output.format=parquet`.
fn set(table: &mut Table, pair: &str) -> Result<(), JobError> {
    let refuse =
        |problem: Problem| JobError::usage(problem.after(&format!("{}: ", shown(pair)))).coded(Code::SET);
    let (parts, value) = key_and_value(pair)
        .ok_or_else(|| refuse(NO_PAIR.into()).expected("key=value, such as --set privacy.0.k=10"))?;
    let value = read_value(value);
    let (last, path) =
        parts.split_last().filter(|(last, _)| !last.is_empty()).ok_or_else(|| refuse("no key".into()))?;
    if path.len() > DEEPEST {
        return Err(JobError::usage("--set: no place in a recipe has so many keys").coded(Code::SET));
    }
    let mut root = Value::Table(std::mem::take(table));
    let mut place = &mut root;
    for part in path {
        place = step(place, part).ok_or_else(|| refuse(no_place()))?;
    }
    let Value::Table(inner) = place else { return Err(refuse(no_place())) };
    inner.insert(last.clone(), value);
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
        assert_eq!(recipe.input.path.as_deref(), Some(Path::new("folder/patients.csv")));
        assert!(
            matches!(&recipe.attributes["sex"].hierarchy, Some(HierarchySection::File(f)) if f == Path::new("folder/hierarchies/sex.csv"))
        );
    }

    #[test]
    fn recipes_in_memory_need_no_paths() {
        let text =
            "[attributes.age]\nrole = \"quasi-identifier\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n";
        let recipe = Recipe::in_memory(text).unwrap();
        assert_eq!(recipe.output.path, Path::new(MEMORY));
        let wrong = Recipe::in_memory(&text.replace("quasi", "qasi")).unwrap_err().to_string();
        assert!(wrong.contains("recipe: line 2: "), "{wrong}");
    }

    #[test]
    fn set_changes_any_place() {
        let set =
            ["method.h=0.2", "privacy.0.k=10", "output.format=parquet", "attributes.zip.role=insensitive"];
        let recipe = read(RECIPE, &set).unwrap();
        assert_eq!(recipe.method.keys["h"], 0.2);
        assert_eq!(recipe.privacy[0].parameters["k"], 10);
        assert_eq!(recipe.output.format.as_deref(), Some("parquet"));
        assert!(recipe.attributes.contains_key("zip"));
        let quoted = r#"attributes."a.b = \"c\"".role=insensitive"#;
        let literal = "attributes.'x=y'.role=insensitive";
        let recipe = read(RECIPE, &[quoted, literal]).unwrap();
        assert!(recipe.attributes.contains_key("a.b = \"c\"") && recipe.attributes.contains_key("x=y"));
        for wrong in ["method.h", "privacy.7.k=1", "=1", "attributes.\"x.role=insensitive"] {
            assert_eq!(read(RECIPE, &[wrong]).unwrap_err().exit_code(), 2, "{wrong}");
        }
        let deep = format!("method{}=1", ".a".repeat(50_000));
        assert!(read(RECIPE, &[&deep]).unwrap_err().to_string().contains("so many keys"));
    }

    #[test]
    fn mistakes_are_located() {
        let message = |from: &str, to: &str| read(&RECIPE.replace(from, to), &[]).unwrap_err().to_string();
        let unknown = message("h = 0.3", "hh = 0.3");
        assert!(unknown.contains("line 17: method: unknown field `hh`; expected a key of h-ceiling: h, "));
        assert!(unknown.ends_with("; did you mean `h`?"), "{unknown}");
        assert!(message("max = 99", "mx = 99").contains("mx"));
        assert!(message("role = \"sensitive\"", "role = \"secret\"").contains("quasi-identifier"));
        assert!(message("seed = 42", "seed = -1").contains("whole number"));
        assert!(message("\"hierarchies/sex.csv\"", "7").contains("path"));
    }
}
