use proptest::prelude::*;

use super::*;
use velamen_checker::read;
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{CodedRule, Cuts, Definition, IntervalRule, TableRule};
use velamen_core::label::Range;
use velamen_core::recoding::Recoding;
use velamen_core::step::Step;

fn of(rule: &Rule, values: &[(&str, u64)], shown: &Shown) -> Result<(Order, Hierarchy), Problem> {
    let (leaves, hierarchy) = rule.over(values.iter().map(|v| v.0.to_owned()).collect(), false);
    let records = |leaf: &String| values.iter().find(|value| value.0 == leaf).unwrap().1;
    let records: Vec<u64> = leaves.iter().map(records).collect();
    match Scale::new(rule, &hierarchy, &records, shown)? {
        Scale::Ordered(order) => Ok((order, hierarchy)),
        Scale::Tree => panic!("expected an order"),
    }
}

const BY_ONE: Shown = Shown { cell: 2, value: 2, step: Some(Step::Number(1.0)), apart: false };

fn ordered(rule: &Rule, values: &[&str]) -> (Order, Hierarchy) {
    let values: Vec<(&str, u64)> = values.iter().map(|value| (*value, 1)).collect();
    of(rule, &values, &BY_ONE).unwrap()
}

fn shown(rule: &Rule, values: &[&str], low: u32, high: u32) -> (String, u64) {
    let (order, hierarchy) = ordered(rule, values);
    let value = order.region(low, high, 1, &hierarchy).value;
    (value.label, value.leaves)
}

/// What each value by itself, and all of them, are released as.
fn labels(rule: &Rule, values: &[(&str, u64)], shown: &Shown) -> (Vec<(String, String)>, Ends) {
    let (order, hierarchy) = of(rule, values, shown).unwrap();
    let label = |low, high| order.region(low, high, 1, &hierarchy).value.label;
    let own = |(code, leaf): (usize, &String)| {
        let place = order.rank[code];
        (leaf.clone(), label(place, place))
    };
    (hierarchy.labels(0).iter().enumerate().map(own).collect(), order.ends())
}

fn own_labels(values: &[(&str, u64)], k: u64) -> Vec<String> {
    labels(&Rule::Flat, values, &Shown::of(k, None, false)).0.into_iter().map(|(_, label)| label).collect()
}

fn interval(max: i64) -> Rule {
    Rule::Interval(IntervalRule::new(Cuts::Sizes(vec![5]), 0, max, 0).unwrap())
}

#[test]
fn ranges_count_the_leaves_of_the_domain() {
    assert_eq!(shown(&interval(99), &["40", "", "7"], 1, 2), ("[7-40]".into(), 34));
    assert_eq!(shown(&interval(99), &["40", "", "7"], 0, 1), ("*".into(), 101));
    let rows = ["10", "9", "30"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]);
    let table = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
    assert_eq!(shown(&table, &["30", "9"], 0, 1), ("[9-30]".into(), 3));
}

#[test]
fn coded_ends_make_open_ranges() {
    let ages = IntervalRule::new(Cuts::Sizes(vec![5]), 0, 99, 0).unwrap();
    let ages = Rule::Coded(CodedRule::new(Some(ages), Some(19.0), Some(90.0)).unwrap());
    let values = ["<=19", "30", "50", ">=90"];
    assert_eq!(shown(&ages, &values, 0, 1), ("<=30".into(), 31));
    assert_eq!(shown(&ages, &values, 1, 2), ("[30-50]".into(), 21));
    assert_eq!(shown(&ages, &values, 2, 3), (">=50".into(), 50));
    assert_eq!(shown(&ages, &values, 0, 3), ("*".into(), 100));
    assert_eq!(shown(&ages, &values, 3, 3), (">=90".into(), 10));
}

#[test]
fn extents_are_shares_of_the_tables_range() {
    let (order, _) = ordered(&Rule::Flat, &["0", "10", "40", ""]);
    let extents = [order.extent(1, 2), order.extent(1, 3), order.extent(2, 2), order.extent(0, 1)];
    assert_eq!(extents, [0.25, 1.0, 0.0, 1.0]);
}

#[test]
fn a_declared_step_is_printed_wherever_it_falls() {
    let tens = Shown { step: Some(Step::Number(10.0)), ..BY_ONE };
    let (of_values, ends) = labels(&Rule::Flat, &[("34", 1), ("37", 5), ("-2", 1), ("120", 1)], &tens);
    let own: Vec<&str> = of_values.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!((own, ends), (vec!["[-10--1]", "[30-39]", "37", "[120-129]"], Ends::Step(Step::Number(10.0))));
    let (of_values, _) = labels(&interval(103), &[("34", 1), ("103", 1)], &tens);
    assert_eq!(of_values[1].1, "[100-109]");
    let halves = Shown { step: Some(Step::Number(0.5)), ..BY_ONE };
    let (of_values, _) = labels(&Rule::Flat, &[("1.25", 3), ("1.61", 1), ("0.07", 2)], &halves);
    let own: Vec<&str> = of_values.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(own, ["0.07", "1.25", "[1.5-1.99]"]);
}

#[test]
fn a_step_that_does_not_fit_is_refused() {
    let by = |step: Step| Shown { step: Some(step), ..BY_ONE };
    let problem = |values: &[(&str, u64)], step| of(&Rule::Flat, values, &by(step)).unwrap_err();
    let month = Step::Span("month".parse().unwrap());
    assert!(
        problem(&[("a", 1), ("b", 1)], Step::Number(1.0)).to_string().contains("not all of its values are")
    );
    assert!(problem(&[("1", 1), ("2", 1)], month).to_string().contains("values are numbers"));
    assert!(problem(&[("2020-01-01", 1)], Step::Number(1.0)).to_string().contains("values are dates"));
    assert!(problem(&[("1", 1), ("2", 1)], Step::Number(0.5)).to_string().contains("decimals"));
}

#[test]
fn what_few_records_have_ends_where_many_are() {
    // Of every age from 20 to 39 there are five; three are older, at ages that nobody else has.
    let ages: Vec<String> = (20..40).map(|age| age.to_string()).collect();
    let mut values: Vec<(&str, u64)> = ages.iter().map(|age| (age.as_str(), 5)).collect();
    values.extend([("61", 1), ("84", 1), ("97", 1)]);
    let own = own_labels(&values, 5);
    assert_eq!((own[0].as_str(), own[19].as_str()), ("20", "39"));
    assert_eq!(own[20..], [">=39", ">=39", ">=39"]);
    // Seven more at different high ages are enough for an end of their own.
    values.extend([("101", 1), ("103", 1), ("106", 1), ("108", 1), ("109", 1), ("110", 1), ("112", 1)]);
    let own = own_labels(&values, 5);
    assert_eq!((own[20].as_str(), own.last().unwrap().as_str()), (">=39", ">=106"));
}

#[test]
fn an_outlier_does_not_widen_the_step_of_all() {
    let amounts: Vec<String> =
        (0..500).map(|n| (1000 + 3 * n).to_string()).chain(["900000".into()]).collect();
    let values: Vec<(&str, u64)> = amounts.iter().map(|amount| (amount.as_str(), 1)).collect();
    let (own, ends) = labels(&Rule::Flat, &values, &Shown::of(5, None, false));
    assert_eq!(ends, Ends::Step(Step::Number(20.0)));
    assert_eq!((own[0].1.as_str(), own[500].1.as_str()), ("[1000-1019]", ">=2480"));
}

#[test]
fn days_end_with_months_or_years() {
    let days: Vec<String> = (1..=28)
        .flat_map(|day| (1..=12).map(move |month| format!("2020-{month:02}-{day:02}")))
        .chain(["1931-07-05".into()])
        .collect();
    let values: Vec<(&str, u64)> = days.iter().map(|day| (day.as_str(), 1)).collect();
    let (own, ends) = labels(&Rule::Flat, &values, &Shown::of(5, None, false));
    assert_eq!(ends, Ends::Step(Step::Span("month".parse().unwrap())));
    assert_eq!(own[0].1, "[0001-01-01..2020-01-31]");
    assert_eq!(own[1].1, "[2020-01-01..2020-01-31]");
}

#[test]
fn texts_are_sets_without_what_is_rare() {
    let values = [("A", 5), ("B", 1), ("C", 7), ("D|E", 9), ("F", 6), ("", 3)];
    let (order, hierarchy) = of(&Rule::Flat, &values, &Shown::of(5, None, false)).unwrap();
    let place = |value: &str| order.rank[hierarchy.labels(0).iter().position(|leaf| leaf == value).unwrap()];
    let label = |low: &str, high: &str| {
        let value = order.region(place(low), place(high), 1, &hierarchy).value;
        (value.label, value.leaves)
    };
    assert_eq!(label("A", "C"), ("{A|C}".into(), 2));
    assert_eq!(label("A", "F"), ("{A|C|F}".into(), 3));
    assert_eq!((label("C", "C"), label("", "")), (("C".into(), 1), ("".into(), 1)));
    for (low, high) in [("B", "B"), ("D|E", "D|E"), ("B", "A"), ("", "F")] {
        assert_eq!(label(low, high), ("*".into(), 6), "{low} {high}");
    }
    assert_eq!(place("B"), place("D|E"));
    assert_eq!(order.apart(place(""), place("F")).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_set_names_few_values() {
    let texts: Vec<String> = (0..30).map(|n| format!("t{n:02}")).collect();
    let values: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), 9)).collect();
    let (order, hierarchy) = of(&Rule::Flat, &values, &Shown::of(5, None, false)).unwrap();
    let leaves = |high| order.region(0, high, 1, &hierarchy).value.leaves;
    assert_eq!((leaves(19), leaves(20)), (20, 30));
}

/// Values with a rule whose labels are ranges or sets of them, and how many records have each.
fn attributes() -> impl Strategy<Value = (Rule, Definition, Vec<String>, Vec<u64>)> {
    let strings = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    let numbers = ["<=-20", "-9", "-1.5", "-0.25", "0", "1e-3", ".5", "+7", "8.", "1e1", "12", ">=20", ""];
    let texts = ["-", "-x", "..", "A", "A.", "A..b", "Ä", "[1-2]", "b-c", "x", "7", "{x}", "a|b"];
    let flat = |values: Vec<String>| (Rule::Flat, Definition::Flat { domain: values.len() as u64 }, values);
    let table = |values: Vec<String>| {
        let rows: Vec<_> = values.iter().map(|value| vec![value.clone(), TOP.to_owned()]).collect();
        (Rule::Table(TableRule::new(rows.clone()).unwrap()), Definition::Table { rows }, values)
    };
    let ages = |(values, min, max): (std::collections::BTreeSet<i64>, i64, i64)| {
        let (min, max) = (min as f64, max as f64);
        let hierarchy = Definition::Interval { interval: vec![5.0], min, max, decimals: 0 };
        let values = values.iter().map(i64::to_string).collect();
        (Rule::try_from(&hierarchy).unwrap(), hierarchy, values)
    };
    let days = move |days: std::collections::BTreeSet<i64>| flat(days.into_iter().map(shown_day).collect());
    let values = prop_oneof![
        prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(flat),
        prop::sample::subsequence(strings(&texts), 3..=texts.len()).prop_map(flat),
        prop::sample::subsequence(strings(&numbers), 3..=numbers.len()).prop_map(table),
        (prop::collection::btree_set(-50..50i64, 3..30), -54..-49i64, 49..60i64).prop_map(ages),
        prop::collection::btree_set(-1000..1000i64, 1..40)
            .prop_map(move |values| flat(values.iter().map(|n| format!("{}", *n as f64 / 8.0)).collect())),
        prop::collection::btree_set(710_000..740_000i64, 1..40).prop_map(days),
    ];
    values.prop_flat_map(|(rule, hierarchy, values)| {
        let records = prop::collection::vec(1..9u64, values.len());
        records.prop_map(move |records| (rule.clone(), hierarchy.clone(), values.clone(), records))
    })
}

proptest! {
    /// Every label that is written is read as the values in it, and the checker lets it pass and counts alike. No end
    /// and no member of a set is a value that too few records have, unless it is declared.
    #[test]
    fn labels_are_read_as_they_are_written(
        (rule, hierarchy, values, counts) in attributes(),
        k in 2..20u64,
        apart in any::<bool>(),
    ) {
        let null_leaf = values.iter().any(|value| value == NULL) && matches!(rule, Rule::Interval(_));
        let (listed, leaves) = rule.over(values.clone(), false);
        let records_of = |value: &str| counts[values.iter().position(|other| other == value).unwrap()];
        let records: Vec<u64> = listed.iter().map(|leaf| records_of(leaf)).collect();
        let shown = Shown::of(k, None, apart);
        let Ok(Scale::Ordered(order)) = Scale::new(&rule, &leaves, &records, &shown) else {
            panic!("expected an order")
        };
        let ends = order.ends();
        let attribute = PromisedAttribute {
            recoding: Recoding::Ranges, ends: Some(ends), hierarchy, null_leaf, ..PromisedAttribute::default()
        };
        let places = order.single.len() as u32;
        for (low, high) in (0..places).flat_map(|low| (low..places).map(move |high| (low, high))) {
            let written = order.region(low, high, 1, &leaves).value;
            let (may, share) = read(&attribute, &written.label);
            prop_assert!(may, "{} {ends:?}", written.label);
            if written.label == TOP {
                continue;
            }
            let range = Range::read(&written.label).filter(|_| !listed.contains(&written.label));
            for (leaf, text) in listed.iter().enumerate() {
                let inside = (low..=high).contains(&order.rank[leaf]);
                let has = range.map_or(*text == written.label, |range| range.has(text));
                prop_assert!(has || !inside, "{} {text}", written.label);
            }
            let is_declared = !matches!(rule, Rule::Flat);
            let beneath = |has: &dyn Fn(&str) -> bool| -> u64 {
                listed.iter().zip(&records).filter(|(leaf, _)| has(leaf)).map(|(_, records)| records).sum()
            };
            match range {
                // The missing value is no value, and a label of a class that has it alone.
                None => prop_assert!(
                    is_declared || written.label == NULL || beneath(&|leaf| leaf == written.label) >= k,
                    "{}", written.label
                ),
                Some(Range::Set(names)) => {
                    prop_assert!(names.split('|').all(|name| records_of(name) >= k), "{names}");
                }
                Some(range) => {
                    prop_assert!(is_declared || beneath(&|leaf| range.has(leaf)) >= k, "{}", written.label);
                }
            }
            if !matches!(rule, Rule::Flat) {
                let own = (written.leaves - 1) as f64 / (leaves.domain() - 1) as f64;
                prop_assert!((own - share).abs() < 1e-9, "{} {own} {share}", written.label);
            }
        }
        if apart && !matches!(order.form, Form::Sets) {
            disjoint_ranges_differ(&order, &leaves)?;
        }
    }
}

fn disjoint_ranges_differ(order: &Order, leaves: &Hierarchy) -> Result<(), TestCaseError> {
    let places = order.apart..order.single.len() as u32;
    let all = places.clone().flat_map(|low| (low..places.end).map(move |high| (low, high)));
    let labelled: Vec<_> =
        all.map(|(low, high)| (order.region(low, high, 1, leaves).value.label, low, high)).collect();
    for (label, _, high) in &labelled {
        // Of parts that are both `*` no cut is made.
        let same = labelled.iter().find(|(other, low, _)| other == label && label != TOP && low > high);
        prop_assert!(same.is_none(), "{label}");
    }
    Ok(())
}
