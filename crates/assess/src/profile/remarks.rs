//! What a column's cells seem to have lost on their way into the table.

use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::{Cells, header};

/// The share of the cells that has to look so.
const MOST: f64 = 0.95;

/// What should be known of a column before its suggestion is taken.
pub(super) fn remark(name: &str, kind: &Kind, cells: Cells<'_>) -> Option<String> {
    let lost = "by its name it holds ZIP codes, but some have fewer than five digits because leading zeros were lost; \
                export the column as text";
    let comma = "its cells look like numbers with a decimal comma and are read as text; give --decimal-comma, or `decimal = \",\"` in a \
         recipe";
    let problem = match () {
        () if short_zips(name, kind, cells) => lost,
        () if cells.share(has_comma) >= MOST => comma,
        () => return None,
    };
    Some(format!("column `{name}`: {problem}"))
}

fn short_zips(name: &str, kind: &Kind, cells: Cells<'_>) -> bool {
    let named = header::words(name).iter().any(|word| word.starts_with("zip"));
    let lengths = || cells.values().map(str::len);
    named && *kind == Kind::WholeNumber && lengths().max() == Some(5) && lengths().any(|length| length < 5)
}

/// `-12,5`, but not `1,000` as thousands are written.
fn has_comma(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.strip_prefix('-').unwrap_or(text).split_once(',');
    parts.is_some_and(|(whole, fraction)| digits(whole) && digits(fraction) && fraction.len() != 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, kind: &Kind, values: &[&str]) -> Option<String> {
        let cells: Vec<(&str, u64)> = values.iter().map(|value| (*value, 1)).collect();
        remark(name, kind, Cells(&cells))
    }

    #[test]
    fn lost_zeros_and_commas_are_seen() {
        let zips = of("ZipCode", &Kind::WholeNumber, &["501", "99950"]).unwrap();
        assert!(zips.contains("leading zeros") && !zips.contains("501"));
        assert_eq!(of("ZipCode", &Kind::WholeNumber, &["10115", "99950"]), None);
        assert_eq!(of("units", &Kind::WholeNumber, &["501", "99950"]), None);
        let text = Kind::Text { free: false };
        assert!(of("hba1c", &text, &["6,5", "-7,25"]).unwrap().contains("decimal comma"));
        assert_eq!(of("cost", &text, &["6,500", "7,250"]), None);
    }
}
