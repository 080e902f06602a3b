//! Labels of codes that begin with the codes above them.

use serde_json::{Map, Value};

use super::{Code, Entry, Labels, Place, is_set, lengths};

pub(super) const ENTRY: Entry = Entry { name: "prefix", read };

#[derive(Debug)]
struct Prefix {
    code: Code,
    /// From that of the whole code down.
    lengths: Vec<usize>,
    letters: bool,
}

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    let prefix = lengths(fields, "prefix")?;
    let letters = fields.get("alphabet")?.as_u64()? > 10;
    let ends = match is_set(fields, "shorter") {
        true => prefix.clone(),
        false => prefix.last().copied().into_iter().collect(),
    };
    let alphabet: fn(usize) -> f64 = if letters { |_| 36. } else { |_| 10. };
    let lengths = prefix.into_iter().rev().collect();
    Some(Box::new(Prefix { code: Code { ends, alphabet }, lengths, letters }))
}

impl Labels for Prefix {
    fn places(&self, label: &str) -> Vec<Place> {
        let formed = |c: char| c.is_ascii_digit() || (self.letters && c.is_ascii_uppercase());
        match label.chars().all(formed) {
            true => self.code.places(label.len(), &self.lengths),
            false => Vec::new(),
        }
    }

    fn leaves(&self) -> f64 {
        self.code.under(0)
    }

    fn top(&self) -> usize {
        self.lengths.len()
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};

    #[test]
    fn letters_are_codes_of_an_alphabet_that_has_them() {
        let digits = r#"{"prefix":[2,4]}"#;
        assert_eq!(
            [of(digits, "12"), of(digits, "A2"), of(digits, "1A34")],
            [vec![(1, 100.)], vec![], vec![]]
        );
        let letters = r#"{"prefix":[2,4],"alphabet":36}"#;
        assert_eq!([of(letters, "A2"), of(letters, "a2")], [vec![(1, 1296.)], vec![]]);
    }

    #[test]
    fn a_shorter_code_is_one_at_each_level_that_would_leave_it() {
        // One digit stays where codes are cut to three or two; cut to one it is that code, ten of two and a hundred of three.
        let shorter = r#"{"prefix":[1,2,3],"shorter":true}"#;
        assert_eq!(of(shorter, "1"), [(0, 1.), (1, 1.), (2, 111.)]);
        assert_eq!([of(shorter, "12"), of(shorter, "123")], [vec![(0, 1.), (1, 11.)], vec![(0, 1.)]]);
        assert_eq!(of(r#"{"prefix":[1,2,3]}"#, "1"), [(2, 100.)]);
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        assert_eq!(extent(r#"{"prefix":[2,5,8]}"#), (1e8, 3));
        assert_eq!(extent(r#"{"prefix":[2,4],"shorter":true,"alphabet":36}"#), (1296. + 1296. * 1296., 2));
    }
}
