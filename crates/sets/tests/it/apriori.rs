//! The published algorithm beside the definition and beside thinning.

use std::collections::BTreeSet;

use velamen_sets::{Tree, apriori};

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
