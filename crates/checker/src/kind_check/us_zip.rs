//! Labels of ZIP codes of the United States.

#![allow(clippy::arithmetic_side_effects, reason = "numbers count what a definition lists")]

use serde_json::{Map, Value};

use super::{Entry, Labels, Place, is_set, texts};

pub(super) const ENTRY: Entry = Entry { name: "us-zip", read };

#[derive(Debug)]
struct UsZip {
    small: Vec<String>,
    plus_4: bool,
}

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    Some(Box::new(UsZip { small: texts(fields, "us-zip")?, plus_4: is_set(fields, "plus-4") }))
}

impl Labels for UsZip {
    fn places(&self, label: &str) -> Vec<Place> {
        zip(&self.small, self.plus_4, label)
    }

    fn leaves(&self) -> f64 {
        if self.plus_4 { 1e9 + 1e5 } else { 1e5 }
    }

    fn top(&self) -> usize {
        if self.plus_4 { 3 } else { 2 }
    }
}

fn zip(small: &[String], plus_4: bool, label: &str) -> Vec<Place> {
    let per_five = if plus_4 { 10_001. } else { 1. };
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let nine = label.len() == 10
        && label.split_once('-').is_some_and(|(a, b)| a.len() == 5 && digits(a) && digits(b));
    match label.len() {
        10 if plus_4 && nine => vec![(0, 1.)],
        5 if digits(label) && plus_4 => vec![(0, 1.), (1, per_five)],
        5 if digits(label) => vec![(0, 1.)],
        3 if digits(label) => {
            let listed = small.iter().filter(|area| *area != "000").count() as f64 + 1.;
            let areas = if label == "000" { listed } else { 1. };
            let hidden = label != "000" && small.iter().any(|area| area == label);
            if hidden { Vec::new() } else { vec![(1 + usize::from(plus_4), areas * 100. * per_five)] }
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};

    #[test]
    fn small_areas_are_foreign_labels() {
        let zip = r#"{"us-zip":["000","036"]}"#;
        assert_eq!([of(zip, "130"), of(zip, "000")], [[(1, 100.)], [(1, 200.)]]);
        // All small areas are shown as one, with the area 000 itself.
        let three = r#"{"us-zip":["036","059","102"]}"#;
        assert_eq!([of(three, "000"), of(three, "130")], [[(1, 400.)], [(1, 100.)]]);
        assert_eq!(of(r#"{"us-zip":["000"]}"#, "000"), [(1, 100.)]);
        assert_eq!([of(zip, "036"), of(zip, "1305"), of(zip, "13053-1234")], [[], [], []]);
        assert_eq!([of(zip, "13o53"), of(zip, "13o"), of(zip, "13053")], [vec![], vec![], vec![(0, 1.)]]);
        let nine = r#"{"us-zip":[],"plus-4":true}"#;
        assert_eq!([of(nine, "13053"), of(nine, "13053-1234")], [vec![(0, 1.), (1, 10_001.)], vec![(0, 1.)]]);
        for foreign in [
            "13o53",
            "13o",
            "1305312345",
            "13053_1234",
            "1305-12345",
            "13053-12x4",
            "13o53-1234",
            "13053-123",
        ] {
            assert_eq!(of(nine, foreign), [], "{foreign}");
        }
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        assert_eq!(extent(r#"{"us-zip":[]}"#), (1e5, 2));
        assert_eq!(extent(r#"{"us-zip":[],"plus-4":true}"#), (1_000_100_000., 3));
    }
}
