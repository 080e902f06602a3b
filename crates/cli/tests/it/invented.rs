//! Invented records beside their original: persons however they are written, records outside the domains, budgets that buy nothing.

use crate::common::{CANARY, Folder};
use serde_json::json;

const METHODS: [&str; 2] = ["mst", "aim"];

fn recipe(input: &str, attributes: &str, budget: &str, method: &str) -> String {
    format!(
        "[input]\npath = \"{input}\"\n{attributes}[[privacy]]\nmodel = \"differential-privacy\"\n{budget}\n[method]\nname = \
         \"{method}\"\nseed = 1\n[output]\npath = \"out\"\n"
    )
}

const SEX: &str = "[attributes.sex]\nrole = \"quasi-identifier\"\ndomain = [\"f\", \"m\"]\n";
const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// Nearly without noise: counts of records that were counted.
fn counted(input: &str, table: &str, most: u32, method: &str) -> u64 {
    let folder = Folder::new();
    folder.write(input, table);
    let person = format!("[attributes.pid]\nrole = \"person\"\nrecords-per-person = {most}\n{SEX}");
    folder.write("recipe.toml", recipe(input, &person, "epsilon = 100000\ndelta = 1e-6", method));
    folder.ok(&RUN);
    folder.ok(&["verify", "out"]);
    assert_eq!(folder.json("out/release.json")["method"]["unit"], json!("person"));
    folder.json("out/release.json")["records"].as_u64().unwrap()
}

#[test]
fn a_person_is_one_however_her_number_is_written() {
    let csv = |numbers: &[&str]| {
        let rows = numbers.iter().map(|number| format!("{number},f\n"));
        format!("pid,sex\n{}", rows.collect::<String>())
    };
    let five = csv(&["5", " 5", "05", "5.0", "+5", "5e0", "\u{e9}", "e\u{301}", "6"]);
    let object = |number: &str| format!("{{\"pid\":{number},\"sex\":\"f\"}}\n");
    let objects: String = ["5", "5.0", "\"5\"", "\" 5\"", "\"05\"", "7"].map(object).concat();
    for method in METHODS {
        assert_eq!(counted("t.csv", &five, 1, method), 3, "{method}: 5, é and 6");
        assert_eq!(counted("t.csv", &five, 2, method), 5, "{method}");
        assert_eq!(counted("t.ndjson", &objects, 1, method), 2, "{method}: 5 and 7");
    }
}

/// Where k counts persons, records of one are bounded however the number is written, too.
#[test]
fn records_of_a_person_are_bounded_together() {
    let folder = Folder::new();
    let rows = (0..40).map(|person| format!("{person},f\n{person}.0,f\n 0{person},f\n"));
    folder.write("t.csv", format!("pid,sex\n{}", rows.collect::<String>()));
    let text = "[input]\npath = \"t.csv\"\n[attributes.pid]\nrole = \"person\"\nrecords-per-person = 1\n[attributes.sex]\nrole = \
         \"quasi-identifier\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[output]\npath = \"out\"\n";
    folder.write("recipe.toml", text);
    folder.ok(&RUN);
    assert_eq!(folder.json("out/release.json")["records"], json!(40));
}

/// A release that had no column of persons cannot be made one that protects them by a line.
#[test]
fn the_unit_is_stated_from_the_start() {
    let folder = Folder::new();
    folder.write("t.csv", format!("sex\n{}", "f\nm\n".repeat(100)));
    folder.write("recipe.toml", recipe("t.csv", SEX, "epsilon = 1\ndelta = 1e-6", "mst"));
    folder.ok(&RUN);
    let manifest = folder.read("out/release.json");
    assert!(manifest.contains("\"unit\": \"record\""), "{manifest}");
    assert!(folder.read("out/README.md").contains("The promise protects one record"));
    let forged =
        manifest.replace("  \"truthful\": false,", "  \"records-per-person\": 1,\n  \"truthful\": false,");
    assert_ne!(forged, manifest);
    folder.write("out/release.json", forged);
    assert_eq!(folder.run(&["verify", "out"]).code, 3);
}

/// Records that the method drops by design are left out of comparisons and attacks, too, and counted.
#[test]
fn records_outside_the_domains_are_left_out_of_comparisons() {
    let age = "[attributes.age]\nrole = \"quasi-identifier\"\ndomain = { min = 0, max = 99 }\n";
    let rows: String = (0..600).map(|n| format!("{},{}\n", ["f", "m"][n % 2], n % 100)).collect();
    let folder = Folder::new();
    folder.write("t.csv", format!("sex,age\n{rows}{CANARY},30\nf,150\nm,\n"));
    folder.write("recipe.toml", recipe("t.csv", &format!("{SEX}{age}"), "epsilon = 1\ndelta = 1e-6", "aim"));
    folder.ok(&RUN);
    for call in [&["compare", "t.csv", "out"][..], &["attack", "out", "--original", "t.csv"]] {
        let found = folder.ok(call);
        let all = format!("{}{}", found.out, found.err);
        assert!(all.contains("3 records of the original are left out"), "{all}");
        assert!(!all.contains(CANARY), "{all}");
    }
    let attacked = folder.ok(&["attack", "out", "--original", "t.csv"]);
    let all = format!("{}{}", attacked.out, attacked.err);
    assert!(all.contains("ask for a control group first") && all.contains("0.462"), "{all}");
}

/// What the recipe alone decides is refused before a budget is spent.
#[test]
fn a_budget_that_buys_nothing_is_not_spent() {
    let attributes: String = (0..30).map(|number| SEX.replace("sex", &format!("a{number}"))).collect();
    let names: Vec<String> = (0..30).map(|number| format!("a{number}")).collect();
    let table = format!("{}\n{}\n", names.join(","), vec!["f"; 30].join(","));
    for (method, epsilon) in [("aim", "1e-6"), ("mst", "3e-7")] {
        let folder = Folder::new();
        folder.write("t.csv", &table);
        let ledger = "[budget]\nledger = \"budget.jsonl\"\ntotal = { epsilon = 100, delta = 0.001 }\n";
        let budget = format!("epsilon = {epsilon}\ndelta = 1e-9");
        folder.write("recipe.toml", recipe("t.csv", &format!("{ledger}{attributes}"), &budget, method));
        folder.refused(&["check", "recipe.toml"], 5, &["epsilon"]);
        folder.refused(&RUN, 5, &["epsilon"]);
        assert!(!folder.path("budget.jsonl").exists(), "{method}");
    }
}

/// No figure of a promise is rounded to a better one.
#[test]
fn losses_are_printed_as_they_are() {
    let folder = Folder::new();
    folder.write("t.csv", format!("sex\n{}", "f\nm\n".repeat(100)));
    let budget = "epsilon = 0.9999999999\ndelta = 1e-18";
    folder.write("recipe.toml", recipe("t.csv", SEX, budget, "mst"));
    folder.ok(&RUN);
    let found = folder.ok(&["verify", "out"]);
    assert!(found.out.contains("epsilon = 0.9999999999, delta = 1e-18"), "{}", found.out);
}

/// An unknown method is named before what depends on the method.
#[test]
fn an_unknown_method_is_what_is_wrong() {
    let folder = Folder::new();
    folder.write("t.csv", "sex\nf\n");
    folder.write("recipe.toml", recipe("t.csv", SEX, "epsilon = 1\ndelta = 1e-6", "mts"));
    folder.refused(&["check", "recipe.toml"], 5, &["unknown method `mts`", "mst"]);
    folder.write("recipe.toml", recipe("t.csv", SEX, "epsilon = nan\ndelta = 1e-6", "mst"));
    folder.refused(&["check", "recipe.toml"], 5, &["epsilon", "not finite (nan or inf)"]);
}

/// A domain of a million values is no mistake, and takes long.
#[test]
fn a_check_says_what_will_take_long() {
    let wide = |most: u32| {
        format!("[attributes.a]\nrole = \"quasi-identifier\"\ndomain = {{ min = 0, max = {most} }}\n")
    };
    let folder = Folder::new();
    folder.write("t.csv", "a\n1\n");
    folder.write("recipe.toml", recipe("t.csv", &wide(1_000_000), "epsilon = 1\ndelta = 1e-6", "mst"));
    let found = folder.ok(&["check", "recipe.toml"]);
    assert!(found.err.contains("`a` has 1,000,001 declared values, which will take long"), "{}", found.err);
    folder.write("recipe.toml", recipe("t.csv", &wide(999), "epsilon = 1\ndelta = 1e-6", "mst"));
    assert!(!folder.ok(&["check", "recipe.toml"]).err.contains("take long"));
}
