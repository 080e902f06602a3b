//! Measures of people who can have several records.

use velamen_measure::measure::{AttributeMeasures, Grouped, Options, Sensitive, measure};

fn of_people(people: Vec<Vec<(u32, u32)>>, l: Option<u32>) -> AttributeMeasures {
    let count = |pairs: &Vec<(u32, u32)>| {
        let mut had: Vec<(u32, u64)> = Vec::new();
        let mut values: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        values.sort_unstable();
        for value in values {
            match had.last_mut().filter(|last| last.0 == value) {
                Some(last) => last.1 += 1,
                None => had.push((value, 1)),
            }
        }
        had
    };
    let classes: Vec<Vec<(u32, u64)>> = people.iter().map(count).collect();
    let values = (0..10).map(|value| value.to_string()).collect();
    let sizes: Vec<u64> = people
        .iter()
        .map(|pairs| {
            let mut people: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
            people.dedup();
            people.len() as u64
        })
        .collect();
    let all = (sizes.iter().sum(), 0);
    let sensitive = Sensitive { name: "diagnosis".into(), values, numeric: true, classes, people };
    let grouped = Grouped { sizes, sensitive: vec![sensitive], people: Some(all) };
    grouped.check().unwrap();
    measure(&grouped, &Options { l }).sensitive.remove(0)
}

/// Four women have 0 alone and one has 0 to 8: everybody has 0.
#[test]
fn nine_codes_of_one_make_nobody_else_diverse() {
    let women = (0..4).map(|person| (person, 0)).chain((0..9).map(|value| (4, value)));
    let found = of_people(vec![women.collect()], None);
    assert_eq!((found.alpha, found.distinct_l, found.entropy_l_whole), (Some(1.0), Some(1), Some(1)));
    assert_eq!(found.entropy_l, Some(1.0));
    // With l = 2 no c is enough where a value is certain.
    let found = of_people(vec![(0..4).map(|p| (p, 0)).chain([(4, 0), (4, 1)]).collect()], Some(2));
    assert_eq!(found.recursive_c, None);
}

/// By hand: the first class has 0, 0 and {1, 2}, the second 1, 2.
#[test]
fn figures_by_hand() {
    let first = vec![(0, 0), (1, 0), (2, 1), (2, 2)];
    let second = vec![(3, 1), (4, 2)];
    let found = of_people(vec![first, second], Some(2));
    let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
    assert!(near(found.alpha, 2.0 / 3.0));
    assert_eq!(found.distinct_l, Some(2));
    // Spread of the first class: 2/3, 1/6, 1/6.
    let entropy = -(2.0f64 / 3.0).ln() * 2.0 / 3.0 - (1.0f64 / 6.0).ln() / 3.0;
    assert!(near(found.entropy_l, entropy.exp().min(2.0)));
    // 2 have the commonest, and the rarer ones are 1 of 3: c = 2; in the second 1 to 1.
    assert!(near(found.recursive_c, 2.0) && found.recursive_c_whole == Some(3));
    // Of the table: 2/5, 3/10, 3/10.
    assert!(near(found.t_equal, 0.4), "{:?}", found.t_equal);
    // Sums of differences: the second class moves 2/5 and then 1/5, by two steps.
    assert!(near(found.t_ordered, (0.4 + 0.2) / 2.0), "{:?}", found.t_ordered);
    // The value 1 is that of 2 of 5 people in the table, of one of two in the second class; 0 of 2/3 against 2/5.
    assert!(near(found.basic_beta, 2.0 / 3.0) && near(found.enhanced_beta, 2.0 / 3.0));
    assert!(near(found.delta, (5.0f64 / 3.0).log2()));
}

/// Where each person has one record, people are records.
#[test]
fn one_record_each_is_what_records_give() {
    let classes = [[0, 0, 1, 2], [0, 1, 1, 3], [2, 2, 3, 3]];
    let pairs = |(at, class): (usize, &[u32; 4])| {
        class.iter().zip(4 * at as u32..).map(|(&value, person)| (person, value)).collect()
    };
    let people = of_people(classes.iter().enumerate().map(pairs).collect(), None);
    let count = |class: &[u32; 4]| {
        let of = |value: u32| class.iter().filter(|other| **other == value).count() as u64;
        (0..4).map(|value| (value, of(value))).filter(|(_, count)| *count > 0).collect()
    };
    let sensitive = Sensitive {
        name: "diagnosis".into(),
        values: (0..10).map(|value| value.to_string()).collect(),
        numeric: true,
        classes: classes.iter().map(count).collect(),
        people: Vec::new(),
    };
    let grouped = Grouped { sizes: vec![4; 3], sensitive: vec![sensitive], people: None };
    let records = measure(&grouped, &Options::default()).sensitive.remove(0);
    assert_eq!((people.distinct_l, people.entropy_l_whole), (records.distinct_l, records.entropy_l_whole));
    let figures = |of: &AttributeMeasures| {
        [
            of.alpha,
            of.entropy_l,
            of.recursive_c,
            of.t_equal,
            of.t_ordered,
            of.basic_beta,
            of.enhanced_beta,
            of.delta,
        ]
    };
    for (one, other) in figures(&people).into_iter().zip(figures(&records)) {
        assert!(one == other || (one.unwrap() - other.unwrap()).abs() < 1e-12, "{one:?} {other:?}");
    }
}
