//! `risk` and `measure` learn from the table's recipe whose the records are; `attack` believes in shares of people.

use serde_json::{Value, json};

use crate::common::Folder;
use crate::people::{PERSON, PSEUDONYM, of_stays};

fn told(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.ok(&[arguments, &["--json"]].concat()).out).unwrap()
}

/// What the recipe says is what the command line can say.
#[test]
fn a_recipe_names_the_columns_and_the_person() {
    for patient in [PERSON, PSEUDONYM] {
        let folder = of_stays(patient, "", "");
        let named = ["stays.csv", "--qi", "age,sex", "--person", "patient"];
        let by_recipe = ["stays.csv", "--recipe", "recipe.toml"];
        let of = |command: &str, more: &[&str]| told(&folder, &[&[command][..], more].concat());
        let (risk, measured) = (of("risk", &by_recipe), of("measure", &by_recipe));
        assert_eq!(risk["people"], 10);
        assert_eq!(risk, of("risk", &named));
        assert_eq!([&measured["people"], &measured["k"]], [&json!(10), &json!(5)]);
        assert_eq!(measured, of("measure", &[&named[..], &["--sensitive", "diagnosis"]].concat()));
        // What the command line names stands.
        assert_eq!(
            of("risk", &[&by_recipe[..], &["--qi", "sex"]].concat())["quasi-identifiers"],
            json!(["sex"])
        );
    }
    let independent = format!("{PSEUDONYM}\nrows = \"independent\"");
    let folder = of_stays(&independent, "", "");
    assert!(told(&folder, &["risk", "stays.csv", "--recipe", "recipe.toml"]).get("people").is_none());
}

/// A release names its columns itself; the recipe is for the original beside it.
#[test]
fn a_recipe_is_of_a_table() {
    let folder = of_stays(PSEUDONYM, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    let beside = ["risk", "release", "--before", "stays.csv", "--recipe", "recipe.toml"];
    assert_eq!(told(&folder, &beside)["before"]["people"], 10);
    for command in ["risk", "measure"] {
        let run = folder.run(&[command, "release", "--recipe", "recipe.toml"]);
        assert!(run.code == 2 && run.err.contains("--recipe"), "{}", run.err);
        let run = folder.run(&[command, "stays.csv", "--recipe", "recipe.toml", "--null", "NA"]);
        assert!(run.code == 2 && run.err.contains("--recipe says how the table is read"), "{}", run.err);
    }
}

fn rate(found: &Value, attack: &str, what: &str) -> f64 {
    let attacks = found["attacks"].as_array().unwrap();
    let of = attacks.iter().find(|one| one["attack"] == attack).unwrap();
    let figures = of["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["what"].as_str().unwrap().contains(what)).unwrap()["rate"]
        .as_f64()
        .unwrap()
}

/// Five people with three records of A between them, and nine of B of one of them: B is nine records, and one person.
#[test]
fn who_can_tell_people_apart_believes_in_shares_of_people() {
    let mut stays = String::from("patient,age,sex,diagnosis\n");
    for patient in 0..4 {
        stays += &format!("P{patient},41,F,A\n");
    }
    (0..9).for_each(|_| stays += "P4,41,F,B\n");
    for patient in [PERSON, PSEUDONYM] {
        let folder = of_stays(patient, "", "name = \"optimal\"");
        folder.write("stays.csv", &stays);
        folder.ok(&["anonymize", "recipe.toml"]);
        let found = told(&folder, &["attack", "release", "--original", "stays.csv"]);
        let said = rate(&found, "inference", "the likeliest value is right");
        // By records B would be likelier, which four of five do not have.
        assert!((said - 0.8).abs() < 1e-9, "{patient}: {said}");
        assert!(found["notes"].to_string().contains("shares of people"), "{}", found["notes"]);
    }
}

/// A person who is in two tables is known by her number, whatever else is written of her.
#[test]
fn composition_knows_people_by_their_number() {
    let folder = of_stays(PERSON, "", "name = \"optimal\"");
    folder.ok(&["anonymize", "recipe.toml"]);
    // A year later everybody has other diagnoses.
    folder.write("first.csv", folder.read("stays.csv"));
    let later: String = folder
        .read("stays.csv")
        .lines()
        .map(|line| if line.starts_with('P') { format!("{line}x\n") } else { format!("{line}\n") })
        .collect();
    folder.write("stays.csv", later);
    folder.ok(&["anonymize", "recipe.toml", "--output", "second"]);
    let found = told(
        &folder,
        &[
            "attack",
            "release",
            "--original",
            "first.csv",
            "--with",
            "second",
            "--second-original",
            "stays.csv",
        ],
    );
    let attacks = found["attacks"].as_array().unwrap();
    let composed = attacks.iter().find(|one| one["attack"] == "composition").unwrap();
    assert_eq!(composed["targets"], 10, "{composed}");
}

/// Two cities that one person alone lives in, with several records each: nobody's record is alone, and two people are.
#[test]
fn a_profile_counts_whom_a_column_singles_out() {
    let folder = Folder::new();
    let mut table = String::from("patient_id,sex,birth,city,diagnosis\n");
    for patient in 0..30 {
        let city = if patient < 2 { format!("city {patient}") } else { "Bern".into() };
        for stay in 0..3 {
            table += &format!(
                "{},{},{},{city},C{stay}\n",
                5000 + patient,
                ["F", "M"][patient % 2],
                1950 + patient % 3
            );
        }
    }
    folder.write("visits.csv", table);
    let found = told(&folder, &["profile", "visits.csv"]);
    assert_eq!(found["counts-people"], true, "{found}");
    let city = found["columns"].as_array().unwrap().iter().find(|column| column["name"] == "city").unwrap();
    assert_eq!([&city["unique"], &city["rarest"]], [&json!(2), &json!(1)]);
    assert!(folder.ok(&["profile", "visits.csv"]).out.contains("unique: people alone"));
}

/// A cost that one patient has in all her records singles her out, though no record is alone.
#[test]
fn a_page_counts_whom_a_column_singles_out() {
    let of = |patient: &str| {
        let folder = of_stays(patient, "", "name = \"optimal\"");
        let mut table = String::from("patient,age,sex,diagnosis,cost\n");
        for person in 0..30 {
            let line = format!(
                "P{person},{},{},F32,{}\n",
                40 + person % 2 * 20,
                ["F", "M"][person % 2],
                1000 + person
            );
            table += &line.repeat(2);
        }
        folder.write("stays.csv", table);
        let recipe = folder
            .read("recipe.toml")
            .replace("[[privacy]]", "[attributes.cost]\nrole = \"insensitive\"\n[[privacy]]");
        folder.write("recipe.toml", recipe);
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.read("release/report.html")
    };
    assert!(of(PSEUDONYM).contains("of the people are the only ones with their value"));
    // Nobody can tell whose the records are, and no record is alone.
    assert!(!of(PERSON).contains("singles people out"));
}
