//! A release whose suppressed records show nothing at all.

use super::{Release, Row, SUPPRESSED};
use crate::frequency::{Rest, RestColumn};
use crate::hierarchy::NULL;

impl Release {
    /// The same release without the sensitive and insensitive values of suppressed records: all of them are
    /// missing, and a value that no other record has is not in the columns any more.
    ///
    /// Time: O(rows + combinations of the rest · columns).
    #[must_use]
    pub fn without_suppressed_values(mut self) -> Self {
        if self.suppressed == 0 {
            return self;
        }
        self.rows.retain(|row| row.class != SUPPRESSED);
        let mut used = vec![false; self.rest.len];
        self.rows.iter().for_each(|row| used[row.rest as usize] = true);
        let places = self.rest.keep_and_add_missing(&used);
        self.rows.iter_mut().for_each(|row| row.rest = places[row.rest as usize]);
        self.rows.push(Row { class: SUPPRESSED, rest: 0, count: self.suppressed });
        self
    }
}

impl Rest {
    /// Keeps some combinations, and puts the one of missing values first. By old combination its new place.
    fn keep_and_add_missing(&mut self, used: &[bool]) -> Vec<u32> {
        let columns = self.columns.iter_mut().zip(&mut self.codes);
        columns.for_each(|(column, codes)| keep_values(column, codes, used));
        let is_missing = |row: usize| self.codes.iter().all(|codes| codes[row] == 0);
        // The missing value is the first of every column, so its combination is the first of all.
        let known = (0..self.len).any(|row| used[row] && is_missing(row));
        let mut next = u32::from(!known);
        let place = |&used: &bool| {
            let place = next;
            next += u32::from(used);
            place
        };
        let places = used.iter().map(place).collect();
        for codes in &mut self.codes {
            let kept = codes.iter().zip(used).filter(|(_, used)| **used).map(|(&code, _)| code);
            *codes = (!known).then_some(0).into_iter().chain(kept).collect();
        }
        self.len = next as usize;
        places
    }
}

/// Keeps the values that some combinations use, behind the missing one; codes of other combinations mean
/// nothing then.
fn keep_values(column: &mut RestColumn, codes: &mut [u32], used: &[bool]) {
    let mut kept = vec![false; column.values.len()];
    codes.iter().zip(used).filter(|(_, used)| **used).for_each(|(&code, _)| kept[code as usize] = true);
    let mut values = vec![NULL.to_owned()];
    let mut places = vec![0; kept.len()];
    for (code, value) in std::mem::take(&mut column.values).into_iter().enumerate() {
        if kept[code] && value != NULL {
            places[code] = values.len() as u32;
            values.push(value);
        }
    }
    column.values = values;
    codes.iter_mut().for_each(|code| *code = places[*code as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frequency::Role;

    /// Diseases by class, of which the third combination is suppressed.
    fn release(diseases: &[&str], rows: &[(u32, u32, u64)]) -> Release {
        let values = diseases.iter().map(|value| (*value).to_owned()).collect();
        let column = RestColumn { name: "disease".into(), role: Role::Sensitive, values };
        let codes = vec![(0..diseases.len() as u32).collect()];
        let rest = Rest { columns: vec![column], codes, len: diseases.len() };
        let rows: Vec<Row> = rows.iter().map(|&(class, rest, count)| Row { class, rest, count }).collect();
        let suppressed = rows.iter().filter(|row| row.class == SUPPRESSED).map(|row| row.count).sum();
        Release { rest, rows, suppressed, ..Release::default() }
    }

    fn row(class: u32, rest: u32, count: u64) -> Row {
        Row { class, rest, count }
    }

    #[test]
    fn suppressed_records_show_nothing() {
        // Lee 2017, Table 3: the first three records, of which only one has Anemia.
        let rows = [(0, 1, 2), (0, 2, 2), (SUPPRESSED, 0, 1), (SUPPRESSED, 1, 1), (SUPPRESSED, 2, 1)];
        let hidden = release(&["Anemia", "Diabetes", "Pneumonia"], &rows).without_suppressed_values();
        assert_eq!(hidden.rest.columns[0].values, ["", "Diabetes", "Pneumonia"]);
        assert_eq!((&hidden.rest.codes, hidden.rest.len), (&vec![vec![0, 1, 2]], 3));
        assert_eq!(hidden.rows, [row(0, 1, 2), row(0, 2, 2), row(SUPPRESSED, 0, 3)]);
    }

    #[test]
    fn a_missing_value_that_others_have_stays_one() {
        let hidden =
            release(&["", "Flu"], &[(0, 0, 2), (0, 1, 2), (SUPPRESSED, 1, 4)]).without_suppressed_values();
        assert_eq!(hidden.rest.columns[0].values, ["", "Flu"]);
        assert_eq!(hidden.rows, [row(0, 0, 2), row(0, 1, 2), row(SUPPRESSED, 0, 4)]);
    }

    #[test]
    fn without_suppressed_records_nothing_changes() {
        let release = release(&["Flu", "Gout"], &[(0, 0, 2), (1, 0, 2)]);
        assert_eq!(release.clone().without_suppressed_values().rest.columns[0].values, ["Flu", "Gout"]);
    }
}
