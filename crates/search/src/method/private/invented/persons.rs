//! Persons of several records: of each at most so many are counted.
//!
//! Which ones, follows from a hash of each record and its occurrence among the person's equal ones, with a key that is the run's.
//! It does not look at other persons. So tables that differ by one person, with all of her records, differ by at most so many
//! records once both are bounded. Every table of counts differs by at most that in the Euclidean norm. A record of nobody is left out, for
//! it would make one person of all who have no number.
//!
//! A person is who has a number, however it is written ([`number_of`]): as `5`, ` 5`, `05` or `5.0`. Further spellings, such as
//! capital letters, are not taken together: numbers that may be of two persons would let one of them make room for the other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BinaryHeap};

use unicode_normalization::UnicodeNormalization;
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
    let persons = one_for_each(&table.rest.columns[person].values);
    let mut kept: BTreeMap<u32, BinaryHeap<(u64, usize)>> = BTreeMap::new();
    for entry in 0..table.len() {
        let code = table.rest.codes[person][table.rest_index[entry] as usize];
        let Some(whose) = persons[code as usize] else { continue };
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

/// By code the first code of the same person; `None` where it is nobody's.
fn one_for_each(values: &[String]) -> Vec<Option<u32>> {
    let mut first: BTreeMap<Cow<'_, str>, u32> = BTreeMap::new();
    let mut one = Vec::with_capacity(values.len());
    for (value, code) in values.iter().zip(0..) {
        let number = number_of(value);
        one.push((number != NULL).then(|| *first.entry(number).or_insert(code)));
    }
    one
}

/// A person's number without what ways of writing it differ in: in composed form (NFC), without white space around it, and a number
/// by its value alone, as digits without zeros at either end and a power of ten.
fn number_of(value: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_alphabetic();
    let is_name = value.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if is_name && value.bytes().all(is_plain) {
        return Cow::Borrowed(value);
    }
    let text: String = value.nfc().collect();
    let text = text.trim();
    Cow::Owned(by_value(text).unwrap_or_else(|| text.to_owned()))
}

/// A number in the one way in which it is written here; `None` where the text is none.
fn by_value(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{decimals}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let power = power.parse::<i64>().ok()?.checked_sub(i64::try_from(decimals.len()).ok()?)?;
    let short = digits.trim_end_matches('0');
    let power = power.checked_add(i64::try_from(digits.len() - short.len()).ok()?)?;
    match short.trim_start_matches('0') {
        "" => Some("0".to_owned()),
        digits => Some(format!("{sign}{digits}e{power}")),
    }
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
        assert_eq!((bounded.rest.person(), bounded.rest_index.len()), (None, bounded.counts.len()));
        assert!(!bounded.counts.contains(&0));
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

    /// The published first numbers of SplitMix64 from the seed 0, whose n-th is the finalizer of n times a constant.
    #[test]
    fn the_hash_is_that_of_splitmix64() {
        let golden = 0x9e37_79b9_7f4a_7c15u64;
        let numbers = [0, 1, 2].map(|n| mixed(0, golden.wrapping_mul(n)));
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(mixed(1, 0), mixed(0, 1 << 25));
    }

    /// Any of a person's records is as likely to be counted as any other, equal ones too.
    #[test]
    fn each_record_of_a_person_is_counted_as_often() {
        let table = of_persons(&[(0, 0, "a"), (1, 0, "a"), (2, 2, "a"), (2, 2, "a"), (3, 1, "a")]);
        let mut sums = [0i64; 12];
        for seed in 0..2000 {
            sums.iter_mut().zip(counted(&table, 2, seed)).for_each(|(sum, count)| *sum += count);
        }
        // Two of five: 800 of 2000 each, with a standard deviation of 22; P(|Z| > 4.5) = 7e-6.
        for (place, often) in [(0, 800), (3, 800), (8, 1600), (10, 800)] {
            assert!((sums[place] - often).abs() < 140, "{sums:?}");
        }
    }

    #[test]
    fn a_number_is_one_however_it_is_written() {
        for (one, others) in [
            ("5", &[" 5", "05", "5.0", "5.", "+5", "5e0", "0.5E1", "5\t"][..]),
            ("100", &["1e2", "100.00", "0100"]),
            ("100000000000000000000", &["1e20", "1E+20", "1.0e20"]),
            ("0", &["-0.0", "0.0", "00"]),
            ("\u{e9}", &["e\u{301}", " \u{e9} "]),
            ("", &[" ", "\u{a0}"]),
        ] {
            assert!(others.iter().all(|other| number_of(other) == number_of(one)), "{one}: {others:?}");
        }
        let apart = [
            "5",
            "-5",
            "50",
            "0.5",
            "5.5",
            "A",
            "a",
            "5a",
            "1-2",
            "12",
            "e5",
            "5e",
            ".",
            "1e99999999999999999999",
        ];
        let numbers: BTreeMap<Cow<'_, str>, &str> = apart.iter().map(|one| (number_of(one), *one)).collect();
        assert_eq!(numbers.len(), apart.len(), "{numbers:?}");
    }

    #[test]
    fn spellings_of_a_person_are_bounded_together() {
        let written = [" 5", "05", "5", "5.0", " "];
        let records: Vec<(u32, u32, &str)> = written.iter().map(|name| (0, 0, *name)).collect();
        for most in [1, 2, 9] {
            assert_eq!(counted(&of_persons(&records), most, 3).iter().sum::<i64>(), most.min(4) as i64);
        }
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
