//! Pseudonyms, moved dates, presets, and cells that look like formulas, by the real binary.

use std::collections::BTreeMap;

use crate::common::{CANARY, Folder, Run, column, rows};

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// 12 patients with 5 stays each.
fn stays() -> String {
    let mut text = String::from("patient,admission,discharge,sex,diagnosis\n");
    for patient in 0..12 {
        for stay in 1..=5 {
            let sex = ["F", "M"][patient % 2];
            text += &format!("P{patient},2024-03-{:02},2024-04-{:02},{sex},I6{stay}\n", 5 * stay, 4 * stay);
        }
    }
    text
}

fn recipe(patient: &str, admission: &str, rest: &str) -> String {
    format!(
        r#"{rest}
[input]
path = "stays.csv"
[attributes.patient]
{patient}
rows = "independent"
[attributes.admission]
{admission}
[attributes.discharge]
role = "insensitive"
{shift}
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 12
[method]
name = "optimal"
seed = 3
[output]
path = "release"
"#,
        shift = admission.lines().find(|line| line.starts_with("date-shift")).unwrap_or_default()
    )
}

const PSEUDONYM: &str = "role = \"identifier\"\npseudonym = \"hmac-sha256\"";
const SHIFT: &str = "role = \"insensitive\"\ndate-shift = { days = 40, person = \"patient\" }";
const FILE: &str = "key = { file = \"secret.key\" }";

fn with(recipe: String) -> Folder {
    let folder = Folder::new();
    folder.write("stays.csv", stays());
    folder.write("secret.key", format!("{KEY}\n"));
    folder.write("recipe.toml", recipe);
    folder
}

#[test]
fn pseudonyms_are_the_macs_of_the_values_and_stay_the_same() {
    let folder = with(recipe(PSEUDONYM, "role = \"identifier\"", FILE));
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("share a pseudonym"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    let data = folder.read("release/data.csv");
    let mut pseudonyms = column(&data, "patient");
    pseudonyms.dedup();
    assert_eq!(pseudonyms.len(), 12);
    // Computed by Python's hmac module.
    assert!(
        pseudonyms.contains(&"83d0b60322aca9d8ec8fb9664a84c53a8dad61532513d9fbc31ab5bc07ba2e29".to_owned()),
        "{pseudonyms:?}"
    );
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["attributes"]["patient"]["pseudonym"], "hmac-sha256");
    for file in folder.entries().iter().filter(|file| file.starts_with("release") && file.contains('.')) {
        let text = std::fs::read(folder.path(file)).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains(KEY), "{file} holds the key");
    }
}

#[test]
fn a_key_comes_from_the_environment_too() {
    let folder = with(recipe(PSEUDONYM, "role = \"identifier\"", "key = { environment = \"STAYS_KEY\" }"));
    folder.refused(&["anonymize", "recipe.toml"], 2, &["STAYS_KEY", "no variable"]);
    let run = |key: &str| {
        Run::of(folder.command(&["anonymize", "recipe.toml", "--overwrite"]).env("STAYS_KEY", key))
    };
    assert_eq!(run("short").code, 2);
    assert_eq!(run(KEY).code, 0);
    assert!(
        column(&folder.read("release/data.csv"), "patient")
            .contains(&"83d0b60322aca9d8ec8fb9664a84c53a8dad61532513d9fbc31ab5bc07ba2e29".to_owned())
    );
}

#[test]
fn the_dates_of_a_person_move_together() {
    let folder = with(recipe(PSEUDONYM, SHIFT, FILE));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    // What was replaced is not held against the original.
    let compared = folder.ok(&["compare", "stays.csv", "release"]);
    assert!(compared.out.contains("`admission` is left out"), "{}", compared.out);
    let table = rows(&folder.read("release/data.csv"));
    let at = |name: &str| table[0].iter().position(|n| n == name).unwrap();
    let day = |text: &str| {
        let parts: Vec<i64> = text.split('-').map(|part| part.parse().unwrap()).collect();
        // 2024 is a leap year; all dates are in it.
        let before = [0, 31, 60, 91, 121, 152, 182][parts[1] as usize - 1];
        assert_eq!(parts[0], 2024);
        before + parts[2]
    };
    let mut moved: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in &table[1..] {
        let stay = row[at("diagnosis")][2..].parse::<i64>().unwrap();
        let admission = day(&row[at("admission")]) - (60 + 5 * stay);
        let discharge = day(&row[at("discharge")]) - (91 + 4 * stay);
        assert_eq!(admission, discharge);
        moved.entry(row[at("patient")].clone()).or_default().push(admission);
    }
    assert!(
        moved.values().all(|days| days.len() == 5 && days.iter().all(|&d| d == days[0] && d.abs() <= 40))
    );
    let distinct: std::collections::BTreeSet<i64> = moved.values().map(|days| days[0]).collect();
    assert!(distinct.len() > 6, "{distinct:?}");
}

#[test]
fn wrong_keys_and_dates_are_refused() {
    let refused = |recipe: String, code: i32, says: &[&str]| {
        with(recipe).refused(&["anonymize", "recipe.toml"], code, says);
    };
    refused(recipe(PSEUDONYM, "role = \"identifier\"", ""), 5, &["secret key", "[key]"]);
    refused(recipe("role = \"identifier\"", "role = \"identifier\"", FILE), 5, &["leave [key] out"]);
    refused(
        recipe("role = \"insensitive\"\npseudonym = \"hmac-sha256\"", "role = \"identifier\"", FILE),
        5,
        &["`patient`", "identifier"],
    );
    let days = |shift: &str| SHIFT.replace("days = 40", shift);
    refused(recipe(PSEUDONYM, &days("days = 0"), FILE), 5, &["1 to 36,525"]);
    refused(recipe(PSEUDONYM, &SHIFT.replace("\"patient\"", "\"sex\""), FILE), 5, &["date-shift.person"]);
    refused(
        recipe(PSEUDONYM, SHIFT, FILE).replace("\"optimal\"", "\"h-ceiling\""),
        5,
        &["`patient`", "counterfeits"],
    );
    let folder = with(recipe(PSEUDONYM, SHIFT, FILE));
    folder.write("stays.csv", stays().replace("2024-03-05", CANARY));
    folder.refused(&["anonymize", "recipe.toml"], 4, &["`admission`", "2024-12-31"]);
    let inline = format!("key = \"{CANARY}\"");
    refused(recipe(PSEUDONYM, SHIFT, &inline), 5, &["line 1", "never the key itself"]);
    let folder = with(recipe(PSEUDONYM, SHIFT, FILE));
    folder.write("secret.key", "short\n");
    folder.refused(&["anonymize", "recipe.toml"], 2, &["secret.key", "openssl"]);
}

#[test]
fn presets_set_k_and_say_what_they_cannot_judge() {
    for (preset, k) in [("ema-0070", 12), ("health-canada-prci", 12), ("cms-11", 11), ("omop-5", 5)] {
        let text =
            recipe("role = \"identifier\"", "role = \"identifier\"", &format!("preset = \"{preset}\""));
        let folder = with(text.replace("[[privacy]]\nmodel = \"k-anonymity\"\nk = 12\n", ""));
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        assert_eq!(manifest["privacy"][0]["asked"]["k"], k, "{preset}");
        assert!(manifest["preset"]["cannot-judge"].as_array().unwrap().len() > 2);
        let path = folder.path("release/release.json");
        let lowered = folder.read("release/release.json").replace(&format!("\"k\": {k}"), "\"k\": 2");
        std::fs::write(path, lowered).unwrap();
        let run = folder.run(&["verify", "release"]);
        assert_eq!(run.code, 3);
        assert!(run.out.contains("preset"), "{}", run.out);
    }
    let folder = with(
        recipe("role = \"identifier\"", "role = \"identifier\"", "preset = \"ema-0070\"")
            .replace("k = 12", "k = 11"),
    );
    folder.refused(&["anonymize", "recipe.toml"], 5, &["ema-0070", "k = 12"]);
    let counterfeits = recipe("role = \"identifier\"", "role = \"identifier\"", "preset = \"cms-11\"")
        .replace("name = \"optimal\"", "name = \"h-ceiling\"\nadversary-limit = 1");
    with(counterfeits).refused(&["anonymize", "recipe.toml"], 5, &["cms-11", "counterfeits"]);
}

#[test]
fn no_cell_is_left_that_a_spreadsheet_would_run() {
    let folder = with(recipe("role = \"identifier\"", "role = \"identifier\"", ""));
    let hostile =
        |text: String| text.replace("I61", "=HYPERLINK(1)").replace("I62", "-5").replace("I63", "@SUM");
    folder.write("stays.csv", hostile(stays()));
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let mut values = column(&folder.read("release/data.csv"), "diagnosis");
    values.dedup();
    assert_eq!(values, ["'=HYPERLINK(1)", "'@SUM", "-5", "I64", "I65"]);
    assert_eq!(folder.json("release/release.json")["data"]["escaped"], true);
    // Readers of the release see the values as they were.
    folder.ok(&["compare", "stays.csv", "release"]);
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--set", "output.formulas=keep"]);
    assert!(column(&folder.read("release/data.csv"), "diagnosis").contains(&"=HYPERLINK(1)".to_owned()));
}
