//! Invented records, from the recipe to the checked release.

use crate::common::{CANARY, Folder, rows};
use serde_json::{Value, json};

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// Patients whose disease goes with their age.
fn patients() -> String {
    let mut text = String::from("name,age,sex,disease\n");
    for i in 0..4000u32 {
        let age = 20 + i * 7 % 60;
        let disease =
            if i % 10 < 7 { ["A", "B", "C"][age as usize / 28] } else { ["A", "B", "C"][i as usize / 3 % 3] };
        text += &format!("{CANARY} {i},{age},{},{disease}\n", ["f", "m"][i as usize / 2 % 2]);
    }
    text + &format!("{CANARY} x,150,f,A\n{CANARY} y,30,f,Z\n")
}

const ATTRIBUTES: &str = r#"[input]
path = "patients.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10], min = 0, max = 99 }
level = 1
[attributes.sex]
role = "quasi-identifier"
domain = ["f", "m"]
[attributes.disease]
role = "quasi-identifier"
domain = ["A", "B", "C", "D"]
"#;

fn recipe(attributes: &str, budget: &str, keys: &str) -> String {
    format!(
        "{attributes}[[privacy]]\nmodel = \"differential-privacy\"\n{budget}\n[method]\nname = \"mst\"\n{keys}\n[output]\npath = \
         \"release\"\n"
    )
}

fn folder(keys: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", recipe(ATTRIBUTES, "epsilon = 1\ndelta = 1e-9", keys));
    folder
}

#[test]
fn a_release_is_invented_and_verifies() {
    let folder = folder("seed = 4");
    folder.ok(&RUN);
    let verified = folder.ok(&["verify", "release"]);
    assert!(verified.out.contains("differential-privacy"), "{}", verified.out);
    let manifest = folder.json("release/release.json");
    assert_eq!((&manifest["truthful"], &manifest["suppressed"]), (&json!(false), &json!(0)));
    let records = manifest["records"].as_u64().unwrap();
    assert!((3900..4100).contains(&records), "{records}");
    let released = rows(&folder.read("release/data.csv"));
    assert_eq!(released.len() as u64, records + 1);
    assert!(!folder.read("release/data.csv").contains(CANARY));
    assert_eq!(manifest["method"]["spent"][0]["delta"], "1/1000000000");
    let readme = folder.read("release/README.md");
    assert!(
        readme.contains("All records are invented") && readme.contains("`age` with `disease`"),
        "{readme}"
    );
    assert!(folder.read("release/report.html").contains("invented to follow noisy counts"));
}

#[test]
fn measurements_are_public_and_the_seed_is_not() {
    let folder = folder("seed = 4");
    folder.ok(&RUN);
    let measured: Value = folder.json("release/measurements.json");
    assert_eq!(measured["domains"]["disease"], json!(["A", "B", "C", "D"]));
    assert_eq!(measured["alone"].as_array().unwrap().len(), 3);
    assert_eq!(measured["choices"].as_array().unwrap().len(), 2);
    let counts = measured["alone"][2]["counts"].as_array().unwrap();
    assert!(counts[3].as_f64().unwrap().abs() < 120.0, "nobody has D: {counts:?}");
    assert!(folder.json("release/release.json")["method"].get("seed").is_none());
    // The same seed gives the same release.
    let before = folder.read("release/data.csv");
    folder.ok(&RUN);
    assert_eq!(folder.read("release/data.csv"), before);
}

#[test]
fn a_changed_record_or_count_is_seen() {
    let folder = folder("seed = 4");
    folder.ok(&RUN);
    let manifest = folder.read("release/release.json");
    let forge = |from: &str, to: &str| {
        assert!(manifest.contains(from), "{from}");
        folder.write("release/release.json", manifest.replacen(from, to, 1));
        let run = folder.run(&["verify", "release"]);
        assert_eq!(run.code, 3, "{from} {to}: {}\n{}", run.out, run.err);
    };
    let all: Value = serde_json::from_str(&manifest).unwrap();
    let variance = all["method"]["measurements"]["alone"][0]["variance"].as_str().unwrap().to_owned();
    forge(&format!("\"{variance}\""), "\"1\"");
    let rho = all["method"]["measurements"]["rho"].as_str().unwrap().to_owned();
    forge(&format!("\"{rho}\""), "\"1152921504606846976\"");
    let counts = all["method"]["measurements"]["alone"][1]["counts"].as_str().unwrap().to_owned();
    forge(&counts, "1000 3000");
    forge("\"epsilon\": 1.0", "\"epsilon\": 0.5");
    folder.write("release/release.json", &manifest);
    folder.ok(&["verify", "release"]);
}

#[test]
fn attributes_without_a_domain_are_listed_with_lines_to_paste() {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    let bare = ATTRIBUTES
        .replace("hierarchy = { interval = [10], min = 0, max = 99 }\nlevel = 1\n", "")
        .replace("domain = [\"A\", \"B\", \"C\", \"D\"]\n", "");
    folder.write("recipe.toml", recipe(&bare, "epsilon = 1\ndelta = 1e-9", ""));
    let run = folder.run(&RUN);
    assert_eq!(run.code, 5, "{}", run.err);
    assert!(run.err.contains("`age`, `disease`") && run.err.contains("[attributes.age]"), "{}", run.err);
    assert!(run.err.contains("[attributes.disease]\nrole = \"quasi-identifier\"\ndomain ="), "{}", run.err);
    assert!(!run.err.contains("attributes.sex"), "{}", run.err);
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let cases = [
        (ATTRIBUTES.to_owned(), "epsilon = 1", "", "delta"),
        (ATTRIBUTES.to_owned(), "epsilon = 1e-9\ndelta = 1e-9", "", "raise epsilon"),
        (ATTRIBUTES.to_owned(), "epsilon = 1\ndelta = 1e-9", "model-cells = 3", "model-cells"),
        (ATTRIBUTES.to_owned(), "epsilon = 1\ndelta = 1e-9", "h = 0.3", "h"),
        (
            ATTRIBUTES.replace(
                "[attributes.disease]\nrole = \"quasi-identifier\"",
                "[attributes.disease]\nrole = \"sensitive\"",
            ),
            "epsilon = 1\ndelta = 1e-9",
            "",
            "disease",
        ),
    ];
    for (attributes, budget, keys, word) in cases {
        let folder = Folder::new();
        folder.write("patients.csv", patients());
        folder.write("recipe.toml", recipe(&attributes, budget, keys));
        let run = folder.run(&RUN);
        assert!(run.code == 5 || run.code == 4, "{word}: {} {}", run.code, run.err);
        assert!(run.err.contains(word), "{word}: {}", run.err);
        assert_eq!(folder.entries(), ["patients.csv", "recipe.toml"], "{word}");
    }
}

#[test]
fn much_budget_and_no_records_give_releases() {
    for (text, epsilon) in
        [(patients(), "1e6"), ("name,age,sex,disease\n".to_owned(), "1"), (patients(), "0.01")]
    {
        let folder = Folder::new();
        folder.write("patients.csv", text);
        folder.write("recipe.toml", recipe(ATTRIBUTES, &format!("epsilon = {epsilon}\ndelta = 1e-9"), ""));
        folder.ok(&RUN);
        folder.ok(&["verify", "release"]);
    }
}

/// Ages in bins, temperatures in tenths, some missing.
const NUMBERS: &str = r#"[input]
path = "patients.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
domain = { min = 0, max = 99, bins = 10 }
[attributes.temperature]
role = "quasi-identifier"
domain = { min = 36, max = 41, step = 0.5 }
missing = true
[attributes.stay]
role = "quasi-identifier"
domain = { min = 1, max = 9 }
missing = true
"#;

fn of_numbers() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("name,age,temperature,stay\n");
    for i in 0..3000u32 {
        let temperature = ["36.0", "36.5", "38.0", "", "41.0"][i as usize % 5];
        let stay = if i % 4 == 0 { String::new() } else { format!("{}", 1 + i % 9) };
        text += &format!("{i},{},{temperature},{stay}\n", 20 + i * 7 % 60);
    }
    folder.write("patients.csv", text + "x,100,36.0,1\ny,30,36.2,1\nz,30,36.0,0\n");
    folder.write("recipe.toml", recipe(NUMBERS, "epsilon = 1\ndelta = 1e-9", "seed = 5"));
    folder
}

#[test]
fn numbers_declare_their_range_step_and_bins() {
    let folder = of_numbers();
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let measured = folder.json("release/measurements.json");
    assert_eq!(measured["domains"]["age"][1], "[10-19]");
    assert_eq!(measured["domains"]["age"].as_array().unwrap().len(), 10);
    assert_eq!(measured["domains"]["temperature"].as_array().unwrap().len(), 12);
    let stays = measured["domains"]["stay"].as_array().unwrap();
    assert!(stays.len() == 10 && stays.contains(&json!("")), "{stays:?}");
    let released = rows(&folder.read("release/data.csv"));
    let column = |name: &str| released[0].iter().position(|column| column == name).unwrap();
    let cells = |name: &str| released[1..].iter().map(|row| row[column(name)].clone()).collect::<Vec<_>>();
    let ages: Vec<u32> = cells("age").iter().map(|age| age.parse().unwrap()).collect();
    let distinct: std::collections::BTreeSet<u32> = ages.iter().copied().collect();
    assert!(distinct.len() > 60 && distinct.contains(&33) && distinct.contains(&34), "{distinct:?}");
    let young = ages.iter().filter(|age| (20..30).contains(*age)).count();
    assert!((400..600).contains(&young), "500 of 3000: {young}");
    let missing = |name: &str| cells(name).iter().filter(|cell| cell.is_empty()).count();
    assert!((500..700).contains(&missing("temperature")), "{}", missing("temperature"));
    assert!((650..850).contains(&missing("stay")), "{}", missing("stay"));
    let readme = folder.read("release/README.md");
    assert!(readme.contains("How near the counts are"), "{readme}");
    let page = folder.read("release/report.html");
    let near = page.split("id=\"near-heading\"").nth(1).unwrap();
    assert!(near.contains("<svg") && near.contains("at most these shares of the records"), "{page}");
    assert!(near.contains(">temperature</th>"), "{page}");
}

#[test]
fn a_record_moved_to_another_bin_is_seen() {
    let folder = of_numbers();
    folder.ok(&RUN);
    let data = folder.read("release/data.csv");
    let moved: String = data
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if at > 0 && at < 1000 {
                cells[1] = "95";
            }
            cells.join(",") + "\n"
        })
        .collect();
    folder.write("release/data.csv", moved);
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn domains_that_are_none_are_refused() {
    for (from, to, word) in [
        ("bins = 10", "bins = 1", "bins"),
        ("bins = 10", "bins = [50, 30]", "bins"),
        ("bins = 10", "step = 0.7", "whole number of steps"),
        ("max = 99, bins = 10", "max = 10000000", "values"),
    ] {
        let folder = of_numbers();
        let text = folder.read("recipe.toml");
        assert!(text.contains(from));
        folder.write("recipe.toml", text.replace(from, to));
        folder.refused(&RUN, 5, &[word, "age"]);
    }
}

/// Visits: most patients have one, some have many.
fn visits(keys: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("name,age,sex,disease\n");
    for i in 0..2000u32 {
        let visits = if i % 100 == 0 { 50 } else { 1 };
        for _ in 0..visits {
            text += &format!(
                "p{i},{},{},{}\n",
                20 + i * 7 % 60,
                ["f", "m"][i as usize / 2 % 2],
                ["A", "B", "C"][i as usize % 3]
            );
        }
    }
    folder.write("patients.csv", text + ",30,f,A\n");
    let person = format!("[attributes.name]\nrole = \"person\"\n{keys}");
    let attributes = ATTRIBUTES.replace("[attributes.name]\nrole = \"identifier\"\n", &person);
    folder.write("recipe.toml", recipe(&attributes, "epsilon = 2\ndelta = 1e-9", "seed = 6"));
    folder
}

#[test]
fn of_each_person_so_many_records_are_counted() {
    let folder = visits("records-per-person = 3\n");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let measured = folder.json("release/measurements.json");
    assert_eq!(measured["sensitivity"], json!(3));
    // 1,980 patients with one visit, and 20 of whose 50 visits three are counted.
    let records = folder.json("release/release.json")["records"].as_u64().unwrap();
    assert!((1900..2200).contains(&records), "{records}");
    assert!(!folder.read("release/data.csv").contains("p100"));
    let one = visits("records-per-person = 1\n");
    one.ok(&RUN);
    let deviation = |folder: &Folder| {
        folder.json("release/measurements.json")["alone"][0]["standard-deviation"].as_f64().unwrap()
    };
    assert!((deviation(&folder) / deviation(&one) - 3.0).abs() < 0.01);
    // A claim of fewer records than were counted is seen.
    let manifest = folder.read("release/release.json");
    assert!(manifest.contains("\"records-per-person\": 3"), "{manifest}");
    folder.write(
        "release/release.json",
        manifest.replace("\"records-per-person\": 3", "\"records-per-person\": 2"),
    );
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn persons_are_counted_only_up_to_a_stated_number() {
    visits("").refused(&RUN, 5, &["records-per-person", "name"]);
    let found = visits("records-per-person = 2\n").run(&["audit", "recipe.toml", "--inside", "--seed", "1"]);
    assert_eq!(found.code, 0, "{}\n{}", found.out, found.err);
}

#[cfg(feature = "sql")]
#[test]
fn counts_are_bounded_by_the_noisy_counts() {
    let folder = of_numbers();
    folder.ok(&RUN);
    let query = |sql: &str| folder.ok(&["query", "release", sql, "--json"]);
    let answer: Value =
        serde_json::from_str(&query("SELECT COUNT(*) AS n FROM release WHERE age >= 20 AND age < 30").out)
            .unwrap();
    assert_eq!(
        (&answer["guarantee"]["bounds"], &answer["guarantee"]["confidence"]),
        (&json!(true), &json!(0.95))
    );
    let within = |found: &Value, truth: f64| {
        let bound = |name: &str| found[name].as_f64().unwrap();
        assert!(
            bound("lower") <= truth && truth <= bound("upper") && bound("lower") > truth - 400.0,
            "{found}"
        );
    };
    within(&answer["rows"][0]["n"], 500.0);
    // Half a bin: certainly nothing of it.
    let half: Value =
        serde_json::from_str(&query("SELECT COUNT(*) AS n FROM release WHERE age >= 20 AND age < 25").out)
            .unwrap();
    assert_eq!(half["rows"][0]["n"]["lower"], json!(0.0));
    assert!(half["rows"][0]["n"]["upper"].as_f64().unwrap() >= 500.0, "{half}");
    let all: Value = serde_json::from_str(&query("SELECT COUNT(*) AS n FROM release").out).unwrap();
    within(&all["rows"][0]["n"], 3000.0);
    let missing: Value =
        serde_json::from_str(&query("SELECT COUNT(*) AS n FROM release WHERE stay IS NULL").out).unwrap();
    within(&missing["rows"][0]["n"], 750.0);
    let grouped: Value =
        serde_json::from_str(&query("SELECT stay, COUNT(*) AS n FROM release GROUP BY stay").out).unwrap();
    assert_eq!(grouped["guarantee"]["bounds"], json!(true));
    let beside = "SELECT stay, AVG(age) AS a FROM release GROUP BY stay";
    let said = folder.ok(&["query", "release", beside]).out;
    assert!(said.contains("without bounds") && said.contains("no noisy counts"), "{said}");
}
