//! What is suggested for a kind, made to cover the column: decimals, letters among digits, codes of several lengths.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Map, Value as Json, json};
use velamen_report::language::{say, t};

use super::form::Kind;
use crate::column::Column;

/// Keys by which a kind is known to take codes of one length, or of several.
const ONE_LENGTH: &str = "length";
const SEVERAL_LENGTHS: &str = "shorter";
/// The key of how many different characters there can be: left out, those are digits.
const ALPHABET: &str = "alphabet";
/// Digits and letters.
const LETTERS_TOO: u64 = 36;

/// Suggestions with what it takes for every value to have a place.
pub(super) fn covering(kind: &Kind, suggested: Json, column: &Column) -> Json {
    let Json::Object(mut own) = suggested else { return suggested };
    if kind.has("decimals") {
        keep_decimals(&mut own, column);
    }
    if kind.has(ALPHABET)
        && !column.values.iter().all(|(value, _)| value.bytes().all(|byte| byte.is_ascii_digit()))
    {
        own.insert(ALPHABET.into(), LETTERS_TOO.into());
    }
    let lengths = lengths(column);
    if kind.has(ALPHABET) && kind.has(ONE_LENGTH) {
        let usual = lengths.iter().max_by_key(|(_, records)| **records);
        own.extend(usual.map(|(length, _)| (ONE_LENGTH.into(), json!(length))));
    }
    if kind.has(SEVERAL_LENGTHS) && lengths.len() > 1 {
        own.insert(kind.id.clone(), lengths.keys().copied().collect());
        own.insert(SEVERAL_LENGTHS.into(), true.into());
    }
    own.into()
}

/// As many decimals as the column has; the domain then ends with the last of them.
fn keep_decimals(own: &mut Map<String, Json>, column: &Column) {
    let of = |value: &str| value.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let decimals = column.values.iter().map(|(value, _)| of(value)).max().unwrap_or(0);
    let (1..=9, Some(most)) = (decimals, own.get("max").and_then(Json::as_f64)) else { return };
    let unit = 10f64.powi(decimals as i32);
    own.insert("max".into(), (((most + 1.0) * unit - 1.0).round() / unit).into());
    own.insert("decimals".into(), decimals.into());
}

/// How many records have values of each length, in characters.
fn lengths(column: &Column) -> BTreeMap<usize, u64> {
    let mut lengths = BTreeMap::new();
    for (value, records) in &column.values {
        *lengths.entry(value.chars().count()).or_default() += records;
    }
    lengths
}

/// Why a kind of codes cannot have a place for every value of the column, whatever is filled in.
pub(super) fn why_not(kind: &Kind, column: &Column) -> Markup {
    let lengths = lengths(column);
    let (least, most) = (lengths.keys().next(), lengths.keys().next_back());
    let is_code = |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    html! {
        @if let (Some(least), Some(most), true) = (least, most, kind.has(ALPHABET) && kind.has(ONE_LENGTH) && least < most) {
            p.care #one-length { (say!("The column's values have {} to {} characters. A mask fits one length: the others have no place. A hierarchy by the first characters takes codes of several lengths.", least, most)) }
        }
        @if kind.has(SEVERAL_LENGTHS) && !column.values.iter().all(|(value, _)| is_code(value)) {
            p.care #letters-and-digits { (t("Some values have other characters than letters and digits, such as spaces: they have no place here.")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use velamen_recipe::HierarchySection;

    use super::super::form::kinds;
    use super::super::picture::definition;
    use super::*;

    fn column(values: &[&str]) -> Column {
        Column { values: values.iter().map(|value| ((*value).to_owned(), 1)).collect(), missing: 0 }
    }

    fn outside(kind: &str, values: &[&str]) -> (Vec<String>, Markup) {
        let (kind, column) = (kinds().iter().find(|one| one.id == kind).unwrap(), column(values));
        let section: HierarchySection =
            serde_json::from_value(covering(kind, kind.suggested(&column, None), &column)).unwrap();
        let (definition, _) = definition(&section, Path::new("r.toml"), &column).unwrap();
        let rule = velamen_core::hierarchy::Rule::try_from(&definition).unwrap();
        let lacking = column.values.iter().filter(|(value, _)| !rule.contains(value));
        (lacking.map(|(value, _)| value.clone()).collect(), why_not(kind, &column))
    }

    #[test]
    fn decimals_and_letters_have_a_place() {
        assert_eq!(outside("interval", &["42.5", "159.7", "70"]).0, Vec::<String>::new());
        assert_eq!(outside("interval", &["42", "159"]).0, Vec::<String>::new());
        let (lacking, why) = outside("mask", &["AB1", "C23"]);
        assert!(lacking.is_empty() && why.0.is_empty(), "{lacking:?} {}", why.0);
        assert_eq!(outside("prefix", &["AB", "C234", "D1234"]).0, Vec::<String>::new());
    }

    #[test]
    fn what_has_no_place_whatever_is_filled_in_is_said() {
        let (lacking, why) = outside("mask", &["1234", "5678", "99"]);
        assert_eq!(lacking, ["99"]);
        assert!(why.0.contains("2 to 4 characters"), "{}", why.0);
        assert!(outside("prefix", &["SW1A 1AA", "N1"]).1.0.contains("letters-and-digits"));
    }
}
