//! What programs read of every command with `--json`, as it stands: no answer moves but by a line in the change log.

use serde_json::Value;

use crate::common::{Folder, H_CEILING, OPTIMAL, private_recipe};

/// Two releases of `patients.csv`, and files for every command.
fn folder() -> Folder {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.write("coarse.toml", crate::common::recipe(OPTIMAL));
    folder.ok(&["anonymize", "coarse.toml", "--output", "coarse", "--seed", "7", "--set", "privacy.0.k=25"]);
    let more = "delta = 0.0\n[method]\nname = \"contingency-table\"";
    let private = private_recipe("interval = [50]", more);
    folder.write("private.toml", private + "path = \"private\"\n");
    folder.write("wrong.toml", crate::common::recipe("name = \"optimall\"").replace("k = 5", "k = 0"));
    folder.write("sex.csv", "F;*\n");
    folder
}

/// What differs from machine to machine.
const OF_THE_MACHINE: [&str; 6] = ["cpu-seconds", "machine", "most", "needed", "memory-without", "velamen"];

fn masked(value: &mut Value, root: &str) {
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries.iter_mut() {
                match OF_THE_MACHINE.contains(&key.as_str()) {
                    true => *entry = "MACHINE".into(),
                    false => masked(entry, root),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| masked(item, root)),
        Value::String(text) => *text = text.replace(root, "FOLDER"),
        // The last digits of a sum are the compiler's.
        Value::Number(number) if number.is_f64() => {
            let short = number.as_f64().map(|number| format!("{number:.9}"));
            *value = short.and_then(|short| short.parse::<f64>().ok()).into();
        }
        _ => {}
    }
}

/// A name for the snapshot, and the words of the call.
const CALLS: &[(&str, &[&str])] = &[
    ("profile", &["profile", "patients.csv"]),
    ("profile-values", &["profile", "patients.csv", "--show-values", "--by", "separation", "--sample", "50"]),
    ("check", &["check", "recipe.toml", "--overwrite", "--data"]),
    ("check-mistakes", &["check", "wrong.toml"]),
    ("estimate", &["estimate", "recipe.toml"]),
    ("explore", &["explore", "coarse.toml", "--top", "3"]),
    ("verify", &["verify", "release"]),
    ("measure", &["measure", "patients.csv", "--qi", "age,sex", "--sensitive", "diagnosis", "--l", "2"]),
    ("measure-release", &["measure", "release"]),
    ("measure-information", &["measure", "two.csv", "--qi", "age", "--original", "one.csv", "--by", "id"]),
    ("compare", &["compare", "patients.csv", "coarse"]),
    (
        "compare-some",
        &[
            "compare",
            "patients.csv",
            "release",
            "--only",
            "metrics,queries",
            "--queries",
            "3",
            "--show-queries",
        ],
    ),
    ("diff", &["diff", "release", "coarse"]),
    ("attack", &["attack", "release", "--original", "patients.csv", "--targets", "50"]),
    (
        "attack-two",
        &[
            "attack",
            "release",
            "--original",
            "patients.csv",
            "--with",
            "coarse",
            "--second-original",
            "patients.csv",
            "--attacks",
            "linkage,composition",
            "--show-values",
        ],
    ),
    ("audit", &["audit", "private.toml", "--trials", "20", "--seed", "3", "--ordinary"]),
    ("leak", &["leak", "patients.csv", "--up-to", "2"]),
    ("leak-after", &["leak", "patients.csv", "--after", "release", "--top", "2"]),
    (
        "risk",
        &["risk", "patients.csv", "--qi", "age,sex", "--rows", "2", "--show-values", "--threshold", "0.3"],
    ),
    ("risk-release", &["risk", "release", "--before", "patients.csv", "--population-size", "5000"]),
    ("hierarchy-check", &["hierarchy", "check", "sex.csv", "--table", "patients.csv", "--column", "sex"]),
    ("hierarchy-show", &["hierarchy", "show", "{ interval = [5, 10], min = 0, max = 99 }", "--show-values"]),
    ("anonymize", &["anonymize", "coarse.toml", "--output", "third", "--seed", "7"]),
];

#[test]
fn answers_are_what_they_were() {
    let folder = folder();
    folder.write("one.csv", "id,age\n1,30\n2,31\n3,40\n4,41\n");
    folder.write("two.csv", "id,age\n1,30-39\n2,30-39\n3,40-49\n4,40-49\n");
    let root = folder.root().display().to_string();
    for (name, words) in CALLS {
        let run = folder.run(&[words, &["--json"][..]].concat());
        let mut answer: Value = serde_json::from_str(&run.out)
            .unwrap_or_else(|error| panic!("{words:?}: {error}: {}{}", run.out, run.err));
        masked(&mut answer, &root);
        let text = serde_json::to_string_pretty(&answer).unwrap();
        insta::assert_snapshot!(format!("json-{name}"), format!("exit code {}\n{text}", run.code));
    }
}
