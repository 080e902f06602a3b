//! What a column's cells seem to have lost on their way into the table.

use velamen_core::written::number;
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::{Cells, header};

/// The share of the cells that has to look so.
const MOST: f64 = 0.95;

/// Beginnings of words that name a postal code.
const ZIP: [&str; 3] = ["zip", "plz", "postleitzahl"];

/// What should be known of a column before its suggestion is taken.
pub(super) fn remark(name: &str, kind: &Kind, cells: Cells<'_>) -> Option<String> {
    let lost = "by its name it holds postal codes, but some have fewer than five digits because leading zeros were lost; \
                export the column as text";
    let comma = "its cells look like numbers with a decimal comma and are read as text; give --decimal-comma, or `decimal = \",\"` in a \
         recipe";
    let problem = match () {
        () if short_zips(name, kind, cells) => lost.to_owned(),
        () if have_commas(cells) => comma.to_owned(),
        () => others_than_numbers(kind, cells)?,
    };
    Some(format!("column `{name}`: {problem}"))
}

/// What stands between a column and its ranges: a few cells that are no numbers, such as a sum below the table.
fn others_than_numbers(kind: &Kind, cells: Cells<'_>) -> Option<String> {
    if !matches!(kind, Kind::WholeNumber | Kind::Decimal { .. }) {
        return None;
    }
    let others = cells.0.iter().filter(|(value, _)| number::parse(value).is_none());
    let records: u64 = others.map(|(_, count)| count).sum();
    let are = if records == 1 { "is no number" } else { "are no numbers" };
    (records > 0).then(|| {
        format!(
            "{records} of its {} cells {are}, so that no ranges are suggested for it; mend them, or name what they mean in `null` \
             under [input]",
            cells.records()
        )
    })
}

fn short_zips(name: &str, kind: &Kind, cells: Cells<'_>) -> bool {
    let named = header::words(name).iter().any(|word| ZIP.iter().any(|zip| word.starts_with(zip)));
    let lengths = || cells.values().map(str::len);
    named && *kind == Kind::WholeNumber && lengths().max() == Some(5) && lengths().any(|length| length < 5)
}

/// Whether a column holds numbers with a decimal comma.
pub(super) fn have_commas(cells: Cells<'_>) -> bool {
    cells.share(has_comma) >= MOST
}

/// `-12,5` and `1.234,567`, but not `1,000` as thousands are written.
fn has_comma(text: &str) -> bool {
    let Some((whole, fraction)) = text.split_once(',') else { return false };
    number::with_point(text).is_some() && (fraction.len() != 3 || whole.contains('.'))
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
        assert!(of("PLZ", &Kind::WholeNumber, &["1067", "99950"]).unwrap().contains("leading zeros"));
        assert_eq!(of("PLZ", &Kind::WholeNumber, &["1010", "9999"]), None);
        let sum = of("age", &Kind::WholeNumber, &["30", "41", "=SUM(B2:B3)"]).unwrap();
        assert!(sum.contains("1 of its 3 cells is no number") && !sum.contains("SUM"), "{sum}");
        let text = Kind::Text { free: false };
        assert!(of("hba1c", &text, &["6,5", "-7,25"]).unwrap().contains("decimal comma"));
        assert_eq!(of("cost", &text, &["6,500", "7,250"]), None);
    }
}
