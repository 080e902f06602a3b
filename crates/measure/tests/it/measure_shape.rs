//! Guards the JSON names, that each is explained, and that no input makes the module panic.

use std::collections::BTreeSet;

use serde_json::Value;
use velamen_measure::measure::{Grouped, Inconsistent, Options, Sensitive, explain, measure};

fn small() -> Grouped {
    let classes = vec![vec![(0, 2), (1, 1)], vec![(0, 1), (1, 1)]];
    let values = vec!["flu".to_owned(), "hiv".to_owned()];
    let sensitive =
        Sensitive { name: "diagnosis".into(), values, numeric: false, classes, people: Vec::new() };
    Grouped { sizes: vec![3, 2], sensitive: vec![sensitive], people: None }
}

fn names(path: &str, value: &Value, into: &mut BTreeSet<String>) {
    let Value::Object(map) = value else { return };
    for (name, value) in map {
        let name = if path == "sensitive." { "*" } else { name };
        let full = format!("{path}{name}");
        names(&format!("{full}."), value, into);
        into.insert(full);
    }
}

#[test]
fn every_name_is_explained_once() {
    let mut used = BTreeSet::new();
    let of_people = Grouped { people: Some((4, 5)), ..small() };
    names("", &serde_json::to_value(measure(&of_people, &Options::default())).unwrap(), &mut used);
    used.remove("sensitive.*");
    used.retain(|name| !name.starts_with("sensitive.*.pycanon."));
    let explained: BTreeSet<String> = explain().iter().map(|&(name, _)| name.to_owned()).collect();
    assert_eq!(explained, used);
    assert_eq!(explain().len(), used.len());
    assert!(explain().iter().all(|(_, sentence)| sentence.ends_with('.')));
}

#[test]
fn attributes_are_a_map_in_the_order_given() {
    let mut grouped = small();
    let mut second = grouped.sensitive[0].clone();
    second.name = "a".into();
    grouped.sensitive.push(second);
    let json = serde_json::to_string(&measure(&grouped, &Options::default())).unwrap();
    assert!(json.starts_with(
        r#"{"records":5,"classes":2,"least-class":2,"mean-class":2.5,"largest-class":3,"k":2,"#
    ));
    assert!(json.find(r#""diagnosis":{"#) < json.find(r#""a":{"#));
}

#[test]
fn an_empty_table_has_no_figures() {
    let sensitive = Sensitive { name: "s".into(), ..Sensitive::default() };
    let measures =
        measure(&Grouped { sizes: vec![], sensitive: vec![sensitive], people: None }, &Options::default());
    assert_eq!((measures.records, measures.classes, measures.k), (0, 0, None));
    let json = serde_json::to_value(&measures.sensitive[0]).unwrap();
    let figures = json
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !["numeric", "values", "pycanon"].contains(&name.as_str()));
    assert!(figures.clone().all(|(_, figure)| figure.is_null()));
    assert!(json["pycanon"].as_object().unwrap().values().all(Value::is_null));
}

#[test]
fn a_table_without_sensitive_attributes_has_class_sizes() {
    let measures =
        measure(&Grouped { sizes: vec![3, 5], sensitive: vec![], people: None }, &Options::default());
    assert_eq!((measures.k, measures.mean_class, measures.pycanon.alpha), (Some(3), Some(4.0), None));
}

#[test]
fn no_c_for_an_l_beyond_the_values() {
    for l in [0, 3, u32::MAX] {
        let measures = measure(&small(), &Options { l: Some(l) });
        assert_eq!(measures.sensitive[0].recursive_l, Some(u64::from(l)));
        assert_eq!(measures.sensitive[0].recursive_c, None);
    }
    assert_eq!(measure(&small(), &Options { l: Some(1) }).sensitive[0].recursive_c, Some(2.0 / 3.0));
}

#[test]
fn enhanced_beta_is_none_where_no_beta_holds() {
    // A class of nothing but a value that half the table has: gain 1 > ln 2.
    let classes = vec![vec![(0, 4)], vec![(1, 4)]];
    let s = Sensitive {
        name: "s".into(),
        values: vec!["a".into(), "b".into()],
        numeric: false,
        classes,
        people: Vec::new(),
    };
    let measures =
        measure(&Grouped { sizes: vec![4, 4], sensitive: vec![s], people: None }, &Options::default());
    assert_eq!(measures.sensitive[0].basic_beta, Some(1.0));
    assert_eq!(measures.sensitive[0].enhanced_beta, None);
    assert_eq!(measures.sensitive[0].pycanon.enhanced_beta, Some(std::f64::consts::LN_2));
}

#[test]
fn inconsistent_input_is_named_and_harmless() {
    let with = |change: fn(&mut Grouped)| {
        let mut grouped = small();
        change(&mut grouped);
        measure(&grouped, &Options::default());
        grouped.check()
    };
    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|g| g.sizes[1] = 0), Err(Inconsistent::Empty { class: 1 }));
    assert_eq!(with(|g| g.sensitive[0].classes[0].clear()), Err(Inconsistent::Empty { class: 0 }));
    let cells = Err(Inconsistent::Cells { attribute: "diagnosis".into(), class: 0 });
    assert_eq!(with(|g| g.sensitive[0].classes[0][1].0 = 7), cells);
    assert_eq!(with(|g| g.sensitive[0].classes[0].reverse()), cells);
    assert_eq!(with(|g| g.sensitive[0].classes[0][0].1 = 0), cells);
    assert_eq!(with(|g| g.sensitive[0].classes[0] = vec![(0, u64::MAX), (1, u64::MAX)]), Ok(()));
    let counted = Inconsistent::Classes { attribute: "diagnosis".into(), counted: 1, sizes: 2 };
    assert_eq!(with(|g| drop(g.sensitive[0].classes.pop())), Err(counted));
    let twice = Inconsistent::Name { attribute: "diagnosis".into() };
    assert_eq!(with(|g| g.sensitive.push(g.sensitive[0].clone())), Err(twice));
}
