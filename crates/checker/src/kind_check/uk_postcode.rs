//! Labels of postcodes of the United Kingdom.

use serde_json::{Map, Value};

use super::{Entry, Labels, Place};

pub(super) const ENTRY: Entry = Entry { name: "uk-postcode", read };

/// Whether whole postcodes are values, and whether outward codes are.
#[derive(Debug)]
struct UkPostcode {
    units: bool,
    outward: bool,
}

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    let (units, outward) = match fields.get("uk-postcode")?.as_str()? {
        "unit" => (true, false),
        "district" => (false, true),
        "any" => (true, true),
        _ => return None,
    };
    Some(Box::new(UkPostcode { units, outward }))
}

/// What stands for each character: `A` for a capital, `9` for a digit.
fn shape(label: &str) -> String {
    label.chars().map(sign).collect()
}

fn sign(c: char) -> char {
    match c {
        'A'..='Z' => 'A',
        '0'..='9' => '9',
        ' ' => ' ',
        _ => '?',
    }
}

/// The shapes of outward codes.
const OUTWARD: [&str; 6] = ["A9", "A99", "A9A", "AA9", "AA99", "AA9A"];

/// Outward codes in one area: 10 of a digit, 100 of two, 260 of a digit and a letter.
const IN_AREA: f64 = 370.;

impl UkPostcode {
    /// The values in one district: ten sectors of 26 · 26 units, and the outward code.
    fn in_district(&self) -> f64 {
        let units = if self.units { 6760. } else { 0. };
        if self.outward { units + 1. } else { units }
    }
}

impl Labels for UkPostcode {
    fn places(&self, label: &str) -> Vec<Place> {
        let shape = shape(label);
        match shape.split_once(' ') {
            Some((outward, inward)) if self.units && OUTWARD.contains(&outward) => match inward {
                "9AA" => vec![(0, 1.)],
                "9" => vec![(1, 676.)],
                _ => Vec::new(),
            },
            Some(_) => Vec::new(),
            None if OUTWARD.contains(&shape.as_str()) => match (self.units, self.outward) {
                (true, true) => vec![(0, 1.), (1, 1.), (2, self.in_district())],
                (true, false) => vec![(2, self.in_district())],
                (false, _) => vec![(0, 1.)],
            },
            None if ["A", "AA"].contains(&shape.as_str()) => {
                vec![(if self.units { 3 } else { 1 }, IN_AREA * self.in_district())]
            }
            None => Vec::new(),
        }
    }

    fn leaves(&self) -> f64 {
        (26. + 676.) * IN_AREA * self.in_district()
    }

    fn top(&self) -> usize {
        if self.units { 4 } else { 2 }
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};

    const UNIT: &str = r#"{"uk-postcode":"unit"}"#;
    const DISTRICT: &str = r#"{"uk-postcode":"district"}"#;
    const ANY: &str = r#"{"uk-postcode":"any"}"#;

    #[test]
    fn labels_are_units_sectors_districts_and_areas() {
        let places = ["SW1A 1AA", "SW1A 1", "SW1A", "SW"].map(|label| of(UNIT, label));
        assert_eq!(places, [[(0, 1.)], [(1, 676.)], [(2, 6760.)], [(3, 2_501_200.)]]);
        assert_eq!(of(ANY, "M1"), [(0, 1.), (1, 1.), (2, 6761.)]);
        assert_eq!([of(DISTRICT, "M1"), of(DISTRICT, "M")], [[(0, 1.)], [(1, 370.)]]);
    }

    #[test]
    fn other_labels_are_foreign() {
        for foreign in
            ["SW1A1AA", "sw1a 1aa", "SW1A 1A", "SW1A  1", "SWA 1AA", "SW1A 11", "SWAA", "1", "", "M1 ", "M1é"]
        {
            assert_eq!([of(UNIT, foreign), of(ANY, foreign)], [[], []], "{foreign}");
        }
        assert_eq!([of(DISTRICT, "SW1A 1AA"), of(DISTRICT, "SW1A 1")], [[], []]);
        assert!(super::super::labels(&serde_json::from_str(UNIT).unwrap()).is_some());
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        assert_eq!(extent(UNIT), (702. * 2_501_200., 4));
        assert_eq!(extent(DISTRICT), (702. * 370., 2));
        assert_eq!(extent(ANY), (702. * 370. * 6761., 4));
    }
}
