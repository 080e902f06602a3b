//! Parts of the check, against what is computed by hand.

use super::*;

fn loss(epsilon: &str, delta: &str) -> Loss {
    Spent { step: String::new(), epsilon: epsilon.into(), delta: delta.into() }.loss().unwrap()
}

/// How near the release is, the way it was measured changed.
fn near(change: Forgery) -> Option<Nearness> {
    let (mut measured, promises) = (measured(), promises());
    change(&mut measured);
    let (table, counts) = crate::tests::released(&[CLASS_ID, "a", "b"], &ROWS);
    let published = Published { table: &table, counts: &counts, people: None };
    let view = View::new(&published, 0, vec![1, 2]);
    nearness(&measured, &view, &promises, &Sizes::of(&measured, &promises)?)
}

#[test]
fn the_distance_is_what_the_tables_differ_by_beyond_rounding() {
    let found = near(|_| ()).unwrap();
    // Records: x 199, y 93, z 10; 0 146, 1 156; pairs 97 102, 39 54, 10 0. Of each difference two are rounding.
    let of = |squares: f64, units: u64| squares / (units as f64 / 65536.0);
    let (a, b) = (of(1.0 + 9.0, OF_A), of(16.0 + 4.0, OF_B));
    let pair = of(1.0 + 16.0 + 49.0, OF_PAIR);
    assert!((found.reached - (a + b + pair)).abs() < 1e-9, "{found:?}");
    assert_eq!((found.cells, found.log_ways), (11.0, 0.0));
}

#[test]
fn a_table_has_a_count_for_each_combination_of_different_attributes() {
    assert!(near(|m| m.tables[0].counts = "100 100 45 55 10".into()).is_none(), "a count left out");
    assert!(near(|m| m.tables[0].counts = "100 100 45 55 10 -9 1".into()).is_none(), "one more");
    assert!(near(|m| m.tables.push(table(&["b", "b"], "1", "1 2 3 4"))).is_none(), "an attribute by itself");
    assert!(near(|m| m.tables.push(table(&[], "1", "302"))).is_none(), "all records");
    assert!(near(|m| m.tables.push(table(&["b"], "1", "146 156"))).is_some(), "an attribute once more");
}

#[test]
fn each_attribute_is_measured_alone_once() {
    let sizes = |change: Forgery| {
        let mut measured = measured();
        change(&mut measured);
        Sizes::of(&measured, &promises()).map(|sizes| (sizes.whole("a").unwrap(), sizes.left("a").unwrap()))
    };
    assert_eq!(sizes(|_| ()), Some((3, 3)));
    let two: Forgery = |m| drop(m.merged.insert("a".into(), vec![0, 2]));
    assert_eq!(sizes(two), Some((3, 2)));
    let forgeries: [(&str, Forgery); 8] = [
        ("another attribute's", |m| {
            m.alone[1].attributes[0] = "c".into();
            m.domains.insert("c".into(), vec!["0".into()]);
        }),
        ("with another", |m| m.alone[0].attributes.push("b".into())),
        ("twice", |m| m.alone.push(m.alone[0].clone())),
        ("not at all", |m| drop(m.alone.pop())),
        ("a table of nothing", |m| m.alone.push(table(&[], "1", "302"))),
        ("values of another attribute put together", |m| {
            m.merged.insert("c".into(), vec![0]);
            m.domains.insert("c".into(), vec!["0".into()]);
        }),
        ("a value put together that is none", |m| drop(m.merged.insert("a".into(), vec![2, 3]))),
        ("without a domain", |m| drop(m.domains.remove("b"))),
    ];
    for (what, forge) in forgeries {
        assert_eq!(sizes(forge), None, "{what}");
    }
}

#[test]
fn what_is_farther_than_its_noise_does_not_hold() {
    let mut sum = Nearness::default();
    sum.add(10.0, 7.0, 4.0);
    sum.add(10.0, 18.0, 2.0);
    sum.add(1.0, 2.0, 1.0);
    // Of 3, 8 and 1 two are rounding: 1²/4 + 6²/2.
    assert_eq!((sum.reached, sum.cells), (18.25, 3.0));
    sum.add_total(5.0, -1.0, 8.0);
    sum.add_total(5.0, 6.0, 8.0);
    // 4²/8 more, and no cell.
    assert_eq!((sum.reached, sum.cells), (20.25, 3.0));
    // n + 2√(nx) + 2x for n = 4 and x = 20.7: 4 + 18.199 + 41.4.
    let holds = |reached, log_ways| Nearness { reached, cells: 4.0, log_ways }.holds();
    assert!(holds(63.59, 0.0) && !holds(63.61, 0.0));
    // x = 30.7: 4 + 22.163 + 61.4.
    assert!(holds(87.56, 10.0) && !holds(87.57, 10.0));
}

#[test]
fn a_missing_value_alone_is_public_beside_those_of_the_level() {
    let of = |null_leaf, labels: Vec<&str>| {
        let attribute = PromisedAttribute { null_leaf, ..promises().qis.swap_remove(0) };
        are_public(&attribute, labels)
    };
    assert!(of(false, vec!["x", "z"]) && of(true, vec!["x", ""]));
    assert!(!of(false, vec!["x", ""]) && !of(true, vec!["x", "w"]) && !of(true, vec!["*", ""]));
}

#[test]
fn what_is_not_of_the_domains_is_not_fitted() {
    let with_note: Vec<Vec<&str>> = ROWS.iter().map(|row| [row.0, &["note"]].concat()).collect();
    let rows: Vec<(&[&str], u64)> = with_note.iter().zip(ROWS).map(|(row, own)| (&row[..], own.1)).collect();
    let found = reached(&promises(), &["note"], &rows);
    assert_eq!((&found["distance-of-fit"], &found["only-public-domains"]), (&Value::Null, &json!(false)));
    assert!(found["distance-of-noise"].is_number(), "{found}");
}

#[test]
fn shares_are_told_to_five_places() {
    assert_eq!([0.001_234_6, 0.000_004, 0.25, 7.0].map(to_places), [0.001_23, 0.0, 0.25, 7.0]);
}

/// What rounds below a part in 10⁹ is forgiven on either side.
#[test]
fn rho_is_the_most_that_is_bought() {
    let total = loss("1", "1/1000000000");
    let ln_delta = 1e-9f64.ln();
    // The most, by halving: more of ρ is proven with a larger δ alone.
    let (mut most, mut above) = (1u128, 1u128 << PLACES);
    while above - most > 1 {
        let middle = most.midpoint(above);
        if least_log_delta(in_units(middle), 1.0) <= ln_delta {
            most = middle;
        } else {
            above = middle;
        }
    }
    assert!((in_units(most) - 0.014_973_057_6).abs() < 1e-9, "{most}");
    let millionth = most >> 20;
    assert!(is_bought(most, total) && is_bought(most - millionth / 2, total));
    // ln δ grows by about 16 where ln ρ grows by 1: this is 10⁻¹⁰ of it, and then 10⁻⁷.
    assert!(is_bought(most + (most >> 37), total) && !is_bought(most + (most >> 27), total));
    // Just a millionth less, and clearly more than that.
    assert!(is_bought(most - millionth, total) && !is_bought(most - 2 * millionth, total));
    // A unit of ρ is more than these buy, and none is no ρ.
    assert!(!is_bought(0, loss("1/1000000000", "1/1000000000000")));
}
