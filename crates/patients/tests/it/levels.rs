//! How the levels of person columns are chosen, beside all levels that there are.

use std::collections::BTreeMap;

use super::folder::Made;
use super::tables::{RECIPE, hospital};

/// Levels of sex and birth.
type Node = [u8; 2];

fn recipe(method: &str) -> String {
    RECIPE.replace("km-anonymity", "k-km-anonymity").replace("m = 2", "m = 1").replace(
        "[output]",
        &format!("[method]\nname = \"thin\"\nsuppression-limit = 0.1\n{method}\n[output]"),
    )
}

/// The levels of a release, which keeps what it promises.
fn levels(made: &Made, recipe: &str) -> Option<Node> {
    let outcome = made.run(recipe).ok()?;
    let columns = &outcome.manifest.tables["patients"].columns;
    let level = |name: &str, top: u8| {
        let column = columns.get(name).map(|column| serde_json::to_value(column).unwrap());
        column.and_then(|column| column["level"].as_u64()).map_or(top, |level| level as u8)
    };
    Some([level("SEX", 1), level("BIRTHDATE", 3)])
}

/// All nodes that leave out few enough persons, and how many they leave out.
fn feasible(made: &Made) -> BTreeMap<Node, u64> {
    let mut found = BTreeMap::new();
    for (sex, birth) in (0..=1).flat_map(|sex| (0..=3).map(move |birth| (sex, birth))) {
        let fixed = recipe("")
            .replace("SEX = {", &format!("SEX = {{ level = {sex},"))
            .replace("BIRTHDATE = {", &format!("BIRTHDATE = {{ level = {birth},"));
        if let Ok(outcome) = made.run(&fixed) {
            found.insert([sex, birth], outcome.manifest.persons.suppressed);
        }
    }
    found
}

#[test]
fn each_search_ends_where_few_enough_persons_are_left_out() {
    for persons in [40, 90, 300] {
        let made = hospital(persons);
        let feasible = feasible(&made);
        assert!(!feasible.is_empty());
        let by = |name: &str| levels(&made, &recipe(&format!("demographics = \"{name}\""))).unwrap();
        let [optimal, datafly, samarati] = ["optimal", "datafly", "samarati"].map(by);
        assert_eq!(optimal, levels(&made, &recipe("")).unwrap());
        assert!([optimal, datafly, samarati].iter().all(|node| feasible.contains_key(node)));
        let height = |node: &Node| node.iter().map(|level| u32::from(*level)).sum::<u32>();
        assert_eq!(Some(height(&samarati)), feasible.keys().map(height).min());
        // More years than sexes: a birth climbs first, level by level.
        let first = (0..=3).map(|birth| [0, birth]).find(|node| feasible.contains_key(node));
        assert!(first.is_none_or(|first| datafly == first), "{datafly:?}, {first:?}");
    }
}

#[test]
fn other_names_are_refused_with_those_that_there_are() {
    let made = hospital(40);
    let error = made.run(&recipe("demographics = \"genetic\"")).map(|_| ()).unwrap_err();
    assert_eq!(error.exit_code(), 5);
    assert!(error.to_string().contains("optimal, datafly, samarati, mondrian"), "{error}");
}
