//! What a person does without looking is refused before it does harm.

use crate::common::{Folder, H_CEILING, OPTIMAL};

/// A differentially private recipe for the usual patients, with a ledger.
const PRIVATE: &str = r#"[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
hierarchy = { rows = [["F", "*"], ["M", "*"]] }
[attributes.diagnosis]
role = "sensitive"
domain = ["I63", "J18"]
[[privacy]]
model = "differential-privacy"
epsilon = 1.0
[method]
name = "ipa"
[budget]
ledger = "ledger.jsonl"
total = { epsilon = 1.0 }
[output]
path = "release"
"#;

#[test]
fn levels_and_weights_of_what_is_not_generalized_are_refused() {
    let folder = Folder::with(OPTIMAL);
    for key in ["level", "min-level", "max-level", "weight"] {
        let set = format!("attributes.diagnosis.{key}=1");
        let run = folder.run(&["anonymize", "recipe.toml", "--set", &set]);
        assert!([2, 5].contains(&run.code), "{key}: {}", run.err);
        assert!(run.err.contains(key) && run.err.contains("quasi-identifier"), "{key}: {}", run.err);
    }
}

#[test]
fn a_model_of_the_population_without_one_is_a_mistake_of_the_recipe() {
    let folder = Folder::with(OPTIMAL);
    let text = folder.read("recipe.toml").replace("\"k-anonymity\"", "\"k-map\"");
    folder.write("recipe.toml", text);
    folder.refused(&["anonymize", "recipe.toml"], 5, &["k-map", "[population]"]);
}

#[test]
fn files_that_exist_are_not_replaced() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.refused(&["truthful", "release", "--output", "patients.csv"], 6, &["already exists"]);
    let export = ["hierarchy", "export", "release", "--attribute", "age", "--output", "patients.csv"];
    folder.refused(&export, 6, &["already exists"]);
}

#[test]
#[cfg(unix)]
fn a_ledger_has_one_name() {
    let folder = Folder::with(OPTIMAL);
    folder.write("private.toml", PRIVATE);
    std::os::unix::fs::symlink("nowhere.jsonl", folder.path("ledger.jsonl")).unwrap();
    folder.refused(&["anonymize", "private.toml"], 6, &["does not exist"]);
    std::fs::remove_file(folder.path("ledger.jsonl")).unwrap();
    folder.ok(&["anonymize", "private.toml"]);
    std::fs::hard_link(folder.path("ledger.jsonl"), folder.path("other.jsonl")).unwrap();
    let run =
        folder.run(&["anonymize", "private.toml", "--output", "again", "--set", "budget.total.epsilon=3"]);
    assert_eq!(run.code, 6, "{}", run.err);
    assert!(run.err.contains("several names"), "{}", run.err);
}
