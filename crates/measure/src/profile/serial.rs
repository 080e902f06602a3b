//! Numbers that a register gives to records one by one: `MRN-0012345`, `P004711`, `71234567`.

use super::patterns::{gs1, verhoeff};
use super::{Cells, header};

/// The share of distinct values from which nearly every record has its own.
const OWN: f64 = 0.95;

/// Fewer records say nothing.
const LEAST: u64 = 50;

/// The share of values that must have the layout, and one length.
const MOST: f64 = 0.8;

/// Of more values so many are looked at, evenly spread: enough for a share of them.
const ENOUGH: usize = 10_000;

/// The first and last second, since 1970, that are read as times.
const SECONDS: std::ops::Range<u64> = 600_000_000..2_200_000_000;

/// Whether nearly every record has its own number of one length, as registers give them. Without a prefix or
/// zeros in front that takes seven digits. Amounts, which the column's name or round numbers show, do not count, nor do
/// times, nor numbers with the check digits of goods (GS1) or of SNOMED CT.
pub(super) fn look_like_serials(name: &str, cells: Cells<'_>) -> bool {
    if cells.records() < LEAST || cells.distinction() < OWN {
        return false;
    }
    let step = cells.distinct().div_ceil(ENOUGH).max(1);
    let some: Vec<&str> = cells.values().step_by(step).collect();
    let share = |fits: &dyn Fn(&str) -> bool| {
        some.iter().filter(|value| fits(value)).count() as f64 / some.len() as f64
    };
    let Some(length) = most_frequent_length(&some) else { return false };
    let own = |value: &str| value.len() == length && serial(value).is_some();
    if share(&own) < MOST {
        return false;
    }
    let padded = share(&|value| serial(value).is_some_and(|serial| serial.is_marked()));
    let half = |fits: fn(&str) -> bool| share(&fits) >= 0.5;
    padded > 0.05 && !half(is_of_goods) && !half(is_of_snomed)
        || share(&|value| value.len() >= 7) >= MOST
            && !header::tells_amount(name)
            && ![is_round, is_time, is_of_goods, is_of_snomed].into_iter().any(half)
}

fn most_frequent_length(values: &[&str]) -> Option<usize> {
    let mut lengths: Vec<usize> = values.iter().map(|value| value.len()).collect();
    lengths.sort_unstable();
    lengths.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map(|run| run[0])
}

/// Letters in front and digits.
struct Serial<'a> {
    prefix: &'a str,
    digits: &'a str,
}

impl Serial<'_> {
    /// Whether it has letters or zeros in front, as amounts have not.
    fn is_marked(&self) -> bool {
        !self.prefix.is_empty() || self.digits.starts_with('0')
    }
}

/// Up to five letters, a hyphen or none, five to twelve digits; six of them without letters.
fn serial(text: &str) -> Option<Serial<'_>> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let (prefix, digits) = text.split_at(start);
    let prefix = prefix.strip_suffix(['-', '_', '/', '#', ' ']).unwrap_or(prefix);
    let least = if prefix.is_empty() { 6 } else { 5 };
    let fits = prefix.len() <= 5
        && prefix.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (least..=12).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(Serial { prefix, digits })
}

fn is_round(text: &str) -> bool {
    text.ends_with('0')
}

fn is_time(text: &str) -> bool {
    text.parse().is_ok_and(|seconds| SECONDS.contains(&seconds))
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn is_of_goods(text: &str) -> bool {
    matches!(text.len(), 8 | 12 | 13 | 14) && gs1(&digits(text))
}

fn is_of_snomed(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && verhoeff(&digits(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(values: &[String]) -> bool {
        let cells: Vec<(&str, u64)> = values.iter().map(|value| (value.as_str(), 1)).collect();
        look_like_serials("v12", Cells(&cells))
    }

    #[test]
    fn amounts_by_name_are_no_serials() {
        let numbers: Vec<String> = (0..300u64).map(|n| (n * 7_919 + 3_234_567).to_string()).collect();
        let cells: Vec<(&str, u64)> = numbers.iter().map(|value| (value.as_str(), 1)).collect();
        for name in ["income_krw", "Kosten", "total charges", "진료비"] {
            assert!(!look_like_serials(name, Cells(&cells)), "{name}");
        }
        for name in ["Auftrag", "v12", "payment_id", "cost no"] {
            assert!(look_like_serials(name, Cells(&cells)), "{name}");
        }
        // Zeros in front are no amount's.
        let padded: Vec<String> = (0..300u64).map(|n| format!("{:08}", n * 7_919)).collect();
        let cells: Vec<(&str, u64)> = padded.iter().map(|value| (value.as_str(), 1)).collect();
        assert!(look_like_serials("amount", Cells(&cells)));
    }

    #[test]
    fn registers_are_told_from_amounts_and_codes() {
        let of = |make: &dyn Fn(u64) -> String| (0..300u64).map(|n| make(n * 7_919)).collect::<Vec<_>>();
        assert!(look(&of(&|n| format!("MRN-{n:07}"))) && look(&of(&|n| format!("P{n:07}"))));
        assert!(look(&of(&|n| format!("{n:08}"))) && look(&of(&|n| (n + 71_234_567).to_string())));
        // Counters, round amounts, times, postal codes, decimals, and what recurs.
        assert!(!look(&of(&|n| n.to_string())) && !look(&of(&|n| (n * 10 + 1_000_000).to_string())));
        assert!(
            !look(&of(&|n| (n + 1_700_000_000).to_string())) && !look(&of(&|n| format!("{:05}", n / 30)))
        );
        assert!(!look(&of(&|n| format!("{}.5", n + 1_000_000))));
        let recurring: Vec<String> = (0..100).map(|n| format!("P{n:05}")).collect();
        let cells: Vec<(&str, u64)> = recurring.iter().map(|value| (value.as_str(), 3)).collect();
        assert!(!look_like_serials("v12", Cells(&cells)));
    }
}
