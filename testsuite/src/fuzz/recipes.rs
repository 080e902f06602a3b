//! Recipes: `--set`, and recipes drawn from their schema and run on a small table.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_job::{RunOptions, Session};
use velamen_recipe::places::key_and_value;
use velamen_recipe::{JobError, Overrides, Recipe};

use super::source::Source;
use super::{RECIPE, forged};

/// Pairs of `--set`, one to a line.
pub(super) const PAIRS: [&str; 4] = [
    "method.h=0.2\nprivacy.0.k=10\noutput.format=parquet",
    "attributes.\"a.b = \\\"c\\\"\".role=insensitive\nattributes.'x=y'.role = \"sensitive\"",
    "key=not-to-be-shown\nmethod.name=optimal",
    "\"k\\u0065y\" . value = 'not-to-be-shown'\ninput.null=[\"NA\", \"?\"]",
];

/// What the examples put under `key`.
const SECRET: &str = "not-to-be-shown";

/// Lines of `--set` over a recipe. What they put under `key` is in no message.
pub fn set(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let set: Vec<String> = text.split('\n').take(8).map(str::to_owned).collect();
    let under_key = |pair: &String| {
        let (keys, value) = key_and_value(pair)?;
        // The name of a file or variable is no secret.
        let named = keys.get(1).is_some_and(|key| ["file", "environment"].contains(&key.as_str()));
        (keys[0] == "key" && !named).then(|| value.trim_matches([' ', '\'', '"']).to_owned())
    };
    let secrets: Vec<String> = set.iter().filter_map(under_key).collect();
    // Not a word that messages have anyway, nor one that stands somewhere else, too.
    let tells = |secret: &&String| secret.contains(SECRET) && text.matches(secret.as_str()).count() == 1;
    let overrides = Overrides { set, ..Overrides::default() };
    let path = Path::new("recipe.toml");
    let read = Recipe::parse(RECIPE, path, Path::new(""), &overrides);
    if let Err(error) = read.and_then(|recipe| recipe.resolve()) {
        let message = error.to_string();
        for secret in secrets.iter().filter(tells) {
            assert!(!message.contains(secret.as_str()), "a message shows what stands under `key`");
        }
    }
}

/// How long a run may take before it is asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// A recipe whose parts are replaced by what their schema allows, and by what it does not; run on a small table
/// where it reads. The checker refuses no release that a method made.
pub fn recipe_made(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let mut recipe = source.one(forged::recipes()).clone();
    for _ in 0..=source.below(4) {
        change(&mut recipe, &mut source);
    }
    let Ok(text) = toml::to_string(&recipe) else { return };
    let Ok(recipe) = Recipe::in_memory(&text) else { return };
    let Ok(recipe) = recipe.over(forged::batches()).resolve() else { return };
    let (seed, cancel, over) = (Seed::from_number(7), AtomicBool::new(false), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let run = || -> Result<(), JobError> {
        let mut table = Session::open(&recipe, &RunOptions::default(), &context)?.read(&context)?;
        let made = table.search(&context)?.in_memory(&context)?;
        match made.certify(&context).map(|_| ()) {
            Err(error) if error.class() == velamen_recipe::Class::Promise => panic!("{error}\n{text}"),
            certified => certified,
        }
    };
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            std::thread::park_timeout(PATIENCE);
            cancel.fetch_or(!over.load(Ordering::Relaxed), Ordering::Relaxed);
        });
        drop(run());
        over.store(true, Ordering::Relaxed);
        watch.thread().unpark();
    });
}

/// The sections that are changed: the others name files and places.
const CHANGED: [&str; 8] =
    ["method", "privacy", "attributes", "attributes", "impossible", "derived", "report", "unnamed"];

/// Replaces a section, or a part of it, by what the schema allows there, or by something odd.
fn change(recipe: &mut Value, source: &mut Source<'_>) {
    let root = schema();
    let section = *source.one(&CHANGED);
    let schema = &root["properties"][section];
    let here = recipe[section].clone();
    recipe[section] = match (source.below(4), here) {
        (0, _) => made(schema, source, 0),
        (1, Value::Object(mut keys)) if section == "attributes" => {
            let names: Vec<String> = keys.keys().cloned().collect();
            let name = if names.is_empty() { NAMES[0] } else { source.one(&names) };
            if let Some(Value::Object(own)) = keys.get_mut(name) {
                let properties = &of(&schema["additionalProperties"], root)["properties"];
                put(own, properties, source);
            }
            keys.into()
        }
        (2, Value::Array(mut items)) => {
            items.push(made(&schema["items"], source, 0));
            items.into()
        }
        (_, Value::Object(mut keys)) => {
            put(&mut keys, &schema["properties"], source);
            keys.into()
        }
        (_, mut other) => {
            let items = other.as_array_mut().filter(|items| !items.is_empty());
            if let Some(items) = items {
                let at = source.below(items.len());
                items[at] = made(&schema["items"], source, 0);
            }
            other
        }
    };
    if let (true, Some(keys)) = (recipe[section].is_null(), recipe.as_object_mut()) {
        keys.remove(section);
    }
}

/// Gives one of the known keys a value, or an odd one.
fn put(keys: &mut Map<String, Value>, properties: &Value, source: &mut Source<'_>) {
    let known: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    let own: Vec<String> = keys.keys().cloned().collect();
    let key = match (source.once_in(3), known.is_empty(), own.is_empty()) {
        (true, _, false) | (_, true, false) => source.one(&own).clone(),
        (_, false, _) => (*source.one(&known)).clone(),
        _ => return,
    };
    let value = if source.once_in(3) { source.odd() } else { made(&properties[&key], source, 0) };
    match value {
        Value::Null => drop(keys.remove(&key)),
        value => drop(keys.insert(key, value)),
    }
}

fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(Recipe::schema)
}

/// What a reference stands for.
fn of<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let pointer = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
    pointer.and_then(|place| root.pointer(place)).unwrap_or(schema)
}

const NAMES: [&str; 7] = ["age", "zip", "disease", "stay", "cost", "x", "a b"];

/// A value that a schema allows, mostly.
fn made(schema: &Value, source: &mut Source<'_>, depth: usize) -> Value {
    let schema = of(schema, self::schema());
    if depth > 6 || source.once_in(24) {
        return source.odd();
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    let list = |key: &str| schema[key].as_array().filter(|list| !list.is_empty());
    if let Some(values) = list("enum") {
        return source.one(values).clone();
    }
    if let Some(forms) = list("oneOf").or_else(|| list("anyOf")) {
        return made(source.one(forms), source, depth + 1);
    }
    let kinds = schema["type"].as_array().map_or(&schema["type"], |kinds| source.one(kinds));
    match kinds.as_str() {
        Some("object") => object(schema, source, depth),
        Some("array") => {
            let length = source.below(4);
            (0..length).map(|_| made(&schema["items"], source, depth + 1)).collect()
        }
        Some("string") if source.once_in(4) => source.text(10).into(),
        Some("string") => (*source.one(&NAMES)).into(),
        Some("integer") => (*source.one(&[2u64, 1, 0, 3, 5, 90, 1000, 1_099_511_627_776])).into(),
        Some("number") => (*source.one(&[0.5, 1.0, 0.0, 0.1, 2.0, 0.999, 50.0, 1e-9, 1e12])).into(),
        Some("boolean") => source.once_in(2).into(),
        _ => source.odd(),
    }
}

fn object(schema: &Value, source: &mut Source<'_>, depth: usize) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut keys = Map::new();
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&key.as_str()) || value.get("const").is_some() || source.once_in(3) {
            keys.insert(key.clone(), made(value, source, depth + 1));
        }
    }
    if let Some(others) = schema.get("additionalProperties").filter(|others| others.is_object()) {
        for _ in 0..source.below(4) {
            keys.insert((*source.one(&NAMES)).into(), made(others, source, depth + 1));
        }
    }
    keys.retain(|_, value| !value.is_null());
    keys.into()
}
