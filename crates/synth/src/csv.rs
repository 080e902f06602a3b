//! Records as text. Every label is laid out once, so that a row is four copies of eight bytes.

use std::sync::LazyLock;

use crate::{AGES, Record, SEXES, STAYS, labels};

/// No row is longer: `99,F,111,2603,N,I63` and its line feed.
const LONGEST_ROW: usize = 20;

static FRAGMENTS: LazyLock<Fragments> = LazyLock::new(Fragments::new);

/// Up to eight bytes of a row.
#[derive(Clone, Copy)]
struct Fragment {
    bytes: [u8; 8],
    length: u8,
}

impl Fragment {
    fn new(text: &str) -> Self {
        let mut bytes = [0; 8];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self { bytes, length: text.len() as u8 }
    }

    /// Writes at `at` and returns the end of what was written; what follows it up to eight bytes is scratch.
    #[inline]
    fn write(self, out: &mut [u8], at: usize) -> usize {
        out[at..at + 8].copy_from_slice(&self.bytes);
        at + usize::from(self.length)
    }
}

struct Fragments {
    /// Age and sex.
    people: Vec<Fragment>,
    stays: Vec<Fragment>,
    locations: Vec<Fragment>,
    /// Surgery, diagnosis and the end of the line.
    ends: [Vec<Fragment>; 2],
}

impl Fragments {
    fn new() -> Self {
        let [ages, sexes, stays, locations, surgery, diagnoses] = labels();
        let person = |cell: usize| Fragment::new(&format!("{},{},", ages[cell / SEXES], sexes[cell % SEXES]));
        let cells = |labels: &[String]| labels.iter().map(|l| Fragment::new(&format!("{l},"))).collect();
        let end = |surgery: usize| {
            diagnoses.iter().map(|d| Fragment::new(&format!("{},{d}\n", labels()[4][surgery]))).collect()
        };
        debug_assert!(stays.len() == STAYS && surgery.len() == 2);
        Self {
            people: (0..AGES * SEXES).map(person).collect(),
            stays: cells(stays),
            locations: cells(locations),
            ends: [end(0), end(1)],
        }
    }
}

/// The names of the columns as the first line of a CSV file, with its line feed.
#[must_use]
pub fn csv_header() -> &'static str {
    "age,sex,length_of_stay,location,surgery,diagnosis\n"
}

/// Appends the records as CSV rows, each with its line feed. No value needs quotes.
pub fn append_csv(records: &[Record], out: &mut Vec<u8>) {
    let fragments = &*FRAGMENTS;
    let mut at = out.len();
    out.resize(at + records.len() * LONGEST_ROW + 8, 0);
    for record in records {
        let person = usize::from(record.age) * SEXES + usize::from(record.sex);
        at = fragments.people[person].write(out, at);
        at = fragments.stays[usize::from(record.length_of_stay)].write(out, at);
        at = fragments.locations[usize::from(record.location)].write(out, at);
        at = fragments.ends[usize::from(record.surgery)][usize::from(record.diagnosis)].write(out, at);
    }
    out.truncate(at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::COLUMNS;

    #[test]
    fn header_names_the_columns() {
        assert_eq!(csv_header().trim_end(), COLUMNS.join(","));
    }

    #[test]
    fn rows_are_the_labels() {
        let longest =
            Record { age: 99, sex: 1, length_of_stay: 111, location: 249, surgery: 1, diagnosis: 0 };
        let shortest = Record { age: 0, sex: 0, length_of_stay: 0, location: 0, surgery: 0, diagnosis: 1 };
        let mut out = b"kept\n".to_vec();
        append_csv(&[longest, shortest], &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "kept\n99,F,111,2603,Y,A02\n0,M,0,1101,N,A04\n");
    }
}
