//! The example of Lee and Chung 2020 through the command line: Table 5 → Table 8, and what a release of the
//! published method says of itself.

use crate::common::{CANARY, Folder, column, rows};
use serde_json::json;

/// Table 5.
const TABLE_5: &str = "\
Age,Gender,Zipcode,Disease
17,M,28912,Gastritis
16,M,23512,Pneumonia
13,M,24231,Pneumonia
24,F,31891,Anemia
29,F,34225,Anemia
25,F,37756,Diabetes
67,M,80061,Stroke
";

/// Table 8, each class's records in canonical order.
const TABLE_8: &str = "\
ClassID,Age,Gender,Zipcode,Disease
1,[10-19],M,[20000-29999],Gastritis
1,[10-19],M,[20000-29999],Gastritis
1,[10-19],M,[20000-29999],Pneumonia
1,[10-19],M,[20000-29999],Pneumonia
2,[20-29],F,[30000-39999],Anemia
2,[20-29],F,[30000-39999],Anemia
2,[20-29],F,[30000-39999],Anemia
2,[20-29],F,[30000-39999],Diabetes
,*,*,*,Stroke
";

const RECIPE: &str = r#"
[input]
path = "table5.csv"
[attributes.Age]
role = "quasi-identifier"
hierarchy = { interval = [10], min = 0, max = 99 }
[attributes.Gender]
role = "quasi-identifier"
[attributes.Zipcode]
role = "quasi-identifier"
hierarchy = { interval = [10000], min = 0, max = 99999 }
[attributes.Disease]
role = "sensitive"
[method]
name = "ipa"
guarantee = "published"
[output]
path = "release"
"#;

/// With this seed the node, the suppressed class and the counterfeits are those of the paper.
const SEED: &str = "8835";

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("table5.csv", TABLE_5);
    folder.write("recipe.toml", RECIPE);
    folder
}

fn example() -> Folder {
    let folder = folder();
    folder.ok(&["anonymize", "recipe.toml", "--seed", SEED]);
    folder
}

#[test]
fn table_5_becomes_table_8() {
    let folder = example();
    assert_eq!(folder.read("release/data.csv"), TABLE_8);
    assert!(!folder.path("release/catalog.csv").exists());
    folder.ok(&["verify", "release"]);
}

#[test]
fn the_custodian_sees_every_step() {
    let folder = example();
    let classes = rows(&folder.read("release.custodian/classes.csv"));
    let cell = |row: &[String], name: &str| row[classes[0].iter().position(|n| n == name).unwrap()].clone();
    let number = |row: &[String], name: &str| cell(row, name).parse::<f64>().unwrap();
    assert_eq!(classes.len(), 4);
    for row in &classes[1..] {
        let suppressed = number(row, "records") <= number(row, "threshold");
        assert_eq!(cell(row, "suppressed"), suppressed.to_string());
        assert_eq!(
            suppressed,
            cell(row, "Age") == "[60-69]",
            "t = 2 suppresses the man in his sixties alone"
        );
        assert_eq!(suppressed, cell(row, "insertion-noise").is_empty() && cell(row, "ClassID").is_empty());
        if !suppressed {
            let (noise, counterfeits) = (number(row, "insertion-noise"), number(row, "counterfeits"));
            assert_eq!((noise.floor(), counterfeits), (1.0, 1.0));
        }
    }
    let inserted = "ClassID,Disease,Count\n1,Gastritis,1\n2,Anemia,1\n";
    assert_eq!(folder.read("release.custodian/counterfeits.csv"), inserted);
    // Eq. 10 and 12 over all 18 nodes.
    let nodes = rows(&folder.read("release.custodian/nodes.csv"));
    let column = |name: &str| {
        let place = nodes[0].iter().position(|n| n == name).unwrap();
        nodes[1..].iter().map(|row| row[place].parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let (ncp, emd, rate) = (column("ncp"), column("emd"), column("rate"));
    let (loss, probability) = (column("information-loss"), column("probability"));
    let total: f64 = loss.iter().map(|loss| (0.3 * (3.0 - loss) / 6.0).exp()).sum();
    for node in 0..18 {
        assert!((ncp[node] + emd[node] + rate[node] - loss[node]).abs() < 1e-12);
        assert!((probability[node] - (0.3 * (3.0 - loss[node]) / 6.0).exp() / total).abs() < 1e-12);
    }
    let chosen: Vec<&Vec<String>> = nodes[1..].iter().filter(|row| row.last().unwrap() == "true").collect();
    assert_eq!((nodes.len(), chosen.len(), &chosen[0][..3]), (19, 1, &["1", "0", "1"].map(String::from)[..]));
    let search = &folder.json("release.custodian/custodian.json")["search"];
    assert_eq!((&search["counterfeits"], &search["classes-suppressed"]), (&json!(2), &json!(1)));
}

#[test]
fn no_guarantee_is_claimed_and_what_is_known_is_said() {
    let folder = folder();
    let run = folder.ok(&[&RUN[..], &["--seed", SEED]].concat());
    assert!(run.err.contains("does not hold") && run.err.contains("guarantee = \"differential-privacy\""));
    assert!(run.out.contains("the number of counterfeits is not stated"), "{}", run.out);
    let manifest = folder.json("release/release.json");
    let promised = json!([{ "model": "k-anonymity", "asked": { "k": 1 }, "reached": { "k": 4 } }]);
    assert_eq!(manifest["privacy"], promised);
    assert_eq!((&manifest["suppressed"], &manifest["records"]), (&json!(1), &json!(9)));
    assert!(manifest.get("counterfeits").is_none(), "the number of counterfeits is the custodian's");
    for name in ["release/release.json", "release/report.html"] {
        let text = folder.read(name);
        assert!(text.contains("does not hold: the original records"), "{name}");
        for claim in ["differential", "ε-", "private"] {
            assert!(!text.contains(claim), "{name} says {claim}");
        }
    }
}

#[test]
fn recipients_cannot_remove_counterfeits_and_the_custodian_can_count_them() {
    let folder = example();
    let run = folder.run(&["truthful", "release", "--output", "truthful.csv"]);
    assert!(run.code != 0 && run.err.contains("does not tell its counterfeits"), "{}", run.err);
    assert!(!folder.path("truthful.csv").exists());
    let compared = folder.ok(&["compare", "table5.csv", "release", "--json"]);
    let compared: serde_json::Value = serde_json::from_str(&compared.out).unwrap();
    assert_eq!((&compared["counterfeits"], &compared["over-original"]), (&json!(2), &json!(false)));
}

#[test]
fn a_manifest_without_counterfeits_is_for_this_method_alone() {
    let folder = example();
    let manifest = folder.read("release/release.json");
    folder.write("release/release.json", manifest.replace("\"name\": \"ipa\"", "\"name\": \"optimal\""));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    folder.write("release/release.json", manifest.replace("\"k\": 4", "\"k\": 5"));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn every_seed_verifies_and_keeps_the_original_records() {
    let folder = folder();
    let mut originals = column(TABLE_5, "Disease");
    originals.dedup();
    for seed in 0..20 {
        folder.ok(&[&RUN[..], &["--seed", &seed.to_string()]].concat());
        folder.ok(&["verify", "release"]);
        let mut released = column(&folder.read("release/data.csv"), "Disease");
        assert!(released.len() >= 7, "seed {seed}");
        // Values come from the original data.
        assert!(released.iter().all(|disease| originals.contains(disease)), "seed {seed}");
        for disease in column(TABLE_5, "Disease") {
            let place = released.iter().position(|one| *one == disease);
            released.remove(place.unwrap_or_else(|| panic!("seed {seed} lost a record")));
        }
    }
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::with("name = \"ipa\"\nguarantee = \"published\"\nseed = 5");
    let recipe = folder.read("recipe.toml").replace("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n", "");
    folder.write("recipe.toml", recipe);
    let run = |threads: &str| {
        folder.ok(&[&RUN[..], &["--threads", threads]].concat());
        [
            "release/data.csv",
            "release/report.html",
            "release.custodian/nodes.csv",
            "release.custodian/classes.csv",
        ]
        .map(|name| folder.read(name))
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn what_the_method_cannot_do_is_refused() {
    let folder = folder();
    let refused = |from: &str, to: &str, code: i32, says: &[&str]| {
        let changed = RECIPE.replacen(from, to, 1);
        assert_ne!(changed, RECIPE, "{from}");
        folder.write("recipe.toml", changed);
        folder.refused(&RUN, code, says);
    };
    let privacy = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[method]";
    refused("[method]", privacy, 5, &["keeps no privacy model", "drop [[privacy]]"]);
    refused("[method]", "[population]\nsize = 100\n[method]", 5, &["population"]);
    refused("role = \"sensitive\"", "role = \"insensitive\"", 5, &["`Disease`", "\"identifier\""]);
    refused("role = \"sensitive\"", "role = \"identifier\"", 5, &["the recipe names none"]);
    refused("[attributes.Disease]\nrole = \"sensitive\"", "", 5, &["the recipe names none"]);
    for (key, says) in
        [("threshold = 1", "threshold"), ("epsilon-value = 0", "epsilon-value is a number from")]
    {
        refused("\"published\"", &format!("\"published\"\n{key}"), 5, &[says]);
    }
    // A column that the recipe does not name would be released as it is.
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + RECIPE);
    let lines = TABLE_5.lines().enumerate();
    let noted = lines.map(|(at, line)| format!("{line},{}\n", if at == 0 { "Note" } else { CANARY }));
    folder.write("table5.csv", noted.collect::<String>());
    folder.refused(&RUN, 4, &["column `Note`", "\"identifier\" to drop it"]);
}
