//! What the values of classes are released as.

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::linked::Shape;
use velamen_core::error::Problem;
use velamen_core::hierarchy::TOP;
use velamen_core::label::{Open, of_numbers};
use velamen_recipe::JobError;

use super::attribute::missing;
use super::dimension::has_ranges;

/// A released value, and what it stands for.
pub(super) type Named = (String, String);

/// The first and the last year of a band.
fn ends(label: &str) -> Option<(i32, i32)> {
    let (low, high) = label.split_once('-').unwrap_or((label, label));
    Some((low.parse().ok()?, high.parse().ok()?))
}

/// What a column's name and the shape say of its values.
pub(super) struct Naming<'a> {
    pub(super) column: &'a str,
    pub(super) shape: Shape,
    /// Of a birth the last year of those whose age is not told.
    pub(super) cut: Option<i32>,
}

impl Naming<'_> {
    /// A label as a reader sees it: a missing value has a name, and a range of births that is open below begins after the oldest.
    pub(super) fn label(&self, label: &str) -> String {
        match (label, self.cut, Open::read(label)) {
            ("", Some(_), _) => TOP.to_owned(),
            ("", None, _) => missing(self.column).to_owned(),
            (_, Some(cut), Some((Open::Below, last))) => of_numbers(cut + 1, last),
            _ => label.to_owned(),
        }
    }

    /// The oldest: what they are released as, and what it stands for.
    pub(super) fn oldest(&self, cut: i32) -> Named {
        let label = format!("{cut} or earlier");
        (if has_ranges(self.shape) { label.clone() } else { cut.to_string() }, label)
    }

    /// The value of each label. Two labels of one value are one, which stands for everything.
    pub(super) fn values(&self, labels: &BTreeSet<String>) -> Result<BTreeMap<String, String>, JobError> {
        if self.cut.is_some() && !has_ranges(self.shape) {
            return self.years(labels);
        }
        let value = |label: &String| if label == TOP { self.top(labels) } else { label.clone() };
        Ok(labels.iter().map(|label| (label.clone(), value(label))).collect())
    }

    /// What stands for every value: of a column with a code in each cell the one for none.
    fn top(&self, labels: &BTreeSet<String>) -> String {
        let is_all = labels.iter().all(|label| label == TOP);
        let of_fhir = || if self.column == "gender" { "unknown" } else { "missing" };
        let none = match self.shape {
            _ if is_all => TOP,
            Shape::Fhir => of_fhir(),
            Shape::Omop if missing(self.column) == "0" => "0",
            Shape::Omop | Shape::Tables | Shape::Synthea => TOP,
        };
        none.to_owned()
    }

    /// A year of each band that stands for no other, as near to its middle as there is one; narrow bands choose first.
    fn years(&self, labels: &BTreeSet<String>) -> Result<BTreeMap<String, String>, JobError> {
        let mut bands: Vec<(i32, i32, &String)> = labels
            .iter()
            .filter_map(|label| ends(label).map(|(low, high)| (high - low, low, label)))
            .collect();
        bands.sort_unstable();
        let (mut taken, mut values) = (BTreeSet::new(), BTreeMap::new());
        for (width, low, label) in bands {
            let middle = low + width / 2;
            let free = (low..=low + width).filter(|year| !taken.contains(year));
            let Some(year) = free.min_by_key(|year| ((year - middle).abs(), *year)) else {
                return Err(self.no_year());
            };
            taken.insert(year);
            values.insert(label.clone(), year.to_string());
        }
        values.extend(labels.contains(TOP).then(|| (TOP.to_owned(), TOP.to_owned())));
        Ok(values)
    }

    fn no_year(&self) -> JobError {
        let problem = format!(
            "column `{}`: a cell holds one year, and more bands than years would be released",
            self.column
        );
        JobError::data(
            Problem::new(problem).mend("give its hierarchy fewer levels, or demographics = \"optimal\""),
        )
    }
}
