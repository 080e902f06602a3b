//! Persons of several records: of each at most so many are counted.
//!
//! Which ones, follows from a hash of each record and its occurrence among the person's equal ones, with a key that is the run's.
//! It does not look at other persons. So tables that differ by one person, with all of her records, differ by at most so many
//! records once both are bounded. Every table of counts differs by at most that in the Euclidean norm. A record of nobody is left out, for
//! it would make one person of all who have no number.

use std::borrow::Cow;
use std::collections::{BTreeMap, BinaryHeap};

use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::NULL;
use velamen_dp::Stream;

/// The table without its column of persons, and without the records beyond the `most` that are counted of each; as it is, where
/// no column says whose the records are. Its quasi-identifiers must be over whole domains, so that codes are the same in every
/// table.
///
/// Time: O(records · attributes + records · log most).
pub(super) fn bounded<'t>(table: &'t FrequencyTable, most: u64, key: &mut Stream) -> Cow<'t, FrequencyTable> {
    let Some(person) = table.rest.person() else { return Cow::Borrowed(table) };
    let key = [key.word(), key.word()];
    let mut counts = vec![0u64; table.len()];
    let mut kept: BTreeMap<u32, BinaryHeap<(u64, usize)>> = BTreeMap::new();
    for entry in 0..table.len() {
        let whose = table.rest.codes[person][table.rest_index[entry] as usize];
        if table.rest.columns[person].values[whose as usize] == NULL {
            continue;
        }
        let of_person = kept.entry(whose).or_default();
        let content = table.codes.iter().fold(key[0], |hash, codes| mixed(hash, codes[entry].into()));
        for occurrence in 0..table.counts[entry] {
            of_person.push((mixed(content ^ key[1], occurrence), entry));
            if of_person.len() as u64 > most {
                of_person.pop();
            }
        }
    }
    kept.into_values().flatten().for_each(|(_, entry)| counts[entry] += 1);
    let entries: Vec<usize> = (0..table.len()).filter(|&entry| counts[entry] > 0).collect();
    let picked = |column: &Vec<u32>| entries.iter().map(|&entry| column[entry]).collect();
    let bounded = FrequencyTable {
        codes: table.codes.iter().map(picked).collect(),
        rest_index: picked(&table.rest_index),
        counts: entries.iter().map(|&entry| counts[entry]).collect(),
        ..table.clone()
    };
    Cow::Owned(bounded.without(person))
}

/// A hash that goes on from another by a number: the finalizer of SplitMix64.
fn mixed(hash: u64, number: u64) -> u64 {
    let sum = hash.rotate_left(25).wrapping_add(number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let once = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::super::mst::tests::table;
    use super::*;
    use velamen_core::frequency::{Rest, RestColumn, Role};
    use velamen_dp::{Seed, below};

    /// Records of two attributes, each with its person; the empty name is nobody's.
    fn of_persons(records: &[(u32, u32, &str)]) -> FrequencyTable {
        let mut names: Vec<String> = records.iter().map(|record| record.2.to_owned()).collect();
        names.sort();
        names.dedup();
        let codes: Vec<u32> = (0..names.len() as u32).collect();
        let whose = |name: &str| names.iter().position(|known| known == name).unwrap() as u32;
        let rest_index = records.iter().map(|record| whose(record.2)).collect();
        let column = RestColumn { name: "id".into(), role: Role::Person, values: names.clone() };
        FrequencyTable {
            rest: Rest { columns: vec![column], codes: vec![codes], len: names.len() },
            rest_index,
            ..table(
                &[4, 3],
                vec![records.iter().map(|r| r.0).collect(), records.iter().map(|r| r.1).collect()],
            )
        }
    }

    fn counted(table: &FrequencyTable, most: u64, seed: u64) -> Vec<i64> {
        let bounded = bounded(table, most, &mut Seed::from_number(seed).stream(0));
        assert_eq!(bounded.rest.person(), None);
        let mut counts = vec![0; 12];
        for entry in 0..bounded.len() {
            counts[(bounded.codes[0][entry] * 3 + bounded.codes[1][entry]) as usize] +=
                bounded.counts[entry] as i64;
        }
        counts
    }

    #[test]
    fn nobody_has_more_than_is_counted() {
        let records = [(0, 0, "a"), (0, 0, "a"), (1, 0, "a"), (2, 2, "a"), (3, 1, "b"), (3, 1, "")];
        let table = of_persons(&records);
        assert_eq!(counted(&table, 2, 1).iter().sum::<i64>(), 3, "two of a, one of b, none of nobody's");
        assert_eq!(counted(&table, 9, 1).iter().sum::<i64>(), 5);
        // Which ones, depends on the key.
        assert!((1..20).any(|seed| counted(&table, 2, seed) != counted(&table, 2, 0)));
    }

    #[test]
    fn one_person_more_changes_counts_by_at_most_that() {
        let mut stream = Seed::from_number(7).stream(0);
        for round in 0..200 {
            let names = ["a", "b", "c", "d", ""];
            let mut draw = |most: u64| below(&mut stream, most) as u32;
            let records: Vec<(u32, u32, &str)> =
                (0..30).map(|_| (draw(4), draw(3), names[draw(5) as usize])).collect();
            let without: Vec<(u32, u32, &str)> =
                records.iter().filter(|record| record.2 != "b").copied().collect();
            for most in [1, 2, 5, 30] {
                let (all, less) = (
                    counted(&of_persons(&records), most, round),
                    counted(&of_persons(&without), most, round),
                );
                let moved: i64 = all.iter().zip(&less).map(|(a, b)| (a - b) * (a - b)).sum();
                assert!(
                    moved <= (most * most) as i64 && all.iter().zip(&less).all(|(a, b)| a >= b),
                    "{most}"
                );
            }
        }
    }
}
