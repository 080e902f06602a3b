//! The auditor on methods whose claims hold, and on one whose claim does not.

use crate::common::{CANARY, Folder};
use serde_json::{Value, json};

/// The attributes of the audited recipes; no input is there.
const ATTRIBUTES: &str = r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10], min = 0, max = 29 }
[attributes.sex]
role = "quasi-identifier"
hierarchy = { rows = [["f", "*"], ["m", "*"]] }
"#;

const DISEASE: &str = "[attributes.disease]\nrole = \"sensitive\"\ndomain = [\"A\", \"B\"]\n";

fn folder(attributes: &str, privacy: &str, method: &str) -> Folder {
    let folder = Folder::new();
    let output = "[output]\npath = \"release\"\n";
    folder.write("recipe.toml", format!("{ATTRIBUTES}{attributes}{privacy}[method]\n{method}\n{output}"));
    folder
}

fn private(parameters: &str) -> String {
    format!("[[privacy]]\nmodel = \"differential-privacy\"\n{parameters}\n")
}

fn sound() -> Folder {
    folder(DISEASE, &private("epsilon = 1"), "name = \"ipa\"")
}

fn published() -> Folder {
    folder(DISEASE, "", "name = \"ipa\"\nguarantee = \"published\"")
}

const AUDIT: [&str; 5] = ["audit", "recipe.toml", "--json", "--seed", "1"];

fn audited(folder: &Folder, options: &[&str], code: i32) -> Value {
    let run = folder.run(&[&AUDIT[..], options].concat());
    assert_eq!(run.code, code, "{}\n{}", run.out, run.err);
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn the_published_ipa_is_refuted_on_ordinary_tables() {
    let folder = published();
    let found = audited(&folder, &["--trials", "70", "--ordinary"], 3);
    assert_eq!(found["claimed"], json!({ "epsilon": 1.0, "delta": 0.0 }));
    assert_eq!(found["verdict"]["says"], "refuted");
    assert!(found["found"]["epsilon"].as_f64().unwrap() > 2.0, "{found}");
    assert!(found["found"]["tables"].as_str().unwrap().contains("40 records of all kinds"), "{found}");
    let run = folder.run(&["audit", "recipe.toml", "--seed", "2", "--trials", "40", "--ordinary"]);
    assert!(run.out.contains("refuted: the claimed epsilon 1 does not hold"), "{}", run.out);
    assert!(run.err.contains("more than is claimed"), "{}", run.err);
}

#[test]
fn what_is_proven_is_not_refuted_on_ordinary_tables() {
    let safe_pub = private("epsilon = 2\ndelta = 0.05");
    let invented = private("epsilon = 1\ndelta = 1e-6");
    let stable = private("epsilon = 1\ndelta = 0.01");
    // So few trials that they can just show more than is claimed; all methods get five hundred in `cargo xtask nightly`.
    let nightly = std::env::var_os("VELAMEN_NIGHTLY").map(|_| "500");
    for (folder, trials) in [
        (sound(), "40"),
        (folder(DISEASE, &stable, "name = \"ipa\""), "40"),
        (folder(DISEASE, &private("epsilon = 1"), "name = \"contingency-table\""), "40"),
        (folder(DISEASE, &private("epsilon = 1"), "name = \"diffgen\"\nspecializations = 2"), "40"),
        (folder(DISEASE, &stable, "name = \"diffgen\"\nutility = \"information-gain\""), "40"),
        (
            folder(DISEASE, &private("epsilon = 1"), "name = \"dsat\"\ntime = \"age\"\nmost-histograms = 2"),
            "40",
        ),
        (folder("", &safe_pub, "name = \"safe-pub\""), "80"),
        (folder("", &invented, "name = \"mst\""), "40"),
    ] {
        let found = audited(&folder, &["--trials", nightly.unwrap_or(trials), "--ordinary"], 0);
        assert_eq!(found["verdict"]["says"], "not-refuted", "{found}");
        assert!(found["found"]["epsilon"].as_f64() <= found["claimed"]["epsilon"].as_f64(), "{found}");
    }
    let run = sound().ok(&["audit", "recipe.toml", "--trials", "40", "--ordinary"]);
    assert!(run.out.contains("which is no proof"), "{}", run.out);
}

#[test]
fn an_audit_from_inside_replays_what_was_drawn() {
    for method in ["mst", "aim"] {
        let folder = folder("", &private("epsilon = 1\ndelta = 1e-6"), &format!("name = \"{method}\""));
        let found = audited(&folder, &["--inside"], 0);
        assert_eq!(
            (&found["verdict"]["says"], &found["trials"]),
            (&json!("not-refuted"), &json!(0)),
            "{found}"
        );
        assert_eq!(found["inside"]["differences"], json!([]));
        assert_eq!(found["inside"]["replays"].as_u64(), found["pairs"].as_u64().map(|pairs| 4 * pairs));
        assert!(found.get("found").is_none() && found.get("most-shown").is_none(), "{found}");
        let run = folder.ok(&["audit", "recipe.toml", "--inside", "--ordinary"]);
        assert!(run.out.contains("replays of") && run.out.contains("which is no proof"), "{}", run.out);
    }
    let found = audited(&sound(), &["--inside", "--ordinary"], 0);
    assert_eq!(found["inside"]["differences"], json!([]));
    published().refused(&["audit", "recipe.toml", "--inside"], 2, &["--inside", "ipa", "no door"]);
}

/// Whole runs with every key that changes what `mst` and `aim` ask of a table, or make of the answers.
#[test]
fn an_audit_from_inside_replays_every_option() {
    const BINS: &str =
        "[attributes.stay]\nrole = \"quasi-identifier\"\ndomain = { min = 0, max = 19, bins = 4 }\n";
    const CODES: &str =
        "[attributes.code]\nrole = \"quasi-identifier\"\ndomain = [\"A\", \"B\", \"C\"]\nmissing = true\n";
    const PERSON: &str = "[attributes.id]\nrole = \"person\"\nrecords-per-person = 2\n";
    const PAIR: &str =
        "[[impossible]]\nattribute = \"sex\"\nvalues = [\"m\"]\nof = \"code\"\nsensitive = [\"A\"]\n";
    let budget = |epsilon: &str| private(&format!("epsilon = {epsilon}\ndelta = 1e-6"));
    for method in ["mst", "aim"] {
        let small = if method == "aim" { "model-cells = 40\nmax-cells = 8" } else { "model-cells = 40" };
        for (attributes, epsilon, keys) in [
            (BINS.to_owned(), "1", ""),
            (CODES.to_owned(), "0.2", ""),
            (format!("{CODES}{PAIR}"), "20", ""),
            (format!("{PERSON}{BINS}"), "1", ""),
            (CODES.to_owned(), "1", small),
            (format!("{PERSON}{BINS}{CODES}{PAIR}"), "5", ""),
        ] {
            let method = format!("name = \"{method}\"\n{keys}");
            let found = audited(&folder(&attributes, &budget(epsilon), &method), &["--inside"], 0);
            assert_eq!(found["inside"]["differences"], json!([]), "{method} {attributes}");
            assert!(found["inside"]["queries"].as_u64().unwrap() > 0, "{found}");
        }
    }
}

#[test]
fn the_bound_of_a_right_method_is_not_idle() {
    let folder = folder(DISEASE, &private("epsilon = 3"), "name = \"contingency-table\"");
    let found = audited(&folder, &["--trials", "40", "--ordinary"], 0);
    assert!(found["found"]["epsilon"].as_f64().unwrap() > 0.7, "{found}");
}

#[test]
fn the_pair_that_leads_can_be_run() {
    let folder = published();
    let run = folder.run(&[
        "audit",
        "recipe.toml",
        "--seed",
        "1",
        "--trials",
        "40",
        "--ordinary",
        "--keep",
        "pair",
    ]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.err.contains("velamen anonymize pair/recipe.toml"), "{}", run.err);
    let lines = |name: &str| folder.read(name).lines().count();
    assert_eq!((lines("pair/with.csv"), lines("pair/without.csv")), (42, 41));
    folder.ok(&["anonymize", "pair/recipe.toml"]);
    folder.ok(&["anonymize", "pair/recipe.toml", "--input", "pair/without.csv", "--overwrite"]);
    assert!(folder.path("pair/release/data.csv").exists());
    // A folder in which something is stays as it is.
    folder.refused(&["audit", "recipe.toml", "--quiet", "--keep", "pair"], 6, &["pair", "not empty"]);
}

#[test]
fn tables_of_objects_are_audited_as_objects() {
    for (input, table) in [("patients.json", "pair/with.ndjson"), ("patients.tsv", "pair/with.csv")] {
        let folder = published();
        folder.write("recipe.toml", folder.read("recipe.toml").replace("patients.csv", input));
        let run = ["audit", "recipe.toml", "--seed", "1", "--trials", "40", "--ordinary", "--keep", "pair"];
        assert_eq!(folder.run(&run).code, 3);
        assert!(folder.path(table).exists(), "{input}");
    }
}

#[test]
fn a_fixed_seed_draws_a_warning() {
    let folder = folder(DISEASE, &private("epsilon = 1"), "name = \"ipa\"\nseed = 7");
    let run = folder.run(&["audit", "recipe.toml", "--trials", "8", "--ordinary"]);
    assert!(run.err.contains("the recipe fixes the seed"), "{}", run.err);
    let found = audited(&folder, &["--trials", "8", "--ordinary"], 0);
    assert!(found["warnings"][0].as_str().unwrap().contains("fresh one"), "{found}");
}

#[test]
fn few_runs_claim_nothing() {
    let folder = folder(DISEASE, &private("epsilon = 4"), "name = \"ipa\"");
    let found = audited(&folder, &["--trials", "40", "--ordinary"], 0);
    assert_eq!(found["verdict"]["says"], "cannot-tell");
    assert!(found["most-shown"].as_f64().unwrap() < 4.0);
    let needed = found["verdict"]["needed"].as_u64().unwrap();
    assert!((200..1000).contains(&needed), "{needed}");
    let run = folder.ok(&["audit", "recipe.toml", "--trials", "40", "--ordinary"]);
    assert!(run.out.contains("cannot show anything about epsilon 4"), "{}", run.out);
    assert!(!run.out.contains("refuted"), "{}", run.out);
}

#[test]
fn a_recipe_that_claims_nothing_is_refused_before_a_run() {
    let optimal = "name = \"optimal\"\nsuppression-limit = 0.5";
    let folder = folder(DISEASE, "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n", optimal);
    for more in [&["--trials", "20"][..], &["--inside"]] {
        folder.refused(&[&AUDIT[..], more].concat(), 2, &["claims no epsilon", "differential-privacy"]);
    }
}

#[test]
fn one_seed_gives_one_result() {
    let folder = sound();
    let of = |threads| audited(&folder, &["--trials", "20", "--ordinary", "--threads", threads], 0);
    assert_eq!(of("1"), of("2"));
}

#[test]
fn records_of_the_input_are_taken_away_and_not_shown() {
    let folder = folder(
        &DISEASE.replace("\"B\"", &format!("\"B\", \"{CANARY}\"")),
        "",
        "name = \"ipa\"\nguarantee = \"published\"",
    );
    let rows: String = (0..60).map(|i| format!("{},f,{}\n", i % 30, ["A", CANARY][i % 2])).collect();
    folder.write("patients.csv", format!("age,sex,disease\n{rows}"));
    let without = audited(&folder, &["--trials", "60", "--ordinary"], 3);
    let run = folder.run(&[&AUDIT[..], &["--trials", "20", "--ordinary", "--from-data", "3"]].concat());
    let with: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(with["pairs"].as_u64().unwrap(), without["pairs"].as_u64().unwrap() + 3);
    assert!(!run.out.contains(CANARY) && !run.err.contains(CANARY), "{} {}", run.out, run.err);
    let shown = audited(&folder, &["--trials", "60", "--ordinary", "--show-values"], 3);
    assert_eq!(shown["found"]["record"].as_array().unwrap().len(), 3);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = sound();
    folder.refused(&["audit", "recipe.toml", "--trials", "3"], 2, &["--trials"]);
    folder.refused(&["audit", "recipe.toml", "--confidence", "1"], 2, &["--confidence"]);
    folder.refused(&["audit", "recipe.toml", "--from-data", "1", "--quiet"], 6, &["patients.csv"]);
}
