//! Whose records are counted: those of people, of pseudonyms, of nobody.

use super::*;

/// What is found of the people of a class: their pseudonyms and diagnoses.
fn people_of(records: &[(&str, &str)]) -> Vec<Finding> {
    let cells: Vec<[&str; 4]> = records.iter().map(|(who, disease)| ["1", "[0-34]", who, disease]).collect();
    let rows: Vec<(&[&str], u64)> = cells.iter().map(|cells| (&cells[..], 1)).collect();
    let (table, counts) = released(&[CLASS_ID, "age", "who", "disease"], &rows);
    let disease = "disease";
    let privacy = vec![
        ("k-anonymity".to_owned(), json!({ "k": 2 })),
        ("distinct-l-diversity".to_owned(), json!({ "attribute": disease, "l": 2 })),
        ("alpha-k-anonymity".to_owned(), json!({ "attribute": disease, "alpha": 0.5, "k": 1 })),
    ];
    let promises = Promises { privacy, ..promises(vec![1, 2]) };
    certify_models(&Published { table: &table, counts: &counts, people: Some(2) }, &promises).unwrap()
}

/// A record without a pseudonym may be of anybody in its class.
#[test]
fn a_record_of_nobody_makes_no_class_larger() {
    let states = |records: &[(&str, &str)]| -> Vec<State> {
        people_of(records).into_iter().map(|finding| finding.state).collect()
    };
    assert_eq!(states(&[("a", "Anemia"), ("b", "Diabetes")]), [State::Held; 3]);
    // It may be of a, who is alone then, and has both.
    assert_eq!(states(&[("a", "Anemia"), ("", "Diabetes")]), [State::Broken; 3]);
    // It may be of b, and what all have is certain.
    let all = states(&[("a", "Anemia"), ("b", "Diabetes"), ("", "Anemia")]);
    assert_eq!(all, [State::Held, State::Broken, State::Broken]);
    let reached = |records: &[(&str, &str)]| people_of(records)[0].reached.clone();
    assert_eq!(reached(&[("a", "Anemia"), ("", "Diabetes")]), json!({ "k": 1 }));
    // Of several such records nobody knows more than that there is somebody.
    assert_eq!(reached(&[("", "Anemia"), ("", "Diabetes")]), json!({ "k": 1 }));
    assert_eq!(reached(&[("a", "Anemia"), ("b", "Diabetes"), ("", "Anemia")]), json!({ "k": 2 }));
}

/// What k is reached, people told apart by these columns of pseudonyms: class id, age, both columns and count.
fn reached_k(rows: &[[&str; 3]], pseudonyms: &[&str]) -> Option<u64> {
    let cells: Vec<[&str; 4]> = rows.iter().map(|row| [row[0], "[0-34]", row[1], row[2]]).collect();
    let rows: Vec<(&[&str], u64)> = cells.iter().map(|cells| (&cells[..], 1)).collect();
    let (mut table, counts) = released(&[CLASS_ID, "age", "patient", "insurance"], &rows);
    // Texts of no record.
    table.columns[2].values.extend(["p7", "p8", "p9"].map(String::from));
    let promises = Promises {
        privacy: vec![("k-anonymity".into(), json!({ "k": 1 }))],
        pseudonyms: pseudonyms.iter().map(|&name| name.into()).collect(),
        qis: promises(vec![1]).qis,
        ..Promises::default()
    };
    let found = certify(&Published { table: &table, counts: &counts, people: None }, &promises).unwrap();
    found.into_iter().find(|finding| finding.promise == "k-anonymity").unwrap().reached["k"].as_u64()
}

#[test]
fn people_are_told_apart_by_pseudonyms_that_records_share() {
    let patients = |rows: &[[&str; 2]]| {
        let rows: Vec<[&str; 3]> = rows.iter().map(|row| [row[0], row[1], ""]).collect();
        reached_k(&rows, &["patient"])
    };
    assert_eq!(patients(&[["1", "a"], ["1", "a"], ["1", "b"]]), Some(2));
    // Every pseudonym is of several records.
    assert_eq!(patients(&[["1", "a"], ["1", "a"], ["2", "b"], ["2", "b"]]), Some(1));
    // Each is of one record: the column tells no more than the records do, also of those that lack it.
    assert_eq!(patients(&[["1", "a"], ["1", "b"], ["1", ""]]), Some(3));
    // Missing and suppressed cells are nobody's, however many records share them.
    assert_eq!(patients(&[["1", ""], ["1", ""], ["1", "a"]]), Some(3));
    assert_eq!(patients(&[["1", "*"], ["1", "*"], ["1", "a"]]), Some(3));
}

#[test]
fn of_several_pseudonyms_those_that_tell_most_people_apart_count() {
    let rows = [["1", "a", "x"], ["1", "a", "y"], ["1", "b", "z"], ["1", "b", "z"]];
    // Two patients, three insurances; texts that no record has tell nobody apart.
    assert_eq!(reached_k(&rows, &["patient"]), Some(2));
    assert_eq!(reached_k(&rows, &["insurance"]), Some(3));
    assert_eq!(reached_k(&rows, &["patient", "insurance"]), Some(3));
    assert_eq!(reached_k(&rows, &["insurance", "patient"]), Some(3));
    assert_eq!(reached_k(&rows, &["lost"]), Some(4), "a column that is not there");
    // One insurance each, and two records of a patient.
    let rows = [["1", "a", "w"], ["1", "a", "x"], ["1", "b", "y"], ["1", "b", "z"]];
    assert_eq!(reached_k(&rows, &["patient", "insurance"]), Some(2));
}
