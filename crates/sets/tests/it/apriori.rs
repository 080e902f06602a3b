//! The published algorithm beside the definition and beside thinning.

use std::collections::BTreeSet;

use velamen_sets::{Asked, Objective, REMOVED, Tree, apriori, thin_for};

use crate::tables::{Numbers, Table, holds, seeds, tree};

fn released(table: &Table, k: u32, m: u8, tree: &Tree) -> Vec<BTreeSet<u32>> {
    let released = apriori(&table.sets, k, m, tree).released(&table.sets);
    (0..table.sets.persons()).map(|person| table.released(person, &released)).collect()
}

#[test]
fn each_small_set_is_that_of_k_persons() {
    let mut generalized = 0;
    for seed in seeds() {
        let mut numbers = Numbers::of(seed);
        let table = Table::drawn(&mut numbers);
        let tree = tree(table.items, &mut numbers);
        let (k, m) = (numbers.between(1, 4) as u32, numbers.between(1, 3) as u8);
        let sets = released(&table, k, m, &tree);
        assert!(holds(&sets, k, m), "seed {seed}: {sets:?}, k {k}, m {m}");
        generalized += usize::from(sets.iter().flatten().any(|&node| u64::from(node) >= table.items));
    }
    assert!(generalized > 50, "only {generalized} tables release a node above an item");
}

#[test]
fn released_nodes_are_a_cut_through_the_tree() {
    for seed in seeds() {
        let mut numbers = Numbers::of(seed);
        let table = Table::drawn(&mut numbers);
        let tree = tree(table.items, &mut numbers);
        let nodes: BTreeSet<u32> = released(&table, 2, 2, &tree).into_iter().flatten().collect();
        for &node in &nodes {
            assert!(tree.path(node).skip(1).all(|above| !nodes.contains(&above)), "seed {seed}: {node}");
        }
    }
}

/// Not on every table, but over all of them.
#[test]
fn thinning_loses_less_by_the_penalty_of_the_baseline() {
    let (mut thinned, mut published) = (0.0, 0.0);
    for seed in seeds() {
        let mut numbers = Numbers::of(seed);
        let table = Table::drawn(&mut numbers);
        let tree = tree(table.items, &mut numbers);
        let asked = Asked { k: 3, m: 2, largest_set: 128 };
        let classes = vec![0; table.sets.persons()];
        let found = thin_for(Objective::Leaves, &table.sets, &classes, &asked, Some(&tree), &|| false)
            .expect("nobody stops");
        let lost = |&node: &u32| if node == REMOVED { 1.0 } else { tree.penalty(node) };
        thinned += found.released.iter().map(lost).sum::<f64>();
        let baseline = apriori(&table.sets, 3, 2, &tree);
        let by_pair: f64 = baseline.released(&table.sets).iter().map(lost).sum();
        assert!((by_pair - baseline.ncp * table.sets.len() as f64).abs() < 1e-9, "seed {seed}");
        published += by_pair;
    }
    assert!(thinned < published, "{thinned} beside {published}");
}
