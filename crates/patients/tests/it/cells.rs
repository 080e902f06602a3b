//! One table with a set of codes in a cell.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::folder::{Drawn, Made};

fn patients(number: u64) -> Made {
    let made = Made::empty();
    let mut drawn = Drawn(5);
    let mut text = "id,age,sex,diagnoses\n".to_owned();
    for id in 0..number {
        let mut codes: Vec<String> = (0..drawn.below(5))
            .map(|_| format!("E1{}.{}", drawn.below(3), drawn.below(3) * drawn.below(3)))
            .collect();
        codes.push("I10".into());
        let sex = if drawn.below(2) == 0 { "F" } else { "M" };
        let _ = writeln!(text, "planted-{id},{},{sex},\"{}\"", drawn.below(97), codes.join("; "));
    }
    made.table("patients.csv", &text);
    made
}

const RECIPE: &str = r#"
[input]
path = "in/patients.csv"
[attributes.id]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = { age = 90 }
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnoses]
role = "set"
items = ";"
[[privacy]]
model = "k-km-anonymity"
k = 5
m = 2
[output]
path = "release"
"#;

#[test]
fn a_cell_is_a_set_of_codes() {
    let made = patients(500);
    let outcome = made.run(RECIPE).unwrap();
    let rows = made.released("patients.csv");
    assert_eq!(rows.len() as u64, outcome.survived.persons[1]);
    assert!(rows.iter().all(|row| !row.contains_key("id")));
    let class = |row: &BTreeMap<String, String>| (row.get("age").cloned(), row.get("sex").cloned());
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for row in &rows {
        let codes: Vec<&str> = row["diagnoses"].split(';').filter(|code| !code.is_empty()).collect();
        assert!(codes.is_sorted());
        for (place, first) in codes.iter().enumerate() {
            *counts.entry((class(row), vec![(*first).to_owned()])).or_default() += 1;
            for second in &codes[place + 1..] {
                *counts.entry((class(row), vec![(*first).to_owned(), (*second).to_owned()])).or_default() +=
                    1;
            }
        }
    }
    assert!(counts.len() > 4 && counts.values().all(|count| *count >= 5));
}

#[test]
fn codes_can_climb() {
    let made = patients(120);
    let flat = made.run(RECIPE).unwrap();
    let climbing = RECIPE.replace("items = \";\"", "items = \";\"\nhierarchy = { icd-10 = \"who\" }");
    let climbed = made.run(&climbing).unwrap();
    assert!(
        climbed.survived.pairs[1] >= flat.survived.pairs[1] || !climbed.manifest.generalized_codes.is_empty()
    );
    let text = std::fs::read_to_string(made.path("release/data/patients.csv")).unwrap();
    assert!(!text.contains("planted"));
}

/// One table with a set of codes and an age, of which each is that of two people.
fn ages() -> Made {
    let made = Made::empty();
    let mut text = "id,age,codes\n".to_owned();
    (0..200).for_each(|id| writeln!(text, "{id},{},I10", id % 100).unwrap());
    made.table("people.csv", &text);
    made
}

#[test]
fn the_oldest_are_one_value_at_every_level() {
    for level in [", level = 0", ", level = 1", ""] {
        let made = ages();
        let recipe = format!(
            "[input]\npath = \"in/people.csv\"\n[attributes]\nid = {{ role = \"identifier\" }}\ncodes = {{ role = \"set\", items = \";\" }}\n\
             age = {{ role = \"quasi-identifier\", hierarchy = {{ age = 90 }}{level} }}\n\
             [[privacy]]\nmodel = \"k-km-anonymity\"\nk = 2\nm = 1\n[output]\npath = \"release\"\n"
        );
        made.run(&recipe).unwrap();
        let rows = made.released("people.csv");
        let ages: BTreeSet<&str> = rows.iter().map(|row| &*row["age"]).collect();
        let has = |age: u32| ages.iter().any(|shown| shown.contains(&age.to_string()));
        assert_eq!(rows.len(), 200, "{ages:?}");
        assert!((91..100).all(|age| !has(age)), "{level}: {ages:?}");
        assert!(level != ", level = 0" || (has(90) && has(89)), "{ages:?}");
    }
}
