//! What programs read: the manifest on standard output, the recipe's schema, measures.

use crate::common;

use crate::common::{Folder, H_CEILING, recipe};
use serde_json::{Value, json};

#[test]
fn json_is_the_manifest_and_nothing_else() {
    let folder = Folder::with(H_CEILING);
    folder.write(
        "patients.csv",
        common::patients()
            .replacen("diagnosis", "diagnosis,note", 1)
            .replace("63\n", "63,a\n")
            .replace("18\n", "18,b\n"),
    );
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &recipe(H_CEILING));
    let run = folder.ok(&["anonymize", "recipe.toml", "--json"]);
    assert_eq!(run.out, folder.read("release/release.json"));
    let manifest: Value = serde_json::from_str(&run.out).unwrap();
    let keys: Vec<&String> = manifest.as_object().unwrap().keys().collect();
    for key in [
        "velamen",
        "method",
        "node",
        "records",
        "suppressed",
        "counterfeits",
        "classes",
        "privacy",
        "utility",
        "attributes",
    ] {
        assert!(keys.iter().any(|k| *k == key), "no {key}");
    }
    assert!(run.err.contains("warning: column `note` is not named in the recipe"), "{}", run.err);
    assert!(run.err.contains("warning: the seed is fixed"), "{}", run.err);
}

#[test]
fn warnings_name_every_column_the_recipe_does_not() {
    let folder = Folder::with(H_CEILING);
    let text = recipe("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\ninsensitive = \"release\"")
        .replace("[attributes.sex]\nrole = \"quasi-identifier\"\n", "");
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &text);
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert_eq!(run.err.matches("warning:").count(), 1, "{}", run.err);
    assert!(run.err.contains("`sex`") && run.err.contains("insensitive"), "{}", run.err);
    let data = folder.read("release/data.csv");
    assert!(data.starts_with("ClassID,age,sex,diagnosis\n"));
}

#[test]
fn measures_as_json() {
    let folder = Folder::with(H_CEILING);
    let run =
        folder.ok(&["measure", "patients.csv", "--qi", "age,sex", "--sensitive", "diagnosis", "--json"]);
    let measures: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        (&measures["records"], &measures["classes"], &measures["k"]),
        (&json!(120), &json!(12), &json!(10)),
        "{measures:#}"
    );
}

fn schema() -> Value {
    let folder = Folder::new();
    serde_json::from_str(&folder.ok(&["schema"]).out).unwrap()
}

fn example() -> Value {
    json!({
        "input": { "path": "patients.csv", "format": "csv", "delimiter": ";", "null": ["", "NA"] },
        "attributes": {
            "age": { "role": "quasi-identifier", "hierarchy": { "interval": [5, 10, 20], "min": 0, "max": 99 } },
            "zip": { "role": "quasi-identifier", "hierarchy": { "mask": "right", "length": 5 } },
            "weight": { "role": "quasi-identifier", "hierarchy": { "cuts": [[2.5]], "min": 0, "max": 9, "decimals": 1 } },
            "sex": { "role": "quasi-identifier", "hierarchy": "hierarchies/sex.csv" },
            "ward": { "role": "insensitive", "hierarchy": { "rows": [["a", "*"], ["b", "*"]] } },
            "diagnosis": { "role": "sensitive" }
        },
        "privacy": [{ "model": "k-anonymity", "k": 5 }],
        "method": { "name": "h-ceiling", "h": 0.3, "adversary-limit": 1, "padding": "random", "draw": "empirical", "seed": 42 },
        "output": { "path": "release", "format": "csv" }
    })
}

#[test]
fn the_schema_accepts_the_example_recipe() {
    let schema = schema();
    assert_eq!(check(&schema, &schema, &example(), "recipe"), Ok(()));
    let least = json!({ "input": { "path": "a.csv" }, "output": { "path": "b" } });
    assert_eq!(check(&schema, &schema, &least, "recipe"), Ok(()));
}

#[test]
fn the_schema_refuses_mistakes() {
    let schema = schema();
    let mistakes: [(&str, Value); 14] = [
        ("/input/path", json!(7)),
        ("/input/paths", json!("a")),
        ("/attributes/sex/role", json!("secret")),
        ("/attributes/age/hierarchy/intervals", json!([5])),
        ("/attributes/age/hierarchy/min", json!("zero")),
        ("/attributes/zip/hierarchy/mask", json!("middle")),
        ("/privacy/0/model", json!("k-anonimity")),
        ("/privacy/0/l", json!(2)),
        ("/method/name", json!("best")),
        ("/method/h", json!(2)),
        ("/method/hh", json!(0.2)),
        ("/method/metric", json!("loss")),
        ("/unnamed", json!("keep")),
        ("/extra", json!({})),
    ];
    for (place, value) in mistakes {
        let mut recipe = example();
        let (parent, key) = place.rsplit_once('/').unwrap();
        let parent = recipe.pointer_mut(parent).unwrap();
        parent[key] = value;
        assert!(check(&schema, &schema, &recipe, "recipe").is_err(), "{place} was accepted");
    }
    for missing in ["input", "output"] {
        let mut recipe = example();
        recipe.as_object_mut().unwrap().remove(missing);
        assert!(check(&schema, &schema, &recipe, "recipe").is_err(), "without {missing}");
    }
}

/// As much of JSON Schema as the recipe's uses; an unknown keyword fails the test.
fn check(root: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Bool(false) => return Err(format!("{place}: not allowed")),
        schema => schema.as_object().expect("a schema is an object"),
    };
    let fail = |why: &str| Err(format!("{place}: {why}"));
    let fits = |schema: &Value| check(root, schema, value, place).is_ok();
    for (keyword, argument) in schema {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" | "format" => {}
            "$ref" => {
                let pointer = argument.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(pointer).expect("the reference leads somewhere"), value, place)?;
            }
            "type" if !of_type(argument, value) => return fail(&format!("not {argument}")),
            "const" if argument != value => return fail("another constant"),
            "enum" if !argument.as_array().unwrap().contains(value) => return fail("not in the list"),
            "minimum" if value.as_f64().is_some_and(|v| v < argument.as_f64().unwrap()) => {
                return fail("too small");
            }
            "maximum" if value.as_f64().is_some_and(|v| v > argument.as_f64().unwrap()) => {
                return fail("too large");
            }
            "type" | "const" | "enum" | "minimum" | "maximum" | "properties" => {}
            "required" => {
                let missing = |name: &&Value| value.get(name.as_str().unwrap()).is_none();
                if let Some(name) = argument.as_array().unwrap().iter().find(missing) {
                    return fail(&format!("no {name}"));
                }
            }
            "additionalProperties" => {
                let known = |key: &str| schema.get("properties").is_some_and(|p| p.get(key).is_some());
                for (key, inner) in value.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
                    check(root, argument, inner, &format!("{place}.{key}"))?;
                }
            }
            "items" => {
                for (index, inner) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, argument, inner, &format!("{place}[{index}]"))?;
                }
            }
            "anyOf" if !argument.as_array().unwrap().iter().any(fits) => return fail("none fits"),
            "oneOf" if argument.as_array().unwrap().iter().filter(|s| fits(s)).count() != 1 => {
                return fail("not exactly one fits");
            }
            "anyOf" | "oneOf" => {}
            unknown => panic!("the test does not know the keyword {unknown}"),
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        if let Some(schema) = schema.get("properties").and_then(|p| p.get(key)) {
            check(root, schema, inner, &format!("{place}.{key}"))?;
        }
    }
    Ok(())
}

fn of_type(argument: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("type {other}"),
    };
    argument.as_array().map_or_else(|| is(argument), |names| names.iter().any(is))
}
