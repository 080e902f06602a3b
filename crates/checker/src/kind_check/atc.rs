//! Labels of ATC codes.

use serde_json::{Map, Value};

use super::{Code, Entry, Labels, Place};

pub(super) const ENTRY: Entry = Entry { name: "atc", read };

/// The lengths of the levels, from that of the whole code down.
const LENGTHS: [usize; 5] = [7, 5, 4, 3, 1];

#[derive(Debug)]
struct Atc(Code);

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    let ends = match fields.get("atc")?.as_str()? {
        "full" => vec![7],
        "any-level" => vec![1, 3, 4, 5, 7],
        _ => return None,
    };
    Some(Box::new(Atc(Code { ends, alphabet })))
}

impl Labels for Atc {
    fn places(&self, label: &str) -> Vec<Place> {
        if is_atc(label) { self.0.places(label.len(), &LENGTHS) } else { Vec::new() }
    }

    fn leaves(&self) -> f64 {
        self.0.under(0)
    }

    fn top(&self) -> usize {
        LENGTHS.len()
    }
}

/// How many characters there are at a place.
fn alphabet(place: usize) -> f64 {
    match place {
        0 => 14.,
        3 | 4 => 26.,
        _ => 10.,
    }
}

fn is_atc(label: &str) -> bool {
    [1, 3, 4, 5, 7].contains(&label.len()) && label.chars().zip("G00LL00".chars()).all(fits)
}

/// Whether a character is of a kind: G a group, L a letter, else a digit.
fn fits((c, kind): (char, char)) -> bool {
    match kind {
        'G' => "ABCDGHJLMNPRSV".contains(c),
        'L' => c.is_ascii_uppercase(),
        _ => c.is_ascii_digit(),
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};

    #[test]
    fn codes_stand_where_their_length_says() {
        let atc = r#"{"atc":"full"}"#;
        assert_eq!(of(atc, "A10BA"), [(1, 100.)]);
        assert_eq!([of(atc, "E10BA"), of(atc, "A1"), of(atc, "A10B5")], [[], [], []]);
        assert_eq!(of(r#"{"atc":"any-level"}"#, "A10BA"), [(0, 1.), (1, 101.)]);
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        assert_eq!(extent(r#"{"atc":"full"}"#), (94_640_000., 5));
        assert_eq!(extent(r#"{"atc":"any-level"}"#), (94_640_000. + 946_400. + 36_400. + 1400. + 14., 5));
    }
}
