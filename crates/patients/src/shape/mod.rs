//! Shapes of folders that are known: their tables, keys, and a part for every column of the standard.

mod fhir;
mod omop;
mod synthea;

use velamen_contract::linked::{RESOURCES, Shape};

/// A table of a known shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownTable {
    /// Its name in recipes and releases.
    pub(crate) name: &'static str,
    /// What becomes of it.
    pub(crate) fate: Fate,
    /// Its columns.
    pub(crate) columns: &'static [(&'static str, Known)],
}

/// What becomes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The table of persons.
    Persons,
    /// Rows of persons.
    Rows,
    /// Rows of persons to which others refer: visits.
    ReferredTo,
    /// Having a row is a person column: deaths.
    PersonColumn,
    /// Made anew: first and last day of each person's released rows.
    Periods,
    /// Left out.
    Dropped,
}

/// The part that a column of a known table plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// The table's key.
    Key,
    /// Whose row it is.
    Person,
    /// The key of a row of another table.
    Reference(&'static str),
    /// A person column.
    QuasiIdentifier,
    /// The year of birth.
    BirthYear,
    /// The day of birth.
    BirthDate,
    /// Codes of which somebody may know some.
    Set,
    /// The code that a row is about.
    MainCode,
    /// Another code of the row.
    Code,
    /// Numbers, by the columns named.
    Value(&'static [&'static str]),
    /// The day that a row is about.
    FirstDate,
    /// Another day.
    Date,
    /// The end of a period that is made anew.
    PeriodEnd,
    /// Left out, but required by the standard: one value in all rows.
    Constant(&'static str),
    /// Left out.
    Dropped,
}

impl Known {
    /// Whether the original's cells are released in some form.
    pub(crate) const fn is_released(self) -> bool {
        !matches!(self, Self::Dropped | Self::Constant(_))
    }
}

/// The tables of a shape.
pub(crate) fn tables(shape: Shape) -> &'static [KnownTable] {
    match shape {
        Shape::Omop => omop::TABLES,
        Shape::Synthea => synthea::TABLES,
        Shape::Fhir => fhir::TABLES,
        Shape::Tables => &[],
    }
}

/// The codes to which FHIR binds an element of a kind of resources; none, if it does not.
pub(crate) fn codes(kind: &str, path: &str) -> &'static [&'static str] {
    fhir::codes(kind, path)
}

/// The system of the codes to which FHIR binds an element of a kind of resources, where it is a concept.
pub(crate) fn system(path: &str) -> Option<fn(&str) -> String> {
    match path {
        "clinicalStatus" => Some(|kind: &str| fhir::system(kind, "clinical")),
        "verificationStatus" => Some(|kind: &str| fhir::system(kind, "verification")),
        _ => None,
    }
}

/// Whether a cell of a shape says that what its row describes did not happen, or is not so.
pub(crate) fn denies(shape: Shape, column: &str, cell: &str) -> bool {
    let is_status = shape == Shape::Fhir && matches!(column, "status" | "verificationStatus");
    is_status && cell.rsplit('|').next().is_some_and(|code| fhir::DENIALS.contains(&code))
}

/// The columns that a standard wants in each row of a table, beside keys and sets.
pub(crate) fn required(shape: Shape, table: &str) -> &'static [&'static str] {
    match shape {
        Shape::Fhir => fhir::required(table),
        Shape::Tables | Shape::Omop | Shape::Synthea => &[],
    }
}

/// The shape of an export, by the names of its files; none, if they are of no known one. No file is opened.
#[must_use]
pub fn shape_of(files: &[&str]) -> Option<Shape> {
    [Shape::Omop, Shape::Fhir, Shape::Synthea].into_iter().find(|shape| is_export(*shape, files))
}

/// Whether a file is of the table of persons, as the shape writes it. `patients` alone may be any table.
fn is_export(shape: Shape, files: &[&str]) -> bool {
    let has = |table: &str| files.iter().any(|file| is_of(file, shape, table));
    persons(shape).is_some_and(has) && (shape != Shape::Synthea || has("encounters"))
}

/// Whether a file holds a table, by its name.
fn is_of(file: &str, shape: Shape, table: &str) -> bool {
    let (stem, ending) = file.split_once('.').unwrap_or((file, ""));
    let ending = ending.trim_end_matches(".gz").rsplit('.').next();
    let fits = shape != Shape::Fhir || ending.is_some_and(|ending| [RESOURCES, "jsonl"].contains(&ending));
    stem.eq_ignore_ascii_case(table) && fits
}

/// The name of the table of persons of a shape.
pub(crate) fn persons(shape: Shape) -> Option<&'static str> {
    tables(shape).iter().find(|table| table.fate == Fate::Persons).map(|table| table.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_known_by_its_files() {
        assert_eq!(shape_of(&["PERSON.csv", "visit_occurrence.csv"]), Some(Shape::Omop));
        assert_eq!(shape_of(&["person.parquet"]), Some(Shape::Omop));
        assert_eq!(shape_of(&["Condition.ndjson", "Patient.000.ndjson.gz"]), Some(Shape::Fhir));
        assert_eq!(shape_of(&["encounters.csv", "patients.csv"]), Some(Shape::Synthea));
        for other in [&["patients.csv"][..], &["patient.csv"], &["persons.csv"], &["death.csv"], &[]] {
            assert_eq!(shape_of(other), None, "{other:?}");
        }
    }
}
