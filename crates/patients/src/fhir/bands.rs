//! Numbers in bands: what a Quantity cannot hold stands in a Range, whose ends are the bounds of the band.
//!
//! R4 has a Range among the types of an observation's value, and a number of the band lies between its ends. The unit stands at
//! both. The middle of a band as a Quantity would look like something that was measured.

use std::collections::BTreeMap;

use super::element::{self, Form};
use super::json::Node;
use crate::compact::Compact;

/// The columns of a number and of its unit.
pub(super) const NUMBER: &str = "valueQuantity.value";
pub(super) const UNIT: &str = "valueQuantity.code";

/// The element in which a band stands.
pub(super) const RANGE: &str = "valueRange";

/// A column's texts, and the number of the text of each row.
pub(super) type Column<'a> = (&'a [String], &'a Compact);

/// Bands and units together: the JSON of each pair that there is, and the pair of each row.
pub(super) fn together(bands: Column<'_>, units: Option<Column<'_>>) -> (Vec<String>, Compact) {
    let mut places: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let (mut made, mut codes) = (Vec::new(), Compact::default());
    for (row, band) in bands.1.iter().enumerate() {
        let unit = units.map_or(0, |(_, codes)| codes.at(row));
        codes.push(*places.entry((band, unit)).or_insert_with(|| {
            let unit = units.map_or("", |(texts, _)| &texts[unit as usize]);
            made.push(json(&bands.0[band as usize], unit));
            made.len() as u32 - 1
        }));
    }
    (made, codes)
}

/// A band and a unit as an element with its name; without a band the unit alone, and nothing without both.
fn json(band: &str, unit: &str) -> String {
    let unit = element::json(unit, Form::Unit);
    let Some((low, high)) = bounds(band) else {
        return unit.map(|unit| format!("\"valueQuantity\":{{{unit}}}")).unwrap_or_default();
    };
    let unit = unit.map(|unit| format!(",{unit}")).unwrap_or_default();
    format!("\"{RANGE}\":{{\"low\":{{\"value\":{low}{unit}}},\"high\":{{\"value\":{high}{unit}}}}}")
}

/// The bounds of a band by its name.
fn bounds(band: &str) -> Option<(&str, &str)> {
    band.strip_prefix('[')?.strip_suffix(')')?.split_once(", ")
}

/// The name of the band that a Range of a release stands for; empty where there is none.
pub(super) fn name(range: Node<'_, '_>) -> String {
    let bound = |end: &str| range.get(end).get("value").number().and_then(serde_json::Number::as_f64);
    match (bound("low"), bound("high")) {
        (Some(low), Some(high)) => format!("[{low}, {high})"),
        _ => String::new(),
    }
}

/// The part of a Range that has its unit.
pub(super) fn unit<'t, 'a>(range: Node<'t, 'a>) -> Node<'t, 'a> {
    range.get("low")
}

#[cfg(test)]
mod tests {
    use super::super::json::Tape;
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let bands = ["", "[-2.5, 10)", "[10, 1000000000000000000000)"].map(str::to_owned);
        let units = ["", "urn:u|k\"g", "|kg"].map(str::to_owned);
        let (of_bands, of_units) = ([0_u32, 1, 2, 0, 1], [0_u32, 1, 2, 2, 0]);
        let codes = |codes: &[u32]| codes.iter().copied().collect::<Compact>();
        let (banded, measured) = (codes(&of_bands), codes(&of_units));
        let (made, codes) = together((&bands, &banded), Some((&units, &measured)));
        let shown: Vec<&str> = codes.iter().map(|code| made[code as usize].as_str()).collect();
        assert_eq!((shown[0], shown[3]), ("", "\"valueQuantity\":{\"unit\":\"kg\"}"));
        for (row, text) in shown.iter().enumerate().filter(|(_, text)| text.contains(RANGE)) {
            let text = format!("{{{text}}}");
            let tape = Tape::of(&text).unwrap();
            let range = tape.node().get(RANGE);
            assert_eq!(name(range), bands[of_bands[row] as usize]);
            assert_eq!(element::cell(unit(range), Form::Unit).unwrap(), units[of_units[row] as usize]);
        }
        assert!(
            together((&bands, &banded), None)
                .0
                .iter()
                .any(|text| text == "\"valueRange\":{\"low\":{\"value\":-2.5},\"high\":{\"value\":10}}")
        );
    }
}
