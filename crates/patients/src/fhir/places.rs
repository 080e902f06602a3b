//! Where the rows of flattened tables stood: errors name the file and the line that a person can open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a resource stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// A line, counted from 1.
    Line(u64),
    /// An entry of a bundle, counted from 1.
    Entry(u64),
    /// A file of one resource.
    Whole,
}

impl Within {
    fn follows(self, other: Self, by: u64) -> bool {
        match (self, other) {
            (Self::Line(line), Self::Line(first)) => line == first + by,
            (Self::Entry(entry), Self::Entry(first)) => entry == first + by,
            _ => false,
        }
    }

    fn plus(self, by: u64) -> Self {
        match self {
            Self::Line(line) => Self::Line(line + by),
            Self::Entry(entry) => Self::Entry(entry + by),
            Self::Whole => Self::Whole,
        }
    }
}

impl std::fmt::Display for Within {
    fn fmt(&self, into: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(into, "line {line}"),
            Self::Entry(entry) => write!(into, "entry {entry}"),
            Self::Whole => into.write_str("the resource"),
        }
    }
}

/// Rows that stood one after the other.
#[derive(Debug)]
struct Run {
    first_row: u64,
    file: usize,
    first: Within,
}

/// The places of the rows of each table.
#[derive(Debug, Default)]
pub(crate) struct Places {
    files: Vec<PathBuf>,
    runs: BTreeMap<String, (u64, Vec<Run>)>,
}

impl Places {
    /// Notes where the next row of a table stood.
    pub(super) fn add(&mut self, table: &str, file: &Path, within: Within) {
        // Byte by byte: part by part would take longer than all else here.
        if self.files.last().is_none_or(|last| last.as_os_str() != file.as_os_str()) {
            self.files.push(file.to_owned());
        }
        let file = self.files.len() - 1;
        if !self.runs.contains_key(table) {
            self.runs.insert(table.to_owned(), (0, Vec::new()));
        }
        let Some((rows, runs)) = self.runs.get_mut(table) else { return };
        let is_next = runs
            .last()
            .is_some_and(|run| run.file == file && within.follows(run.first, *rows - run.first_row));
        if !is_next {
            runs.push(Run { first_row: *rows, file, first: within });
        }
        *rows += 1;
    }

    /// Where a row of a table stood, counted from 0.
    pub(crate) fn of(&self, table: &str, row: usize) -> Option<(&Path, Within)> {
        let (rows, runs) = self.runs.get(table)?;
        let row = row as u64;
        let place = runs.partition_point(|run| run.first_row <= row).checked_sub(1)?;
        let run = runs.get(place).filter(|_| row < *rows)?;
        Some((&self.files[run.file], run.first.plus(row - run.first_row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_where_they_stood() {
        let (one, two) = (Path::new("a.ndjson"), Path::new("b.json"));
        let mut places = Places::default();
        for line in [1, 2, 4, 5] {
            places.add("Condition", one, Within::Line(line));
        }
        for entry in [2, 9] {
            places.add("Condition", two, Within::Entry(entry));
            places.add("Patient", two, Within::Entry(entry + 1));
        }
        let of = |row: usize| places.of("Condition", row).unwrap();
        assert_eq!([0, 1, 2, 3].map(|row| of(row).1), [1, 2, 4, 5].map(Within::Line));
        assert_eq!([of(4), of(5)], [(two, Within::Entry(2)), (two, Within::Entry(9))]);
        assert_eq!(places.of("Patient", 1), Some((two, Within::Entry(10))));
        assert_eq!((places.of("Condition", 6), places.of("Encounter", 0)), (None, None));
    }
}
