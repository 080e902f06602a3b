//! What is told of tables and releases afterwards counts people where a person can be told.

use serde_json::{Value, json};

use crate::common::{Folder, written};
use crate::people::{PERSON, PSEUDONYM, many_stays, model, of_stays};
use crate::persons::visits;

fn told(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.ok(&[arguments, &["--json"]].concat()).out).unwrap()
}

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-9
}

const TABLE: [&str; 6] = ["risk", "stays.csv", "--qi", "age,sex", "--person", "patient"];

/// Ten patients in two classes of five; of the women's 21 records nine are of one.
#[test]
fn the_risk_of_a_table_is_that_of_its_people() {
    let folder = of_stays(PERSON, "", "");
    let found = told(&folder, &TABLE);
    assert_eq!([&found["records"], &found["people"]], [&json!(26), &json!(10)]);
    assert_eq!([&found["least-class"], &found["uniques"]], [&json!(5), &json!(0)]);
    assert_eq!(found["class-sizes"], json!([{ "from": 5, "to": 8, "classes": 2, "records": 10 }]));
    let prosecutor = &found["risks"]["prosecutor"];
    assert!(near(&prosecutor["highest"], 9.0 / 21.0) && near(&prosecutor["mean"], 0.2), "{prosecutor}");
    assert_eq!(prosecutor["records-at-risk"], 1);
    let picked = &found["person-picked"];
    assert!(near(&picked["highest"], 0.2) && picked["records-at-risk"] == 0, "{picked}");
    // One threshold holds for both ways to pick.
    let verdict = &found["thresholds"][0]["prosecutor"];
    assert_eq!([&verdict["highest-met"], &verdict["records-at-risk"]], [&json!(false), &json!(1)]);
    // Nobody is alone without an attribute, and the mean is over people.
    for attribute in found["attributes"].as_array().unwrap() {
        assert_eq!(attribute["uniques-without"], 0);
    }
    let text = folder.ok(&TABLE).out;
    for part in ["26 records; 10 people", "0 people alone in theirs", "0.4286", "by person", "people above"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Without the column each record is another person's.
    let records = told(&folder, &TABLE[..4]);
    assert!(records.get("people").is_none() && records["class-sizes"][0]["records"] == 5, "{records}");
}

/// Both records of the only woman of 97 are hers: she is alone, and stands out by her age.
#[test]
fn a_person_with_several_records_is_alone() {
    let folder = of_stays(PERSON, "", "");
    let table = folder.read("stays.csv") + "P10,97,F,B20\nP10,97,F,B20\nP10,97,M,B20\n";
    folder.write("stays.csv", table);
    let found = told(&folder, &[&TABLE[..], &["--rows", "3"]].concat());
    assert_eq!([&found["people"], &found["uniques"]], [&json!(11), &json!(1)]);
    assert_eq!(found["special-uniques"]["records"], 1);
    assert_eq!(found["special-uniques"]["by-size"], json!([1, 0]));
    let rows: Vec<&Value> = found["riskiest"].as_array().unwrap().iter().map(|one| &one["row"]).collect();
    assert_eq!(rows[0], &json!(27), "her first record");
    assert!(!rows.contains(&&json!(28)), "each person once");
    let remarks = found["remarks"].to_string();
    assert!(remarks.contains("several classes"), "{remarks}");
    let run = folder.run(&[&TABLE[..], &["--population-size", "1000"]].concat());
    assert!(run.code == 2 && run.err.contains("several classes"), "{}", run.err);
}

#[test]
fn populations_are_counted_in_people() {
    let folder = of_stays(PERSON, "", "");
    let sized = told(&folder, &[&TABLE[..], &["--population-size", "100"]].concat());
    assert_eq!(sized["population"]["records"], 100);
    assert!(near(&sized["population"]["sampling-fraction"], 0.1));
    let run = folder.run(&[&TABLE[..], &["--population-size", "9"]].concat());
    assert!(run.code == 2 && run.err.contains("10 people"), "{}", run.err);
    // Five more women, one of them with two records.
    let more = "P20,41,F,x\nP21,41,F,x\nP22,41,F,x\nP23,41,F,x\nP24,41,F,x\nP24,41,F,x\n";
    folder.write("all.csv", folder.read("stays.csv") + more);
    let found = told(&folder, &[&TABLE[..], &["--population", "all.csv"]].concat());
    assert_eq!(found["population"]["records"], 15);
    assert!(near(&found["risks"]["marketer"]["mean"], (5.0 / 10.0 + 5.0 / 5.0) / 10.0));
    assert!(near(&found["risks"]["marketer"]["highest"], 0.2));
}

/// Pseudonyms tell people apart; whoever says that each record is of another person is believed.
#[test]
fn the_risk_of_a_release_is_that_of_its_pseudonyms() {
    let folder = of_stays(PSEUDONYM, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = told(&folder, &["risk", "release"]);
    assert_eq!([&found["people"], &found["least-class"]], [&json!(10), &json!(5)]);
    assert!(near(&found["risks"]["prosecutor"]["highest"], 9.0 / 21.0));
    let beside = ["risk", "release", "--before", "stays.csv", "--person", "patient"];
    assert_eq!(told(&folder, &beside)["before"]["people"], 10);
    let run = folder.run(&["risk", "release", "--person", "patient"]);
    assert!(run.code == 2 && run.err.contains("--person"), "{}", run.err);
    let independent = format!("{PSEUDONYM}\nrows = \"independent\"");
    let folder = of_stays(&independent, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = told(&folder, &["risk", "release"]);
    assert!(found.get("people").is_none() && found["least-class"] == 5, "{found}");
    assert!(near(&found["risks"]["prosecutor"]["highest"], 0.2));
}

/// Who has records in several classes is counted in each, and is as easy to find as in the worst.
#[test]
fn people_in_several_classes_are_counted_in_each() {
    let folder = of_stays(PSEUDONYM, "", "name = \"mondrian\"");
    folder.write("stays.csv", many_stays());
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = told(&folder, &["risk", "release"]);
    assert_eq!(found["people"], 40);
    assert!(found["least-class"].as_u64().unwrap() >= 5);
    let of_bins: u64 =
        found["class-sizes"].as_array().unwrap().iter().map(|bin| bin["records"].as_u64().unwrap()).sum();
    assert!(of_bins > 40, "{of_bins}");
    assert!(found["person-picked"]["highest"].as_f64().unwrap() <= 0.2);
    assert!(found["risks"]["prosecutor"]["highest"].as_f64().unwrap() >= 0.2);
}

const MEASURE: [&str; 8] =
    ["measure", "stays.csv", "--qi", "age,sex", "--sensitive", "diagnosis", "--person", "patient"];

/// Nine codes of one patient make nobody else diverse: all women have F32.
#[test]
fn what_a_table_satisfies_counts_people() {
    let folder = of_stays(PERSON, "", "");
    let found = told(&folder, &MEASURE);
    assert_eq!([&found["records"], &found["people"], &found["k"]], [&json!(26), &json!(10), &json!(5)]);
    let diagnosis = &found["sensitive"]["diagnosis"];
    assert_eq!([&diagnosis["distinct-l"], &diagnosis["alpha"]], [&json!(1), &json!(1.0)]);
    let records = told(&folder, &MEASURE[..6]);
    assert_eq!(records["sensitive"]["diagnosis"]["distinct-l"], 5);
    let both = folder.run(&[&MEASURE[..7], &["age"]].concat());
    assert!(both.code == 2 && both.err.contains("--person"), "{}", both.err);
}

/// By its pseudonyms, or not at all.
#[test]
fn what_a_release_satisfies_counts_people() {
    let folder = of_stays(PSEUDONYM, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = told(&folder, &["measure", "release"]);
    assert_eq!([&found["people"], &found["sensitive"]["diagnosis"]["alpha"]], [&json!(10), &json!(1.0)]);
    let folder = of_stays(PERSON, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = told(&folder, &["measure", "release"]);
    assert_eq!([found.get("people"), found.get("promised-people")], [None, Some(&json!(5))]);
    assert!(folder.ok(&["measure", "release"]).out.contains("5 people in each class are promised"));
}

/// Ten people in one class of 26 records: that is what is reached, and the page says who counted whom.
#[test]
fn what_is_reached_is_of_people() {
    let folder = of_stays(PERSON, &model("distinct-l-diversity", "l = 2"), "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let mut manifest = folder.json("release/release.json");
    assert_eq!(manifest["privacy"][0]["reached"]["k"], 10);
    folder.ok(&["verify", "release"]);
    let page = folder.read("release/report.html");
    assert!(page.contains("k = 10 people, as the custodian states; k = 26 records in the file"));
    assert!(page.contains("finds at least 5 people that look alike, in groups of at least 26 records"));
    assert!(page.contains("How many people these are is not released: at least 5 in each group"));
    assert!(page.contains("from at least k − 1 other people by the quasi-identifiers"));
    assert!(page.contains("The risk is at most that of the 5 people that are promised in each group"));
    // No class has more people than records, or fewer than are promised.
    for wrong in [4, 27] {
        let mut forged = manifest.clone();
        forged["privacy"][0]["reached"]["k"] = json!(wrong);
        folder.write("release/release.json", written(&forged));
        let broken = folder.run(&["verify", "release"]);
        assert!(broken.code == 3 && broken.err.contains("manifest"), "{wrong}: {}", broken.err);
    }
    // What earlier versions reached are records.
    manifest["format"] = json!(2);
    manifest["privacy"][0]["reached"]["k"] = json!(26);
    manifest["privacy"][1]["reached"]["l"] = json!(9.0);
    folder.write("release/release.json", written(&manifest));
    // The page is written, and says what was not compared.
    assert_eq!(folder.run(&["report", "release", "--output", "earlier.html"]).code, 8);
    let page = folder.read("earlier.html");
    assert!(page.contains("how many people they belong to is not stated"), "the words of format 2");
}

#[test]
fn pages_count_people_where_they_can_be_told() {
    let folder = of_stays(PSEUDONYM, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let said = [
        "26 records, one row each, of 10 people",
        "at least 5 people that look alike",
        "42.9",
        "People above",
    ];
    let page = folder.read("release/report.html");
    for said in said.iter().chain(&["People in the group", "Every group holds 5 people", "k = 5 people"]) {
        assert!(page.contains(said), "{said}");
    }
    assert!(page.contains("1 person is above"), "the objection counts people");
    // Who is who is told to the custodian alone.
    let folder = of_stays(PERSON, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let public = folder.read("release/report.html");
    assert!(public.contains("Records in the group") && !public.contains("42.9"));
    let private = folder.read("release.custodian/custodian-report.html");
    assert!(private.contains("People in the group") && private.contains("42.9"));
}

fn rate(found: &Value, attack: &str, what: &str) -> (f64, f64) {
    let attacks = found["attacks"].as_array().unwrap();
    let of = attacks.iter().find(|one| one["attack"] == attack).unwrap();
    let figures = of["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| figure["what"].as_str().unwrap().contains(what)).unwrap();
    (figure["rate"].as_f64().unwrap(), figure["baseline"].as_f64().unwrap())
}

/// The adversary looks for ten people, who is who being known from the original alone.
#[test]
fn attacks_look_for_people() {
    for patient in [PERSON, PSEUDONYM] {
        let folder = of_stays(patient, "", "name = \"optimal\"");
        folder.ok(&["anonymize", "recipe.toml"]);
        let call =
            ["attack", "release", "--original", "stays.csv", "--attacks", "linkage,inference,presence"];
        let found = told(&folder, &call);
        assert_eq!([&found["original-records"], &found["original-people"]], [&json!(26), &json!(10)]);
        for attack in found["attacks"].as_array().unwrap().iter().filter(|one| one.get("targets").is_some()) {
            assert_eq!(attack["targets"], 10, "{attack}");
        }
        // Of 21 records 3, 3, 3, 3 and 9 are a woman's, of 5 one is each man's.
        let (linked, base) = rate(&found, "linkage", "knows 2 of 2");
        assert!((linked - 0.2).abs() < 1e-9 && (base - 0.1).abs() < 1e-9, "{linked} {base}");
        // Every woman has F32, the likeliest of their records; of five men each has another.
        let (right, _) = rate(&found, "inference", "the likeliest value is right");
        assert!((right - 0.6).abs() < 1e-9, "{right}");
        assert!(folder.ok(&call).out.contains("26, of 10 people"));
    }
    // Without the column there is nobody to tell apart.
    let folder = of_stays(PERSON, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let stays = folder.read("stays.csv");
    let without: String =
        stays.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    folder.write("without.csv", without);
    let found = told(&folder, &["attack", "release", "--original", "without.csv", "--attacks", "linkage"]);
    assert!(found.get("original-people").is_none());
    assert!(found["notes"].to_string().contains("no column `patient`"), "{}", found["notes"]);
}

/// Local recoding and Mondrian count people: they are tried where a person has several records.
#[test]
fn profile_tries_what_counts_people() {
    let folder = Folder::new();
    folder.write("visits.csv", visits("patient_id"));
    folder.ok(&["profile", "visits.csv", "--recipe", "recipe.toml"]);
    let recipe = folder.read("recipe.toml");
    assert!(recipe.contains("role = \"person\""), "{recipe}");
    for method in ["optimal with local recoding", "mondrian"] {
        let line = recipe.lines().find(|line| line.starts_with(&format!("#   {method} ")));
        assert!(line.is_some_and(|line| line.contains("loss")), "{method}: {recipe}");
    }
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "visits-release"]);
}
