//! Hierarchies of codes and dates keep the laws of hierarchies, and the checker reads every label as the rule
//! means it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use velamen_checker::standard_place;
use velamen_core::hierarchy::{Definition, Rule, TableRule};

const DATES: [&str; 5] = [
    r#"["month","quarter","year","5-years","10-years"]"#,
    r#"["week","week-year"]"#,
    r#"["quarter","10-years"]"#,
    r#"["week-year"]"#,
    "[]",
];

fn two() -> impl Strategy<Value = String> {
    (0..100u32).prop_map(|n| format!("{n:02}"))
}

/// A definition with values of which most are in its domain.
fn cases() -> impl Strategy<Value = (String, Vec<String>)> {
    let many = |value: BoxedStrategy<String>| prop::collection::vec(value, 1..40);
    let who = "[A-Z][0-9]{2}(\\.?[0-9]{1,2})?".boxed();
    let cm =
        prop_oneof!["[A-Z][0-9]{2}(\\.?[0-9A-Z]{1,4})?", "(C4A|C7B|M1A|O9A|Z3A)(\\.[0-9X]{1,3})?"].boxed();
    let atc = "[A-EGHJLMNPRSV]([0-9]{2}([A-C]([A-C]([0-9]{2})?)?)?)?".boxed();
    let zip = "[0-9]{5}(-[0-9]{4})?".boxed();
    let prefix = "[0-9]{2}([0-9]{3}([0-9]{3})?)?".boxed();
    let letters = "[A-D]{2}[0-9A-C]{1,3}".boxed();
    let postcode = "[A-D]{1,2}[0-9]{1,2}([a-c]| ?[0-9][A-Ca-c]{2})?".boxed();
    let date = (1998..2032i32, 1..13u32, two())
        .prop_map(|(year, month, day)| format!("{year}-{month:02}-{day}"))
        .boxed();
    prop_oneof![
        (3..6usize, many(who))
            .prop_map(|(longest, values)| (format!(r#"{{"icd-10":"who","longest":{longest}}}"#), values)),
        (prop::bool::ANY, many(cm)).prop_map(|(short, values)| (
            format!(r#"{{"icd-10":"cm","lengths":{}}}"#, if short { "[3]" } else { "[6,5,4,3]" }),
            values
        )),
        (prop::bool::ANY, many(atc)).prop_map(|(full, values)| (
            format!(r#"{{"atc":"{}"}}"#, if full { "full" } else { "any-level" }),
            values
        )),
        (prop::bool::ANY, prop::collection::btree_set("[0-9]{3}", 0..30), many(zip)).prop_map(
            |(plus, small, values)| (
                format!(r#"{{"us-zip":{},"plus-4":{plus}}}"#, serde_json::json!(small)),
                values
            )
        ),
        (prop::sample::select(vec!["unit", "district", "any"]), many(postcode))
            .prop_map(|(values, codes)| (format!(r#"{{"uk-postcode":"{values}"}}"#), codes)),
        (prop::bool::ANY, many(prefix))
            .prop_map(|(shorter, values)| (format!(r#"{{"prefix":[2,5,8],"shorter":{shorter}}}"#), values)),
        (prop::bool::ANY, many(letters)).prop_map(|(shorter, values)| (
            format!(r#"{{"prefix":[3,4,5],"alphabet":36,"shorter":{shorter}}}"#),
            values
        )),
        (0..DATES.len(), many(date)).prop_map(|(levels, values)| (
            format!(r#"{{"date":{},"min":"1999-11-17","max":"2029-02-03"}}"#, DATES[levels]),
            values
        )),
    ]
}

/// The values of the domain in their one spelling, and the rule.
fn settled(json: &str, values: Vec<String>) -> (Definition, Rule, Vec<String>) {
    let definition: Definition = serde_json::from_str(json).unwrap();
    let rule = Rule::try_from(&definition).unwrap();
    let mut values: Vec<String> = values
        .into_iter()
        .filter(|value| rule.contains(value))
        .map(|value| rule.coded(&value).unwrap_or(value))
        .collect();
    values.sort();
    values.dedup();
    (definition, rule, values)
}

proptest! {
    #[test]
    fn the_checker_reads_every_label_as_the_rule_means_it((json, values) in cases()) {
        let (definition, rule, values) = settled(&json, values);
        let (leaves, hierarchy) = rule.over(values, false);
        for level in 0..hierarchy.top() {
            for leaf in 0..leaves.len() as u32 {
                let code = hierarchy.code(level, leaf);
                let place = standard_place(&definition, Some(level), hierarchy.label(level, code));
                prop_assert_eq!(place, Some((level, hierarchy.leaves(level, code))));
            }
        }
        prop_assert_eq!(standard_place(&definition, Some(0), "no code"), None);
    }

    #[test]
    fn a_label_has_one_parent_and_covers_no_more_than_it((json, values) in cases()) {
        let (_, rule, values) = settled(&json, values);
        let (leaves, hierarchy) = rule.over(values, false);
        for level in 0..hierarchy.top() {
            let mut parents = BTreeMap::new();
            let mut below: BTreeMap<u32, u64> = BTreeMap::new();
            for leaf in 0..leaves.len() as u32 {
                let (code, above) = (hierarchy.code(level, leaf), hierarchy.code(level + 1, leaf));
                prop_assert_eq!(*parents.entry(code).or_insert(above), above);
            }
            for (&code, &above) in &parents {
                *below.entry(above).or_default() += hierarchy.leaves(level, code);
            }
            for (above, sum) in below {
                prop_assert!(sum <= hierarchy.leaves(level + 1, above));
            }
        }
        prop_assert!(leaves.is_empty() || hierarchy.leaves(hierarchy.top(), 0) == hierarchy.domain());
    }

    #[test]
    fn the_exported_table_has_the_same_labels((json, values) in cases()) {
        let (_, rule, values) = settled(&json, values);
        prop_assume!(!values.is_empty());
        let row = |value: &String| (0..=rule.top()).map(|level| rule.label_at(value, level)).collect();
        let table = Rule::Table(TableRule::new(values.iter().map(row).collect()).unwrap());
        for value in &values {
            for level in 0..=rule.top() {
                prop_assert_eq!(table.label_at(value, level), rule.label_at(value, level));
            }
        }
    }

    #[test]
    fn a_value_has_one_spelling((json, values) in cases()) {
        let (_, rule, values) = settled(&json, values);
        for value in values {
            prop_assert!(rule.contains(&value) && rule.coded(&value).is_none());
        }
    }
}

/// Where the domain can be listed, the leaves of every label are counted.
#[test]
fn leaves_of_a_listed_domain_add_up() {
    let dates = DATES.map(|levels| format!(r#"{{"date":{levels},"min":"1999-11-17","max":"2029-02-03"}}"#));
    let zip = r#"{"us-zip":["036","059","102"]}"#.to_owned();
    for json in dates.into_iter().chain([zip]) {
        let rule = Rule::try_from(&serde_json::from_str::<Definition>(&json).unwrap()).unwrap();
        let (leaves, hierarchy) = rule.over(rule.whole_domain(100_000).unwrap(), false);
        assert_eq!(leaves.len() as u64, hierarchy.domain());
        for level in 0..=hierarchy.top() {
            let mut counts = vec![0u64; hierarchy.width(level)];
            (0..leaves.len() as u32).for_each(|leaf| counts[hierarchy.code(level, leaf) as usize] += 1);
            let covered = (0..counts.len() as u32).map(|code| hierarchy.leaves(level, code));
            assert_eq!(covered.collect::<Vec<_>>(), counts, "{json} {level}");
        }
    }
}
