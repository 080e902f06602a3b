//! Tables for people: columns as wide as their cells, the last one wrapped where the terminal ends.

use crate::terminal;

/// The space between columns.
const GAP: &str = "  ";

/// The last column is never narrower than this.
const LEAST: usize = 16;

/// To which side a column's cells lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table with a line of headings.
#[derive(Debug)]
pub(crate) struct TextTable {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with these headings; numbers lie to the right.
    pub(crate) fn new(columns: &[(&str, Side)]) -> Self {
        let headings = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Self { sides: columns.iter().map(|(_, side)| *side).collect(), rows: vec![headings] }
    }

    /// A table of text without headings.
    pub(crate) fn plain(columns: usize) -> Self {
        Self { sides: vec![Side::Left; columns], rows: Vec::new() }
    }

    /// Adds a row, a cell for each column.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Prints it as wide as the terminal; as wide as its cells where there is none.
    pub(crate) fn print(&self) {
        self.lines(terminal::columns()).iter().for_each(terminal::line);
    }

    /// As [`Self::print`], a little to the right.
    pub(crate) fn print_indented(&self) {
        let most = terminal::columns().map(|most| most.saturating_sub(GAP.len()));
        self.lines(most).iter().for_each(|text| terminal::line(format_args!("{GAP}{text}")));
    }

    fn lines(&self, most: Option<usize>) -> Vec<String> {
        let wide = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| terminal::width(cell)).max()
        };
        let widths: Vec<usize> = (0..self.sides.len()).map(|column| wide(column).unwrap_or(0)).collect();
        let Some((_, before)) = widths.split_last() else { return Vec::new() };
        let indent: usize = before.iter().map(|width| width + GAP.len()).sum();
        let room = most.map(|most| most.saturating_sub(indent).max(LEAST));
        self.rows.iter().flat_map(|row| self.of_row(row, &widths, indent, room)).collect()
    }

    fn of_row(&self, row: &[String], widths: &[usize], indent: usize, room: Option<usize>) -> Vec<String> {
        let Some((last, cells)) = row.split_last() else { return Vec::new() };
        let placed = |(cell, (side, width)): (&String, (&Side, &usize))| match side {
            Side::Left => format!("{}{GAP}", terminal::padded(cell, *width)),
            Side::Right => format!("{}{GAP}", terminal::right(cell, *width)),
        };
        let before: String = cells.iter().zip(self.sides.iter().zip(widths)).map(placed).collect();
        let last = match (self.sides.last(), widths.last()) {
            (Some(Side::Right), Some(width)) => vec![terminal::right(last, *width)],
            _ => wrapped(last, room),
        };
        let line = |(number, part): (usize, &String)| match number {
            0 => format!("{before}{part}").trim_end().to_owned(),
            _ => format!("{:indent$}{part}", ""),
        };
        last.iter().enumerate().map(line).collect()
    }
}

/// A text in lines of at most that width, cut at spaces.
fn wrapped(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return vec![text.to_owned()] };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { continue };
        match line.is_empty() || terminal::width(line) + 1 + terminal::width(word) <= room {
            true if line.is_empty() => line.push_str(word),
            true => *line += &format!(" {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table =
            TextTable::new(&[("records", Side::Right), ("name", Side::Left), ("levels", Side::Left)]);
        table.row(vec!["7".into(), "나이".into(), "age 1, sex 0, postcode 3".into()]);
        table
    }

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        assert_eq!(table().lines(None), ["records  name  levels", "      7  나이  age 1, sex 0, postcode 3"]);
    }

    #[test]
    fn the_last_column_wraps_where_the_terminal_ends() {
        let lines = table().lines(Some(34));
        assert_eq!(lines[1..], ["      7  나이  age 1, sex 0,", "               postcode 3"]);
        assert!(lines.iter().all(|line| terminal::width(line) <= 34));
    }
}
