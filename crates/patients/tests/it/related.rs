//! What hangs together in a folder: children of one mother, codes of one meaning, births and the end of the data.

use std::fmt::Write as _;

use velamen_checker::State;

use super::folder::{Made, omop, public};
use super::originals::found;
use super::tables::{RECIPE, hospital};

/// A hospital whose persons have a column that names another one, or something else.
fn with_column(persons: u64, cell: impl Fn(usize) -> String) -> Made {
    let made = hospital(persons);
    made.change("patients.csv", |text| {
        let lines = text.lines().enumerate();
        lines
            .map(|(row, line)| format!("{line};{}\n", if row == 0 { "MOTHER".into() } else { cell(row - 1) }))
            .collect()
    });
    made
}

fn as_recorded(meant: &str) -> String {
    RECIPE.replace("SEX = {", &format!("MOTHER = {{ role = \"insensitive\"{meant} }}\nSEX = {{"))
}

#[test]
fn twins_are_not_known_by_their_mother() {
    // Each two persons have a mother, who is another person of the table; most have none.
    let twins = |row: usize| if row < 40 { format!("p-{:04}", 60 + row / 2) } else { String::new() };
    for meant in ["", ", identifier-like = \"intended\""] {
        let error = with_column(120, twins).run(&as_recorded(meant)).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        assert!(error.to_string().contains("`MOTHER`: its cells are keys of the original"), "{error}");
        assert!(!error.to_string().contains("p-00"), "{error}");
    }
    // Left out, nothing is left of it.
    let made = with_column(120, twins);
    let recipe = as_recorded("").replace("insensitive", "identifier");
    made.run(&recipe).unwrap();
    let text = std::fs::read_to_string(made.path("release/data/patients.csv")).unwrap();
    assert!(!text.contains("MOTHER") && !text.contains("p-"), "{text}");
    // Figures that are keys of persons by chance stay.
    with_column(120, |row| format!("ward-{}", row % 3)).run(&as_recorded("")).unwrap();
}

/// Codes of two vocabularies in one row. `other` gives the second code from the first and the row.
fn two_vocabularies(other: impl Fn(&str, usize) -> String) -> Made {
    let made = hospital(150);
    made.change("codes.csv", |text| {
        let mut made = String::new();
        for (row, line) in text.lines().enumerate() {
            let second = if row == 0 { "SNOMED".into() } else { other(line.split(';').nth(1).unwrap(), row) };
            let _ = writeln!(made, "{line};{second}");
        }
        made
    });
    made
}

#[test]
fn codes_of_one_meaning_are_warned_of() {
    let recipe = RECIPE.replace("COST =", "SNOMED = { role = \"set\" }\nCOST =");
    let said = "`CODE` and `SNOMED` have codes of one meaning";
    let warned = |made: &Made| {
        let outcome = made.run(&recipe).unwrap();
        outcome.warnings.iter().filter(|warning| warning.contains(said)).count()
    };
    // One code for each, and a coarser one of several; a slip here and there changes nothing.
    assert_eq!(warned(&two_vocabularies(|code, _| format!("S-{code}"))), 1);
    assert_eq!(warned(&two_vocabularies(|code, _| if code < "C2" { "S-1".into() } else { "S-2".into() })), 1);
    assert_eq!(
        warned(&two_vocabularies(|code, row| if row % 40 == 0 { "S-9".into() } else { format!("S-{code}") })),
        1
    );
    // Something else of the row, the same for everybody, and nothing.
    assert_eq!(warned(&two_vocabularies(|_, row| format!("S-{}", row * 7 % 5))), 0);
    assert_eq!(warned(&two_vocabularies(|_, _| "S".into())), 0);
    assert_eq!(warned(&two_vocabularies(|_, _| String::new())), 0);
}

#[test]
fn nobody_is_born_after_the_data_end() {
    let late = |persons: usize| {
        let made = omop(400);
        // The last visits are in 2018; these persons have none after their birth.
        made.change("PERSON.csv", |text| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            for line in lines.iter_mut().skip(1).take(persons) {
                let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
                cells[2] = "2031".into();
                *line = cells.join(",");
            }
            lines.join("\n") + "\n"
        });
        let cut = "[method]\ndemographics = \"mondrian\"\n[output]";
        let recipe = public("{ relative = \"month\" }").replace("[output]", cut);
        let ages = made.run(&recipe).unwrap().manifest.ages.unwrap();
        assert_eq!(found(&made).state, State::Held);
        ages.until
    };
    // A mistake in one record moves nothing; k persons are none.
    assert_eq!([late(0), late(1)], [2019; 2]);
    assert_eq!(late(9), 2031);
}
