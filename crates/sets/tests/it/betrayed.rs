//! Figures of what sets betray beside their definitions.

use std::collections::BTreeSet;

use velamen_sets::{alone, largest_k, rho_uncertainty};

use crate::tables::{Numbers, Table, seeds, subsets, support};

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// The sets of the persons of each class.
fn classes(table: &Table) -> Vec<Vec<BTreeSet<u32>>> {
    let set = |person: usize| table.released(person, table.sets.items());
    table.members().into_iter().map(|persons| persons.into_iter().map(set).collect()).collect()
}

#[test]
fn the_largest_k_is_the_least_support() {
    for seed in seeds() {
        let table = Table::drawn(&mut Numbers::of(seed));
        for m in 1..=3 {
            let least = |sets: &Vec<BTreeSet<u32>>| {
                sets.iter().flat_map(|set| subsets(set, m)).map(|items| support(sets, &items)).min()
            };
            let expected = classes(&table).iter().filter_map(least).min();
            assert_eq!(largest_k(&table.sets, &table.classes, m), expected, "seed {seed}, m {m}");
        }
    }
}

#[test]
fn who_is_alone_has_a_set_that_nobody_else_has() {
    for seed in seeds() {
        let table = Table::drawn(&mut Numbers::of(seed));
        let found = alone(&table.sets, &table.classes, 3);
        for j in 1..=3 {
            let (mut best, mut random) = (0, 0.0);
            for sets in classes(&table) {
                for set in &sets {
                    let small = subsets(set, j as u8);
                    best += usize::from(small.iter().any(|items| support(&sets, items) == 1));
                    let whole: Vec<_> =
                        small.iter().filter(|items| items.len() == j.min(set.len())).collect();
                    let unique = whole.iter().filter(|items| support(&sets, items) == 1).count();
                    random += unique as f64 / whole.len().max(1) as f64;
                }
            }
            assert_eq!(found.by_best[j - 1], best, "seed {seed}, {j} items");
            assert!(close(found.by_random[j - 1], random), "seed {seed}, {j} items: {found:?}, {random}");
        }
    }
}

#[test]
fn the_surest_inference_is_found() {
    for seed in seeds() {
        let mut numbers = Numbers::of(seed);
        let table = Table::drawn(&mut numbers);
        let sensitive: Vec<bool> = (0..table.items).map(|_| numbers.below(3) == 0).collect();
        let mut surest: Option<f64> = None;
        for sets in classes(&table) {
            for set in &sets {
                let known = subsets(set, 2).into_iter().chain([BTreeSet::new()]);
                for known in known {
                    for &item in set.difference(&known).filter(|&&item| sensitive[item as usize]) {
                        let both = known.iter().copied().chain([item]).collect();
                        let confidence = f64::from(support(&sets, &both)) / f64::from(support(&sets, &known));
                        surest = Some(surest.map_or(confidence, |surest| surest.max(confidence)));
                    }
                }
            }
        }
        let found = rho_uncertainty(&table.sets, &table.classes, &sensitive, 2);
        let confidence = found.as_ref().map(|found| found.confidence());
        assert_eq!(confidence.is_some(), surest.is_some(), "seed {seed}");
        assert!(
            close(confidence.unwrap_or(0.0), surest.unwrap_or(0.0)),
            "seed {seed}: {found:?}, {surest:?}"
        );
    }
}
