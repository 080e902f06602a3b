//! Numbers as people read them: grouped by thousands, with sensible digits.

/// Between groups of three digits, on every page and on the terminal.
const THOUSANDS: char = ',';

/// The narrow no-break space between a number and its unit.
const THIN: char = '\u{202F}';

/// A number as a whole one that compares like it, as [`f64::total_cmp`] does.
#[must_use]
pub fn in_order(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    // Of negative numbers all bits but the sign say how far they are from 0.
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// A whole number in groups of three digits.
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A number with about three significant digits.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if value.is_nan() => "not available".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "∞" } else { "−∞" }.to_owned(),
        _ if size == 0.0 => "0".to_owned(),
        _ if !(1e-4..1e15).contains(&size) => scientific(value),
        _ if size >= 100.0 => fixed(value, 0),
        _ => trimmed(value, significant_decimals(size)),
    }
}

/// A number with as many digits as it takes to read it back.
#[must_use]
pub fn exact(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || (1e-4..1e15).contains(&value.abs()) {
        return value.to_string();
    }
    raised(&format!("{value:e}"))
}

/// A number with exactly this many decimals.
pub fn fixed(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_once('.').map_or((plain.as_str(), None), |(a, b)| (a, Some(b)));
    let negative = value < 0.0 && plain.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0');
    let sign = if negative { "−" } else { "" };
    match fraction {
        Some(fraction) => format!("{sign}{}.{fraction}", group(whole)),
        None => format!("{sign}{}", group(whole)),
    }
}

/// A share as per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        value if !value.is_finite() => "not available".to_owned(),
        value if value != 0.0 && value.abs() < 0.05 => format!("{}{THIN}%", number(value)),
        value => format!("{}{THIN}%", fixed(value, 1)),
    }
}

/// A value in the words of the caller; what is a plain number in it gets its groups.
pub fn grouped_text(text: &str) -> String {
    let least = if is_digits(text) { 4 } else { 5 };
    text.split(' ').map(|word| grouped_word(word, least)).collect::<Vec<_>>().join(" ")
}

/// A word with groups, if it is a plain number of at least so many digits.
fn grouped_word(word: &str, least: usize) -> String {
    let plain = is_digits(word) && word.len() >= least && word.len() <= 15 && !word.starts_with('0');
    if plain { group(word) } else { word.to_owned() }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn group(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(THOUSANDS);
        }
        grouped.push(digit);
    }
    grouped
}

/// Decimals that leave three significant digits of a number between 1e-4 and 100.
fn significant_decimals(size: f64) -> usize {
    let thresholds = [10.0, 1.0, 0.1, 0.01, 0.001];
    1 + thresholds.iter().filter(|&&threshold| size < threshold).count()
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn scientific(value: f64) -> String {
    raised(&format!("{value:.1e}"))
}

/// A number as a program writes it with a power of ten, as people read it.
fn raised(plain: &str) -> String {
    let (mantissa, exponent) = plain.split_once('e').unwrap_or((plain, "0"));
    let raised: String = exponent.chars().map(superscript).collect();
    format!("{}{THIN}×{THIN}10{raised}", mantissa.replace('-', "−"))
}

fn superscript(character: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = character.to_digit(10).and_then(|digit| DIGITS.get(digit as usize).copied());
    digit.unwrap_or('⁻')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_their_whole_ones() {
        let numbers = [-1e300, -2.5, -1.0, -0.0, 0.0, 5e-324, 0.5, 1.0, 3.0, 1e300];
        assert!(numbers.map(in_order).is_sorted_by(|a, b| a < b));
    }
}
