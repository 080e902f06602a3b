//! `velamen profile --private`: recipes from names and answers alone.

use crate::common::{CANARY, Folder};
use serde_json::{Value, json};

const PROFILE: [&str; 5] = ["profile", "visits.csv", "--private", "--recipe", "recipe.toml"];
const ANSWERS: [&str; 8] =
    ["--declare", "sex=f|m,disease=@codes.txt", "--missing", "disease", "--epsilon", "1", "--delta", "1e-9"];

fn folder(cells: &str) -> Folder {
    let folder = Folder::new();
    folder.write("visits.csv", format!("patient_id;sex;age;disease\n{cells}"));
    folder.write("codes.txt", "A\nB\n");
    folder
}

fn records() -> String {
    (0..600)
        .map(|i| format!("{CANARY}{i};{};{};{}\n", ["f", "m"][i % 2], 20 + i % 60, ["A", "B", ""][i % 3]))
        .collect()
}

#[test]
fn cells_do_not_show_in_the_recipe() {
    let tables = [
        records(),
        String::new(),
        // Another delimiter, a record like the header, a quote that is never closed, no UTF-8, too few cells.
        "1,2,3,4\n".into(),
        "patient_id;sex;age;disease\n".into(),
        "a;\"b;1;2\n9;9;9;9\n".into(),
        format!("{CANARY};f\n"),
        "NA;?;999;-\n".repeat(50),
    ];
    let run = |cells: &String| {
        let folder = folder(cells);
        let run = folder.ok(&[&PROFILE[..], &ANSWERS[..]].concat());
        (folder.read("recipe.toml"), run.out, run.err)
    };
    let first = run(&tables[0]);
    assert!(!first.0.contains(CANARY) && first.0.contains("domain = [\"f\", \"m\"]"), "{}", first.0);
    for table in &tables[1..] {
        assert_eq!(run(table), first);
    }
    let folder = folder("");
    std::fs::write(folder.path("visits.csv"), b"patient_id;sex;age;disease\n\xff\xfe;\x00\n").unwrap();
    folder.ok(&[&PROFILE[..], &ANSWERS[..]].concat());
    assert_eq!(folder.read("recipe.toml"), first.0);
}

#[test]
fn what_remains_to_be_declared_is_said_with_lines_to_paste() {
    let folder = folder(&records());
    let answer: Value =
        serde_json::from_str(&folder.ok(&[&PROFILE[..], &ANSWERS[..4], &["--json"]].concat()).out).unwrap();
    let private = &answer["private"];
    assert_eq!(private["undeclared"], json!(["age", "epsilon", "delta"]));
    assert_eq!(answer["records"], 0);
    let lines = private["lines"].as_str().unwrap();
    assert!(
        lines.starts_with("[attributes.age]\nrole = \"quasi-identifier\"\ndomain = { min = 0"),
        "{lines}"
    );
    assert!(lines.contains("[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = 1.0"), "{lines}");
    // As it is the recipe does not run, and the refusal says the same.
    folder.refused(&["anonymize", "recipe.toml"], 5, &["epsilon"]);
    // What is to do is done by taking comments away.
    let recipe = folder.read("recipe.toml");
    let done =
        recipe.replace("# domain", "domain").replace("# epsilon", "epsilon").replace("# delta", "delta");
    assert_ne!(done, recipe);
    folder.write("recipe.toml", done);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "visits-release"]);
}

#[test]
fn answers_alone_make_a_recipe_that_runs() {
    for method in ["mst", "aim"] {
        let folder = folder(&records());
        let more = [
            "--method",
            method,
            "--person",
            "patient_id",
            "--records-per-person",
            "2",
            "--declare",
            "age=0..119",
        ];
        let run = folder.ok(&[&PROFILE[..], &ANSWERS[..], &more[..]].concat());
        assert!(run.out.contains("Nothing remains to be declared"), "{}", run.out);
        folder.ok(&["anonymize", "recipe.toml"]);
        let manifest = folder.json("visits-release/release.json");
        assert_eq!(manifest["method"]["name"], json!(method));
        assert_eq!(folder.json("visits-release/measurements.json")["sensitivity"], json!(2));
    }
}

#[test]
fn answers_that_are_none_are_refused() {
    let folder = folder(&records());
    let refused = |more: &[&str], words: &[&str]| {
        folder.refused(&[&PROFILE[..3], more].concat(), 2, words);
    };
    refused(&["--declare", "height=0..250"], &["`height`", "`disease`"]);
    refused(&["--declare", "age"], &["--declare, entry 1", "NAME=MIN..MAX"]);
    refused(&["--declare", "age=0..old"], &["no number"]);
    refused(&["--epsilon", "0"], &["--epsilon", "above 0"]);
    refused(&["--delta", "1"], &["--delta", "below 1"]);
    refused(&["--method", "mondrian"], &["mondrian", "mst"]);
    refused(&["--sample", "0.5"], &["--sample", "no record"]);
    refused(&["--show-values"], &["--show-values"]);
    refused(&["--records-per-person", "2"], &["--person"]);
    folder.refused(&["profile", "visits.csv", "--declare", "age=0..9"], 2, &["--private"]);
    folder.write("visits.ndjson", "{\"age\": 1}\n");
    folder.refused(&["profile", "visits.ndjson", "--private"], 2, &["format", "header"]);
}
