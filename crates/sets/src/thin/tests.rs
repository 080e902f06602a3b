//! Small tables by hand, and thinning beside the definition.

use super::*;

fn asked(k: u32, m: u8) -> Asked {
    Asked { k, m, largest_set: 128 }
}

fn sets(persons: &[&[u32]]) -> Sets {
    let pairs = (0..).zip(persons).flat_map(|(person, items)| items.iter().map(move |&item| (person, item)));
    Sets::from_pairs(persons.len(), pairs.collect())
}

fn run(persons: &[&[u32]], asked: &Asked, tree: Option<&Tree>) -> Vec<u32> {
    thin(&sets(persons), &vec![0; persons.len()], asked, tree, &|| false).expect("nobody stops").released
}

const R: u32 = REMOVED;

#[test]
fn a_rare_item_goes() {
    assert_eq!(run(&[&[0, 1], &[0], &[0]], &asked(2, 1), None), [0, R, 0, 0]);
}

#[test]
fn of_a_rare_pair_the_rarer_item_goes() {
    // 0 and 1 together have one person only; 1 is the rarer of the two.
    let persons: [&[u32]; 6] = [&[0, 1], &[0], &[0], &[0], &[1], &[1]];
    assert_eq!(run(&persons, &asked(2, 2), None), [0, R, 0, 0, 0, 1, 1]);
}

#[test]
fn the_item_of_most_rare_pairs_goes() {
    // 2 makes a rare pair with both 0 and 1, which two have together.
    let persons: [&[u32]; 6] = [&[0, 1, 2], &[0, 1], &[0, 1], &[2], &[2], &[2]];
    assert_eq!(run(&persons, &asked(2, 2), None), [0, 1, R, 0, 1, 0, 1, 2, 2, 2]);
}

#[test]
fn of_a_rare_triple_one_item_goes() {
    let persons: [&[u32]; 7] = [&[0, 1, 2], &[0, 1], &[0, 1], &[0, 2], &[0, 2], &[1, 2], &[1, 2]];
    let released = run(&persons, &asked(2, 3), None);
    assert_eq!(released[..3].iter().filter(|&&item| item == R).count(), 1);
    assert!(released[3..].iter().all(|&item| item != R));
    // Pairs alone are those of three persons.
    assert!(run(&persons, &asked(3, 2), None).iter().all(|&item| item != R));
}

#[test]
fn classes_are_counted_apart_and_who_is_out_not_at_all() {
    let sets = sets(&[&[0], &[0], &[0], &[0]]);
    let thinned = thin(&sets, &[3, 3, 9, crate::OUT], &asked(2, 1), None, &|| false).expect("nobody stops");
    assert_eq!(thinned.released, [0, 0, R, R]);
    assert_eq!(thinned.kept(), 2);
}

#[test]
fn a_large_set_loses_its_rarest_items_first() {
    let persons: [&[u32]; 3] = [&[0, 1, 2], &[1, 2], &[2]];
    let two = Asked { k: 1, m: 2, largest_set: 2 };
    assert_eq!(run(&persons, &two, None), [R, 1, 2, 1, 2, 2]);
}

#[test]
fn a_family_that_loses_much_climbs() {
    // Leaves 0, 1 below 3; leaf 2 below 4: one person each of 0 and 1.
    let tree = Tree::new(vec![Some(3), Some(3), Some(4), None, None]).expect("a tree");
    let persons: [&[u32]; 4] = [&[0], &[1], &[2], &[2]];
    assert_eq!(run(&persons, &asked(2, 2), Some(&tree)), [3, 3, 2, 2]);
    assert_eq!(run(&persons, &asked(2, 2), None), [R, R, 2, 2]);
}

#[test]
fn two_items_of_one_node_are_released_as_it() {
    let tree = Tree::new(vec![Some(2), Some(2), None]).expect("a tree");
    assert_eq!(run(&[&[0], &[1], &[0, 1]], &asked(3, 2), Some(&tree)), [2, 2, 2, 2]);
}

#[test]
fn nothing_comes_of_nothing() {
    assert!(run(&[], &asked(5, 3), None).is_empty());
    assert!(run(&[&[], &[]], &asked(5, 3), None).is_empty());
    assert_eq!(run(&[&[4]], &asked(5, 3), None), [R]);
}

#[test]
fn whoever_says_stop_is_heard() {
    let sets = sets(&[&[0, 1], &[0, 1]]);
    assert_eq!(thin(&sets, &[0, 0], &asked(2, 3), None, &|| true), Err(Stopped));
}

#[test]
fn the_example_of_the_documentation() {
    let persons: [&[u32]; 5] = [&[1, 2], &[0, 1, 2, 3], &[3], &[0, 1], &[0, 2, 3]];
    let sets = sets(&persons);
    let thinned = thin(&sets, &[0; 5], &asked(2, 2), None, &|| false).expect("nobody stops");
    assert_eq!(thinned.released, [R, 2, 0, R, 2, 3, 3, 0, R, 0, 2, 3]);
    assert_eq!((thinned.rounds, thinned.put_back), (3, 1));
}

/// So many persons have 0, 1 and 2, and one more of each pair.
fn many(persons: u32) -> Vec<Vec<u32>> {
    let whole = (0..persons).map(|_| vec![0, 1, 2]);
    whole.chain([vec![0, 1], vec![0, 2], vec![1, 2]]).collect()
}

#[test]
fn a_large_k_needs_larger_counters() {
    for k in [255, 256, 300] {
        for (persons, rare) in [(k, false), (k - 1, true)] {
            let table = many(persons);
            let persons: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
            let removed = run(&persons, &asked(k, 3), None).contains(&R);
            assert_eq!(removed, rare, "k {k}, {persons} persons", persons = persons.len());
        }
    }
}

#[test]
fn k_above_all_persons_removes_everything() {
    assert_eq!(run(&[&[0, 1], &[0, 1]], &asked(3, 3), None), [R; 4]);
}

#[test]
fn sets_smaller_than_m_are_checked_as_they_are() {
    assert_eq!(run(&[&[0], &[0], &[1]], &asked(2, 3), None), [0, 0, R]);
}

#[test]
fn one_set_of_a_thousand_items_is_cut_to_the_commonest() {
    let large: Vec<u32> = (0..1000).collect();
    let table: Vec<&[u32]> = vec![&large, &large[990..], &large[990..]];
    let released = run(&table, &Asked { k: 2, m: 2, largest_set: 8 }, None);
    let kept: Vec<u32> = released[..1000].iter().copied().filter(|&item| item != R).collect();
    assert_eq!(kept, (992..1000).collect::<Vec<_>>());
}

#[test]
fn a_stop_at_any_moment_ends_without_a_result() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let table = many(3);
    let persons: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
    let sets = sets(&persons);
    let classes = vec![0; persons.len()];
    let whole = thin(&sets, &classes, &asked(4, 3), None, &|| false).expect("nobody stops");
    let mut stopped = 0;
    for moment in 0..100 {
        let asks = AtomicU32::new(0);
        let stop = || asks.fetch_add(1, Ordering::Relaxed) == moment;
        match thin(&sets, &classes, &asked(4, 3), None, &stop) {
            Err(Stopped) => stopped += 1,
            Ok(thinned) => assert_eq!(thinned, whole, "moment {moment}"),
        }
    }
    assert!((3..100).contains(&stopped), "{stopped} stops");
}

/// Of a family of 20 persons, so many have a code that nobody else has; above it are two more levels.
fn family(alone: u32) -> Vec<u32> {
    let leaves = 1 + alone;
    let mut parents = vec![Some(leaves); leaves as usize];
    parents.extend([Some(leaves + 1), Some(leaves + 2), None]);
    let tree = Tree::new(parents).expect("a tree");
    let table: Vec<Vec<u32>> = (0..20).map(|person| vec![(person + 1).min(leaves) % leaves]).collect();
    let persons: Vec<&[u32]> = table.iter().map(Vec::as_slice).collect();
    run(&persons, &asked(2, 2), Some(&tree))
}

#[test]
fn a_family_climbs_above_35_per_cent() {
    assert_eq!(family(7).iter().filter(|&&node| node == R).count(), 7);
    assert!(family(8).iter().all(|&node| node == 9));
}
