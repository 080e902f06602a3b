//! Random sampling before the search.
//!
//! Each record is kept with the asked probability, independently of the others. Draws are exact:
//! the share is a whole number of billionths, and no floating point takes part in them.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use velamen_dp::{Seed, below};

use crate::frequency::{FrequencyTable, QuasiIdentifier, Rest, RestColumn, Strays};
use crate::hierarchy::Rule;
use crate::streams;

/// What shares are counted in.
const WHOLE: u64 = 1_000_000_000;

/// A share of records, above 0 and at most 1, in billionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(u64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        let scaled = share * WHOLE as f64;
        let billionths = scaled.round();
        if !(share > 0.0 && share <= 1.0) || (scaled - billionths).abs() > 1e-6 {
            return Err("sample is a share, above 0 and at most 1, of at most 9 decimals".into());
        }
        Ok(Self(billionths as u64))
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0 as Self / WHOLE as Self
    }
}

/// A random sample of a table, as if the records that it lacks had never been in the file: values
/// that no record has any more are gone from all domains that are read off the data.
///
/// `rules` has the rule of each quasi-identifier, `whole_domain` says of each column of the rest
/// whether values that do not occur belong to it. Time: O(records + entries · columns).
///
/// # Panics
/// If rules or columns are not those of the table.
#[must_use]
pub fn sample(
    table: &FrequencyTable,
    share: Share,
    rules: &[&Rule],
    whole_domain: &[bool],
    seed: &Seed,
) -> FrequencyTable {
    let drawn = draw(&table.counts, share, seed);
    kept(table, drawn, rules, whole_domain, strays(&table.strays, share, seed))
}

/// A table in which nobody has more than `most` records, as if the others had never been in the file. Of a person who
/// has more, every set of so many records is equally likely.
///
/// `rules` and `whole_domain` are as in [`sample`]. Time: O(records + entries · columns).
///
/// # Panics
/// If rules or columns are not those of the table, or if none of them names the person.
#[must_use]
pub fn records_per_person(
    table: &FrequencyTable,
    most: NonZeroU32,
    rules: &[&Rule],
    whole_domain: &[bool],
    seed: &Seed,
) -> FrequencyTable {
    let person = table.rest.person().expect("a column names the person");
    let of_entry = table.rest_index.iter().map(|&rest| table.rest.codes[person][rest as usize]);
    let persons = table.rest.columns[person].values.len();
    let drawn = some_of_each(of_entry.zip(table.counts.iter().copied()), persons, most.get().into(), seed);
    kept(table, drawn, rules, whole_domain, table.strays.clone())
}

/// The entries that are left, and how many records of each, where nobody keeps more than `most`; `entries` have person
/// and records. Selection sampling within each person, as in [`some_records`].
fn some_of_each(
    entries: impl Iterator<Item = (u32, u64)> + Clone,
    persons: usize,
    most: u64,
    seed: &Seed,
) -> (Vec<usize>, Vec<u64>) {
    let mut stream = seed.stream(streams::PERSON_RECORDS);
    let mut left = vec![0; persons];
    entries.clone().for_each(|(person, count)| left[person as usize] += count);
    let mut wanted: Vec<u64> = left.iter().map(|&records| most.min(records)).collect();
    let drawn = |(person, count): (u32, u64)| {
        let (left, wanted) = (&mut left[person as usize], &mut wanted[person as usize]);
        let before = *wanted;
        for _ in 0..count {
            // Who keeps all of what is left needs no draw.
            *wanted -= u64::from(*wanted == *left || *wanted > 0 && below(&mut stream, *left) < *wanted);
            *left -= 1;
        }
        before - *wanted
    };
    entries.map(drawn).enumerate().filter(|(_, count)| *count > 0).unzip()
}

/// The table of some of its entries, with how many records of each.
fn kept(
    table: &FrequencyTable,
    (entries, counts): (Vec<usize>, Vec<u64>),
    rules: &[&Rule],
    whole_domain: &[bool],
    strays: Strays,
) -> FrequencyTable {
    let picked = |codes: &[u32]| entries.iter().map(|&entry| codes[entry]).collect::<Vec<u32>>();
    let (mut qis, mut codes) = (Vec::new(), Vec::new());
    for (q, qi) in table.qis.iter().enumerate() {
        let leaf_codes = picked(&table.codes[q]);
        let (present, recoded) = dense(&leaf_codes, qi.hierarchy.width(0));
        let labels: Vec<String> =
            present.iter().map(|&code| qi.hierarchy.label(0, code).to_owned()).collect();
        let (leaves, hierarchy) = rules[q].over(labels.clone(), false);
        let placed = placed(&labels, &leaves);
        qis.push(QuasiIdentifier { name: qi.name.clone(), hierarchy });
        codes.push(leaf_codes.iter().map(|&code| placed[recoded[code as usize] as usize]).collect());
    }
    let rest_index = picked(&table.rest_index);
    let (rest, of_rest) = sampled_rest(&table.rest, &rest_index, whole_domain);
    let rest_index = rest_index.iter().map(|&index| of_rest[index as usize]).collect();
    FrequencyTable { qis, rest, codes, rest_index, counts, population: None, strays }
}

/// By label its place among the leaves: values that were texts among others can be numbers without them, and have another order.
fn placed(labels: &[String], leaves: &[String]) -> Vec<u32> {
    let places: BTreeMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
    labels.iter().map(|label| places[label.as_str()]).collect()
}

/// A table of as many records, each of which is a random one of the table's, drawn with replacement. Domains stay as they are.
///
/// Time: O(records · log entries).
#[must_use]
pub fn resampled(table: &FrequencyTable, seed: &Seed) -> FrequencyTable {
    let mut stream = seed.stream(streams::RESAMPLED);
    let mut ends = Vec::with_capacity(table.counts.len());
    let mut records = 0u64;
    for count in &table.counts {
        records += count;
        ends.push(records);
    }
    let mut counts = vec![0u64; table.counts.len()];
    for _ in 0..records {
        let drawn = below(&mut stream, records);
        counts[ends.partition_point(|&end| end <= drawn)] += 1;
    }
    let entries: Vec<usize> = (0..counts.len()).filter(|&entry| counts[entry] > 0).collect();
    let picked = |codes: &Vec<u32>| entries.iter().map(|&entry| codes[entry]).collect();
    FrequencyTable {
        codes: table.codes.iter().map(picked).collect(),
        rest_index: picked(&table.rest_index),
        counts: entries.iter().map(|&entry| counts[entry]).collect(),
        qis: table.qis.clone(),
        rest: table.rest.clone(),
        population: None,
        strays: Strays::default(),
    }
}

/// How many records of each entry are in a random sample of `wanted` records, all records where there are
/// fewer: every set of so many records is equally likely.
///
/// Time: O(records). Selection sampling: Knuth, The Art of Computer Programming, section 3.4.2, algorithm S.
#[must_use]
pub fn some_records(counts: &[u64], wanted: u64, seed: &Seed) -> Vec<u64> {
    let mut stream = seed.stream(streams::PROFILE_SAMPLE);
    let mut left: u64 = counts.iter().sum();
    let mut wanted = wanted.min(left);
    let mut drawn = |count: u64| {
        let before = wanted;
        for _ in 0..count {
            wanted -= u64::from(wanted > 0 && below(&mut stream, left) < wanted);
            left -= 1;
        }
        before - wanted
    };
    counts.iter().map(|&count| drawn(count)).collect()
}

/// The strays that are left: drawn from a stream of their own, as the records in the table must not depend on
/// them.
fn strays(strays: &Strays, share: Share, seed: &Seed) -> Strays {
    let mut stream = seed.stream(streams::STRAY_SAMPLE);
    let mut kept = |count: u64| (0..count).filter(|_| below(&mut stream, WHOLE) < share.0).count() as u64;
    Strays {
        outside: strays.outside.iter().map(|&count| kept(count)).collect(),
        dropped: kept(strays.dropped),
        malformed: kept(strays.malformed),
    }
}

/// The entries that are left, and how many records of each.
fn draw(counts: &[u64], share: Share, seed: &Seed) -> (Vec<usize>, Vec<u64>) {
    let mut stream = seed.stream(streams::SAMPLE);
    let mut kept = |count: u64| (0..count).filter(|_| below(&mut stream, WHOLE) < share.0).count() as u64;
    counts.iter().map(|&count| kept(count)).enumerate().filter(|(_, count)| *count > 0).unzip()
}

/// The codes that occur, ascending, and by old code the new one.
fn dense(codes: &[u32], width: usize) -> (Vec<u32>, Vec<u32>) {
    let mut occurs = vec![false; width];
    codes.iter().for_each(|&code| occurs[code as usize] = true);
    let present: Vec<u32> = (0..width as u32).filter(|&code| occurs[code as usize]).collect();
    let mut recoded = vec![0; width];
    for (new, &old) in (0..).zip(&present) {
        recoded[old as usize] = new;
    }
    (present, recoded)
}

/// The combinations that occur, and by old combination the new one.
fn sampled_rest(rest: &Rest, used: &[u32], whole_domain: &[bool]) -> (Rest, Vec<u32>) {
    let (present, of_rest) = dense(used, rest.len);
    let mut sampled = Rest { len: present.len(), ..Rest::default() };
    for ((column, codes), &whole) in rest.columns.iter().zip(&rest.codes).zip(whole_domain) {
        let codes: Vec<u32> = present.iter().map(|&index| codes[index as usize]).collect();
        let (kept, recoded) = match whole {
            true => ((0..column.values.len() as u32).collect(), (0..column.values.len() as u32).collect()),
            false => dense(&codes, column.values.len()),
        };
        let values = kept.iter().map(|&code| column.values[code as usize].clone()).collect();
        sampled.columns.push(RestColumn { name: column.name.clone(), role: column.role, values });
        sampled.codes.push(codes.iter().map(|&code| recoded[code as usize]).collect());
    }
    (sampled, of_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_nine_decimals() {
        assert_eq!(Share::try_from(0.1).map(f64::from), Ok(0.1));
        for wrong in [0.0, -0.1, 1.1, 1e-10, f64::NAN] {
            assert!(Share::try_from(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_keeps_its_label_where_what_is_left_has_another_order() {
        // By code point "10" comes before "9", by size after it.
        let (leaves, hierarchy) = Rule::Flat.over(["10", "9", "x"].map(str::to_owned).to_vec(), false);
        assert_eq!(leaves, ["10", "9", "x"]);
        let table = FrequencyTable {
            qis: vec![QuasiIdentifier { name: "age".into(), hierarchy }],
            rest: Rest { columns: Vec::new(), codes: Vec::new(), len: 1 },
            codes: vec![vec![0, 1, 2]],
            rest_index: vec![0, 0, 0],
            counts: vec![3, 2, 1],
            population: None,
            strays: Strays::default(),
        };
        let numbers = kept(&table, (vec![0, 1], vec![3, 2]), &[&Rule::Flat], &[], Strays::default());
        let label = |entry: usize| numbers.qis[0].hierarchy.label(0, numbers.codes[0][entry]);
        assert_eq!([label(0), label(1)], ["10", "9"]);
        assert_eq!(numbers.counts, [3, 2]);
    }

    #[test]
    fn every_record_is_drawn_again_as_often_as_others() {
        let table = FrequencyTable {
            qis: Vec::new(),
            rest: Rest::default(),
            codes: vec![vec![4, 5, 6]],
            rest_index: vec![0, 1, 2],
            counts: vec![1, 2, 1],
            population: None,
            strays: Strays::default(),
        };
        let (mut sums, mut gone) = ([0u64; 3], 0u32);
        for number in 0..3000 {
            let drawn = resampled(&table, &Seed::from_number(number));
            assert_eq!(drawn.counts.iter().sum::<u64>(), 4);
            assert!(drawn.counts.iter().all(|count| *count > 0));
            assert_eq!(drawn.codes[0].len(), drawn.counts.len());
            drawn.codes[0]
                .iter()
                .zip(&drawn.counts)
                .for_each(|(&code, count)| sums[code as usize - 4] += count);
            gone += u32::from(!drawn.rest_index.contains(&0));
        }
        // Over 6 standard deviations; the seeds are fixed.
        assert!(sums[0].abs_diff(3000) < 300 && sums[1].abs_diff(6000) < 340, "{sums:?}");
        // A record is left out with (3/4)^4.
        assert!(gone.abs_diff(949) < 160, "{gone}");
    }

    #[test]
    fn the_share_of_records_is_kept() {
        let counts = vec![10; 1000];
        let (entries, kept) = draw(&counts, Share::try_from(0.3).unwrap(), &Seed::from_number(5));
        let total: u64 = kept.iter().sum();
        // Binomial(10 000, 0.3) is this far off with a probability below 1e-9; the seed is fixed.
        assert!(total.abs_diff(3000) < 280, "{total}");
        assert_eq!(entries.len(), kept.len());
        let all = draw(&counts, Share::try_from(1.0).unwrap(), &Seed::from_number(5));
        assert_eq!(all, ((0..1000).collect(), counts));
    }

    #[test]
    fn every_set_of_records_is_equally_likely() {
        let mut seen = std::collections::BTreeMap::new();
        for number in 0..3000 {
            let drawn = some_records(&[1, 2, 1], 2, &Seed::from_number(number));
            assert_eq!(drawn.iter().sum::<u64>(), 2);
            *seen.entry(drawn).or_insert(0u32) += 1;
        }
        // Of the 6 pairs of records, the second entry alone is 1, with one of the others 2 each, without it 1.
        let expected = [([0, 1, 1], 2), ([0, 2, 0], 1), ([1, 0, 1], 1), ([1, 1, 0], 2)];
        assert_eq!(seen.len(), expected.len());
        for (drawn, pairs) in expected {
            // Over 6 standard deviations: a false alarm has a probability below 1e-8; the seeds are fixed.
            assert!(seen[&drawn.to_vec()].abs_diff(500 * pairs) < 160, "{seen:?}");
        }
        assert_eq!(some_records(&[1, 2], 9, &Seed::from_number(0)), [1, 2]);
    }

    #[test]
    fn nobody_keeps_more_records_than_asked_and_every_set_is_equally_likely() {
        // One person has 1 + 2 records, another 1, the third 4 in one entry.
        let entries = [(0, 1), (1, 1), (0, 2), (2, 4)];
        let mut first = 0u32;
        for number in 0..3000 {
            let seed = Seed::from_number(number);
            let (kept, counts) = some_of_each(entries.iter().copied(), 3, 2, &seed);
            let mut of = [0; 3];
            kept.iter().zip(&counts).for_each(|(&entry, count)| of[entries[entry].0 as usize] += count);
            assert_eq!(of, [2, 1, 2]);
            first += u32::from(kept[0] == 0);
        }
        // Of three records two: the first is kept in two thirds. Over 6 standard deviations; the seeds are fixed.
        assert!(first.abs_diff(2000) < 160, "{first}");
        let all = some_of_each(entries.iter().copied(), 3, 4, &Seed::from_number(1));
        assert_eq!(all, (vec![0, 1, 2, 3], vec![1, 1, 2, 4]));
    }

    #[test]
    fn values_that_nobody_has_any_more_are_gone() {
        let rest = Rest {
            columns: vec![RestColumn {
                name: "s".into(),
                role: crate::frequency::Role::Sensitive,
                values: ["a", "b", "c"].map(String::from).to_vec(),
            }],
            codes: vec![vec![0, 1, 2]],
            len: 3,
        };
        let (sampled, of_rest) = sampled_rest(&rest, &[2, 0, 2], &[false]);
        assert_eq!((sampled.columns[0].values.join(""), sampled.codes[0].clone()), ("ac".into(), vec![0, 1]));
        assert_eq!((of_rest[0], of_rest[2]), (0, 1));
        assert_eq!(sampled_rest(&rest, &[1], &[true]).0.codes[0], [1]);
    }
}
