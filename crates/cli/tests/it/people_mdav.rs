//! Microaggregation counts people: clusters of k people, each of whom counts once in what is released.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Folder, rows};
use crate::people::PSEUDONYM;

/// 40 people of one to six stays, each with a diagnosis of its own, by which the test recognizes it. One in five has far more.
fn stays() -> Vec<(String, f64, String, String)> {
    let mut stays = Vec::new();
    for person in 0..40usize {
        let own = if person % 5 == 0 { 12 } else { 1 + person * 7 % 6 };
        for stay in 0..own {
            let age = (20 + person * 13 % 60 + stay * 2) as f64;
            stays.push((
                format!("P{person}"),
                age,
                ["F", "M"][person % 2].into(),
                format!("D{}", stays.len()),
            ));
        }
    }
    stays
}

fn folder(patient: &str, average: &str) -> Folder {
    let folder = Folder::new();
    let lines =
        stays().iter().map(|(who, age, sex, code)| format!("{who},{age},{sex},{code}\n")).collect::<String>();
    folder.write("stays.csv", format!("patient,age,sex,diagnosis\n{lines}"));
    folder.write("secret.key", "0123456789abcdef0123456789abcdef\n");
    let key = if patient.contains("pseudonym") { "key = { file = \"secret.key\" }\n" } else { "" };
    folder.write(
        "recipe.toml",
        format!(
            "{key}[input]\npath = \"stays.csv\"\n[attributes.patient]\n{patient}\n\
             [attributes.age]\nrole = \"quasi-identifier\"\nstep = 5\n\
             [attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = {{ rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }}\n\
             [attributes.diagnosis]\nrole = \"sensitive\"\n\
             [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"mdav\"\naverage = \"{average}\"\nseed = 1\n\
             [output]\npath = \"release\"\n"
        ),
    );
    folder
}

/// Ages by person, and the released age and sex.
type Cluster = (BTreeMap<String, BTreeSet<u64>>, String, String);

/// By class, who is there with which ages, and what is released.
fn classes(folder: &Folder) -> Vec<Cluster> {
    let released = rows(&folder.read("release/data.csv"));
    let at = |name: &str| released[0].iter().position(|column| column == name).unwrap();
    let known: BTreeMap<String, (String, f64)> =
        stays().into_iter().map(|(who, age, _, code)| (code, (who, age))).collect();
    let mut classes: BTreeMap<String, Cluster> = BTreeMap::new();
    for row in &released[1..] {
        let (who, age) = &known[&row[at("diagnosis")]];
        let class = classes.entry(row[0].clone()).or_default();
        class.0.entry(who.clone()).or_default().insert(*age as u64);
        (class.1, class.2) = (row[at("age")].clone(), row[at("sex")].clone());
    }
    classes.into_values().collect()
}

#[test]
fn clusters_have_k_people_and_means_of_people() {
    for patient in ["role = \"person\"", PSEUDONYM] {
        let folder = folder(patient, "mean");
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
        let classes = classes(&folder);
        assert!(classes.len() > 3, "{}", classes.len());
        for (people, age, sex) in &classes {
            assert!(people.len() >= 5, "{people:?}");
            let own = people.values().map(|ages| ages.iter().sum::<u64>() as f64 / ages.len() as f64);
            let mean = own.sum::<f64>() / people.len() as f64;
            assert!((age.parse::<f64>().unwrap() - mean).abs() < 0.006, "{age} is not {mean}");
            let women = people.keys().filter(|who| who[1..].parse::<usize>().unwrap() % 2 == 0).count();
            assert_eq!(sex, if women * 2 >= people.len() { "F" } else { "M" }, "{people:?}");
        }
    }
}

/// Multiples of the step, of k people; clusters of one median and one mode are a class together.
#[test]
fn medians_and_modes_are_those_of_people() {
    for average in ["median", "mode"] {
        let folder = folder("role = \"person\"", average);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["verify", "release"]);
        for (people, age, _) in classes(&folder) {
            assert!(people.len() >= 5, "{people:?}");
            assert_eq!(age.parse::<u64>().unwrap() % 5, 0);
        }
    }
}

/// Who works row by row says why it does not count people, and who does.
#[test]
fn searches_of_rows_say_why_they_refuse() {
    let folder = folder("role = \"person\"", "mean");
    for method in ["iab", "greedy", "exhaustive-rows"] {
        let recipe = folder
            .read("recipe.toml")
            .replace("name = \"mdav\"\naverage = \"mean\"", &format!("name = \"{method}\""));
        folder.write(
            "rows.toml",
            recipe.replace("step = 5", "hierarchy = { interval = [20], min = 0, max = 119 }"),
        );
        let run = folder.run(&["anonymize", "rows.toml"]);
        assert!(
            run.code == 5 && run.err.contains("row by row") && run.err.contains("optimal"),
            "{}",
            run.err
        );
    }
}
