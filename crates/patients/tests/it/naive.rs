//! What holds of a released OMOP folder, counted by nested loops.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::{Made, Read};

/// The class of each released person: what the person columns and the table of deaths show.
pub(crate) fn classes(made: &Made) -> BTreeMap<String, Vec<String>> {
    let dead: BTreeSet<String> =
        table(made, "DEATH.csv").iter().map(|row| row["person_id"].clone()).collect();
    let columns = ["gender_concept_id", "year_of_birth"];
    let class = |row: &BTreeMap<String, String>| {
        let mut class: Vec<String> = columns.iter().filter_map(|column| row.get(*column).cloned()).collect();
        class.push(dead.contains(&row["person_id"]).to_string());
        (row["person_id"].clone(), class)
    };
    made.released("PERSON.csv").iter().map(class).collect()
}

fn table(made: &Made, name: &str) -> Read {
    if made.path("release/data").join(name).exists() { made.released(name) } else { Vec::new() }
}

/// The codes of each released person.
pub(crate) fn sets(made: &Made) -> BTreeMap<String, BTreeSet<String>> {
    let mut sets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in made.released("CONDITION_OCCURRENCE.csv") {
        sets.entry(row["person_id"].clone()).or_default().insert(row["condition_concept_id"].clone());
    }
    sets
}

/// The least number of persons of a class who share a set of at most m codes that one of them has.
pub(crate) fn least(made: &Made, m: usize) -> usize {
    let (classes, sets) = (classes(made), sets(made));
    let mut counts: BTreeMap<(Vec<String>, Vec<String>), usize> = BTreeMap::new();
    for (person, class) in &classes {
        *counts.entry((class.clone(), Vec::new())).or_default() += 1;
        let codes: Vec<&String> = sets.get(person).into_iter().flatten().collect();
        for (place, first) in codes.iter().enumerate() {
            *counts.entry((class.clone(), vec![(*first).clone()])).or_default() += 1;
            for second in codes.iter().skip(place + 1).filter(|_| m > 1) {
                *counts.entry((class.clone(), vec![(*first).clone(), (*second).clone()])).or_default() += 1;
            }
        }
    }
    counts.values().copied().min().unwrap_or(0)
}

/// The numbers of rows of the persons of a table, most first.
pub(crate) fn rows(read: &Read) -> Vec<usize> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    read.iter().for_each(|row| *counts.entry(&row["person_id"]).or_default() += 1);
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
}
