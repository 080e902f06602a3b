//! Thinning beside the definition, on thousands of small tables.

use std::collections::{BTreeMap, BTreeSet};

use rayon::ThreadPoolBuilder;
use velamen_sets::{Asked, Objective, REMOVED, Sets, Thinned, Tree, thin, thin_for};

use crate::tables::{Numbers, Table, holds, seeds, subsets, tree};

struct Case {
    table: Table,
    asked: Asked,
    tree: Option<Tree>,
    objective: Objective,
}

impl Case {
    fn drawn(seed: u64) -> Self {
        let mut numbers = Numbers::of(seed);
        let table = Table::drawn(&mut numbers);
        let largest_set = if numbers.below(4) == 0 { numbers.between(1, 4) as usize } else { 128 };
        let asked = Asked { k: numbers.between(1, 4) as u32, m: numbers.between(1, 3) as u8, largest_set };
        let tree = (numbers.below(2) == 0).then(|| tree(table.items, &mut numbers));
        let objective = if numbers.below(2) == 0 { Objective::Levels } else { Objective::Leaves };
        Self { table, asked, tree, objective }
    }

    fn thinned(&self) -> Thinned {
        let Self { table, asked, tree, objective } = self;
        thin_for(*objective, &table.sets, &table.classes, asked, tree.as_ref(), &|| false)
            .expect("nobody stops")
    }

    /// What the persons of a class are released with.
    fn class(&self, persons: &[usize], thinned: &Thinned) -> Vec<BTreeSet<u32>> {
        persons.iter().map(|&person| self.table.released(person, &thinned.released)).collect()
    }

    /// The node that each item is released as; none of an item that nobody keeps.
    fn cut(&self, thinned: &Thinned) -> Vec<Option<u32>> {
        let mut cut = vec![None; self.table.items as usize];
        for (&item, &node) in self.table.sets.items().iter().zip(&thinned.released) {
            if node == REMOVED {
                continue;
            }
            let known = cut[item as usize].get_or_insert(node);
            assert_eq!(*known, node, "item {item} is released as two nodes");
        }
        cut
    }
}

#[test]
fn each_small_set_is_that_of_k_persons() {
    for seed in seeds() {
        let case = Case::drawn(seed);
        let thinned = case.thinned();
        for persons in case.table.members() {
            let sets = case.class(&persons, &thinned);
            assert!(holds(&sets, case.asked.k, case.asked.m), "seed {seed}: {sets:?}, {:?}", case.asked);
            assert!(sets.iter().all(|set| set.len() <= case.asked.largest_set), "seed {seed}");
        }
    }
}

#[test]
fn a_released_node_is_the_item_or_above_it() {
    for seed in seeds() {
        let case = Case::drawn(seed);
        let thinned = case.thinned();
        for (item, node) in (0..).zip(case.cut(&thinned)).filter_map(|(item, node)| Some((item, node?))) {
            let above = case.tree.as_ref().map_or(item == node, |tree| tree.path(item).any(|on| on == node));
            assert!(above, "seed {seed}: {item} as {node}");
        }
    }
}

#[test]
fn who_is_out_releases_nothing() {
    for seed in seeds() {
        let case = Case::drawn(seed);
        let thinned = case.thinned();
        let inside: BTreeSet<usize> = case.table.members().into_iter().flatten().collect();
        for person in (0..case.table.classes.len()).filter(|person| !inside.contains(person)) {
            assert!(case.table.released(person, &thinned.released).is_empty(), "seed {seed}: {person}");
        }
    }
}

#[test]
fn nothing_more_can_be_put_back() {
    for seed in seeds() {
        let case = Case::drawn(seed);
        let thinned = case.thinned();
        let cut = case.cut(&thinned);
        if case.asked.m > 2 {
            continue;
        }
        for persons in case.table.members() {
            let sets = case.class(&persons, &thinned);
            for (member, &person) in persons.iter().enumerate() {
                let nodes: BTreeSet<u32> =
                    case.table.sets.of(person).iter().filter_map(|&item| cut[item as usize]).collect();
                for &node in nodes.difference(&sets[member]) {
                    let mut more = sets.clone();
                    more[member].insert(node);
                    let fits = more[member].len() <= case.asked.largest_set;
                    assert!(
                        !(fits && holds(&more, case.asked.k, case.asked.m)),
                        "seed {seed}: {node} of {person}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_holds_already_is_left_alone() {
    let mut untouched = 0;
    for seed in seeds() {
        let case = Case::drawn(seed);
        let whole: Vec<u32> = case.table.sets.items().to_vec();
        let thinned = Thinned { released: whole, rounds: 0, cuts: 0, put_back: 0 };
        let holds = case.table.members().iter().all(|persons| {
            let sets = case.class(persons, &thinned);
            let small = sets.iter().all(|set| set.len() <= case.asked.largest_set);
            small && holds(&sets, case.asked.k, case.asked.m)
        });
        if holds {
            untouched += 1;
            for persons in case.table.members() {
                assert_eq!(
                    case.class(&persons, &case.thinned()),
                    case.class(&persons, &thinned),
                    "seed {seed}"
                );
            }
        }
    }
    assert!(untouched > 50, "only {untouched} tables hold as they are");
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let pools =
        [1, 2, 5].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for seed in seeds() {
        let case = Case::drawn(seed);
        let [one, two, five] = [0, 1, 2].map(|pool: usize| pools[pool].install(|| case.thinned()));
        assert_eq!(one, two, "seed {seed}");
        assert_eq!(one, five, "seed {seed}");
    }
}

/// More persons than one task takes, with two counts of their small sets that share nothing.
#[test]
fn a_larger_table_is_the_same_on_any_number_of_threads() {
    let mut numbers = Numbers::of(1);
    let persons = 9000;
    let mut pairs = Vec::new();
    for person in 0..persons {
        for _ in 0..numbers.between(1, 7) {
            let item = numbers.below(60).min(numbers.below(60)).min(numbers.below(60));
            pairs.push((person, item as u32));
        }
    }
    let sets = Sets::from_pairs(persons as usize, pairs);
    let classes: Vec<u32> = (0..persons).map(|person| u32::from(person % 10 == 0)).collect();
    let asked = Asked { k: 5, m: 3, largest_set: 6 };
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let [one, four] = [1, 4].map(|threads| {
        pool(threads).install(|| thin(&sets, &classes, &asked, None, &|| false).expect("nobody stops"))
    });
    assert_eq!(one, four);
    assert!(one.kept() > sets.len() / 2 && one.kept() < sets.len(), "{} of {}", one.kept(), sets.len());
    let mut counts: BTreeMap<(u32, BTreeSet<u32>), u32> = BTreeMap::new();
    for (person, &class) in classes.iter().enumerate() {
        let released = &one.released[sets.range(person)];
        let kept: BTreeSet<u32> = released.iter().copied().filter(|&node| node != REMOVED).collect();
        for items in subsets(&kept, 3) {
            *counts.entry((class, items)).or_default() += 1;
        }
    }
    assert!(counts.values().all(|&count| count >= 5));
}
