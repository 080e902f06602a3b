//! The ledger of what private releases of one table have spent.

use crate::common;

use std::process::Stdio;

use crate::common::Folder;
use serde_json::Value;

const LEDGER: &str = "budget.jsonl";
const FIRST: &str = "{\"ledger\":\"velamen\",\"format\":1}\n";

/// Each release spends `epsilon`, all together 1 at most.
fn folder(epsilon: &str) -> Folder {
    let folder = Folder::new();
    let rows: String = (0..400).map(|i| format!("{},{}\n", i % 30, ["A", "B"][i / 7 % 2])).collect();
    folder.write("patients.csv", format!("age,disease\n{rows}"));
    let recipe = format!(
        "[input]\npath = \"patients.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\nlevel = 1\n\
         hierarchy = {{ interval = [10], min = 0, max = 29 }}\n[attributes.disease]\nrole = \"sensitive\"\n\
         domain = [\"A\", \"B\"]\n[[privacy]]\nmodel = \"differential-privacy\"\nepsilon = {epsilon}\n\
         [budget]\nledger = \"{LEDGER}\"\ntotal = {{ epsilon = 1 }}\nof = \"patients\"\n\
         [method]\nname = \"ipa\"\n[output]\npath = \"release\"\n"
    );
    folder.write("recipe.toml", recipe);
    folder
}

fn entries(folder: &Folder) -> Vec<Value> {
    let text = folder.read(LEDGER);
    assert!(text.starts_with(FIRST), "{text}");
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn ten_tenths_are_one_and_an_eleventh_is_refused() {
    let folder = folder("0.1");
    for number in 0..10 {
        let release = format!("release-{number}");
        let run = folder.ok(&["anonymize", "recipe.toml", "--output", &release]);
        assert!(!run.err.contains("nobody counts"), "{}", run.err);
        assert!(
            run.out.contains(&format!("epsilon {} of 1, delta 0 of 0", f64::from(number + 1) / 10.0)),
            "{}",
            run.out
        );
    }
    let entries = entries(&folder);
    assert_eq!(entries.len(), 10);
    assert_eq!((&entries[3]["epsilon"], &entries[3]["delta"]), (&"1/10".into(), &"0".into()));
    assert!(entries[3]["release"].as_str().unwrap().ends_with("/release-3"), "{}", entries[3]);
    assert_eq!((&entries[3]["of"], &entries[3]["method"]), (&"patients".into(), &"ipa".into()));
    // Before the data are read: they need not even be there.
    std::fs::remove_file(folder.path("patients.csv")).unwrap();
    let arguments = ["anonymize", "recipe.toml", "--output", "more"];
    folder.refused(
        &arguments,
        3,
        &["would spend epsilon 0.1", "epsilon 1, delta 0 of epsilon 1", "no record was read"],
    );
    for name in std::fs::read_dir(folder.path("release-0")).unwrap() {
        let text = std::fs::read_to_string(name.unwrap().path()).unwrap();
        assert!(!text.contains(LEDGER) && !text.contains("ledger"), "the release names the ledger");
    }
}

#[test]
fn a_check_spends_nothing_and_refuses_what_a_run_would() {
    let folder = folder("0.6");
    let before = folder.entries();
    folder.ok(&["check", "recipe.toml", "--data"]);
    assert_eq!(folder.entries(), before, "neither ledger nor lock");
    folder.ok(&["anonymize", "recipe.toml"]);
    let ledger = folder.read(LEDGER);
    folder.refused(&["check", "recipe.toml", "--output", "second"], 3, &["E0306", "would spend epsilon 0.6"]);
    assert_eq!(folder.read(LEDGER), ledger);
}

#[test]
fn what_fails_before_a_draw_spends_nothing_and_after_it_all() {
    let folder = folder("0.6");
    folder.write("patients.csv", "age,disease\n\"1,A\n");
    let run = folder.run(&["anonymize", "recipe.toml"]);
    if run.code != 0 {
        assert!(!folder.path(LEDGER).exists(), "{}", run.err);
    }
    let folder = self::folder("0.6");
    // No count is so large: some versions refuse what is left, others release it. Noise was drawn in both.
    folder.run(&["anonymize", "recipe.toml", "--set", "method.least-count=100000"]);
    assert_eq!(entries(&folder).len(), 1);
    folder.refused(&["anonymize", "recipe.toml", "--output", "again"], 3, &["budget"]);
    assert_eq!(entries(&folder).len(), 1);
}

#[test]
fn only_anonymize_spends() {
    let folder = folder("0.6");
    folder.ok(&["estimate", "recipe.toml"]);
    folder.run(&["audit", "recipe.toml", "--trials", "4", "--ordinary"]);
    assert!(!folder.path(LEDGER).exists());
}

#[test]
fn of_two_runs_at_once_one_gets_what_is_left() {
    for _ in 0..5 {
        let folder = folder("0.6");
        let start = |release: &str| {
            let mut command = folder.command(&["anonymize", "recipe.toml", "--output", release]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let runs = ["one", "two"].map(start);
        let mut codes = runs.map(|run| run.wait_with_output().unwrap().status.code().unwrap());
        codes.sort_unstable();
        assert_eq!(codes, [0, 3]);
        assert_eq!(entries(&folder).len(), 1);
        assert_ne!(folder.path("one").exists(), folder.path("two").exists());
    }
}

#[test]
fn a_damaged_ledger_is_refused_with_its_line() {
    let entry = |of: &str, epsilon: &str| {
        format!(
            "{{\"release\":\"r\",\"of\":\"{of}\",\"method\":\"ipa\",\"unix-seconds\":1,\"epsilon\":\"{epsilon}\",\
             \"delta\":\"0\"}}\n"
        )
    };
    let good = entry("patients", "1/10");
    for (text, says) in [
        (String::new(), "line 1"),
        ("age,disease\n".into(), "line 1"),
        (format!("{FIRST}{good}{{}}\n{good}"), "line 3"),
        (format!("{FIRST}{good}{}", &good[..40]), "line 3: the line is cut off"),
        (format!("{FIRST}{good}{}", entry("patients", "-1/10")), "line 3"),
        (format!("{FIRST}{good}{}", entry("patients", "1/0")), "line 3"),
        (format!("{FIRST}{good}{}", entry("others", "1/10")), "line 3: the ledger is of another table"),
    ] {
        let folder = folder("0.1");
        folder.write(LEDGER, &text);
        folder.write(&format!("{LEDGER}.lock"), "");
        folder.refused(&["anonymize", "recipe.toml"], 4, &[LEDGER, says]);
        assert_eq!(folder.read(LEDGER), text);
    }
}

#[test]
fn sections_that_make_no_sense_are_refused() {
    let folder = folder("0.5");
    let refused = |set: &str, code: i32, says: &str| {
        folder.refused(&["anonymize", "recipe.toml", "--set", set], code, &[says]);
    };
    refused("budget.ledger=release/budget.jsonl", 5, "keep it beside");
    refused("budget.ledger=release.custodian/budget.jsonl", 5, "keep it beside");
    refused("budget.total={ epsilon = -1 }", 5, "total.epsilon");
    refused("budget.total={ delta = 0 }", 2, "epsilon");
    refused("budget.most=1", 2, "most");
    folder.write(
        "recipe.toml",
        common::recipe("name = \"optimal\"") + "[budget]\nledger = \"l\"\ntotal = { epsilon = 1 }\n",
    );
    folder.refused(&["anonymize", "recipe.toml"], 5, &["optimal", "drop the section `budget`"]);
}

#[test]
fn without_a_ledger_a_warning_says_that_budgets_add_up() {
    let folder = folder("0.5");
    let recipe = folder.read("recipe.toml");
    let (before, after) = (recipe.find("[budget]").unwrap(), recipe.find("[method]").unwrap());
    folder.write("recipe.toml", format!("{}{}", &recipe[..before], &recipe[after..]));
    let run = folder.ok(&["anonymize", "recipe.toml"]);
    assert!(run.err.contains("cost the sum of both budgets"), "{}", run.err);
}
