//! Rows that lack what they are about, and rows that are nobody's.

use velamen_contract::linked::Column;

use super::made::Made;

/// Which promises are broken after a change.
fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

#[test]
fn a_row_without_its_code_shows_that_one_was_removed() {
    assert_eq!(after(|made| made.set("CONDITION", 3, "code", ""))[0], "columns");
    // Whoever has no code of a column of their own is in the table of persons all the same.
    let of_persons = after(|made| {
        made.manifest.ages = None;
        *made.column("PERSON", "birth") = Column::Set { items: None };
        made.set("PERSON", 11, "birth", "");
    });
    assert_eq!(of_persons, [""; 0]);
}

#[test]
fn a_row_of_nobody_adds_no_person_to_a_code() {
    let with = |person: &str| {
        after(|made| {
            [0, 2, 4].into_iter().for_each(|row| made.set("VISIT", row, "kind", "home"));
            made.set("VISIT", 4, "person_id", person);
        })
    };
    assert_eq!(with("3"), [""; 0], "three persons have the code");
    let broken = with("99");
    assert!(["keys", "code-floor"].iter().all(|name| broken.contains(&(*name).to_owned())), "{broken:?}");
}
