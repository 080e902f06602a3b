//! SUDA2 against the definition, attribute set by attribute set.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;

fn with<T>(run: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    run(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

fn found(codes: &[Vec<u32>], counts: &[u64], up_to: usize) -> Vec<Msu> {
    with(|context| search(Columns { codes, counts, weights: None }, up_to, context).unwrap())
}

/// For every set of attributes the entries that are alone on it, then those of no smaller set.
fn by_definition(codes: &[Vec<u32>], counts: &[u64], up_to: usize) -> Vec<Msu> {
    let alone = |set: u64| -> Vec<bool> {
        let value = |entry: usize| -> Vec<u32> { members(set).map(|a| codes[a][entry]).collect() };
        let mut records: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        (0..counts.len()).for_each(|entry| *records.entry(value(entry)).or_default() += counts[entry]);
        (0..counts.len()).map(|entry| records[&value(entry)] == 1).collect()
    };
    let mut msus = Vec::new();
    for set in 1..1u64 << codes.len() {
        if set.count_ones() as usize > up_to {
            continue;
        }
        // The empty set is none, even of a table of one record.
        let parts = members(set).map(|a| set & !(1 << a)).filter(|part| *part > 0);
        let parts: Vec<Vec<bool>> = parts.map(alone).collect();
        let here = alone(set);
        let minimal = |entry: &usize| here[*entry] && parts.iter().all(|part| !part[*entry]);
        let entries = (0..counts.len()).filter(minimal);
        msus.extend(entries.map(|entry| Msu { entry: entry as u32, attributes: set }));
    }
    msus.sort_unstable_by_key(|msu| (msu.entry, msu.size(), msu.attributes));
    msus
}

#[test]
fn a_young_widow() {
    // Age, status, sex; the last record is the only widow under 30, and the only man who is a widow.
    let codes = [vec![0, 0, 1, 1, 1, 0], vec![0, 0, 0, 1, 1, 1], vec![0, 1, 0, 0, 0, 1]];
    let counts = [1; 6];
    let of_last: Vec<u64> =
        found(&codes, &counts, 3).iter().filter(|m| m.entry == 5).map(|m| m.attributes).collect();
    assert_eq!(of_last, [0b011, 0b110]);
    let sum = with(|context| {
        special_uniques(Columns { codes: &codes, counts: &counts, weights: None }, 3, context)
    })
    .unwrap();
    // m = 3, M = 2 in the product: an MSU of two scores 1, of three nothing less than 1.
    assert_eq!(sum.scored[0].score, 2.0);
}

#[test]
fn scores_by_hand() {
    // Eight attributes, up to three: 7·6·5, 6·5 and 5.
    assert_eq!([1, 2, 3].map(|size| score(size, 8, 3)), [210.0, 30.0, 5.0]);
    assert_eq!([1, 2, 3].map(|size| score(size, 3, 3)), [2.0, 1.0, 1.0]);
    let msus = [(0, 0b1), (1, 0b110), (1, 0b1_1001)].map(|(entry, attributes)| Msu { entry, attributes });
    let sum = summed(&msus, 8, 3);
    assert_eq!((sum.records, sum.msus, sum.by_size.clone()), (2, 3, vec![1, 1, 1]));
    assert_eq!(sum.records_by_smallest, [1, 1, 0]);
    assert_eq!((sum.highest_score, sum.mean_score), (210.0, 122.5));
    assert_eq!(sum.contributions[0], 215.0 / 245.0);
    assert_eq!(sum.contributions[1], 30.0 / 245.0);
    assert_eq!(sum.contributions[7], 0.0);
}

#[test]
fn dis_by_hand() {
    // 10 % of the population, 20 uniques and 30 pairs: 2/(2 + 54).
    assert_eq!(dis(20, 30, 0.1), Some(2.0 / 56.0));
    assert_eq!((dis(5, 0, 0.1), dis(5, 3, 1.0), dis(0, 0, 0.5)), (Some(1.0), Some(1.0), None));
    let shared = dis_suda(&[1.0, 2.0, 4.0], 0.1);
    let harmonic = 3.0 / shared.iter().map(|d| 1.0 / d).sum::<f64>();
    assert!((harmonic - 0.1).abs() < 1e-12);
    let odds: Vec<f64> = shared.iter().map(|d| d / (1.0 - d)).collect();
    assert!((odds[1] / odds[0] - 2.0).abs() < 1e-12 && (odds[2] / odds[0] - 4.0).abs() < 1e-12);
}

#[test]
fn edges() {
    assert!(found(&[vec![0]], &[2], 1).is_empty());
    assert_eq!(found(&[vec![0]], &[1], 3), [Msu { entry: 0, attributes: 1 }]);
    // All records are alike but for their number.
    assert!(found(&[vec![0, 1], vec![0, 1]], &[2, 3], 2).is_empty());
    assert!(found(&[], &[3], 2).is_empty());
    let wide: Vec<Vec<u32>> = (0..64).map(|a| vec![0, u32::from(a == 63)]).collect();
    assert_eq!(found(&wide, &[1, 1], 3).len(), 2);
}

#[test]
fn a_run_that_is_stopped_ends() {
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(true));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let (codes, counts) = ([vec![0, 0, 1, 1], vec![0, 1, 0, 1]], [1; 4]);
    assert_eq!(
        search(Columns { codes: &codes, counts: &counts, weights: None }, 2, &context),
        Err(Interrupted)
    );
}

/// Distinct entries: what a table's reading gives.
fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u64>)> {
    (1usize..7, 1usize..30, 2u32..5).prop_flat_map(|(columns, rows, values)| {
        let row = proptest::collection::vec(0..values, columns);
        proptest::collection::vec((row, 1u64..4), rows).prop_map(move |rows| {
            let merged: BTreeMap<Vec<u32>, u64> = rows.into_iter().collect();
            let codes = (0..columns).map(|c| merged.keys().map(|row| row[c]).collect()).collect();
            (codes, merged.into_values().collect())
        })
    })
}

proptest! {
    #[test]
    fn all_and_only_the_minimal_sample_uniques((codes, counts) in tables(), up_to in 1usize..7) {
        prop_assert_eq!(found(&codes, &counts, up_to), by_definition(&codes, &counts, up_to));
    }
}

/// For every set of attributes the entries whose person alone has its values, then those of no smaller set.
fn of_people_by_definition(codes: &[Vec<u32>], people: &[u32]) -> Vec<Msu> {
    let entries = 0..people.len();
    let alone = |set: u64, entry: usize| {
        let value = |entry: usize| -> Vec<u32> { members(set).map(|a| codes[a][entry]).collect() };
        entries
            .clone()
            .filter(|&other| value(other) == value(entry))
            .all(|other| people[other] == people[entry])
    };
    let parts = |set: u64| members(set).map(move |a| set & !(1 << a)).filter(|part| *part > 0);
    let minimal = |set: u64, entry: usize| alone(set, entry) && parts(set).all(|part| !alone(part, entry));
    let sets = || 1..1u64 << codes.len();
    let of_entry = |entry: usize| sets().filter(move |&set| minimal(set, entry)).map(move |set| (entry, set));
    let found = entries.clone().flat_map(of_entry);
    let mut found: Vec<Msu> =
        found.map(|(entry, attributes)| Msu { entry: entry as u32, attributes }).collect();
    found.sort_unstable_by_key(|msu| (msu.entry, msu.size(), msu.attributes));
    found
}

proptest! {
    /// A set of values is unique if one person alone has it.
    #[test]
    fn sets_that_one_person_alone_has(
        rows in proptest::collection::vec(((0u32..3, 0u32..3, 0u32..2, 0u32..3), 0u32..5), 1..14),
    ) {
        let column = |pick: fn(&(u32, u32, u32, u32)) -> u32| rows.iter().map(|(row, _)| pick(row)).collect::<Vec<u32>>();
        let codes = [column(|r| r.0), column(|r| r.1), column(|r| r.2), column(|r| r.3)];
        let people: Vec<u32> = rows.iter().map(|(_, person)| *person).collect();
        let counts = vec![1; people.len()];
        let columns = Columns { codes: &codes, counts: &counts, weights: None };
        let found = with(|context| search_people(columns, &people, 4, context).unwrap());
        prop_assert_eq!(found, of_people_by_definition(&codes, &people));
    }
}

/// One woman's two records differ; she alone is 30, and she counts once.
#[test]
fn a_person_counts_once() {
    let classes = [vec![30, 30, 40, 40], vec![0, 1, 0, 1]];
    let holdings =
        Holdings::new([(0, 1, 1), (1, 1, 2), (2, 2, 1), (2, 3, 1), (3, 3, 1), (3, 2, 1)].into_iter(), 4);
    let found = with(|context| special_uniques_of_people(&classes, &holdings, 2, context)).unwrap();
    assert_eq!((found.records, found.msus, found.by_size), (1, 1, vec![1, 0]));
}
