//! Folders of the OMOP Common Data Model.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use velamen_checker::State;
use velamen_contract::linked::Shape;
use velamen_patients::verify;

use super::folder::{KEYS, Made, agreement, day, omop, public, read, with_context};
use super::naive;

/// All text of a release.
fn text(made: &Made) -> String {
    let folder = made.path("release");
    let mut files = vec![folder.clone(), folder.join("data")];
    let mut all = String::new();
    while let Some(path) = files.pop() {
        for entry in std::fs::read_dir(&path).unwrap() {
            all += &std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
        }
    }
    all
}

/// The new key of each original person.
fn persons(made: &Made) -> BTreeMap<String, String> {
    let keys = read(&made.path("release.custodian/keys.csv"));
    let of_persons = keys.into_iter().filter(|row| row["table"] == "person");
    of_persons.map(|row| (row["released"].clone(), row["original"].clone())).collect()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn every_promise_holds_and_verify_says_so() {
    let made = omop(400);
    let outcome = made.run(&agreement(5, 2)).unwrap();
    assert!(outcome.findings.iter().all(|found| matches!(found.state, State::Held | State::Stated)));
    assert!(naive::least(&made, 2) >= 5);
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let findings = with_context(|context| verify(&made.path("release"), &manifest, context)).unwrap();
    let broken: Vec<_> =
        findings.iter().filter(|found| !matches!(found.state, State::Held | State::Stated)).collect();
    assert!(broken.is_empty(), "{broken:?}");
    assert!(outcome.survived.persons[1] > 300 && outcome.survived.pairs[1] > 0);
}

#[test]
fn what_is_planted_is_nowhere() {
    let made = omop(400);
    // A code and a pair of two persons, and the greatest value of all.
    let first = KEYS;
    made.change("CONDITION_OCCURRENCE.csv", |text| {
        text + &format!(
            "1,{first},777777,2014-01-05,,38000175,,,\n2,{first},400000,2014-01-05,,38000175,,,\n"
        )
    });
    made.change("MEASUREMENT.csv", |text| {
        text + &format!("1,{first},3004249,2014-01-05,38000267,987654,8876,\n")
    });
    made.run(&agreement(5, 2)).unwrap();
    let text = text(&made);
    assert!(!text.contains("planted") && !text.contains("Planted") && !text.contains("777777"));
    let values = made.released("MEASUREMENT.csv");
    let largest =
        values.iter().filter_map(|row| row["value_as_number"].parse::<f64>().ok()).fold(0.0, f64::max);
    assert!(largest > 60.0 && largest <= 100.0, "{largest}");
    for (table, key) in [
        ("PERSON.csv", "person_id"),
        ("VISIT_OCCURRENCE.csv", "visit_occurrence_id"),
        ("CONDITION_OCCURRENCE.csv", "condition_occurrence_id"),
    ] {
        let rows = made.released(table);
        let keys: BTreeSet<u64> = rows.iter().map(|row| row[key].parse().unwrap()).collect();
        assert_eq!(keys, (1..=rows.len() as u64).collect(), "{table}");
    }
}

#[test]
fn references_stay_with_their_person_and_visits_keep_a_row() {
    let made = omop(300);
    made.run(&agreement(5, 1)).unwrap();
    let visits: BTreeMap<String, String> = made
        .released("VISIT_OCCURRENCE.csv")
        .into_iter()
        .map(|row| (row["visit_occurrence_id"].clone(), row["person_id"].clone()))
        .collect();
    let mut referred = BTreeSet::new();
    for table in ["CONDITION_OCCURRENCE.csv", "MEASUREMENT.csv"] {
        for row in made.released(table).iter().filter(|row| !row["visit_occurrence_id"].is_empty()) {
            assert_eq!(visits[&row["visit_occurrence_id"]], row["person_id"]);
            referred.insert(row["visit_occurrence_id"].clone());
        }
    }
    assert_eq!(referred.len(), visits.len());
    assert!(visits.len() > 100);
}

#[test]
fn each_person_has_one_shift_and_the_ends_are_cut_off() {
    let made = omop(300);
    made.run(&agreement(5, 1)).unwrap();
    let keys = read(&made.path("release.custodian/keys.csv"));
    let originals: BTreeMap<String, String> = keys
        .iter()
        .filter(|row| row["table"] == "visit_occurrence")
        .map(|row| (row["released"].clone(), row["original"].clone()))
        .collect();
    let before: BTreeMap<String, BTreeMap<String, String>> = read(&made.path("in/VISIT_OCCURRENCE.csv"))
        .into_iter()
        .map(|row| (row["visit_occurrence_id"].clone(), row))
        .collect();
    let mut shifts: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    let people = persons(&made);
    for row in made.released("VISIT_OCCURRENCE.csv") {
        let original = &before[&originals[&row["visit_occurrence_id"]]];
        assert_eq!(original["person_id"], people[&row["person_id"]]);
        let start = date(&row["visit_start_date"]);
        assert!(start >= date("2010-01-31") && start <= date("2019-12-01"), "{start}");
        let moved = (start - date(&original["visit_start_date"])).num_days();
        shifts.entry(row["person_id"].clone()).or_default().insert(moved);
    }
    assert!(shifts.values().all(|of| of.len() == 1));
    let all: BTreeSet<i64> = shifts.values().flatten().copied().collect();
    assert!(all.iter().all(|days| (-30..=30).contains(days)) && all.len() > 30, "{}", all.len());
    let told = read(&made.path("release.custodian/shifts.csv"));
    let told: BTreeMap<String, i64> =
        told.iter().map(|row| (row["person"].clone(), row["days"].parse().unwrap())).collect();
    assert!(shifts.iter().all(|(person, of)| of.first() == told.get(&people[person])));
}

#[test]
fn dates_of_a_public_release_are_years_or_relative() {
    let made = omop(300);
    made.run(&public("\"year\"")).unwrap();
    assert!(
        made.released("VISIT_OCCURRENCE.csv").iter().all(|row| row["visit_start_date"].ends_with("-01-01"))
    );
    assert!(!made.released("MEASUREMENT.csv")[0].contains_key("value_as_number"));
    made.run(&public("{ relative = \"month\" }")).unwrap();
    let mut firsts: BTreeMap<String, String> = BTreeMap::new();
    for table in ["VISIT_OCCURRENCE.csv", "CONDITION_OCCURRENCE.csv", "MEASUREMENT.csv"] {
        for row in made.released(table) {
            let column = row.keys().find(|name| name.ends_with("_date") && !name.contains("end")).unwrap();
            assert!(row[column].ends_with("-01"));
            let first = firsts.entry(row["person_id"].clone()).or_insert_with(|| row[column].clone());
            *first = row[column].clone().min(first.clone());
        }
    }
    assert!(firsts.values().all(|first| first == "2000-01-01"));
    made.run(
        &public("\"none\"").replace("[[privacy]]", "window = [\"2010-01-01\", \"2019-12-31\"]\n[[privacy]]"),
    )
    .unwrap();
    assert!(made.released("VISIT_OCCURRENCE.csv")[0].keys().all(|name| !name.contains("date")));
    assert!(!made.path("release/data/OBSERVATION_PERIOD.csv").exists());
}

#[test]
fn a_death_that_is_not_shown_shows_nowhere() {
    let made = omop(100);
    made.table("OBSERVATION_PERIOD.csv", "observation_period_id,person_id,observation_period_start_date,observation_period_end_date,period_type_concept_id\n");
    // Of one person alone, long after all visits.
    let person = KEYS + 30;
    made.change("DEATH.csv", |text| {
        format!("{}\n{person},{},planted cause\n", text.lines().next().unwrap(), day(3_350))
    });
    made.run(&(agreement(5, 1) + "[method]\nsuppression-limit = 0\n")).unwrap();
    assert!(!made.path("release/data/DEATH.csv").exists());
    let last =
        |table: &str, column: &str| made.released(table).iter().map(|row| row[column].clone()).max().unwrap();
    let shown =
        last("VISIT_OCCURRENCE.csv", "visit_end_date").max(last("MEASUREMENT.csv", "measurement_date"));
    let shown = shown.max(last("CONDITION_OCCURRENCE.csv", "condition_start_date"));
    assert!(made.released("PERSON.csv").len() == 100);
    assert_eq!(last("OBSERVATION_PERIOD.csv", "observation_period_end_date"), shown);
}

#[test]
fn nobody_has_most_rows_and_the_oldest_are_one() {
    let made = omop(400);
    let first = KEYS;
    let many: String = (1..200)
        .map(|row| format!("{row},{first},400000,2014-03-{:02},,38000175,,,\n", row % 28 + 1))
        .collect();
    made.change("CONDITION_OCCURRENCE.csv", |text| text + &many);
    let levels = "[tables.person.attributes.year_of_birth]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [5, 10], min = 1900, max = 2039 }\nlevel = 2\n";
    made.run(&(agreement(5, 1) + levels)).unwrap();
    for table in ["CONDITION_OCCURRENCE.csv", "MEASUREMENT.csv", "VISIT_OCCURRENCE.csv"] {
        let rows = naive::rows(&made.released(table));
        assert!(rows[..5].iter().all(|count| *count == rows[0]), "{table}: {rows:?}");
    }
    // 90 by the end of 2019: born 1929, in the band 1920 to 1929.
    let births: BTreeSet<i32> =
        made.released("PERSON.csv").iter().map(|row| row["year_of_birth"].parse().unwrap()).collect();
    assert_eq!(births.first(), Some(&1929));
    assert!(births.contains(&1934) && births.len() > 3, "{births:?}");
    let labels = read(&made.path("release/labels.csv"));
    assert!(labels.iter().any(|row| row["value"] == "1929" && row["label"] == "1929 or earlier"));
    assert!(labels.iter().any(|row| row["value"] == "1934" && row["label"] == "1930-1939"));
}

#[test]
fn the_release_does_not_depend_on_threads_or_the_order_of_rows() {
    let made = omop(200);
    let release = |made: &Made, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| made.run(&agreement(4, 2)).unwrap());
        std::fs::read_to_string(made.path("release/SHA256SUMS")).unwrap()
    };
    let one = release(&made, 1);
    assert_eq!(one, release(&made, 4));
    made.change("PERSON.csv", |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1..].reverse();
        lines.join("\n") + "\n"
    });
    let persons = made.released("PERSON.csv");
    release(&made, 2);
    assert_eq!(persons, made.released("PERSON.csv"));
}

#[test]
fn what_is_not_known_of_a_person_has_a_value_of_its_own() {
    let made = omop(300);
    made.change("PERSON.csv", |text| {
        let row = |(row, line): (usize, &str)| match row % 7 {
            3 => line.replacen(",8507,", ",,", 1).replacen(",8532,", ",,", 1),
            _ => line.to_owned(),
        };
        text.lines().enumerate().map(row).collect::<Vec<_>>().join("\n") + "\n"
    });
    made.change("PERSON.csv", |text| text + "5,8507,,5,17,8527,0,5,\n");
    made.run(&agreement(4, 1)).unwrap();
    assert!(naive::least(&made, 1) >= 4);
    let rows = made.released("PERSON.csv");
    assert!(rows.iter().any(|row| row["gender_concept_id"] == "0"));
    assert!(rows.iter().all(|row| row.values().all(|cell| !cell.is_empty())));
}

#[test]
fn a_suggested_recipe_leaves_out_what_the_shape_does_not_know() {
    let made = omop(120);
    made.table("my_table.csv", "a,b\n1,2\n");
    made.change("PERSON.csv", |text| {
        let lines = text.lines().enumerate();
        lines
            .map(|(row, line)| {
                format!("{line},{}\n", if row == 0 { "blood group".into() } else { row.to_string() })
            })
            .collect()
    });
    let folder = made.path("in");
    let base = made.path("");
    let (found, recipe) =
        with_context(|context| velamen_patients::profile(&folder, Shape::Omop, &base, context)).unwrap();
    assert!(found.left_out.contains(&"my_table".to_owned()), "{:?}", found.left_out);
    let said = [
        "[tables.my_table]\ndrop = true",
        "[tables.person.attributes.\"blood group\"]\nrole = \"identifier\"",
    ];
    said.iter().for_each(|section| assert!(recipe.contains(section), "{recipe}"));
    made.run(&recipe).unwrap();
    let person = std::fs::read_to_string(made.path("release/data/PERSON.csv")).unwrap();
    assert!(!person.contains("blood"), "{person}");
}
