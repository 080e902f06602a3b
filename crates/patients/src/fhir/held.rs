//! Tables of resources in memory: each column's texts once, and the text of each row.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use velamen_engine::Scratch;

use super::element::Form;
use super::kinds::Kind;
use crate::compact::Compact;
use crate::filed::Filed;
use crate::key_texts::Values;

/// The rows of a table.
///
/// Memory: the distinct texts of each column, and for each cell as few bytes as their number needs ([`Compact`]); keys and
/// references are in files ([`Filed`]).
#[derive(Debug)]
pub(crate) struct Held {
    rows: usize,
    names: Vec<&'static str>,
    columns: Vec<HeldColumn>,
}

#[derive(Debug)]
enum HeldColumn {
    /// Keys or references: hardly any is found again.
    Keys(Filed),
    Texts(Texts),
}

/// Texts that are found again.
#[derive(Debug, Default)]
struct Texts {
    numbers: FxHashMap<Box<str>, u32>,
    /// The number of the empty text: most processors compare texts of no length slowly.
    empty: Option<u32>,
    codes: Compact,
}

/// A column's texts, of which one can stand there twice, and the place of each row's.
pub(crate) type HeldTexts = (Values, Compact);

impl Held {
    /// A table without rows.
    pub(super) fn new(kind: &Kind, folder: &Arc<Scratch>) -> Self {
        let columns = kind.columns.iter().map(|column| HeldColumn::new(column.form, folder));
        let names = kind.columns.iter().map(|column| column.path);
        Self { rows: 0, names: names.collect(), columns: columns.collect() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If a file of keys cannot be written.
    pub(super) fn add(&mut self, cells: &[Cow<'_, str>]) -> io::Result<()> {
        self.rows += 1;
        self.columns.iter_mut().zip(cells).try_for_each(|(column, cell)| column.add(cell))
    }

    /// How many rows there are.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// The texts of a column, of which nothing is left here.
    pub(crate) fn take(&mut self, column: usize) -> HeldTexts {
        let nothing = || HeldColumn::Texts(Texts::default());
        let taken = self.columns.get_mut(column).map(|column| std::mem::replace(column, nothing()));
        taken.unwrap_or_else(nothing).into_texts()
    }

    /// As [`Self::take`], of the column of a name.
    pub(crate) fn take_named(&mut self, name: &str) -> Option<HeldTexts> {
        self.names.iter().position(|known| *known == name).map(|column| self.take(column))
    }
}

impl HeldColumn {
    fn new(form: Form, folder: &Arc<Scratch>) -> Self {
        match form {
            Form::Id | Form::Reference(_) => Self::Keys(Filed::new(folder)),
            _ => Self::Texts(Texts::default()),
        }
    }

    fn add(&mut self, cell: &str) -> io::Result<()> {
        match self {
            Self::Keys(keys) => keys.push(cell)?,
            Self::Texts(texts) => texts.add(cell),
        }
        Ok(())
    }

    fn into_texts(self) -> HeldTexts {
        match self {
            Self::Keys(keys) => {
                let rows = Compact::own(keys.len());
                (Values::Filed(keys), rows)
            }
            Self::Texts(texts) => texts.into_texts(),
        }
    }
}

impl Texts {
    fn add(&mut self, cell: &str) {
        let code = match self.empty.filter(|_| cell.is_empty()) {
            Some(empty) => empty,
            None => self.number(cell),
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
        let scratch = Arc::new(Scratch::new("velamen-test-").unwrap());
        let columns = vec![HeldColumn::new(Form::Id, &scratch), HeldColumn::new(Form::Code, &scratch)];
        let mut held = Held { rows: 0, names: vec!["id", "status"], columns };
        let rows = [["1", "a"], ["1", ""], ["", "a"], ["2", ""], ["", "b"], ["1", ""]];
        rows.iter().for_each(|row| held.add(&row.map(Cow::Borrowed)).unwrap());
        let shown = |(values, codes): HeldTexts| {
            codes.iter().map(|code| values.text(code as usize).into_owned()).collect()
        };
        let (keys, codes): (Vec<String>, Vec<String>) = (shown(held.take(0)), shown(held.take(1)));
        assert_eq!(
            (keys, codes),
            (rows.map(|row| row[0].to_owned()).into(), rows.map(|row| row[1].to_owned()).into())
        );
        assert!(held.take_named("status").is_some() && held.take_named("code").is_none());
        assert_eq!((held.rows(), held.take(0).1.len(), held.take(2).1.len()), (6, 0, 0));
    }
}
