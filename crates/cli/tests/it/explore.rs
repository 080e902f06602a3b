//! `velamen explore` against what `velamen anonymize` makes of each node.

use std::collections::BTreeMap;

use crate::common::{Folder, column, program, recipe, rows};
use serde_json::Value;

/// 120 patients of uneven ages, so that small classes are suppressed at most nodes.
fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("age,sex,diagnosis\n");
    for i in 0..120u32 {
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        text += &format!("{},{},{diagnosis}\n", 20 + i * i * 7 % 61, ["F", "M"][(i % 3 / 2) as usize]);
    }
    folder.write("patients.csv", text);
    folder.write("recipe.toml", recipe(method));
    folder
}

fn explored(folder: &Folder, more: &[&str]) -> Value {
    let run = folder.ok(&[&["explore", "recipe.toml", "--json"][..], more].concat());
    serde_json::from_str(&run.out).unwrap()
}

/// Loss, highest risk and share of suppressed records of a release's files.
fn figures(folder: &Folder) -> [f64; 3] {
    let (manifest, data) = (folder.json("release/release.json"), folder.read("release/data.csv"));
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for id in column(&data, "ClassID").into_iter().filter(|id| !id.is_empty()) {
        *sizes.entry(id).or_default() += 1;
    }
    let suppressed = manifest["suppressed"].as_f64().unwrap();
    let loss = manifest["utility"]["loss"]["value"].as_f64().unwrap();
    [loss, 1.0 / *sizes.values().min().unwrap() as f64, suppressed / (rows(&data).len() - 1) as f64]
}

fn near(a: &[f64; 3], b: &[f64; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn the_front_is_that_of_all_releases() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.4");
    let front = explored(&folder, &[]);
    assert_eq!((&front["figure"], &front["partial"]), (&"loss".into(), &false.into()));
    // Every node by itself.
    let mut all: Vec<[f64; 3]> = Vec::new();
    for (age, sex) in (0..=4).flat_map(|age| (0..=1).map(move |sex| (age, sex))) {
        let set = [format!("attributes.age.level={age}"), format!("attributes.sex.level={sex}")];
        let run =
            folder.run(&["anonymize", "recipe.toml", "--overwrite", "--set", &set[0], "--set", &set[1]]);
        if run.code == 0 {
            all.push(figures(&folder));
        }
    }
    let beats = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).all(|(a, b)| a <= &(b + 1e-12)) && !near(a, b);
    let best: Vec<&[f64; 3]> = all.iter().filter(|one| !all.iter().any(|other| beats(other, one))).collect();
    let solutions = front["solutions"].as_array().unwrap();
    let shown = |solution: &Value| {
        ["value", "highest-risk", "changed"].map(|figure| solution[figure].as_f64().unwrap())
    };
    assert!(solutions.len() > 2, "{front}");
    for solution in solutions {
        assert!(best.iter().any(|one| near(one, &shown(solution))), "{solution}");
    }
    for one in best {
        assert!(solutions.iter().any(|solution| near(one, &shown(solution))), "{one:?} is not in {front}");
    }
    // And each says how it is made.
    let set: Vec<&str> =
        solutions[1]["set"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--set", set[0], "--set", set[1]]);
    assert!(near(&figures(&folder), &shown(&solutions[1])));
}

#[test]
fn counterfeits_are_in_the_front() {
    let folder = folder("name = \"h-ceiling\"\nadversary-limit = 1\nseed = 7");
    let front = explored(&folder, &[]);
    let solutions = front["solutions"].as_array().unwrap();
    assert_eq!(front["figure"], "loss");
    assert!(solutions.iter().any(|solution| solution["counterfeits"].as_u64().unwrap() > 0), "{front}");
    assert!(solutions.iter().all(|solution| solution["suppressed"] == 0));
}

#[test]
fn methods_without_nodes_give_one_and_private_ones_none() {
    let folder = folder("name = \"mondrian\"");
    let front = explored(&folder, &[]);
    assert_eq!(front["solutions"].as_array().unwrap().len(), 1);
    assert!(front["solutions"][0]["levels"].as_object().unwrap().is_empty());
    let private = folder.read("recipe.toml").replace(
        "model = \"k-anonymity\"\nk = 5",
        "model = \"differential-privacy\"\nepsilon = 1\ndelta = 1e-5",
    );
    let private = private.replace(
        "[attributes.diagnosis]\nrole = \"sensitive\"",
        "[attributes.diagnosis]\nrole = \"identifier\"",
    );
    let private = private.replace("[attributes.sex]\nrole = \"quasi-identifier\"", "[attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }");
    folder.write("recipe.toml", private.replace("mondrian", "safe-pub"));
    let front = explored(&folder, &[]);
    assert!(front["solutions"].as_array().unwrap().is_empty());
    assert!(front["note"].as_str().unwrap().contains("would spend budget"), "{front}");
    assert!(!folder.path("release").exists());
}

#[test]
fn the_table_is_short_and_says_what_makes_the_first() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.4");
    let run = folder.ok(&["explore", "recipe.toml", "--top", "2"]);
    assert!(
        run.out.contains("highest risk") && run.out.contains("no other beats one of these"),
        "{}",
        run.out
    );
    assert_eq!(run.out.lines().filter(|line| line.contains("age ")).count(), 2, "{}", run.out);
    assert!(run.out.contains("--set attributes.age.level="), "{}", run.out);
    assert_eq!(folder.entries(), ["patients.csv", "recipe.toml"]);
}

#[test]
fn any_name_can_be_set_and_the_line_is_one_for_a_shell() {
    let folder = folder("name = \"datafly\"\nsuppression-limit = 0.4");
    for name in ["a.b", "x=y", "of age", "$HOME `id`", "it's", "say \\\"hi\\\""] {
        let plain = name.replace('\\', "");
        let quoted = format!("\"{}\"", plain.replace('"', "\"\""));
        folder.write("odd.csv", folder.read("patients.csv").replacen("age", &quoted, 1));
        let recipe = folder.read("recipe.toml").replace("patients.csv", "odd.csv");
        folder.write("odd.toml", recipe.replace("[attributes.age]", &format!("[attributes.\"{name}\"]")));
        let run = folder.ok(&["explore", "odd.toml", "--json", "--set", "method.name=optimal"]);
        let front: Value = serde_json::from_str(&run.out).unwrap();
        let set = front["solutions"][0]["set"].as_array().unwrap().clone();
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set.as_str().unwrap()]).collect();
        folder
            .ok(&[&["anonymize", "odd.toml", "--overwrite", "--set", "method.name=optimal"][..], &set]
                .concat());
        let run = folder.ok(&["explore", "odd.toml", "--set", "method.name=optimal"]);
        let line = run.out.lines().find(|line| line.contains("is made by")).unwrap().to_owned();
        let (_, command) = line.split_once("velamen anonymize").unwrap();
        let pasted = format!("{} anonymize --overwrite {command}", program().display());
        let done = std::process::Command::new("sh")
            .args(["-c", &pasted])
            .current_dir(folder.root())
            .output()
            .unwrap();
        assert!(done.status.success(), "{pasted}: {}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(folder.json("release/release.json")["method"]["name"], "optimal");
    }
}

#[test]
fn more_rows_are_better_and_levels_that_the_recipe_limits_stay_so() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.4\nmetric = \"rows-retained\"");
    let front = explored(&folder, &["--set", "attributes.age.min-level=1"]);
    let solutions = front["solutions"].as_array().unwrap();
    let set: Vec<&str> =
        solutions[0]["set"].as_array().unwrap().iter().map(|set| set.as_str().unwrap()).collect();
    assert_eq!(set.len(), 3, "{set:?}");
    let pairs: Vec<&str> = set.iter().flat_map(|set| ["--set", *set]).collect();
    let first = ["anonymize", "recipe.toml", "--overwrite", "--set", "attributes.age.min-level=1"];
    folder.ok(&[&first[..], &pairs].concat());
    let rows =
        |folder: &Folder| folder.json("release/release.json")["utility"]["rows-retained"].as_f64().unwrap();
    let best = rows(&folder);
    // The search tells suppressed rows apart, which the release shows as one.
    assert!(solutions[0]["value"].as_f64().is_some_and(|value| value >= best));
    folder.ok(&first);
    assert_eq!(rows(&folder), best, "the search finds no more");
    let value = |solution: &Value| solution["value"].as_f64().unwrap();
    assert!(solutions.iter().all(|solution| value(solution) <= value(&solutions[0])));
}

#[test]
fn what_has_no_front_says_so() {
    let folder = folder("name = \"optimal\"");
    folder.refused(&["explore", "recipe.toml", "--set", "privacy.0.k=1000"], 3, &["fewer than k = 1000"]);
    folder.refused(
        &["explore", "recipe.toml", "--seconds=-1"],
        2,
        &["--seconds -1: ", "expected a number above 0"],
    );
    folder.refused(&["explore", "recipe.toml", "--set", "input.missing=wildcard"], 2, &["other risks"]);
    let run = folder.ok(&["explore", "recipe.toml", "--set", "method.name=mondrian"]);
    assert!(run.out.contains("this is the one release that it makes"), "{}", run.out);
}
