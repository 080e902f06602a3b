//! The released columns of all tables in memory, as numbers.
//!
//! Memory: each column's distinct values, and for each cell as few bytes as their number needs ([`Compact`]); four bytes for whose
//! a row is, and for each reference.

mod keys;
mod reading;

use std::sync::Arc;

use crate::compact::{Compact, Distinct};

pub(crate) use keys::{Keys, RowOf};
pub(crate) use reading::load;

/// No row, or no value.
pub(crate) const NONE: u32 = u32::MAX;

/// A table's rows.
#[derive(Debug)]
pub(crate) struct Rows {
    /// How many there are.
    pub(crate) number: usize,
    /// The keys, where the table has them.
    pub(crate) keys: Option<Keys>,
    /// Whose each row is.
    pub(crate) persons: Arc<Vec<u32>>,
    /// What each column holds, in the file's order.
    pub(crate) columns: Vec<Cells>,
    /// Rows that were left out because nobody's they are.
    pub(crate) orphans: u64,
    /// References to no row that were emptied.
    pub(crate) dangling: u64,
}

/// What a column holds.
#[derive(Debug)]
pub(crate) enum Cells {
    /// Nothing that is looked at.
    Unread,
    /// Rows of another table, or [`NONE`].
    References(Arc<Vec<u32>>),
    /// Texts.
    Coded(Coded),
    /// Lists of texts.
    Lists(Lists),
    /// Numbers; NaN where a cell is empty.
    Numbers(Distinct<f64>),
    /// Days of the common era, or [`crate::days::NO_DAY`].
    Days(Distinct<i32>),
}

/// Texts by number: each once, in the order of their bytes; the empty text is number 0. A released column shares the numbers with
/// the original one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coded {
    pub(crate) texts: Vec<String>,
    pub(crate) codes: Arc<Compact>,
}

impl Coded {
    /// From texts of which one can stand there twice.
    pub(crate) fn of(values: Vec<String>, codes: &Compact) -> Self {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| values[a as usize].cmp(&values[b as usize]));
        let mut texts = vec![String::new()];
        let mut number = vec![0; values.len()];
        for place in order {
            let value = &values[place as usize];
            if texts.last() != Some(value) {
                texts.push(value.clone());
            }
            number[place as usize] = texts.len() as u32 - 1;
        }
        let codes = codes.iter().map(|code| number[code as usize]).collect();
        Self { texts, codes: Arc::new(codes) }
    }

    /// The number of a row's text.
    pub(crate) fn at(&self, row: usize) -> u32 {
        self.codes.at(row)
    }

    /// Empties some rows; how many had something.
    pub(crate) fn empty(&mut self, rows: &[usize]) -> u64 {
        let codes = Arc::make_mut(&mut self.codes);
        let had = rows.iter().filter(|row| codes.at(**row) != 0).count();
        rows.iter().for_each(|&row| codes.put(row, 0));
        had as u64
    }
}

/// A list of texts for each row; each text once in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    pub(crate) texts: Vec<String>,
    /// The codes of each distinct cell.
    pub(crate) lists: Vec<Vec<u32>>,
    /// The cell of each row.
    pub(crate) cells: Compact,
}

impl Lists {
    /// From cells with a text between their items.
    pub(crate) fn of(cells: &Coded, between: &str) -> Self {
        let split = |cell: &String| trimmed(cell.split(between));
        Self::from_split(cells, cells.texts.iter().map(split).collect())
    }

    /// From cells that are lists, each as the text of a JSON array.
    pub(crate) fn of_arrays(cells: &Coded) -> Self {
        let split = |cell: &String| {
            let items: Vec<String> = serde_json::from_str(cell).unwrap_or_default();
            trimmed(items.iter().map(String::as_str))
        };
        Self::from_split(cells, cells.texts.iter().map(split).collect())
    }

    fn from_split(cells: &Coded, split: Vec<Vec<String>>) -> Self {
        let mut texts: Vec<String> = split.iter().flatten().cloned().collect();
        texts.push(String::new());
        texts.sort_unstable();
        texts.dedup();
        let number = |item: &String| texts.binary_search(item).map_or(0, |place| place as u32);
        let list = |items: &Vec<String>| {
            let mut list: Vec<u32> = items.iter().map(number).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let lists = split.iter().map(list).collect();
        Self { lists, texts, cells: (*cells.codes).clone() }
    }

    /// The codes of a row.
    pub(crate) fn of_row(&self, row: usize) -> &[u32] {
        &self.lists[self.cells.at(row) as usize]
    }
}

/// Items without white space around them; empty ones are none.
fn trimmed<'a>(items: impl Iterator<Item = &'a str>) -> Vec<String> {
    items.map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

impl Rows {
    /// The texts of a column, where it holds any.
    pub(crate) fn coded(&self, column: usize) -> Option<&Coded> {
        match &self.columns[column] {
            Cells::Coded(coded) => Some(coded),
            _ => None,
        }
    }

    /// The days of a column, where it holds any.
    pub(crate) fn days(&self, column: usize) -> Option<&Distinct<i32>> {
        match &self.columns[column] {
            Cells::Days(days) => Some(days),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_numbered_in_their_order_and_the_empty_one_is_none() {
        let values = ["b", "a", "", "b"].map(str::to_owned).to_vec();
        let coded = Coded::of(values, &[0, 1, 2, 3, 0].into_iter().collect());
        assert_eq!(coded.texts, ["", "a", "b"]);
        assert_eq!(coded.codes.iter().collect::<Vec<_>>(), [2, 1, 0, 2, 2]);
    }

    #[test]
    fn a_cell_is_a_set() {
        let coded = Coded::of(vec!["I10; E11 ;I10".into(), String::new()], &Compact::own(2));
        let lists = Lists::of(&coded, ";");
        assert_eq!(lists.texts, ["", "E11", "I10"]);
        assert_eq!((lists.of_row(0), lists.of_row(1)), (&[1, 2][..], &[][..]));
        let coded = Coded::of(vec![r#"["I10"," E11 ","I10",""]"#.into(), String::new()], &Compact::own(2));
        let arrays = Lists::of_arrays(&coded);
        assert_eq!((arrays.of_row(0), &arrays.texts), (lists.of_row(0), &lists.texts));
    }
}
