use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::json;
use velamen_core::hierarchy::Rule;
use velamen_core::impossible::Impossible;

use super::*;
use crate::model::{self, Asked};

/// An attribute with that hierarchy.
pub(in crate::method::private::invented) fn attribute(
    name: &str,
    role: Role,
    definition: Option<Definition>,
) -> Attribute {
    let rule = definition.as_ref().map_or(Rule::Flat, |definition| Rule::try_from(definition).unwrap());
    Attribute {
        name: name.into(),
        role,
        definition,
        rule: Arc::new(rule),
        weight: 1.0,
        levels: (0, 0),
        levels_asked: false,
        bottom: None,
        top: None,
        step: None,
        from_data: false,
        records_per_person: None,
        missing: false,
        bins: 0,
        intended: false,
    }
}

/// Values of a table, two for each label above them.
fn rows(values: usize) -> Definition {
    let row = |value: usize| vec![format!("v{value}"), format!("w{}", value / 2), "*".to_owned()];
    Definition::Table { rows: (0..values).map(row).collect() }
}

/// Whole numbers from 0.
fn numbers(max: f64) -> Definition {
    Definition::Interval { interval: vec![10.0], min: 0.0, max, decimals: 0 }
}

fn qi(name: &str, values: usize) -> Attribute {
    attribute(name, Role::QuasiIdentifier, Some(rows(values)))
}

pub(in crate::method::private::invented) fn private() -> Asked {
    let entry = model::find("differential-privacy").unwrap();
    let model = (entry.parse)(json!({ "epsilon": 0.5, "delta": 1e-9 })).ok().unwrap();
    Asked { entry, model, attribute: None, shield: None }
}

fn k_anonymity() -> Asked {
    let entry = model::find("k-anonymity").unwrap();
    let model = (entry.parse)(json!({ "k": 2 })).ok().unwrap();
    Asked { entry, model, attribute: None, shield: None }
}

#[test]
fn a_budget_is_for_declared_attributes_and_one_model() {
    let of = |attributes: &[Attribute], models: &[Asked]| {
        budget(&Task::new(attributes, models), "mst").map_err(|p| p.to_string())
    };
    let declared = || qi("a", 3);
    let dropped = [attribute("id", Role::Identifier, None), attribute("whose", Role::Person, None)];
    let with = |more: Vec<Attribute>| -> Vec<Attribute> { dropped.iter().cloned().chain(more).collect() };
    assert_eq!(of(&with(vec![declared()]), &[private()]), Ok((0.5, 1e-9)));
    let refused = |more: Vec<Attribute>, models: &[Asked]| of(&with(more), models).unwrap_err();
    let sensitive = attribute("s", Role::Sensitive, Some(rows(2)));
    assert!(
        refused(vec![declared(), sensitive], &[private()])
            .contains("neither quasi-identifier nor identifier")
    );
    assert!(refused(vec![], &[private()]).contains("no attribute to release"));
    assert!(refused(vec![declared()], &[]).contains("one model only"));
    assert!(refused(vec![declared()], &[k_anonymity()]).contains("one model only"));
    assert!(refused(vec![declared()], &[private(), private()]).contains("one model only"));
}

#[test]
fn attributes_without_a_domain_are_named_together() {
    let mask = Definition::Mask {
        mask: velamen_core::hierarchy::Side::Right,
        length: 2,
        alphabet: 10,
        levels: None,
    };
    let mut read_off = qi("read off", 2);
    read_off.from_data = true;
    let none = attribute("none", Role::QuasiIdentifier, None);
    let masked = attribute("masked", Role::QuasiIdentifier, Some(mask));
    let refused = |attributes: Vec<Attribute>| {
        budget(&Task::new(&attributes, &[private()]), "mst").unwrap_err().to_string()
    };
    assert!(refused(vec![none.clone()]).starts_with("the attribute `none` has no declared domain"));
    let all = refused(vec![none, qi("a", 2), masked, read_off]);
    assert!(all.starts_with("the attributes `none`, `masked`, `read off` have no declared domain"), "{all}");
    assert!(all.contains("[attributes.none]\n") && all.contains("[attributes.\"read off\"]\n"), "{all}");
}

#[test]
fn names_that_are_no_bare_keys_are_quoted() {
    let quotes = ["a-b_1", "", "a b", "a\"b", "a\\b", "ä"].map(quoted);
    assert_eq!(quotes, ["a-b_1", "\"\"", "\"a b\"", "\"a\\\"b\"", "\"a\\\\b\"", "\"ä\""]);
}

#[test]
fn records_of_a_person_are_those_that_the_attribute_says() {
    let of = |attributes: &[Attribute]| {
        records_per_person(&Task::new(attributes, &[])).map_err(|problem| problem.to_string())
    };
    assert_eq!(of(&[qi("a", 2)]), Ok(1));
    let mut person = attribute("whose", Role::Person, None);
    assert!(
        of(&[qi("a", 2), person.clone()]).unwrap_err().contains("how many records of a person are counted")
    );
    person.records_per_person = NonZeroU32::new(7);
    assert_eq!(of(&[qi("a", 2), person]), Ok(7));
}

#[test]
fn an_attribute_has_no_more_values_than_the_model_cells() {
    let of = |attribute: &Attribute, cells: u64| {
        let attributes = [qi("b", 2), attribute.clone()];
        refuse_domains(&Task::new(&attributes, &[]), cells).map_err(|problem| problem.to_string())
    };
    let seven = qi("a", 7);
    assert_eq!(of(&seven, 7), Ok(()));
    assert!(of(&seven, 6).unwrap_err().contains("has 7 values, more than model-cells = 6"));
    // Two values have one label: at that level there are four.
    let (mut higher, mut binned) = (seven.clone(), seven.clone());
    (higher.levels, binned.bins) = ((1, 2), 1);
    for four in [&higher, &binned] {
        assert_eq!(of(four, 4), Ok(()));
        assert!(of(four, 3).unwrap_err().contains("has 4 values, more than model-cells = 3"));
    }
}

/// Past 2²⁰ values are not listed: how many there are is known only where each is counted by itself.
#[test]
fn domains_that_are_not_listed_are_refused_by_that() {
    let wide = |level: u8| {
        let mut wide = attribute("a", Role::QuasiIdentifier, Some(numbers(f64::from(1u32 << 20))));
        wide.levels = (level, level);
        wide
    };
    let more = Some("more than 1048576".to_owned());
    assert_eq!([too_many(&wide(0), 1 << 20), too_many(&wide(0), 9)], [more.clone(), more]);
    assert_eq!([too_many(&wide(0), (1 << 20) + 1), too_many(&wide(1), 9)], [None, None]);
    assert_eq!(sizes(&Task::new(&[wide(0)], &[])), None);
}

#[test]
fn domains_that_a_release_hides_are_refused() {
    let of = |attribute: Attribute| {
        refuse_domains(&Task::new(&[attribute], &[]), 100).map_err(|problem| problem.to_string())
    };
    let coded = |bins: u8, bottom: Option<f64>, top: Option<f64>| {
        let mut coded = attribute("a", Role::QuasiIdentifier, Some(numbers(19.0)));
        (coded.bins, coded.bottom, coded.top) = (bins, bottom, top);
        of(coded)
    };
    assert_eq!([coded(0, Some(3.0), Some(9.0)), coded(1, None, None)], [Ok(()), Ok(())]);
    for (bottom, top) in [(Some(3.0), None), (None, Some(9.0))] {
        assert!(coded(1, bottom, top).unwrap_err().contains("has `bins`, and `top` or `bottom`"));
    }
    let star = Definition::Table { rows: vec![vec!["*".into(), "*".into()], vec!["b".into(), "*".into()]] };
    let star = attribute("a", Role::QuasiIdentifier, Some(star));
    assert!(of(star).unwrap_err().contains("has the value `*`"));
}

/// Counted are the values of the level that is released, or of bins.
#[test]
fn sizes_are_of_what_is_counted() {
    let mut attributes = [qi("a", 7), qi("b", 7), qi("c", 7), qi("d", 3)];
    (attributes[1].levels.0, attributes[2].bins, attributes[3].missing) = (1, 1, true);
    assert_eq!(sizes(&Task::new(&attributes, &[])), Some(vec![7, 4, 4, 4]));
}

pub(in crate::method::private::invented) fn impossible(
    values: &[&str],
    of: &str,
    others: &[&str],
) -> Impossible {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let (from, to, list, place) = (None, None, None, 0);
    Impossible {
        attribute: "a".into(),
        values: owned(values),
        from,
        to,
        sensitive: owned(others),
        of: Some(of.into()),
        list,
        place,
    }
}

#[test]
fn what_attributes_declare_fits_the_cells_or_is_refused() {
    let refused = |attributes: &[Attribute], impossible: &[Impossible], cells: u64| {
        let task = Task { impossible, ..Task::new(attributes, &[]) };
        refuse_unfit(&task, cells).err().map(|problem| problem.to_string())
    };
    let two = [qi("a", 4), qi("b", 6)];
    assert_eq!(refused(&two, &[], 10), None);
    assert!(refused(&two, &[], 9).unwrap().starts_with("attributes by themselves need 10 cells"));
    // At the level of labels above two values there are two and three.
    let mut higher = two.clone();
    (higher[0].levels.0, higher[1].bins) = (1, 1);
    assert_eq!(refused(&higher, &[], 5), None);
    assert!(refused(&higher, &[], 4).unwrap().starts_with("attributes by themselves need 5 cells"));
    let one = [impossible(&["v0"], "b", &["v1", "v2"])];
    assert_eq!(refused(&two, &one, 24), None);
    assert!(refused(&two, &one, 23).unwrap().starts_with("impossible combinations need 24 cells"));
    // Of a label only some values are impossible; where it names all of them, no record is left.
    assert!(refused(&higher, &one, 100).unwrap().contains("only some values are impossible"));
    let all = [impossible(&["w0", "w1"], "b", &["w0", "w1", "w2"])];
    assert!(refused(&higher, &all, 100).unwrap().contains("no record possible"));
    // What cannot be listed is refused elsewhere.
    let wide = attribute("c", Role::QuasiIdentifier, Some(numbers(2e6)));
    assert_eq!(refused(&[two[0].clone(), wide], &[], 5), None);
}

#[test]
fn a_refusal_of_the_recipe_keeps_its_words() {
    for error in [MethodError::Recipe(Problem::new("so")), MethodError::Unfit(Problem::new("so"))] {
        assert_eq!(of_recipe(error).to_string(), "so");
    }
    let stopped = || MethodError::Interrupted(velamen_core::context::Interrupted);
    assert_eq!(of_recipe(stopped()).to_string(), stopped().to_string());
}
