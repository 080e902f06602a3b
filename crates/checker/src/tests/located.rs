//! What whoever counts knows of single classes, and what no release shows.

use super::*;
use crate::{REAL, certify};
use velamen_contract::PlacedCounterfeits;

#[test]
fn records_of_a_value_without_counterfeits_are_real() {
    let mut rows = FOUR.to_vec();
    rows.extend([("1", "[0-34]", "Diabetes"), ("2", "[35-37]", "Diabetes")]);
    let real = |value: &str| {
        let catalog = vec![CatalogRow { classes: [1, 2, 3].into(), value: value.into(), count: 1 }];
        let promises = Promises { provably_real: Some(0), catalog, classes: 4, ..promises(vec![1, 2]) };
        found(&rows, &promises, "provably-real").unwrap().reached.as_u64().unwrap()
    };
    // Five with diabetes, three with anemia in the group of the first three classes.
    assert_eq!((real("Anemia"), real("Diabetes")), (5, 3));
}

/// Nothing is promised of values of real records: a class of one value can be all counterfeits.
#[test]
fn a_class_of_one_value_can_hold_counterfeits_where_none_is_promised_of_real_records() {
    let rows = [("1", "[0-34]", "Anemia"), ("2", "[35-37]", "Anemia")];
    let catalog = vec![CatalogRow { classes: [1, 2].into(), value: "Anemia".into(), count: 1 }];
    let promises = Promises { catalog, ..promises(vec![1, 2]) };
    assert_eq!(found(&rows, &promises, CATALOG).unwrap().reached["located-counterfeits"], json!(0));
}

#[test]
fn what_is_promised_of_real_records_is_stated_unless_a_list_shows_it() {
    let states = |of_real, list: Option<Vec<PlacedCounterfeits>>| -> Vec<State> {
        let promises = Promises { of_real, placed: list, ..promises(vec![1, 2]) };
        let (table, counts) = table(&TABLE_5);
        let published = Published { table: &table, counts: &counts, people: None };
        let found = certify(&published, &promises).unwrap();
        found.into_iter().filter(|finding| finding.promise == REAL).map(|finding| finding.state).collect()
    };
    let list = || Some(vec![PlacedCounterfeits { class: 1, value: "Diabetes".into(), count: 1 }]);
    assert_eq!((states(true, None), states(false, None)), (vec![State::Stated], vec![]));
    assert_eq!((states(true, list()), states(false, list())), (vec![State::Held], vec![]));
}

#[test]
fn an_entry_excludes_by_the_labels_that_it_covers() {
    let entry = velamen_core::impossible::Impossible {
        attribute: "age".into(),
        from: Some(61.0),
        sensitive: vec!["Diabetes".into()],
        ..Default::default()
    };
    let impossible = |attribute: &str, count| {
        let entry = velamen_core::impossible::Impossible { attribute: attribute.into(), ..entry.clone() };
        let catalog = vec![CatalogRow { classes: [1, 2].into(), value: "Diabetes".into(), count }];
        let promises =
            Promises { counterfeits: count, catalog, impossible: vec![entry], ..promises(vec![1, 2]) };
        found(&TABLE_5, &promises, "impossible-pairs").unwrap().reached["counterfeits"].clone()
    };
    // Nobody of class 2 has diabetes: the two records of class 1 can be counterfeits, a third cannot.
    assert_eq!((impossible("age", 2), impossible("age", 3)), (json!(0), json!(1)));
    // An entry about what is not released excludes nothing here.
    assert_eq!((impossible("weight", 4), impossible("weight", 5)), (json!(0), json!(1)));
}
