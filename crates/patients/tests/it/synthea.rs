//! Synthea's CSV folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_checker::State;
use velamen_contract::linked::Shape;
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_patients::profile;

use super::folder::{Drawn, Made, day};
use super::originals::found;

const PATIENTS: &str = "Id,BIRTHDATE,DEATHDATE,SSN,DRIVERS,PASSPORT,PREFIX,FIRST,LAST,MARITAL,RACE,ETHNICITY,GENDER,BIRTHPLACE,ADDRESS,CITY,STATE,ZIP,LAT,LON";

/// Invented persons, with what must not survive in every table.
pub(crate) fn synthea(persons: u64) -> Made {
    let made = Made::empty();
    let mut drawn = Drawn(17);
    let mut text: BTreeMap<&str, String> = BTreeMap::from([
        ("patients.csv", format!("{PATIENTS}\n")),
        (
            "encounters.csv",
            "Id,START,STOP,PATIENT,ORGANIZATION,PROVIDER,ENCOUNTERCLASS,CODE,DESCRIPTION,REASONCODE\n".into(),
        ),
        ("conditions.csv", "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n".into()),
        (
            "medications.csv",
            "START,STOP,PATIENT,PAYER,ENCOUNTER,CODE,DESCRIPTION,DISPENSES,REASONCODE\n".into(),
        ),
        ("providers.csv", "Id,NAME\n1,Doctor Planted\n".into()),
    ]);
    let mut add = |table: &'static str, row: String| {
        let _ = writeln!(text.entry(table).or_default(), "{row}");
    };
    for person in 0..persons {
        let id = format!("00000000-0000-4000-8000-{person:012}");
        let sex = if drawn.below(2) == 0 { "F" } else { "M" };
        let born = 1920 + drawn.below(90);
        add(
            "patients.csv",
            format!(
                "{id},{born}-05-17,,999-planted,,,Mr.,Planted{person},Planted,M,white,nonhispanic,{sex},Planted,1 Planted Street,Planted,KS,66801,38.3,-96.1"
            ),
        );
        for stay in 0..1 + drawn.below(2) {
            let (encounter, start) =
                (format!("10000000-0000-4000-8000-{person:06}{stay:06}"), drawn.below(3_000));
            add(
                "encounters.csv",
                format!(
                    "{encounter},{}T09:12:33Z,{}T10:00:00Z,{id},org-planted,dr-planted,ambulatory,185349003,planted,59621000",
                    day(start),
                    day(start)
                ),
            );
            add(
                "conditions.csv",
                format!(
                    "{},,{id},{encounter},{},planted",
                    day(start),
                    59_621_000 + drawn.below(3) * drawn.below(3)
                ),
            );
            add(
                "medications.csv",
                format!(
                    "{}T09:12:33Z,,{id},planted,{encounter},{},planted,{},59621000",
                    day(start),
                    1_127_430 + drawn.below(3),
                    drawn.below(9)
                ),
            );
        }
    }
    for (name, text) in text {
        made.table(name, &text);
    }
    made
}

#[test]
fn the_suggested_recipe_runs_and_nothing_planted_is_left() {
    let made = synthea(400);
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let folder = made.path("in");
    let (found, recipe) = profile(&folder, Shape::Synthea, made.folder.path(), &context).unwrap();
    assert_eq!((found.persons, &found.left_out[..]), (400, &["providers".to_owned()][..]));
    let outcome = made.run(&recipe).unwrap();
    assert!(outcome.survived.persons[1] >= 380 && outcome.survived.pairs[1] * 2 > outcome.survived.pairs[0]);
    assert_eq!(super::originals::found(&made).state, State::Held);
    for file in ["patients.csv", "encounters.csv", "conditions.csv", "medications.csv"] {
        let text = std::fs::read_to_string(made.path("release/data").join(file)).unwrap();
        let is_left = |word: &str| text.to_ascii_lowercase().contains(word);
        assert!(!is_left("planted") && !is_left("0000-4000") && !is_left(":12:33"), "{file}");
    }
    assert!(!Path::new(&made.path("release/data/providers.csv")).exists());
    assert!(made.released("patients.csv").iter().all(|row| !row["BIRTHDATE"].contains("-05-17")));
    assert!(
        made.released("medications.csv").iter().all(|row| !row.contains_key("DISPENSES")),
        "a number of the public tier"
    );
}

#[test]
fn with_a_shift_intervals_stay() {
    let made = synthea(400);
    let recipe = "[input]\nfolder = \"in\"\nshape = \"synthea\"\n[persons]\ntier = \"agreement\"\ndates = { shift = 30 }\n\
         window = [\"2010-01-01\", \"2019-12-31\"]\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n\
         [key]\nfile = \"secret.key\"\n[output]\npath = \"release\"\n";
    made.run(recipe).unwrap();
    assert_eq!(found(&made).state, State::Held);
    let starts: BTreeMap<String, String> = made
        .released("encounters.csv")
        .into_iter()
        .map(|row| (row["Id"].clone(), row["START"].clone()))
        .collect();
    let conditions = made.released("conditions.csv");
    assert!(conditions.len() > 100);
    assert!(conditions.iter().all(|row| starts[&row["ENCOUNTER"]] == row["START"]));
    assert!(made.released("medications.csv").iter().all(|row| row.contains_key("DISPENSES")));
}
