use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use velamen_core::context::Silent;
use velamen_dp::Seed;

use super::*;

const ENOUGH: u64 = u64::MAX;

fn search(codes: &[Vec<u32>], counts: &[u64], threshold: (Measure, f64), budget: u64) -> SetSearch {
    let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    minimal(
        Columns { codes, counts, weights: None },
        Threshold::try_from(threshold).unwrap(),
        budget,
        &context,
    )
    .unwrap()
}

/// From the definitions: every record compared with every other.
fn naive(codes: &[Vec<u32>], counts: &[u64], attributes: &[usize]) -> SetFigures {
    let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (entry, count) in counts.iter().enumerate() {
        *classes.entry(attributes.iter().map(|&a| codes[a][entry]).collect()).or_default() += count;
    }
    let records: Vec<&Vec<u32>> =
        classes.iter().flat_map(|(key, &count)| std::iter::repeat_n(key, count as usize)).collect();
    let pairs = (0..records.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let alike = pairs.filter(|&(i, j)| records[i] == records[j]).count() as u128;
    let unique = classes.values().filter(|&&count| count == 1).count() as u64;
    SetFigures { classes: classes.len() as u64, unique, alike }
}

/// All minimal sets by all subsets.
fn brute_force(codes: &[Vec<u32>], counts: &[u64], (measure, share): (Measure, f64)) -> Vec<FoundSet> {
    let records = counts.iter().sum();
    let members = |mask: u32| (0..codes.len()).filter(|a| mask >> a & 1 == 1).collect::<Vec<usize>>();
    let mut masks: Vec<u32> = (1..1 << codes.len()).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    let mut kept: Vec<(u32, FoundSet)> = Vec::new();
    for mask in masks {
        let found = FoundSet { attributes: members(mask), figures: naive(codes, counts, &members(mask)) };
        let minimal = kept.iter().all(|(other, _)| mask & other != *other);
        if minimal && measure.of(&found.figures, records) >= share {
            kept.push((mask, found));
        }
    }
    let mut found: Vec<FoundSet> = kept.into_iter().map(|(_, found)| found).collect();
    found.sort_by(|a, b| {
        let figure = |found: &FoundSet| measure.of(&found.figures, records);
        let size = a.attributes.len().cmp(&b.attributes.len());
        size.then_with(|| figure(b).total_cmp(&figure(a))).then_with(|| a.attributes.cmp(&b.attributes))
    });
    found
}

#[test]
fn the_papers_example() {
    // Motwani & Xu 2007, Table 1: age 20, 30, 40, 20, 40; sex F, F, F, M, M; state CA, CA, TX, NY, CA.
    // Age is a 0.6-distinct and 0.8-separation quasi-identifier; sex and state 0.8-distinct, 0.9-separation.
    let codes = [vec![0, 1, 2, 0, 2], vec![0, 0, 0, 1, 1], vec![0, 0, 1, 2, 0]];
    let counts = [1; 5];
    let of = |attributes: &[usize]| {
        let figures = naive(&codes, &counts, attributes);
        (figures.distinction(5), figures.separation(5))
    };
    assert_eq!((of(&[0]), of(&[1, 2])), ((0.6, 0.8), (0.8, 0.9)));
    let found = search(&codes, &counts, (Measure::Distinction, 0.8), ENOUGH).found;
    let sets: Vec<&[usize]> = found.iter().map(|found| &found.attributes[..]).collect();
    assert_eq!(sets, [&[0, 1][..], &[0, 2], &[1, 2]]);
    let found = search(&codes, &counts, (Measure::Separation, 0.8), ENOUGH).found;
    let sets: Vec<&[usize]> = found.iter().map(|found| &found.attributes[..]).collect();
    assert_eq!(sets, [&[0][..], &[1, 2]]);
}

#[test]
fn what_nothing_reaches_is_not_searched() {
    let search = search(&[vec![0, 1, 0], vec![0, 1, 0]], &[1, 1, 1], (Measure::Distinction, 1.0), ENOUGH);
    assert!(search.found.is_empty() && search.stopped_at.is_none());
    assert_eq!((search.whole.classes, search.whole.unique, search.whole.alike), (2, 1, 1));
}

#[test]
fn one_record_has_no_pairs() {
    let found = search(&[vec![0]], &[1], (Measure::Separation, 1.0), ENOUGH).found;
    assert_eq!(found[0].figures, SetFigures { classes: 1, unique: 1, alike: 0 });
}

/// Thirty attributes of two values each: every set of seven or more could be minimal.
fn wide(attributes: usize) -> (Vec<Vec<u32>>, Vec<u64>) {
    let mut stream = Seed::from_number(9).stream(0);
    let column = |_| (0..400).map(|_| velamen_dp::below(&mut stream, 2) as u32).collect();
    ((0..attributes).map(column).collect(), vec![1; 400])
}

#[test]
fn a_search_gives_up_when_its_budget_is_spent() {
    let (codes, counts) = wide(30);
    let search = search(&codes, &counts, (Measure::Distinction, 0.9), 3_000_000);
    assert!(search.stopped_at.is_some());
}

#[test]
fn more_columns_than_bits_are_left_out() {
    let (codes, counts) = wide(MOST_ATTRIBUTES + 2);
    let search = search(&codes, &counts, (Measure::Distinction, 0.9), 1000);
    assert_eq!(search.left_out.len(), 2);
}

fn tables() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u64>)> {
    (1usize..8, 1usize..16).prop_flat_map(|(columns, rows)| {
        let column = (1u32..6).prop_flat_map(move |width| proptest::collection::vec(0..width, rows));
        (proptest::collection::vec(column, columns), proptest::collection::vec(1u64..4, rows))
    })
}

proptest! {
    #[test]
    fn the_sets_are_those_of_brute_force(
        (codes, counts) in tables(),
        separation: bool,
        share in 0.05f64..=1.0,
    ) {
        let measure = if separation { Measure::Separation } else { Measure::Distinction };
        let search = search(&codes, &counts, (measure, share), ENOUGH);
        prop_assert_eq!(search.stopped_at, None);
        prop_assert_eq!(search.found, brute_force(&codes, &counts, (measure, share)));
        let all: Vec<usize> = (0..codes.len()).collect();
        prop_assert_eq!(search.whole, naive(&codes, &counts, &all));
    }

    /// Whatever was found before the budget was spent is minimal, and all of the smaller sets are there.
    #[test]
    fn a_search_that_gives_up_has_all_smaller_sets((codes, counts) in tables(), budget in 0u64..400) {
        let asked = (Measure::Distinction, 0.6);
        let (search, all) = (search(&codes, &counts, asked, budget), brute_force(&codes, &counts, asked));
        let stopped_at = search.stopped_at.unwrap_or(usize::MAX);
        for found in all.iter().filter(|found| found.attributes.len() < stopped_at) {
            prop_assert!(search.found.contains(found));
        }
        for found in &search.found {
            prop_assert!(all.contains(found));
        }
    }

    #[test]
    fn merging_equal_entries_changes_no_figure((codes, counts) in tables()) {
        let (merged_codes, merged_counts) = merged(Columns { codes: &codes, counts: &counts, weights: None });
        let all: Vec<usize> = (0..codes.len()).collect();
        prop_assert_eq!(naive(&codes, &counts, &all), naive(&merged_codes, &merged_counts, &all));
        prop_assert_eq!(merged_counts.len() as u64, naive(&codes, &counts, &all).classes);
    }
}
