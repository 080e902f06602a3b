use std::collections::BTreeSet;

use super::facts::NAMES;
use super::fill::COUNTED;
use super::form::{Form, FormItem, figures};
use super::name::FormName;

fn items() -> Vec<(FormName, FormItem)> {
    let of = |name: FormName| {
        let sections = Form::load(name).unwrap().section.into_iter();
        sections.flat_map(|section| section.item).map(move |item| (name, item))
    };
    FormName::ALL.into_iter().flat_map(of).collect()
}

/// The names in braces.
fn in_braces(text: &str) -> Vec<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

#[test]
fn items_name_figures_and_facts_that_exist() {
    let known = figures().unwrap();
    let mut used = BTreeSet::new();
    for (form, item) in items() {
        let place = format!("{form:?} {}", item.id);
        for name in item.case.iter().flat_map(|case| &case.figures).chain(&item.help) {
            assert!(known.contains_key(name), "{place}: no figure {name}");
            used.insert(name.clone());
        }
        for condition in item.case.iter().flat_map(|case| &case.when) {
            assert!(NAMES.contains(&condition.trim_start_matches('!')), "{place}: no fact {condition}");
        }
    }
    let unused: Vec<&String> = known.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "no form asks for {unused:?}");
}

#[test]
fn a_case_says_something_and_rests_on_figures() {
    for (form, item) in items() {
        for case in &item.case {
            let place = format!("{form:?} {}", item.id);
            assert!(case.says.is_some() != case.out.is_some(), "{place}: one of says and out");
            assert!(case.out.is_some() || !case.figures.is_empty(), "{place}: nothing shows it");
            let said = in_braces(case.says.as_deref().unwrap_or_default());
            let figures = said.iter().filter(|name| **name != COUNTED);
            for name in figures.map(|name| (*name).to_owned()).chain(case.value.clone()) {
                assert!(case.figures.contains(&name), "{place}: {name} has no command");
            }
        }
        assert!(item.case.last().is_some() || item.write.is_some(), "{form:?} {}: nothing to go by", item.id);
    }
}

#[test]
fn numbers_of_items_are_unique_and_clauses_are_named() {
    let mut seen = BTreeSet::new();
    for (form, item) in items() {
        assert!(seen.insert(format!("{form:?} {}", item.id)), "{form:?} {} stands twice", item.id);
        assert!(!item.clause.is_empty() && item.ask.ends_with('?'), "{form:?} {}", item.id);
    }
}
