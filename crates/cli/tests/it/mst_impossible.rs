//! `[[impossible]]` where records are invented: no record has such a pair, and nothing is spent on it.

use crate::common::{Folder, rows};
use serde_json::json;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
const ATTRIBUTES: &str = r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
domain = { min = 0, max = 99, bins = 10 }
[attributes.sex]
role = "quasi-identifier"
domain = ["f", "m"]
[attributes.disease]
role = "quasi-identifier"
domain = ["C61", "E11", "O80", "P07"]
[[privacy]]
model = "differential-privacy"
epsilon = 0.1
delta = 1e-9
[output]
path = "release"
"#;
const PAIRS: &str = r#"
[[impossible]]
attribute = "sex"
values = ["m"]
of = "disease"
sensitive = ["O00-O99"]
[[impossible]]
attribute = "sex"
values = ["f"]
of = "disease"
sensitive = ["C61"]
[[impossible]]
attribute = "age"
from = 10
of = "disease"
sensitive = ["P07"]
"#;

/// Diseases that go with the sex; some records have pairs that nobody has.
fn folder(method: &str, pairs: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("age,sex,disease\n");
    for i in 0..2000usize {
        let (sex, disease) = [("f", "O80"), ("m", "C61"), ("f", "E11"), ("m", "E11")][i % 4];
        text += &format!("{},{sex},{disease}\n", 20 + i * 7 % 60);
    }
    text += &"30,m,O80\n".repeat(50);
    folder.write("patients.csv", text);
    folder.write("recipe.toml", format!("{ATTRIBUTES}{pairs}[method]\nname = \"{method}\"\nseed = 3\n"));
    folder
}

/// Released records with a pair that nobody has.
fn impossible(folder: &Folder) -> usize {
    let released = rows(&folder.read("release/data.csv"));
    let at = |name: &str| released[0].iter().position(|column| column == name).unwrap();
    let (age, sex, disease) = (at("age"), at("sex"), at("disease"));
    let has = |row: &&Vec<String>| match (row[sex].as_str(), row[disease].as_str()) {
        ("m", "O80") | ("f", "C61") => true,
        (_, "P07") => row[age].parse::<u32>().unwrap() >= 10,
        _ => false,
    };
    released[1..].iter().filter(has).count()
}

#[test]
fn no_record_has_a_pair_that_nobody_has() {
    for method in ["mst", "aim"] {
        let without = folder(method, "");
        without.ok(&RUN);
        assert!(impossible(&without) > 0, "noise makes some, and the table has some");
        let folder = folder(method, PAIRS);
        folder.ok(&RUN);
        assert_eq!(impossible(&folder), 0, "{method}");
        let verified = folder.ok(&["verify", "release"]);
        assert!(verified.out.contains("impossible-records"), "{}", verified.out);
        let (with, free) = (folder.json("release/release.json"), without.json("release/release.json"));
        assert_eq!(with["impossible"][0]["of"], json!("disease"));
        assert_eq!(with["method"]["spent"], free["method"]["spent"], "nothing is spent on it");
        let measured = folder.json("release/measurements.json");
        assert_eq!(measured["rho"], without.json("release/measurements.json")["rho"]);
        let audited =
            folder.run(&["audit", "recipe.toml", "--inside", "--seed", "1", "--set", "method.seed=5"]);
        assert_eq!(audited.code, 0, "{}\n{}", audited.out, audited.err);
    }
}

#[test]
fn a_record_that_nobody_can_have_is_seen() {
    let folder = folder("mst", PAIRS);
    folder.ok(&RUN);
    let data = folder.read("release/data.csv");
    let line = data.lines().find(|line| line.contains("m,C61")).unwrap();
    folder.write("release/data.csv", data.replacen(line, &line.replace("m,C61", "f,C61"), 1));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}\n{}", run.out, run.err);
    assert!(
        run.out.contains("impossible-records") || run.err.contains("impossible-records"),
        "{}{}",
        run.out,
        run.err
    );
}

#[test]
fn a_missing_value_can_be_impossible() {
    const OPEN: &str = "domain = [\"f\", \"m\"]\nmissing = true";
    let pair = "[[impossible]]\nattribute = \"sex\"\nvalues = [\"\"]\nof = \"disease\"\nsensitive = [\"C61\", \"O80\"]\n";
    let folder = folder("mst", pair);
    let recipe = folder.read("recipe.toml");
    folder.refused(&RUN, 5, &["sex", "no value"]);
    folder.write("recipe.toml", recipe.replace("domain = [\"f\", \"m\"]", OPEN));
    folder.ok(&RUN);
    let has_pair = |line: &&str| line.contains(",,C61") || line.contains(",,O80");
    let data = folder.read("release/data.csv");
    assert_eq!(data.lines().filter(has_pair).count(), 0);
    let other = data.lines().find(|line| line.contains("m,C61")).unwrap();
    let forged = data.replacen(other, &other.replace("m,C61", ",C61"), 1);
    folder.ok(&["verify", "release"]);
    folder.write("release/data.csv", forged);
    let run = folder.run(&["verify", "release"]);
    assert!(run.code == 3 && run.err.contains("impossible-records"), "{}{}", run.out, run.err);
}

#[test]
fn a_recipe_that_forbids_wrongly_is_refused() {
    for (from, to, code, words) in [
        ("of = \"disease\"", "", 5, ["`of`", "sensitive"]),
        ("of = \"disease\"", "of = \"diseases\"", 5, ["`diseases`", "did you mean `disease`"]),
        ("of = \"disease\"", "of = \"sex\"", 5, ["`sex`", "quasi-identifier"]),
        ("sensitive = [\"C61\"]", "sensitive = [\"none\"]", 5, ["none", "impossible"]),
        ("from = 10", "from = 15", 5, ["age", "bins"]),
        ("values = [\"f\"]", "values = [\"x\"]", 5, ["x", "sex"]),
    ] {
        assert!(PAIRS.contains(from));
        folder("mst", &PAIRS.replacen(from, to, 1)).refused(&RUN, code, &words);
    }
    let all = "[[impossible]]\nattribute = \"sex\"\nvalues = [\"f\", \"m\"]\nof = \"disease\"\nsensitive = [\"C61\", \"E11\", \"O80\", \"P07\"]\n";
    let run = folder("mst", all).run(&RUN);
    assert!(run.code != 0 && run.err.contains("no record possible"), "{} {}", run.code, run.err);
    let folder = folder("mst", PAIRS);
    let run = folder.run(&["anonymize", "recipe.toml", "--set", "method.model-cells=12"]);
    assert!(run.code != 0 && run.err.contains("model-cells"), "{} {}", run.code, run.err);
    // With records that are real it says nothing of two quasi-identifiers.
    let recipe = folder.read("recipe.toml").replace("mst", "aim");
    let real = recipe.replace("name = \"aim\"", "name = \"optimal\"").replace("seed = 3\n", "");
    folder.write("recipe.toml", real);
    assert_eq!(folder.run(&RUN).code, 5);
}
