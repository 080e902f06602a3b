//! Shares are shares of people where a person can have several records: in promises, attacks and the judge of counterfeits.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::common::Folder;
use crate::people::{PERSON, PSEUDONYM, model, of_stays};

/// Ten women and ten men, half of each with E10 and half with I63; one woman has C50 in thirty records.
fn one_with_thirty() -> String {
    let mut table = String::from("patient,age,sex,diagnosis\n");
    (0..30).for_each(|_| table += "P0,41,F,C50\n");
    for patient in 1..20 {
        let (sex, code) = (["F", "M"][patient / 10], ["E10", "I63"][patient % 2]);
        writeln!(table, "P{patient},41,{sex},{code}").unwrap();
    }
    table
}

fn of_thirty(models: &str, method: &str) -> Folder {
    let folder = of_stays(PERSON, models, method);
    folder.write("stays.csv", one_with_thirty());
    folder
}

/// Three quarters of the women's records are one woman's: no share of people is broken by that, and none was before the checker
/// read the file back.
#[test]
fn a_person_with_most_records_breaks_no_share_of_people() {
    let models = [
        ("t-closeness", "t = 0.1"),
        ("alpha-k-anonymity", "alpha = 0.6\nk = 5"),
        ("entropy-l-diversity", "l = 2"),
        ("basic-beta-likeness", "beta = 1.5"),
        ("ms-bounding", "k = 5\ntheta = { C50 = 0.2 }"),
    ];
    for (name, more) in models {
        let folder = of_thirty(&model(name, more), "name = \"optimal\"");
        folder.ok(&["anonymize", "recipe.toml"]);
        assert_eq!(folder.json("release/release.json")["attributes"]["sex"]["level"], 0, "{name}");
        let found: Value = serde_json::from_str(&folder.ok(&["verify", "release", "--json"]).out).unwrap();
        let of_model = found.as_array().unwrap().iter().find(|one| one["promise"] == name).unwrap();
        assert_eq!(of_model["state"], "stated", "{name}: {of_model}");
        assert!(folder.read("release/report.html").contains("of people, as the custodian states"), "{name}");
    }
}

/// A quarter of the population's women are in the table, with nearly as many records as there are women.
#[test]
fn a_person_with_most_records_is_one_of_the_population() {
    let asked = "[[privacy]]\nmodel = \"delta-presence\"\nmin = 0.1\nmax = 0.5";
    let folder = of_thirty(asked, "name = \"optimal\"");
    folder.write("population.csv", "age,sex\n".to_owned() + &"41,F\n41,M\n".repeat(40));
    let recipe = folder.read("recipe.toml") + "[population]\npath = \"population.csv\"\n";
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml"]);
    assert_eq!(folder.json("release/release.json")["attributes"]["sex"]["level"], 0);
    let refused = folder.run(&["anonymize", "recipe.toml", "--overwrite", "--set", "privacy.1.max=0.2"]);
    assert_ne!(refused.code, 0, "a quarter is more than a fifth");
}

/// Nobody can see whose the records are, and everybody can count those that are kept.
#[test]
fn a_release_of_some_records_of_each_person_can_be_attacked() {
    let folder = of_thirty("", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml", "--set", "attributes.patient.records-per-person=2"]);
    let found = folder.ok(&["attack", "release", "--original", "stays.csv", "--json"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!([&found["records"], &found["original-people"]], [&json!(21), &json!(20)]);
    // Each content is one person's, or all of its records are there: nothing is left open.
    assert!(found["notes"].to_string().contains("shares of people"), "{}", found["notes"]);
    // Of two women with three records of one content each it does not show which two are kept.
    folder.write("stays.csv", one_with_thirty() + &"P20,41,F,Z99\nP21,41,F,Z99\n".repeat(3));
    let sampled = ["anonymize", "recipe.toml", "--overwrite", "--set", "input.sample=0.5", "--seed", "3"];
    folder.ok(&sampled);
    let found = folder.ok(&["attack", "release", "--original", "stays.csv", "--json"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert!(found["notes"].to_string().contains("shares of records"), "{}", found["notes"]);
}

/// Where classes overlap, contents that one person has alone show who is where.
#[test]
fn beliefs_are_shares_of_people_where_classes_overlap() {
    let folder = of_stays(PERSON, "", "name = \"optimal\"\nlocal-recoding = true");
    let mut table = String::from("patient,age,sex,diagnosis\n");
    for patient in 0..40 {
        let (age, sex) = (30 + patient * 7 % 31, ["F", "M"][patient % 2]);
        (0..=patient % 3).for_each(|_| writeln!(table, "P{patient},{age},{sex},D{patient}").unwrap());
    }
    folder.write("stays.csv", table);
    folder.ok(&["anonymize", "recipe.toml"]);
    let call = ["attack", "release", "--original", "stays.csv", "--attacks", "inference", "--json"];
    let found: Value = serde_json::from_str(&folder.ok(&call).out).unwrap();
    assert!(found["notes"].to_string().contains("shares of people"), "{}", found["notes"]);
}

/// The line of a promise that is stated of people is about them, with what the file shows of their records beside it.
#[test]
fn what_verify_prints_says_whom_it_is_about() {
    let folder = of_thirty(&model("alpha-k-anonymity", "alpha = 0.6\nk = 5"), "name = \"optimal\"");
    let recipe = folder.read("recipe.toml") + "[[privacy]]\nmodel = \"average-risk\"\nrisk = 0.2\n";
    folder.write("recipe.toml", recipe);
    folder.ok(&["anonymize", "recipe.toml"]);
    let reached = |name: &str| {
        let manifest = folder.json("release/release.json");
        let of = manifest["privacy"].as_array().unwrap().iter().find(|one| one["model"] == name).unwrap();
        of["reached"].clone()
    };
    let text = folder.ok(&["verify", "release"]).out;
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
    let (alpha, risk) = (line("alpha-k-anonymity"), line("average-risk"));
    assert!(
        alpha.contains("of people, as the custodian states; alpha = 0.769231, k = 10 of records in the file"),
        "{alpha}"
    );
    assert!(risk.contains("risk = 0.1 of people, as the custodian states; risk = 0.04"), "{risk}");
    assert!(line("k-anonymity").contains("people, as the custodian states"), "{text}");
    let found: Value = serde_json::from_str(&folder.ok(&["verify", "release", "--json"]).out).unwrap();
    for name in ["alpha-k-anonymity", "average-risk"] {
        let one = found.as_array().unwrap().iter().find(|one| one["promise"] == name).unwrap();
        assert_eq!(one["of-people"], reached(name), "{one}");
    }
    assert!(
        found
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["promise"] != "records" || one.get("of-people").is_none())
    );
    let page = folder.read("release/report.html");
    assert!(page.contains("risk = 0.1 of people, as the custodian states"), "{page}");
}

/// Nothing limits how many of a group's records are one woman's: the page is amber, and the custodian's says how many people that
/// is about.
#[test]
fn a_group_that_one_person_can_hold_is_said_first() {
    let folder = of_thirty(&model("distinct-l-diversity", "l = 2"), "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let page = folder.read("release/report.html");
    let verdict = page.split("</header>").next().unwrap();
    for part in ["verdict but", "one person can have more of its records", "49 records together"] {
        assert!(verdict.contains(part), "{part}: {verdict}");
    }
    let own = folder.read("release.custodian/custodian-report.html");
    let verdict = own.split("</header>").next().unwrap();
    // Thirty of the 39 records of ten women.
    for part in ["76.9\u{202f}%", "10 people are in such groups"] {
        assert!(verdict.contains(part), "{part}: {verdict}");
    }
    assert!(!verdict.contains("how many people they belong to is not released"), "{verdict}");
    folder.ok(&["verify", "release"]);
    // One record of each is no more than one in five of any group, two can be.
    for (most, is_said) in [("1", false), ("3", true)] {
        let set = format!("attributes.patient.records-per-person={most}");
        folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--set", &set]);
        let page = folder.read("release/report.html");
        assert_eq!(page.contains("finds one person more often than"), is_said, "{most}");
    }
}

/// Beliefs are the same whether pseudonyms show whose the records are or the original alone does.
#[test]
fn beliefs_are_those_of_a_release_with_pseudonyms() {
    let attacked = |patient: &str| -> Vec<Value> {
        let folder = of_stays(patient, "", "name = \"optimal\"");
        folder.write("stays.csv", one_with_thirty());
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.write("others.csv", "patient,age,sex,diagnosis\nQ1,41,F,C50\nQ2,44,M,E10\n");
        let attacks = "inference,background,control";
        let call = [
            "attack",
            "release",
            "--original",
            "stays.csv",
            "--attacks",
            attacks,
            "--control",
            "others.csv",
            "--json",
        ];
        let found: Value = serde_json::from_str(&folder.ok(&call).out).unwrap();
        found["attacks"].as_array().unwrap().iter().map(|attack| attack["figures"].clone()).collect()
    };
    assert_eq!(attacked(PERSON), attacked(PSEUDONYM));
}

/// Two women of 85 with three records each, and so many others that they can be padded.
fn few_old_women() -> String {
    let mut table = String::from("patient,age,sex,diagnosis\n");
    let mut person = 0;
    let mut add = |age: usize, sex: &str, records: usize| {
        for record in 0..records {
            writeln!(table, "P{person},{age},{sex},{}", ["E10", "I63", "J18"][(person + record) % 3])
                .unwrap();
        }
        person += 1;
    };
    for (age, sex) in [(25, "F"), (25, "M"), (45, "F"), (45, "M"), (65, "F"), (65, "M")] {
        (0..12).for_each(|of| add(age, sex, 1 + of % 3));
    }
    (0..2).for_each(|_| add(85, "F", 3));
    (0..3).for_each(|_| add(85, "M", 2));
    table
}

/// Six records of two women are no class of five people, for whoever looks for counterfeits either.
#[test]
fn the_judge_of_counterfeits_counts_people() {
    let folder = of_stays(
        PERSON,
        "",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5\ngroup-classes = 2\ncounterfeit-limit = 1\nsuppression-limit = 0",
    );
    folder.write("stays.csv", few_old_women());
    folder.ok(&["anonymize", "recipe.toml"]);
    assert!(folder.json("release/release.json")["counterfeits"].as_u64().unwrap() > 0);
    let own = folder.json("release.custodian/custodian.json");
    assert_eq!(own["adversary"]["counts-people"], true, "{}", own["adversary"]);
    assert_eq!(own["minimality-attack"]["counts-people"], true, "{}", own["minimality-attack"]);
    // Five people and no fewer, each counterfeit being one.
    assert_eq!(own["minimality-attack"]["least-class"], 5, "{}", own["minimality-attack"]);
    let persons = own["adversary"]["fewer-than-k"]["persons"].as_u64().unwrap();
    assert!(persons > 0, "{}", own["adversary"]);
    let call =
        ["attack", "release", "--original", "stays.csv", "--attacks", "minimality,counterfeits", "--json"];
    let found: Value = serde_json::from_str(&folder.ok(&call).out).unwrap();
    let text = found["attacks"].to_string();
    assert!(text.contains("people in classes that are then too small"), "{text}");
    assert!(text.contains(&format!("{persons} in classes of fewer than k people")), "{text}");
    // By default she judges tables of several records of a person, too.
    let recipe = folder.read("recipe.toml").replace("adversary-limit = 1", "adversary-limit = 0.5");
    folder.write("recipe.toml", recipe.replace("suppression-limit = 0", "suppression-limit = 0.3"));
    let run = folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    assert!(run.err.contains("counterfeits would not protect"), "{}", run.err);
}

/// Whoever says that each record is of another person is believed on the page as well.
#[test]
fn pseudonyms_of_independent_records_are_nobodys_several() {
    let folder = of_stays(&format!("{PSEUDONYM}\nrows = \"independent\""), "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let page = folder.read("release/report.html");
    assert!(page.contains("The custodian states that each record is of another person"), "{page}");
    assert!(!page.contains("knows one record of a person") && !page.contains("pseudonyms; "), "{page}");
}
