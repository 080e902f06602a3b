//! Pairs of values that nobody has, through the command line.

use std::collections::BTreeMap;

use crate::common::{Folder, people_recipe};

/// Diagnoses of one sex, of newborns, and of anybody.
const OF_MEN: &str = "C61.9";
const OF_WOMEN: &str = "O80";
const OF_NEWBORNS: &str = "P07";

/// Few persons of many values, so that most classes are padded.
fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    let mut table = String::from("age,sex,region,diagnosis\n");
    for i in 0..300u32 {
        let age = i * 37 % 90;
        let sex = ["F", "M"][(i * i % 5 % 2) as usize];
        let own = if sex == "M" { OF_MEN } else { OF_WOMEN };
        let diagnosis = match i % 4 {
            0 if age == 0 => OF_NEWBORNS,
            0 if age > 8 && age < 65 || sex == "M" => own,
            1 => "I63",
            2 => "J18",
            _ => "N18.3",
        };
        table += &format!("{age},{sex},{},{diagnosis}\n", i * 7 % 9);
    }
    folder.write("table.csv", &table);
    folder.write("recipe.toml", recipe(ICD_10, method));
    folder
}

const ICD_10: &str =
    "list = \"icd-10\"\nsex = { attribute = \"sex\", female = [\"F\"], male = [\"M\"] }\nage = \"age\"";

fn recipe(impossible: &str, method: &str) -> String {
    let models = format!("[[impossible]]\n{impossible}\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5");
    people_recipe(&models, &format!("h = 0.15\n{method}"), "release")
        .replace("interval = [5, 20], min = 0, max = 99", "interval = [5, 15], min = 0, max = 89")
        .replace("attributes.disease", "attributes.diagnosis")
}

/// The counterfeits of the release: age, sex, diagnosis.
fn counterfeits(folder: &Folder) -> Vec<(String, String, String)> {
    let rows = |name: &str| -> Vec<Vec<String>> {
        folder.read(name).lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let classes: BTreeMap<String, (String, String)> = rows("release/data.csv")
        .into_iter()
        .map(|row| (row[0].clone(), (row[1].clone(), row[2].clone())))
        .collect();
    let made = rows("release.custodian/counterfeits.csv").into_iter();
    made.map(|row| (classes[&row[0]].0.clone(), classes[&row[0]].1.clone(), row[1].clone())).collect()
}

fn bounds(age: &str) -> (u32, u32) {
    let ends = age.trim_matches(['[', ']']).split_once('-');
    ends.map_or_else(
        || (age.parse().unwrap_or(0), age.parse().unwrap_or(89)),
        |(a, b)| (a.parse().unwrap(), b.parse().unwrap()),
    )
}

fn is_impossible((age, sex, diagnosis): &(String, String, String)) -> bool {
    let (low, high) = bounds(age);
    (sex == "F" && diagnosis == OF_MEN)
        || (diagnosis == OF_WOMEN && (sex == "M" || high < 9 || low > 64))
        || (diagnosis == OF_NEWBORNS && low > 0)
}

#[test]
fn no_counterfeit_has_an_impossible_pair() {
    let models = "l = 3\n[[privacy]]\nmodel = \"distinct-l-diversity\"";
    let mut at_stake = Vec::new();
    for (method, model) in [
        ("draw = \"near\"", ""),
        ("draw = \"empirical\"\ngroup-classes = 2", ""),
        ("draw = \"uniform\"\npadding = \"exact\"", ""),
        ("parts = \"mondrian\"", ""),
        ("parts = \"clustering\"", ""),
        ("counterfeits-count = true", models),
    ] {
        let folder = folder(method);
        let text = folder.read("recipe.toml");
        if !model.is_empty() {
            let diversity = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 3\n[method]";
            folder.write("recipe.toml", text.replace("[method]", diversity));
        }
        let run = folder.ok(&["anonymize", "recipe.toml", "--seed", "3"]);
        let made = counterfeits(&folder);
        assert!(!made.is_empty(), "{method}");
        assert_eq!(made.iter().filter(|made| is_impossible(made)).count(), 0, "{method}");
        assert!(!run.err.contains("nobody has"), "{}", run.err);
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        assert_eq!(manifest["impossible"].as_array().unwrap().len(), 5);
        assert_eq!(manifest["impossible"][0]["list"], "icd-10");
        assert!(folder.ok(&["verify", "release", "--json"]).out.contains("impossible-pairs"));
        folder.write(
            "plain.toml",
            folder.read("recipe.toml").replace(&format!("[[impossible]]\n{ICD_10}\n"), ""),
        );
        // What is replaced would lend its counterfeits.
        for made in ["release", "release.custodian"] {
            std::fs::remove_dir_all(folder.path(made)).unwrap();
        }
        folder.ok(&["anonymize", "plain.toml", "--seed", "3"]);
        at_stake.push(counterfeits(&folder).iter().any(is_impossible));
    }
    // Clusters have few counterfeits.
    assert!(at_stake.iter().filter(|any| **any).count() >= 5, "{at_stake:?}");
}

#[test]
fn real_records_are_counted_and_released() {
    let folder = folder("");
    let table = folder.read("table.csv");
    folder.write("table.csv", format!("{table}30,F,1,{OF_MEN}\n30,F,1,{OF_MEN}\n2,F,1,{OF_WOMEN}\n"));
    let run = folder.ok(&["anonymize", "recipe.toml", "--seed", "3"]);
    assert!(run.err.contains("3 records have a pair of values"), "{}", run.err);
    assert_eq!(counterfeits(&folder).iter().filter(|made| is_impossible(made)).count(), 0);
    folder.ok(&["verify", "release"]);
}

#[test]
fn counterfeits_that_would_have_to_be_impossible_are_found() {
    let folder = folder("");
    folder.ok(&["anonymize", "recipe.toml", "--seed", "3"]);
    // Nobody at all has the diagnosis: so its counterfeits have impossible pairs.
    let manifest = folder.read("release/release.json");
    let forged =
        manifest.replacen("\"values\": [\n        \"M\"", "\"values\": [\n        \"F\",\n        \"M\"", 1);
    assert_ne!(manifest, forged);
    folder.write("release/release.json", forged);
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.err.contains("impossible-pairs"), "{}", run.err);
}

#[test]
fn mistakes_are_located() {
    let folder = folder("");
    let refused = |impossible: &str, code: i32, says: &str| {
        folder.write("recipe.toml", recipe(impossible, ""));
        let run = folder.run(&["anonymize", "recipe.toml", "--seed", "3"]);
        assert_eq!(run.code, code, "{impossible}: {}", run.err);
        assert!(run.err.contains(says), "{impossible}: {}", run.err);
    };
    refused("list = \"icd10\"", 5, "did you mean `icd-10`?");
    refused("list = \"icd-10\"", 5, "line 15: impossible: the list needs `sex");
    refused("attribute = \"sax\"\nvalues = [\"F\"]\nsensitive = [\"C61\"]", 5, "did you mean `sex`?");
    refused(
        "attribute = \"diagnosis\"\nvalues = [\"F\"]\nsensitive = [\"C61\"]",
        5,
        "role \"quasi-identifier\"",
    );
    refused("attribute = \"sex\"\nvalues = [\"W\"]\nsensitive = [\"C61\"]", 5, "\"W\" is no value of `sex`");
    refused(
        "attribute = \"age\"\nvalues = [\"90\"]\nsensitive = [\"C61\"]",
        5,
        "\"90\" is no value of `age`",
    );
    refused(
        "attribute = \"sex\"\nvalues = [\"F\"]\nsensitive = [\"prostate\"]",
        5,
        "\"prostate\" is no value",
    );
    refused("attribute = \"sex\"\nsensitive = [\"C61\"]", 5, "name `values` of `sex`");
    refused("attribute = \"sex\"\nvalues = [\"F\"]", 5, "name the `sensitive` values");
    refused(
        "attribute = \"age\"\nfrom = 9\nto = 3\nsensitive = [\"C61\"]",
        5,
        "`from` is a number not above `to`",
    );
    refused("attribute = \"sex\"\nvalue = [\"F\"]", 5, "did you mean `values`?");
}

#[test]
fn values_labels_and_numbers_are_named() {
    let folder = folder("");
    folder.write(
        "recipe.toml",
        recipe("attribute = \"age\"\nvalues = [\"[0-14]\"]\nfrom = 15\nto = 29\nsensitive = [\"J18\", \"I60-I69\"]", ""),
    );
    folder.ok(&["anonymize", "recipe.toml", "--seed", "3"]);
    let young = |(age, _, diagnosis): &(String, String, String)| {
        bounds(age).1 < 30 && ["J18", "I63"].contains(&&**diagnosis)
    };
    assert_eq!(counterfeits(&folder).iter().filter(|made| young(made)).count(), 0);
    folder.ok(&["verify", "release"]);
    folder.write(
        "recipe.toml",
        folder
            .read("recipe.toml")
            .replace("h-ceiling", "optimal")
            .replace("adversary-limit = 1\n", "")
            .replace("counterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nh = 0.15\n", ""),
    );
    let run = folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    assert!(run.err.contains("[[impossible]] changes nothing"), "{}", run.err);
    assert!(folder.json("release/release.json").get("impossible").is_none());
}

/// Search and checker have readers of their own for the numbers of an entry.
#[test]
fn an_end_between_two_ages_names_neither_beyond_it() {
    let folder = Folder::new();
    let record = |i: u32| {
        format!("{},{}\n", 30 + i * 7 % 30, ["I63", "J18", "N18.3", "K50", "G35"][(i % 7 % 5) as usize])
    };
    folder.write("table.csv", format!("age,diagnosis\n{}", (0..23).map(record).collect::<String>()));
    let of_ages = |to: f64| format!("attribute = \"age\"\nto = {to}\nsensitive = [\"I63\", \"J18\"]");
    let text = recipe(&of_ages(43.9), "")
        .replace("h = 0.15", "h = 0.2\nobjective = \"rce\"")
        .replace("k = 5", "k = 12");
    let (sex, sensitive) =
        (text.find("[attributes.sex]").unwrap(), text.find("[attributes.diagnosis]").unwrap());
    folder.write("recipe.toml", format!("{}{}", &text[..sex], &text[sensitive..]));
    folder.ok(&["anonymize", "recipe.toml", "--seed", "3"]);
    // 44 is no age up to 43.9: the class can have such counterfeits, and the checker has to know it.
    let released = folder.read("release/data.csv");
    assert!(released.contains("[30-44]"), "{released}");
    assert!(folder.read("release/catalog.csv").contains("I63"));
    folder.ok(&["verify", "release"]);
}

/// Invented records, of which an audit can refute something.
const INVENTED: &str = "
[input]
path = \"table.csv\"
[attributes.age]
role = \"quasi-identifier\"
hierarchy = { interval = [5, 15], min = 0, max = 89 }
[attributes.sex]
role = \"quasi-identifier\"
hierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }
[attributes.region]
role = \"identifier\"
[attributes.diagnosis]
role = \"quasi-identifier\"
domain = [\"C61.9\", \"O80\", \"P07\", \"I63\", \"J18\", \"N18.3\"]
[[impossible]]
attribute = \"sex\"
values = [\"M\"]
of = \"diagnosis\"
sensitive = [\"O80\"]
[[privacy]]
model = \"differential-privacy\"
epsilon = 1
delta = 1e-6
[method]
name = \"mst\"
[output]
path = \"release\"
";

#[test]
fn an_audit_leaves_rules_aside_that_its_tables_cannot_break() {
    let folder = folder("");
    folder.write("recipe.toml", INVENTED);
    let audit = ["audit", "recipe.toml", "--trials", "4", "--seed", "1", "--json", "--ordinary"];
    let run = folder.run(&audit);
    assert!(run.code == 0 && !run.err.contains("impossible"), "{} {}", run.code, run.err);
    // What no domain could have is still refused.
    let rows = "[[\"f\", \"*\"], [\"m\", \"*\"]]";
    folder.write("recipe.toml", INVENTED.replace("[[\"F\", \"*\"], [\"M\", \"*\"]]", rows));
    folder.refused(&audit, 5, &["\"M\" is no value of `sex`"]);
}
