//! Tables of resources in memory: each column's texts once, and the text of each row.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::element::Form;
use super::kinds::Kind;
use crate::key_texts::{KeyTexts, Values};

/// The rows of a table.
///
/// Memory: four bytes for each cell, and the distinct texts of each column; of keys and references all that differ from the row
/// before ([`KeyTexts`]).
#[derive(Debug)]
pub(crate) struct Held {
    rows: usize,
    names: Vec<&'static str>,
    columns: Vec<HeldColumn>,
}

#[derive(Debug, Default)]
struct HeldColumn {
    /// Whether its texts are keys: hardly any is found again, and so none is looked up.
    is_of_keys: bool,
    numbers: FxHashMap<Box<str>, u32>,
    keys: KeyTexts,
    /// The number of the empty text: most processors compare texts of no length slowly.
    empty: Option<u32>,
    codes: Vec<u32>,
}

/// A column's texts, of which one can stand there twice, and the place of each row's.
pub(crate) type HeldTexts = (Values, Vec<u32>);

impl Held {
    /// A table without rows.
    pub(super) fn new(kind: &Kind) -> Self {
        let columns = kind.columns.iter().map(|column| HeldColumn::new(column.form));
        let names = kind.columns.iter().map(|column| column.path);
        Self { rows: 0, names: names.collect(), columns: columns.collect() }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, cells: &[Cow<'_, str>]) {
        self.rows += 1;
        self.columns.iter_mut().zip(cells).for_each(|(column, cell)| column.add(cell));
    }

    /// How many rows there are.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The texts of a column, of which nothing is left here.
    pub(crate) fn take(&mut self, column: usize) -> HeldTexts {
        self.columns.get_mut(column).map(std::mem::take).unwrap_or_default().into_texts()
    }

    /// As [`Self::take`], of the column of a name.
    pub(crate) fn take_named(&mut self, name: &str) -> Option<HeldTexts> {
        self.names.iter().position(|known| *known == name).map(|column| self.take(column))
    }

    /// Writes the rows behind the header of a file.
    pub(super) fn append(mut self, file: &Path) -> io::Result<()> {
        let columns: Vec<HeldTexts> = (0..self.columns.len()).map(|column| self.take(column)).collect();
        let mut writer = csv::Writer::from_writer(OpenOptions::new().append(true).open(file)?);
        for row in 0..self.rows {
            let cells = columns.iter().map(|(values, codes)| values.text(codes[row] as usize));
            writer
                .write_record(cells.map(Cow::into_owned))
                .map_err(|error| io::Error::other(error.to_string()))?;
        }
        writer.flush()
    }
}

impl HeldColumn {
    fn new(form: Form) -> Self {
        Self { is_of_keys: matches!(form, Form::Id | Form::Reference(_)), ..Self::default() }
    }

    fn add(&mut self, cell: &str) {
        let code = match (self.empty, self.is_of_keys) {
            (Some(empty), _) if cell.is_empty() => empty,
            (_, true) => self.keys.number(cell),
            (_, false) => self.number(cell),
        };
        if cell.is_empty() {
            self.empty = Some(code);
        }
        self.codes.push(code);
    }

    fn number(&mut self, cell: &str) -> u32 {
        if let Some(&number) = self.numbers.get(cell) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(cell.into(), number);
        number
    }

    fn into_texts(self) -> HeldTexts {
        if self.is_of_keys {
            return (Values::Keys(self.keys), self.codes);
        }
        let mut texts: Vec<(Box<str>, u32)> = self.numbers.into_iter().collect();
        texts.sort_unstable_by_key(|(_, number)| *number);
        (Values::Each(texts.into_iter().map(|(text, _)| text.into()).collect()), self.codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_texts() {
        let columns = vec![HeldColumn::new(Form::Id), HeldColumn::new(Form::Code)];
        let mut held = Held { rows: 0, names: vec!["id", "status"], columns };
        let rows = [["1", "a"], ["1", ""], ["", "a"], ["2", ""], ["", "b"], ["1", ""]];
        rows.iter().for_each(|row| held.add(&row.map(Cow::Borrowed)));
        let shown = |(values, codes): HeldTexts| {
            codes.iter().map(|&code| values.text(code as usize).into_owned()).collect()
        };
        let (keys, codes): (Vec<String>, Vec<String>) = (shown(held.take(0)), shown(held.take(1)));
        assert_eq!(
            (keys, codes),
            (rows.map(|row| row[0].to_owned()).into(), rows.map(|row| row[1].to_owned()).into())
        );
        assert!(held.take_named("status").is_some() && held.take_named("code").is_none());
        assert_eq!((held.rows(), held.take(0).1.len(), held.take(2).1.len()), (6, 0, 0));
    }

    #[test]
    fn rows_stand_behind_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("table.csv");
        std::fs::write(&file, "id,status\n").unwrap();
        let columns = vec![HeldColumn::new(Form::Id), HeldColumn::new(Form::Code)];
        let mut held = Held { rows: 0, names: vec!["id", "status"], columns };
        held.add(&["1", "a,\"b\""].map(Cow::Borrowed));
        held.add(&["2", ""].map(Cow::Borrowed));
        held.append(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "id,status\n1,\"a,\"\"b\"\"\"\n2,\n");
    }
}
