//! Lists of counterfeits that are a release's, and forged ones.

#![allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]

use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::Definition;
use velamen_core::release::CatalogRow;

use super::*;
use crate::tests::released;
use crate::{CLASS_ID, certify};

/// Class id, age, disease, whose they are and how many.
type Rows<'a> = [(&'a str, &'a str, &'a str, &'a str, u64)];

/// Two classes of three records.
const ROWS: &Rows<'static> = &[
    ("1", "[0-4]", "Anemia", "a", 2),
    ("1", "[0-4]", "Diabetes", "b", 1),
    ("2", "[5-9]", "Anemia", "c", 1),
    ("2", "[5-9]", "Diabetes", "d", 2),
];

fn row(value: &str, count: u64) -> CatalogRow {
    CatalogRow { classes: [1, 2].into(), value: value.into(), count }
}

/// Of the rows, with one counterfeit of each value.
fn promises() -> Promises {
    let hierarchy = Definition::Interval { interval: vec![5.0], min: 0.0, max: 9.0, decimals: 0 };
    let age = PromisedAttribute { name: "age".into(), level: Some(1), hierarchy, ..Default::default() };
    Promises {
        qis: vec![age],
        sensitive: Some("disease".into()),
        records: 6,
        classes: 2,
        counterfeits: 2,
        catalog: vec![row("Anemia", 1), row("Diabetes", 1)],
        ..Promises::default()
    }
}

/// The custodian's list: class, value, how many.
type List<'a> = &'a [(u64, &'a str, u64)];

/// With that list.
fn with(list: List<'_>, promises: Promises) -> Promises {
    let placed =
        |&(class, value, count): &(u64, &str, u64)| PlacedCounterfeits { class, value: value.into(), count };
    Promises { placed: Some(list.iter().map(placed).collect()), ..promises }
}

const HONEST: List<'static> = &[(1, "Anemia", 1), (2, "Diabetes", 1)];

/// All that is found of one promise, with the column of people or not.
fn all_of(rows: &Rows<'_>, promises: &Promises, promise: &str, with_people: bool) -> Vec<Finding> {
    let cells: Vec<([&str; 4], u64)> = rows.iter().map(|row| ([row.0, row.1, row.2, row.3], row.4)).collect();
    let rows: Vec<(&[&str], u64)> = cells.iter().map(|(cells, count)| (&cells[..], *count)).collect();
    let (table, counts) = released(&[CLASS_ID, "age", "disease", "who"], &rows);
    let people = with_people.then_some(3);
    let findings = certify(&Published { table: &table, counts: &counts, people }, promises).unwrap();
    findings.into_iter().filter(|finding| finding.promise == promise).collect()
}

/// The one finding of a promise.
fn of(rows: &Rows<'_>, promises: &Promises, promise: &str) -> Finding {
    let mut all = all_of(rows, promises, promise, false);
    assert_eq!(all.len(), 1, "{promise}");
    all.swap_remove(0)
}

#[test]
fn a_list_fits_the_records_and_the_catalog() {
    let fits = |list: List<'_>, promises: Promises| {
        let finding = of(ROWS, &with(list, promises), PLACED);
        let told = |name: &str| finding.reached[name].as_u64().unwrap();
        let told = ["without-a-record", "unlike-the-catalog", "where-none-can-be"].map(told);
        (told, finding.state)
    };
    for list in [
        HONEST,
        &[(1, "Anemia", 1), (1, "Diabetes", 1)],
        &[(2, "Diabetes", 1), (2, "Anemia", 1)],
        // A line of none says nothing.
        &[(1, "Anemia", 1), (2, "Diabetes", 1), (2, "Rabies", 0)],
    ] {
        assert_eq!(fits(list, promises()), ([0, 0, 0], State::Held), "{list:?}");
    }
    // Two lines of one place are added up.
    let two = || Promises { catalog: vec![row("Anemia", 2)], ..promises() };
    assert_eq!(fits(&[(1, "Anemia", 1), (1, "Anemia", 1)], two()), ([0, 0, 0], State::Held));
    let forged: [(List<'_>, [u64; 3]); 6] = [
        // The class has two such records; both rows of the catalog say something else.
        (&[(1, "Anemia", 3)], [1, 2, 0]),
        (&[(1, "Anemia", 1), (1, "Anemia", 1)], [0, 2, 0]),
        (&[(1, "Anemia", 1)], [0, 1, 0]),
        // No class 3: the catalog's row has none, and the one that is listed is of no row.
        (&[(3, "Anemia", 1), (2, "Diabetes", 1)], [1, 2, 0]),
        // A counterfeit of a value that the catalog does not have.
        (&[(1, "Anemia", 1), (2, "Diabetes", 1), (2, "Rabies", 1)], [1, 1, 0]),
        (&[], [0, 2, 0]),
    ];
    for (list, told) in forged {
        assert_eq!(fits(list, promises()), (told, State::Broken), "{list:?}");
    }
    // More than a number can be are none the less too many.
    let (all, most) = (u64::MAX, [(1, "Anemia", u64::MAX), (1, "Anemia", 1)]);
    let forged = Promises { catalog: vec![row("Anemia", all)], counterfeits: all, ..promises() };
    assert_eq!(fits(&most, forged), ([all - 2, 0, 0], State::Broken));
    // As many are stated as are listed.
    for counterfeits in [1, 3] {
        let stated = fits(HONEST, Promises { counterfeits, ..promises() });
        assert_eq!(stated, ([0, 0, 0], State::Broken), "{counterfeits}");
    }
}

#[test]
fn no_counterfeit_is_where_none_can_be() {
    let mut rows = ROWS.to_vec();
    rows[3].4 = 3;
    let of = |most| {
        let promises = Promises { largest_padded: Some(most), ..promises() };
        let finding = of(&rows, &with(HONEST, promises), PLACED);
        (finding.reached["where-none-can-be"].as_u64().unwrap(), finding.state)
    };
    // Classes of three and of four records.
    assert_eq!([4, 3, 2].map(of), [(0, State::Held), (1, State::Broken), (2, State::Broken)]);
}

#[test]
fn each_class_has_so_many_real_records() {
    let least = |least_real| Promises { least_real: Some(least_real), ..promises() };
    let of = |promises: &Promises| {
        let finding = of(ROWS, promises, LEAST_REAL);
        (finding.reached.as_u64(), finding.state)
    };
    // By the list both classes have two; without it three records, of which the custodian says how many are real.
    assert_eq!(of(&with(HONEST, least(2))), (Some(2), State::Held));
    assert_eq!(of(&with(HONEST, least(3))), (Some(2), State::Broken));
    let one_class = [(1, "Anemia", 1), (1, "Diabetes", 1)];
    assert_eq!(of(&with(&one_class, least(2))), (Some(1), State::Broken));
    assert_eq!([3, 4].map(|n| of(&least(n))), [(None, State::Stated), (Some(3), State::Broken)]);
    // Without counterfeits the records show it.
    let bare = |n| Promises { counterfeits: 0, catalog: Vec::new(), ..least(n) };
    assert_eq!([3, 4].map(|n| of(&bare(n))), [(Some(3), State::Held), (Some(3), State::Broken)]);
    assert_eq!(of(&Promises { persons: true, ..bare(3) }), (Some(3), State::Stated));
    assert_eq!(all_of(ROWS, &promises(), LEAST_REAL, false), []);
}

/// A class whose records are all counterfeits is nobody's.
#[test]
fn each_class_has_a_real_record_where_nothing_is_said() {
    let rows = [("1", "[0-4]", "Anemia", "a", 1), ("2", "[5-9]", "Anemia", "c", 2)];
    let promises = Promises {
        records: 3,
        counterfeits: 1,
        catalog: vec![row("Anemia", 1)],
        of_real: true,
        privacy: vec![("distinct-l-diversity".into(), json!({ "attribute": "disease", "l": 1 }))],
        ..promises()
    };
    let invented = of(&rows, &with(&[(1, "Anemia", 1)], promises.clone()), LEAST_REAL);
    assert_eq!((invented.asked, invented.reached, invented.state), (json!(1), json!(0), State::Broken));
    assert_eq!(all_of(&rows, &with(&[(2, "Anemia", 1)], promises), LEAST_REAL, false), []);
}

fn diverse(l: u64) -> (String, Value) {
    ("distinct-l-diversity".into(), json!({ "attribute": "disease", "l": l }))
}

#[test]
fn models_hold_of_the_values_of_real_records() {
    let alpha = |alpha: f64| {
        ("alpha-k-anonymity".to_owned(), json!({ "attribute": "disease", "alpha": alpha, "k": 3 }))
    };
    // Of a third value there is one record, a counterfeit.
    let rows = [
        ("1", "[0-4]", "Rabies", "r", 1),
        ("1", "[0-4]", "Anemia", "a", 1),
        ("1", "[0-4]", "Diabetes", "b", 3),
        ("2", "[5-9]", "Anemia", "c", 1),
        ("2", "[5-9]", "Diabetes", "d", 2),
        ("2", "[5-9]", "Rabies", "e", 1),
    ];
    let of = |model, list: List<'_>| {
        let catalog = vec![row("Rabies", 1)];
        let promises = Promises {
            privacy: vec![model],
            of_real: true,
            records: 9,
            counterfeits: 1,
            catalog,
            ..promises()
        };
        of(&rows, &with(list, promises), REAL)
    };
    let rabies: &[_] = &[(1, "Rabies", 1)];
    // Sizes are asked of all records.
    let held = of(alpha(0.75), rabies);
    assert_eq!(held.asked["alpha-k-anonymity"]["k"], 1);
    let reached = &held.reached["alpha-k-anonymity"];
    assert_eq!((reached["alpha"].as_f64(), held.state), (Some(0.75), State::Held));
    // Of all records it would be three of five.
    assert_eq!(of(alpha(0.74), rabies).state, State::Broken);
    for (l, list, reached, state) in [
        (2, rabies, 2, State::Held),
        (3, rabies, 2, State::Broken),
        // No list, and no counterfeit: three values each.
        (3, &[], 3, State::Held),
        (2, &[(1, "Rabies", 1), (1, "Anemia", 1)], 1, State::Broken),
    ] {
        let finding = of(diverse(l), list);
        assert_eq!(
            finding.reached["distinct-l-diversity"]["l"].as_f64(),
            Some(f64::from(reached)),
            "{list:?}"
        );
        assert_eq!(finding.state, state, "{list:?}");
    }
}

#[test]
fn whose_the_records_are_shows_where_a_column_says_it() {
    let of = |persons, with_people| {
        let promises =
            Promises { privacy: vec![diverse(2)], least_real: Some(2), of_real: true, persons, ..promises() };
        let promises = with(HONEST, promises);
        let of = |promise| all_of(ROWS, &promises, promise, with_people).swap_remove(0).state;
        [LEAST_REAL, REAL].map(of)
    };
    assert_eq!([of(false, false), of(true, true)], [[State::Held; 2]; 2]);
    assert_eq!(of(true, false), [State::Stated; 2]);
}

#[test]
fn suppressed_records_that_show_their_values_stay_real() {
    let mut rows = ROWS.to_vec();
    rows.push(("", "*", "Anemia", "s", 2));
    rows.push(("", "*", "Diabetes", "t", 1));
    let of = |list: List<'_>, count| {
        let catalog = vec![row("Diabetes", count)];
        let promises = Promises {
            privacy: vec![(
                "alpha-k-anonymity".into(),
                json!({ "attribute": "disease", "alpha": 0.7, "k": 2 }),
            )],
            of_real: true,
            counterfeits: count,
            catalog,
            ..promises()
        };
        let finding = of(&rows, &with(list, promises), REAL);
        (finding.reached["alpha-k-anonymity"]["alpha"].as_f64(), finding.state)
    };
    assert_eq!(of(&[], 0), (Some(2.0 / 3.0), State::Held));
    // Two Anemia are left in class 1.
    assert_eq!(of(&[(1, "Diabetes", 1)], 1), (Some(1.0), State::Broken));
}

#[test]
fn rows_without_a_record_are_left_out() {
    let rows: [(&[&str], u64); 4] = [(&["1", "x"], 5), (&["2", "y"], 5), (&["3", "x"], 5), (&["4", "y"], 5)];
    let (table, _) = released(&[CLASS_ID, "v"], &rows);
    let kept = kept(&table, &[0, 2, 3, 1]);
    let cells: Vec<[&str; 2]> = (0..kept.len)
        .map(|row| [0, 1].map(|column| &*table.columns[column].values[kept.codes[column][row] as usize]))
        .collect();
    assert_eq!(cells, [["2", "y"], ["3", "x"], ["4", "y"]]);
    assert_eq!((kept.codes[0].len(), kept.columns.len()), (3, 2));
}
