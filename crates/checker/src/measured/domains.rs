//! Whether each attribute's stated values are all of its level, each once: by its definition, which says it without a record.

use std::collections::BTreeSet;

use velamen_contract::{Measurements, PromisedAttribute, Promises};
use velamen_core::hierarchy::Rule;

use super::{MISSING, MOST_VALUES};

/// Whether every attribute has a whole domain, and nothing else has one.
pub(super) fn are_whole(measured: &Measurements, promises: &Promises) -> bool {
    promises.qis.iter().all(|attribute| is_whole(measured, attribute))
        && measured.domains.len() == promises.qis.len()
}

fn is_whole(measured: &Measurements, attribute: &PromisedAttribute) -> bool {
    let Some((stated, released)) = measured.domains.get(&attribute.name).zip(attribute.level) else {
        return false;
    };
    let level = measured.levels.get(&attribute.name).copied().unwrap_or(released);
    let distinct: BTreeSet<&str> = stated.iter().map(String::as_str).collect();
    let once = distinct.len() == stated.len() && level >= released;
    let is_coded = attribute.bottom.is_some() || attribute.top.is_some();
    let listed = match is_coded {
        true if level == released => ends_coded(attribute, level),
        true => None,
        false => listed(attribute, level),
    };
    once && listed.is_some_and(|labels| labels.iter().map(String::as_str).eq(distinct))
}

/// The labels of a level.
fn listed(attribute: &PromisedAttribute, level: u8) -> Option<BTreeSet<String>> {
    let rule = Rule::try_from(&attribute.hierarchy).ok()?;
    let leaves = rule.whole_domain(MOST_VALUES)?;
    let missing = attribute.null_leaf.then(|| rule.label_at(MISSING, level));
    Some(leaves.iter().map(|leaf| rule.label_at(leaf, level)).chain(missing).collect())
}

/// The same where numbers up to `bottom` and from `top` up are one value each. At level 0 that is a number's label; above, that of
/// the interval that holds more than them.
fn ends_coded(attribute: &PromisedAttribute, level: u8) -> Option<BTreeSet<String>> {
    let rule = Rule::try_from(&attribute.hierarchy).ok()?;
    let (mut labels, mut below, mut above) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for leaf in rule.whole_domain(MOST_VALUES)? {
        let number: f64 = leaf.parse().ok()?;
        let label = rule.label_at(&leaf, level);
        match (attribute.bottom, attribute.top) {
            (_, Some(top)) if number >= top => above.insert(label),
            (Some(bottom), _) if number <= bottom => below.insert(label),
            _ => labels.insert(label),
        };
    }
    // Bounds are ends of intervals of every level: what is coded is a value of its own, unless an interval has other numbers, too.
    for (coded, bound, sign) in [(below, attribute.bottom, "<="), (above, attribute.top, ">=")] {
        let is_part = coded.iter().any(|label| labels.contains(label));
        labels.extend(bound.filter(|_| !is_part).map(|bound| format!("{sign}{bound}")));
    }
    labels.extend(attribute.null_leaf.then(|| rule.label_at(MISSING, level)));
    Some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::hierarchy::Definition;

    /// Ages from 0 to 9, or in intervals of 2 and 4.
    fn ages(sizes: Vec<u64>, (bottom, top): (Option<f64>, Option<f64>), level: u8) -> PromisedAttribute {
        let interval = serde_json::json!({ "interval": sizes, "min": 0, "max": 9 });
        let hierarchy: Definition = serde_json::from_value(interval).unwrap();
        PromisedAttribute {
            name: "age".into(),
            level: Some(level),
            hierarchy,
            bottom,
            top,
            ..Default::default()
        }
    }

    fn holds(attribute: &PromisedAttribute, labels: &[&str]) -> bool {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        let measured = Measurements { domains: [("age".to_owned(), labels)].into(), ..Default::default() };
        is_whole(&measured, attribute)
    }

    #[test]
    fn a_domain_whose_ends_are_coded_is_whole() {
        let both = ages(vec![], (Some(2.0), Some(6.0)), 0);
        assert!(holds(&both, &["<=2", "3", "4", "5", ">=6"]));
        assert!(!holds(&both, &["<=2", "3", "5", ">=6"]), "a number that no record has is left out");
        assert!(!holds(&both, &["3", "4", "5", ">=6"]), "an end left out");
        assert!(!holds(&both, &["<=2", "3", "4", "5", "6", ">=6"]), "a number and the end that holds it");
        assert!(!holds(&both, &["<=2", "3", "4", "5", ">=7"]), "another end");
        let missing = PromisedAttribute { null_leaf: true, ..ages(vec![], (None, Some(3.0)), 0) };
        assert!(holds(&missing, &["0", "1", "2", ">=3", ""]) && !holds(&missing, &["0", "1", "2", ">=3"]));
    }

    #[test]
    fn coded_ends_are_values_above_the_lowest_level() {
        let coded = ages(vec![2, 4], (None, Some(6.0)), 1);
        assert!(holds(&coded, &["[0-1]", "[2-3]", "[4-5]", ">=6"]));
        assert!(!holds(&coded, &["[0-1]", "[4-5]", ">=6"]));
    }
    #[test]
    fn each_attribute_has_a_domain_and_nothing_else() {
        let named = |name: &str| PromisedAttribute { name: name.into(), ..ages(vec![], (None, None), 0) };
        let ten = || (0..10).map(|age| age.to_string()).collect::<Vec<String>>();
        let of = |names: &[&str]| {
            let domains = names.iter().map(|name| ((*name).to_owned(), ten())).collect();
            let promises = Promises { qis: vec![named("age"), named("years")], ..Promises::default() };
            are_whole(&Measurements { domains, ..Measurements::default() }, &promises)
        };
        assert!(of(&["age", "years"]));
        for others in [&["age"] as &[_], &["age", "days"], &["age", "years", "days"], &[]] {
            assert!(!of(others), "{others:?}");
        }
    }

    #[test]
    fn a_domain_has_each_value_once_and_is_no_finer_than_what_is_released() {
        let counted = |attribute: &PromisedAttribute, level: u8, labels: &[&str]| {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            let measured = Measurements {
                domains: [("age".to_owned(), labels)].into(),
                levels: [("age".to_owned(), level)].into(),
                ..Measurements::default()
            };
            is_whole(&measured, attribute)
        };
        let released = |level| ages(vec![5], (None, None), level);
        let (numbers, bins) = (["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"], ["[0-4]", "[5-9]"]);
        assert!(holds(&released(0), &numbers) && holds(&released(1), &bins));
        assert!(counted(&released(0), 1, &bins) && counted(&released(0), 0, &numbers));
        assert!(!counted(&released(1), 0, &numbers), "bins are finer than what is released");
        assert!(!holds(&released(1), &["[0-4]", "[5-9]", "[5-9]"]), "a value twice");
        let local = PromisedAttribute { level: None, ..released(0) };
        assert!(!holds(&local, &numbers), "no level is stated");
        // Coded ends are values of the released level alone.
        let coded = ages(vec![5], (None, Some(5.0)), 0);
        assert!(holds(&coded, &["0", "1", "2", "3", "4", ">=5"]));
        assert!(!counted(&coded, 1, &["[0-4]", ">=5"]) && !counted(&coded, 1, &bins));
    }
}
