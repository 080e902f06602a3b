//! What `compare` tells beside the metrics: against plain evaluations of the two files, record by record.

use crate::common::{CANARY, Folder, recipe, rows};
use serde_json::Value;

/// 240 patients, some of unknown age, in wards without hierarchy, with an outcome that follows the age.
fn table() -> String {
    let mut text = String::from("ward,age,sex,zip,diagnosis,outcome\n");
    for i in 0..240u32 {
        let years = 20 + i * i * 7 % 61;
        let age = if i % 40 == 7 { String::from("NA") } else { years.to_string() };
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        let (ward, sex, zip) = (i % 7, ["F", "M"][(i % 3 / 2) as usize], 100 + i * 13 % 50);
        let outcome = if years + i % 9 > 52 { "ill" } else { "well" };
        text += &format!("w{ward},{age},{sex},{zip},{diagnosis},{outcome}\n");
    }
    text
}

fn folder(method: &str, sets: &[&str]) -> Folder {
    // Means need a number everywhere.
    let table = if method.contains("mdav") { table().replace(",NA,", ",44,") } else { table() };
    release_of(&table, method, sets)
}

fn release_of(table: &str, method: &str, sets: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table);
    let more = "null = [\"NA\"]\n[attributes.ward]\nrole = \"quasi-identifier\"\n[attributes.zip]\nrole = \
                \"quasi-identifier\"\nhierarchy = { mask = \"right\", length = 3 }\n[attributes.age]";
    let released = "name = \"h-ceiling\"\nadversary-limit = 1\ninsensitive = \"release\"";
    let method = method.replace("name = \"h-ceiling\"\nadversary-limit = 1", released);
    let text = recipe(&method).replace("[attributes.age]", more);
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &text);
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    folder.ok(&[&["anonymize", "recipe.toml", "--quiet"], &sets[..]].concat());
    folder
}

const COMPARE: [&str; 6] = ["compare", "patients.csv", "release", "--null", "NA", "--json"];

fn compared(folder: &Folder, more: &[&str]) -> Value {
    serde_json::from_str(&folder.ok(&[&COMPARE, more].concat()).out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap()
}

/// (age, sex, zip, diagnosis) of each record of a file.
fn records(text: &str) -> Vec<[String; 4]> {
    let rows = rows(text);
    let at = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let places = ["age", "sex", "zip", "diagnosis"].map(at);
    rows[1..].iter().map(|row| places.map(|place| row[place].replace("NA", ""))).collect()
}

/// The share of an age's leaves that is this age; `None` is the missing one.
fn age_share(label: &str, age: Option<u32>) -> f64 {
    let inside = |low: u32, high: u32| age.is_some_and(|age| (low..=high).contains(&age));
    match (label, label.strip_prefix('[').and_then(|l| l.strip_suffix(']'))) {
        ("*", _) => 1.0 / 101.0,
        ("", _) => f64::from(u8::from(age.is_none())),
        (_, Some(range)) => {
            let (low, high) = range.split_once('-').unwrap();
            let (low, high): (u32, u32) = (low.parse().unwrap(), high.parse().unwrap());
            if inside(low, high) { 1.0 / f64::from(high - low + 1) } else { 0.0 }
        }
        _ => f64::from(u8::from(age == Some(label.parse().unwrap()))),
    }
}

#[test]
fn a_release_that_changes_nothing_has_no_shift_and_no_error() {
    // Everyone has a twin, so that no value need be generalized.
    let twins: String = table().lines().map(|line| format!("{line}\n{line}\n")).collect();
    let twins = twins.split_once('\n').unwrap().1;
    let folder = release_of(twins, "name = \"optimal\"", &["privacy.0.k=2", "input.rows=independent"]);
    let found = compared(&folder, &["--target", "outcome", "--classifier-records", "120"]);
    assert!(found["distributions"]["mean-total-variation"].as_f64().unwrap() < 1e-12);
    for attribute in found["distributions"]["attributes"].as_array().unwrap() {
        for figure in ["total-variation", "jensen-shannon", "hellinger"] {
            assert!(number(&attribute[figure]) < 1e-7, "{attribute}");
        }
    }
    assert!(number(&found["associations"]["mean-shift"]) < 1e-12);
    assert_eq!(found["associations"]["pairs"].as_array().unwrap().len(), 15);
    assert!(number(&found["queries"]["relative-error"]["p95"]) < 1e-12);
    assert_eq!(found["queries"]["without-original"], 0);
    for model in found["classifiers"]["models"].as_array().unwrap() {
        assert_eq!(model["original-seen"], model["released"], "{model}");
        assert!(
            number(&model["original"]["accuracy"]) > number(&found["classifiers"]["majority"]["accuracy"])
        );
    }
}

#[test]
fn distributions_are_those_of_a_plain_evaluation() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", &["attributes.age.level=2"]);
    let (before, after) = (records(&table()), records(&folder.read("release/data.csv")));
    assert!(after.iter().any(|record| record[0] == "*") && after.iter().any(|r| r[0].starts_with('[')));
    let share = |records: &[[String; 4]], age: Option<u32>| {
        records.iter().map(|record| age_share(&record[0], age)).sum::<f64>() / records.len() as f64
    };
    let ages: Vec<Option<u32>> = (0..100).map(Some).chain([None]).collect();
    let variation: f64 = ages.iter().map(|&age| (share(&before, age) - share(&after, age)).abs() / 2.0).sum();
    let known = |records: &[[String; 4]]| 1.0 - share(records, None);
    let (mut ahead, mut moved) = (0.0, 0.0);
    for &age in &ages[..100] {
        ahead += share(&before, age) / known(&before) - share(&after, age) / known(&after);
        moved += f64::abs(ahead) / 99.0;
    }
    let found = compared(&folder, &["--only", "distributions"]);
    let age = named(&found["distributions"]["attributes"], "age");
    assert!(variation > 0.1 && (number(&age["total-variation"]) - variation).abs() < 1e-9, "{age}");
    assert!((number(&age["earth-mover"]) - moved).abs() < 1e-9, "{age} {moved}");
    assert_eq!(found.get("utility"), None);
}

#[test]
fn answers_are_those_of_a_plain_evaluation() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", &["attributes.age.level=2"]);
    let (before, after) = (records(&table()), records(&folder.read("release/data.csv")));
    let text = "-- a remark\n\nSELECT COUNT(*) WHERE age BETWEEN 33 AND 47 AND diagnosis IN ('I63', 'E11') GROUP BY sex\n\
                select count(*) from patients where zip >= '120' and not_there = 1\n";
    folder.write("wrong.sql", text);
    let refused = [&COMPARE[..], &["--workload", "wrong.sql"]].concat();
    folder.refused(&refused, 5, &["wrong.sql", "line 4, column 54", "ward, age, sex"]);
    folder.write("own.sql", text.replace("and not_there = 1", "and age > 50 and age <= 60"));
    let found = compared(
        &folder,
        &["--only", "queries", "--workload", "own.sql", "--queries", "0", "--show-queries"],
    );
    let own: Vec<&Value> = found["queries"]["queries"].as_array().unwrap().iter().collect();
    let own: Vec<&&Value> = own.iter().filter(|query| query["kind"] == "workload").collect();
    let ages =
        |label: &str, low: u32, high: u32| (low..=high).map(|a| age_share(label, Some(a))).sum::<f64>();
    let sexes = |label: &str, sex: &str| if label == "*" { 0.5 } else { f64::from(u8::from(label == sex)) };
    let zips = |label: &str| {
        let codes = (120..1000).filter(|code: &u32| {
            code.to_string().chars().zip(label.chars().chain("**".chars())).all(|(c, l)| l == '*' || l == c)
        });
        codes.count() as f64 / 10f64.powi(if label == "*" { 3 } else { label.matches('*').count() as i32 })
    };
    let first = |records: &[[String; 4]], sex: &str| {
        // A suppressed record shows no diagnosis.
        let asked = |diagnosis: &str| ["I63", "E11"].contains(&diagnosis);
        let of = |r: &[String; 4]| if asked(&r[3]) { ages(&r[0], 33, 47) * sexes(&r[1], sex) } else { 0.0 };
        records.iter().map(of).sum::<f64>()
    };
    let errors = ["F", "M"].map(|sex| (first(&after, sex) - first(&before, sex)).abs() / first(&before, sex));
    assert!((number(&own[0]["relative-error"]) - (errors[0] + errors[1]) / 2.0).abs() < 1e-9, "{}", own[0]);
    let second =
        |records: &[[String; 4]]| -> f64 { records.iter().map(|r| ages(&r[0], 51, 60) * zips(&r[2])).sum() };
    assert!((number(&own[1]["original"]) - second(&before)).abs() < 1e-9, "{}", own[1]);
    assert!((number(&own[1]["released"]) - second(&after)).abs() < 1e-9, "{}", own[1]);
}

#[test]
fn every_release_has_every_section_or_says_why_not() {
    let methods = [
        "name = \"mondrian\"",
        "name = \"optimal\"\nlocal-recoding = true\nsuppression-limit = 0.2",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.2\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 3",
        "name = \"k-member\"",
        "name = \"mdav\"",
        "name = \"datafly\"\nsuppression-limit = 0.2",
    ];
    for method in methods {
        let folder = folder(method, &[]);
        let found =
            compared(&folder, &["--target", "outcome", "--classifier-records", "90", "--queries", "30"]);
        assert_eq!(found.get("left-out"), None, "{method}");
        assert_eq!(found["distributions"]["attributes"].as_array().unwrap().len(), 6, "{method}");
        assert_eq!(found["associations"]["pairs"].as_array().unwrap().len(), 15, "{method}");
        for attribute in found["distributions"]["attributes"].as_array().unwrap() {
            assert!((0.0..=1.0).contains(&number(&attribute["total-variation"])), "{method}: {attribute}");
        }
        // The catalog gives back how many records each sensitive value had; suppressed records show none.
        let diagnosis = named(&found["distributions"]["attributes"], "diagnosis");
        let manifest = folder.json("release/release.json");
        let hidden = number(&manifest["suppressed"]) / number(&manifest["records"]);
        assert!((number(&diagnosis["total-variation"]) - hidden).abs() < 1e-9, "{method}: {diagnosis}");
        let models = found["classifiers"]["models"].as_array().unwrap();
        let accuracy = |m: &Value| number(&m["released"]["accuracy"]);
        assert!(models.iter().all(|m| (0.3..=1.0).contains(&accuracy(m))), "{method}: {models:?}");
        assert!(models[0]["released"].get("auc").is_some(), "{method}");
    }
}

#[test]
fn a_sample_has_no_metrics() {
    let folder = folder("name = \"optimal\"", &["input.sample=0.5"]);
    let found = compared(&folder, &["--queries", "10"]);
    assert_eq!(found["left-out"][0]["section"], "metrics");
    assert!(number(&found["distributions"]["mean-total-variation"]) > 0.0);
    folder.refused(&[&COMPARE[..], &["--only", "metrics,queries"]].concat(), 4, &["random sample"]);
}

#[test]
fn one_seed_one_result_and_no_values() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", &[]);
    let run = |more: &[&str]| folder.ok(&[&COMPARE, more].concat()).out;
    let some = ["--target", "outcome", "--classifier-records", "90", "--queries", "40"];
    let first = run(&[&some[..], &["--threads", "1"]].concat());
    assert_eq!(first, run(&[&some[..], &["--threads", "3"]].concat()));
    assert_ne!(first, run(&[&some[..], &["--seed", "2"]].concat()));
    assert!(!first.contains("I63"));
    let text = folder.ok(&COMPARE[..5]).out;
    assert!(!text.contains("I63") && text.contains("counts by attribute"), "{text}");
    assert!(run(&["--show-queries"]).contains("I63"));
}

#[test]
fn wrong_calls_are_refused() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", &["attributes.age.level=2"]);
    let refused = |more: &[&str], code, says: &[&str]| {
        folder.refused(&[&COMPARE[..], more].concat(), code, says);
    };
    refused(&["--target", "age"], 2, &["released as it is", "diagnosis, outcome"]);
    refused(&["--target", "nowhere"], 2, &["nowhere"]);
    refused(&["--only", "metric"], 2, &["metrics, distributions"]);
    refused(&["--workload", "nowhere.sql"], 6, &["nowhere.sql"]);
    folder.write("none.sql", "-- nothing\n");
    refused(&["--workload", "none.sql"], 5, &["no query"]);
    folder.write("text.sql", "SELECT COUNT(*) WHERE age = 'old'\n");
    refused(&["--workload", "text.sql"], 5, &["line 1, column 29", "number"]);
    folder.write("bytes.sql", [0xff, 0xfe, b'S']);
    refused(&["--workload", "bytes.sql"], 5, &["UTF-8"]);
    folder.write("patients.csv", table().replacen("w0,20,", &format!("w0,{CANARY},"), 1));
    folder.refused(&COMPARE, 4, &["patients.csv"]);
}

/// The score and the matches once more, by plain loops over the two files where each record is shown as it is or not.
#[test]
fn pairs_and_exact_matches_are_those_of_a_plain_count() {
    let folder = Folder::new();
    let mut text = String::from("sex,ward,diagnosis\n");
    for i in 0..60 {
        let (sex, ward) = (["F", "M"][i % 2], format!("w{}", i * i % 23));
        text += &format!("{sex},{ward},{}\n", ["I63", "J18", "E11"][i % 3]);
    }
    folder.write("patients.csv", &text);
    let whole = recipe("name = \"optimal\"\nsuppression-limit = 1\nmetric = \"discernibility\"");
    let ward = "[attributes.ward]\nrole = \"quasi-identifier\"\n";
    let (before, after) = whole.split_once("[attributes.age]").unwrap();
    let after = &after[after.find("[attributes.sex]").unwrap()..];
    let recipe = format!("{before}{ward}{after}").replace("k = 5", "k = 3");
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml", "--quiet"]);
    let found: Value = serde_json::from_str(
        &folder.ok(&["compare", "patients.csv", "release", "--only", "associations,matches", "--json"]).out,
    )
    .unwrap();
    let cells = |text: &str, skip: usize| -> Vec<Vec<String>> {
        rows(text)[1..].iter().map(|row| row[skip..].to_vec()).collect()
    };
    let (original, released) = (cells(&text, 0), cells(&folder.read("release/data.csv"), 1));
    let same = |record: &[String], all: &[Vec<String>]| all.iter().filter(|other| *other == record).count();
    let unique: Vec<&Vec<String>> = original.iter().filter(|record| same(record, &original) == 1).collect();
    let matched = unique.iter().filter(|record| same(record, &released) > 0).count();
    assert!(!unique.is_empty());
    assert_eq!(found["matches"]["unique-originals"], unique.len());
    assert_eq!(found["matches"]["matched-exactly"], matched);
    // A value that stands for all stands for each alike.
    let domain = |c: usize| -> Vec<String> {
        let mut values: Vec<String> = original.iter().map(|record| record[c].clone()).collect();
        values.sort();
        values.dedup();
        values
    };
    let share = |cell: &str, value: &str, c: usize| match cell {
        "*" => 1.0 / domain(c).len() as f64,
        cell => f64::from(u8::from(cell == value)),
    };
    let mut apart = 0.0;
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        for x in domain(a) {
            for y in domain(b) {
                let of = |table: &[Vec<String>]| {
                    let counts =
                        table.iter().map(|record| share(&record[a], &x, a) * share(&record[b], &y, b));
                    counts.sum::<f64>() / table.len() as f64
                };
                apart += (of(&original) - of(&released)).abs() / 2.0 / 3.0;
            }
        }
    }
    let score = number(&found["associations"]["k-marginal"]);
    assert!((score - 1000.0 * (1.0 - apart)).abs() < 1e-6 && score < 1000.0, "{score} {apart}");
}
