//! Digits and their check digits.

/// The digits of a text without the separators; `None` if it holds anything else.
pub(super) fn only(text: &str, separators: &[char]) -> Option<Vec<u32>> {
    text.chars().filter(|c| !separators.contains(c)).map(|c| c.to_digit(10)).collect()
}

/// The Luhn check (ISO/IEC 7812-1, annex B): doubled from the right, beginning with the second.
pub(super) fn luhn(digits: impl DoubleEndedIterator<Item = u32>) -> bool {
    digits.rev().enumerate().map(doubled_at_odd).sum::<u32>() % 10 == 0
}

fn doubled_at_odd((place, digit): (usize, u32)) -> u32 {
    let doubled = if place % 2 == 1 { 2 * digit } else { digit };
    doubled / 10 + doubled % 10
}

/// The check of GS1 numbers: weights 3 and 1 from the right, the check digit having 1.
pub(crate) fn gs1(digits: &[u32]) -> bool {
    let weights = [1, 3].into_iter().cycle();
    digits.iter().rev().zip(weights).map(|(digit, weight)| digit * weight).sum::<u32>() % 10 == 0
}

/// Whether all digits are the same, as in numbers that stand for none.
pub(super) fn all_alike(digits: &[u32]) -> bool {
    digits.windows(2).all(|pair| pair[0] == pair[1])
}
